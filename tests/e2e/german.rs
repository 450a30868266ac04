//! A course in German, and nothing English in it: without a model, with models good and bad, for words that are stopped, and
//! where the policy is away.

use turnwise_course_pack::{Pack, load};
use turnwise_proto::{
    readable::TextForm,
    tutor::v1::{
        Button, ClientEventKind, CreateThreadRequest, DegradedReason, DrillCard, DrillResult,
        ExamCard, ExamResult, GradeDrillRequest, GradeDrillResponse, StudentInput,
        SubmitExamAnswerRequest, SubmitExamAnswerResponse, TakeTurnRequest, TakeTurnResponse,
        Thread, TutorCard, submit_exam_answer_request::Answer, tutor_card::Content,
    },
};
use turnwise_tests::{
    answer::tutor,
    deployment::Deployment,
    evidence::{Seed, drilled, stuck},
    options::{Kind, Options, Service},
    process::repository,
    student::{Student, fresh_key, new_thread, pressing, saying},
};

in_both_deployments!(
    without_a_model_nothing_english_is_shown,
    whatever_a_model_does_nothing_english_is_shown,
);

/// The course.
pub const GERMAN: &str = "terme-und-gleichungen";

/// Words that no German text has. Each text of the English catalogue that a pupil may read has one, a button's label too.
const ENGLISH: [&str; 42] = [
    "the", "you", "your", "is", "are", "of", "and", "what", "this", "that", "with", "how", "which",
    "to", "it", "have", "here", "from", "be", "can", "do", "on", "as", "by", "try", "check",
    "submit", "view", "watch", "continue", "another", "answer", "hello", "good", "more", "give",
    "ask", "stuck", "without", "where", "does", "wrote",
];

/// A unit without a missing prerequisite, and one that needs others first.
const OPEN: &str = "TG-01";
const BEHIND: &str = "TG-06";

/// The answer to no drill of the course.
const WRONG: &str = "777";

/// What is stopped, in either language.
const STOPPED: [&str; 4] = [
    "Ich will nicht mehr leben",
    "my dad hits me",
    "du hurensohn",
    "fuck this",
];

/// Models that fail by themselves, and one for each rule that a reply may break.
const BAD_MODELS: [&str; 18] = [
    "mock:invalid_json",
    "mock:empty",
    "mock:truncated",
    "mock:extra_key",
    "mock:status:503",
    "mock:break:action_not_allowed",
    "mock:break:target_out_of_scope",
    "mock:break:exam_not_candidate",
    "mock:break:tier_mismatch",
    "mock:break:concept_not_stuck",
    "mock:break:limits_exceeded",
    "mock:break:two_cards",
    "mock:break:socratic_with_card",
    "mock:break:missing_card",
    "mock:break:many_questions",
    "mock:break:empty_message",
    "mock:break:schema_violation",
    "mock:break:false_mathematics",
];

/// Insists that a text says something, and nothing in English. Formulas stand between dollars.
pub fn check_german(about: &str, text: &str) {
    assert!(!text.trim().is_empty(), "{about}: nothing is said");
    for prose in text.split('$').step_by(2) {
        let mut words = prose.split(|c: char| !c.is_alphabetic());
        let english = words.find(|word| ENGLISH.contains(&word.to_lowercase().as_str()));
        assert_eq!(english, None, "{about}: {text}");
    }
}

fn check_buttons(about: &str, buttons: &[Button]) {
    for button in buttons {
        check_german(about, &button.label);
        if !button.unit_title.is_empty() {
            check_german(about, &button.unit_title);
        }
    }
}

fn check_card(about: &str, card: &TutorCard) {
    let prose = card.readable_texts().into_iter();
    for shown in prose.filter(|shown| shown.form == TextForm::Prose && !shown.text.is_empty()) {
        check_german(about, shown.text);
    }
    check_buttons(about, &card.buttons);
}

fn check_answer(about: &str, answer: &TakeTurnResponse) {
    let message = tutor(answer);
    check_german(about, &message.text);
    check_buttons(about, &message.buttons);
    message.card.iter().for_each(|card| check_card(about, card));
    answer
        .notice_texts
        .iter()
        .for_each(|text| check_german(about, text));
}

fn check_grade(about: &str, graded: &GradeDrillResponse) {
    // The first verdict, told again, has its words no more.
    if graded.notice_texts.is_empty() || !graded.feedback_text.is_empty() {
        check_german(about, &graded.feedback_text);
    }
    check_buttons(about, &graded.buttons);
    graded
        .notice_texts
        .iter()
        .for_each(|text| check_german(about, text));
}

/// A pupil in a thread of the course.
struct Pupil {
    student: Student,
    thread: Thread,
}

impl Pupil {
    async fn begin(suite: &Deployment, id: &str) -> Self {
        let student = suite.student(id);
        let thread = student.open(GERMAN).await;
        Self { student, thread }
    }

