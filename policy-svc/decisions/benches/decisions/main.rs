//! What the decisions cost: plan and decide on decoded inputs, validation, the schema, evidence, and how each grows with
//! the course.
//!
//! `cargo bench -p turnwise-decisions --bench decisions` prints a table and lines of the form `figure NAME VALUE BOUND`; a
//! bound that is not kept is marked `missed` and is no failure. Beside each stands a reference from the same run: what
//! copying the answer costs, or what reading the same bytes into a plain JSON value costs. Everything runs on one thread,
//! so the time is the CPU's.

// A benchmark that cannot run ends by panicking, and says why; and it is about the real clock.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs
)]

mod course;
mod replies;

use std::{hint::black_box, time::Instant};

use turnwise_decisions::{
    Course, Decision, Outcome, Plan, PlanInput, Record, Snapshot, decide, plan, resolve,
    schema::{reply_schema, reply_schema_text},
    validate::validate,
};
use turnwise_testing::figure::{Bound, figure};

/// The binaries' own allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Units of the courses that are compared.
const SIZES: [usize; 4] = [100, 1_000, 10_000, 100_000];

/// Units with evidence, where the course has as many.
const TOUCHED: usize = 500;

fn main() {
    // Cargo asks whether it holds tests; there are none.
    if std::env::args().any(|arg| arg == "--list") {
        return;
    }
    println!(
        "| units | touched | student | plan µs | decide µs | both µs | copy of both answers µs | record µs | build ms |"
    );
    println!("| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut small = 0.0;
    for size in SIZES {
        let spec = course::spec(size);
        let started = Instant::now();
        let course = Course::new(spec).unwrap();
        let build_ms = started.elapsed().as_secs_f64() * 1e3;
        let touched = TOUCHED.min(size / 2);
        let mut slowest = 0.0_f64;
        for student in course::students(&course, touched) {
            let row = Row::measure(&course, &student);
            println!(
                "| {size} | {touched} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.1} | {build_ms:.1} |",
                student.name,
                row.plan,
                row.decide,
                row.plan + row.decide,
                row.copy,
                row.record,
            );
            slowest = slowest.max(row.plan + row.decide);
        }
        if size == SIZES[0] {
            small = slowest;
        }
        figure(
            &format!("plan_decide_us_{size}"),
            slowest,
            Bound::AtMost(10.0),
        );
        if size == 100_000 {
            figure(
                "plan_decide_growth_100_to_100k",
                slowest / small,
                Bound::Report,
            );
        }
    }
    println!();
    chain();
    validation();
}

struct Row {
    record: f64,
    plan: f64,
    decide: f64,
    copy: f64,
}

impl Row {
    fn measure(course: &Course, student: &course::Student) -> Self {
        let record = Record::new(course, &student.snapshot, course::now());
        let planned = plan(&record, &student.input).unwrap();
        let input = course::decide_input(course, planned.clone());
        let decision = decide(course, &input).unwrap();
        student.check(&planned, &decision);
        Self {
            record: micros(|| Record::new(course, black_box(&student.snapshot), course::now())),
            plan: micros(|| plan(black_box(&record), black_box(&student.input)).unwrap()),
            decide: micros(|| decide(course, black_box(&input)).unwrap()),
            copy: micros(|| -> (Plan, Decision) {
                (black_box(&planned).clone(), black_box(&decision).clone())
            }),
        }
    }
}

/// The worst course for the walk to the blocking prerequisite: a student at the end of a chain, with nothing done.
fn chain() {
    let course = course::chain(100_000);
    let record = Record::new(&course, &Snapshot::default(), course::now());
    let input = PlanInput {
        mapped_units: course::mapped(&["U99999"]),
        ..PlanInput::default()
    };
    let planned = plan(&record, &input).unwrap();
    assert_eq!(planned.prereq_blocking_unit_id.as_deref(), Some("U00001"));
    figure(
        "plan_us_per_unit_of_a_missing_chain",
        micros(|| plan(black_box(&record), black_box(&input)).unwrap()) / 100_000.0,
        Bound::Report,
    );
}

fn validation() {
    let course = course::course(10_000);
    println!("\n| reply | bytes | validate µs | resolve µs | plain read µs |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    let mut slowest = 0.0_f64;
    for (name, policy, bytes) in replies::typical(&course) {
        assert!(validate(&course, &policy, &bytes).is_ok(), "{name}");
        let cost = micros(|| validate(&course, black_box(&policy), black_box(&bytes)).unwrap());
        println!(
            "| {name} | {} | {cost:.2} | {:.2} | {:.2} |",
            bytes.len(),
            micros(|| resolve(&course, &policy, Outcome::Completion(black_box(&bytes))).unwrap()),
            micros(|| serde_json::from_slice::<serde_json::Value>(black_box(&bytes)).unwrap()),
        );
        slowest = slowest.max(cost);
    }
    figure("validate_us", slowest, Bound::AtMost(20.0));

    let (_, policy, bytes) = replies::typical(&course).pop().unwrap();
    // Each of these policies is new, so its schema is compiled: what the first reply after a change of scope costs.
    let mut n = 0;
    let fresh = micros(|| {
        n += 1;
        validate(
            &course,
            &replies::another(&course, &policy, n),
            black_box(&bytes),
        )
        .is_ok()
    });
    figure("validate_first_of_a_policy_us", fresh, Bound::Report);
    figure(
        "reply_schema_us",
        micros(|| reply_schema(&course, black_box(&policy)).to_string()),
        Bound::Report,
    );
    figure(
        "reply_schema_kept_us",
        micros(|| reply_schema_text(&course, black_box(&policy))),
        Bound::Report,
    );
    let megabyte = vec![b'['; 1 << 20];
    figure(
        "refuse_a_megabyte_us",
        micros(|| validate(&course, &policy, black_box(&megabyte)).is_err()),
        Bound::Report,
    );
}

/// Microseconds of one call: the median of rounds that last some milliseconds each.
fn micros<T>(mut call: impl FnMut() -> T) -> f64 {
    const ROUNDS: usize = 25;
    let started = Instant::now();
    let mut calls = 0_u32;
    while started.elapsed().as_millis() < 5 || calls < 3 {
        black_box(call());
        calls += 1;
    }
    let mut rounds: Vec<_> = (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            for _ in 0..calls {
                black_box(call());
            }
            started.elapsed().as_secs_f64() * 1e6 / f64::from(calls)
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    rounds[ROUNDS / 2]
}
