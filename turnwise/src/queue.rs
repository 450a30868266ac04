//! `turnwise queue`: the queues in front of models, live in the terminal.

use std::{
    fmt::Write as _,
    io::{IsTerminal, Write as _},
    process::ExitCode,
    time::Duration,
};

use anyhow::Result;
use turnwise_kit::{CallContext, Fault};
use turnwise_proto::llm::v1::{
    BreakerState, GetQueuesRequest, Queue, QueueKind, QueueScope, WatchQueuesRequest,
    llm_queue_service_client::LlmQueueServiceClient,
};

use crate::{client::EndpointArgs, edge::lower};

/// How long one look may take.
const LOOK: Duration = Duration::from_secs(5);
/// How long the live view goes on before it must be started again.
const WATCH: Duration = Duration::from_secs(24 * 3600);
/// Clears the screen and goes to its upper left corner.
const CLEAR: &str = "\x1b[2J\x1b[H";

/// Arguments of `turnwise queue`.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct QueueArgs {
    /// Where the suite is.
    #[command(flatten)]
    pub endpoint: EndpointArgs,
    /// Print the queues once and end; so it does where its output is no terminal
    #[arg(long)]
    pub once: bool,
    /// Seconds between two looks (0.1 to 60)
    #[arg(long, default_value = "1", value_parser = seconds)]
    pub every: Duration,
    /// How many of those who wait are shown for each queue (1 to 1000)
    #[arg(long, default_value = "20", value_parser = clap::value_parser!(i32).range(1..=1000))]
    pub waiting: i32,
}

fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.1..=60.0).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("must be a number from 0.1 to 60".to_owned()),
    }
}

/// Shows the queues.
pub async fn run(args: QueueArgs) -> Result<ExitCode> {
    let mut client = LlmQueueServiceClient::new(args.endpoint.channel()?);
    let authorization = args
        .endpoint
        .authorization("staff", "turnwise-queue", &[])?;
    let live = !args.once && std::io::stdout().is_terminal();
    let shown = async {
        if live {
            let mut request = CallContext::background(None, WATCH).request(WatchQueuesRequest {
                max_waiting: args.waiting,
                interval: args.every.try_into().ok(),
                class_id: String::new(),
            });
            request
                .metadata_mut()
                .insert("authorization", authorization);
            let mut views = client.watch_queues(request).await?.into_inner();
            while let Some(view) = views.message().await? {
                let mut out = std::io::stdout().lock();
                // A terminal that is gone ends the view; there is nobody to tell.
                if write!(out, "{CLEAR}{}", render(&view.queues))
                    .and_then(|()| out.flush())
                    .is_err()
                {
                    break;
                }
            }
        } else {
            let mut request = CallContext::background(None, LOOK).request(GetQueuesRequest {
                max_waiting: args.waiting,
            });
            request
                .metadata_mut()
                .insert("authorization", authorization);
            let view = client.get_queues(request).await?.into_inner();
            print!("{}", render(&view.queues));
        }
        Ok::<_, tonic::Status>(())
    };
    match shown.await {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(status) => {
            eprintln!("refused: {}", Fault::from_status(&status));
            Ok(ExitCode::FAILURE)
        }
    }
}

/// The queues as text.
pub fn render(queues: &[Queue]) -> String {
    if queues.is_empty() {
        return "no model has been called yet\n".to_owned();
    }
    let mut out = String::new();
    for (place, queue) in queues.iter().enumerate() {
        if place > 0 {
            out.push('\n');
        }
        render_queue(&mut out, queue);
    }
    out
}

fn render_queue(out: &mut String, queue: &Queue) {
    let kind = match queue.kind() {
        QueueKind::Embeddings => "embeddings",
        QueueKind::Completions | QueueKind::Unspecified => "completions",
    };
    let scope = match queue.scope() {
        QueueScope::Shared => "shared by all replicas",
        QueueScope::Detached => "detached from Redis: own slots only",
        QueueScope::Process | QueueScope::Unspecified => "of one process",
    };
    let breaker = match queue.breaker() {
        BreakerState::Open => ", circuit OPEN",
        BreakerState::HalfOpen => ", circuit half-open",
        BreakerState::Closed | BreakerState::Unspecified => "",
    };
    let _ = writeln!(
        out,
        "{} {} · {kind} · {scope}{breaker}",
        queue.backend, queue.model
    );
    let taken = queue.slots.iter().filter(|slot| slot.call.is_some());
    let average = queue.service_time.as_ref().map_or_else(String::new, |t| {
        format!(" · a call takes {} on average", span(Some(t)))
    });
    let _ = writeln!(
        out,
        "  slots    {} of {} taken · {} in the queue{average}",
        taken.count(),
        queue.slots.len(),
        queue.waiting_total
    );
    for slot in &queue.slots {
        if let Some(call) = &slot.call {
            let _ = writeln!(
                out,
                "    {:>3}    {:<8} {:<24} for {:>7}  {}",
                slot.index,
                lower(call.purpose().as_str_name(), "PURPOSE_"),
                class(&call.class_id),
                span(call.running.as_ref()),
                call.replica
            );
        }
    }
    if !queue.classes.is_empty() {
        let _ = writeln!(out, "  class                     waiting  students  weight");
        for part in &queue.classes {
            let _ = writeln!(
                out,
                "    {:<24} {:>6} {:>9} {:>7}",
                class(&part.class_id),
                part.waiting,
                part.students,
                part.weight
            );
        }
    }
    if !queue.waiting.is_empty() {
        let _ = writeln!(
            out,
            "  place  class                    purpose    waited     starts in"
        );
        for entry in &queue.waiting {
            let held = if entry.held { "  (place held)" } else { "" };
            let _ = writeln!(
                out,
                "  {:>5}  {:<24} {:<8} {:>8}  {:>12}{held}",
                entry.position,
                class(&entry.class_id),
                lower(entry.purpose().as_str_name(), "PURPOSE_"),
                span(entry.waited.as_ref()),
                span(entry.wait.as_ref()),
            );
        }
        let more = usize::try_from(queue.waiting_total)
            .unwrap_or(0)
            .saturating_sub(queue.waiting.len());
        if more > 0 {
            let _ = writeln!(out, "         and {more} more");
        }
    }
}

fn class(id: &str) -> &str {
    if id.is_empty() { "(no class)" } else { id }
}

/// A time in the unit that suits it.
fn span(time: Option<&prost_types::Duration>) -> String {
    let Some(time) = time.and_then(|t| Duration::try_from(*t).ok()) else {
        return "?".to_owned();
    };
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        seconds @ 1..60 => format!("{seconds}.{} s", time.subsec_millis() / 100),
        seconds => format!("{}:{:02} min", seconds / 60, seconds % 60),
    }
}
