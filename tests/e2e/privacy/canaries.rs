//! Forty names, e-mail addresses and phone numbers, planted in every text that a public call takes, come out nowhere: not of
//! an answer, a failure, a log, a span, a metric, a webhook, an archive, an export or the store.

use std::{
    fmt::{Debug, Write},
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{Router, body::Bytes, extract::State, routing::post};
use base64::{Engine, engine::general_purpose::STANDARD};
use tokio::net::TcpListener;
use turnwise_proto::{
    classes::v1::AlertFilter,
    llm::v1::{GetQueuesRequest, llm_queue_service_client::LlmQueueServiceClient},
    retrieval::v1::{SearchRequest, index_service_client::IndexServiceClient},
    school::v1::{
        self as school, EraseStudentRequest, ExportClassRequest, ExportStudentRequest,
        ListAuditEntriesRequest, ListDeadLettersRequest, ListSafeguardingAlertsRequest,
        ListStuckStudentsRequest, ResetClassConversationsRequest, SetClassRosterRequest,
    },
    tutor::v1::{
        ClientEventKind, CreateThreadRequest, DrillCard, GradeDrillRequest, StudentInput,
        SubmitExamAnswerRequest, Thread, submit_exam_answer_request::Answer, tutor_card::Content,
    },
};
use turnwise_tests::{
    admin,
    answer::tutor,
    deployment::Deployment,
    evidence::{Seed, drilled},
    options::{Kind, Options},
    staff::Staff,
    student::{DEMO_COURSE, Student, fresh_key, new_thread, saying},
    teacher::Teacher,
    traces::TraceReceiver,
};

use super::{left_below, redis_values};

in_both_deployments!(no_canary_is_found_anywhere);

const UNIT: &str = "ALG-01";
/// A class with the same names, whose reset leaves the words of the first in the store.
const OTHER_CLASS: &str = "8a";
/// First and last names that stand nowhere else.
const NAMES: [&str; 14] = [
    "Zebedee Quux",
    "Ophelia Thackeray",
    "Barnabus Fezziwig",
    "Philippa Winterbourne",
    "Lysander Oakenshott",
    "Cressida Marchbanks",
    "Thelonius Grubb",
    "Persephone Achterberg",
    "Ignatius Peverell",
    "Rosalind Tanqueray",
    "Montague Silverlock",
    "Evangeline Dashwood",
    "Cornelius Babbage",
    "Wilhelmina Zeitgeber",
];
/// Thirteen of the forty are e-mail addresses, and thirteen phone numbers.
const ADDRESSES: usize = 13;

fn email(number: usize) -> String {
    format!("canary.{number:0>2}@pelican-mail.example.org")
}

fn phone(number: usize) -> String {
    format!("+44 7700 9001{number:0>2}")
}

/// What must be found nowhere: each word of a name by itself, a number also without its spaces.
fn canaries() -> Vec<String> {
    let names = NAMES.iter().flat_map(|name| name.split(' '));
    let mut canaries: Vec<String> = names.map(str::to_owned).collect();
    for number in 0..ADDRESSES {
        canaries.push(email(number));
        canaries.push(phone(number));
        canaries.push(phone(number).replace(' ', ""));
    }
    canaries
}

/// What somebody writes of themselves; each place for text has a number of its own.
fn words(place: usize) -> String {
    let (name, number) = (NAMES[place % NAMES.len()], place % ADDRESSES);
    let (email, phone) = (email(number), phone(number));
    format!("I am {name}, write to {email} or call me {phone}. Is 12 - 5 = 7?")
}

/// Everything that came out, with where.
#[derive(Default)]
struct Found(Vec<(String, String)>);

impl Found {
    /// What a call came to, an answer or a failure.
    fn call<T: Debug, E: Debug>(&mut self, what: &str, outcome: Result<T, E>) -> Option<T> {
        let mut text = String::new();
        let _ = match &outcome {
            Ok(answer) => write!(text, "{answer:?}"),
            Err(failure) => write!(text, "{failure:?}"),
        };
        self.0.push((what.to_owned(), text));
        outcome.ok()
    }

    fn bytes(&mut self, what: impl Into<String>, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes).into_owned();
        self.0.push((what.into(), text));
    }

    /// No canary is in any of it, and something was looked at of each of these kinds.
    fn is_clean(&self, kinds: &[&str]) {
        for kind in kinds {
            let seen = self.0.iter().find(|(what, _)| what.starts_with(kind));
            assert!(seen.is_some(), "nothing of `{kind}` was looked at");
        }
        for canary in canaries() {
            for (what, text) in &self.0 {
                if let Some(at) = text.find(&canary) {
                    let around: String = text[..at].chars().rev().take(200).collect();
                    let around: String = around.chars().rev().collect();
                    panic!("{what} holds {canary}: {around}{canary}");
                }
            }
        }
    }
}

