//! Files that are made, opened, refused and brought over, whatever is in them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::{fs, io, path::Path, sync::mpsc, thread};

use redb::{
    ReadTransaction, ReadableTableMetadata, StorageError, TableDefinition, WriteTransaction,
};
use turnwise_embedded_file::{
    Bytes, Cause, Done, EmbeddedFile, Failure, Lock, OpenError, Purpose, Replacement, beside, copy,
    seal, unseal,
};

const ROWS: TableDefinition<'_, Bytes, Bytes> = TableDefinition::new("rows");
const NOTES: Purpose = Purpose {
    name: "notes",
    format: 1,
    cache_bytes: 1024 * 1024,
    content: "a store of notes",
    remedy: "write them again",
    rescue: |from: &ReadTransaction, _: &Path, to: &WriteTransaction| copy(from, to, ROWS),
};

fn open(path: &Path) -> Result<EmbeddedFile, OpenError> {
    EmbeddedFile::open(path, NOTES, &Lock::take(path)?)
}

fn refused(path: &Path) -> OpenError {
    open(path).expect_err("this file is refused")
}

/// A row for each number.
fn write(file: &EmbeddedFile, numbers: impl Iterator<Item = u32>) {
    let work = |transaction: &WriteTransaction| {
        let mut rows = transaction.open_table(ROWS)?;
        for number in numbers {
            rows.insert(key(number).as_slice(), text(number).as_bytes())?;
        }
        Ok(Done::Commit(()))
    };
    file.write::<_, ()>(true, work).unwrap();
}

fn read(file: &EmbeddedFile, number: u32) -> Option<Vec<u8>> {
    let work = |transaction: &ReadTransaction| {
        let found = transaction.open_table(ROWS)?.get(key(number).as_slice())?;
        Ok(found.map(|found| found.value().to_vec()))
    };
    file.read::<_, ()>(work).unwrap()
}

fn key(number: u32) -> [u8; 4] {
    number.to_be_bytes()
}

fn text(number: u32) -> String {
    format!("this is note {number}.")
}

/// What brings the rows of a damaged file into a new one.
type Rescue = fn(&ReadTransaction, &Path, &WriteTransaction) -> Result<(), Failure>;

/// Changes a byte of every copy of a text in a file.
fn spoil(path: &Path, text: &str) {
    let mut bytes = fs::read(path).unwrap();
    for place in 0..bytes.len() - text.len() {
        if bytes[place..].starts_with(text.as_bytes()) {
            bytes[place] ^= 0x01;
        }
    }
    fs::write(path, bytes).unwrap();
}

#[test]
fn an_empty_file_is_a_fault_and_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.redb");
    write(&open(&path).unwrap(), 0..10);
    for bytes in [&b""[..], b"r", b"redb\x1a\x0a\xa9\x0d\x0a", &[0; 4096]] {
        fs::write(&path, bytes).unwrap();
        let error = refused(&path);
        assert!(matches!(error, OpenError::Damaged { .. }), "{error:?}");
        let told = error.to_string();
        assert!(told.contains(path.to_str().unwrap()), "{told}");
        assert!(told.contains("a store of notes"), "{told}");
        assert!(told.ends_with("write them again"), "{told}");
        assert_eq!(told.contains("is empty"), bytes.is_empty(), "{told}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    fs::remove_file(&path).unwrap();
    let made = open(&path).unwrap();
    let has_rows = made.read::<_, ()>(|file| Ok(file.open_table(ROWS).is_ok()));
    assert!(!has_rows.unwrap());
}

#[test]
fn one_process_has_the_file_even_while_another_takes_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/notes.redb");
    let lock = Lock::take(&path).unwrap();
    let file = EmbeddedFile::open(&path, NOTES, &lock).unwrap();
    assert!(matches!(refused(&path), OpenError::InUse { .. }));
    fs::rename(&path, beside(&path, "moved")).unwrap();
    assert!(matches!(refused(&path), OpenError::InUse { .. }));
    drop((file, lock));
    open(&path).unwrap();
}

