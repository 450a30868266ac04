//! A folder of sheets that changes while it is served.

use std::{fs, path::Path, sync::Arc, time::Duration};

use tempfile::TempDir;
use turnwise_prompts::{Refresh, SheetLibrary, Sheets};

fn write(folder: &Path, text: &str) {
    fs::write(
        folder.join("turn.policy.md"),
        format!("{text}\n{{{{ policy }}}}"),
    )
    .unwrap();
}

/// Looks twice, as a change takes that long to settle.
fn settled(library: &SheetLibrary) -> Refresh {
    assert!(matches!(library.refresh(), Refresh::Settling));
    library.refresh()
}

fn served(library: &SheetLibrary) -> String {
    let Refresh::Served(hash) = settled(library) else {
        panic!("nothing new is served");
    };
    assert_eq!(library.current().hash(), hash);
    hash
}

#[test]
fn a_change_is_served_when_it_has_settled() {
    let folder = TempDir::new().unwrap();
    let library = SheetLibrary::open(folder.path()).unwrap();
    let first = library.current();
    assert_eq!(first.hash(), Sheets::built_in().unwrap().hash());
    assert!(matches!(library.refresh(), Refresh::Unchanged));
    write(folder.path(), "one");
    assert!(matches!(library.refresh(), Refresh::Settling));
    // Still being written.
    write(folder.path(), "two");
    assert!(matches!(library.refresh(), Refresh::Settling));
    assert_eq!(library.current().hash(), first.hash());
    assert!(matches!(library.refresh(), Refresh::Served(_)));
    assert!(matches!(library.refresh(), Refresh::Unchanged));
    // A turn that has begun goes on with what it took.
    assert_ne!(library.current().hash(), first.hash());
    fs::remove_file(folder.path().join("turn.policy.md")).unwrap();
    assert_eq!(served(&library), first.hash());
}

#[test]
fn the_last_three_versions_can_be_looked_up() {
    let folder = TempDir::new().unwrap();
    let library = SheetLibrary::open(folder.path()).unwrap();
    let mut hashes = vec![library.current().hash().to_owned()];
    for text in ["one", "two", "three"] {
        write(folder.path(), text);
        hashes.push(served(&library));
    }
    assert!(library.of(&hashes[0]).is_none());
    for hash in &hashes[1..] {
        assert_eq!(library.of(hash).unwrap().hash(), hash);
    }
    // A version that comes back takes no second place.
    write(folder.path(), "two");
    assert_eq!(served(&library), hashes[2]);
    assert!(hashes[1..].iter().all(|hash| library.of(hash).is_some()));
    assert!(library.of("none").is_none());
}

#[test]
fn a_broken_sheet_never_replaces_a_good_one() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "good");
    let library = SheetLibrary::open(folder.path()).unwrap();
    let good = library.current().hash().to_owned();
    write(folder.path(), "{{ nothing }}");
    let Refresh::Refused(error) = settled(&library) else {
        panic!("a broken sheet is served");
    };
    assert!(error.to_string().contains("`nothing`"));
    // Told once.
    assert!(matches!(library.refresh(), Refresh::Unchanged));
    assert_eq!(library.current().hash(), good);
    write(folder.path(), "{{ nothing_else }}");
    assert!(matches!(settled(&library), Refresh::Refused(_)));
    // Back to what is served already.
    write(folder.path(), "good");
    assert!(matches!(settled(&library), Refresh::Unchanged));
    write(folder.path(), "better");
    assert_ne!(served(&library), good);
}

#[test]
fn a_folder_that_is_gone_changes_nothing_and_may_come_back() {
    let folder = TempDir::new().unwrap();
    let sheets = folder.path().join("sheets");
    fs::create_dir(&sheets).unwrap();
    write(&sheets, "good");
    let library = SheetLibrary::open(&sheets).unwrap();
    let good = library.current().hash().to_owned();
    fs::rename(&sheets, folder.path().join("away")).unwrap();
    assert!(matches!(library.refresh(), Refresh::Refused(_)));
    assert!(matches!(library.refresh(), Refresh::Unchanged));
    assert_eq!(library.current().hash(), good);
    fs::rename(folder.path().join("away"), &sheets).unwrap();
    assert!(matches!(settled(&library), Refresh::Unchanged));
    write(&sheets, "better");
    served(&library);
}

#[test]
fn a_broken_folder_is_refused_at_the_start() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "{{ nothing }}");
    assert!(SheetLibrary::open(folder.path()).is_err());
    assert!(SheetLibrary::open(&folder.path().join("none")).is_err());
}

#[test]
fn fixed_sheets_follow_nothing() {
    let library = SheetLibrary::fixed(Sheets::built_in().unwrap());
    assert!(matches!(library.refresh(), Refresh::Unchanged));
    let hash = library.current().hash().to_owned();
    assert!(library.of(&hash).is_some());
}

#[tokio::test(start_paused = true)]
async fn a_followed_folder_is_looked_at_until_the_end() {
    let folder = TempDir::new().unwrap();
    let library = Arc::new(SheetLibrary::open(folder.path()).unwrap());
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let following = tokio::spawn(Arc::clone(&library).follow(Duration::from_secs(1), async {
        let _ = ended.await;
    }));
    let first = library.current().hash().to_owned();
    write(folder.path(), "new");
    while library.current().hash() == first {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    end.send(()).unwrap();
    following.await.unwrap();
}

#[tokio::test]
async fn nothing_is_looked_at_where_nothing_is_to_be_followed() {
    let folder = TempDir::new().unwrap();
    let library = Arc::new(SheetLibrary::open(folder.path()).unwrap());
    Arc::clone(&library)
        .follow(Duration::ZERO, std::future::pending())
        .await;
    Arc::new(SheetLibrary::fixed(Sheets::built_in().unwrap()))
        .follow(Duration::from_secs(1), std::future::pending())
        .await;
}
