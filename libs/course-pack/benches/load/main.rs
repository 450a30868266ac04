//! How long a course pack takes to load and check, from 100 to 10,000 units.
//!
//! `cargo bench -p turnwise-course-pack --bench load` writes packs to a temporary folder, loads each of them in
//! processes of its own, and prints a table and lines of the form `figure NAME VALUE BOUND`. A bound that is not kept is
//! marked `missed` and is no failure: figures are read, not enforced, because they depend on the machine.
//!
//! What the packs hold is told in `course.rs`. Files are read from the kernel's cache, having just been written. The
//! allocator is the one that the suite's binaries have. Two references run over the same files: the YAML parser alone,
//! its events thrown away, and the same library reading each file into a generic value, neither of them with a check.

// A benchmark that cannot run ends by panicking, and says why.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod course;
mod probe;

use std::path::Path;

use course::{Shape, write};
use probe::{Sample, What};
use turnwise_testing::figure::{Bound, figure};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let [_, flag, what, dir] = args.as_slice()
        && flag == probe::FLAG
    {
        probe::run(what, Path::new(dir));
        return;
    }
    // One pack to keep, for a look at it or for a profile of `--probe load DIR`.
    if let [_, flag, units, dir, ..] = args.as_slice()
        && flag == "--write"
    {
        write(Path::new(dir), Shape::Book, units.parse().unwrap());
        return;
    }
    let quick = args.iter().any(|arg| arg == "--quick");
    let rounds = if quick { 1 } else { 5 };
    let largest = if quick { 1_000 } else { 10_000 };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    println!("{cores} cores; medians of {rounds} rounds, each in a process of its own\n");
    println!(
        "| pack | MB | files | load s | µs/unit | CPU s | peak MB | parser alone, CPU s | generic value, CPU s |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");

    let mut figures = Vec::new();
    for units in [100, 1_000, 10_000] {
        if units <= largest {
            let seconds = tell(Shape::Book, units, rounds);
            let bound = if units == 10_000 {
                Bound::AtMost(1.5)
            } else {
                Bound::Report
            };
            figures.push((
                format!("load_check_{}_units_s", short(units)),
                seconds,
                bound,
            ));
        }
    }
    for (shape, name) in [
        (Shape::Chain, "chain"),
        (Shape::Ring, "ring"),
        (Shape::Unexamined, "unexamined"),
        (Shape::Rich, "rich"),
    ] {
        let seconds = tell(shape, largest, rounds);
        figures.push((
            format!("load_check_{name}_{}_units_s", short(largest)),
            seconds,
            Bound::Report,
        ));
    }
    println!();
    for (name, value, bound) in figures {
        figure(&name, value, bound);
    }
}

/// Measures one pack and prints its row; gives the seconds that loading it took.
fn tell(shape: Shape, units: usize, rounds: usize) -> f64 {
    let dir = tempfile::tempdir().unwrap();
    let written = write(dir.path(), shape, units);
    let sample = |what: What| {
        let samples: Vec<Sample> = (0..rounds)
            .map(|_| probe::spawn(what, dir.path()))
            .collect();
        for sample in &samples {
            let faults = match (what, shape) {
                (What::Load, Shape::Ring) => 1,
                (What::Load, Shape::Unexamined) => units,
                _ => 0,
            };
            assert_eq!(sample.faults, faults, "{shape:?}: {}", sample.complaint);
        }
        Sample::median(&samples)
    };
    let load = sample(What::Load);
    // The references do not depend on how units hang together.
    let reference = |what| match shape {
        Shape::Book => format!("{:.3}", sample(what).cpu_seconds),
        _ => "–".to_owned(),
    };
    println!(
        "| {shape:?} of {} | {:.1} | {} | {:.3} | {:.1} | {:.3} | {:.0} | {} | {} |",
        short(units),
        written.bytes as f64 / 1e6,
        written.files,
        load.seconds,
        load.seconds * 1e6 / units as f64,
        load.cpu_seconds,
        load.peak_mb,
        reference(What::Events),
        reference(What::Generic),
    );
    load.seconds
}

fn short(units: usize) -> String {
    if units >= 1_000 {
        format!("{}k", units / 1_000)
    } else {
        units.to_string()
    }
}
