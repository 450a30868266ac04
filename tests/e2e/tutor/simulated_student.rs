//! A student in front of a screen: the last message, its card, what came of it, and the buttons of all three. Every press is
//! a public call, and what must hold of every answer is looked at.

use std::collections::BTreeMap;

use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::SupportKind,
    tutor::v1::{
        Button, ButtonCall, DrillCard, ExamCard, GradeDrillRequest, GradeDrillResponse,
        MasteryTier, RecordSupportViewRequest, RecordSupportViewResponse, SnapshotLite,
        StudentInput, SubmitExamAnswerRequest, SubmitExamAnswerResponse, TakeTurnRequest,
        TakeTurnResponse, Thread, TutorCard, snapshot_lite::Progress,
        submit_exam_answer_request::Answer, tutor_card::Content,
    },
};
use turnwise_tests::{
    answer::{check_answer, tutor},
    deployment::Deployment,
    student::{DEMO_COURSE, Student, empty_turn, fresh_key, saying},
};

/// A student in a thread of the demo course.
pub struct SimulatedStudent {
    /// Who it is.
    pub student: Student,
    /// The thread, as it is now.
    pub thread: Thread,
    /// The card below the last message.
    pub card: Option<TutorCard>,
    /// The cards of the thread so far, which a button may be about.
    earlier: Vec<TutorCard>,
    /// The buttons of the last message.
    pub below: Vec<Button>,
    /// The buttons that came with a result; empty: there is none, and the card's own are still there.
    pub after: Vec<Button>,
    /// The standing, as it was last shown.
    pub standing: SnapshotLite,
    /// The badges, as they were last told.
    pub badges: BTreeMap<String, MasteryTier>,
}

/// What a press came to.
#[derive(Debug)]
pub enum Came {
    /// A message.
    Message(TakeTurnResponse),
    /// A graded drill.
    Grade(GradeDrillResponse),
    /// A result of the exam.
    Result(SubmitExamAnswerResponse),
    /// Help.
    Help(RecordSupportViewResponse),
    /// The student goes on typing.
    Typing,
}

/// What a student types or chooses when a button asks for it.
pub trait Answering {
    /// The answer to a drill.
    fn drill(&mut self, card: &DrillCard) -> StudentInput;
    /// The answer to an exam question.
    fn exam(&mut self, card: &ExamCard) -> Answer;
}

impl SimulatedStudent {
    /// A student who has opened a thread and said hello.
    pub async fn start(suite: &Deployment, id: &str) -> Self {
        let student = suite.student(id);
        let thread = student.open(DEMO_COURSE).await;
        let mut simulated = Self {
            student,
            thread,
            card: None,
            earlier: Vec::new(),
            below: Vec::new(),
            after: Vec::new(),
            standing: SnapshotLite::default(),
            badges: BTreeMap::new(),
        };
        simulated.say("Hello, where do I start?").await;
        simulated
    }

    /// Says something.
    pub async fn say(&mut self, text: &str) -> TakeTurnResponse {
        let turn = saying(&self.thread, text);
        self.take(turn).await
    }

    /// Goes to a new thread, where nothing is on the screen yet.
    pub async fn open(&mut self) {
        self.thread = self.student.open(DEMO_COURSE).await;
        self.card = None;
        self.earlier.clear();
        self.below.clear();
        self.after.clear();
    }

    /// Asks for a drill where the student stands, or on the next unit where there is none.
    pub async fn ask_for_a_drill(&mut self, hand: &mut dyn Answering) {
        let label = match self.button("next_unit") {
            Some(_) => "next_unit",
            None => "try_drill",
        };
        self.press_labelled(label, hand).await;
    }

    /// Takes a turn, and puts it on the screen.
    pub async fn take(&mut self, turn: TakeTurnRequest) -> TakeTurnResponse {
        let answer = self.student.turn(turn).await.unwrap();
        assert!(answer.notices.is_empty(), "nothing was claimed");
        self.show(&answer);
        answer
    }

