//! What lies before the student: the open card, the buttons and what was begun. It turns lines into calls and holds no rule
//! of the tutor's: what may be done now is what the buttons say.

mod answers;
mod took;

use turnwise_proto::{
    exam::v1::{QuestionState, SupportKind},
    tutor::v1::{
        Button, ButtonCall, Project, RecordSupportViewRequest, StudentInput, TakeTurnRequest,
        TutorCard, TutorMessage, tutor_card,
    },
};
use uuid::Uuid;

use super::{
    calls::Call,
    typed::{Command, Facing, Typed, understand},
};
use crate::render::{
    self,
    buttons::{Choice, Place, is_closed, key},
    ink,
};
use answers::{Chosen, letters};

/// What lies before the student.
#[derive(Debug, Clone, Default)]
pub struct Desk {
    thread_id: String,
    course_id: String,
    /// The project that messages belong to.
    pub(super) project: Option<Project>,
    card: Option<TutorCard>,
    /// The card before that one.
    before: Option<TutorCard>,
    choices: Vec<Choice>,
    /// The answer to the open exam question that is not handed in yet.
    chosen: Option<Chosen>,
    /// What is sent on a yes.
    confirm: Option<Call>,
    /// Whether a plain line answers the card.
    answering: bool,
    /// Whether the buttons are those of a result.
    result: bool,
    /// What `/again` sends.
    again: Option<Call>,
    place_ticket: String,
    last_turn: Option<String>,
}

/// What follows from a line.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Nothing.
    Nothing,
    /// Something to tell the student; nothing is sent.
    Tell(String),
    /// A call.
    Send(Box<Call>),
    /// A file for what a message waits for, by the number of the slot from 1.
    Attach(usize, String),
    /// Something that the student asks of this program.
    Command(Command),
}

impl Step {
    fn tell(text: impl Into<String>) -> Self {
        Self::Tell(text.into())
    }

    fn send(call: Call) -> Self {
        Self::Send(Box::new(call))
    }
}

impl Desk {
    /// An empty desk in a thread.
    pub fn new(thread_id: &str, course_id: &str) -> Self {
        Self {
            thread_id: thread_id.to_owned(),
            course_id: course_id.to_owned(),
            ..Self::default()
        }
    }

    /// The thread.
    pub fn thread_id(&self) -> &str {
        &self.thread_id
    }

    /// The last turn, if there was one.
    pub fn last_turn(&self) -> Option<&str> {
        self.last_turn.as_deref()
    }

    /// What can be pressed.
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// The open card.
    pub fn card(&self) -> Option<&TutorCard> {
        self.card.as_ref()
    }

    /// Whom a plain line goes to.
    pub fn facing(&self) -> Facing {
        if self.confirm.is_some() {
            Facing::Confirm
        } else if self.answering {
            Facing::Card
        } else if self.result {
            Facing::Result
        } else {
            Facing::Tutor {
                // A bare number answers a question of the tutor's.
                buttons: match self.choices.first() {
                    Some(choice) if choice.button.label_key == "skip_questions" => 0,
                    _ => self.choices.len(),
                },
            }
        }
    }

    /// What stands before the line that is typed.
    pub fn prompt(&self) -> String {
        match (self.facing(), &self.chosen) {
            (Facing::Confirm, _) => "y or n ›".to_owned(),
            (Facing::Card, Some(chosen)) => format!("hand in {}? Enter ›", chosen.shown),
            (Facing::Card, None) => "answer ›".to_owned(),
            (Facing::Tutor { .. } | Facing::Result, _) => "you ›".to_owned(),
        }
    }

