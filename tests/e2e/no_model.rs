//! HELPER_LLM_BACKEND=none: what students get is the policy's own, nothing is degraded, no model's server hears of it, and
//! the suite is as ready as ever.

use turnwise_course_pack::load;
use turnwise_proto::{
    helper::v1::{GetHelperHealthRequest, helper_service_client::HelperServiceClient},
    school::v1::ListEscalationsRequest,
    tutor::v1::{
        ClientEventKind, DegradedReason, DialogState, DrillResult, GradeDrillRequest,
        SessionStatus, StudentInput, TakeTurnResponse, stream_turn_response::News,
        tutor_card::Content,
    },
};
use turnwise_testing::model_server::Settings;
use turnwise_tests::{
    admin,
    answer::{check_allowed, check_answer, tutor},
    chat::{asking, going_on, lesson, page},
    deployment::Deployment,
    model_server::ModelServerProcess,
    options::{Kind, Options, Service},
    process::repository,
    staff::Staff,
    student::{DEMO_COURSE, Student, fresh_key, saying},
    teacher::Teacher,
};

use crate::tutor::changed_records::Tools;

mod taught;

in_both_deployments!(
    turns_are_the_policys_own_and_degrade_nothing,
    drills_are_graded_by_the_rules,
    questions_are_asked_and_the_document_answers,
    the_first_turn_of_a_new_user_is_about_what_was_asked,
    a_chosen_unit_is_explained_as_it_was_asked_about,
    who_says_nothing_yet_is_asked_for_the_exercise,
    the_unit_of_the_text_that_answers_is_offered_first,
    below_a_first_step_no_unit_is_to_be_chosen,
    who_works_on_a_drill_is_led_nowhere_else,
    the_suite_is_ready,
);

/// A unit without a missing prerequisite.
const OPEN: &str = "ALG-01";
/// What follows an answer for which a person was told.
const HANDED_OFF: &str = "I've let your teacher know, too.";
/// Its best match is the demo course's document about measurements, which has three questions and wants a person.
const MEASURED: &str =
    "I measured pairs of numbers: is a straight line through my measurements fair?";
/// Its best match is the one about scaling, which has three questions.
const SCALED: &str = "How do I scale a recipe of my own?";

/// A suite that could call a model's server, and is told to call none.
struct WithoutModel {
    suite: Deployment,
    model: ModelServerProcess,
    _home: tempfile::TempDir,
}

impl WithoutModel {
    async fn start(kind: Kind) -> Self {
        let home = tempfile::tempdir().unwrap();
        let model = ModelServerProcess::start(&Settings::default(), home.path());
        let options = Options::new()
            .env("HELPER_LLM_BACKEND", "none")
            .env("OLLAMA_BASE_URL", model.url())
            .env("OPENAI_BASE_URL", model.url())
            // Who asks for no model reaches no limit of one.
            .env("LLM_ACTOR_REQUESTS_PER_MINUTE", "1")
            .env("ADMIN_LISTEN", "127.0.0.1:0");
        Self {
            suite: Deployment::start(kind, options).await,
            model,
            _home: home,
        }
    }

    /// Ends the suite; the model's server has heard of nobody.
    async fn stop(mut self) {
        let heard = self.model.statistics().await;
        assert_eq!((heard.completions.begun, heard.embeddings.begun), (0, 0));
        self.suite.nothing_panicked();
        self.suite.stop();
    }

    async fn metrics(&self, service: Service) -> String {
        let at = self.suite.at(service).admin.unwrap();
        admin::get(at, "/metrics").await.1
    }

    /// Insists that a turn is the policy's own, for the student and in its record, and that it can be made again whole.
    async fn check(&self, ada: &Student, answer: &TakeTurnResponse) {
        assert_eq!(answer.degraded_reasons().count(), 0, "{answer:?}");
        assert_eq!(answer.model, "");
        assert!(answer.retry_after.is_none() && answer.place_ticket.is_empty());
        let record = Staff::of(&self.suite)
            .record(&ada.id, &answer.turn_id)
            .await;
        Tools::new().await.insist(&record).await;
        let facts = record.facts.unwrap();
        assert!(facts.no_model);
        assert_eq!((facts.model_call, facts.prompt), (None, None));
        let verdict = facts.verdict.unwrap();
        assert_eq!(verdict.fallback_reason(), DegradedReason::Unspecified);
        assert_eq!(verdict.violation, "");
    }
}

