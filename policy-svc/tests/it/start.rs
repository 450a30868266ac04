//! Packs that cannot be served.

use std::{fs, path::Path};

use turnwise_course_bundles::OpenError;
use turnwise_course_pack::LibraryError;
use turnwise_kit::Kit;
use turnwise_policy_svc::{Settings, StartError, routes};
use turnwise_proto::policy::v1::ListCoursesRequest;

use crate::fixture;

async fn refused(courses_dir: &Path) -> StartError {
    let settings = Settings::new(courses_dir.to_owned(), 0);
    match routes(&settings, &Kit::for_tests()).await {
        Err(error) => error,
        Ok(_) => panic!("the service started"),
    }
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = refused(&folder.path().join("nothing")).await;
    assert!(matches!(
        error,
        StartError::Courses(OpenError::Courses(LibraryError::Unreadable(_)))
    ));
    let text = error.to_string();
    assert!(
        text.contains("COURSES_DIR") && text.contains("nothing"),
        "{text}"
    );
}

#[tokio::test]
async fn what_is_served_is_archived_or_the_start_ends() {
    let folder = tempfile::tempdir().unwrap();
    let courses = folder.path().join("courses");
    fixture::write_pack(&courses.join("good"), "good");
    fs::write(folder.path().join("file"), "no folder").unwrap();
    let with_archive = async |name: &str| {
        let mut settings = Settings::new(courses.clone(), 0);
        settings.courses.pack_archive_dir = Some(folder.path().join(name));
        routes(&settings, &Kit::for_tests()).await
    };
    with_archive("archive").await.unwrap();
    let mut kept = fs::read_dir(folder.path().join("archive")).unwrap();
    let name = kept.next().unwrap().unwrap().file_name();
    assert!(name.to_str().unwrap().starts_with("good."), "{name:?}");
    let among = ["courses", "courses/archive", "new/../courses/archive", "."];
    for name in among.into_iter().chain(["file"]) {
        let Err(error) = with_archive(name).await else {
            panic!("the service started with {name}");
        };
        let text = error.to_string();
        assert!(
            text.contains("PACK_ARCHIVE_DIR") && text.contains(name),
            "{text}"
        );
    }
    // What is refused is not made before.
    assert!(!courses.join("archive").exists() && !folder.path().join("new").exists());
}

#[tokio::test]
async fn a_folder_without_a_pack_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = refused(folder.path()).await;
    assert!(
        matches!(
            error,
            StartError::Courses(OpenError::Courses(LibraryError::NoPack(_)))
        ),
        "{error}"
    );
}

/// Writes a pack and breaks it by changing its units.
fn broken(folder: &Path, from: &str, to: &str) {
    fixture::write_pack(folder, "broken");
    let file = folder.join("units/units.yaml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(from));
    fs::write(&file, text.replacen(from, to, 1)).unwrap();
}

#[tokio::test]
async fn broken_packs_alone_are_refused_with_all_their_faults() {
    let folder = tempfile::tempdir().unwrap();
    broken(&folder.path().join("cycle"), "[START]", "[TWO]");
    broken(&folder.path().join("unknown"), "[ONE]", "[NOWHERE]");
    let error = refused(folder.path()).await;
    assert!(
        matches!(
            error,
            StartError::Courses(OpenError::Courses(LibraryError::NoGoodPack(_)))
        ),
        "{error}"
    );
    let text = error.to_string();
    for expected in [
        "cycle/units/units.yaml:",
        "unknown/units/units.yaml:",
        "NOWHERE",
    ] {
        assert!(text.contains(expected), "{expected} is not in:\n{text}");
    }
}

#[tokio::test]
async fn a_broken_pack_beside_a_good_one_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    broken(&folder.path().join("a-broken"), "id: TWO", "id: ONE");
    fixture::write_pack(&folder.path().join("good"), "good");
    let mut client = fixture::start(folder.path(), &Kit::for_tests()).await;
    let page = client.list_courses(ListCoursesRequest::default()).await;
    let courses = page.unwrap().into_inner().courses;
    let ids: Vec<_> = courses.iter().map(|c| c.course_id.as_str()).collect();
    assert_eq!(ids, ["good"]);
}
