//! `turnwise chat`: the whole loop in the terminal, from the drill to the exam question and back to what was locked.
//!
//! | module | is about |
//! | --- | --- |
//! | `helper` | the homework helper instead of the tutor |
//! | [`typed`] | what a line means |
//! | [`desk`] | the open card and its buttons; lines become calls |
//! | [`calls`] | calls, and sending them again |
//! | [`progress`] | how far a call is, on one line |
//! | `commands` | what is asked of this program |
//! | [`remedy`] | what to do about a refusal |
//! | [`drawer`] | why a turn went as it did, for staff |
//! | [`lines`] | what is typed, line by line |

pub mod calls;
mod commands;
mod context;
pub mod desk;
pub mod drawer;
mod helper;
pub mod lines;
pub mod progress;
pub mod remedy;
pub mod typed;

use std::{
    io::{IsTerminal, Write},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::Result;
use jiff::Timestamp;
use turnwise_kit::{Fault, run::termination};
use turnwise_proto::tutor::v1::{ContextRequired, Project, Role, SnapshotLite, tutor_card};

use crate::{
    client::{ConnectArgs, Student},
    render::{
        self, Ink,
        buttons::{Place, is_closed, row},
    },
};
use calls::{Answer, Call};
use context::News;
use desk::{Desk, Step};
use lines::Lines;
use progress::Progress;
use typed::Command;

/// Arguments of `turnwise chat`.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct ChatArgs {
    /// Who speaks, about what, and where to.
    #[command(flatten)]
    pub connect: ConnectArgs,
    /// The thread to go on with; a new one without it
    #[arg(long)]
    pub thread: Option<String>,
    /// The step of the project that messages belong to: a phase of the course's context.yaml
    #[arg(long, conflicts_with = "helper")]
    pub phase: Option<String>,
    /// The project that messages belong to, where it has several threads: any id
    #[arg(long, conflicts_with = "helper")]
    pub batch: Option<String>,
    /// How answers in the project are to be written: plain, formal, or another style of the suite's prompt sheets
    #[arg(long, conflicts_with = "helper")]
    pub writing_style: Option<String>,
    /// File with a staff token for /why; without it a development token of a local `turnwise up` is made
    #[arg(long)]
    pub staff_token_file: Option<PathBuf>,
    /// Talk to the homework helper beside a lesson instead of the tutor
    #[arg(long, requires = "lesson")]
    pub helper: bool,
    /// The lesson: its slug, or a few words of the page's own
    #[arg(long, requires = "helper")]
    pub lesson: Option<String>,
    /// File with the page's scope token; without it one is signed with the staff token
    #[arg(long, requires = "helper")]
    pub scope_token_file: Option<PathBuf>,
}

/// Talks until the input ends.
pub async fn run(args: ChatArgs) -> Result<ExitCode> {
    if let Some(lesson) = &args.lesson {
        return helper::run(&args, lesson).await;
    }
    let mut student = Student::connect(args.connect)?;
    let resumed = args.thread.is_some();
    let thread_id = match args.thread {
        Some(thread) => thread,
        None => match student.create_thread().await {
            Ok(thread) => thread,
            Err(fault) => {
                eprintln!("refused: {fault}");
                eprintln!("  {}", remedy::remedy(&fault));
                return Ok(ExitCode::FAILURE);
            }
        },
    };
    let mut out = std::io::stdout();
    let mut desk = Desk::new(&thread_id, &student.args().course);
    let has_project = args.phase.is_some() || args.batch.is_some() || args.writing_style.is_some();
    desk.project = has_project.then(|| Project {
        phase: args.phase.unwrap_or_default(),
        batch_id: args.batch.unwrap_or_default(),
        writing_style: args.writing_style.unwrap_or_default(),
        ..Project::default()
    });
    let mut chat = Chat {
        desk,
        waiting: None,
        pieces: Vec::new(),
        news: None,
        seen: 0,
        student,
        staff_token_file: args.staff_token_file,
        live: out.is_terminal(),
        ink: Ink::of_stdout(),
        out: &mut out,
        standing: None,
    };
    chat.say(&format!("thread {thread_id}"))?;
    chat.say("Type a message to the tutor, 1 for a button, /help for the rest, /quit to end.")?;
    if resumed && !chat.resume().await? {
        return Ok(ExitCode::FAILURE);
    }
    let mut lines = Lines::of_stdin();
    let stop = termination()?;
    tokio::select! {
        biased;
        () = stop => {}
        talked = chat.talk(&mut lines) => talked?,
    }
    chat.end()?;
    Ok(ExitCode::SUCCESS)
}

/// A conversation.
struct Chat<'o> {
    desk: Desk,
    student: Student,
    staff_token_file: Option<PathBuf>,
    out: &'o mut dyn Write,
    /// Whether the output is a terminal.
    live: bool,
    ink: Ink,
    /// Where the student stood when it was said last.
    standing: Option<SnapshotLite>,
    /// What the last message waits for.
    waiting: Option<ContextRequired>,
    /// The pieces that were listed for it, which `/attach` names by letters.
    pieces: Vec<String>,
    /// What happens in the thread, once a message has waited.
    news: Option<News>,
    /// The last message that was shown.
    seen: i64,
}