#[test]
fn a_damaged_file_is_replaced_by_one_with_its_rows_whether_it_was_closed_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.redb");
    let file = open(&path).unwrap();
    write(&file, 0..500);
    write(&file, 500..600);
    let killed = fs::read(&path).unwrap();
    drop(file);
    let closed = fs::read(&path).unwrap();
    for whole in [killed, closed] {
        fs::write(&path, &whole).unwrap();
        spoil(&path, &text(77));
        let damaged = fs::read(&path).unwrap();
        let file = open(&path).unwrap();
        assert_eq!(fs::read(beside(&path, "damaged")).unwrap(), damaged);
        for number in 0..600 {
            let found = read(&file, number).unwrap();
            assert_eq!(found == text(number).as_bytes(), number != 77);
        }
        write(&file, 600..601);
        drop(file);
        assert!(read(&open(&path).unwrap(), 600).is_some());
        for left in ["copy", "new"] {
            assert!(!beside(&path, left).exists());
        }
    }
}

/// A file with twice as many rows as it begins with, and one in its place with the other half.
fn begin_replacement(path: &Path) -> (EmbeddedFile, Replacement) {
    let file = open(path).unwrap();
    write(&file, 0..500);
    let new = file
        .begin_replacement::<()>()
        .unwrap()
        .expect("it is on a disk");
    for (synced, numbers) in [(false, 500..700), (true, 700..1000)] {
        let rows = |transaction: &WriteTransaction| {
            let mut rows = transaction.open_table(ROWS)?;
            for number in numbers {
                rows.insert(key(number).as_slice(), text(number).as_bytes())?;
            }
            Ok(())
        };
        new.write::<()>(synced, rows).unwrap();
    }
    (file, new)
}

#[test]
fn a_new_file_takes_the_place_of_one_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.redb");
    let (file, new) = begin_replacement(&path);
    assert_eq!((read(&file, 1).is_some(), read(&file, 501)), (true, None));
    file.replace::<()>(new).unwrap();
    write(&file, 1000..1001);
    let check = |file: &EmbeddedFile| {
        let there = [1, 501, 999, 1000].map(|number| read(file, number).is_some());
        assert_eq!(there, [false, true, true, true]);
        assert_eq!(left(folder.path()), ["notes.redb", "notes.redb.lock"]);
    };
    check(&file);
    drop(file);
    check(&open(&path).unwrap());
}

#[test]
fn who_reads_a_file_that_is_replaced_reads_to_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let (file, new) = begin_replacement(&folder.path().join("notes.redb"));
    let (reading, begun) = mpsc::channel();
    thread::scope(|scope| {
        let file = &file;
        scope.spawn(move || {
            let work = |transaction: &ReadTransaction| {
                let rows = transaction.open_table(ROWS)?;
                reading.send(()).unwrap();
                // Long enough for the other thread to come to where it waits.
                for _ in 0..10_000 {
                    assert!(rows.get(key(1).as_slice())?.is_some());
                }
                Ok(rows.len()?)
            };
            assert_eq!(file.read::<_, ()>(work).unwrap(), 500);
        });
        begun.recv().unwrap();
        file.replace::<()>(new).unwrap();
    });
    assert!(!file.is_broken());
    assert!(read(&file, 501).is_some());
}

#[test]
fn a_new_file_that_is_given_up_or_cannot_be_put_there_leaves_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.redb");
    let (file, new) = begin_replacement(&path);
    drop(new);
    let check = |file: &EmbeddedFile| {
        assert_eq!((read(file, 1).is_some(), read(file, 501)), (true, None));
        assert_eq!(left(folder.path()), ["notes.redb", "notes.redb.lock"]);
    };
    check(&file);
    let new = file.begin_replacement::<()>().unwrap().unwrap();
    fs::remove_file(beside(&path, "new")).unwrap();
    assert!(file.replace::<()>(new).is_err());
    write(&file, 1..2);
    check(&file);
}

#[test]
fn a_rescue_that_fails_says_why_and_leaves_nothing() {
    let full: Rescue = |_, _, _| Err(StorageError::Io(io::ErrorKind::StorageFull.into()).into());
    let read_only: Rescue =
        |_, _, _| Err(StorageError::Io(io::ErrorKind::ReadOnlyFilesystem.into()).into());
    let lacking: Rescue = |_, _, _| Err(StorageError::Corrupted("a page is old".to_owned()).into());
    let panicking: Rescue = |_, _, _| panic!("pages that make no sense");
    for (rescue, reason, remedy) in [
        (full, "no storage space", "make room"),
        (read_only, "read-only filesystem", "let this user write"),
        (lacking, "a page is old", NOTES.remedy),
        (panicking, "make no sense", NOTES.remedy),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.redb");
        write(&open(&path).unwrap(), 0..500);
        spoil(&path, &text(77));
        let damaged = fs::read(&path).unwrap();
        let purpose = Purpose { rescue, ..NOTES };
        let lock = Lock::take(&path).unwrap();
        let refused = EmbeddedFile::open(&path, purpose, &lock);
        let error = refused.expect_err("it cannot be rescued");
        assert!(matches!(error, OpenError::Damaged { .. }), "{error:?}");
        let told = error.to_string();
        assert!(told.contains(reason) && told.contains(remedy), "{told}");
        assert!(fs::read(&path).unwrap() == damaged, "it stays as it is");
        assert_eq!(left(folder.path()), ["notes.redb", "notes.redb.lock"]);
    }
}

