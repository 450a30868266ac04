//! Questions that an answer needs: one a turn, in the tutor's threads and in conversations with the helper.

use turnwise_proto::{
    classes::v1::Escalation,
    common::v1::ErrorReason,
    explain::v1::{ClarificationStep, TurnRecord},
    helper::v1::{ChatRequest, LessonScope},
    school::v1::{
        ListEscalationsRequest, ResolveEscalationRequest, WatchClassRequest,
        watch_class_response::Event,
    },
    tutor::v1::{
        ClarificationProgress, ClientEvent, ClientEventKind, DialogState, SessionStatus,
        TakeTurnRequest, TakeTurnResponse, Thread,
    },
};
use turnwise_testing::model_server::Settings;
use turnwise_tests::{
    admin,
    answer::tutor,
    chat::{asking, going_on, lesson, page},
    deployment::Deployment,
    model_server::ModelServerProcess,
    options::{Kind, Options, Service},
    refusal::check_refusal,
    staff::Staff,
    student::{DEMO_COURSE, Student, empty_turn, fresh_key},
    teacher::Teacher,
};

use crate::tutor::changed_records::Tools;

in_both_deployments!(
    questions_are_asked_in_order_and_then_answered,
    words_and_buttons_end_the_questions,
    an_answer_can_be_corrected,
    a_guardrail_leaves_the_question_open,
    the_helper_asks_too,
    a_page_is_asked_in_its_language,
    a_question_without_the_language_is_translated,
    without_a_model_a_question_stands_as_it_is,
    a_person_takes_over_also_after_a_fallback,
);

/// The first words of the questions of the demo course's document about scaling.
const SCALING: [&str; 3] = [
    "What do you want to scale",
    "What is it meant for",
    "Which amounts",
];
const WANTED: &str = "How do I scale a recipe of my own?";

const MEASURED: &str =
    "I measured pairs of numbers: is a straight line through my measurements fair?";

fn event(kind: ClientEventKind, question_index: i32) -> Option<ClientEvent> {
    Some(ClientEvent {
        kind: kind.into(),
        question_index,
        ..ClientEvent::default()
    })
}

fn pressing(thread: &Thread, kind: ClientEventKind, question_index: i32) -> TakeTurnRequest {
    TakeTurnRequest {
        event: event(kind, question_index),
        ..empty_turn(thread)
    }
}

/// The number of the question that an answer asks, from 1; 0: it answers.
fn asked(answer: &TakeTurnResponse) -> usize {
    let Some(progress) = &answer.clarification else {
        assert_eq!(answer.dialog_state(), DialogState::AnswerProvided);
        return 0;
    };
    assert_eq!(answer.dialog_state(), DialogState::NeedsClarification);
    assert_eq!(progress.question_count, 3);
    let number = usize::try_from(progress.question_number).unwrap();
    let message = tutor(answer);
    let labels: Vec<_> = message
        .buttons
        .iter()
        .map(|b| b.label_key.as_str())
        .collect();
    let mut expected = vec!["skip_questions", "correct_answer", "cancel_questions"];
    if number == 1 {
        expected.remove(1);
    }
    assert_eq!(labels, expected);
    assert_eq!(answer.model, "");
    number
}

async fn step_of(
    suite: &Deployment,
    ada: &Student,
    answer: &TakeTurnResponse,
) -> ClarificationStep {
    let record: TurnRecord = Staff::of(suite).record(&ada.id, &answer.turn_id).await;
    record.facts.unwrap().clarification.unwrap().step()
}

/// How often retrieval was asked for anything so far, counted at the service.
async fn searches(suite: &Deployment) -> u64 {
    let at = suite.at(Service::Retrieval).admin.unwrap();
    let mut sum = 0;
    for method in ["MapMessage", "Retrieve", "GetReference"] {
        let method = format!("/turnwise.retrieval.v1.RetrievalService/{method}");
        sum += admin::handled(at, &method, "OK").await;
    }
    sum
}