impl Chat<'_> {
    /// Reads lines until there are no more, or the student has had enough.
    async fn talk(&mut self, lines: &mut Lines) -> Result<()> {
        loop {
            let prompt = self.desk.prompt();
            write!(self.out, "\n{} ", self.ink.strong(&prompt))?;
            self.out.flush()?;
            let line = loop {
                tokio::select! {
                    biased;
                    news = context::next(&mut self.news) => {
                        if self.tell(&news)? {
                            write!(self.out, "\n{} ", self.ink.strong(&prompt))?;
                            self.out.flush()?;
                        }
                    }
                    line = lines.next() => break line,
                }
            };
            let Some(line) = line else { return Ok(()) };
            if lines.echo() {
                // What is typed at a terminal stands there; what comes from a file does not.
                self.say(&render::ink::line(&line))?;
            }
            match self.desk.read(&line) {
                Step::Nothing => {}
                Step::Tell(text) => self.say(&format!("  {text}"))?,
                Step::Send(call) => self.send(&call).await?,
                Step::Attach(slot, file) => self.attach(slot, &file).await?,
                Step::Command(Command::Quit) => return Ok(()),
                Step::Command(command) => {
                    if let Err(fault) = self.command(command).await? {
                        self.refused(&fault)?;
                    }
                }
            }
        }
    }

    async fn send(&mut self, call: &Call) -> Result<()> {
        let mut progress = Progress::new(self.out, self.live, self.ink);
        let answer = match calls::send(&mut self.student, call, &mut progress).await {
            Ok(answer) => answer,
            Err(fault) => {
                let again = calls::may_be_sent_again(fault.reason());
                self.desk.failed(again.then(|| call.clone()));
                self.refused(&fault)?;
                if again {
                    self.say("  /again sends the same once more; it cannot count twice.")?;
                }
                return Ok(());
            }
        };
        self.desk.took(call, &answer);
        let now = Timestamp::now();
        let (choices, ink) = (self.desk.choices(), self.ink);
        let text = match &answer {
            Answer::Turn(answer) if answer.context_required.is_some() => {
                self.seen = answer.messages.last().map_or(self.seen, |last| last.id);
                self.wait_for(answer)
            }
            Answer::Turn(answer) => {
                self.seen = answer.messages.last().map_or(self.seen, |last| last.id);
                let last = answer.messages.last();
                let message =
                    last.map_or_else(String::new, |last| render::message(last, choices, now, ink));
                let reminder = if last.is_some_and(|last| last.card.is_some()) {
                    String::new()
                } else {
                    self.open_card_line()
                };
                message + &reminder + &render::remarks(answer, ink)
            }
            Answer::Graded(graded) => render::result::graded(graded, choices, ink),
            Answer::Submitted(submitted) => render::result::submitted(submitted, choices, now, ink),
            Answer::Viewed(viewed) => render::result::viewed(viewed, choices, now, ink),
        };
        write!(self.out, "{text}")?;
        if let Some(standing) = answer.standing() {
            self.standing_if_new(standing, now)?;
        }
        if answer.may_be_repeated() {
            self.say(if answer.keeps_place() {
                "  /again sends it once more, and keeps your place."
            } else {
                "  /again sends it once more."
            })?;
        }
        self.help_line()
    }

    /// Where the student stands, if that has changed.
    fn standing_if_new(&mut self, standing: &SnapshotLite, now: Timestamp) -> Result<()> {
        if self.standing.as_ref() != Some(standing) {
            let text = render::standing::below(standing, now, self.ink);
            write!(self.out, "{text}")?;
            self.standing = Some(standing.clone());
        }
        Ok(())
    }

    /// A reminder of the card that is still open, for a message that brought none; empty if there is nothing to say.
    fn open_card_line(&self) -> String {
        let Some(card) = self.desk.card() else {
            return String::new();
        };
        let closed = match &card.content {
            Some(tutor_card::Content::Exam(exam)) => is_closed(exam),
            _ => false,
        };
        let row = row(self.desk.choices(), Place::Card, closed, self.ink, false);
        if row.is_empty() || self.desk.answers_card() {
            return String::new();
        }
        format!("        {row}\n")
    }

    fn help_line(&mut self) -> Result<()> {
        let help = self.desk.help_line();
        if help.is_empty() {
            return Ok(());
        }
        Ok(write!(self.out, "{}", render::ink::below(&help, self.ink))?)
    }

    /// Goes on where the thread stands; false if there is no such thread.
    async fn resume(&mut self) -> Result<bool> {
        let messages = match self.messages().await {
            Ok(messages) => messages,
            Err(fault) => {
                eprintln!("refused: {fault}");
                eprintln!("  {}", remedy::remedy(&fault));
                return Ok(false);
            }
        };
        let last = messages.iter().rev().find(|m| m.role() == Role::Assistant);
        if let Some(last) = last {
            self.desk.show(last);
            let now = Timestamp::now();
            let text = render::message(last, self.desk.choices(), now, self.ink);
            write!(self.out, "{text}")?;
            self.help_line()?;
        }
        Ok(true)
    }

    fn refused(&mut self, fault: &Fault) -> Result<()> {
        let head = self.ink.bad("refused:");
        let fault_line = render::ink::line(&fault.to_string());
        self.say(&format!("  {head} {fault_line}"))?;
        self.say(&format!("  {}", remedy::remedy(fault)))
    }

    fn say(&mut self, text: &str) -> Result<()> {
        Ok(writeln!(self.out, "{text}")?)
    }

    fn end(&mut self) -> Result<()> {
        let args = self.student.args();
        let go_on = format!(
            "\n  Until next time. To go on: turnwise chat --thread {} --student {} --class {} --course {}{}",
            self.desk.thread_id(),
            args.student,
            args.class,
            args.course,
            args.endpoint.typed()
        );
        let go_on = self.ink.faint(&go_on);
        self.say(&go_on)?;
        Ok(self.out.flush()?)
    }
}
