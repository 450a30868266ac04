//! A lesson of a class at any suite, by its public port alone: each pupil talks, does drills and passes an exam; what
//! is refused for the moment is sent again as the suite says. Count is kept beside it, and in the end the suite must
//! say the same: nothing lost, nothing counted twice.

use std::{collections::BTreeMap, fmt, future::Future, time::Duration};

use futures_util::future::join_all;
use tokio::{
    sync::watch,
    time::{Instant, sleep},
};
use tonic::{
    Status,
    transport::{Channel, Endpoint},
};
use turnwise::data_dir::DataDir;
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    school::v1::StudentReport,
    tutor::v1::{
        Button, ButtonCall, DrillCard, DrillResult, ExamCard, ExamResult, GradeDrillRequest,
        MasteryTier, Role, SubmitExamAnswerRequest, TakeTurnRequest, TakeTurnResponse, Thread,
        TutorCard, TutorMessage, tutor_card::Content,
    },
};

use crate::{
    answer::{check_answer, tutor},
    known_answers::Answers,
    student::{DEMO_COURSE, Student, empty_turn, fresh_key, new_thread, saying},
    teacher::Teacher,
    token,
};

/// Calls of each pupil before what happens in the middle; each makes at least twice as many.
const HALF: usize = 4;
/// Presses in which a pupil must have come to a badge.
const MOST_PRESSES: usize = 40;
/// How long one call may take with all its repetitions.
const PATIENCE: Duration = Duration::from_secs(60);
/// The wait before a call is sent again whose answer never came, so that nobody said how long.
const PAUSE: Duration = Duration::from_millis(200);

/// A suite that runs somewhere, with the issuer whose tokens it accepts.
pub struct School {
    /// Where its public port is.
    pub endpoint: Endpoint,
    /// The development issuer.
    pub issuer: DataDir,
}

/// What became of a lesson.
#[derive(Debug, Default)]
pub struct Held {
    /// Pupils, each with a badge.
    pub pupils: usize,
    /// Calls that were answered.
    pub calls: usize,
    /// Calls that were sent again.
    pub repeated: usize,
    /// Turns among them.
    pub turns: i64,
    /// Drills that count.
    pub drills: i64,
    /// The longest time from a call to its answer, with all repetitions.
    pub longest: Duration,
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} pupils with a badge each, {} calls ({} turns, {} drills that count), {} sent again, the longest {:.1} s",
            self.pupils,
            self.calls,
            self.turns,
            self.drills,
            self.repeated,
            self.longest.as_secs_f64()
        )
    }
}

/// What a pupil has on the screen, and has counted.
struct Pupil<'a> {
    student: Student,
    thread: Thread,
    answers: &'a Answers,
    class: &'a Class,
    /// Whether the first drill goes wrong.
    errs: bool,
    /// Whether this one waits for what happens in the middle, to be the first to meet it.
    waits: bool,
    card: Option<TutorCard>,
    below: Vec<Button>,
    after: Vec<Button>,
    received: Vec<TutorMessage>,
    badges: BTreeMap<String, MasteryTier>,
    wrong: i64,
    held: Held,
}

/// How far the class is.
struct Class {
    calls: watch::Sender<usize>,
    struck: watch::Sender<bool>,
}

/// Holds a lesson. `strike` happens in the middle of it, while half of the pupils go on.
///
/// # Panics
///
/// If a call is refused for good, or the suite's records say something else than its answers did.
pub async fn hold(school: &School, pupils: usize, strike: impl Future<Output = ()>) -> Held {
    let answers = Answers::of_demo_course();
    let class = Class {
        calls: watch::Sender::new(0),
        struck: watch::Sender::new(false),
    };
    let studying = join_all((0..pupils).map(|number| study(school, number, &answers, &class)));
    let striking = async {
        let mut calls = class.calls.subscribe();
        let _ = calls.wait_for(|calls| *calls >= HALF * pupils).await;
        strike.await;
        class.struck.send_replace(true);
    };
    let (pupils, ()) = tokio::join!(studying, striking);

    let teacher = Teacher {
        token: token::with_role(&school.issuer, "ms-hopper", Student::CLASS, "teacher"),
        channel: school.endpoint.connect_lazy(),
    };
    let report = teacher.report(DEMO_COURSE).await;
    let mut held = Held::default();
    for pupil in &pupils {
        let mut students = report.students.iter();
        let reported = students.find(|reported| reported.student_id == pupil.student.id);
        pupil.check(reported.expect("a pupil of the report")).await;
        held.pupils += 1;
        held.calls += pupil.held.calls;
        held.repeated += pupil.held.repeated;
        held.turns += pupil.held.turns;
        held.drills += pupil.held.drills;
        held.longest = held.longest.max(pupil.held.longest);
    }
    held
}

