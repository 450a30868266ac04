//! One measurement, in a process of its own, so that none inherits another's memory.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::time::{ClockId, clock_gettime};
use serde_saphyr::granit_parser::Parser;

/// The argument that makes this program a probe.
pub const FLAG: &str = "--probe";

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Loading and checking the pack.
    Load,
    /// The YAML parser alone over the pack's YAML files, on one thread.
    Events,
    /// Each YAML file into a generic value, on one thread.
    Generic,
}

impl What {
    const ALL: [(Self, &str); 3] = [
        (Self::Load, "load"),
        (Self::Events, "events"),
        (Self::Generic, "generic"),
    ];
}

/// What came out.
#[derive(Debug, Clone)]
pub struct Sample {
    /// From the call to its return.
    pub seconds: f64,
    /// User and system time of all threads meanwhile.
    pub cpu_seconds: f64,
    /// The most memory that was resident, MB.
    pub peak_mb: f64,
    /// Faults that were found.
    pub faults: usize,
    /// The first of them.
    pub complaint: String,
}

impl Sample {
    /// The median of each part.
    pub fn median(samples: &[Self]) -> Self {
        let middle = |part: fn(&Self) -> f64| {
            let mut values: Vec<f64> = samples.iter().map(part).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        Self {
            seconds: middle(|s| s.seconds),
            cpu_seconds: middle(|s| s.cpu_seconds),
            peak_mb: middle(|s| s.peak_mb),
            faults: samples[0].faults,
            complaint: samples[0].complaint.clone(),
        }
    }
}

/// Measures in a new process.
pub fn spawn(what: What, dir: &Path) -> Sample {
    let name = What::ALL.iter().find(|(w, _)| *w == what).unwrap().1;
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output = command.arg(FLAG).arg(name).arg(dir).output().unwrap();
    let said = |stream: &[u8]| String::from_utf8_lossy(stream).into_owned();
    let (told, complaint) = (said(&output.stdout), said(&output.stderr));
    assert!(output.status.success(), "{name} failed: {complaint}");
    let values: Vec<f64> = told
        .split_whitespace()
        .map(|v| v.parse().unwrap())
        .collect();
    let [seconds, cpu_seconds, peak_mb, faults] = values[..] else {
        panic!("{name} told {told:?}");
    };
    Sample {
        seconds,
        cpu_seconds,
        peak_mb,
        faults: faults as usize,
        complaint,
    }
}

/// Measures here and prints what came out.
pub fn run(what: &str, dir: &Path) {
    let what = What::ALL.iter().find(|(_, name)| *name == what).unwrap().0;
    let files = if what == What::Load {
        Vec::new()
    } else {
        yaml_files(dir)
    };
    let (wall, cpu) = (now(ClockId::Monotonic), now(ClockId::ProcessCPUTime));
    let faults = match what {
        What::Load => match turnwise_course_pack::load(dir) {
            Ok(pack) => {
                let end = (now(ClockId::Monotonic), now(ClockId::ProcessCPUTime));
                black_box(pack);
                return tell(end.0 - wall, end.1 - cpu, 0);
            }
            Err(faults) => {
                eprintln!("{}", faults[0]);
                faults.len()
            }
        },
        What::Events => {
            for file in &files {
                let text = fs::read_to_string(file).unwrap();
                for event in Parser::new_from_str(&text) {
                    black_box(event.unwrap());
                }
            }
            0
        }
        What::Generic => {
            let values: Vec<serde_json::Value> = files
                .iter()
                .map(|file| serde_saphyr::from_str(&fs::read_to_string(file).unwrap()).unwrap())
                .collect();
            black_box(&values);
            0
        }
    };
    tell(
        now(ClockId::Monotonic) - wall,
        now(ClockId::ProcessCPUTime) - cpu,
        faults,
    );
}

fn tell(seconds: f64, cpu_seconds: f64, faults: usize) {
    println!("{seconds} {cpu_seconds} {} {faults}", peak_mb());
}

fn now(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The most memory that this process has had resident.
fn peak_mb() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kb = peak.and_then(|rest| rest.trim_end_matches("kB").trim().parse::<f64>().ok());
    kb.map_or(f64::NAN, |kb| kb / 1024.0)
}

fn yaml_files(dir: &Path) -> Vec<PathBuf> {
    ["units", "exams"]
        .iter()
        .filter_map(|folder| fs::read_dir(dir.join(folder)).ok())
        .flat_map(|listing| listing.map(|entry| entry.unwrap().path()))
        .collect()
}
