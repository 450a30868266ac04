//! What the suite keeps on disk of a call, and what that is made of: `turnwise up` takes a mixed load, and its file is
//! measured and read row by row.
//!
//! `cargo build --bins && cargo bench -p turnwise-tests --bench disk --profile dev` prints a table and lines of the form
//! `figure NAME VALUE BOUND`. Bytes do not depend on the profile; for the times of compression leave `--profile dev` out,
//! and build the binaries with `--release`.

// A benchmark that cannot run ends by panicking, and says why.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::{collections::BTreeMap, fs, hint::black_box, os::unix::fs::MetadataExt};

use tokio::time::Instant;
use turnwise_session_svc::record;
use turnwise_testing::figure::{Bound, figure};
use turnwise_tests::{
    deployment::Deployment,
    mixed_load,
    options::Kind,
    stored_rows::{StoredRow, stored_rows},
};

const STUDENTS: usize = 20;
const ROUNDS: usize = 25;
/// How often each value is compressed and read to take the time.
const TIMES: usize = 20;

/// What rows of one kind come to.
#[derive(Default)]
struct Share {
    rows: usize,
    keys: usize,
    values: usize,
    plain: usize,
    encode_us: f64,
    decode_us: f64,
}

impl Share {
    fn add(&mut self, row: &StoredRow) {
        let plain = row.plain();
        self.rows += 1;
        self.keys += row.key_bytes;
        self.values += row.value.len();
        self.plain += plain.len();
        let stamped = record::stamp(&plain);
        self.encode_us += micros(|| drop(black_box(record::stamp(black_box(&plain)))));
        self.decode_us += micros(|| drop(black_box(record::unstamp("row", black_box(&stamped)))));
    }
}

#[tokio::main]
async fn main() {
    let mut suite = Deployment::start(Kind::OneProcess, mixed_load::options(STUDENTS)).await;
    let file = suite.data_dir.session_store();
    let calls = mixed_load::run(&suite, STUDENTS, ROUNDS).await;
    let busy = fs::metadata(&file).unwrap();
    suite.stop();
    let stopped = fs::metadata(&file).unwrap().len();

    let mut shares: BTreeMap<String, Share> = BTreeMap::new();
    for row in stored_rows(&file) {
        shares.entry(row.kind.clone()).or_default().add(&row);
    }
    table(&shares, calls);
    let rows: usize = shares.values().map(|share| share.keys + share.values).sum();
    let written: usize = shares.values().map(|share| share.keys + share.plain).sum();
    let each = |bytes: u64| bytes as f64 / calls as f64;
    figure(
        "disk_bytes_per_call",
        each(busy.len()),
        Bound::AtMost(5000.0),
    );
    figure(
        "disk_allocated_bytes_per_call",
        each(busy.blocks() * 512),
        Bound::Report,
    );
    figure(
        "disk_bytes_per_call_stopped",
        each(stopped),
        Bound::AtMost(2500.0),
    );
    figure("disk_rows_bytes_per_call", each(rows as u64), Bound::Report);
    figure(
        "disk_rows_bytes_per_call_uncompressed",
        each(written as u64),
        Bound::Report,
    );
    let text = &shares["turn text"];
    let per_turn = |sum: f64| sum / text.rows as f64;
    let turn = [
        "turn text",
        "turn facts",
        "idempotency tutor outcome",
        "timeline entry",
        "events entry",
    ];
    let of_turn =
        |what: fn(&Share) -> f64| per_turn(turn.iter().map(|kind| what(&shares[*kind])).sum());
    figure(
        "record_encode_us_per_turn",
        of_turn(|share| share.encode_us),
        Bound::Report,
    );
    figure(
        "record_decode_us_per_turn",
        of_turn(|share| share.decode_us),
        Bound::Report,
    );
}

/// The kinds of rows by their size, those that make up at least a hundredth of it.
fn table(shares: &BTreeMap<String, Share>, calls: usize) {
    let size = |share: &Share| share.keys + share.values;
    let all: usize = shares.values().map(size).sum();
    let mut sorted: Vec<_> = shares.iter().collect();
    sorted.sort_by_key(|(_, share)| std::cmp::Reverse(size(share)));
    println!("{calls} calls\n");
    println!("| rows | each call | keys | values | values before compression | bytes a call |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    for (kind, share) in sorted {
        if size(share) * 100 < all {
            continue;
        }
        println!(
            "| {kind} | {:.2} | {} | {} | {} | {:.0} |",
            share.rows as f64 / calls as f64,
            share.keys / share.rows,
            share.values / share.rows,
            share.plain / share.rows,
            size(share) as f64 / calls as f64,
        );
    }
    println!();
}

/// The shortest of several times: others use the machine as well.
fn micros(work: impl Fn()) -> f64 {
    let times = (0..TIMES).map(|_| {
        let began = Instant::now();
        work();
        began.elapsed().as_secs_f64() * 1e6
    });
    times.fold(f64::INFINITY, f64::min)
}
