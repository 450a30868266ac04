//! Every change of an archive is found.

use std::fs;

use proptest::{prelude::*, sample::Index};
use turnwise_session_archive::{Fault, MAX_LINE_BYTES, Report, verify_file};

use crate::support::{Home, about, any_records, record};

/// An archive with three records, the second erased.
fn sample() -> (Home, Vec<u8>) {
    let home = Home::new();
    let records = [record("s1", "t1"), record("s2", "t2"), record("s3", "t3")];
    let name = home.write(&about("school", "7b"), &records).name;
    assert_eq!(home.dir.erase_student("school", "s2").unwrap(), 1);
    let bytes = fs::read(home.path(&name)).unwrap();
    (home, bytes)
}

fn verify(home: &Home, bytes: &[u8]) -> Report {
    let path = home.temp.path().join("changed");
    fs::write(&path, bytes).unwrap();
    verify_file(&path).unwrap()
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes
        .split_inclusive(|b| *b == b'\n')
        .map(<[u8]>::to_vec)
        .collect()
}

#[test]
fn every_single_byte_counts() {
    let (home, bytes) = sample();
    assert!(verify(&home, &bytes).is_intact());
    for place in 0..bytes.len() {
        let line = bytes[..place].iter().filter(|b| **b == b'\n').count() as u64 + 1;
        let mut changed = bytes.clone();
        changed[place] ^= 1 << (place % 8);
        let report = verify(&home, &changed);
        let (found, _) = report.fault.unwrap_or_else(|| panic!("byte {place}"));
        assert_eq!(found, line, "byte {place}");
    }
}

#[test]
fn every_cut_is_found() {
    let (home, bytes) = sample();
    for length in 0..bytes.len() {
        let report = verify(&home, &bytes[..length]);
        let (_, fault) = report.fault.unwrap_or_else(|| panic!("length {length}"));
        assert_eq!(fault, Fault::CutOff, "length {length}");
    }
}

#[test]
fn faults_name_line_and_kind() {
    let (home, bytes) = sample();
    let whole = lines(&bytes);
    let check = |lines: &[&[u8]], expected: (u64, Fault)| {
        assert_eq!(verify(&home, &lines.concat()).fault, Some(expected));
    };
    let [header, one, two, three, footer] = [0, 1, 2, 3, 4].map(|n| whole[n].as_slice());
    let out_of_order = |expected, found| Fault::OutOfOrder { expected, found };
    check(&[header, two, three, footer], (2, out_of_order(1, 2)));
    check(
        &[header, one, one, two, three, footer],
        (3, out_of_order(2, 1)),
    );
    check(&[header, one, three, two, footer], (3, out_of_order(2, 3)));
    check(&[one, header, two, three, footer], (1, Fault::NotAHeader));
    check(
        &[header, one, two, footer],
        (
            4,
            Fault::Count {
                counted: 3,
                found: 2,
            },
        ),
    );
    check(&[header, one, two, three], (5, Fault::CutOff));
    check(
        &[header, one, two, three, footer, footer],
        (6, Fault::AfterTheEnd),
    );
    check(
        &[header, one, two, three, footer, b"\n"],
        (6, Fault::AfterTheEnd),
    );
    check(&[], (1, Fault::CutOff));
    check(&[b"{}\n"], (1, Fault::NotAHeader));

    let text = |line: &[u8], from: &str, to: &str| {
        let text = String::from_utf8(line.to_vec()).unwrap();
        assert!(text.contains(from));
        text.replace(from, to).into_bytes()
    };
    check(
        &[&text(header, "\"version\":1", "\"version\":2"), one],
        (1, Fault::VersionTooNew { version: 2 }),
    );
    check(
        &[&text(header, "school", "academy"), one],
        (1, Fault::Chain),
    );
    check(&[header, &text(one, "limits", "sums")], (2, Fault::Body));
    check(
        &[header, &text(one, "{\"seq\"", "{ \"seq\"")],
        (2, Fault::Malformed),
    );
}

#[test]
fn records_of_another_archive_do_not_fit() {
    let (home, bytes) = sample();
    let other = home
        .write(&about("school", "7c"), &[record("s1", "t1")])
        .name;
    let other = lines(&fs::read(home.path(&other)).unwrap());
    let mut mixed = lines(&bytes);
    mixed[1].clone_from(&other[1]);
    let report = verify(&home, &mixed.concat());
    assert_eq!(report.fault, Some((2, Fault::Chain)));
}

#[test]
fn the_report_counts_what_is_right_before_the_fault() {
    let (home, bytes) = sample();
    let whole = lines(&bytes);
    let report = verify(
        &home,
        &[&*whole[0], &whole[1], &whole[2], b"what?\n"].concat(),
    );
    assert_eq!((report.records, report.erased), (2, 1));
    assert_eq!(report.fault, Some((4, Fault::Malformed)));
    assert!(report.header.is_some());
    let chain: serde_json::Value = serde_json::from_slice(&whole[2]).unwrap();
    assert_eq!(report.chain, chain["chain"].as_str().unwrap());
}

#[test]
fn a_line_without_end_needs_no_memory_without_end() {
    let (home, bytes) = sample();
    let mut long = lines(&bytes)[0].clone();
    long.resize(long.len() + MAX_LINE_BYTES + 2, b' ');
    assert_eq!(verify(&home, &long).fault, Some((2, Fault::LineTooLong)));
}

proptest! {
    #[test]
    fn any_changed_removed_or_added_byte_is_found(
        records in any_records(),
        erase in any::<bool>(),
        at in any::<Index>(),
        byte in any::<u8>(),
    ) {
        let home = Home::new();
        let name = home.write(&about("school", "7b"), &records).name;
        if erase {
            home.dir.erase_student("school", "s1").unwrap();
        }
        let bytes = fs::read(home.path(&name)).unwrap();
        let place = at.index(bytes.len());
        if bytes[place] != byte {
            let mut changed = bytes.clone();
            changed[place] = byte;
            prop_assert!(!verify(&home, &changed).is_intact());
        }
        let mut removed = bytes.clone();
        removed.remove(place);
        prop_assert!(!verify(&home, &removed).is_intact());
        let mut added = bytes.clone();
        added.insert(place, byte);
        prop_assert!(!verify(&home, &added).is_intact());
    }

    #[test]
    fn any_removed_doubled_or_moved_line_is_found(
        records in any_records(),
        one in any::<Index>(),
        two in any::<Index>(),
    ) {
        let home = Home::new();
        let name = home.write(&about("school", "7b"), &records).name;
        let whole = lines(&fs::read(home.path(&name)).unwrap());
        let (one, two) = (one.index(whole.len()), two.index(whole.len()));
        let mut removed = whole.clone();
        removed.remove(one);
        prop_assert!(!verify(&home, &removed.concat()).is_intact());
        let mut doubled = whole.clone();
        doubled.insert(two, whole[one].clone());
        prop_assert!(!verify(&home, &doubled.concat()).is_intact());
        if one != two {
            let mut swapped = whole.clone();
            swapped.swap(one, two);
            prop_assert!(!verify(&home, &swapped.concat()).is_intact());
        }
    }
}
