//! `turnwise class watch`: a live board of a class in the terminal.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{IsTerminal, Write},
    time::Duration,
};

use anyhow::Result;
use jiff::Timestamp;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use turnwise_kit::{Fault, time};
use turnwise_proto::{
    classes::v1::{Escalation, SafeguardingAlert},
    common::v1::ErrorReason,
    school::v1::{
        ListStuckStudentsRequest, StuckStudent, Waiting, WatchClassRequest,
        watch_class_response::Event,
    },
};

use super::{Class, WhoArgs, alerts, escalations};
use crate::{
    edge::span,
    render::{Ink, table::table},
    school::{WORK, answered},
};

/// How often it is asked who is stuck.
const STUCK_EVERY: Duration = Duration::from_secs(10);
/// How long after a stream has ended the next one is begun.
const AGAIN: Duration = Duration::from_secs(2);
/// How long the first waiting list and open alerts may take to come, with --once.
const FIRST: Duration = Duration::from_secs(5);
/// Clears the screen and goes to its upper left corner.
const CLEAR: &str = "\x1b[2J\x1b[H";

/// Arguments of `turnwise class watch`.
#[derive(clap::Args, Debug, Clone)]
pub struct WatchArgs {
    /// Which class, and who asks.
    #[command(flatten)]
    pub who: WhoArgs,
    /// The course of which it is shown who is stuck
    #[arg(long)]
    pub course: Option<String>,
    /// Print the board once and end; so it does where its output is no terminal
    #[arg(long)]
    pub once: bool,
}

/// What is known of the class now.
#[derive(Default)]
struct Board {
    alerts: BTreeMap<String, SafeguardingAlert>,
    escalations: BTreeMap<String, Escalation>,
    waiting: Option<Waiting>,
    stuck: Vec<StuckStudent>,
}

pub(super) async fn run(args: WatchArgs, out: &mut (dyn Write + Send)) -> Result<()> {
    let mut class = args.who.connect()?;
    let live = !args.once && std::io::stdout().is_terminal();
    let mut board = Board {
        stuck: stuck(&mut class, args.course.as_deref()).await?,
        ..Board::default()
    };
    let mut cursor = String::new();
    let mut look = interval_at(Instant::now() + STUCK_EVERY, STUCK_EVERY);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    if !live {
        // A board that is printed once waits for no stream to tell what was open before.
        let open = alerts::list(&mut class, false).await?;
        board.alerts = open
            .into_iter()
            .map(|alert| (alert.alert_id.clone(), alert))
            .collect();
        for escalation in escalations::list(&mut class, false).await? {
            board.take(Some(Event::Escalation(escalation)));
        }
    }
    let end = Instant::now() + FIRST;
    loop {
        let request = class.caller.request(
            WatchClassRequest {
                class_id: class.id.clone(),
                cursor: cursor.clone(),
            },
            WORK,
        );
        let mut events = answered(class.client.watch_class(request).await)?;
        let failed = loop {
            tokio::select! {
                _ = look.tick() => {
                    board.stuck = stuck(&mut class, args.course.as_deref()).await?;
                }
                event = events.message() => match event {
                    Ok(Some(event)) => {
                        cursor = event.cursor;
                        board.take(event.event);
                    }
                    Ok(None) => break None,
                    Err(status) => break Some(Fault::from_status(&status)),
                },
                () = tokio::time::sleep_until(end), if !live => {}
            }
            let text = board.render(&class.id, Timestamp::now(), Ink::of_stdout());
            if live {
                write!(out, "{CLEAR}{text}")?;
                out.flush()?;
            } else if board.waiting.is_some() || Instant::now() >= end {
                write!(out, "{text}")?;
                return Ok(());
            }
        };
        match failed {
            Some(fault) if !passes(&fault) => return Err(fault.into()),
            _ => tokio::time::sleep(AGAIN).await,
        }
    }
}

/// Whether a stream that ended so is begun again.
fn passes(fault: &Fault) -> bool {
    matches!(
        fault.reason(),
        ErrorReason::ResumeRequired
            | ErrorReason::Draining
            | ErrorReason::DependencyUnavailable
            | ErrorReason::StorageUnavailable
            | ErrorReason::DeadlineExceeded
    )
}

