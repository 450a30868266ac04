//! Erasing a student: nothing of them stays, and every archive still verifies.

use std::{fs, sync::mpsc, thread, time::Duration};

use proptest::prelude::*;
use turnwise_session_archive::{ArchiveError, Fault};

use crate::support::{Home, about, any_records, record};

#[test]
fn bodies_go_and_the_chain_holds() {
    let home = Home::new();
    let records = [record("s1", "t1"), record("s2", "t2"), record("s1", "t3")];
    let sealed = home.write(&about("school", "7b"), &records);
    assert_eq!(home.dir.erase_student("school", "s1").unwrap(), 2);
    let text = home.read(&sealed.name);
    for gone in ["s1", "t1", "t3"] {
        assert!(!text.contains(&format!("\"{gone}\"")), "{gone} in {text}");
    }
    assert!(text.contains("\"s2\""));
    let report = home.dir.verify(&sealed.name).unwrap();
    assert!(report.is_intact(), "{report:?}");
    assert_eq!((report.records, report.erased), (3, 2));
    assert_eq!(report.chain, sealed.chain);
}

#[test]
fn the_hash_that_stays_cannot_be_guessed_from_the_body() {
    let home = Home::new();
    let body = [record("s1", "t1")];
    let one = home.write(&about("school", "7b"), &body).name;
    let two = home.write(&about("school", "7b"), &body).name;
    let hash = |name: &str| {
        let line = home.read(name).lines().nth(1).unwrap().to_owned();
        serde_json::from_str::<serde_json::Value>(&line).unwrap()["body_hash"].clone()
    };
    assert_ne!(hash(&one), hash(&two));
    home.dir.erase_student("school", "s1").unwrap();
    assert!(home.read(&one).contains("\"salt\":null"));
}

#[test]
fn all_archives_of_the_tenant_and_no_others() {
    let home = Home::new();
    let first = home
        .write(&about("school", "7b"), &[record("s1", "t1")])
        .name;
    let second = home
        .write(&about("school", "8a"), &[record("s1", "t2")])
        .name;
    let untouched = home
        .write(&about("school", "8b"), &[record("s2", "t3")])
        .name;
    let elsewhere = home
        .write(&about("academy", "7b"), &[record("s1", "t4")])
        .name;
    let before = [home.read(&untouched), home.read(&elsewhere)];
    assert_eq!(home.dir.erase_student("school", "s1").unwrap(), 2);
    assert_eq!([home.read(&untouched), home.read(&elsewhere)], before);
    for name in [first, second] {
        assert_eq!(home.dir.verify(&name).unwrap().erased, 1);
    }
}

#[test]
fn once_is_enough() {
    let home = Home::new();
    let name = home
        .write(
            &about("school", "7b"),
            &[record("s1", "t1"), record("s2", "t2")],
        )
        .name;
    assert_eq!(home.dir.erase_student("school", "s1").unwrap(), 1);
    let after = home.read(&name);
    assert_eq!(home.dir.erase_student("school", "s1").unwrap(), 0);
    assert_eq!(home.read(&name), after);
}

#[test]
fn unfinished_files_of_a_crash_go_as_well() {
    let home = Home::new();
    let name = home
        .write(&about("school", "7b"), &[record("s2", "t2")])
        .name;
    let left = format!("{name}.partial");
    fs::write(home.path(&left), "s1 said").unwrap();
    assert_eq!(home.dir.erase_student("school", "s1").unwrap(), 0);
    assert_eq!(home.files(), [name]);
}

#[test]
fn a_crash_before_the_rename_leaves_the_archive_to_be_erased_again() {
    let home = Home::new();
    let name = home
        .write(
            &about("school", "7b"),
            &[record("s1", "t1"), record("s2", "t2")],
        )
        .name;
    let before = home.read(&name);
    // As the process leaves it that dies while it copies.
    fs::write(home.path(&format!("{name}.partial")), &before[..100]).unwrap();
    assert!(home.dir.verify(&name).unwrap().is_intact());
    assert_eq!(home.dir.erase_student("school", "s1").unwrap(), 1);
    assert_eq!(home.dir.verify(&name).unwrap().erased, 1);
    assert_eq!(home.files(), [name]);
}