/// A platform that takes webhooks, and keeps what it was told.
async fn platform() -> (String, Arc<Mutex<Vec<Bytes>>>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let router = Router::new()
        .route(
            "/told",
            post(
                |State(told): State<Arc<Mutex<Vec<Bytes>>>>, body: Bytes| async move {
                    told.lock().unwrap().push(body);
                },
            ),
        )
        .with_state(Arc::clone(&told));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/told", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, told)
}

async fn no_canary_is_found_anywhere(kind: Kind) {
    let mut spans = TraceReceiver::start().await;
    let (platform, told) = platform().await;
    let keys = tempfile::NamedTempFile::new().unwrap();
    let line = format!("k1 {}\n", STANDARD.encode([7; 32]));
    std::fs::write(keys.path(), line).unwrap();
    // The model quotes what it was told; every log is on.
    let options = ["AUDIT_EVENT_URL", "ALERT_EVENT_URL", "ACCESS_EVENT_URL"]
        .into_iter()
        .fold(Options::new(), |options, name| options.env(name, &platform))
        .env("WEBHOOK_KEYS_FILE", keys.path().display().to_string())
        .env("WEBHOOK_ALLOW_PRIVATE", "1")
        .env(
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            format!("http://{}", spans.address),
        )
        .env("ADMIN_LISTEN", "127.0.0.1:0")
        .env("LOG_FILTER", "trace")
        .model("mock:echo")
        .evidence(Seed::units("nia", DEMO_COURSE, vec![drilled(UNIT)]));
    let mut suite = Deployment::start(kind, options).await;
    let mut found = Found::default();
    let turns = plant(&suite, &mut found).await;
    look(&suite, &mut found, &turns).await;
    // Alerts and audit entries are delivered until they arrive.
    let arrived = async {
        while told.lock().unwrap().len() < 3 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), arrived)
        .await
        .expect("webhooks arrive");
    for service in suite.services() {
        let (_, metrics) = admin::get(suite.at(service).admin.unwrap(), "/metrics").await;
        found.bytes(format!("metrics of {service:?}"), metrics.as_bytes());
    }
    if let Some(redis) = suite.redis() {
        for (key, value) in redis_values(redis) {
            // The roster itself is where names are kept.
            if !key.ends_with(":roster") {
                found.bytes(format!("stored {key}"), &value);
            }
        }
    }
    suite.stop();
    for body in told.lock().unwrap().iter() {
        found.bytes("webhook", body);
    }
    for line in suite.logs() {
        found.bytes("log", line.as_bytes());
    }
    for span in spans.all() {
        found.bytes("span", format!("{span:?}").as_bytes());
    }
    for (place, bytes) in left_below(suite.home()) {
        // The roster itself is where names are kept; of the store's file, the rows are looked at one by one.
        if !place.starts_with("stored roster") && !place.ends_with("session.redb") {
            found.bytes(place, &bytes);
        }
    }
    found.is_clean(&[
        "TakeTurn", "metrics", "webhook", "log", "span", "stored", "archive",
    ]);
}