#[test]
fn what_a_killed_rescue_left_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.redb");
    write(&open(&path).unwrap(), 0..10);
    for suffix in ["copy", "new"] {
        fs::copy(&path, beside(&path, suffix)).unwrap();
    }
    open(&path).unwrap();
    assert_eq!(left(folder.path()), ["notes.redb", "notes.redb.lock"]);
}

/// The names of the files in a folder.
fn left(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_panic_over_a_file_reaches_nobody_and_the_file_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.redb");
    let lock = Lock::take(&path).unwrap();
    let file = EmbeddedFile::open(&path, NOTES, &lock).unwrap();
    write(&file, 0..10);
    let failed = file.write::<(), ()>(true, |transaction| {
        transaction.open_table(ROWS)?.remove(&key(3)[..])?;
        panic!("pages that make no sense")
    });
    assert!(matches!(failed, Err(Failure::File(_))));
    assert!(file.is_broken());
    file.reopen::<()>().unwrap();
    assert_eq!(read(&file, 3), Some(text(3).into_bytes()));
    write(&file, 10..11);
    assert_eq!(read(&file, 10), Some(text(10).into_bytes()));
}

#[test]
fn what_the_owner_refuses_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.redb");
    let file = open(&path).unwrap();
    write(&file, 0..1);
    let failed = file.write::<(), _>(true, |transaction| {
        transaction.open_table(ROWS)?.remove(&key(0)[..])?;
        Err(Failure::Owner("no"))
    });
    assert!(matches!(failed, Err(Failure::Owner("no"))));
    assert!(!file.is_broken());
    assert!(read(&file, 0).is_some());
}

#[test]
fn errors_of_the_disk_say_whether_it_is_full_or_takes_no_writes() {
    let cause = |kind: io::ErrorKind| {
        let failure: Failure = StorageError::Io(io::Error::from(kind)).into();
        match failure {
            Failure::File(fault) => (fault.cause(), fault.problem()),
            Failure::Owner(never) => match never {},
        }
    };
    for full in [
        io::ErrorKind::StorageFull,
        io::ErrorKind::QuotaExceeded,
        io::ErrorKind::FileTooLarge,
    ] {
        let (cause, problem) = cause(full);
        assert_eq!(cause, Cause::Full);
        assert!(problem.starts_with("the disk is full"), "{problem}");
    }
    for kind in [
        io::ErrorKind::ReadOnlyFilesystem,
        io::ErrorKind::PermissionDenied,
    ] {
        let (cause, problem) = cause(kind);
        assert_eq!(cause, Cause::ReadOnly);
        assert!(problem.starts_with("the disk takes no writes"), "{problem}");
    }
    assert_eq!(cause(io::ErrorKind::Other).0, Cause::Unavailable);
}

#[test]
fn a_value_is_damaged_if_any_bit_of_it_or_of_its_name_is_another() {
    let (name, value) = (b"name".as_slice(), b"value".as_slice());
    let sealed = seal(&[b"table", name], value);
    assert_eq!(unseal(&[b"table", name], &sealed), Ok(value));
    for other in [&[b"other".as_slice(), name][..], &[b"table", b"mane"], &[]] {
        assert!(unseal(other, &sealed).is_err());
    }
    for bit in 0..sealed.len() * 8 {
        let mut spoilt = sealed.clone();
        spoilt[bit / 8] ^= 1 << (bit % 8);
        assert!(unseal(&[b"table", name], &spoilt).is_err());
    }
    for length in 0..sealed.len() {
        assert!(unseal(&[b"table", name], &sealed[..length]).is_err());
    }
}