/// Those that nobody has resolved.
async fn escalations(teacher: &Teacher) -> Vec<Escalation> {
    let request = teacher.request(ListEscalationsRequest {
        class_id: Student::CLASS.to_owned(),
        ..ListEscalationsRequest::default()
    });
    let page = teacher.classes().list_escalations(request).await.unwrap();
    page.into_inner().escalations
}

async fn questions_are_asked_in_order_and_then_answered(kind: Kind) {
    let suite = Deployment::start(kind, Options::new().env("ADMIN_LISTEN", "127.0.0.1:0")).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let first = ada.say(&thread, WANTED).await;
    assert_eq!(asked(&first), 1);
    assert!(tutor(&first).text.starts_with(SCALING[0]));
    assert_eq!(
        step_of(&suite, &ada, &first).await,
        ClarificationStep::Started
    );

    let before = searches(&suite).await;
    let second = ada
        .say(&thread, "A cake: 300 g of flour for 4 people")
        .await;
    assert_eq!(asked(&second), 2);
    assert!(tutor(&second).text.starts_with(SCALING[1]));
    let third = ada.say(&thread, "4").await;
    assert_eq!(asked(&third), 3);
    assert!(tutor(&third).text.starts_with(SCALING[2]));
    let last = ada.say(&thread, "the eggs, see mum@example.org").await;
    assert_eq!(asked(&last), 0);
    assert_eq!(
        searches(&suite).await,
        before,
        "nothing is searched meanwhile"
    );
    assert_eq!(last.session_status(), SessionStatus::Active);
    assert_eq!(last.model, "mock", "one answer of a model");

    let record: TurnRecord = Staff::of(&suite).record(&ada.id, &last.turn_id).await;
    Tools::new().await.insist(&record).await;
    let (facts, texts) = (record.facts.unwrap(), record.texts.unwrap());
    let step = facts.clarification.unwrap();
    assert_eq!(step.step(), ClarificationStep::Completed);
    assert_eq!((step.answer_count, step.question_count), (3, 3));
    let with = texts.clarification.unwrap();
    assert_eq!(with.original_query, WANTED);
    assert!(with.original_doc_content.contains("the factor"));
    let answers: Vec<_> = with
        .answers
        .iter()
        .map(|a| (a.index, a.answer.as_str()))
        .collect();
    assert_eq!(answers[0], (0, "A cake: 300 g of flour for 4 people"));
    assert_eq!(answers[1], (1, "4"));
    assert!(answers[2].1.starts_with("the eggs") && !answers[2].1.contains("mum@"));

    // The document was clarified in this thread: it is not asked about again.
    assert_eq!(asked(&ada.say(&thread, WANTED).await), 0);
    let other = ada.open(DEMO_COURSE).await;
    assert_eq!(asked(&ada.say(&other, WANTED).await), 1);
    suite.nothing_panicked();
}

async fn words_and_buttons_end_the_questions(kind: Kind) {
    let suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    for (end, step) in [
        (None, ClarificationStep::Skipped),
        (
            Some(ClientEventKind::ClarificationSkip),
            ClarificationStep::Skipped,
        ),
        (
            Some(ClientEventKind::ClarificationCancel),
            ClarificationStep::Cancelled,
        ),
    ] {
        let thread = ada.open(DEMO_COURSE).await;
        assert_eq!(asked(&ada.say(&thread, WANTED).await), 1);
        // A sentence with the word in it is an answer.
        assert_eq!(asked(&ada.say(&thread, "I would skip the eggs").await), 2);
        let ended = match end {
            None => ada.say(&thread, " Skip it! ").await,
            Some(kind) => ada.turn(pressing(&thread, kind, 0)).await.unwrap(),
        };
        assert_eq!(asked(&ended), 0);
        assert_eq!(step_of(&suite, &ada, &ended).await, step);
        // What was skipped is not asked again; what was cancelled may be.
        let again = asked(&ada.say(&thread, WANTED).await);
        assert_eq!(again, usize::from(step == ClarificationStep::Cancelled));
    }
    // Another button drops the questions and does what it says.
    let thread = ada.open(DEMO_COURSE).await;
    ada.say(&thread, WANTED).await;
    let drill = ada
        .press(&thread, ClientEventKind::RequestDrill, "ALG-01")
        .await;
    assert_eq!(asked(&drill), 0);
    assert_eq!(
        step_of(&suite, &ada, &drill).await,
        ClarificationStep::Cancelled
    );
    // And a button of questions that are over is told so.
    let late = pressing(&thread, ClientEventKind::ClarificationSkip, 0);
    let refused = ada.turn(late).await.unwrap_err();
    check_refusal(
        &refused,
        tonic::Code::InvalidArgument,
        ErrorReason::InvalidArgument,
        "event.kind",
    );
    suite.nothing_panicked();
}

