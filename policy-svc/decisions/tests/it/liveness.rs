//! No student is stuck for ever: whoever answers right from now on gets a badge on every unit, by the buttons alone, and
//! whoever asked for a unit is led to it.
//!
//! | module | is about |
//! | --- | --- |
//! | [`placed`] | the same for whoever was placed, rightly or not |
//! | [`repeats`] | the same where drills are the course's own, and each exercise counts once |

mod placed;
mod repeats;

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use proptest::{collection::vec, prelude::*, sample::Index};
use turnwise_decisions::{
    Action, Button, Course, DrillTerms, Event, EventKind, FallbackReason, MappedUnit, Outcome,
    PrereqWalk, Progress, QuestionState, QuestionStatus, Record, Resolution, Rules, Situation,
    Snapshot, Tier,
    buttons::after,
    decide,
    evidence::{Evidence, EvidenceEvent, QuestionRef, apply},
    exercise, graph,
    resolve::Card,
    resolve_in, with_drill_on_terms,
};

use crate::{
    fixtures::{Turn, now, plan},
    strategies,
};

/// The most turns from one unit's first drill to the next one's, for a student who presses the primary button and answers
/// right: three drills, as the button below the second one was made before it was graded; a question for each of three
/// tiers; and one turn that finds no question left and offers the next unit.
const TURNS_PER_UNIT: usize = 7;

/// The turns that come before the first unit: from the entry unit to it.
const FIRST_TURNS: usize = 2;

/// How long a failed question stays locked.
const LOCK: SignedDuration = SignedDuration::from_hours(24);

/// A student with a record, an exam system that knows what was passed and failed, and a clock.
#[derive(Debug, Clone)]
struct Student<'a> {
    course: &'a Course,
    evidence: Evidence,
    focus: String,
    /// What was asked for.
    target: String,
    target_locked: bool,
    passed: BTreeMap<String, ()>,
    locked: BTreeMap<String, Timestamp>,
    /// By unit, whether the student knows the next drills, the last one first. All others are known.
    knows: BTreeMap<String, Vec<bool>>,
    /// Whether drills are the course's own, so that exercises are known and may repeat.
    own_drills: bool,
    now: Timestamp,
    /// The buttons with the result of the latest turn's card; none without a card to answer.
    with_result: Vec<Button>,
}

impl<'a> Student<'a> {
    fn new(course: &'a Course) -> Self {
        Self {
            course,
            evidence: Evidence::default(),
            focus: String::new(),
            target: String::new(),
            target_locked: false,
            passed: BTreeMap::new(),
            locked: BTreeMap::new(),
            knows: BTreeMap::new(),
            own_drills: false,
            now: now(),
            with_result: Vec::new(),
        }
    }

    /// The record as plans see it.
    fn snapshot(&self) -> Snapshot {
        let placed = |undone: bool| -> BTreeSet<String> {
            let units = self.evidence.placed.iter();
            let units = units.filter(|(_, placed)| placed.undone == undone);
            units.map(|(id, _)| id.clone()).collect()
        };
        Snapshot {
            focus_unit_id: self.focus.clone(),
            target_unit_id: self.target.clone(),
            progress: self
                .evidence
                .progress
                .iter()
                .map(|(id, p)| {
                    let progress = Progress {
                        tier: p.tier,
                        last_touched_at: p.last_touched_at,
                        attempts: p.attempts,
                        streak_correct: p.streak_correct,
                        streak_wrong: p.streak_wrong,
                    };
                    (id.clone(), progress)
                })
                .collect(),
            units_in_progress: self.evidence.units_in_progress.clone(),
            revisit_question_ids: self
                .evidence
                .revisit_queue
                .iter()
                .map(|waiting| waiting.question_id.clone())
                .collect(),
            prerequisite_overrides: self.evidence.prerequisite_overrides.clone(),
            placed: placed(false),
            unplaced: placed(true),
            ..Snapshot::default()
        }
    }

    /// The drills that may be set: none that counted, where another is at hand.
    fn terms(&self) -> DrillTerms {
        let units = self.evidence.progress.iter();
        let counted = units.map(|(id, p)| (id.clone(), p.counted_exercises.clone()));
        DrillTerms {
            counted: counted.collect(),
            ..DrillTerms::default()
        }
    }