/// Every call of a student, of the class's teacher and of staff that takes text of people, with canaries in each.
async fn plant(suite: &Deployment, found: &mut Found) -> Vec<String> {
    let staff = Teacher::with_role(suite, "principal", "staff", Student::CLASS);
    for class in [Student::CLASS, OTHER_CLASS] {
        let set = staff.request(SetClassRosterRequest {
            class_id: class.to_owned(),
            names: NAMES.map(str::to_owned).to_vec(),
            idempotency_key: fresh_key(),
        });
        // Its answer names those of the names that are words, too; here none is.
        let set = staff.classes().set_class_roster(set).await;
        found.call("SetClassRoster", set).expect("a roster");
    }

    let nia = suite.student("nia");
    let titled = CreateThreadRequest {
        title: words(0),
        ..new_thread(DEMO_COURSE)
    };
    let titled = found.call("CreateThread", nia.create_thread(titled).await);
    let thread = titled.expect("a thread");
    let mut turns = Vec::new();
    for place in [1, 12, 13] {
        let answer = nia.turn(saying(&thread, &words(place))).await;
        turns.push(found.call("TakeTurn", answer).expect("an answer").turn_id);
    }
    let mut news = nia.stream_turn(saying(&thread, &words(2))).await.unwrap();
    while found
        .call("StreamTurn", news.message().await)
        .flatten()
        .is_some()
    {}
    // What is refused, and what is stopped before anybody reads it.
    let refused = saying(&thread, &format!("{}\0", words(3)));
    found.call("TakeTurn", nia.turn(refused).await);
    let long = saying(&thread, &words(3).repeat(100));
    found.call("TakeTurn", nia.turn(long).await);
    for call in ["I am going to commit suicide.", "I want to hurt myself."] {
        let help = saying(&thread, &format!("{call} {}", words(4)));
        let answer = nia.turn(help).await;
        turns.push(found.call("TakeTurn", answer).expect("an answer").turn_id);
    }
    exam(&nia, &thread, found).await;
    drill(&nia, &thread, found).await;

    let search = staff.request(SearchRequest {
        course_id: DEMO_COURSE.to_owned(),
        text: words(9),
        recent_texts: vec![words(10)],
        ..SearchRequest::default()
    });
    let mut index = IndexServiceClient::new(suite.channel());
    let hits = index.search(search).await;
    found.call("Search", hits);
    turns
}

/// A drill of the tutor's, and a card that only claims to be: answered by keyboard and by voice.
async fn drill(nia: &Student, thread: &Thread, found: &mut Found) {
    let asked = nia.press(thread, ClientEventKind::RequestDrill, UNIT).await;
    let Some(Content::Drill(set)) = tutor(&asked).card.clone().and_then(|card| card.content) else {
        panic!("no drill: {asked:?}");
    };
    let forged = DrillCard {
        prompt: words(7),
        question_latex: String::new(),
        drill_token: String::new(),
    };
    for (card, text, voice_transcript) in [
        (&set, words(5), words(6)),
        (&set, words(5), String::new()),
        (&forged, "5".to_owned(), String::new()),
    ] {
        let grade = GradeDrillRequest {
            thread_id: thread.thread_id.clone(),
            course_id: DEMO_COURSE.to_owned(),
            unit_id: UNIT.to_owned(),
            drill: Some(card.clone()),
            answer: Some(StudentInput {
                text,
                voice_transcript,
                ..StudentInput::default()
            }),
            idempotency_key: fresh_key(),
        };
        found.call("GradeDrill", nia.grade_drill(grade).await);
    }
}

/// An exam question, answered in words.
async fn exam(nia: &Student, thread: &Thread, found: &mut Found) {
    let asked = nia
        .press(thread, ClientEventKind::DrillContinue, UNIT)
        .await;
    let Some(Content::Exam(exam)) = tutor(&asked).card.clone().and_then(|card| card.content) else {
        panic!("no exam question: {asked:?}");
    };
    for offer_token in [String::new(), exam.offer_token.clone()] {
        let submit = SubmitExamAnswerRequest {
            thread_id: thread.thread_id.clone(),
            course_id: DEMO_COURSE.to_owned(),
            unit_id: UNIT.to_owned(),
            question_id: exam.question_id.clone(),
            tier: exam.tier,
            offer_token,
            idempotency_key: fresh_key(),
            answer: Some(Answer::AnswerText(words(8))),
            ..SubmitExamAnswerRequest::default()
        };
        found.call("SubmitExamAnswer", nia.submit_exam(submit).await);
    }
}