    /// Puts an answer on the screen.
    pub fn show(&mut self, answer: &TakeTurnResponse) {
        check_answer(&self.thread, answer);
        let message = tutor(answer);
        self.thread.message_count += 2;
        self.card = message.card.clone();
        self.earlier.extend(message.card.clone());
        self.below = message.buttons.clone();
        self.after.clear();
        self.stand(answer.snapshot_lite.clone());
    }

    /// The buttons that can be pressed now, those of a result or a card first.
    pub fn buttons(&self) -> Vec<Button> {
        let of_card = self.card.as_ref().map_or(&[][..], |card| &card.buttons);
        let first = if self.after.is_empty() {
            of_card
        } else {
            &self.after
        };
        [first, &self.below].concat()
    }

    /// The button that is meant to be pressed: of the result, else of the card, else of the message.
    pub fn primary(&self) -> Option<Button> {
        self.buttons().into_iter().find(|button| button.primary)
    }

    /// The first button with this label.
    pub fn button(&self, label: &str) -> Option<Button> {
        let mut buttons = self.buttons().into_iter();
        buttons.find(|button| button.label_key == label)
    }

    /// Presses the button with this label.
    pub async fn press_labelled(&mut self, label: &str, hand: &mut dyn Answering) -> Came {
        let button = self
            .button(label)
            .unwrap_or_else(|| panic!("no `{label}` among {:?}", self.buttons()));
        self.press(&button, hand).await
    }

    /// Presses a button, and insists on an answer.
    pub async fn press(&mut self, button: &Button, hand: &mut dyn Answering) -> Came {
        match button.call() {
            ButtonCall::Turn | ButtonCall::Unspecified => {
                let turn = TakeTurnRequest {
                    event: Some(button.event.clone().expect("a turn's button has an event")),
                    ..empty_turn(&self.thread)
                };
                Came::Message(self.take(turn).await)
            }
            ButtonCall::GradeDrill => {
                if !button.card_token.is_empty() {
                    self.look_back(&button.card_token);
                }
                let answer = match &button.typed_answer {
                    Some(typed) => typed.clone(),
                    None => hand.drill(self.drill()),
                };
                let graded = self.student.grade_drill(self.grading(answer)).await;
                let graded = graded.unwrap_or_else(|status| panic!("{status:?} {:?}", self.card));
                let unit_id = self.unit_id().to_owned();
                self.stand(graded.snapshot_lite.clone());
                self.badge(&unit_id, graded.mastery_tier());
                self.after = graded.buttons.clone();
                Came::Grade(graded)
            }
            ButtonCall::SubmitExam => {
                let answer = hand.exam(self.exam());
                let result = self.student.submit_exam(self.submission(answer)).await;
                let result = result.unwrap_or_else(|status| panic!("{status:?} {:?}", self.card));
                let unit_id = self.unit_id().to_owned();
                self.stand(result.snapshot_lite.clone());
                self.badge(&unit_id, result.mastery_tier_before());
                self.badge(&unit_id, result.mastery_tier());
                assert!(result.notices.is_empty(), "nothing was claimed");
                self.after = result.buttons.clone();
                Came::Result(result)
            }
            ButtonCall::ViewMemo => self.look(SupportKind::Memo).await,
            ButtonCall::ViewVideo => self.look(SupportKind::Video).await,
            ButtonCall::Compose => Came::Typing,
        }
    }

    /// Puts the earlier drill with this token on the screen again.
    fn look_back(&mut self, token: &str) {
        let found = self.earlier.iter().rfind(|card| {
            let content = card.content.as_ref();
            matches!(content, Some(Content::Drill(drill)) if drill.drill_token == token)
        });
        self.card = found.cloned();
    }