async fn turns_are_the_policys_own_and_degrade_nothing(kind: Kind) {
    let without = WithoutModel::start(kind).await;
    let ada = without.suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let answer = ada.say(&thread, "what is -3 + 8?").await;
    check_answer(&thread, &answer);
    check_allowed(&answer, &without.suite.decision(&answer.turn_id));
    without.check(&ada, &answer).await;

    // A stream brings the same, and nothing that a model would have written.
    let turn = saying(&thread, "Why does minus a minus make a plus?");
    let mut stream = ada.stream_turn(turn).await.unwrap();
    let mut streamed = None;
    while let Some(piece) = stream.message().await.unwrap() {
        match piece.news.unwrap() {
            News::Progress(progress) => assert_eq!(progress.queue_position, 0, "{progress:?}"),
            News::Answer(answer) => streamed = Some(answer),
        }
    }
    let streamed = streamed.unwrap();
    assert!(!tutor(&streamed).text.is_empty());
    without.check(&ada, &streamed).await;

    for kind in [ClientEventKind::StuckHint, ClientEventKind::RequestDrill] {
        let answer = ada.press(&thread, kind, OPEN).await;
        without.check(&ada, &answer).await;
    }
    let counted = without.metrics(Service::Policy).await;
    let own = "policy_replies_total{outcome=\"no_model\"} 4";
    assert!(counted.contains(own), "{counted}");
    assert!(!counted.contains("outcome=\"llm_off\""), "{counted}");
    without.stop().await;
}

async fn drills_are_graded_by_the_rules(kind: Kind) {
    let without = WithoutModel::start(kind).await;
    let ada = without.suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let set = ada
        .press(&thread, ClientEventKind::RequestDrill, OPEN)
        .await;
    let card = tutor(&set).card.clone().unwrap();
    let Some(Content::Drill(drill)) = card.content else {
        panic!("no drill: {card:?}");
    };
    let wrong = GradeDrillRequest {
        thread_id: thread.thread_id.clone(),
        course_id: thread.course_id.clone(),
        unit_id: OPEN.to_owned(),
        drill: Some(drill),
        answer: Some(StudentInput {
            text: "777".to_owned(),
            ..StudentInput::default()
        }),
        idempotency_key: fresh_key(),
    };
    let graded = ada.grade_drill(wrong).await.unwrap();
    assert_eq!(graded.result(), DrillResult::Incorrect);
    assert_eq!(graded.degraded_reasons().count(), 0, "{graded:?}");
    assert!(!graded.feedback_text.is_empty());
    without.stop().await;
}

async fn questions_are_asked_and_the_document_answers(kind: Kind) {
    let without = WithoutModel::start(kind).await;
    let suite = &without.suite;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let mut answer = ada.say(&thread, MEASURED).await;
    for _ in 0..3 {
        assert_eq!(answer.dialog_state(), DialogState::NeedsClarification);
        answer = ada.say(&thread, "see above").await;
    }
    assert_eq!(answer.session_status(), SessionStatus::Escalated);
    let text = &tutor(&answer).text;
    assert!(text.ends_with(HANDED_OFF), "{text}");
    without.check(&ada, &answer).await;

    // The helper has no words of its own: the document is read out.
    let rows = [
        (
            "lesson-alg-15",
            MEASURED,
            "Plot every pair as a point",
            true,
        ),
        (
            "lesson-alg-05",
            SCALED,
            "Multiply every amount by the factor",
            false,
        ),
    ];
    let bob = suite.student("bob");
    for (context, wanted, says, is_handed_off) in rows {
        let page = page(suite, lesson(context)).await;
        let mut chat = bob.chat(asking(&page, wanted)).await.unwrap();
        for _ in 0..3 {
            assert_eq!(chat.dialog_state(), DialogState::NeedsClarification);
            let next = going_on(&page, &chat, "see above");
            chat = bob.chat(next).await.unwrap();
        }
        assert_eq!(chat.dialog_state(), DialogState::AnswerProvided);
        assert!(chat.text.contains(says), "{}", chat.text);
        let told = chat.text.ends_with(HANDED_OFF);
        assert_eq!(told, is_handed_off, "{}", chat.text);
        assert!(chat.degraded_reasons.is_empty(), "{chat:?}");
    }
    let teacher = Teacher::of(suite);
    let request = teacher.request(ListEscalationsRequest {
        class_id: Student::CLASS.to_owned(),
        ..ListEscalationsRequest::default()
    });
    let waiting = teacher.classes().list_escalations(request).await.unwrap();
    assert_eq!(waiting.into_inner().escalations.len(), 2);
    without.stop().await;
}