/// One pupil's lesson: hello, and then what the suite suggests, to the first badge and at least to the end of the
/// lesson.
async fn study<'a>(
    school: &School,
    number: usize,
    answers: &'a Answers,
    class: &'a Class,
) -> Pupil<'a> {
    let id = format!("pupil-{number:0>2}");
    let token = token::student(&school.issuer, &id, Student::CLASS);
    let channel: Channel = school.endpoint.connect_lazy();
    let mut pupil = Pupil {
        student: Student::new(&id, &token, channel),
        thread: Thread::default(),
        answers,
        class,
        errs: number.is_multiple_of(3),
        waits: !number.is_multiple_of(2),
        card: None,
        below: Vec::new(),
        after: Vec::new(),
        received: Vec::new(),
        badges: BTreeMap::new(),
        wrong: 0,
        held: Held::default(),
    };
    let opening = new_thread(DEMO_COURSE);
    let student = pupil.student.clone();
    pupil.thread = pupil
        .insist(|| student.create_thread(opening.clone()))
        .await;
    let hello = saying(&pupil.thread, "Hello, where do I start?");
    pupil.turn(hello).await;
    let mut presses = 0;
    while pupil.badges.is_empty() || pupil.held.calls < 2 * HALF {
        presses += 1;
        assert!(presses <= MOST_PRESSES, "{id} has no badge yet");
        pupil.press().await;
    }
    pupil
}

