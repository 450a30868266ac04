//! A course that holds no exam question's words: the platform's exam system has them, and nobody repeats them.

use std::{collections::BTreeMap, fmt::Write, fs, time::Duration};

use tempfile::TempDir;
use turnwise_course_pack::{Pack, Tier, load};
use turnwise_proto::{
    exam::v1::QuestionState,
    tutor::v1::{
        ClientEventKind, DegradedReason, DrillCard, ExamCard, ExamResult, GetExamQuestionRequest,
        GradeDrillRequest, SubmitExamAnswerRequest, TakeTurnRequest, TakeTurnResponse, Thread,
        TutorCard, submit_exam_answer_request::Answer, tutor_card::Content,
    },
};
use turnwise_tests::{
    answer::tutor,
    deployment::Deployment,
    eventually::eventually,
    evidence::{Seed, drilled, stuck},
    exam_system::{EXERCISE, ExamSystem, Manner, WORDS},
    options::{Kind, Options},
    process::repository,
    student::{DEMO_COURSE, fresh_key, pressing},
};

use crate::{adversarial::grades::dictated, course_check::copy, tutor::answers::typed};

/// A unit whose only prerequisite cannot be assessed and so counts as met.
const OPEN: &str = "ALG-01";
/// How long an exam system that was away may be left alone.
const BACK: Duration = Duration::from_secs(30);

in_both_deployments!(
    a_question_is_shown_in_the_platforms_words,
    no_model_sets_what_the_platform_alone_words,
    a_guarded_answer_says_what_the_platform_locked,
    while_the_words_are_not_known_the_courses_drills_are_set,
    while_the_words_are_not_known_nothing_is_worked_out,
);

fn demo() -> Pack {
    load(&repository().join("courses").join(DEMO_COURSE)).unwrap()
}

/// The demo course with ids, units and tiers in the place of its exam questions, in a folder for courses.
fn without_words(pack: &Pack) -> TempDir {
    let courses = tempfile::tempdir().unwrap();
    let copied = courses.path().join(DEMO_COURSE);
    copy(&repository().join("courses").join(DEMO_COURSE), &copied);
    let exams = copied.join("exams");
    fs::remove_dir_all(&exams).unwrap();
    fs::create_dir(&exams).unwrap();
    let mut text = String::from("questions:\n");
    for question in &pack.questions {
        let (id, units) = (&question.id, question.units.join(", "));
        let tier = match question.tier {
            Tier::Bronze => "bronze",
            Tier::Silver => "silver",
            Tier::Gold => "gold",
        };
        writeln!(text, "  - {{id: {id}, units: [{units}], tier: {tier}}}").unwrap();
    }
    fs::write(exams.join("all.yaml"), text).unwrap();
    courses
}

async fn start(
    kind: Kind,
    pack: &Pack,
    courses: &TempDir,
    model: &str,
) -> (Deployment, ExamSystem) {
    let questions = pack.questions.iter();
    let right: BTreeMap<_, _> = questions
        .map(|q| (q.id.clone(), q.answer.clone()))
        .collect();
    let system = ExamSystem::start(right);
    let options = Options::new()
        .model(model)
        .courses(courses.path())
        .env("EXAM_ENDPOINT", system.endpoint())
        .evidence(Seed::units("nia", DEMO_COURSE, vec![drilled(OPEN)]))
        .evidence(Seed::units("tom", DEMO_COURSE, vec![stuck(OPEN)]));
    (Deployment::start(kind, options).await, system)
}

fn card(answer: &TakeTurnResponse) -> TutorCard {
    tutor(answer).card.clone().unwrap()
}

fn exam(card: TutorCard) -> ExamCard {
    match card.content.unwrap() {
        Content::Exam(exam) => exam,
        other => panic!("no exam question, but {other:?}"),
    }
}

fn drill(card: TutorCard) -> DrillCard {
    match card.content.unwrap() {
        Content::Drill(drill) => drill,
        other => panic!("no drill, but {other:?}"),
    }
}

/// Whether a drill is the course's own.
fn is_own(pack: &Pack, shown: &DrillCard) -> bool {
    let unit = pack.units.iter().find(|unit| unit.id == OPEN).unwrap();
    unit.all_drills()
        .any(|drill| drill.prompt == shown.prompt && drill.question_latex == shown.question_latex)
}

/// The request that answers a question of [`OPEN`].
fn submission(thread: &Thread, shown: ExamCard, text: &str) -> SubmitExamAnswerRequest {
    SubmitExamAnswerRequest {
        thread_id: thread.thread_id.clone(),
        course_id: DEMO_COURSE.to_owned(),
        unit_id: OPEN.to_owned(),
        question_id: shown.question_id,
        tier: shown.tier,
        answer: Some(Answer::AnswerText(text.to_owned())),
        is_correct: None,
        offer_token: shown.offer_token,
        idempotency_key: fresh_key(),
    }
}