    /// One turn without a model, about these units or this button. Gives the buttons below the reply.
    fn turn(&mut self, mapped: &[MappedUnit], event: Option<Event>, right: bool) -> Vec<Button> {
        let turn = Turn {
            snapshot: self.snapshot(),
            mapped_units: mapped.to_vec(),
            event,
            target_locked: self.target_locked,
            now: self.now,
        };
        let plan = plan(self.course, &turn).unwrap();
        self.target_locked = plan.target_locked;
        self.focus.clone_from(&plan.focus_unit_id);
        self.target.clone_from(&plan.target_unit_id);
        let candidates: Vec<_> = ["bronze-1", "bronze-2", "silver-1", "gold-1"]
            .iter()
            .map(|rest| format!("{}-{rest}", self.focus))
            .collect();
        let statuses = candidates
            .iter()
            .map(|id| (id.clone(), self.status(id)))
            .collect();
        let input = strategies::decide_input(plan, (candidates, statuses, false));
        let decision = decide(self.course, &input).unwrap();
        let outcome = Outcome::Failure(FallbackReason::LlmTimeout);
        let (policy, terms) = (&decision.policy, self.terms());
        let situation = Situation {
            terms: Some(&terms),
            ..Situation::default()
        };
        let reply = resolve_in(self.course, policy, || situation, outcome).unwrap();
        let reply = with_drill_on_terms(self.course, policy, &terms, &situation, reply);
        self.answer(&reply, right);
        self.now += SignedDuration::from_mins(1);
        decision.buttons
    }

    fn status(&self, id: &str) -> QuestionStatus {
        let locked_until = self.locked.get(id).copied().filter(|end| *end > self.now);
        let state = if self.passed.contains_key(id) {
            QuestionState::Passed
        } else if locked_until.is_some() {
            QuestionState::Locked
        } else {
            QuestionState::Available
        };
        QuestionStatus {
            state,
            locked_until,
        }
    }

    /// Does what the reply asks for, and records what comes of it.
    fn answer(&mut self, reply: &Resolution, right: bool) {
        self.with_result.clear();
        let event = match (&reply.card, reply.action) {
            (card, Action::DrillCard) => EvidenceEvent::DrillGraded {
                unit_id: reply.target_unit_id.clone(),
                correct: self.knows(&reply.target_unit_id) && right,
                mistake_tag: None,
                // A model, or a course with drills enough, sets another exercise each time.
                exercise: match card {
                    Some(Card::Drill(drill)) if self.own_drills => {
                        Some(exercise(&drill.prompt, &drill.question_latex))
                    }
                    _ => None,
                },
            },
            (Some(Card::Exam(question)), Action::ExamBlock) => {
                if right {
                    self.passed.insert(question.id.clone(), ());
                } else {
                    self.locked.insert(question.id.clone(), self.now + LOCK);
                }
                EvidenceEvent::ExamResult {
                    question: QuestionRef {
                        question_id: question.id.clone(),
                        unit_id: reply.target_unit_id.clone(),
                        tier: question.tier,
                    },
                    passed: right,
                }
            }
            _ => return,
        };
        // Nothing but a placement can be undone.
        let begun = (!self.evidence.placed.is_empty()).then(|| self.begun());
        let applied = apply(self.course, &self.evidence, &event, self.now).unwrap();
        self.evidence = applied.evidence;
        if let Some(begun) = begun {
            let open = self.begun();
            assert!(begun.is_subset(&open), "{event:?} locks out of {begun:?}");
        }
        self.with_result = after(&event);
    }

    /// Whether the next drill of a unit is one that the student knows.
    fn knows(&mut self, unit_id: &str) -> bool {
        let next = self.knows.get_mut(unit_id);
        next.and_then(Vec::pop).unwrap_or(true)
    }

