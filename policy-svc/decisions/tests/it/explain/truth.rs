//! What must hold for every explanation: it says what the decision says, and every reason in it is true.

use std::collections::BTreeSet;

use proptest::prelude::*;
use turnwise_decisions::{
    Action, Availability, Course, CourseSpec, DecideInput, Decision, EventKind, Plan,
    QuestionState, Tier, decide,
    explain::{Explanation, Reason, StuckFacts, Subject, UnitExplanation, explain, paragraph},
};

use crate::{
    fixtures::{self, Turn},
    reference::{decide::ExamAnswer, record::World, standing::Word},
    strategies::wide,
};

/// Titles as bad as course text may be, among plain ones.
fn titles() -> impl Strategy<Value = Vec<String>> {
    let title = prop_oneof![
        2 => "[A-Z][a-z]{2,9}( [a-z]{2,9}){0,2}",
        1 => Just(String::new()),
        1 => "\\PC{0,40}",
        1 => "[\\x00-\\x1f\u{85}\u{2028}\u{2029} ?？x]{0,20}",
        1 => Just("long ".repeat(100)),
    ];
    proptest::collection::vec(title, 14)
}

fn turns() -> impl Strategy<Value = (CourseSpec, Turn, wide::ExamAnswer)> {
    let course = prop_oneof![3 => wide::course(true), 1 => wide::course(false)];
    (course, titles()).prop_flat_map(|(mut course, titles)| {
        for (unit, title) in course.units.iter_mut().zip(titles) {
            unit.title = title;
        }
        let turn = wide::turn(&course);
        let answer = wide::exam_answer(&course);
        (Just(course), turn, answer)
    })
}

/// All that an explanation may be true of.
struct Facts<'a> {
    world: World<'a>,
    turn: &'a Turn,
    plan: &'a Plan,
    decision: &'a Decision,
    /// The exam system's words on the questions of the focus at the desired tier.
    words: Vec<Option<Word>>,
    unavailable: bool,
}

impl<'a> Facts<'a> {
    fn new(
        course: &'a CourseSpec,
        turn: &'a Turn,
        plan: &'a Plan,
        decision: &'a Decision,
        answer: &wide::ExamAnswer,
    ) -> Self {
        let world = World {
            course,
            snapshot: &turn.snapshot,
            now: turn.now,
        };
        let words: Vec<_> = answer
            .words
            .iter()
            .map(|(id, status)| (id.clone(), (status.state, status.locked_until)))
            .collect();
        let exam = ExamAnswer {
            retrieved: &answer.retrieved,
            words: &words,
            unavailable: answer.unavailable,
        };
        let policy = &decision.policy;
        let questions: BTreeSet<_> = world
            .revisit_queue()
            .into_iter()
            .chain(answer.retrieved.clone())
            .filter(|id| world.question_is_for(id, &policy.focus_unit_id, policy.desired_exam_tier))
            .collect();
        Self {
            world,
            turn,
            plan,
            decision,
            words: questions.iter().map(|id| exam.word(id)).collect(),
            unavailable: answer.unavailable,
        }
    }

    fn focus(&self) -> &str {
        &self.decision.policy.focus_unit_id
    }

    /// Questions in this state; `None` for those that the exam system did not speak of.
    fn questions(&self, state: Option<QuestionState>) -> usize {
        let in_state = |word: &&Option<Word>| word.map(|(state, _)| state) == state;
        self.words.iter().filter(in_state).count()
    }

    /// This turn's own confidence in a unit.
    fn own(&self, unit: &str) -> f64 {
        let confidences = self.turn.mapped_units.iter();
        confidences
            .filter(|m| m.unit_id == unit)
            // What is no finite number counts as 0.
            .map(|m| {
                if m.confidence.is_finite() {
                    m.confidence.clamp(0.0, 1.0)
                } else {
                    0.0
                }
            })
            .fold(f64::NEG_INFINITY, f64::max)
    }

    fn check_drills(&self, unit: &str, have: u32, needed: u32) {
        assert_eq!(unit, self.focus());
        assert_eq!(have, self.world.progress(unit).streak_correct);
        assert_eq!(needed, self.world.course.rules.ready_streak);
    }

