//! Exam questions as the built-in system keeps them: one answer counts, a wrong one locks for a while, and so does help.

use std::time::Duration;

use futures_util::future::join_all;
use jiff::Timestamp;
use prost_types::Timestamp as ProtoTime;
use tonic::Code;
use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::{QuestionState, SupportKind},
    session::v1::{PassedByTier, UnitProgress},
    tutor::v1::{
        ClientEvent, ClientEventKind, ExamResult, GetExamQuestionRequest, MasteryTier,
        TakeTurnRequest, TutorAction, tutor_card::Content,
    },
};
use turnwise_tests::{
    answer::{shown_action, tutor},
    deployment::Deployment,
    evidence::{Seed, bronze, drilled},
    options::{Kind, Options},
    refusal::check_refusal,
    staff::Staff,
    student::{DEMO_COURSE, empty_turn},
};

use super::{answers::Answers, simulated_student::SimulatedStudent};

/// The unit whose exam is taken.
pub const UNIT: &str = "ALG-01";

in_both_deployments!(
    of_two_answers_at_once_one_counts,
    a_wrong_answer_locks_for_as_long_as_the_setting_says,
    help_locks_until_the_question_is_passed,
);

/// Insists that a lock ends so long from now, give or take the time that a call takes.
pub fn check_lock(until: Option<ProtoTime>, after: Duration) {
    let until = until.expect("a lock has an end");
    let left = until.seconds - Timestamp::now().as_second();
    let wanted = i64::try_from(after.as_secs()).unwrap();
    assert!((wanted - 60..=wanted).contains(&left), "{left} s");
}

/// A suite in which these students are ready for the bronze exam of [`UNIT`].
pub async fn ready(kind: Kind, options: Options, students: &[&str]) -> Deployment {
    let seeds = students
        .iter()
        .map(|id| Seed::units(id, DEMO_COURSE, vec![drilled(UNIT)]));
    Deployment::start(kind, seeds.fold(options, Options::evidence)).await
}

/// A student in front of an exam question of [`UNIT`].
pub async fn at_an_exam(suite: &Deployment, id: &str) -> SimulatedStudent {
    let mut simulated = SimulatedStudent::start(suite, id).await;
    assert_eq!(ask(&mut simulated).await, TutorAction::ExamBlock);
    simulated
}

/// Asks for the exam of [`UNIT`].
pub async fn ask(simulated: &mut SimulatedStudent) -> TutorAction {
    let turn = TakeTurnRequest {
        event: Some(ClientEvent {
            kind: ClientEventKind::RequestExam.into(),
            unit_id: UNIT.to_owned(),
            ..ClientEvent::default()
        }),
        ..empty_turn(&simulated.thread)
    };
    shown_action(tutor(&simulated.take(turn).await))
}

/// The request that draws the question on the screen again.
pub fn drawing(simulated: &SimulatedStudent) -> GetExamQuestionRequest {
    let exam = simulated.exam();
    GetExamQuestionRequest {
        thread_id: simulated.thread.thread_id.clone(),
        course_id: simulated.thread.course_id.clone(),
        unit_id: simulated.unit_id().to_owned(),
        question_id: exam.question_id.clone(),
        tier: exam.tier,
        offer_token: exam.offer_token.clone(),
    }
}

/// The question on the screen, as it is now: its state and the end of its lock.
pub async fn state(simulated: &SimulatedStudent) -> (QuestionState, Option<ProtoTime>) {
    let drawn = simulated
        .student
        .exam_question(drawing(simulated))
        .await
        .unwrap();
    assert!(drawn.degraded_reasons.is_empty());
    let card = drawn.card.unwrap();
    let submits = card.buttons.iter().any(|b| b.label_key == "submit_answer");
    match card.content {
        Some(Content::Exam(exam)) => {
            assert_eq!(submits, exam.state() == QuestionState::Available);
            assert_eq!(exam.prompt, simulated.exam().prompt);
            assert_eq!(exam.options, simulated.exam().options);
            (exam.state(), exam.locked_until)
        }
        other => panic!("no exam question, but {other:?}"),
    }
}