    /// The units that have evidence and are open.
    fn begun(&self) -> BTreeSet<&'a str> {
        let record = Record::new(self.course, &self.snapshot(), self.now);
        let is_begun = |at| record.progress(at) != Progress::default();
        let units = self.course.path().iter().copied();
        units
            .filter(|&at| is_begun(at) && !graph::is_blocked(&record, at))
            .map(|at| self.course.id(at))
            .collect()
    }

    /// The units in which a badge can be earned and none is.
    fn without_badge(&self) -> Vec<&'a str> {
        let has_badge = |id: &&str| {
            let progress = self.evidence.progress.get(*id);
            progress.is_none_or(|p| p.tier == Tier::None)
        };
        self.course
            .path()
            .iter()
            .map(|at| self.course.id(*at))
            .filter(has_badge)
            .collect()
    }

    /// The units that the student is still led to: without a badge, and not placed.
    fn left(&self) -> Vec<&'a str> {
        let placed = &self.evidence.placed;
        let mut units = self.without_badge();
        units.retain(|id| placed.get(*id).is_none_or(|placed| placed.undone));
        units
    }

    /// Presses the primary button and answers right until there is nothing left that the student is led to, or `most` turns
    /// have passed. Gives the number of turns.
    fn press_on(&mut self, most: usize) -> usize {
        self.press_until(None, most, |student| student.left().is_empty())
    }

    /// Sends an event, presses the primary button from then on and answers right until it `is_done`, or `most` turns have
    /// passed. Gives the number of turns. Where everything is locked, a day passes.
    fn press_until(
        &mut self,
        mut event: Option<Event>,
        most: usize,
        is_done: impl Fn(&Self) -> bool,
    ) -> usize {
        for turns in 0..most {
            if is_done(self) {
                return turns;
            }
            let buttons = self.turn(&[], event.take(), true);
            let primary = buttons.into_iter().find(|button| button.primary);
            event = primary.expect("a primary button").event().cloned();
            let focus = self.evidence.progress.get(&self.focus);
            let waits = focus.is_some_and(|p| p.tier == Tier::None && p.streak_correct > 2);
            if waits {
                self.now += LOCK;
            }
        }
        most
    }
}

