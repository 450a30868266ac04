//! What a turn that comes alone waits for, to the microsecond: the spans of its trace, of five processes that send them.

use std::collections::HashMap;

use opentelemetry_proto::tonic::trace::v1::{Span, span::SpanKind};
use turnwise_testing::{
    figure::{Bound, figure},
    redis::ServerOptions,
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Options, Service},
    student::Student as Identity,
    token,
    traces::{Received, TraceReceiver},
};

use crate::load::{self, Doing, Student};

/// So many turns before those that count.
const WARM_UP: usize = 64;

/// One row: a call of the gateway's, or the gateway itself. Nanoseconds.
#[derive(Default)]
struct Wait {
    name: String,
    /// From the beginning of the client's span to that of the service's.
    there: u64,
    inside: u64,
    /// From the end of the service's span to that of the client's.
    back: u64,
}

/// Takes so many turns, one after another, and prints a table whose rows add up to the turn as its client sees it. `what`
/// stands in the figure's name.
pub async fn tell(what: &str, options: Options, turns: usize) {
    let mut receiver = TraceReceiver::start().await;
    let endpoint = format!("http://{}", receiver.address);
    let options = options
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
        .redis(ServerOptions::default().persistent());
    let mut five = Deployment::five_processes(options).await;
    let student = |id: &str| {
        let channel = load::channels(&five.endpoint(), 1).remove(0);
        let token = token::student(&five.data_dir, id, Identity::CLASS);
        vec![Student::new(channel, &token, Doing::Turns)]
    };
    load::run(student("warm-up"), WARM_UP).await;
    let began = u64::try_from(jiff::Timestamp::now().as_nanosecond()).unwrap();
    let run = load::run(student("alone"), turns).await;
    // An orderly end sends what is left.
    five.stop();

    let mut traces: HashMap<Vec<u8>, Vec<Received>> = HashMap::new();
    for received in receiver.all() {
        let trace = traces.entry(received.span.trace_id.clone()).or_default();
        trace.push(received);
    }
    let whole: Vec<Vec<Wait>> = traces
        .values()
        .filter_map(|trace| waits(trace, began))
        .collect();
    assert!(!whole.is_empty(), "no trace of a turn is whole");
    let count = whole.len();
    let mut rows: Vec<Wait> = Vec::new();
    for wait in whole.into_iter().flatten() {
        match rows.iter_mut().find(|row| row.name == wait.name) {
            Some(row) => {
                row.there += wait.there;
                row.inside += wait.inside;
                row.back += wait.back;
            }
            None => rows.push(wait),
        }
    }
    print(what, &rows, count, run.latencies.mean());
}

/// What one turn's trace says, in the order of its calls; `None` if it is no such turn, or not whole. A call beside
/// another counts from that one's end on.
fn waits(trace: &[Received], began: u64) -> Option<Vec<Wait>> {
    let gateway = Service::Gateway.binary();
    let spans = |kind: SpanKind, of_gateway: bool| {
        let wanted = move |received: &&Received| {
            received.span.kind() == kind && (received.service == gateway) == of_gateway
        };
        trace.iter().filter(wanted).map(|received| &received.span)
    };
    let turn = spans(SpanKind::Server, true).find(|span| span.name.ends_with("/TakeTurn"))?;
    let served: HashMap<&[u8], &Span> = spans(SpanKind::Server, false)
        .map(|span| (span.parent_span_id.as_slice(), span))
        .collect();
    let mut calls: Vec<&Span> = spans(SpanKind::Client, true).collect();
    if turn.start_time_unix_nano < began || calls.len() != served.len() {
        return None;
    }
    calls.sort_by_key(|call| call.start_time_unix_nano);
    let mut between = 0;
    let mut told = turn.start_time_unix_nano;
    let mut waits = Vec::new();
    for call in calls {
        let service = served.get(call.span_id.as_slice())?;
        let from = call.start_time_unix_nano.max(told);
        let to = call.end_time_unix_nano.max(from);
        between += from - told;
        told = to;
        let begun = service.start_time_unix_nano.clamp(from, to);
        let done = service.end_time_unix_nano.clamp(begun, to);
        waits.push(Wait {
            name: method(call).to_owned(),
            there: begun - from,
            inside: done - begun,
            back: to - done,
        });
    }
    between += turn.end_time_unix_nano.saturating_sub(told);
    waits.push(Wait {
        name: format!("{gateway}, before, between and after its calls"),
        inside: between,
        ..Wait::default()
    });
    Some(waits)
}

fn method(span: &Span) -> &str {
    span.name.rsplit('/').next().unwrap_or_default()
}

fn print(what: &str, rows: &[Wait], count: usize, turn: f64) {
    let us = |ns: u64| ns as f64 / 1000.0 / count as f64;
    let sum = |part: fn(&Wait) -> u64| us(rows.iter().map(part).sum());
    let (there, inside, back) = (sum(|w| w.there), sum(|w| w.inside), sum(|w| w.back));
    let outside = turn - there - inside - back;
    println!("\nWhat a {what} waits for, concurrency 1, mean of {count} turns, µs:\n");
    println!("| what | there | inside | back | all |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    println!("| TakeTurn, there and back | | | | {outside:.0} |");
    for row in rows {
        let (there, inside, back) = (us(row.there), us(row.inside), us(row.back));
        let all = there + inside + back;
        println!(
            "| {} | {there:.0} | {inside:.0} | {back:.0} | {all:.0} |",
            row.name
        );
    }
    println!("| the whole | {there:.0} | {inside:.0} | {back:.0} | {turn:.0} |\n");
    let on_the_way = outside + there + back;
    figure(
        &format!("{what}_on_the_way_us_c1"),
        on_the_way,
        Bound::Report,
    );
}