/// The turn that scripts/start shows. It is no path that begins elsewhere: the unit needs no other, and the course answers.
async fn the_first_turn_of_a_new_user_is_about_what_was_asked(kind: Kind) {
    let script = std::fs::read_to_string(repository().join("scripts/start")).unwrap();
    let question = script
        .lines()
        .find_map(|line| line.strip_prefix("text=\"")?.strip_suffix('"'))
        .expect("scripts/start asks something");
    let without = WithoutModel::start(kind).await;
    let ada = without.suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let answer = ada.say(&thread, question).await;
    let standing = answer.snapshot_lite.clone().unwrap();
    assert_eq!(standing.focus.unwrap().unit_id, "ALG-03");
    assert!(standing.target.is_none(), "{:?}", standing.target);
    explains(&answer, "ALG-03");
    // The section before it says what a fraction is, and only its unit's title has the other word.
    let text = &tutor(&answer).text;
    assert!(text.contains(" (From: Equivalent fractions) "), "{text}");
    without.check(&ada, &answer).await;
    without.stop().await;
}

/// Insists that an answer is the unit's key idea or the words of its lesson, with the heading of their section.
fn explains(answer: &TakeTurnResponse, unit_id: &str) {
    let pack = load(&repository().join("courses").join(DEMO_COURSE)).unwrap();
    let unit = pack.units.iter().find(|unit| unit.id == unit_id).unwrap();
    let idea = unit.key_idea.as_ref().unwrap();
    let text = &tutor(answer).text;
    let own = pack.chunks.iter().filter(|chunk| chunk.unit == unit_id);
    let mut sources = own.filter(|chunk| text.contains(&format!(" (From: {}) ", chunk.section)));
    let source = sources.next().unwrap_or_else(|| panic!("{text}"));
    let begins = source.text.chars().take(40).collect::<String>();
    let is_idea = source.id == idea.chunk && text.starts_with(&idea.text);
    let is_lesson = text.starts_with(&format!("Your lesson says: {begins}"));
    assert!(is_idea || is_lesson, "{text}");
}

/// The choice has no words of its own: the message that could not be placed is what is answered.
async fn a_chosen_unit_is_explained_as_it_was_asked_about(kind: Kind) {
    let without = WithoutModel::start(kind).await;
    let ada = without.suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let question =
        "Why is the result of subtracting 3 - (−4) the same as the result of adding 3 + 4?";
    let asked = ada.say(&thread, question).await;
    let mut buttons = tutor(&asked).buttons.iter();
    let offered = buttons.any(|button| {
        let event = button.event.as_ref();
        event.is_some_and(|event| {
            event.kind() == ClientEventKind::ChooseUnit && event.unit_id == OPEN
        })
    });
    assert!(offered, "{asked:?}");
    let chosen = ada.press(&thread, ClientEventKind::ChooseUnit, OPEN).await;
    explains(&chosen, OPEN);
    without.check(&ada, &chosen).await;
}

async fn who_says_nothing_yet_is_asked_for_the_exercise(kind: Kind) {
    let without = WithoutModel::start(kind).await;
    let pack = load(&repository().join("courses").join(DEMO_COURSE)).unwrap();
    let mut units = pack.units.iter();
    let entry = units.find(|unit| unit.id == pack.course.entry_unit);
    let wrong = &entry.unwrap().misconceptions;
    let [first, second] = [0, 1].map(|at| wrong[at].question.as_str());
    let ada = without.suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let greeted = format!("Hello!\n\n{first}");
    for (said, question) in [("hi", greeted.as_str()), ("what", second)] {
        let answer = ada.say(&thread, said).await;
        assert_eq!(tutor(&answer).text, question, "{said}");
        without.check(&ada, &answer).await;
    }
    let text = tutor(&ada.say(&thread, "idk").await).text.clone();
    assert!(!text.contains("Welcome") && text != first && text != second);
    // A document of the course has both words.
    let thread = ada.open(DEMO_COURSE).await;
    let answer = ada.say(&thread, "I need some help").await;
    assert_eq!(tutor(&answer).text, first);
    assert_eq!(answer.dialog_state(), DialogState::AnswerProvided);
    let thread = ada.open(DEMO_COURSE).await;
    let answer = ada
        .say(
            &thread,
            "I want to scale a recipe to feed 10 people instead of 4",
        )
        .await;
    assert_eq!(answer.dialog_state(), DialogState::NeedsClarification);
    without.stop().await;
}