/// What a student may do before pulling themselves together.
#[derive(Debug, Clone)]
enum Step {
    Message(Index, f64, bool),
    Press(Index, bool),
    Forged(Index, Index, bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let right = || prop::bool::weighted(0.4);
    let step = prop_oneof![
        1 => (any::<Index>(), 0.0..=1.0_f64, right()).prop_map(|(at, c, r)| Step::Message(at, c, r)),
        4 => (any::<Index>(), right()).prop_map(|(at, r)| Step::Press(at, r)),
        1 => (any::<Index>(), any::<Index>(), right()).prop_map(|(k, at, r)| Step::Forged(k, at, r)),
    ];
    vec(step, 0..40)
}

fn walk(student: &mut Student<'_>, steps: &[Step]) {
    let units: Vec<_> = (0..student.course.unit_count())
        .map(strategies::id)
        .collect();
    let mut buttons: Vec<Button> = Vec::new();
    for step in steps {
        buttons = match step {
            Step::Message(at, confidence, right) => {
                let unit = MappedUnit {
                    unit_id: at.get(&units).clone(),
                    confidence: *confidence,
                };
                student.turn(&[unit], None, *right)
            }
            Step::Press(at, right) if !buttons.is_empty() => {
                let event = at.get(&buttons).event().cloned();
                student.turn(&[], event, *right)
            }
            Step::Press(_, right) => student.turn(&[], None, *right),
            Step::Forged(kind, at, right) => {
                let kinds = [
                    EventKind::RequestDrill,
                    EventKind::RequestExam,
                    EventKind::DrillContinue,
                    EventKind::ExamContinue,
                    EventKind::StuckHint,
                    EventKind::ChooseUnit,
                ];
                let event = Event {
                    kind: *kind.get(&kinds),
                    unit_id: at.get(&units).clone(),
                    question_id: String::new(),
                };
                student.turn(&[], Some(event), *right)
            }
        };
    }
}

/// Courses without cycles, of up to 30 units. One that looks one prerequisite far only promises nothing.
fn courses() -> impl Strategy<Value = Course> {
    strategies::course(30, true).prop_map(|course| {
        let rules = Rules {
            prereq_walk: PrereqWalk::Transitive,
            ..course.rules().clone()
        };
        course.with_rules(rules)
    })
}

proptest! {
    #![proptest_config(turnwise_testing::properties::pure())]

    /// From nothing: at most FIRST_TURNS + TURNS_PER_UNIT turns for each unit.
    #[test]
    fn the_primary_button_leads_to_bronze_everywhere(course in courses()) {
        let mut student = Student::new(&course);
        let most = FIRST_TURNS + TURNS_PER_UNIT * course.assessable_count();
        student.press_on(most);
        prop_assert_eq!(student.without_badge(), Vec::<&str>::new());
    }

    /// The same for a student who answers every card and goes on from its result, and presses the button below the reply
    /// only where there is no card: each step takes a turn more, with a question in it.
    #[test]
    fn going_on_from_every_result_leads_there_too(course in courses()) {
        let mut student = Student::new(&course);
        let most = 2 * (FIRST_TURNS + TURNS_PER_UNIT * course.assessable_count());
        let mut event = None;
        for _ in 0..most {
            if student.without_badge().is_empty() {
                return Ok(());
            }
            let below = student.turn(&[], event.take(), true);
            let shown = if student.with_result.is_empty() { &below } else { &student.with_result };
            let primary = shown.iter().find(|button| button.primary).expect("a primary button");
            event = primary.event().cloned();
        }
        prop_assert_eq!(student.without_badge(), Vec::<&str>::new());
    }

    /// From whatever a student did before, wrong answers, locks, other units and forged buttons among it: as many turns
    /// again, and one more for each question that is locked.
    #[test]
    fn no_past_keeps_a_student_from_bronze(
        course in courses(),
        steps in steps(),
    ) {
        let mut student = Student::new(&course);
        walk(&mut student, &steps);
        let most = FIRST_TURNS
            + TURNS_PER_UNIT * course.assessable_count()
            + student.locked.len()
            + 2 * student.evidence.progress.len();
        student.press_on(most);
        prop_assert_eq!(student.without_badge(), Vec::<&str>::new());
    }

    /// A student who asks for a unit once, and then presses the primary button alone, is led to it: as many turns as for
    /// the units before it and for what was done before, and one for each question that is locked.
    #[test]
    fn the_primary_button_leads_to_what_was_asked_for(
        course in courses(),
        steps in steps(),
        target in any::<Index>(),
    ) {
        let target = strategies::id(target.index(course.unit_count()));
        let message = [MappedUnit { unit_id: target.clone(), confidence: 1.0 }];
        let mut student = Student::new(&course);
        walk(&mut student, &steps);
        student.target.clear();
        let mut buttons = student.turn(&message, None, true);
        let most = FIRST_TURNS
            + TURNS_PER_UNIT * course.assessable_count()
            + student.locked.len()
            + 2 * student.evidence.progress.len();
        for _ in 0..most {
            if student.focus == target {
                return Ok(());
            }
            prop_assert_eq!(&student.target, &target);
            let primary = buttons.iter().find(|button| button.primary).expect("a primary button");
            let event = primary.event().cloned();
            buttons = student.turn(&[], event, true);
            let focus = student.evidence.progress.get(&student.focus);
            if focus.is_some_and(|p| p.tier == Tier::None && p.streak_correct > 2) {
                student.now += LOCK;
            }
        }
        prop_assert!(false, "still at {} and not at {target}", student.focus);
    }

    /// A student who names one unit in every message, and presses the check whenever it is offered, gets there: at most
    /// four turns for each unit before it.
    #[test]
    fn naming_the_target_again_and_again_is_no_deadlock(
        course in courses(),
        target in any::<Index>(),
    ) {
        let target = strategies::id(target.index(course.unit_count()));
        let message = [MappedUnit { unit_id: target.clone(), confidence: 1.0 }];
        let mut student = Student::new(&course);
        let mut buttons: Vec<Button> = Vec::new();
        for _ in 0..=4 * course.unit_count() {
            if student.focus == target {
                return Ok(());
            }
            let offered = buttons.iter().find(|b| {
                let kind = b.event().map(|event| event.kind);
                matches!(kind, Some(EventKind::RequestExam | EventKind::RequestDrill))
            });
            match offered.and_then(|button| button.event().cloned()) {
                Some(event) => {
                    student.turn(&[], Some(event), true);
                    buttons = student.turn(&message, None, true);
                }
                None => buttons = student.turn(&message, None, true),
            }
        }
        prop_assert!(false, "still at {} and not at {target}", student.focus);
    }
}