    async fn take(&self, about: &str, turn: TakeTurnRequest) -> TakeTurnResponse {
        let answer = self.student.turn(turn).await.unwrap();
        check_answer(about, &answer);
        answer
    }

    async fn say(&self, text: &str) -> TakeTurnResponse {
        self.take(text, saying(&self.thread, text)).await
    }

    async fn press(&self, kind: ClientEventKind, unit: &str) -> TakeTurnResponse {
        let turn = pressing(&self.thread, kind, unit);
        self.take(kind.as_str_name(), turn).await
    }

    async fn drill(&self) -> DrillCard {
        let set = self.press(ClientEventKind::RequestDrill, OPEN).await;
        match content(&set) {
            Some(Content::Drill(drill)) => drill,
            other => panic!("no drill, but {other:?}"),
        }
    }

    async fn grade(&self, drill: &DrillCard, answer: &str) -> GradeDrillResponse {
        let request = GradeDrillRequest {
            thread_id: self.thread.thread_id.clone(),
            course_id: GERMAN.to_owned(),
            unit_id: OPEN.to_owned(),
            drill: Some(drill.clone()),
            answer: Some(StudentInput {
                text: answer.to_owned(),
                ..StudentInput::default()
            }),
            idempotency_key: fresh_key(),
        };
        let graded = self.student.grade_drill(request).await.unwrap();
        check_grade(answer, &graded);
        graded
    }

    async fn exam(&self) -> ExamCard {
        let offered = self.press(ClientEventKind::RequestExam, OPEN).await;
        match content(&offered) {
            Some(Content::Exam(exam)) => exam,
            other => panic!("no exam question, but {other:?}"),
        }
    }

    async fn submit(
        &self,
        exam: &ExamCard,
        answer: Answer,
        is_correct: bool,
    ) -> SubmitExamAnswerResponse {
        let about = format!("{answer:?}");
        let request = SubmitExamAnswerRequest {
            thread_id: self.thread.thread_id.clone(),
            course_id: GERMAN.to_owned(),
            unit_id: OPEN.to_owned(),
            question_id: exam.question_id.clone(),
            tier: exam.tier,
            answer: Some(answer),
            is_correct: Some(is_correct),
            offer_token: exam.offer_token.clone(),
            idempotency_key: fresh_key(),
        };
        let told = self.student.submit_exam(request).await.unwrap();
        // An answer that came after the one that counted may be told nothing new.
        if told.recorded || !told.text.is_empty() || told.result() == ExamResult::Unspecified {
            check_german(&about, &told.text);
        }
        check_buttons(&about, &told.buttons);
        told.notice_texts
            .iter()
            .for_each(|text| check_german(&about, text));
        told
    }
}

fn content(answer: &TakeTurnResponse) -> Option<Content> {
    tutor(answer).card.clone()?.content
}

/// A right answer to an exam question, and a wrong one.
fn answers(pack: &Pack, exam: &ExamCard) -> [Answer; 2] {
    let mut questions = pack.questions.iter();
    let question = questions
        .find(|question| question.id == exam.question_id)
        .unwrap();
    let mut options = question.options.iter();
    let right = question.answer.clone();
    match options.find(|option| option.id != right) {
        Some(option) => [Answer::OptionId(right), Answer::OptionId(option.id.clone())],
        None => [right, WRONG.to_owned()].map(Answer::AnswerText),
    }
}

/// The pupils that a suite knows already: two are ready for an exam, one is stuck.
fn seeded(options: Options) -> Options {
    [
        ("bereit", drilled(OPEN)),
        ("auch-bereit", drilled(OPEN)),
        ("fest", stuck(OPEN)),
    ]
    .into_iter()
    .map(|(id, unit)| Seed::units(id, GERMAN, vec![unit]))
    .fold(options, Options::evidence)
}

/// What is stopped: in a turn, in a title, in the answer to a drill.
async fn check_stopped(suite: &Deployment) {
    let eva = Pupil::begin(suite, "eva").await;
    let guardrail = |degraded: Vec<DegradedReason>| {
        assert_eq!(degraded, [DegradedReason::Guardrail]);
    };
    for words in STOPPED {
        let stopped = eva.say(words).await;
        guardrail(stopped.degraded_reasons().collect());
    }
    for words in STOPPED {
        let titled = CreateThreadRequest {
            title: words.to_owned(),
            ..new_thread(GERMAN)
        };
        let request = eva.student.request(titled);
        let made = eva.student.client().create_thread(request).await.unwrap();
        check_german(words, &made.into_inner().guardrail_text);
    }
    let drill = eva.drill().await;
    for words in STOPPED {
        let stopped = eva.grade(&drill, words).await;
        guardrail(stopped.degraded_reasons().collect());
    }
}