    async fn look(&mut self, kind: SupportKind) -> Came {
        let seen = self.student.view_support(self.view(kind)).await.unwrap();
        assert!(!seen.text.trim().is_empty());
        self.stand(seen.snapshot_lite.clone());
        self.after = seen.buttons.clone();
        Came::Help(seen)
    }

    /// The card's unit.
    pub fn unit_id(&self) -> &str {
        &self.card.as_ref().expect("a card").unit_id
    }

    /// The drill on the screen.
    pub fn drill(&self) -> &DrillCard {
        match self.card.as_ref().and_then(|card| card.content.as_ref()) {
            Some(Content::Drill(drill)) => drill,
            other => panic!("no drill, but {other:?}"),
        }
    }

    /// The exam question on the screen.
    pub fn exam(&self) -> &ExamCard {
        match self.card.as_ref().and_then(|card| card.content.as_ref()) {
            Some(Content::Exam(exam)) => exam,
            other => panic!("no exam question, but {other:?}"),
        }
    }

    /// The request that grades the drill on the screen.
    pub fn grading(&self, answer: StudentInput) -> GradeDrillRequest {
        GradeDrillRequest {
            thread_id: self.thread.thread_id.clone(),
            course_id: self.thread.course_id.clone(),
            unit_id: self.unit_id().to_owned(),
            drill: Some(self.drill().clone()),
            answer: Some(answer),
            idempotency_key: fresh_key(),
        }
    }

    /// The request that answers the exam question on the screen.
    pub fn submission(&self, answer: Answer) -> SubmitExamAnswerRequest {
        let exam = self.exam();
        SubmitExamAnswerRequest {
            thread_id: self.thread.thread_id.clone(),
            course_id: self.thread.course_id.clone(),
            unit_id: self.unit_id().to_owned(),
            question_id: exam.question_id.clone(),
            tier: exam.tier,
            answer: Some(answer),
            is_correct: None,
            offer_token: exam.offer_token.clone(),
            idempotency_key: fresh_key(),
        }
    }

    /// The request that looks at help for the exam question on the screen.
    pub fn view(&self, kind: SupportKind) -> RecordSupportViewRequest {
        let exam = self.exam();
        RecordSupportViewRequest {
            thread_id: self.thread.thread_id.clone(),
            course_id: self.thread.course_id.clone(),
            unit_id: self.unit_id().to_owned(),
            question_id: exam.question_id.clone(),
            kind: kind.into(),
            offer_token: exam.offer_token.clone(),
            idempotency_key: fresh_key(),
        }
    }

    /// How many units have which badge.
    pub fn progress(&self) -> Progress {
        self.standing.progress.expect("a standing has a progress")
    }

    /// The unit that is worked on.
    pub fn focus(&self) -> &str {
        &self.standing.focus.as_ref().expect("a focus").unit_id
    }

    fn stand(&mut self, standing: Option<SnapshotLite>) {
        let standing = standing.expect("a standing");
        let earned = |standing: &SnapshotLite| {
            let progress = standing.progress.unwrap_or_default();
            let gold = progress.gold;
            let silver = gold + progress.silver;
            [silver + progress.bronze, silver, gold]
        };
        let (before, now) = (earned(&self.standing), earned(&standing));
        let fell = before.iter().zip(&now).any(|(before, now)| now < before);
        assert!(!fell, "badges were lost: {before:?}, then {now:?}");
        self.standing = standing;
    }

    fn badge(&mut self, unit_id: &str, tier: MasteryTier) {
        let before = self.badges.insert(unit_id.to_owned(), tier);
        assert!(
            before.is_none_or(|before| before <= tier),
            "{unit_id} fell from {before:?} to {tier:?}"
        );
    }
}

/// Insists on exactly these notices.
pub fn check_notices(notices: &[i32], wanted: &[ErrorReason]) {
    let notices: Vec<_> = notices
        .iter()
        .map(|&notice| ErrorReason::try_from(notice).unwrap())
        .collect();
    assert_eq!(notices, wanted);
}
