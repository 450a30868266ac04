//! The files that the fuzz target starts from, judged without it. A file's first byte names the case by its digit, the
//! rest is a reply. The name of a file in `seeds` begins with the verdict that it must get.

use std::{fs, path::PathBuf};

use super::name;
use crate::reply::{cases::CASES, judge_file};

/// The names and contents of a folder's files.
fn files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz")
        .join(folder)
        .join("resolve");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn every_seed_gets_the_verdict_of_its_name() {
    let seeds = files("seeds");
    for (file, data) in &seeds {
        let (expected, _) = file.split_once('.').unwrap();
        let resolution = judge_file(data).unwrap();
        assert_eq!(name(&resolution), expected, "{file}");
    }
    for verdict in super::VERDICTS {
        let named = |file: &str| file.split('.').next() == Some(verdict);
        assert!(
            seeds.iter().any(|(file, _)| named(file)),
            "no seed is {verdict}"
        );
    }
    // Every case and every action of it has a reply to start from.
    for (n, case) in CASES.iter().enumerate() {
        for &action in &case.policy.allowed_actions {
            let accepted = |(file, data): &&(String, Vec<u8>)| {
                file.starts_with("accepted.")
                    && usize::from(data[0] - b'0') == n
                    && judge_file(data).unwrap().action == action
            };
            assert!(
                seeds.iter().find(accepted).is_some(),
                "{} {action:?}",
                case.name
            );
        }
    }
}

#[test]
fn what_the_fuzzer_found_is_judged_again() {
    for (_, data) in files("corpus") {
        judge_file(&data);
    }
}