async fn an_answer_can_be_corrected(kind: Kind) {
    let suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    ada.say(&thread, WANTED).await;
    ada.say(&thread, "a drawing").await;
    assert_eq!(asked(&ada.say(&thread, "20 cm").await), 3);
    for wrong in [2, -1] {
        let refused = pressing(&thread, ClientEventKind::ClarificationCorrect, wrong);
        let refused = ada.turn(refused).await.unwrap_err();
        check_refusal(
            &refused,
            tonic::Code::InvalidArgument,
            ErrorReason::InvalidArgument,
            "event.question_index",
        );
    }
    let back = pressing(&thread, ClientEventKind::ClarificationCorrect, 0);
    assert_eq!(asked(&ada.turn(back).await.unwrap()), 1);
    for (answer, next) in [("a recipe", 2), ("4 people", 3), ("eggs", 0)] {
        assert_eq!(asked(&ada.say(&thread, answer).await), next);
    }
    suite.nothing_panicked();
}

async fn a_guardrail_leaves_the_question_open(kind: Kind) {
    let suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    ada.say(&thread, WANTED).await;
    let stopped = ada.say(&thread, "I want to kill myself").await;
    assert_eq!(stopped.dialog_state(), DialogState::NeedsClarification);
    assert_eq!(
        stopped.clarification,
        Some(ClarificationProgress {
            question_number: 1,
            question_count: 3,
            document_title: "Scaling a recipe or a plan of your own".to_owned(),
        })
    );
    assert_eq!(asked(&ada.say(&thread, "a recipe").await), 2);
    suite.nothing_panicked();
}

async fn the_helper_asks_too(kind: Kind) {
    let home = tempfile::tempdir().unwrap();
    let settings = Settings {
        text: "What is the factor?".to_owned(),
        ..Settings::default()
    };
    let model = ModelServerProcess::start(&settings, home.path());
    let options = Options::new()
        .env("HELPER_LLM_BACKEND", "openai_compatible")
        .env("OPENAI_BASE_URL", model.url())
        .env("OPENAI_MODEL", "model");
    let suite = Deployment::start(kind, options).await;
    let page = page(&suite, lesson("lesson-alg-05")).await;
    let ada = suite.student("ada");
    let first = ada.chat(asking(&page, WANTED)).await.unwrap();
    assert_eq!(first.dialog_state(), DialogState::NeedsClarification);
    assert!(first.text.starts_with(SCALING[0]), "{}", first.text);
    assert_eq!((first.attempts, first.buttons.len()), (0, 2));
    let second = ada.chat(going_on(&page, &first, "a recipe")).await.unwrap();
    assert!(second.text.starts_with(SCALING[1]), "{}", second.text);
    let back = ChatRequest {
        message: String::new(),
        event: event(ClientEventKind::ClarificationCorrect, 0),
        ..going_on(&page, &first, "")
    };
    let back = ada.chat(back).await.unwrap();
    assert_eq!(back.clarification.unwrap().question_number, 1);
    for answer in ["a drawing", "20 cm now, 2 m then"] {
        let next = ada.chat(going_on(&page, &first, answer)).await.unwrap();
        assert_eq!(next.attempts, 0);
    }
    assert_eq!(model.statistics().await.completions.begun, 0);
    let last = ada.chat(going_on(&page, &first, "none")).await.unwrap();
    assert_eq!(last.dialog_state(), DialogState::AnswerProvided);
    assert_eq!(last.attempts, 1);
    assert!(last.text.contains("What is the factor?"), "{}", last.text);
    suite.nothing_panicked();
}

