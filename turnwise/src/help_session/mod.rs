//! `turnwise help-session`: a procedure in the terminal. Lines take the place of a simulator's observations, and a schematic that of
//! its controls.
//!
//! | module | is about |
//! | --- | --- |
//! | `schematic` | the controls and the variables, as they are shown |
//! | `typed` | what a line means |
//! | `overlays` | what is to be shown: watched, shown, acknowledged |

mod overlays;
mod schematic;
mod typed;

use std::{io::Write, path::PathBuf, process::ExitCode, time::Duration};

use anyhow::{Context, Result};
use jiff::Timestamp;
use turnwise_course_pack::{Procedure, load_all};
use turnwise_kit::{Fault, run::termination, time};
use turnwise_proto::{
    procedure::v1::{
        Help, HelpSession, HelpStatus, Observation, OpenHelpSessionRequest, Overlay,
        RecordObservationRequest, RequestHelpRequest, StepStatus, Variable,
    },
    tutor::v1::DegradedReason,
};
use uuid::Uuid;

use crate::{
    chat::{lines::Lines, remedy::remedy},
    client::{ConnectArgs, Student},
    render::{Ink, ink},
    school::answered,
};
use overlays::Overlays;
use typed::Typed;

/// What can be typed.
const COMMANDS: &str = "NAME=VALUE observes, NAME= forgets, help or Enter asks for help, show draws the controls, quit ends.";
/// How long the highlight of a help is waited for.
const SOON: Duration = Duration::from_secs(5);

/// Arguments of `turnwise help-session`.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct HelpSessionArgs {
    /// Who plays, in which course, and where to.
    #[command(flatten)]
    pub connect: ConnectArgs,
    /// The procedure: the name of its folder in the course
    #[arg(long, default_value = "titration")]
    pub procedure: String,
    /// The folder with the course pack, whose variables and controls are shown
    #[arg(long, env = "COURSES_DIR", default_value = "courses")]
    pub courses: PathBuf,
}

/// A session.
struct Play<'o> {
    student: Student,
    session: HelpSession,
    procedure: Procedure,
    /// The last observation sent.
    sequence: i64,
    /// What is highlighted.
    highlight: Option<Overlay>,
    overlays: Overlays,
    out: &'o mut (dyn Write + Send),
    ink: Ink,
}

