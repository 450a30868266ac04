//! A lesson whose every trace is known: what a copy of its store must have, and what must not count once more.

use std::{path::Path, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use prost::Message;
use serde_json::{Value, json};
use turnwise_course_pack::{Pack, load};
use turnwise_proto::{
    common::v1::ErrorReason,
    school::v1::{ListSafeguardingAlertsRequest, SetClassRosterRequest},
    session::v1::Evidence,
    tutor::v1::{
        ClientEventKind, DrillCard, ExamCard, GradeDrillRequest, GradeDrillResponse, StudentInput,
        SubmitExamAnswerRequest, SubmitExamAnswerResponse, TakeTurnRequest, TakeTurnResponse,
        Thread, TutorMessage, submit_exam_answer_request::Answer, tutor_card::Content,
    },
};

use crate::{
    answer::tutor,
    deployment::Deployment,
    evidence::{Seed, drilled},
    options::Options,
    process::repository,
    staff::{Recorded, Staff},
    student::{DEMO_COURSE, Student, fresh_key, pressing, saying},
    teacher::Teacher,
};

/// A unit whose only prerequisite cannot be assessed and so counts as met.
pub const UNIT: &str = "ALG-01";
/// How long setting a drill may take.
const SETTING: Duration = Duration::from_secs(5);
/// The answer to the exercise that the mock model sets.
const RIGHT: &str = "x = 5";

/// What a student did, what came of it, and what was kept then.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    student: String,
    asked: TakeTurnRequest,
    answered: TakeTurnResponse,
    submission: SubmitExamAnswerRequest,
    submitted: SubmitExamAnswerResponse,
    grading: GradeDrillRequest,
    graded: GradeDrillResponse,
    messages: Vec<TutorMessage>,
    recorded: Recorded,
}

impl Lesson {
    /// Options of a suite in which this student can take the lesson.
    pub fn options(student: &str) -> Options {
        Options::new().evidence(Self::ready(student))
    }

    /// What a student must have shown before.
    pub fn ready(student: &str) -> Seed {
        Seed::units(student, DEMO_COURSE, vec![drilled(UNIT)])
    }

    /// Takes it: a question, a badge, a drill that goes wrong, a call for help; and the teacher sets the class's roster.
    pub async fn take(suite: &Deployment, student: &str) -> Self {
        let ada = suite.student(student);
        let thread = ada.open(DEMO_COURSE).await;
        let asked = saying(&thread, "how do I add negative numbers?");
        let answered = ada.turn(asked.clone()).await.unwrap();
        let submission = exam(&ada, &thread, true).await;
        let submitted = ada.submit_exam(submission.clone()).await.unwrap();
        assert!(submitted.recorded, "{submitted:?}");
        let grading = drill(&ada, &thread, false).await;
        let graded = ada.grade_drill(grading.clone()).await.unwrap();
        assert!(graded.evidence_recorded, "{graded:?}");
        ada.say(&thread, "I am going to commit suicide").await;
        let teacher = Teacher::of(suite);
        let roster = teacher.request(SetClassRosterRequest {
            class_id: Student::CLASS.to_owned(),
            names: vec!["Grace Hopper".to_owned()],
            idempotency_key: fresh_key(),
        });
        teacher.classes().set_class_roster(roster).await.unwrap();
        let lesson = Self {
            student: student.to_owned(),
            recorded: Staff::of(suite).recorded(&ada).await,
            messages: ada.messages(&thread.thread_id, 50).await,
            asked,
            answered,
            submission,
            submitted,
            grading,
            graded,
        };
        lesson.is_remembered(suite).await;
        lesson
    }

    fn thread(&self) -> Thread {
        Thread {
            thread_id: self.asked.thread_id.clone(),
            course_id: self.asked.course_id.clone(),
            ..Thread::default()
        }
    }

