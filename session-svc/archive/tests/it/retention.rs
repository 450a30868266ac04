//! Retention deletes by the time that the writer wrote, and nothing else.

use std::fs;

use jiff::Timestamp;
use turnwise_session_archive::About;

use crate::support::{Home, about, record, time};

fn at(create_time: Timestamp) -> About {
    About {
        create_time,
        ..about("school", "7b")
    }
}

#[test]
fn what_was_written_before_the_limit_goes() {
    let home = Home::new();
    let write = |text| home.write(&at(time(text)), &[record("s1", "t1")]).name;
    let oldest = write("2026-09-01T00:00:00Z");
    let old = write("2026-10-22T23:59:59.999999Z");
    let kept = write("2026-10-23T00:00:00Z");
    let done = home.dir.retain(time("2026-10-23T00:00:00Z")).unwrap();
    assert_eq!(done.deleted, [oldest, old]);
    assert_eq!(home.files(), [kept]);
    let again = home.dir.retain(time("2026-10-23T00:00:00Z")).unwrap();
    assert!(again.deleted.is_empty());
}

#[test]
fn the_file_times_do_not_matter() {
    let home = Home::new();
    let old = home
        .write(&at(time("2026-09-01T00:00:00Z")), &[record("s1", "t1")])
        .name;
    // Rewritten only now.
    home.dir.erase_student("school", "s1").unwrap();
    let done = home.dir.retain(time("2026-10-23T00:00:00Z")).unwrap();
    assert_eq!(done.deleted, [old]);
}

#[test]
fn an_archive_without_a_header_goes_by_its_name() {
    let home = Home::new();
    let names = ["2026-09-01T00:00:00Z", "2026-11-01T00:00:00Z"]
        .map(|text| home.write(&at(time(text)), &[]).name);
    for name in &names {
        fs::write(home.path(name), "").unwrap();
    }
    let done = home.dir.retain(time("2026-10-23T00:00:00Z")).unwrap();
    assert_eq!(done.deleted, names[..1]);
}

#[test]
fn unfinished_files_go_and_foreign_ones_stay() {
    let home = Home::new();
    let name = home.write(&about("school", "7b"), &[]).name;
    fs::write(home.path(&format!("{name}.partial")), "").unwrap();
    let foreign = [
        "notes.jsonl".to_owned(),
        "20200101T000000Z-7b.jsonl".to_owned(),
        name.replace(".jsonl", ".json"),
        name.replace("2026", "+026"),
        name.replace("2026", "2026 "),
        name.replace("1122T", "1322T"),
        name.to_uppercase(),
        format!("{name}.partial.partial"),
    ];
    for file in &foreign {
        fs::write(home.path(file), "").unwrap();
    }
    let done = home.dir.retain(Timestamp::MAX).unwrap();
    assert_eq!((done.deleted, done.unfinished), (vec![name], 1));
    let mut expected = foreign.to_vec();
    expected.sort();
    assert_eq!(home.files(), expected);
}
