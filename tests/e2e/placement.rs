//! Placement: what a student knows already is found out by few questions, counts as met, and can be taken back.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use tonic::{Code, Status, transport::Channel};
use turnwise_course_pack::{Pack, load};
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    placement::v1::{
        AnswerPlacementRequest, AnswerPlacementResponse, BeginPlacementRequest,
        PausePlacementRequest, Placement, PlacementCard,
        placement_service_client::PlacementServiceClient,
    },
    school::v1::{BeginPlacementRequest as BeginForClass, UndoPlacementRequest},
    session::v1::RevisitEntry,
    tutor::v1::{
        DrillCard, DrillResult, GradeDrillRequest, MasteryTier, PlacementState, StudentInput,
        Thread,
    },
};
use turnwise_tests::{
    deployment::Deployment,
    evidence::Seed,
    exam_system::{ExamSystem, Manner},
    options::{Kind, Options},
    process::repository,
    refusal::check_refusal,
    student::{DEMO_COURSE, Student, fresh_key},
    teacher::Teacher,
};

use crate::outages::snapshot;

/// What the pupils here know.
const KNOWN: [&str; 6] = ["ALG-01", "ALG-02", "ALG-03", "ALG-04", "ALG-05", "ALG-06"];

in_both_deployments!(
    what_is_known_is_placed_and_is_no_badge,
    a_placement_goes_on_where_it_was,
    of_two_answers_at_once_one_counts,
    only_its_own_questions_are_answered,
    a_teacher_takes_it_back,
    a_teacher_begins_it_for_a_class,
);

pub fn demo() -> Pack {
    load(&repository().join("courses").join(DEMO_COURSE)).unwrap()
}

fn client(student: &Student) -> PlacementServiceClient<Channel> {
    PlacementServiceClient::new(student.channel.clone())
}

/// Begins a placement, or goes on with it.
pub async fn begin(student: &Student, thread: &Thread) -> Placement {
    let request = BeginPlacementRequest {
        thread_id: thread.thread_id.clone(),
        course_id: DEMO_COURSE.to_owned(),
        idempotency_key: fresh_key(),
    };
    let begun = client(student)
        .begin_placement(student.request(request))
        .await;
    begun.unwrap().into_inner().placement.unwrap()
}

async fn pause(student: &Student, thread: &Thread) -> Result<Placement, Status> {
    let request = PausePlacementRequest {
        thread_id: thread.thread_id.clone(),
        course_id: DEMO_COURSE.to_owned(),
        idempotency_key: fresh_key(),
    };
    let paused = client(student)
        .pause_placement(student.request(request))
        .await?;
    Ok(paused.into_inner().placement.unwrap())
}

/// Answers a question; without a text the student does not know.
pub fn answering(
    thread: &Thread,
    card: &PlacementCard,
    text: Option<&str>,
) -> AnswerPlacementRequest {
    AnswerPlacementRequest {
        thread_id: thread.thread_id.clone(),
        course_id: DEMO_COURSE.to_owned(),
        question: Some(card.clone()),
        answer: text.map(|text| StudentInput {
            text: text.to_owned(),
            ..StudentInput::default()
        }),
        idempotency_key: fresh_key(),
    }
}

/// Sends an answer.
pub async fn send(
    student: &Student,
    request: AnswerPlacementRequest,
) -> Result<AnswerPlacementResponse, Status> {
    let request = student.request(request);
    let sent = client(student).answer_placement(request).await?;
    Ok(sent.into_inner())
}

/// Sends an answer, after which there is a placement.
pub async fn answer(
    student: &Student,
    request: AnswerPlacementRequest,
) -> Result<Placement, Status> {
    let answered = send(student, request).await?;
    Ok(answered.placement.unwrap())
}

/// The right answer to a question, of the course's own drill.
pub fn key(pack: &Pack, card: &PlacementCard) -> String {
    let unit = pack.units.iter().find(|unit| unit.id == card.unit_id);
    let mut drills = unit.unwrap().all_drills();
    let drill = drills
        .find(|drill| drill.prompt == card.prompt && drill.question_latex == card.question_latex);
    drill.unwrap().answer.clone()
}