    /// Insists that the suite has all of it: what was sent is answered as it was then, and counts no second time.
    pub async fn is_kept(&self, suite: &Deployment) {
        let ada = suite.student(&self.student);
        self.is_remembered(suite).await;
        assert_eq!(ada.turn(self.asked.clone()).await.unwrap(), self.answered);
        let again = ada.submit_exam(self.submission.clone()).await;
        assert_eq!(again.unwrap(), self.submitted);
        let again = ada.grade_drill(self.grading.clone()).await;
        assert_eq!(again.unwrap(), self.graded);
        // Under another key it is the same drill.
        let other = GradeDrillRequest {
            idempotency_key: fresh_key(),
            ..self.grading.clone()
        };
        let other = ada.grade_drill(other).await.unwrap();
        assert!(!other.evidence_recorded);
        assert_eq!(other.notices, [i32::from(ErrorReason::DrillAlreadyGraded)]);
        self.is_remembered(suite).await;
    }

    /// Insists on what of it outlives the answers to keys: messages, the badge, the record, the turn's explanation, the call
    /// for help.
    pub async fn is_remembered(&self, suite: &Deployment) {
        let ada = suite.student(&self.student);
        let messages = ada.messages(&self.asked.thread_id, 50).await;
        assert_eq!(messages, self.messages);
        let staff = Staff::of(suite);
        assert_eq!(staff.recorded(&ada).await, self.recorded);
        let standing = ada.standing(DEMO_COURSE).await.unwrap();
        assert_eq!(standing.progress.unwrap().bronze, 1);
        let turn_id = &self.answered.turn_id;
        let explained = staff.explain_turn(&self.student, turn_id).await.unwrap();
        let facts = explained.record.unwrap().facts.unwrap();
        assert_eq!(facts.turn_id, *turn_id);
        let teacher = Teacher::of(suite);
        let alerts = teacher.request(ListSafeguardingAlertsRequest {
            class_id: Student::CLASS.to_owned(),
            ..ListSafeguardingAlertsRequest::default()
        });
        let alerts = teacher.classes().list_safeguarding_alerts(alerts).await;
        let alerts = alerts.unwrap().into_inner().alerts;
        assert!(alerts.iter().any(|alert| alert.student_id == self.student));
    }

    /// Insists that it goes on from there: the messages follow, and one more drill counts as one more.
    pub async fn goes_on(&mut self, suite: &Deployment) {
        let (ada, thread) = (suite.student(&self.student), self.thread());
        let before = Staff::of(suite).recorded(&ada).await;
        let answer = ada.say(&thread, "and how do I take them away?").await;
        let last = self.messages.last().unwrap().id;
        assert_eq!(answer.messages[0].id, last + 1);
        let grading = drill(&ada, &thread, false).await;
        let graded = ada.grade_drill(grading).await.unwrap();
        assert!(graded.evidence_recorded, "{graded:?}");
        self.recorded = Staff::of(suite).recorded(&ada).await;
        assert_eq!(self.recorded.version, before.version + 1);
        let attempts = |recorded: &Recorded| recorded.unit(UNIT).drill.unwrap().attempts;
        assert_eq!(attempts(&self.recorded), attempts(&before) + 1);
        self.messages = ada.messages(&self.asked.thread_id, 50).await;
    }

    /// Writes it down for a later version.
    pub fn write(&self, file: &Path) {
        let bytes = |bytes: Vec<u8>| STANDARD.encode(bytes);
        let messages = self
            .messages
            .iter()
            .map(|message| bytes(message.encode_to_vec()));
        let written = json!({
            "student": self.student,
            "asked": bytes(self.asked.encode_to_vec()),
            "answered": bytes(self.answered.encode_to_vec()),
            "submission": bytes(self.submission.encode_to_vec()),
            "submitted": bytes(self.submitted.encode_to_vec()),
            "grading": bytes(self.grading.encode_to_vec()),
            "graded": bytes(self.graded.encode_to_vec()),
            "messages": messages.collect::<Vec<_>>(),
            "version": self.recorded.version,
            "evidence": bytes(self.recorded.evidence.encode_to_vec()),
        });
        std::fs::write(file, format!("{written:#}\n")).unwrap();
    }