/// Every call that reads, and then what archives, exports, resets and erases.
async fn look(suite: &Deployment, found: &mut Found, turns: &[String]) {
    let nia = suite.student("nia");
    let threads = nia.threads(50).await;
    for thread in &threads {
        let messages = nia.messages(&thread.thread_id, 50).await;
        assert!(!messages.is_empty());
        found.call("GetThread", Ok::<_, ()>(messages));
    }
    found.call("ListThreads", Ok::<_, ()>(threads));
    found.call("GetSnapshotLite", nia.standing(DEMO_COURSE).await);

    let (explainer, teacher) = (Staff::of(suite), Teacher::of(suite));
    for turn_id in turns {
        let explained = explainer.explain_turn(&nia.id, turn_id).await;
        found.call("ExplainTurn", explained);
        let explain = teacher.request(school::ExplainTurnRequest {
            class_id: Student::CLASS.to_owned(),
            student_id: nia.id.clone(),
            turn_id: turn_id.clone(),
        });
        found.call(
            "ClassService/ExplainTurn",
            teacher.classes().explain_turn(explain).await,
        );
    }
    let report = teacher.report(DEMO_COURSE).await;
    assert!(!report.students.is_empty());
    found.call("ClassReport", Ok::<_, ()>(report));
    let stuck = teacher.request(ListStuckStudentsRequest {
        class_id: Student::CLASS.to_owned(),
        course_id: DEMO_COURSE.to_owned(),
        ..ListStuckStudentsRequest::default()
    });
    let stuck = teacher.classes().list_stuck_students(stuck).await;
    found.call("ListStuckStudents", stuck);
    let alerts = teacher.request(ListSafeguardingAlertsRequest {
        class_id: Student::CLASS.to_owned(),
        filter: AlertFilter::All.into(),
        ..ListSafeguardingAlertsRequest::default()
    });
    let alerts = teacher.classes().list_safeguarding_alerts(alerts).await;
    let alerts = found.call("ListSafeguardingAlerts", alerts).unwrap();
    assert!(!alerts.into_inner().alerts.is_empty());
    let export = teacher.request(ExportClassRequest {
        class_id: Student::CLASS.to_owned(),
        idempotency_key: fresh_key(),
    });
    let exported = teacher.classes().export_class(export).await;
    found
        .call("ExportClass", exported)
        .expect("an archive was written");

    let staff = Teacher::with_role(suite, "principal", "staff", OTHER_CLASS);
    let mut queues = LlmQueueServiceClient::new(suite.channel());
    let queues = queues
        .get_queues(staff.request(GetQueuesRequest::default()))
        .await;
    found.call("GetQueues", queues);
    let export = staff.request(ExportStudentRequest {
        student_id: nia.id.clone(),
    });
    let pieces = staff.records().export_student(export).await;
    let mut pieces = pieces.unwrap().into_inner();
    while let Some(piece) = pieces.message().await.unwrap() {
        found.bytes("ExportStudent", &piece.json);
    }
    // Another class and another student, so that what these wrote is still in the store.
    let reset = staff.request(ResetClassConversationsRequest {
        class_id: OTHER_CLASS.to_owned(),
        reason: words(10),
        idempotency_key: fresh_key(),
    });
    let reset = staff.classes().reset_class_conversations(reset).await;
    found.call("ResetClassConversations", reset);
    let ben = suite.student("ben");
    let thread = ben.open(DEMO_COURSE).await;
    ben.say(&thread, &words(11)).await;
    let erase = staff.request(EraseStudentRequest {
        student_id: ben.id,
        reason: words(11),
    });
    let erased = staff.records().erase_student(erase).await;
    found.call("EraseStudent", erased).expect("ben is erased");
    let audit = staff.request(ListAuditEntriesRequest::default());
    let audit = staff.records().list_audit_entries(audit).await;
    let audit = found.call("ListAuditEntries", audit).unwrap();
    assert!(!audit.into_inner().entries.is_empty());
    let letters = staff.request(ListDeadLettersRequest::default());
    let letters = staff.records().list_dead_letters(letters).await;
    found.call("ListDeadLetters", letters);
}