    fn check_stuck(&self, facts: &StuckFacts, stuck: bool) {
        let progress = self.world.progress(self.focus());
        assert_eq!(facts.unit_id, self.focus());
        assert_eq!(
            (
                facts.drills.attempts,
                facts.drills.streak_correct,
                facts.drills.streak_wrong
            ),
            (
                progress.attempts,
                progress.streak_correct,
                progress.streak_wrong
            )
        );
        assert_eq!(facts.rule, self.world.course.rules.stuck_rule);
        assert_eq!(facts.needed, self.world.course.rules.stuck_attempts);
        assert_eq!(self.world.is_stuck(self.focus()), stuck);
    }

    fn check_questions(&self, unit: &str, tier: Tier, count: usize, state: Option<QuestionState>) {
        assert_eq!(unit, self.focus());
        assert_eq!(tier, self.world.tier(unit).next());
        assert!(count > 0);
        assert_eq!(count, self.questions(state));
        assert!(self.plan.exam_ready && !self.unavailable);
    }

    /// Whether the reason is true.
    fn check(&self, reason: &Reason) {
        let world = &self.world;
        let policy = &self.decision.policy;
        let entry = &world.course.entry_unit;
        let target = &policy.primary_target_unit_id;
        let event = self.turn.event.as_ref();
        match reason {
            Reason::NoEvidenceNeeded => {}
            Reason::UnitToPractise { unit_id } => {
                assert_eq!(unit_id, self.focus());
                assert_ne!(unit_id, entry);
                assert!(!self.plan.clamped);
            }
            Reason::Stuck(facts) => self.check_stuck(facts, true),
            Reason::NotStuck(facts) => self.check_stuck(facts, false),
            Reason::Ready {
                unit_id,
                have,
                needed,
            } => {
                self.check_drills(unit_id, *have, *needed);
                assert!(have >= needed);
                assert!(world.missing(unit_id).is_empty());
            }
            Reason::QuestionsOpen {
                unit_id,
                tier,
                count,
            } => {
                let open = self.questions(Some(QuestionState::Available));
                let most = world.course.rules.max_exam_candidates;
                assert_eq!(*count, open.min(most));
                self.check_questions(unit_id, *tier, open, Some(QuestionState::Available));
            }
            Reason::AskedFor { event: kind } => assert_eq!(Some(*kind), event.map(|e| e.kind)),
            Reason::MessageNotPlaced => {
                assert_eq!(world.focus(), *entry);
                assert!(event.is_none() && !self.turn.target_locked);
            }
            Reason::EntryUnit { unit_id } => {
                assert_eq!(unit_id, entry);
                assert_eq!(unit_id, self.focus());
            }
            Reason::BlockedBy {
                unit_id,
                target_unit_id,
            } => {
                assert_eq!(Some(unit_id), self.plan.prereq_blocking_unit_id.as_ref());
                assert_eq!(target_unit_id, target);
                assert!(!world.is_met(unit_id));
            }
            Reason::FocusBlockedBy {
                unit_id,
                missing_unit_ids,
            } => {
                assert_eq!(unit_id, self.focus());
                assert!(!missing_unit_ids.is_empty());
                assert_eq!(*missing_unit_ids, world.missing(unit_id));
            }
            Reason::StreakShort {
                unit_id,
                have,
                needed,
            } => {
                self.check_drills(unit_id, *have, *needed);
                assert!(have < needed);
                assert_ne!(unit_id, entry);
            }
            Reason::NoQuestionAtTier { unit_id, tier } => {
                assert_eq!(unit_id, self.focus());
                assert_eq!(*tier, world.tier(unit_id).next());
                assert!(self.words.is_empty() && self.plan.exam_ready);
            }
            Reason::ExamSystemUnavailable => assert!(self.unavailable && self.plan.exam_ready),
            Reason::QuestionsLocked {
                unit_id,
                tier,
                count,
                until,
            } => {
                self.check_questions(unit_id, *tier, *count, Some(QuestionState::Locked));
                let ends = self.words.iter().filter_map(|word| word.as_ref()?.1);
                assert_eq!(*until, ends.min());
            }
            Reason::QuestionsPassed {
                unit_id,
                tier,
                count,
            } => self.check_questions(unit_id, *tier, *count, Some(QuestionState::Passed)),
            Reason::QuestionsUnknown {
                unit_id,
                tier,
                count,
            } => self.check_questions(unit_id, *tier, *count, None),
            Reason::NarrowedByEvent {
                event: kind,
                action,
            } => {
                assert_eq!(Some(*kind), event.map(|e| e.kind));
                assert_eq!(policy.allowed_actions, [*action]);
                let asked = match kind {
                    EventKind::RequestDrill => Some(Action::DrillCard),
                    EventKind::RequestExam => Some(Action::ExamBlock),
                    EventKind::StuckHint => Some(Action::SocraticQuestion),
                    // From a gold unit, and along the way, one goes on with another.
                    EventKind::DrillContinue | EventKind::ExamContinue => {
                        let goes_on = world.tier(self.focus()) == Tier::Gold
                            || self.plan.next_leads_to_target;
                        goes_on.then_some(Action::SocraticQuestion)
                    }
                    EventKind::ChooseUnit => None,
                };
                assert_eq!(Some(*action), asked);
            }
            Reason::TargetOfEvent { event: kind } => {
                let event = event.unwrap();
                assert_eq!((&event.unit_id, event.kind), (target, *kind));
            }
            Reason::TargetMapped { confidence, needed } => {
                assert!(event.is_none());
                assert_eq!(*needed, world.course.rules.target_confidence);
                assert_eq!(*confidence, self.own(target));
                assert!(confidence >= needed);
            }
            Reason::TargetKept { best, needed } => {
                assert!(event.is_none());
                assert_eq!(*needed, world.course.rules.target_confidence);
                assert_eq!(*target, world.focus());
                assert!(self.turn.mapped_units.iter().all(|m| {
                    !world.is_known(&m.unit_id) || self.own(&m.unit_id).max(0.0) < *needed
                }));
                if let Some((unit, confidence)) = best {
                    assert!(world.is_known(unit));
                    assert!(confidence < needed);
                    assert!(*confidence >= self.own(unit));
                }
            }
            Reason::FocusIsTarget => {
                assert_eq!(self.focus(), target);
                assert_eq!(self.plan.prereq_blocking_unit_id, None);
            }
            Reason::FocusIsPrerequisite { target_unit_id } => {
                assert_eq!(target_unit_id, target);
                assert_ne!(self.focus(), target);
                assert!(!world.is_met(self.focus()));
            }
            Reason::LeadsToTarget { target_unit_id } => {
                assert_eq!(*target_unit_id, self.plan.target_unit_id);
                assert_ne!(target_unit_id, self.focus());
                let standing = self.plan.standing.target.as_ref().unwrap();
                assert_eq!(*target_unit_id, standing.unit.unit_id);
            }
            Reason::NoBadgeToEarn { unit_id } => {
                assert_eq!(unit_id, self.focus());
                assert!(!world.has_badges(unit_id));
            }
            Reason::LastBadgeEarned { unit_id } => {
                assert_eq!(unit_id, self.focus());
                assert_eq!(world.tier(unit_id), Tier::Gold);
            }
            Reason::NextBadgeClosed { unit_id, tier } => {
                assert_eq!(unit_id, self.focus());
                let locked = policy.exam_availability == Availability::Locked;
                assert!(locked || world.tier(unit_id) != Tier::None);
                assert_eq!(*tier, world.tier(unit_id).next());
                assert!(policy.exam_ready && policy.exam_availability != Availability::Available);
            }
            Reason::NoBadgeYet { unit_id } => {
                assert_eq!(unit_id, self.focus());
                assert!(world.has_badges(unit_id));
                assert_eq!(world.tier(unit_id), Tier::None);
            }
            Reason::NextBadgeAhead { unit_id, tier } => {
                assert_eq!(unit_id, self.focus());
                assert!(world.has_badges(unit_id) && !policy.exam_ready);
                assert!(world.tier(unit_id) < *tier);
                assert_eq!(*tier, world.tier(unit_id).next());
            }
            Reason::NoUnitLeft => assert_eq!(self.plan.next_unit_id, None),
            Reason::CheckOpen {
                unit_id,
                have,
                needed,
            } => {
                self.check_drills(unit_id, *have, *needed);
                assert!(have >= needed);
                assert!(world.missing(unit_id).is_empty());
            }
            Reason::NoneMissing { target_unit_id } => {
                assert_eq!(target_unit_id, target);
                assert!(world.missing(target).iter().all(|unit| unit == target));
            }
        }
    }
}