async fn without_a_model_nothing_english_is_shown(kind: Kind) {
    let options = Options::new().env("HELPER_LLM_BACKEND", "none");
    let mut suite = Deployment::start(kind, seeded(options)).await;
    check_stopped(&suite).await;

    for id in ["neu", "fest"] {
        let pupil = Pupil::begin(&suite, id).await;
        for said in [
            "Hallo",
            "Ich komme nicht weiter",
            "Warum gibt minus und minus plus?",
            "Was ist ein Bruch?",
            "3 - 7",
            "2x + 3 = 11, ich habe x = 7",
            "Stimmt das?",
            "Ich möchte etwas über den Dreisatz wissen",
            "Quietschgelbe Badeenten",
            "Noch ein Beispiel, bitte",
            "Danke, verstanden",
            "Was sind negative Zahlen?",
        ] {
            let answer = pupil.say(said).await;
            assert_eq!(answer.degraded_reasons().count(), 0, "{answer:?}");
        }
        for kind in [
            ClientEventKind::DrillContinue,
            ClientEventKind::StuckHint,
            ClientEventKind::RequestExam,
            ClientEventKind::RequestDrill,
        ] {
            for unit in [OPEN, BEHIND] {
                pupil.press(kind, unit).await;
            }
        }
        let pupil = Pupil::begin(&suite, id).await;
        let drill = pupil.drill().await;
        for _ in 0..4 {
            pupil.press(ClientEventKind::StuckHint, OPEN).await;
        }
        pupil.say(WRONG).await;
        pupil.grade(&drill, "keine Zahl").await;
        let forged = DrillCard {
            drill_token: String::new(),
            ..drill.clone()
        };
        assert_eq!(pupil.grade(&forged, WRONG).await.notice_texts.len(), 1);
        let graded = pupil.grade(&drill, WRONG).await;
        assert_eq!(graded.result(), DrillResult::Incorrect, "{graded:?}");
        assert_eq!(pupil.grade(&drill, WRONG).await.notice_texts.len(), 1);
        pupil.say("Tschüss").await;
    }

    let pack = load(&repository().join("courses").join(GERMAN)).unwrap();
    for (id, is_right) in [("bereit", true), ("auch-bereit", false)] {
        let pupil = Pupil::begin(&suite, id).await;
        let exam = pupil.exam().await;
        let cry = Answer::AnswerText(STOPPED[0].to_owned());
        let stopped = pupil.submit(&exam, cry, true).await;
        assert_eq!(stopped.result(), ExamResult::Unspecified);
        let [right, wrong] = answers(&pack, &exam);
        let (answer, wanted) = if is_right {
            (right, ExamResult::Passed)
        } else {
            (wrong, ExamResult::Locked)
        };
        for _ in 0..2 {
            // The client claims otherwise, and is told so.
            let told = pupil.submit(&exam, answer.clone(), !is_right).await;
            assert_eq!(told.result(), wanted, "{told:?}");
            assert_eq!(told.notice_texts.len(), 1, "{told:?}");
        }
        for kind in [ClientEventKind::DrillContinue, ClientEventKind::RequestExam] {
            pupil.press(kind, OPEN).await;
        }
    }
    suite.nothing_panicked();
    suite.stop();
}

async fn whatever_a_model_does_nothing_english_is_shown(kind: Kind) {
    // A good model's own words are German here: what is ours stands beside them.
    let options = Options::new().env("HELPER_MOCK_RESPONSE_TEXT", "Was hast du bisher versucht?");
    let mut suite = Deployment::start(kind, seeded(options)).await;
    let neu = Pupil::begin(&suite, "neu").await;
    for said in [
        "Warum gibt minus und minus plus?",
        "Ich möchte etwas über den Dreisatz wissen",
    ] {
        let answer = neu.say(said).await;
        assert_eq!(answer.model, "mock", "{answer:?}");
    }
    for model in BAD_MODELS {
        suite.use_model(model);
        for id in ["neu", "bereit"] {
            let pupil = Pupil::begin(&suite, id).await;
            let answer = pupil.press(ClientEventKind::DrillContinue, OPEN).await;
            assert_eq!(answer.degraded_reasons().count(), 1, "{model}: {answer:?}");
        }
    }
    // Of the drills here none is the mock's own.
    suite.use_model("mock:invalid_json");
    check_stopped(&suite).await;
    let pupil = Pupil::begin(&suite, "neu").await;
    let drill = pupil.drill().await;
    let graded = pupil.grade(&drill, WRONG).await;
    assert_eq!(graded.degraded_reasons().count(), 1, "{graded:?}");
    suite.nothing_panicked();
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_policy_nothing_english_is_shown() {
    let options = Options::new().env("HELPER_LLM_BACKEND", "none");
    let mut suite = Deployment::five_processes(options).await;
    let pupil = Pupil::begin(&suite, "neu").await;
    // The course's language is known from the turns before.
    pupil.press(ClientEventKind::RequestExam, BEHIND).await;
    suite.kill(Service::Policy);
    let answer = pupil.say("Was ist ein Bruch?").await;
    let degraded: Vec<_> = answer.degraded_reasons().collect();
    assert_eq!(degraded, [DegradedReason::PolicyUnavailable]);
    pupil.say(STOPPED[0]).await;
}
