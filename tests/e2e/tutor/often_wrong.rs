//! A student who errs often: helped when stuck, locked out of a question for a while, never without a badge that was earned.

use std::time::Duration;

use turnwise_proto::tutor::v1::{
    DrillCard, DrillResult, ExamCard, ExamResult, GradedBy, MasteryTier, SnapshotLite,
    StudentInput, TutorAction, submit_exam_answer_request::Answer, tutor_card::Content,
};
use turnwise_tests::{
    answer::{shown_action, tutor},
    deployment::Deployment,
    options::{Kind, Options},
    seed::{Choices, seed_of},
    staff::Staff,
};

use super::{
    answers::Answers,
    expected_evidence::Ledger,
    locks::check_lock,
    simulated_student::{Answering, Came, SimulatedStudent},
};

/// The setting that repeats a run.
const SEED: &str = "TUTOR_SEED";
/// Presses of a run.
const PRESSES: usize = 160;

in_both_deployments!(
    evidence_is_what_the_rules_make_of_it,
    who_is_stuck_gets_an_explanation_and_nobody_else,
);

/// Knows, and errs so often.
struct Errs<'a> {
    answers: &'a Answers,
    choices: Choices,
    share: f64,
    was_right: bool,
}

impl Errs<'_> {
    fn is_right(&mut self) -> bool {
        self.was_right = self.choices.share() >= self.share;
        self.was_right
    }
}

impl Answering for Errs<'_> {
    fn drill(&mut self, card: &DrillCard) -> StudentInput {
        if self.is_right() {
            self.answers.drill(card)
        } else {
            Answers::wrong_drill()
        }
    }

    fn exam(&mut self, card: &ExamCard) -> Answer {
        if self.is_right() {
            self.answers.exam(card)
        } else {
            self.answers.wrong_exam(card)
        }
    }
}

async fn evidence_is_what_the_rules_make_of_it(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let answers = Answers::of_demo_course();
    let staff = Staff::of(&suite);
    let mut errs = Errs {
        answers: &answers,
        choices: Choices::new(seed_of(SEED)),
        share: 0.35,
        was_right: false,
    };
    let mut proxies = errs.choices.clone();
    let mut ledger = Ledger::default();
    let mut simulated = SimulatedStudent::start(&suite, "errs").await;
    let (mut locked, mut passed, mut wrong) = (0, 0, 0);
    for _ in 0..PRESSES {
        let buttons = simulated.buttons();
        let primary = simulated.primary().filter(|_| proxies.share() < 0.8);
        let button = primary.unwrap_or_else(|| buttons[proxies.below(buttons.len())].clone());
        match simulated.press(&button, &mut errs).await {
            Came::Message(answer) => {
                check_message(&simulated, &ledger, shown_action(tutor(&answer)));
                check_review(&ledger, answer.snapshot_lite.as_ref());
            }
            Came::Grade(grade) => {
                let unit_id = simulated.unit_id().to_owned();
                let right = errs.was_right;
                let told = if right {
                    DrillResult::Correct
                } else {
                    DrillResult::Incorrect
                };
                assert_eq!(grade.result(), told);
                assert!(grade.evidence_recorded, "another drill each time");
                // The mock names the first mistake of the list with whatever is wrong.
                let tag = if right {
                    ""
                } else {
                    answers.mistakes(&unit_id)[0]
                };
                assert_eq!(grade.common_mistake_tag, tag);
                assert!(!grade.feedback_text.trim().is_empty());
                assert_ne!(grade.graded_by(), GradedBy::Unspecified);
                ledger.drill(&unit_id, right, tag);
                assert_eq!(grade.mastery_tier(), ledger.tier(&unit_id));
                let review = ledger.tier(&unit_id) as i32 > 1 && !ledger.is_drilled(&unit_id);
                assert_eq!(grade.needs_review, review);
                check_review(&ledger, grade.snapshot_lite.as_ref());
                wrong += usize::from(!right);
            }
            Came::Result(result) => {
                let (unit_id, exam) = (simulated.unit_id().to_owned(), simulated.exam().clone());
                assert_eq!(result.mastery_tier_before(), ledger.tier(&unit_id));
                assert!(result.recorded, "only an open question is offered");
                let right = errs.was_right;
                ledger.exam(&unit_id, &exam.question_id, exam.tier(), right);
                assert_eq!(result.mastery_tier(), ledger.tier(&unit_id));
                if right {
                    assert_eq!(result.result(), ExamResult::Passed);
                    passed += 1;
                } else {
                    assert_eq!(result.result(), ExamResult::Locked);
                    check_lock(result.locked_until, Duration::from_secs(24 * 3600));
                    let revisit = simulated.standing.revisit.as_ref().unwrap();
                    let mut entries = revisit.entries.iter();
                    let is_there = entries.any(|entry| entry.question_id == exam.question_id);
                    // A card that was offered before the badge was won leaves nothing to come back to.
                    let is_above = exam.tier() as i32 > result.mastery_tier() as i32;
                    assert_eq!(is_there, is_above, "{exam:?} {revisit:?}");
                    if is_above {
                        assert!(revisit.locked_count >= 1);
                        assert!(revisit.next_eligible_at.is_some());
                    }
                    locked += 1;
                }
            }
            Came::Help(help) => {
                assert!(help.locked, "it was not passed yet");
                check_lock(help.locked_until, Duration::from_secs(24 * 3600));
                let (unit_id, exam) = (simulated.unit_id().to_owned(), simulated.exam().clone());
                ledger.help(&unit_id, &exam.question_id, true);
            }
            Came::Typing => {}
        }
    }
    ledger.check(&staff.recorded(&simulated.student).await);
    println!("{wrong} wrong drills, {passed} passed and {locked} locked questions");
    assert!(wrong > 0 && passed + locked > 0);
    suite.stop();
}