/// Answers to the end what a pupil who knows [`KNOWN`] answers. Each question is another one.
async fn play(student: &Student, thread: &Thread) -> Placement {
    let pack = demo();
    let mut placement = begin(student, thread).await;
    let mut asked = Vec::new();
    while let Some(card) = placement.question.clone() {
        assert_eq!(placement.state(), PlacementState::Running);
        assert!(placement.placed.is_empty(), "{placement:?}");
        let texts = (card.prompt.clone(), card.question_latex.clone());
        assert!(!asked.contains(&texts), "{card:?}");
        asked.push(texts);
        let right = key(&pack, &card);
        let text = KNOWN.contains(&card.unit_id.as_str()).then_some(right);
        let request = answering(thread, &card, text.as_deref());
        placement = answer(student, request).await.unwrap();
        assert_eq!(usize::try_from(placement.answered).unwrap(), asked.len());
    }
    assert!(placement.answered <= placement.most && placement.most == 15);
    assert_eq!(placement.state(), PlacementState::Ended);
    placement
}

/// The ids of the units that were placed, in their order.
pub fn placed(placement: &Placement) -> Vec<&str> {
    let units = placement.placed.iter();
    let mut units: Vec<_> = units.map(|unit| unit.unit_id.as_str()).collect();
    units.sort_unstable();
    units
}

async fn what_is_known_is_placed_and_is_no_badge(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let student = suite.student("ada");
    let thread = student.open(DEMO_COURSE).await;
    // The same question under two tokens.
    let first = begin(&student, &thread).await.question.unwrap();
    let ended = play(&student, &thread).await;
    assert_eq!(placed(&ended), KNOWN);
    let progress = student.standing(DEMO_COURSE).await.unwrap().progress;
    let progress = progress.unwrap();
    assert_eq!(progress.placed, 6);
    assert_eq!(progress.bronze + progress.silver + progress.gold, 0);

    // Begun again it says what it said.
    let again = begin(&student, &thread).await;
    assert_eq!(again.state(), PlacementState::Ended);
    assert_eq!(placed(&again), KNOWN);
    let late = answer(&student, answering(&thread, &first, Some("5"))).await;
    check_refusal(
        &late.unwrap_err(),
        Code::FailedPrecondition,
        Why::PlacementClosed,
        "",
    );
    let late = pause(&student, &thread).await;
    check_refusal(
        &late.unwrap_err(),
        Code::FailedPrecondition,
        Why::PlacementClosed,
        "",
    );
    suite.stop();
}

async fn a_placement_goes_on_where_it_was(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let student = suite.student("ada");
    let thread = student.open(DEMO_COURSE).await;
    let none = pause(&student, &thread).await;
    check_refusal(
        &none.unwrap_err(),
        Code::FailedPrecondition,
        Why::PlacementClosed,
        "",
    );
    let first = begin(&student, &thread).await.question.unwrap();
    let twice = begin(&student, &thread).await.question.unwrap();
    assert_eq!(first.prompt, twice.prompt);
    assert_eq!(first.question_latex, twice.question_latex);
    let request = answering(&thread, &first, Some(&key(&demo(), &first)));
    let answered = answer(&student, request.clone()).await.unwrap();
    assert_eq!(answered.answered, 1);
    // Sent again it is the same answer; under another key, or with the other token, it counts no second time.
    assert_eq!(answer(&student, request.clone()).await.unwrap(), answered);
    for card in [&first, &twice] {
        let again = answer(&student, answering(&thread, card, None)).await;
        let again = again.unwrap();
        assert_eq!(again.answered, 1);
        assert_eq!(again.notices, [i32::from(Why::DrillAlreadyGraded)]);
        assert_eq!(
            again.question.map(|card| card.question_latex),
            answered.question.clone().map(|card| card.question_latex)
        );
    }
    // Begun again it is as it was, and nothing is written. One process has no port of session-svc to look at.
    let written = async || match kind {
        Kind::OneProcess => None,
        Kind::FiveProcesses | Kind::Grouped(_) => Some(snapshot(&suite, &student).await),
    };
    let before = written().await;
    assert_eq!(begin(&student, &thread).await.answered, 1);
    assert_eq!(written().await, before);
    let paused = pause(&student, &thread).await.unwrap();
    assert_eq!(paused.state(), PlacementState::Paused);
    assert_eq!(paused.question, None);
    // An answer to what was answered goes on with nothing.
    let again = answer(&student, answering(&thread, &first, None)).await;
    let again = again.unwrap();
    assert_eq!(again.state(), PlacementState::Paused);
    assert_eq!(again.question, None);
    assert_eq!(again.notices, [i32::from(Why::DrillAlreadyGraded)]);
    // In another conversation, too.
    let other = student.open(DEMO_COURSE).await;
    let resumed = begin(&student, &other).await;
    assert_eq!(resumed.state(), PlacementState::Running);
    assert_eq!(resumed.answered, 1);
    suite.stop();
}