/// Plays until the input ends.
///
/// # Errors
/// The course pack cannot be read, or no connection can be set up. What the suite refuses is printed.
pub async fn run(args: HelpSessionArgs) -> Result<ExitCode> {
    let (pack_hash, procedure) = find(&args)?;
    let mut student = Student::connect(args.connect.clone())?;
    let session = match open(&mut student, &procedure.id).await {
        Ok(session) => session,
        Err(fault) => {
            eprintln!("refused: {fault}\n  {}", remedy(&fault));
            return Ok(ExitCode::FAILURE);
        }
    };
    let mut out = std::io::stdout();
    let overlays = overlays::watch(Student::connect(args.connect)?, &session.session_id);
    let mut play = Play {
        student,
        sequence: session.stored_sequence,
        session,
        procedure,
        highlight: None,
        overlays,
        out: &mut out,
        ink: Ink::of_stdout(),
    };
    play.begin(&pack_hash)?;
    let mut lines = Lines::of_stdin();
    let stop = termination()?;
    tokio::select! {
        biased;
        () = stop => {}
        played = play.play(&mut lines) => played?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The procedure of the pack on disk, and the pack's hash.
fn find(args: &HelpSessionArgs) -> Result<(String, Procedure)> {
    let (dir, course) = (args.courses.display(), &args.connect.course);
    let packs = load_all(&args.courses)?.into_iter();
    let pack = packs
        .filter_map(|(_, pack)| pack.ok())
        .find(|pack| pack.course.id == *course)
        .with_context(|| {
            format!(
                "{dir} has no course `{course}` without faults; name its folder with --courses, or see \
                 `turnwise course check {dir}`"
            )
        })?;
    let ids: Vec<String> = pack.procedures.iter().map(|one| one.id.clone()).collect();
    let found = pack
        .procedures
        .into_iter()
        .find(|one| one.id == args.procedure);
    let procedure = found.with_context(|| {
        let (wanted, ids) = (&args.procedure, ids.join(", "));
        format!("the course has no procedure `{wanted}`; name one with --procedure: {ids}")
    })?;
    Ok((pack.hash, procedure))
}

async fn open(student: &mut Student, procedure_id: &str) -> Result<HelpSession, Fault> {
    let args = student.args();
    let request = OpenHelpSessionRequest {
        course_id: args.course.clone(),
        class_id: args.class.clone(),
        procedure_id: procedure_id.to_owned(),
        idempotency_key: Uuid::new_v4().to_string(),
        ..OpenHelpSessionRequest::default()
    };
    let request = student.request(request, student.timeout());
    let opened = answered(student.procedures.open_help_session(request).await)?;
    Ok(opened.session.unwrap_or_default())
}

impl Play<'_> {
    fn begin(&mut self, pack_hash: &str) -> Result<()> {
        let title = ink::line(&self.procedure.title);
        self.say(&format!("session {}\n{title}", self.session.session_id))?;
        if self.session.pack_hash != pack_hash {
            self.say("  The suite serves another version of the course than --courses has.")?;
        }
        let variables = schematic::variables(&self.procedure);
        self.say(&format!("\n{variables}"))?;
        self.draw()?;
        self.say(COMMANDS)
    }

    /// Reads lines until there are no more, or the learner has had enough.
    async fn play(&mut self, lines: &mut Lines) -> Result<()> {
        loop {
            self.prompt()?;
            let line = loop {
                tokio::select! {
                    biased;
                    Some(overlay) = self.overlays.recv() => {
                        self.say("")?;
                        self.show(overlay).await?;
                        self.prompt()?;
                    }
                    line = lines.next() => break line,
                }
            };
            let Some(line) = line else {
                return self.say("");
            };
            if lines.echo() {
                self.say(&ink::line(&line))?;
            }
            match typed::read(&line, &self.procedure) {
                Typed::Quit => return Ok(()),
                Typed::Show => self.draw()?,
                Typed::Help => self.help().await?,
                Typed::Observe(variable) => self.observe(variable).await?,
                Typed::Nothing(why) => self.say(&format!("  {why}\n  {COMMANDS}"))?,
            }
        }
    }

    async fn observe(&mut self, variable: Variable) -> Result<()> {
        self.student.renew()?;
        let request = RecordObservationRequest {
            session_id: self.session.session_id.clone(),
            observation: Some(Observation {
                sequence: self.sequence + 1,
                client_time: Some(time::to_proto(Timestamp::now())),
                variables: vec![variable],
            }),
            ..RecordObservationRequest::default()
        };
        let request = self.student.request(request, self.student.timeout());
        match answered(self.student.procedures.record_observation(request).await) {
            Ok(_) => {
                self.sequence += 1;
                self.say(&format!("  observation {}", self.sequence))
            }
            Err(fault) => self.refused(&fault),
        }
    }

    async fn help(&mut self) -> Result<()> {
        self.student.renew()?;
        let request = RequestHelpRequest {
            session_id: self.session.session_id.clone(),
            idempotency_key: Uuid::new_v4().to_string(),
            ..RequestHelpRequest::default()
        };
        let request = self.student.request(request, self.student.timeout());
        let help = match answered(self.student.procedures.request_help(request).await) {
            Ok(answer) => answer.help.unwrap_or_default(),
            Err(fault) => return self.refused(&fault),
        };
        for text in ink::wrap(&help.message, ink::WIDTH - 2) {
            let text = self.ink.strong(&text);
            self.say(&format!("  {text}"))?;
        }
        for point in &help.explanations {
            self.say(&format!("  - {}", ink::line(point)))?;
        }
        let about = self.ink.faint(&about(&help));
        self.say(&format!("  {about}"))?;
        // It is shown when the watch tells of it, as a simulator does it.
        if let Some(overlay) = &help.overlay {
            let shown = tokio::time::timeout(SOON, self.show_until(&overlay.overlay_id)).await;
            if let Ok(shown) = shown {
                shown?;
            }
        }
        self.draw()
    }

    fn draw(&mut self) -> Result<()> {
        let drawing = schematic::controls(&self.procedure, self.highlighted(), self.ink);
        Ok(write!(self.out, "{drawing}")?)
    }

    fn prompt(&mut self) -> Result<()> {
        write!(self.out, "\n{} ", self.ink.strong("procedure ›"))?;
        Ok(self.out.flush()?)
    }

    fn refused(&mut self, fault: &Fault) -> Result<()> {
        let (head, what) = (self.ink.bad("refused:"), ink::line(&fault.to_string()));
        self.say(&format!("  {head} {what}\n  {}", remedy(fault)))
    }

    fn say(&mut self, text: &str) -> Result<()> {
        Ok(writeln!(self.out, "{text}")?)
    }
}

/// Which step a help is about, and whose words it is.
fn about(help: &Help) -> String {
    let step = match help.step_status() {
        StepStatus::Finished => return "(finished)".to_owned(),
        StepStatus::Pending => format!("step {}, pending", help.step_id),
        StepStatus::Active => format!("step {}", help.step_id),
        StepStatus::Unspecified => "step unknown".to_owned(),
    };
    let metadata = help.metadata.clone().unwrap_or_default();
    let words = match (help.status(), metadata.fallback_reason()) {
        (HelpStatus::Ok, _) => format!("words of {}", metadata.model),
        (_, DegradedReason::Unspecified) => "unsure".to_owned(),
        (_, reason) => format!("the author's words, {}", reason.as_str_name()),
    };
    ink::line(&format!("({step}; {words})"))
}