    /// One that an earlier version wrote down.
    pub fn read(file: &Path) -> Self {
        fn message<M: Message + Default>(value: &Value) -> M {
            let bytes = STANDARD.decode(value.as_str().unwrap()).unwrap();
            M::decode(&*bytes).unwrap()
        }
        let written: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        Self {
            student: written["student"].as_str().unwrap().to_owned(),
            asked: message(&written["asked"]),
            answered: message(&written["answered"]),
            submission: message(&written["submission"]),
            submitted: message(&written["submitted"]),
            grading: message(&written["grading"]),
            graded: message(&written["graded"]),
            messages: written["messages"]
                .as_array()
                .unwrap()
                .iter()
                .map(message)
                .collect(),
            recorded: Recorded {
                version: written["version"].as_i64().unwrap(),
                evidence: message::<Evidence>(&written["evidence"]),
            },
        }
    }
}

/// Has a drill set, and gives the request that answers it, rightly or not.
pub async fn drill(student: &Student, thread: &Thread, right: bool) -> GradeDrillRequest {
    // Whatever else fails: a drill is set, by a model or out of the course.
    let asked = pressing(thread, ClientEventKind::RequestDrill, UNIT);
    let answer = student.turn_within(asked, SETTING).await.unwrap();
    let text = if right { RIGHT } else { "777" };
    GradeDrillRequest {
        thread_id: thread.thread_id.clone(),
        course_id: thread.course_id.clone(),
        unit_id: UNIT.to_owned(),
        drill: Some(drill_card(&answer)),
        answer: Some(StudentInput {
            text: text.to_owned(),
            ..StudentInput::default()
        }),
        idempotency_key: fresh_key(),
    }
}

fn drill_card(answer: &TakeTurnResponse) -> DrillCard {
    match tutor(answer).card.clone().and_then(|card| card.content) {
        Some(Content::Drill(drill)) => drill,
        other => panic!("no drill, but {other:?}"),
    }
}

/// The exam question of an answer, if it offers one.
pub fn offered(answer: &TakeTurnResponse) -> Option<ExamCard> {
    match tutor(answer).card.clone().and_then(|card| card.content) {
        Some(Content::Exam(exam)) => Some(exam),
        _ => None,
    }
}

/// Has an exam question offered, and gives the request that answers it, rightly or not.
pub async fn exam(student: &Student, thread: &Thread, right: bool) -> SubmitExamAnswerRequest {
    let answer = student
        .press(thread, ClientEventKind::RequestExam, UNIT)
        .await;
    let exam = offered(&answer).unwrap_or_else(|| panic!("no exam question: {answer:?}"));
    let pack = demo();
    let mut questions = pack.questions.iter();
    let question = questions.find(|q| q.id == exam.question_id).unwrap();
    let given = match right {
        true => question.answer.clone(),
        false => {
            let mut options = question.options.iter();
            let wrong = options.find(|option| option.id != question.answer);
            wrong.map_or_else(|| "777".to_owned(), |option| option.id.clone())
        }
    };
    let given = if question.is_multiple_choice() {
        Answer::OptionId(given)
    } else {
        Answer::AnswerText(given)
    };
    SubmitExamAnswerRequest {
        thread_id: thread.thread_id.clone(),
        course_id: thread.course_id.clone(),
        unit_id: UNIT.to_owned(),
        question_id: exam.question_id,
        tier: exam.tier,
        answer: Some(given),
        is_correct: None,
        offer_token: exam.offer_token,
        idempotency_key: fresh_key(),
    }
}

/// The demo course.
pub fn demo() -> Pack {
    load(&repository().join("courses").join(DEMO_COURSE)).unwrap()
}