async fn of_two_answers_at_once_one_counts(kind: Kind) {
    let mut suite = ready(kind, Options::new(), &["ready"]).await;
    let answers = Answers::of_demo_course();
    let staff = Staff::of(&suite);
    let simulated = at_an_exam(&suite, "ready").await;
    let before = staff.recorded(&simulated.student).await;
    let right = simulated.submission(answers.exam(simulated.exam()));
    let wrong = simulated.submission(answers.wrong_exam(simulated.exam()));
    let both = [right, wrong].map(|request| simulated.student.submit_exam(request));
    let results = join_all(both).await.into_iter().map(Result::unwrap);
    let results: Vec<_> = results.collect();
    let counted: Vec<_> = results.iter().filter(|result| result.recorded).collect();
    let [counted] = counted.as_slice() else {
        panic!("both counted, or neither: {results:#?}");
    };
    // Who came too late is told what holds.
    for result in &results {
        assert_eq!(result.result, counted.result);
        assert_eq!(result.locked_until, counted.locked_until);
        assert_eq!(result.mastery_tier, counted.mastery_tier);
    }
    let after = staff.recorded(&simulated.student).await;
    assert_eq!(after.version, before.version + 1);
    let bronze = after.unit(UNIT).passed_by_tier.unwrap_or_default().bronze;
    let passed = counted.result() == ExamResult::Passed;
    assert_eq!(bronze, i32::from(passed));
    assert_eq!(after.evidence.revisit_queue.is_empty(), passed);
    assert_eq!(
        after.evidence.exam_touched,
        [simulated.exam().question_id.clone()]
    );
    suite.stop();
}

async fn a_wrong_answer_locks_for_as_long_as_the_setting_says(kind: Kind) {
    let mut suite = ready(kind, Options::new().env("EXAM_LOCK_HOURS", "3"), &["ready"]).await;
    let answers = Answers::of_demo_course();
    let staff = Staff::of(&suite);
    let hours = Duration::from_secs(3 * 3600);
    let mut simulated = at_an_exam(&suite, "ready").await;
    let mut locked = Vec::new();
    loop {
        let question_id = simulated.exam().question_id.clone();
        assert!(
            !locked.contains(&question_id),
            "a locked question is offered"
        );
        let request = simulated.submission(answers.wrong_exam(simulated.exam()));
        let result = simulated.student.submit_exam(request).await.unwrap();
        assert_eq!(result.result(), ExamResult::Locked);
        assert!(result.recorded);
        check_lock(result.locked_until, hours);
        locked.push(question_id);
        let revisit = result.snapshot_lite.unwrap().revisit.unwrap();
        assert_eq!(usize::try_from(revisit.locked_count).unwrap(), locked.len());
        assert_eq!(
            revisit.next_question_id, locked[0],
            "the first lock ends first"
        );
        check_lock(revisit.next_eligible_at, hours);

        // A right answer now comes too late, and does not move the lock.
        let again = simulated.submission(answers.exam(simulated.exam()));
        let again = simulated.student.submit_exam(again).await.unwrap();
        assert_eq!(again.result(), ExamResult::Locked);
        assert!(!again.recorded);
        assert_eq!(again.locked_until, result.locked_until);
        assert_eq!(
            state(&simulated).await,
            (QuestionState::Locked, result.locked_until)
        );

        if ask(&mut simulated).await != TutorAction::ExamBlock {
            break;
        }
    }
    assert!(locked.len() > 1, "after one question comes the next");
    let recorded = staff.recorded(&simulated.student).await;
    let waiting = recorded.evidence.revisit_queue.iter();
    assert_eq!(
        waiting
            .map(|entry| entry.question_id.clone())
            .collect::<Vec<_>>(),
        locked
    );
    // All of its tier are locked: there is still a drill.
    assert!(simulated.button("take_exam").is_none());
    assert!(simulated.button("try_drill").is_some());
    suite.stop();
}