    /// One line that says what can be typed now; empty where nothing special can.
    pub fn help_line(&self) -> String {
        match self.content() {
            Some(tutor_card::Content::Drill(_)) if self.answering => {
                "Type your answer. A question? or /say … goes to the tutor; /help for more."
                    .to_owned()
            }
            Some(tutor_card::Content::Exam(exam)) if self.answering => {
                let what = if exam.options.is_empty() {
                    "Type your answer".to_owned()
                } else {
                    format!("Choose {}", letters(exam))
                };
                format!("{what}; nothing counts before you hand it in. /help for more.")
            }
            Some(tutor_card::Content::Drill(_)) => format!(
                "The drill is still open: `check …` answers it{}",
                self.other_way(ButtonCall::GradeDrill, "Check answer")
            ),
            Some(tutor_card::Content::Exam(exam)) if !is_closed(exam) => format!(
                "The exam question is still open: `submit …` answers it{}",
                self.other_way(ButtonCall::SubmitExam, "Submit")
            ),
            _ => String::new(),
        }
    }

    /// How else the open card is answered: by its button, or by the card where the buttons are those of another one.
    fn other_way(&self, call: ButtonCall, label: &str) -> String {
        let is_it = |choice: &Choice| choice.button.call() == call;
        if self.choices.iter().any(is_it) {
            format!(", and so does {label}.")
        } else {
            "; /card brings it back.".to_owned()
        }
    }

    /// Reads a line.
    pub fn read(&mut self, line: &str) -> Step {
        let facing = self.facing();
        let typed = understand(line, facing);
        // Whatever is not a yes takes the question back.
        let confirmed = self.confirm.take();
        match typed {
            Typed::Yes => confirmed.map_or(Step::Nothing, Step::send),
            Typed::No => Step::tell("Left as it is."),
            Typed::Enter => self.enter(),
            Typed::Press(number) => self.press(number),
            Typed::Say(input) => self.turn(Some(input), &Button::default()),
            Typed::Later(input) => Step::send(Call::Turn(TakeTurnRequest {
                deferred: true,
                ..self.turn_request(Some(input), &Button::default())
            })),
            Typed::Answer(input) => self.answer(&input),
            Typed::HandIn(input, word) => self.hand_in(input, &word),
            Typed::Command(Command::Again) => match self.again.clone() {
                Some(call) => Step::send(call),
                None => Step::tell("There is nothing to send again."),
            },
            Typed::Attach(slot, file) => Step::Attach(slot, file),
            Typed::Command(command) => Step::Command(command),
            Typed::Unknown(command) => Step::tell(format!(
                "`{}` is no command; /help tells which there are, and /say … says it to the tutor.",
                ink::line(&command)
            )),
        }
    }

    /// Enter alone hands in what was chosen, and presses the primary button of a result.
    fn enter(&mut self) -> Step {
        if self.answering {
            return match self.submission() {
                Some(call) => Step::send(call),
                None => Step::Nothing,
            };
        }
        let primary = |choice: &Choice| choice.place == Place::Result && choice.button.primary;
        match self.choices.iter().position(primary) {
            Some(at) if self.result => self.press(at + 1),
            _ => Step::Nothing,
        }
    }

    fn press(&mut self, number: usize) -> Step {
        let choice = number.checked_sub(1).and_then(|at| self.choices.get(at));
        let Some(choice) = choice.cloned() else {
            return Step::tell(match self.choices.len() {
                0 => "There is no button now.".to_owned(),
                1 => format!("There is no {}; there is {}.", key(number), key(1)),
                most => format!(
                    "There is no {}; there are {} to {}.",
                    key(number),
                    key(1),
                    key(most)
                ),
            });
        };
        let button = choice.button;
        match button.call() {
            ButtonCall::Turn | ButtonCall::Unspecified => self.turn(None, &button),
            ButtonCall::Compose => {
                self.answering = false;
                Step::tell("Type your question.")
            }
            ButtonCall::GradeDrill if button.typed_answer.is_some() => self.check_typed(&button),
            ButtonCall::GradeDrill => match self.content() {
                Some(tutor_card::Content::Drill(_)) => {
                    self.answering = true;
                    Step::tell("Type your answer.")
                }
                _ => Step::tell("There is no drill to answer any more; ask for another one."),
            },
            ButtonCall::SubmitExam => self.press_submit(),
            ButtonCall::ViewMemo => self.view(SupportKind::Memo),
            ButtonCall::ViewVideo => self.view(SupportKind::Video),
        }
    }