async fn stuck(class: &mut Class, course: Option<&str>) -> Result<Vec<StuckStudent>, Fault> {
    let Some(course) = course else {
        return Ok(Vec::new());
    };
    let request = class.caller.ask(ListStuckStudentsRequest {
        class_id: class.id.clone(),
        course_id: course.to_owned(),
        ..ListStuckStudentsRequest::default()
    });
    Ok(answered(class.client.list_stuck_students(request).await)?.students)
}

impl Board {
    fn take(&mut self, event: Option<Event>) {
        match event {
            Some(Event::Alert(alert)) if alert.acknowledged_by.is_empty() => {
                self.alerts.insert(alert.alert_id.clone(), alert);
            }
            Some(Event::Alert(alert)) => {
                self.alerts.remove(&alert.alert_id);
            }
            Some(Event::Escalation(escalation)) if escalation.resolved_by.is_empty() => {
                let id = escalation.escalation_id.clone();
                self.escalations.insert(id, escalation);
            }
            Some(Event::Escalation(escalation)) => {
                self.escalations.remove(&escalation.escalation_id);
            }
            Some(Event::Waiting(waiting)) => self.waiting = Some(waiting),
            None => {}
        }
    }

    fn render(&self, class: &str, now: Timestamp, ink: Ink) -> String {
        let mut out = format!("{}\n\n", ink.strong(&format!("class {class}")));
        if self.alerts.is_empty() {
            let _ = writeln!(out, "{}", ink.faint("no calls for help"));
        } else {
            let _ = writeln!(
                out,
                "{}",
                ink.bad(&format!("calls for help: {}", self.alerts.len()))
            );
            let mut newest: Vec<_> = self.alerts.values().collect();
            newest.sort_by_key(|alert| {
                std::cmp::Reverse(alert.create_time.map(|t| (t.seconds, t.nanos)))
            });
            out.push_str(&alerts::rows(newest));
        }
        if !self.escalations.is_empty() {
            let text = format!("wait for a person: {}", self.escalations.len());
            let _ = writeln!(out, "\n{}", ink.care(&text));
            out.push_str(&escalations::rows(self.escalations.values()));
        }
        out.push('\n');
        match self
            .waiting
            .as_ref()
            .map(|waiting| waiting.students.as_slice())
        {
            None | Some([]) => {
                let _ = writeln!(out, "{}", ink.faint("nobody waits"));
            }
            Some(students) => {
                let rows = students.iter().map(|student| {
                    let known = !student.student_id.is_empty();
                    vec![
                        student.position.to_string(),
                        if known {
                            student.student_id.clone()
                        } else {
                            "(new)".to_owned()
                        },
                        away(now, student.wait_start_time.as_ref()),
                        away(now, student.expected_start_time.as_ref()),
                    ]
                });
                let _ = writeln!(out, "{}", ink.care(&format!("waiting: {}", students.len())));
                out.push_str(&table(
                    &["place", "student", "waits for", "starts in"],
                    rows.collect(),
                ));
            }
        }
        if !self.stuck.is_empty() {
            let rows = self.stuck.iter().map(|student| {
                let blocked = match student.blocking_unit_id.as_str() {
                    "" => String::new(),
                    by => format!("{} by {by}", student.blocked_unit_id),
                };
                vec![
                    student.student_id.clone(),
                    student.unit_ids.join(" "),
                    student.wrong_in_a_row.to_string(),
                    blocked,
                ]
            });
            let _ = writeln!(
                out,
                "\n{}",
                ink.care(&format!("stuck: {}", self.stuck.len()))
            );
            out.push_str(&table(
                &["student", "on", "wrong in a row", "blocked"],
                rows.collect(),
            ));
        }
        out
    }
}

/// How far away a time is, before or after now.
fn away(now: Timestamp, then: Option<&prost_types::Timestamp>) -> String {
    let Some(then) = then.and_then(time::from_proto) else {
        return "?".to_owned();
    };
    span(now.duration_since(then).unsigned_abs())
}