/// The helper asks a model that is at this address.
fn with_model(url: &str) -> Options {
    Options::new()
        .env("HELPER_LLM_BACKEND", "openai_compatible")
        .env("OPENAI_BASE_URL", url)
        .env("OPENAI_MODEL", "model")
}

/// A page of the lesson about scaling, in a language.
async fn page_in(suite: &Deployment, language: &str) -> String {
    let scope = LessonScope {
        language: language.to_owned(),
        ..lesson("lesson-alg-05")
    };
    page(suite, scope).await
}

async fn a_page_is_asked_in_its_language(kind: Kind) {
    let home = tempfile::tempdir().unwrap();
    let model = ModelServerProcess::start(&Settings::default(), home.path());
    let suite = Deployment::start(kind, with_model(&model.url())).await;
    let ada = suite.student("ada");
    let german = page_in(&suite, "de").await;
    let first = ada.chat(asking(&german, WANTED)).await.unwrap();
    assert_eq!(first.dialog_state(), DialogState::NeedsClarification);
    let begins = "Was möchtest du vergrößern oder verkleinern";
    assert!(first.text.starts_with(begins), "{}", first.text);
    let second = ada.chat(going_on(&german, &first, "ein Rezept")).await;
    let second = second.unwrap();
    assert!(second.text.starts_with("Wofür ist es"), "{}", second.text);

    // There is no French list, and the setting is off.
    let french = page_in(&suite, "fr").await;
    let bob = suite.student("bob");
    let first = bob.chat(asking(&french, WANTED)).await.unwrap();
    assert!(first.text.starts_with(SCALING[0]), "{}", first.text);
    assert_eq!(first.attempts, 0);
    assert_eq!(model.statistics().await.completions.begun, 0);
    suite.nothing_panicked();
}

async fn a_question_without_the_language_is_translated(kind: Kind) {
    let home = tempfile::tempdir().unwrap();
    let translated = "Que veux-tu agrandir ou réduire ?";
    let settings = Settings {
        text: translated.to_owned(),
        ..Settings::default()
    };
    let model = ModelServerProcess::start(&settings, home.path());
    let options = with_model(&model.url()).env("CLARIFICATION_TRANSLATE", "1");
    let suite = Deployment::start(kind, options).await;
    let ada = suite.student("ada");
    let french = page_in(&suite, "fr").await;
    let first = ada.chat(asking(&french, WANTED)).await.unwrap();
    assert_eq!(first.dialog_state(), DialogState::NeedsClarification);
    assert_eq!(first.text, translated);
    assert_eq!(model.statistics().await.completions.begun, 1);

    // The author's own list needs no model.
    let german = page_in(&suite, "de").await;
    let bob = suite.student("bob");
    let first = bob.chat(asking(&german, WANTED)).await.unwrap();
    assert!(first.text.starts_with("Was möchtest"), "{}", first.text);
    assert_eq!(model.statistics().await.completions.begun, 1);
    suite.nothing_panicked();
}

async fn without_a_model_a_question_stands_as_it_is(kind: Kind) {
    // Nothing listens there.
    let options = with_model("http://127.0.0.1:9").env("CLARIFICATION_TRANSLATE", "1");
    let suite = Deployment::start(kind, options).await;
    let ada = suite.student("ada");
    let french = page_in(&suite, "fr").await;
    let first = ada.chat(asking(&french, WANTED)).await.unwrap();
    assert_eq!(first.dialog_state(), DialogState::NeedsClarification);
    assert!(first.text.starts_with(SCALING[0]), "{}", first.text);
    suite.nothing_panicked();
}