/// A text is one bounded paragraph, made of its reasons alone.
fn check_text(course: &Course, subject: Subject<'_>, reasons: &[Reason], text: &str) {
    assert!(!reasons.is_empty(), "{text}");
    assert_eq!(text, paragraph(course, subject, reasons));
    assert!(!text.chars().any(char::is_control), "{text:?}");
    assert!(
        !text.contains(['?', '？', '\u{2028}', '\u{2029}']),
        "{text:?}"
    );
    assert_eq!(text.trim(), text);
    assert!(text.ends_with(['.', '…']));
    assert!(text.chars().count() < 3000);
}

fn check_unit(course: &Course, subject: Subject<'_>, said: &UnitExplanation) {
    check_text(course, subject, &said.reasons, &said.text);
}

fn check_explanation(course: &Course, facts: &Facts<'_>, said: &Explanation) {
    let policy = &facts.decision.policy;
    let actions: Vec<_> = said.actions.iter().map(|a| a.action).collect();
    assert_eq!(actions, Action::ALL);
    for action in &said.actions {
        assert_eq!(action.allowed, policy.allows(action.action));
        let subject = Subject::Action(action.action, action.allowed);
        check_text(course, subject, &action.reasons, &action.text);
    }
    let unit = |id: &'static str, said: &UnitExplanation| {
        assert!(said.unit_id.is_some(), "{id}");
        said.unit_id.clone().unwrap_or_default()
    };
    assert_eq!(unit("target", &said.target), policy.primary_target_unit_id);
    assert_eq!(unit("focus", &said.focus), policy.focus_unit_id);
    let nudge = facts.decision.standing.prereq_nudge.as_ref();
    let nudge = nudge.map(|unit| unit.unit_id.clone());
    assert_eq!(said.prereq_nudge.unit_id, nudge);
    if policy.prereq_blocking_unit_id.is_some() {
        assert_eq!(nudge, policy.prereq_blocking_unit_id);
    }
    let next = |label| {
        let mut buttons = facts.decision.buttons.iter();
        buttons.find(|button| button.label == label)
    };
    assert_eq!(
        said.next_unit.unit_id,
        next(turnwise_decisions::Label::NextUnit).map(|button| button
            .event()
            .unwrap()
            .unit_id
            .clone())
    );
    let target = Subject::Target(&policy.primary_target_unit_id);
    let focus = Subject::Focus(&policy.focus_unit_id);
    let next_unit = Subject::NextUnit(said.next_unit.unit_id.as_deref());
    let nudge = Subject::PrereqNudge(said.prereq_nudge.unit_id.as_deref());
    check_unit(course, target, &said.target);
    check_unit(course, focus, &said.focus);
    check_unit(course, next_unit, &said.next_unit);
    check_unit(course, nudge, &said.prereq_nudge);
}

