//! The course's words of a turn: named in its record, found again after the course has changed, and missed where they
//! are gone. Words of uploads are in the record itself.

use std::{fs, path::Path, process::Output};

use turnwise_proto::retrieval::v1::{
    DeleteSourceRequest, index_service_client::IndexServiceClient,
};
use turnwise_tests::{
    deployment::Deployment,
    options::Options,
    process::{binary, clean_command, repository},
    staff::Staff,
    student::{DEMO_COURSE, Student},
    upload::{Upload, Uploading},
};

use super::changed_records::Tools;
use crate::course_check::copy;

/// `turnwise replay` with these courses, and the archive of the suite.
fn replay(suite: &Deployment, turn_id: &str, courses: &Path) -> Output {
    clean_command(&binary("turnwise"), suite.home())
        .args(["replay", turn_id, "--student", "ada"])
        .args(["--endpoint", &suite.endpoint(), "--data-dir"])
        .arg(suite.data_dir.root())
        .arg("--courses")
        .arg(courses)
        .output()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_is_made_again_after_its_course_has_changed() {
    let courses = tempfile::tempdir().unwrap();
    let pack = courses.path().join(DEMO_COURSE);
    copy(&repository().join("courses").join(DEMO_COURSE), &pack);
    let options = Options::new().courses(courses.path());
    let options = options.env("COURSES_RELOAD_SECONDS", "0");
    let mut suite = Deployment::one_process(options).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let answer = ada.say(&thread, "how do I add negative numbers?").await;
    assert_eq!(answer.degraded_reasons().count(), 0, "{answer:?}");

    let units = pack.join("units/00-entry.yaml");
    let text = fs::read_to_string(&units).unwrap();
    let text = text.replace("    title: Welcome\n", "    title: Hello\n");
    fs::write(&units, text).unwrap();
    let output = replay(&suite, &answer.turn_id, courses.path());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("  = prompt\n"), "{shown}");
    assert!(
        shown.ends_with("= the turn is the recorded one, byte for byte\n"),
        "{shown}"
    );

    fs::remove_dir_all(suite.data_dir.root().join("packs")).unwrap();
    let output = replay(&suite, &answer.turn_id, courses.path());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    for says in [
        "is not at hand: the turn can be explained, not replayed",
        "has no whole copy",
    ] {
        assert!(said.contains(says), "{said}");
    }
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn words_of_an_upload_outlive_it() {
    let mut suite = Deployment::one_process(Options::new()).await;
    let staff = Staff::of(&suite);
    let uploader = Student::new("staff-1", &staff.token, suite.channel());
    let upload = Upload::new(DEMO_COURSE, "film", 1, &["ALG-01"], 3);
    let (mut uploading, resume) = Uploading::begin(&upload, async |steps| {
        let mut index = IndexServiceClient::new(uploader.channel.clone());
        index.upsert_source(uploader.request(steps)).await
    })
    .await
    .unwrap();
    uploading.finish(&upload, &resume, 3).await.unwrap();

    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let asked = format!(
        "how do I add negative numbers, as in {} and its signs?",
        upload.word
    );
    let answer = ada.say(&thread, &asked).await;
    let delete = DeleteSourceRequest {
        course_id: upload.course.clone(),
        source_id: upload.source.clone(),
    };
    let mut index = IndexServiceClient::new(uploader.channel.clone());
    index.delete_source(uploader.request(delete)).await.unwrap();

    let explained = staff.explain_turn("ada", &answer.turn_id).await.unwrap();
    let texts = explained.record.unwrap().texts.unwrap();
    assert!(!texts.chunks.is_empty());
    for chunk in &texts.chunks {
        assert!(upload.ids().contains(&chunk.chunk_id), "{chunk:?}");
        assert!(chunk.text.contains(&upload.word), "{chunk:?}");
    }
    let record = staff.record("ada", &answer.turn_id).await;
    assert!(record.texts.as_ref().unwrap().chunks.len() > texts.chunks.len());
    Tools::new().await.insist(&record).await;
    suite.stop();
}
