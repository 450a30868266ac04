//! A student who is always right and presses what is meant to be pressed, from nothing to gold in every unit of the course.

use turnwise_proto::tutor::v1::{
    ButtonCall, DrillCard, DrillResult, ExamCard, ExamResult, GradedBy, MasteryTier, StudentInput,
    TutorAction, submit_exam_answer_request::Answer,
};
use turnwise_tests::{
    answer::{shown_action, tutor},
    deployment::Deployment,
    options::{Kind, Options},
    staff::Staff,
};

use super::{
    answers::Answers,
    simulated_student::{Answering, Came, SimulatedStudent},
};

/// Presses for each unit: two drills and three exam questions are asked for, answered and gone on from, and each of the
/// ways between may take one more.
const MOST_PRESSES: usize = 20;

in_both_deployments!(gold_everywhere_with_a_model, gold_everywhere_without_one);

/// Knows every answer.
pub struct Knows<'a>(pub &'a Answers);

impl Answering for Knows<'_> {
    fn drill(&mut self, card: &DrillCard) -> StudentInput {
        self.0.drill(card)
    }

    fn exam(&mut self, card: &ExamCard) -> Answer {
        self.0.exam(card)
    }
}

async fn gold_everywhere_with_a_model(kind: Kind) {
    gold_everywhere(Deployment::start(kind, Options::new()).await).await;
}

async fn gold_everywhere_without_one(kind: Kind) {
    let options = Options::new()
        .model("mock:status:503")
        .env("HELPER_BACKEND_MAX_ATTEMPTS", "1");
    gold_everywhere(Deployment::start(kind, options).await).await;
}

async fn gold_everywhere(mut suite: Deployment) {
    let answers = Answers::of_demo_course();
    let units = answers.assessable();
    let staff = Staff::of(&suite);
    let mut knows = Knows(&answers);
    let mut simulated = SimulatedStudent::start(&suite, "ada").await;
    let total = simulated.progress().total;
    assert_eq!(total, i32::try_from(units.len()).unwrap());
    assert_eq!(simulated.progress().bronze + simulated.progress().gold, 0);

    let mut presses = 0;
    let mut passed = 0;
    while simulated.progress().gold < total {
        presses += 1;
        assert!(
            presses <= MOST_PRESSES * units.len(),
            "still {:?} after {presses} presses, in front of {:?}",
            simulated.standing,
            simulated.buttons()
        );
        let button = simulated.primary().expect("there is always a proxy on");
        let before = staff_view(&simulated);
        match simulated.press(&button, &mut knows).await {
            Came::Message(answer) => {
                if shown_action(tutor(&answer)) == TutorAction::ExamBlock {
                    let record = staff.record(&simulated.student.id, &answer.turn_id).await;
                    check_exam_was_allowed(&simulated, &record.facts.unwrap());
                }
            }
            Came::Grade(grade) => {
                assert_eq!(grade.result(), DrillResult::Correct, "{before}");
                assert_eq!(grade.graded_by(), GradedBy::Rules);
                assert!(grade.evidence_recorded);
                assert_eq!(grade.common_mistake_tag, "");
                assert!(grade.notices.is_empty());
                assert!(grade.degraded_reasons.is_empty(), "no model is needed");
            }
            Came::Result(result) => {
                assert_eq!(result.result(), ExamResult::Passed, "{before}");
                assert!(result.recorded);
                assert_eq!(result.locked_until, None);
                // A unit at gold offers what is left of its questions before it lets go.
                let was_gold = result.mastery_tier_before() == MasteryTier::Gold;
                assert!(was_gold || result.mastery_tier > result.mastery_tier_before);
                passed += i32::from(!was_gold);
            }
            other => panic!("no primary button comes to {other:?}"),
        }
        let revisit = simulated.standing.revisit.as_ref().unwrap();
        assert_eq!(revisit.locked_count, 0);
        assert_eq!(revisit.next_question_id, "");
    }
    assert_eq!(passed, 3 * total, "one question for each badge");

    let recorded = staff.recorded(&simulated.student).await;
    assert_eq!(recorded.evidence.unit_progress.len(), units.len());
    for unit_id in units {
        let unit = recorded.unit(unit_id);
        assert_eq!(unit.mastery_tier(), MasteryTier::Gold, "{unit_id}");
        assert_eq!(unit.confusion_tags, []);
        let drill = unit.drill.unwrap();
        assert_eq!(
            (drill.correct, drill.streak_correct, drill.streak_wrong),
            (drill.attempts, drill.attempts, 0)
        );
        let exams = unit.passed_by_tier.unwrap();
        assert_eq!((exams.bronze, exams.silver), (1, 1));
        assert!(exams.gold >= 1);
    }
    assert_eq!(recorded.evidence.revisit_queue, []);
    assert_eq!(recorded.evidence.units_in_progress, [""; 0]);
    // Nothing is left to earn; there is still somebody to talk to.
    assert!(simulated.button("ask_hint").is_some() || simulated.primary().is_some());
    suite.stop();
}

/// An exam question is offered to nobody but who is ready for it, at the next tier and behind no missing prerequisite.
fn check_exam_was_allowed(
    simulated: &SimulatedStudent,
    facts: &turnwise_proto::explain::v1::TurnFacts,
) {
    let policy = facts.policy.as_ref().unwrap();
    let exam = simulated.exam();
    assert!(
        policy
            .allowed_actions()
            .any(|action| action == TutorAction::ExamBlock)
    );
    assert!(policy.exam_ready);
    assert_eq!(policy.prereq_blocking_unit_id, "");
    assert_eq!(policy.desired_exam_tier(), exam.tier());
    assert!(policy.exam_candidate_ids.contains(&exam.question_id));
    let evidence = facts.snapshot.as_ref().unwrap().evidence.as_ref().unwrap();
    let mut units = evidence.unit_progress.iter();
    let unit = units
        .find(|unit| unit.unit_id == simulated.unit_id())
        .unwrap();
    assert!(unit.drill.unwrap().streak_correct >= 2);
    let next = (unit.mastery_tier() as i32 + 1).min(MasteryTier::Gold.into());
    assert_eq!(exam.tier, next);
    let submits = simulated.card.as_ref().unwrap().buttons.iter();
    assert_eq!(
        submits
            .filter(|button| button.call() == ButtonCall::SubmitExam && button.primary)
            .count(),
        1
    );
}

fn staff_view(simulated: &SimulatedStudent) -> String {
    format!("{:?}", simulated.card)
}
