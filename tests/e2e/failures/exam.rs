//! A platform's exam system fails: nothing is offered and the answer says so; an exam answer is refused with nothing
//! recorded, and tried again with the same key it counts once.

use std::{collections::BTreeMap, time::Duration};

use tokio::time::Instant;
use tonic::{Code, transport::Channel};
use turnwise_course_pack::{Question, Tier};
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::{
        SubmitAnswerRequest, exam_service_client::ExamServiceClient, submit_answer_request::Answer,
    },
    session::v1::RevisitEntry,
    tutor::v1::{ClientEventKind, DegradedReason, ExamResult, MasteryTier, TutorAction},
};
use turnwise_tests::{
    answer::check_answer,
    deployment::Deployment,
    eventually::eventually,
    evidence::{Seed, drilled, stuck},
    exam_system::{ExamSystem, Manner},
    student::{DEMO_COURSE, Student, fresh_key, pressing},
};

use super::{
    BACK, Blow, OPEN, PATIENT,
    calls::{demo, drill, exam, grade, offered, submit, turn},
    check_unavailable, counted, options, reasons, record,
};

/// Ready students: a question that was answered is not offered again.
const READY: usize = 12;

/// Longer than a turn takes that waits for nobody, and less than an exam system is waited for where it decides something.
const AT_ONCE: Duration = Duration::from_millis(1500);
/// The call that asks for the state of questions, as the exam system notes it.
const STATUSES: &str = "BatchGetQuestionStatus";

/// Five processes and a platform's exam system.
async fn with_exam_system() -> (Deployment, ExamSystem) {
    let questions = demo().questions.into_iter();
    let right: BTreeMap<_, _> = questions.map(|q| (q.id, q.answer)).collect();
    let system = ExamSystem::start(right);
    let mut options = options().env("EXAM_ENDPOINT", system.endpoint());
    for n in 0..READY {
        let seed = Seed::units(&format!("nia-{n}"), DEMO_COURSE, vec![drilled(OPEN)]);
        options = options.evidence(seed);
    }
    (Deployment::five_processes(options).await, system)
}

fn strike(system: &mut ExamSystem, blow: Blow) {
    match blow {
        Blow::Killed => system.process().kill(),
        Blow::Stalled => system.process().pause(),
    }
}

fn over(system: &mut ExamSystem, blow: Blow) {
    match blow {
        Blow::Killed => system.start_again(),
        Blow::Stalled => system.process().go_on(),
    }
}

/// Asks for an exam until one is offered: the breaker may be open for a while.
async fn until_offered(suite: &Deployment, student: &Student) {
    let thread = student.open(DEMO_COURSE).await;
    eventually("an exam is offered", BACK, async || {
        let asked = pressing(&thread, ClientEventKind::RequestExam, OPEN);
        let answer = turn(suite, student, &asked, PATIENT).await.unwrap();
        offered(&answer)
    })
    .await;
}