/// The standing says of its focus whether the latest drills would no longer earn its badge.
fn check_review(ledger: &Ledger, standing: Option<&SnapshotLite>) {
    let focus = standing.and_then(|standing| standing.focus.as_ref());
    let focus = focus.expect("a focus");
    let unit_id = &focus.unit_id;
    let review = ledger.tier(unit_id) as i32 > 1 && !ledger.is_drilled(unit_id);
    assert_eq!(focus.needs_review, review, "{focus:?}");
}

/// What a message shows must be open to who stands there.
fn check_message(simulated: &SimulatedStudent, ledger: &Ledger, shown: TutorAction) {
    match shown {
        TutorAction::ExamBlock => {
            assert!(
                ledger.is_drilled(simulated.unit_id()),
                "not ready for an exam"
            );
            let exam = simulated.exam();
            let next = ledger.tier(simulated.unit_id()) as i32 + 1;
            assert_eq!(exam.tier, next.min(MasteryTier::Gold.into()));
            assert_eq!(exam.locked_until, None);
        }
        TutorAction::ConceptCard => assert!(ledger.is_stuck(simulated.unit_id())),
        _ => {}
    }
}

async fn who_is_stuck_gets_an_explanation_and_nobody_else(kind: Kind) {
    // It explains wherever it may, and where it may not its reply is refused.
    let options = Options::new().model("mock:break:concept_not_stuck");
    let mut suite = Deployment::start(kind, options).await;
    let answers = Answers::of_demo_course();
    let staff = Staff::of(&suite);
    let mut errs = Errs {
        answers: &answers,
        choices: Choices::new(1),
        share: 1.0,
        was_right: false,
    };
    let mut simulated = SimulatedStudent::start(&suite, "stuck").await;
    let mut ledger = Ledger::default();
    for drills in 1..=2 {
        let label = if drills == 1 {
            "next_unit"
        } else {
            "try_another"
        };
        let Came::Message(_) = simulated.press_labelled(label, &mut errs).await else {
            panic!("a button that asks for a drill takes a turn");
        };
        let Came::Grade(grade) = simulated.press_labelled("check_answer", &mut errs).await else {
            panic!("no grade");
        };
        ledger.drill(simulated.unit_id(), false, &grade.common_mistake_tag);
        assert_eq!(ledger.is_stuck(simulated.unit_id()), drills == 2);
    }
    let unit_id = simulated.unit_id().to_owned();
    let Came::Message(answer) = simulated.press_labelled("continue", &mut errs).await else {
        panic!("no message");
    };
    assert_eq!(shown_action(tutor(&answer)), TutorAction::ConceptCard);
    assert!(answer.degraded_reasons.is_empty());
    assert_eq!(simulated.unit_id(), unit_id);
    let Some(Content::Concept(concept)) = simulated.card.as_ref().unwrap().content.as_ref() else {
        panic!("no concept card");
    };
    assert!(!concept.key_ideas.is_empty());
    let buttons = simulated.card.as_ref().unwrap().buttons.iter();
    let labels: Vec<_> = buttons.map(|button| button.label_key.as_str()).collect();
    assert_eq!(labels, ["try_drill", "ask_follow_up"]);
    assert!(matches!(
        simulated.press_labelled("ask_follow_up", &mut errs).await,
        Came::Typing
    ));

    // One right drill, and nobody is stuck any more.
    errs.share = 0.0;
    simulated.press_labelled("try_drill", &mut errs).await;
    let Came::Grade(grade) = simulated.press_labelled("check_answer", &mut errs).await else {
        panic!("no grade");
    };
    ledger.drill(&unit_id, true, &grade.common_mistake_tag);
    let Came::Message(answer) = simulated.press_labelled("continue", &mut errs).await else {
        panic!("no message");
    };
    assert_ne!(shown_action(tutor(&answer)), TutorAction::ConceptCard);
    ledger.check(&staff.recorded(&simulated.student).await);
    suite.stop();
}