impl Pupil<'_> {
    /// Sends a call until it is answered, always the same with the same key.
    async fn insist<T, Sent>(&mut self, call: impl Fn() -> Sent) -> T
    where
        Sent: Future<Output = Result<T, Status>>,
    {
        if self.waits && self.held.calls == HALF {
            let mut struck = self.class.struck.subscribe();
            let _ = struck.wait_for(|struck| *struck).await;
        }
        let begun = Instant::now();
        loop {
            let status = match call().await {
                Ok(answer) => {
                    self.held.calls += 1;
                    self.held.longest = self.held.longest.max(begun.elapsed());
                    self.class.calls.send_modify(|calls| *calls += 1);
                    return answer;
                }
                Err(status) => status,
            };
            let fault = Fault::from_status(&status);
            let told = fault.retry_delay().or(match fault.reason() {
                ErrorReason::DependencyUnavailable | ErrorReason::DeadlineExceeded => Some(PAUSE),
                _ => None,
            });
            let who = &self.student.id;
            let wait = told.unwrap_or_else(|| panic!("{who} is refused for good: {status:?}"));
            assert!(
                begun.elapsed() + wait < PATIENCE,
                "{who} waits for too long: {status:?}"
            );
            self.held.repeated += 1;
            sleep(wait).await;
        }
    }

    /// Takes a turn, and puts it on the screen.
    async fn turn(&mut self, turn: TakeTurnRequest) {
        let student = self.student.clone();
        let answer: TakeTurnResponse = self.insist(|| student.turn(turn.clone())).await;
        check_answer(&self.thread, &answer);
        self.thread.message_count += 2;
        self.held.turns += 1;
        let message = tutor(&answer);
        self.card = message.card.clone();
        self.below = message.buttons.clone();
        self.after.clear();
        self.received.extend(answer.messages);
    }

    /// Presses the button that is meant to be pressed: of the result, else of the card, else of the message.
    async fn press(&mut self) {
        let of_card = self.card.as_ref().map_or(&[][..], |card| &card.buttons);
        let first = if self.after.is_empty() {
            of_card
        } else {
            &self.after
        };
        let mut buttons = first.iter().chain(&self.below);
        let primary = buttons.find(|button| button.primary);
        let button = primary.expect("there is always a way on").clone();
        let card = self.card.clone().unwrap_or_default();
        match (button.call(), &card.content) {
            (ButtonCall::Turn | ButtonCall::Unspecified, _) => {
                let turn = TakeTurnRequest {
                    event: button.event,
                    ..empty_turn(&self.thread)
                };
                self.turn(turn).await;
            }
            (ButtonCall::GradeDrill, Some(Content::Drill(drill))) => {
                self.answer_drill(&card.unit_id, drill).await;
            }
            (ButtonCall::SubmitExam, Some(Content::Exam(exam))) => {
                self.answer_exam(&card.unit_id, exam).await;
            }
            (call, content) => panic!("{call:?} is no way on from {content:?}"),
        }
    }

    async fn answer_drill(&mut self, unit_id: &str, drill: &DrillCard) {
        let right = !std::mem::take(&mut self.errs);
        let answer = if right {
            self.answers.drill(drill)
        } else {
            Answers::wrong_drill()
        };
        let grading = GradeDrillRequest {
            thread_id: self.thread.thread_id.clone(),
            course_id: self.thread.course_id.clone(),
            unit_id: unit_id.to_owned(),
            drill: Some(drill.clone()),
            answer: Some(answer),
            idempotency_key: fresh_key(),
        };
        let student = self.student.clone();
        let graded = self.insist(|| student.grade_drill(grading.clone())).await;
        assert_eq!(graded.result() == DrillResult::Correct, right, "{graded:?}");
        self.held.drills += i64::from(graded.evidence_recorded);
        self.wrong += i64::from(graded.evidence_recorded && !right);
        self.after = graded.buttons;
    }

    async fn answer_exam(&mut self, unit_id: &str, exam: &ExamCard) {
        let submission = SubmitExamAnswerRequest {
            thread_id: self.thread.thread_id.clone(),
            course_id: self.thread.course_id.clone(),
            unit_id: unit_id.to_owned(),
            question_id: exam.question_id.clone(),
            tier: exam.tier,
            answer: Some(self.answers.exam(exam)),
            is_correct: None,
            offer_token: exam.offer_token.clone(),
            idempotency_key: fresh_key(),
        };
        let student = self.student.clone();
        let result = self
            .insist(|| student.submit_exam(submission.clone()))
            .await;
        assert_eq!(result.result(), ExamResult::Passed, "{result:?}");
        assert!(result.recorded);
        self.badges
            .insert(unit_id.to_owned(), result.mastery_tier());
        self.after = result.buttons;
    }

    /// Insists that the suite's records are what its answers said.
    async fn check(&self, reported: &StudentReport) {
        let who = &self.student.id;
        assert_eq!(
            (reported.turns, reported.drills, reported.wrong_drills),
            (self.held.turns, self.held.drills, self.wrong),
            "{who}: turns, drills, wrong ones"
        );
        let badges = reported.badges.unwrap_or_default();
        let count =
            |tier: MasteryTier| self.badges.values().filter(|badge| **badge == tier).count();
        assert_eq!(
            [badges.bronze, badges.silver, badges.gold].map(i64::from),
            [MasteryTier::Bronze, MasteryTier::Silver, MasteryTier::Gold]
                .map(|tier| i64::try_from(count(tier)).unwrap()),
            "{who}: badges"
        );
        let shown = |messages: &[TutorMessage]| -> Vec<(i64, Role, String)> {
            let shown = messages.iter();
            shown.map(|m| (m.id, m.role(), m.text.clone())).collect()
        };
        let kept = self.student.messages(&self.thread.thread_id, 50).await;
        assert_eq!(shown(&kept), shown(&self.received), "{who}: messages");
    }
}