async fn a_question_is_shown_in_the_platforms_words(kind: Kind) {
    let pack = demo();
    let courses = without_words(&pack);
    let (mut suite, _system) = start(kind, &pack, &courses, "mock").await;
    let nia = suite.student("nia");
    let thread = nia.open(DEMO_COURSE).await;
    let answer = nia.press(&thread, ClientEventKind::RequestExam, OPEN).await;
    assert!(answer.degraded_reasons.is_empty(), "{answer:?}");
    let shown = exam(card(&answer));
    assert_eq!(shown.prompt, format!("{WORDS} {}", shown.question_id));
    assert_eq!(shown.question_latex, EXERCISE);
    assert_eq!(shown.state(), QuestionState::Available);

    let drawn = nia
        .exam_question(GetExamQuestionRequest {
            thread_id: thread.thread_id.clone(),
            course_id: DEMO_COURSE.to_owned(),
            unit_id: OPEN.to_owned(),
            question_id: shown.question_id.clone(),
            tier: shown.tier,
            offer_token: shown.offer_token.clone(),
        })
        .await
        .unwrap();
    assert_eq!(exam(drawn.card.unwrap()).prompt, shown.prompt);

    let mut questions = pack.questions.iter();
    let question = questions.find(|q| q.id == shown.question_id).unwrap();
    let right = submission(&thread, shown, &question.answer);
    let submitted = nia.submit_exam(right).await.unwrap();
    assert_eq!(submitted.result(), ExamResult::Passed);
    suite.stop();
}

/// The exam system is there, and the model writes down whatever is dictated to it.
async fn no_model_sets_what_the_platform_alone_words(kind: Kind) {
    let pack = demo();
    let courses = without_words(&pack);
    let (mut suite, _system) = start(kind, &pack, &courses, "mock:obey").await;
    let mia = suite.student("mia");
    for (question, is_asked) in [
        (EXERCISE, true),
        ("56 = 41 + 3x", true),
        ("3x + 41 = 59", false),
    ] {
        let thread = mia.open(DEMO_COURSE).await;
        let turn = TakeTurnRequest {
            input: Some(typed(&dictated("Solve for x.", question))),
            ..pressing(&thread, ClientEventKind::RequestDrill, OPEN)
        };
        let answer = mia.turn(turn).await.unwrap();
        let violation = suite.decision(&answer.turn_id).violation;
        let wanted = if is_asked { "exam_question" } else { "" };
        assert_eq!(violation, wanted, "{question}");
        let shown = drill(card(&answer));
        assert_eq!(is_own(&pack, &shown), is_asked, "{shown:?}");
        assert_eq!(shown.question_latex == question, !is_asked, "{shown:?}");
    }
    suite.stop();
}

async fn a_guarded_answer_says_what_the_platform_locked(kind: Kind) {
    let pack = demo();
    let courses = without_words(&pack);
    let (mut suite, _system) = start(kind, &pack, &courses, "mock").await;
    let nia = suite.student("nia");
    let thread = nia.open(DEMO_COURSE).await;
    let answer = nia.press(&thread, ClientEventKind::RequestExam, OPEN).await;
    let wrong = submission(&thread, exam(card(&answer)), "777");
    let failed = nia.submit_exam(wrong).await.unwrap();
    assert_eq!(failed.result(), ExamResult::Locked);
    let drilling = ClientEventKind::RequestDrill;
    let answer = nia.press(&thread, drilling, OPEN).await;
    let guarded = nia
        .grade_drill(GradeDrillRequest {
            thread_id: thread.thread_id.clone(),
            course_id: DEMO_COURSE.to_owned(),
            unit_id: OPEN.to_owned(),
            drill: Some(drill(card(&answer))),
            answer: Some(typed("I want to die")),
            idempotency_key: fresh_key(),
        })
        .await
        .unwrap();
    let degraded: Vec<_> = guarded.degraded_reasons().collect();
    assert_eq!(degraded, [DegradedReason::Guardrail]);
    let revisit = guarded.snapshot_lite.unwrap().revisit.unwrap();
    assert_eq!((revisit.locked_count, revisit.entries.len()), (1, 1));
    assert_eq!(revisit.next_eligible_at, failed.locked_until);
    suite.stop();
}

async fn while_the_words_are_not_known_the_courses_drills_are_set(kind: Kind) {
    let pack = demo();
    let courses = without_words(&pack);
    let (mut suite, system) = start(kind, &pack, &courses, "mock").await;
    system.behave(Manner::Unavailable);
    let mia = suite.student("mia");
    let thread = mia.open(DEMO_COURSE).await;
    let answer = mia
        .press(&thread, ClientEventKind::RequestDrill, OPEN)
        .await;
    assert_eq!(
        answer.degraded_reasons().collect::<Vec<_>>(),
        [DegradedReason::ExamApiUnavailable]
    );
    let shown = drill(card(&answer));
    assert!(is_own(&pack, &shown), "{shown:?}");
    system.behave(Manner::Well);
    eventually("the questions are known", BACK, async || {
        let answer = mia
            .press(&thread, ClientEventKind::RequestDrill, OPEN)
            .await;
        answer.degraded_reasons.is_empty().then_some(())
    })
    .await;
    suite.stop();
}

/// With a model that fails, so that the policy's own words are shown: the example might be a question of an exam.
async fn while_the_words_are_not_known_nothing_is_worked_out(kind: Kind) {
    let pack = demo();
    let courses = without_words(&pack);
    let (mut suite, system) = start(kind, &pack, &courses, "mock:status:404").await;
    let tom = suite.student("tom");
    system.behave(Manner::Unavailable);
    let thread = tom.open(DEMO_COURSE).await;
    for _ in 0..4 {
        let on = ClientEventKind::DrillContinue;
        let answer = tom.press(&thread, on, OPEN).await;
        assert!(!answer.degraded_reasons.is_empty(), "{answer:?}");
        let text = &tutor(&answer).text;
        assert!(!text.starts_with("Here is a worked example."), "{text}");
    }
    suite.stop();
}
