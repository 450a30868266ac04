//! `turnwise placement`: what a student knows already, asked in the terminal.

use std::{io::Write, process::ExitCode};

use anyhow::Result;
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    placement::v1::{
        AnswerPlacementRequest, BeginPlacementRequest, PausePlacementRequest, Placement,
        PlacementCard,
    },
    tutor::v1::{PlacementState, StudentInput},
};
use uuid::Uuid;

use crate::{
    chat::{lines::Lines, remedy::remedy},
    client::{ConnectArgs, Student},
    render::{Ink, ink, latex},
    school::answered,
};

/// What can be typed.
const COMMANDS: &str =
    "Type each answer; Enter alone if you do not know; pause goes on another time.";

/// Arguments of `turnwise placement`.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct PlacementArgs {
    /// Who is asked, about which course, and where to.
    #[command(flatten)]
    pub connect: ConnectArgs,
    /// The thread; a new one without it
    #[arg(long)]
    pub thread: Option<String>,
}

/// A placement.
struct Asking<'o> {
    student: Student,
    thread_id: String,
    out: &'o mut (dyn Write + Send),
    ink: Ink,
}

/// Asks until the end, a pause, or the end of the input, which is a pause as well.
///
/// # Errors
/// No connection can be set up, or the terminal cannot be written. What the suite refuses is printed.
pub async fn run(args: PlacementArgs) -> Result<ExitCode> {
    let mut student = Student::connect(args.connect)?;
    let thread_id = match args.thread {
        Some(thread_id) => Ok(thread_id),
        None => student.create_thread().await,
    };
    let mut out = std::io::stdout();
    let ink = Ink::of_stdout();
    let asked = match thread_id {
        Ok(thread_id) => {
            let mut asking = Asking {
                student,
                thread_id,
                out: &mut out,
                ink,
            };
            asking.ask(&mut Lines::of_stdin()).await?
        }
        Err(fault) => Err(fault),
    };
    Ok(match asked {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("refused: {fault}\n  {}", remedy(&fault));
            ExitCode::FAILURE
        }
    })
}

impl Asking<'_> {
    async fn ask(&mut self, lines: &mut Lines) -> Result<Result<(), Fault>> {
        let mut placement = match self.begin().await {
            Ok(placement) => placement,
            Err(fault) => return Ok(Err(fault)),
        };
        self.say(COMMANDS)?;
        while let Some(card) = placement.question.clone() {
            self.show(&card, &placement)?;
            let line = lines.next().await;
            if let Some(line) = line.as_ref().filter(|_| lines.echo()) {
                self.say(&ink::line(line))?;
            }
            let line = line.as_deref().map(str::trim);
            let step = match line {
                None | Some("pause") => self.pause().await,
                Some(line) => self.answer(&card, line).await,
            };
            placement = match step {
                Ok(Some(next)) => next,
                // It was no answer; the question waits.
                Ok(None) => placement,
                Err(fault) if fault.reason() == ErrorReason::InvalidArgument => {
                    self.say(&format!("  {}", ink::line(&fault.to_string())))?;
                    placement
                }
                Err(fault) => return Ok(Err(fault)),
            };
        }
        self.end(&placement)?;
        Ok(Ok(()))
    }

    async fn begin(&mut self) -> Result<Placement, Fault> {
        let request = BeginPlacementRequest {
            thread_id: self.thread_id.clone(),
            course_id: self.student.args().course.clone(),
            idempotency_key: Uuid::new_v4().to_string(),
        };
        let request = self.student.request(request, self.student.timeout());
        let begun = answered(self.student.placements.begin_placement(request).await)?;
        Ok(begun.placement.unwrap_or_default())
    }

    async fn pause(&mut self) -> Result<Option<Placement>, Fault> {
        let request = PausePlacementRequest {
            thread_id: self.thread_id.clone(),
            course_id: self.student.args().course.clone(),
            idempotency_key: Uuid::new_v4().to_string(),
        };
        let request = self.student.request(request, self.student.timeout());
        let paused = answered(self.student.placements.pause_placement(request).await)?;
        Ok(paused.placement)
    }

    /// Sends an answer; an empty line is none. Words that met a guardrail get a text, and no placement.
    async fn answer(
        &mut self,
        card: &PlacementCard,
        line: &str,
    ) -> Result<Option<Placement>, Fault> {
        let request = AnswerPlacementRequest {
            thread_id: self.thread_id.clone(),
            course_id: self.student.args().course.clone(),
            question: Some(card.clone()),
            answer: (!line.is_empty()).then(|| StudentInput {
                text: line.to_owned(),
                ..StudentInput::default()
            }),
            idempotency_key: Uuid::new_v4().to_string(),
        };
        let request = self.student.request(request, self.student.timeout());
        let answer = answered(self.student.placements.answer_placement(request).await)?;
        if !answer.text.is_empty() {
            let text = ink::wrap(&answer.text, ink::WIDTH - 2).join("\n  ");
            // What cannot be written now cannot be written with the next question either, and that is told.
            let _ = writeln!(self.out, "  {text}");
        }
        Ok(answer.placement)
    }

    fn show(&mut self, card: &PlacementCard, placement: &Placement) -> Result<()> {
        let count = format!("{} of at most {}", placement.answered + 1, placement.most);
        let count = self.ink.faint(&count);
        let prompt = ink::line(&latex::shown_in_text(&card.prompt));
        self.say(&format!("\n{count}\n  {prompt}"))?;
        if !card.question_latex.is_empty() {
            let exercise = ink::line(&latex::shown(&card.question_latex));
            let exercise = self.ink.strong(&exercise);
            self.say(&format!("  {exercise}"))?;
        }
        write!(self.out, "{} ", self.ink.strong("answer ›"))?;
        Ok(self.out.flush()?)
    }

    fn end(&mut self, placement: &Placement) -> Result<()> {
        if placement.state() == PlacementState::Paused {
            let id = ink::line(&self.thread_id);
            return self.say(&format!("\nIt waits. The thread: {id}"));
        }
        if placement.placed.is_empty() {
            return self.say("\nThank you. The course begins at its beginning.");
        }
        self.say("\nThank you. You know already:")?;
        for unit in &placement.placed {
            let (title, id) = (ink::line(&unit.title), ink::line(&unit.unit_id));
            self.say(&format!("  - {title} ({id})"))?;
        }
        Ok(())
    }

    fn say(&mut self, text: &str) -> Result<()> {
        Ok(writeln!(self.out, "{text}")?)
    }
}