#[test]
fn an_archive_that_is_being_written_is_waited_for() {
    let home = Home::new();
    let mut writer = home.dir.create(&about("school", "7b"), 120).unwrap();
    writer.append(record("s1", "t1")).unwrap();
    let dir = home.dir.clone();
    let (send, erased) = mpsc::channel();
    let erasing = thread::spawn(move || send.send(dir.erase_student("school", "s1").unwrap()));
    // It may not have begun by now; then this shows less, and never fails.
    assert!(erased.recv_timeout(Duration::from_millis(50)).is_err());
    let name = writer.finish().unwrap().name;
    assert_eq!(erased.recv_timeout(Duration::from_secs(30)).unwrap(), 1);
    erasing.join().unwrap().unwrap();
    assert_eq!(home.dir.verify(&name).unwrap().erased, 1);
}

#[test]
fn two_erasures_at_once_lose_nothing() {
    let home = Home::new();
    let students: Vec<String> = (0..8).map(|n| format!("s{n}")).collect();
    let records: Vec<_> = students.iter().map(|s| record(s, "t")).collect();
    let name = home.write(&about("school", "7b"), &records).name;
    thread::scope(|scope| {
        for student in &students {
            let dir = &home.dir;
            scope.spawn(move || assert_eq!(dir.erase_student("school", student).unwrap(), 1));
        }
    });
    let report = home.dir.verify(&name).unwrap();
    assert_eq!((report.is_intact(), report.erased), (true, 8));
}

#[test]
fn damage_is_told_and_does_not_keep_the_rest_from_being_erased() {
    let home = Home::new();
    let records = [record("s1", "t1"), record("s2", "t2")];
    let [broken, cut, headless, whole] =
        ["7a", "7b", "7c", "7d"].map(|class| home.write(&about("school", class), &records).name);
    let change = |name: &str, change: &dyn Fn(String) -> String| {
        fs::write(home.path(name), change(home.read(name))).unwrap();
    };
    change(&broken, &|text| text.replacen("s2 asked", "s3 asked", 1));
    change(&cut, &|text| text[..text.len() - 9].to_owned());
    change(&headless, &|text| text[1..].to_owned());
    let error = home.dir.erase_student("school", "s1").unwrap_err();
    let ArchiveError::Damaged { mut names, erased } = error else {
        panic!("{error}");
    };
    names.sort();
    assert_eq!(names, [broken.clone(), cut.clone(), headless]);
    assert_eq!(erased, 2);
    assert_eq!(home.dir.verify(&whole).unwrap().erased, 1);
    assert!(!home.read(&broken).contains("s1"));
    assert_eq!(
        home.dir.verify(&broken).unwrap().fault,
        Some((3, Fault::Body))
    );
    assert!(home.read(&cut).contains("s1"));
}

proptest! {
    #[test]
    fn any_order_of_erasures_leaves_an_archive_that_verifies(
        records in any_records(),
        students in prop::collection::vec(0..5_u8, 0..4),
    ) {
        let home = Home::new();
        let sealed = home.write(&about("school", "7b"), &records);
        for student in &students {
            let student = format!("s{student}");
            home.dir.erase_student("school", &student).unwrap();
            let field = format!("\"student_id\":\"{student}\"");
            prop_assert!(!home.read(&sealed.name).contains(&field));
            let report = home.dir.verify(&sealed.name).unwrap();
            prop_assert!(report.is_intact(), "{:?}", report);
            prop_assert_eq!(&report.chain, &sealed.chain);
        }
        let gone = records
            .iter()
            .filter(|r| students.iter().any(|s| r.student_id == format!("s{s}")))
            .count() as u64;
        prop_assert_eq!(home.dir.verify(&sealed.name).unwrap().erased, gone);
    }
}