async fn a_person_takes_over_also_after_a_fallback(kind: Kind) {
    // Nothing listens there.
    let options = Options::new()
        .env("HELPER_LLM_BACKEND", "openai_compatible")
        .env("OPENAI_BASE_URL", "http://127.0.0.1:9")
        .env("OPENAI_MODEL", "model");
    let suite = Deployment::start(kind, options).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let mut answer = ada.say(&thread, MEASURED).await;
    for _ in 0..3 {
        assert_eq!(answer.session_status(), SessionStatus::Active);
        assert_ne!(asked(&answer), 0);
        answer = ada.say(&thread, "see above").await;
    }
    assert_eq!(asked(&answer), 0);
    assert_eq!(answer.session_status(), SessionStatus::Escalated);
    assert!(!answer.degraded_reasons.is_empty());
    let text = &tutor(&answer).text;
    assert!(text.ends_with("I've let your teacher know, too."), "{text}");
    assert_eq!(
        ada.say(&thread, "thanks").await.session_status(),
        SessionStatus::Escalated
    );

    let teacher = Teacher::of(&suite);
    let page = page(&suite, lesson("lesson-alg-15")).await;
    let bob = suite.student("bob");
    let mut chat = bob.chat(asking(&page, MEASURED)).await.unwrap();
    for _ in 0..3 {
        assert_eq!(chat.dialog_state(), DialogState::NeedsClarification);
        let next = going_on(&page, &chat, "see above");
        chat = bob.chat(next).await.unwrap();
    }
    assert_eq!(chat.session_status(), SessionStatus::Escalated);
    assert_eq!(chat.text, "I've let your teacher know, too.");
    assert!(!chat.degraded_reasons.is_empty());
    let mut open = escalations(&teacher).await;
    assert_eq!(open.len(), 2);
    assert_eq!(open[0].student_id, "bob");
    let of_bob = open.remove(0);
    let resolve_bob = teacher.request(ResolveEscalationRequest {
        class_id: Student::CLASS.to_owned(),
        escalation_id: of_bob.escalation_id,
        idempotency_key: fresh_key(),
    });
    teacher
        .classes()
        .resolve_escalation(resolve_bob)
        .await
        .unwrap();
    let escalation = &open[0];
    assert_eq!(escalation.document_id, "line-through-measurements");
    assert_eq!(
        (&escalation.thread_id, &escalation.turn_id),
        (&thread.thread_id, &answer.turn_id)
    );
    let mut watched = teacher
        .classes()
        .watch_class(teacher.request(WatchClassRequest {
            class_id: Student::CLASS.to_owned(),
            ..WatchClassRequest::default()
        }))
        .await
        .unwrap()
        .into_inner();
    let told = loop {
        let news = watched.message().await.unwrap().unwrap();
        if let Some(Event::Escalation(told)) = news.event {
            break told;
        }
    };
    assert_eq!(&told, escalation);
    let resolve = |escalation_id: &str| ResolveEscalationRequest {
        class_id: Student::CLASS.to_owned(),
        escalation_id: escalation_id.to_owned(),
        idempotency_key: fresh_key(),
    };
    let unknown = teacher.request(resolve(&fresh_key()));
    let refused = teacher.classes().resolve_escalation(unknown).await;
    check_refusal(
        &refused.unwrap_err(),
        tonic::Code::NotFound,
        ErrorReason::UnknownAlert,
        "escalation_id",
    );
    let known = teacher.request(resolve(&escalation.escalation_id));
    let resolved = teacher.classes().resolve_escalation(known).await.unwrap();
    let resolved = resolved.into_inner().escalation.unwrap();
    assert!(!resolved.resolved_by.is_empty() && resolved.resolve_time.is_some());
    assert_eq!(escalations(&teacher).await, []);
    let after = ada.say(&thread, "thanks").await;
    assert_eq!(after.session_status(), SessionStatus::Active);
    suite.nothing_panicked();
}