async fn help_locks_until_the_question_is_passed(kind: Kind) {
    let seeds = ["looks", "passes"].map(|id| Seed::units(id, DEMO_COURSE, vec![silver(UNIT)]));
    let [looks, passes] = seeds;
    let options = Options::new().evidence(looks).evidence(passes);
    let mut suite = Deployment::start(kind, options).await;
    let answers = Answers::of_demo_course();
    let staff = Staff::of(&suite);
    let day = Duration::from_secs(24 * 3600);

    let (simulated, mut waiting) = at_help(&suite, &answers, "looks").await;
    let before = staff.recorded(&simulated.student).await;
    let help = simulated.view(SupportKind::Memo);
    let help = simulated.student.view_support(help).await.unwrap();
    assert!(help.locked);
    check_lock(help.locked_until, day);
    assert!(!help.text.trim().is_empty());
    assert_eq!(help.url, "");
    assert_eq!(
        state(&simulated).await,
        (QuestionState::Locked, help.locked_until)
    );
    let late = simulated.submission(answers.exam(simulated.exam()));
    let late = simulated.student.submit_exam(late).await.unwrap();
    assert_eq!((late.result(), late.recorded), (ExamResult::Locked, false));
    let after = staff.recorded(&simulated.student).await;
    assert_eq!(after.version, before.version + 1);
    assert_eq!(
        after.unit(UNIT).passed_by_tier,
        before.unit(UNIT).passed_by_tier
    );
    waiting.push(simulated.exam().question_id.clone());
    let queue = after.evidence.revisit_queue.iter();
    let queue: Vec<_> = queue.map(|entry| entry.question_id.clone()).collect();
    assert_eq!(queue, waiting);
    let no_such_help = simulated.view(SupportKind::Video);
    let refused = simulated
        .student
        .view_support(no_such_help)
        .await
        .unwrap_err();
    check_refusal(
        &refused,
        Code::NotFound,
        ErrorReason::UnknownQuestion,
        "kind",
    );

    // After a pass, help is only help.
    let (simulated, waiting) = at_help(&suite, &answers, "passes").await;
    let right = simulated.submission(answers.exam(simulated.exam()));
    let result = simulated.student.submit_exam(right).await.unwrap();
    assert_eq!(result.mastery_tier(), MasteryTier::Gold);
    let help = simulated.view(SupportKind::Memo);
    let help = simulated.student.view_support(help).await.unwrap();
    assert!(!help.locked && !help.text.trim().is_empty());
    assert_eq!(help.locked_until, None);
    assert_eq!(state(&simulated).await, (QuestionState::Passed, None));
    let after = staff.recorded(&simulated.student).await;
    let queue = after.evidence.revisit_queue.iter();
    let queue: Vec<_> = queue.map(|entry| entry.question_id.clone()).collect();
    assert_eq!(queue, waiting);
    suite.stop();
}

/// A student in front of a gold question that has a memo, and the questions without one that they failed on the way.
async fn at_help(
    suite: &Deployment,
    answers: &Answers,
    id: &str,
) -> (SimulatedStudent, Vec<String>) {
    let mut simulated = at_an_exam(suite, id).await;
    let mut failed = Vec::new();
    while simulated.button("view_memo").is_none() {
        let wrong = simulated.submission(answers.wrong_exam(simulated.exam()));
        simulated.student.submit_exam(wrong).await.unwrap();
        failed.push(simulated.exam().question_id.clone());
        assert_eq!(ask(&mut simulated).await, TutorAction::ExamBlock);
    }
    assert_eq!(simulated.exam().tier(), MasteryTier::Gold);
    (simulated, failed)
}

/// Silver, and ready for gold.
fn silver(unit: &str) -> UnitProgress {
    UnitProgress {
        mastery_tier: MasteryTier::Silver.into(),
        passed_by_tier: Some(PassedByTier {
            bronze: 1,
            silver: 1,
            gold: 0,
        }),
        ..bronze(unit)
    }
}