    fn view(&mut self, kind: SupportKind) -> Step {
        let (Some(card), Some(tutor_card::Content::Exam(exam))) = (&self.card, self.content())
        else {
            return Step::tell("There is no exam question any more that this belongs to.");
        };
        let call = Call::View(RecordSupportViewRequest {
            thread_id: self.thread_id.clone(),
            course_id: self.course_id.clone(),
            unit_id: card.unit_id.clone(),
            question_id: exam.question_id.clone(),
            kind: kind.into(),
            offer_token: exam.offer_token.clone(),
            idempotency_key: fresh_key(),
        });
        if exam.state() == QuestionState::Passed {
            return Step::send(call);
        }
        self.confirm = Some(call);
        let what = match kind {
            SupportKind::Video => "video",
            SupportKind::Memo | SupportKind::Unspecified => "memo",
        };
        Step::tell(format!(
            "Looking at the {what} locks this question for a while. Look all the same?"
        ))
    }

    fn turn(&self, input: Option<StudentInput>, button: &Button) -> Step {
        Step::send(Call::Turn(self.turn_request(input, button)))
    }

    fn turn_request(&self, input: Option<StudentInput>, button: &Button) -> TakeTurnRequest {
        TakeTurnRequest {
            thread_id: self.thread_id.clone(),
            course_id: self.course_id.clone(),
            input,
            event: button.event.clone(),
            idempotency_key: fresh_key(),
            place_ticket: self.place_ticket.clone(),
            project: self.project.clone(),
            deferred: false,
        }
    }

    fn content(&self) -> Option<&tutor_card::Content> {
        self.card.as_ref().and_then(|card| card.content.as_ref())
    }

    /// Remembers a call that failed and may be sent again, or that there is none.
    pub fn failed(&mut self, again: Option<Call>) {
        self.again = again;
    }

    /// Takes the tutor's message. A drill or an exam question on it takes the place of the one before; without one, that
    /// stays open and the student talks.
    pub fn show(&mut self, message: &TutorMessage) {
        self.result = false;
        let answerable = message.card.as_ref().filter(|card| {
            matches!(
                card.content,
                Some(tutor_card::Content::Drill(_) | tutor_card::Content::Exam(_))
            )
        });
        match answerable {
            Some(card) => {
                self.open(card.clone());
                self.choices = render::choices(message);
            }
            None => {
                self.answering = false;
                self.chosen = None;
                let own = render::choices(message);
                self.choices = match (&self.card, &message.card) {
                    // A card for reading has buttons of its own.
                    (Some(_), Some(_)) | (None, _) => own,
                    (Some(open), None) => {
                        Choice::all(&open.buttons, Place::Card).chain(own).collect()
                    }
                };
            }
        }
    }

    /// Puts a card on the desk, in place of the one before.
    pub fn open(&mut self, card: TutorCard) {
        self.answering = match &card.content {
            Some(tutor_card::Content::Drill(_)) => true,
            Some(tutor_card::Content::Exam(exam)) => !is_closed(exam),
            _ => false,
        };
        self.chosen = None;
        self.before = self.card.replace(card);
    }

    /// Whether a plain line answers the open card.
    pub fn answers_card(&self) -> bool {
        self.answering
    }

    /// Takes the open card as it is now, with its buttons in the place of the old ones.
    pub fn reopen(&mut self, card: TutorCard) {
        let others = self
            .choices
            .iter()
            .filter(|choice| choice.place != Place::Card)
            .cloned();
        self.choices = Choice::all(&card.buttons, Place::Card)
            .chain(others)
            .collect();
        self.open(card);
    }

    fn put_away(&mut self) {
        self.card = None;
        self.chosen = None;
        self.answering = false;
    }
}

fn fresh_key() -> String {
    Uuid::new_v4().to_string()
}