/// Asks for an exam, and insists that none is offered; whether the answer says that the exam system is away.
async fn nothing_offered(suite: &Deployment, student: &Student, within: Duration) -> bool {
    let before = record(suite, student).await;
    let thread = student.open(DEMO_COURSE).await;
    let asked = pressing(&thread, ClientEventKind::RequestExam, OPEN);
    let answer = turn(suite, student, &asked, within).await.unwrap();
    check_answer(&thread, &answer);
    assert_eq!(offered(&answer), None);
    let decision = suite.decision(&answer.turn_id);
    assert!(!decision.allows(TutorAction::ExamBlock), "{decision:?}");
    assert_eq!(record(suite, student).await, before);
    let reasons = reasons(&answer);
    assert!(
        reasons.is_empty() || reasons == [DegradedReason::ExamApiUnavailable],
        "{reasons:?}"
    );
    !reasons.is_empty()
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_stalled_or_slow_before_turns() {
    let (mut suite, mut system) = with_exam_system().await;
    let nia = suite.student("nia-0");
    until_offered(&suite, &nia).await;
    for blow in Blow::BOTH {
        strike(&mut system, blow);
        for within in [5, 8, 20].map(Duration::from_secs) {
            println!("the exam system is {blow:?}");
            assert!(nothing_offered(&suite, &nia, within).await);
        }
        // Grading does without it.
        let count = counted(&suite, &nia, OPEN).await;
        let thread = nia.open(DEMO_COURSE).await;
        let grading = drill(&nia, &thread, true).await;
        let graded = grade(&suite, &nia, &grading, PATIENT).await.unwrap();
        assert!(graded.evidence_recorded);
        assert_eq!(
            counted(&suite, &nia, OPEN).await,
            (count.0 + 1, count.1 + 1)
        );
        over(&mut system, blow);
        until_offered(&suite, &nia).await;
    }
    for manner in [Manner::Slow(60_000), Manner::Unavailable] {
        println!("the exam system is {manner:?}");
        system.behave(manner);
        assert!(nothing_offered(&suite, &nia, Duration::from_secs(5)).await);
        system.behave(Manner::Well);
        until_offered(&suite, &nia).await;
    }
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_in_turns() {
    let (mut suite, system) = with_exam_system().await;
    let nia = suite.student("nia-0");
    until_offered(&suite, &nia).await;
    for (manner, away) in [
        (Manner::Missing, false),
        (Manner::UnknownState, false),
        (Manner::LockWithoutTime, false),
        (Manner::Strangers, false),
        (Manner::Oversized, true),
    ] {
        println!("the exam system answers {manner:?}");
        system.behave(manner);
        assert_eq!(nothing_offered(&suite, &nia, PATIENT).await, away);
        system.behave(Manner::Well);
        until_offered(&suite, &nia).await;
    }
    // Each status says which question it is about.
    system.behave(Manner::WrongOrder);
    until_offered(&suite, &nia).await;
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_counts_once_when_it_is_back() {
    let (mut suite, mut system) = with_exam_system().await;
    let mut students = (0..READY).map(|n| format!("nia-{n}"));
    for blow in Blow::BOTH {
        for right in [true, false] {
            println!("the exam system is {blow:?} when an answer comes");
            let nia = suite.student(&students.next().unwrap());
            let thread = nia.open(DEMO_COURSE).await;
            until_offered(&suite, &nia).await;
            let submission = exam(&nia, &thread, right).await;
            let before = record(&suite, &nia).await;
            strike(&mut system, blow);
            for within in [5, 8].map(Duration::from_secs) {
                let refused = submit(&suite, &nia, &submission, within).await.unwrap_err();
                check_away(&refused);
            }
            assert_eq!(record(&suite, &nia).await, before);
            over(&mut system, blow);
            counts_once(&suite, &system, &nia, &submission, right).await;
        }
    }
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_to_which_garbage_came_counts_once() {
    let (mut suite, system) = with_exam_system().await;
    for (n, manner) in [
        Manner::Slow(60_000),
        Manner::Unavailable,
        Manner::WrongOrder,
        Manner::Missing,
        Manner::UnknownState,
        Manner::Oversized,
        Manner::Strangers,
    ]
    .into_iter()
    .enumerate()
    {
        println!("the exam system answers {manner:?} when an answer comes");
        let nia = suite.student(&format!("nia-{n}"));
        let thread = nia.open(DEMO_COURSE).await;
        until_offered(&suite, &nia).await;
        let right = n % 2 == 0;
        let submission = exam(&nia, &thread, right).await;
        let before = record(&suite, &nia).await;
        system.behave(manner);
        let refused = submit(&suite, &nia, &submission, Duration::from_secs(5)).await;
        system.behave(Manner::Well);
        check_away(&refused.unwrap_err());
        assert_eq!(record(&suite, &nia).await, before);
        // But for the one that was closed, it has recorded the answer: the same key tells the same again.
        let recorded = usize::from(manner != Manner::Unavailable);
        assert_eq!(system.recorded(&nia.id, &submission.question_id), recorded);
        counts_once(&suite, &system, &nia, &submission, right).await;
    }
    // A lock is a lock, whenever it ends.
    let nia = suite.student("nia-10");
    let thread = nia.open(DEMO_COURSE).await;
    let submission = exam(&nia, &thread, false).await;
    system.behave(Manner::LockWithoutTime);
    let result = submit(&suite, &nia, &submission, PATIENT).await.unwrap();
    assert_eq!(result.result(), ExamResult::Locked);
    assert_eq!(result.locked_until, None);
    suite.stop();
}

/// The platform passed the answer and nobody here heard of it: the next turn on the unit does.
#[tokio::test(flavor = "multi_thread")]
async fn a_pass_whose_answer_was_lost_becomes_evidence_once() {
    let (mut suite, system) = with_exam_system().await;
    let nia = suite.student("nia-0");
    let thread = nia.open(DEMO_COURSE).await;
    until_offered(&suite, &nia).await;
    let submission = exam(&nia, &thread, true).await;
    system.behave(Manner::Slow(60_000));
    let refused = submit(&suite, &nia, &submission, Duration::from_secs(5)).await;
    check_away(&refused.unwrap_err());
    system.behave(Manner::Well);
    let (_, version) = counted(&suite, &nia, OPEN).await;
    eventually("the pass is evidence", BACK, async || {
        let asked = pressing(&thread, ClientEventKind::RequestExam, OPEN);
        turn(&suite, &nia, &asked, PATIENT).await.unwrap();
        let now = counted(&suite, &nia, OPEN).await.1;
        (now > version).then_some(())
    })
    .await;
    let asked = pressing(&thread, ClientEventKind::RequestExam, OPEN);
    turn(&suite, &nia, &asked, PATIENT).await.unwrap();
    assert_eq!(counted(&suite, &nia, OPEN).await.1, version + 1);
    // The client's retry is told of the pass, which counts no second time.
    let result = submit(&suite, &nia, &submission, PATIENT).await.unwrap();
    assert_eq!(result.result(), ExamResult::Passed);
    assert!(result.recorded);
    assert_eq!(counted(&suite, &nia, OPEN).await.1, version + 1);
    suite.stop();
}

/// Has the platform pass the right answer to a question, of which nobody here hears.
async fn passes_there(system: &ExamSystem, student: &Student, question: &Question) {
    let channel = Channel::from_shared(system.endpoint()).unwrap();
    let submission = SubmitAnswerRequest {
        student_id: student.id.clone(),
        question_id: question.id.clone(),
        answer: Some(Answer::Text(question.answer.clone())),
        idempotency_key: fresh_key(),
        ..SubmitAnswerRequest::default()
    };
    let mut platform = ExamServiceClient::new(channel.connect_lazy());
    let submitted = platform.submit_answer(submission).await.unwrap();
    assert!(submitted.into_inner().recorded);
}

/// Four passes of other units come first in the queue: the turn writes the focus's all the same, and leaves the others.
#[tokio::test(flavor = "multi_thread")]
async fn a_pass_of_the_focus_is_written_however_many_others_there_are() {
    let questions = demo().questions;
    let is_here = |question: &&Question| question.units.iter().any(|unit| unit == OPEN);
    let bronze = || questions.iter().filter(|q| matches!(q.tier, Tier::Bronze));
    let elsewhere = bronze().filter(|q| !is_here(q)).take(4);
    let passed: Vec<_> = elsewhere.chain(bronze().find(is_here)).collect();
    assert_eq!(passed.len(), 5);
    let mut seed = Seed::units("nia", DEMO_COURSE, vec![stuck(OPEN)]);
    for question in &passed {
        let unit_id = match is_here(question) {
            true => OPEN.to_owned(),
            false => question.units[0].clone(),
        };
        seed.evidence.exam_touched.push(question.id.clone());
        seed.evidence.revisit_queue.push(RevisitEntry {
            question_id: question.id.clone(),
            unit_id,
            tier: MasteryTier::Bronze.into(),
        });
    }
    let right = questions.iter().map(|q| (q.id.clone(), q.answer.clone()));
    let system = ExamSystem::start(right.collect());
    let options = options().env("EXAM_ENDPOINT", system.endpoint());
    let mut suite = Deployment::five_processes(options.evidence(seed)).await;
    let nia = suite.student("nia");
    let thread = nia.open(DEMO_COURSE).await;
    let (_, version) = counted(&suite, &nia, OPEN).await;
    for question in &passed {
        passes_there(&system, &nia, question).await;
    }
    let asked = || pressing(&thread, ClientEventKind::RequestDrill, OPEN);
    eventually("the focus's pass is evidence", BACK, async || {
        turn(&suite, &nia, &asked(), PATIENT).await.unwrap();
        let now = counted(&suite, &nia, OPEN).await.1;
        (now > version).then_some(())
    })
    .await;
    // An exam system that is slower than the turn is not away.
    system.behave(Manner::Slow(400));
    let answer = turn(&suite, &nia, &asked(), PATIENT).await.unwrap();
    assert!(reasons(&answer).is_empty(), "{answer:?}");
    assert_eq!(counted(&suite, &nia, OPEN).await.1, version + 1);
    // Nor does a turn that is not ready for an exam wait until it answers, or until it counts as away.
    system.behave(Manner::Slow(10_000));
    let asked_before = system.calls(STATUSES);
    let begun = Instant::now();
    let answer = turn(&suite, &nia, &asked(), PATIENT).await.unwrap();
    let took = begun.elapsed();
    assert!(reasons(&answer).is_empty(), "{answer:?}");
    assert!(took < AT_ONCE, "{took:?}");
    eventually("it was asked all the same", BACK, async || {
        (system.calls(STATUSES) > asked_before).then_some(())
    })
    .await;
    suite.stop();
}

/// Insists on what a client is told of an exam system that is away.
fn check_away(status: &tonic::Status) {
    check_unavailable(status);
    assert_eq!(status.code(), Code::Unavailable);
    let fault = Fault::from_status(status);
    assert_eq!(fault.reason(), ErrorReason::DependencyUnavailable);
    assert_eq!(fault.metadata("service"), Some("exam system"));
}

/// The same key again, until it is answered: once there, once here, and the same for ever.
async fn counts_once(
    suite: &Deployment,
    system: &ExamSystem,
    student: &Student,
    submission: &turnwise_proto::tutor::v1::SubmitExamAnswerRequest,
    right: bool,
) {
    let (_, version) = counted(suite, student, OPEN).await;
    let result = eventually("the answer is taken", BACK, async || {
        submit(suite, student, submission, PATIENT).await.ok()
    })
    .await;
    let expected = if right {
        ExamResult::Passed
    } else {
        ExamResult::Locked
    };
    assert_eq!(result.result(), expected);
    assert!(result.recorded);
    assert_eq!(
        submit(suite, student, submission, PATIENT).await.unwrap(),
        result
    );
    assert_eq!(system.recorded(&student.id, &submission.question_id), 1);
    assert_eq!(counted(suite, student, OPEN).await.1, version + 1);
}