fn reasons(said: &Explanation) -> impl Iterator<Item = &Reason> {
    let frame = [
        &said.target,
        &said.focus,
        &said.next_unit,
        &said.prereq_nudge,
    ];
    let of_frame = frame.into_iter().flat_map(|unit| &unit.reasons);
    said.actions.iter().flat_map(|a| &a.reasons).chain(of_frame)
}

proptest! {
    #![proptest_config(turnwise_testing::properties::pure())]

    #[test]
    fn an_explanation_says_what_the_decision_says_and_every_reason_is_true(
        (spec, turn, answer) in turns()
    ) {
        let course = Course::new(spec.clone()).unwrap();
        // An event that names no unit of the course has no plan.
        let Ok(plan) = fixtures::plan(&course, &turn) else {
            return Ok(());
        };
        let input = DecideInput {
            plan,
            turn_id: "t".to_owned(),
            candidate_question_ids: answer.retrieved.clone(),
            statuses: answer.words.iter().cloned().collect(),
            exam_system_unavailable: answer.unavailable,
            open_drill_unit_id: String::new(),
            matched_unit_id: String::new(),
        };
        let decision = decide(&course, &input).unwrap();
        let said = explain(&course, &input).unwrap();
        let facts = Facts::new(&spec, &turn, &input.plan, &decision, &answer);
        check_explanation(&course, &facts, &said);
        for reason in reasons(&said) {
            facts.check(reason);
        }

        // The order in which the exam system speaks says nothing.
        let mut again = input.clone();
        again.statuses = answer.words.iter().rev().cloned().collect();
        prop_assert_eq!(explain(&course, &again).unwrap(), said);
    }
}
