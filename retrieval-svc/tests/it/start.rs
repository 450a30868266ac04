//! What the service says when its courses cannot be served.

use std::{fs, path::Path};

use clap::Parser;
use turnwise_course_bundles::OpenError;
use turnwise_course_pack::LibraryError;
use turnwise_kit::Kit;
use turnwise_retrieval_svc::{Settings, StartError, routes};

/// The course that comes with the suite.
pub const DEMO_COURSE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../courses/algebra-foundations"
);

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    settings: Settings,
}

/// Settings for these courses, in memory, with further arguments.
pub fn settings(courses_dir: &Path, reload_seconds: &str, more: &[&str]) -> Settings {
    let courses_dir = courses_dir.display().to_string();
    let mut args = vec!["test", "--courses-dir", &courses_dir];
    args.extend(["--courses-reload-seconds", reload_seconds]);
    if !more.contains(&"--retrieval-store") {
        args.extend(["--retrieval-store", "memory"]);
    }
    args.extend(more);
    Cli::try_parse_from(args).unwrap().settings
}

async fn start(courses_dir: &Path) -> Result<(), StartError> {
    routes(&settings(courses_dir, "0", &[]), None, &Kit::for_tests())
        .await
        .map(drop)
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("nothing");
    let error = start(&missing).await.unwrap_err();
    assert!(matches!(
        error,
        StartError::Courses(OpenError::Courses(LibraryError::Unreadable(_)))
    ));
    assert!(error.to_string().contains("COURSES_DIR"));
    assert!(error.to_string().contains("nothing"));
}

#[tokio::test]
async fn a_folder_without_a_pack_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = start(folder.path()).await.unwrap_err();
    assert!(matches!(
        error,
        StartError::Courses(OpenError::Courses(LibraryError::NoPack(_)))
    ));
}

#[tokio::test]
async fn a_broken_pack_is_refused_with_its_faults() {
    let folder = tempfile::tempdir().unwrap();
    let pack = folder.path().join("broken");
    fs::create_dir(&pack).unwrap();
    fs::write(pack.join("course.yaml"), "format: [").unwrap();
    let error = start(folder.path()).await.unwrap_err();
    assert!(matches!(
        error,
        StartError::Courses(OpenError::Courses(LibraryError::NoGoodPack(_)))
    ));
    assert!(error.to_string().contains("course.yaml"), "{error}");
}

#[tokio::test]
async fn a_broken_pack_does_not_keep_a_good_one_from_being_served() {
    let folder = tempfile::tempdir().unwrap();
    copy(DEMO_COURSE.as_ref(), &folder.path().join("good"));
    let broken = folder.path().join("broken");
    fs::create_dir(&broken).unwrap();
    fs::write(broken.join("course.yaml"), "format: [").unwrap();
    start(folder.path()).await.unwrap();
}

#[tokio::test]
async fn the_demo_course_is_served() {
    start(Path::new(DEMO_COURSE)).await.unwrap();
}

pub fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