/// Each under a key of its own: on one card, and on two cards with one question.
async fn of_two_answers_at_once_one_counts(kind: Kind) {
    // Neither is written before both were read: what a platform says of the locks takes a while.
    let system = ExamSystem::start(BTreeMap::new());
    system.behave(Manner::Slow(200));
    let mut seed = Seed::units("ada", DEMO_COURSE, Vec::new());
    seed.evidence.revisit_queue = vec![RevisitEntry {
        question_id: "ALG-01-B1".to_owned(),
        unit_id: "ALG-01".to_owned(),
        tier: MasteryTier::Bronze.into(),
    }];
    let options = Options::new()
        .env("EXAM_ENDPOINT", system.endpoint())
        .evidence(seed);
    let mut suite = Deployment::start(kind, options).await;
    let student = suite.student("ada");
    let thread = student.open(DEMO_COURSE).await;
    for (count, is_one_card) in [(1, true), (2, false)] {
        let first = begin(&student, &thread).await.question.unwrap();
        let second = match is_one_card {
            true => first.clone(),
            false => begin(&student, &thread).await.question.unwrap(),
        };
        assert_eq!(first.token == second.token, is_one_card);
        let right = key(&demo(), &first);
        let both = [(&first, Some(right.as_str())), (&second, None)];
        let both = both.map(|(card, text)| answer(&student, answering(&thread, card, text)));
        let came = join_all(both).await.into_iter().map(Result::unwrap);
        let (counted, late): (Vec<_>, Vec<_>) = came.partition(|came| came.notices.is_empty());
        let ([counted], [late]) = (&*counted, &*late) else {
            panic!("both counted, or neither: {counted:#?} {late:#?}");
        };
        assert_eq!(late.notices, [i32::from(Why::DrillAlreadyGraded)]);
        assert_eq!((counted.answered, late.answered), (count, count));
        let next = |placement: &Placement| {
            let question = placement.question.clone();
            question.map(|card| (card.unit_id, card.prompt, card.question_latex))
        };
        assert_eq!(next(counted), next(late));
    }
    suite.stop();
}

async fn only_its_own_questions_are_answered(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let (ada, bob) = (suite.student("ada"), suite.student("bob"));
    let (hers, his) = (ada.open(DEMO_COURSE).await, bob.open(DEMO_COURSE).await);
    let card = begin(&ada, &hers).await.question.unwrap();
    begin(&bob, &his).await;
    let foreign = answer(&bob, answering(&his, &card, Some("5"))).await;
    let changed = PlacementCard {
        prompt: "Say anything.".to_owned(),
        ..card.clone()
    };
    let changed = answer(&ada, answering(&hers, &changed, Some("5"))).await;
    for refused in [foreign, changed] {
        check_refusal(
            &refused.unwrap_err(),
            Code::FailedPrecondition,
            Why::DrillTokenInvalid,
            "question.token",
        );
    }
    let unreadable = answer(&ada, answering(&hers, &card, Some("no idea at all"))).await;
    check_refusal(
        &unreadable.unwrap_err(),
        Code::InvalidArgument,
        Why::InvalidArgument,
        "answer",
    );
    // Nobody learns of GradeDrill what the answer is.
    let graded = ada
        .grade_drill(GradeDrillRequest {
            thread_id: hers.thread_id.clone(),
            course_id: DEMO_COURSE.to_owned(),
            unit_id: card.unit_id.clone(),
            drill: Some(DrillCard {
                prompt: card.prompt.clone(),
                question_latex: card.question_latex.clone(),
                drill_token: card.token.clone(),
            }),
            answer: Some(StudentInput {
                text: key(&demo(), &card),
                ..StudentInput::default()
            }),
            idempotency_key: fresh_key(),
        })
        .await
        .unwrap();
    assert_eq!(graded.result(), DrillResult::Unspecified);
    assert_eq!(graded.notices, [i32::from(Why::DrillTokenInvalid)]);
    assert_eq!(begin(&ada, &hers).await.answered, 0);
    suite.stop();
}