async fn the_unit_of_the_text_that_answers_is_offered_first(kind: Kind) {
    let without = WithoutModel::start(kind).await;
    let ada = without.suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    // By its words alone it is about inverse operations.
    let asked = "Why is the result of subtracting 3 - (-4) the same as the result of adding 3 + 4?";
    let answer = ada.say(&thread, asked).await;
    let record = Staff::of(&without.suite)
        .record(&ada.id, &answer.turn_id)
        .await;
    let facts = record.facts.unwrap();
    assert_ne!(facts.mapped_units[0].unit_id, "ALG-01");
    let first = &tutor(&answer).buttons[0];
    assert_eq!(first.label_key, "choose_unit");
    assert_eq!(first.event.as_ref().unwrap().unit_id, "ALG-01");
    // The record says which text that was: the turn is made again whole.
    without.check(&ada, &answer).await;
    without.stop().await;
}

async fn below_a_first_step_no_unit_is_to_be_chosen(kind: Kind) {
    let without = WithoutModel::start(kind).await;
    let ada = without.suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let answer = ada.say(&thread, "4x - 5 = 10, I got x = 3").await;
    let record = Staff::of(&without.suite)
        .record(&ada.id, &answer.turn_id)
        .await;
    let policy = record.facts.unwrap().policy.unwrap();
    assert!(!policy.choice_unit_ids.is_empty(), "{policy:?}");
    let message = tutor(&answer);
    let step = "Add $5$ to both sides. What do you get?";
    assert!(message.text.ends_with(step), "{message:?}");
    let mut buttons = message.buttons.iter();
    assert!(buttons.all(|button| button.label_key != "choose_unit"));
    assert!(message.buttons[0].primary);
    // What came of it is no other topic.
    let next = ada.say(&thread, "so it is 15").await;
    let text = &tutor(&next).text;
    assert!(!text.contains("Which of these"), "{text}");
    without.check(&ada, &next).await;
    without.stop().await;
}

/// "Solution" is a word of another unit's title, and -3/4 looks like a fraction to add: what is said and typed below a drill is
/// about the drill.
async fn who_works_on_a_drill_is_led_nowhere_else(kind: Kind) {
    let without = WithoutModel::start(kind).await;
    let ada = without.suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let mut hints = Vec::new();
    ada.press(&thread, ClientEventKind::RequestDrill, OPEN)
        .await;
    for said in ["tell me the solution", "tell me the answer"] {
        let answer = ada.say(&thread, said).await;
        let standing = answer.snapshot_lite.clone().unwrap();
        assert_eq!(standing.focus.unwrap().unit_id, OPEN, "{said}");
        assert!(standing.target.is_none(), "{:?}", standing.target);
        let message = tutor(&answer);
        assert!(message.card.is_none(), "{message:?}");
        hints.push(message.text.clone());
        without.check(&ada, &answer).await;
    }
    assert_ne!(hints[0], hints[1]);
    let thread = ada.open(DEMO_COURSE).await;
    ada.say(&thread, "I want to learn slope").await;
    ada.press(&thread, ClientEventKind::RequestDrill, OPEN)
        .await;
    for typed in ["-3/4", "3x + 4", "no solution"] {
        let answer = ada.say(&thread, typed).await;
        let standing = answer.snapshot_lite.clone().unwrap();
        assert_eq!(standing.focus.unwrap().unit_id, OPEN, "{typed}");
        assert_eq!(standing.target.unwrap().unit_id, "ALG-14", "{typed}");
        let primary = &tutor(&answer).buttons[0];
        assert!(primary.typed_answer.is_some(), "{typed}: {primary:?}");
        without.check(&ada, &answer).await;
    }
    without.stop().await;
}

async fn the_suite_is_ready(kind: Kind) {
    let without = WithoutModel::start(kind).await;
    let ada = without.suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    // More of them than a breaker bears failures.
    for _ in 0..6 {
        let answer = ada.say(&thread, "what is -3 + 8?").await;
        assert_eq!(answer.degraded_reasons().count(), 0, "{answer:?}");
    }
    for service in without.suite.services() {
        let at = without.suite.at(service).admin.unwrap();
        let ready = admin::get(at, "/readyz").await;
        assert_eq!(ready, (200, "ready\n".to_owned()), "{service:?}");
    }
    let mut client = HelperServiceClient::new(without.suite.channel());
    let request = ada.request(GetHelperHealthRequest {});
    let health = client.get_helper_health(request).await.unwrap();
    let health = health.into_inner();
    assert_eq!((health.up, health.backend.as_str()), (true, "none"));
    without.stop().await;
}