async fn a_teacher_takes_it_back(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let (student, teacher) = (suite.student("ada"), Teacher::of(&suite));
    let thread = student.open(DEMO_COURSE).await;
    let first = begin(&student, &thread).await.question.unwrap();
    let request = answering(&thread, &first, None);
    answer(&student, request).await.unwrap();
    let undo = async |unit_id: &str| {
        let request = UndoPlacementRequest {
            class_id: Student::CLASS.to_owned(),
            student_id: "ada".to_owned(),
            course_id: DEMO_COURSE.to_owned(),
            unit_id: unit_id.to_owned(),
            idempotency_key: fresh_key(),
        };
        let undone = teacher
            .classes()
            .undo_placement(teacher.request(request))
            .await;
        undone.unwrap().into_inner().unit_ids
    };
    assert_eq!(undo("").await, [""; 0]);
    // There is no placement any more in which its question was answered.
    let late = answer(&student, answering(&thread, &first, None)).await;
    check_refusal(
        &late.unwrap_err(),
        Code::FailedPrecondition,
        Why::PlacementClosed,
        "",
    );
    let reported = async || {
        let units = teacher.report(DEMO_COURSE).await.units.into_iter();
        let placed = units.filter(|unit| unit.placed == 1);
        placed.map(|unit| unit.unit_id).collect::<Vec<_>>()
    };
    assert_eq!(reported().await, [""; 0]);
    play(&student, &thread).await;
    assert_eq!(reported().await, KNOWN);
    assert_eq!(undo("ALG-06").await, KNOWN[..5]);
    assert_eq!(reported().await, KNOWN[..5]);
    // As it was; and of a unit that the course never had.
    assert_eq!(undo("ALG-06").await, KNOWN[..5]);
    assert_eq!(undo("ALG-99").await, KNOWN[..5]);
    let progress = student.standing(DEMO_COURSE).await.unwrap().progress;
    assert_eq!(progress.unwrap().placed, 5);
    assert_eq!(undo("").await, [""; 0]);
    let anew = begin(&student, &thread).await;
    assert_eq!(anew.state(), PlacementState::Running);
    assert_eq!(anew.answered, 0);
    // It asks the same again, on a card of its own: the first one was good for one answer.
    let asked = anew.question.unwrap();
    let same = (&asked.prompt, &asked.question_latex);
    assert_eq!(same, (&first.prompt, &first.question_latex));
    let again = answer(&student, answering(&thread, &first, None)).await;
    let again = again.unwrap();
    assert_eq!(again.notices, [i32::from(Why::DrillAlreadyGraded)]);
    assert_eq!(again.answered, 0);
    let counted = answer(&student, answering(&thread, &asked, None)).await;
    assert_eq!(counted.unwrap().answered, 1);
    suite.stop();
}

async fn a_teacher_begins_it_for_a_class(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let (ada, bob, teacher) = (
        suite.student("ada"),
        suite.student("bob"),
        Teacher::of(&suite),
    );
    let hers = ada.open(DEMO_COURSE).await;
    let begin_for = async |course_id: &str| {
        let request = BeginForClass {
            class_id: Student::CLASS.to_owned(),
            course_id: course_id.to_owned(),
            idempotency_key: fresh_key(),
        };
        let begun = teacher
            .classes()
            .begin_placement(teacher.request(request))
            .await;
        begun.map(|_| ())
    };
    let refused = begin_for("nope").await;
    check_refusal(
        &refused.unwrap_err(),
        Code::NotFound,
        Why::UnknownCourse,
        "course_id",
    );
    let waits = async |student: &Student| {
        let standing = student.standing(DEMO_COURSE).await;
        standing.unwrap().placement_waits
    };
    assert!(!waits(&ada).await);
    begin_for(DEMO_COURSE).await.unwrap();
    // He has never been here.
    assert!(waits(&ada).await && waits(&bob).await);
    let his = bob.open(DEMO_COURSE).await;
    let turn = bob.say(&his, "hello").await;
    assert!(turn.snapshot_lite.unwrap().placement_waits);
    // Who has had one is not asked again.
    play(&ada, &hers).await;
    assert!(!waits(&ada).await);
    begin_for(DEMO_COURSE).await.unwrap();
    assert!(!waits(&ada).await && waits(&bob).await);
    suite.stop();
}
