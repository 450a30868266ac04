//! References, artifacts, documents and what is missing: through the service's face.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    sync::Arc,
};

use turnwise_course_pack::{ClarifyingDocument, load};
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    retrieval::v1::{
        Chunk, ExtractArtifactRequest, GetReferenceRequest, Namespace, ReferenceSource,
        RetrieveRequest, get_reference_request::Name,
    },
};
use turnwise_retrieval_embeddings::NoModel;
use turnwise_retrieval_svc::references::{ReferenceSettings, References};

use crate::fixture::{COURSE, Client, backends, client, rig, rig_with, search, tiny_course};

fn reference(name: Option<Name>) -> GetReferenceRequest {
    GetReferenceRequest {
        course_id: COURSE.to_owned(),
        name,
        ..GetReferenceRequest::default()
    }
}

async fn with_reference() -> Client {
    let mut pack = tiny_course();
    pack.references
        .insert("formulas".to_owned(), "y = mx + b".to_owned());
    client([pack]).await
}

#[tokio::test]
async fn a_reference_comes_from_the_pack() {
    let request = reference(Some(Name::Key("formulas".to_owned())));
    let found = with_reference().await.get_reference(request).await.unwrap();
    let found = found.into_inner();
    assert_eq!(found.text, "y = mx + b");
    assert_eq!(found.source(), ReferenceSource::Pack);
}

/// Holds a lease on a file until its input ends: whoever opens the file waits so long, as for a disk that does not answer.
const HOLD: &str = "
import fcntl, signal, sys
signal.signal(signal.SIGIO, signal.SIG_IGN)
held = open(sys.argv[1], 'r+')
fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print('held', flush=True)
sys.stdin.read()
";

#[tokio::test]
async fn a_disk_that_does_not_answer_holds_up_no_other_call() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("formulas.md");
    std::fs::write(&file, "y = mx + b").unwrap();
    let settings = ReferenceSettings {
        helper_reference_dir: Some(dir.path().to_owned()),
        helper_reference_map: "{}".to_owned(),
        ..ReferenceSettings::default()
    };
    let references = References::open(&settings).unwrap();
    let rig = rig_with(
        [tiny_course()],
        backends(Arc::new(NoModel)).await,
        references,
    )
    .await;
    let mut holder = Command::new("python3")
        .args(["-c", HOLD])
        .arg(&file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut held = String::new();
    let said = holder.stdout.take().unwrap();
    BufReader::new(said).read_line(&mut held).unwrap();
    assert_eq!(held, "held\n");

    let mut client = rig.client();
    let asked = tokio::spawn(async move {
        let request = reference(Some(Name::Key("formulas".to_owned())));
        client.get_reference(request).await
    });
    for _ in 0..20 {
        tokio::task::yield_now().await;
        rig.client().retrieve(search("slope")).await.unwrap();
    }
    assert!(!asked.is_finished(), "nobody waited for the disk");
    drop(holder.stdin.take());
    let found = asked.await.unwrap().unwrap().into_inner();
    assert_eq!(found.text, "y = mx + b");
    holder.wait().unwrap();
}

#[tokio::test]
async fn references_that_are_refused() {
    use ErrorReason::{InvalidArgument, UnknownReference};
    let mut client = with_reference().await;
    for (name, reason, field) in [
        (None, InvalidArgument, "name"),
        (
            Some(Name::Key("../secrets".to_owned())),
            InvalidArgument,
            "key",
        ),
        (Some(Name::Key("%2e%2e".to_owned())), InvalidArgument, "key"),
        (Some(Name::Key(String::new())), InvalidArgument, "key"),
        (Some(Name::Key("other".to_owned())), UnknownReference, "key"),
        (
            Some(Name::Lesson("Other".to_owned())),
            InvalidArgument,
            "lesson",
        ),
        (
            Some(Name::Lesson("other".to_owned())),
            UnknownReference,
            "lesson",
        ),
    ] {
        let case = format!("{name:?}");
        let status = client.get_reference(reference(name)).await.unwrap_err();
        let fault = Fault::from_status(&status);
        assert_eq!(fault.reason(), reason, "{case}");
        assert_eq!(fault.fields().next(), Some(field), "{case}");
    }
}

#[tokio::test]
async fn a_part_of_an_artifact_is_cut_out_and_redacted() {
    let content = r#"{"phase3": {"steps": ["x = 4", "write to ada@example.org"]}}"#;
    let request = ExtractArtifactRequest {
        artifact_type: "json".to_owned(),
        content: content.to_owned(),
        key_paths: vec!["phase3.steps[1]".to_owned(), "/phase3/steps/7".to_owned()],
        ..ExtractArtifactRequest::default()
    };
    let answer = client([tiny_course()])
        .await
        .extract_artifact(request)
        .await;
    let answer = answer.unwrap().into_inner();
    assert_eq!(answer.missing, ["/phase3/steps/7"]);
    let slice = &answer.slices[0];
    assert!(!slice.text.contains("example.org"), "{slice:?}");
    assert_eq!(slice.redactions, 1);
    let (start, end) = (slice.start as usize, slice.end as usize);
    assert!(content[start..end].contains("write to ada@example.org"));
}

#[tokio::test]
async fn artifacts_that_are_refused() {
    use ErrorReason::{InvalidArgument, PayloadTooLarge, UnsupportedPayload};
    let mut client = client([tiny_course()]).await;
    for (kind, content, path, reason) in [
        ("film", "x", "lines:1-2", UnsupportedPayload),
        ("json", "{", "/a", UnsupportedPayload),
        ("json", "{}", "a..b", InvalidArgument),
        ("text", "x", "", InvalidArgument),
        ("text", &"x".repeat(262_145), "lines:1-2", PayloadTooLarge),
    ] {
        let request = ExtractArtifactRequest {
            artifact_type: kind.to_owned(),
            content: content.to_owned(),
            key_paths: vec![path.to_owned()],
            ..ExtractArtifactRequest::default()
        };
        let status = client.extract_artifact(request).await.unwrap_err();
        let fault = Fault::from_status(&status);
        assert_eq!(fault.reason(), reason, "{kind} {path}: {status:?}");
        assert!(fault.fields().next().is_some(), "{kind} {path}");
    }
}

#[tokio::test]
async fn a_document_with_questions_is_reported_when_it_matches_best() {
    let mut pack = tiny_course();
    for (id, questions) in [
        ("ticket", vec!["Which line?".to_owned()]),
        ("plain", Vec::new()),
    ] {
        pack.documents.push(ClarifyingDocument {
            id: id.to_owned(),
            title: format!("Help with a {id}"),
            unit: "slope".to_owned(),
            content: format!(
                "When the {id} printer is jammed 9 times in 12 or y = 2x + 3, open its tray."
            ),
            questions,
            questions_by_locale: [("de".to_owned(), vec!["Welche Linie?".to_owned()])].into(),
            requires_handoff: true,
        });
    }
    let mut client = client([pack]).await;
    let mut asked = async |text: &str| {
        let found = client.retrieve(search(text)).await.unwrap().into_inner();
        let asks = |chunk: &Chunk| chunk.source_id == "ticket";
        assert!(!found.chunks.iter().any(asks), "it is no text to use yet");
        found.clarification_task
    };
    let task = asked("the ticket printer is jammed").await.unwrap();
    assert_eq!(task.document_id, "ticket");
    assert_eq!(task.questions, ["Which line?"]);
    assert_eq!(task.locale, "en");
    let [german] = task.translations.as_slice() else {
        panic!("{:?}", task.translations)
    };
    assert_eq!(german.locale, "de");
    assert_eq!(german.questions, ["Welche Linie?"]);
    assert!(task.requires_handoff);
    assert!(task.original_doc_content.contains("open its tray"));
    // The unit's name counts, and not it alone.
    assert!(asked("a ticket for the slope").await.is_some());
    assert_eq!(asked("a ticket for the quadratic").await, None);
    assert_eq!(asked("the slope of lines").await, None);
    assert_eq!(asked("the plain printer is jammed").await, None);
    assert_eq!(asked("how steep is a line").await, None);
    assert_eq!(asked("").await, None);
    // Numbers and formulas stand in a text by chance.
    assert_eq!(asked("9 - 12").await, None);
    assert_eq!(asked("y = 3?").await, None);
    assert_eq!(asked("y = 2x + 3").await, None);
    assert!(asked("9 - 12: my ticket printer").await.is_some());
    let clarified = RetrieveRequest {
        clarified_document_ids: vec!["ticket".to_owned()],
        ..search("the ticket printer is jammed")
    };
    let found = client.retrieve(clarified).await.unwrap().into_inner();
    assert_eq!(found.clarification_task, None);
    assert_eq!(found.chunks[0].source_id, "ticket");
}

#[tokio::test]
async fn a_cry_for_help_is_about_no_document() {
    let pack = load(crate::start::DEMO_COURSE.as_ref()).unwrap();
    let (course_id, pack_hash) = (pack.course.id.clone(), pack.hash.clone());
    let mut client = client([pack]).await;
    for (text, document) in [
        ("I need some help", None),
        ("She needs some help with this.", None),
        ("How do I scale a recipe of my own?", Some("scale-your-own")),
        (
            "I want to scale a recipe to feed 10 people instead of 4",
            Some("scale-your-own"),
        ),
    ] {
        let request = RetrieveRequest {
            course_id: course_id.clone(),
            pack_hash: pack_hash.clone(),
            scoped_unit_ids: ["ENTRY-00", "ALG-03", "ALG-05"].map(str::to_owned).into(),
            focus_unit_id: "ENTRY-00".to_owned(),
            namespaces: vec![Namespace::UnitContentChunks.into()],
            ..search(text)
        };
        let found = client.retrieve(request).await.unwrap().into_inner();
        let task = found.clarification_task;
        let asked = task.as_ref().map(|task| task.document_id.as_str());
        assert_eq!(asked, document, "{text}");
    }
}

#[tokio::test]
async fn no_uploads_where_they_are_off() {
    let folder = tempfile::tempdir().unwrap();
    crate::start::copy(
        crate::start::DEMO_COURSE.as_ref(),
        &folder.path().join("demo"),
    );
    let settings = crate::start::settings(folder.path(), "0", &[]);
    let kit = turnwise_kit::Kit::for_tests();
    let routes = turnwise_retrieval_svc::routes(&settings, None, &kit)
        .await
        .unwrap();
    let mut index =
        turnwise_proto::retrieval::v1::index_service_client::IndexServiceClient::new(routes);
    let steps = tokio_stream::iter(vec![crate::uploads::begin("film", "r1", 1)]);
    let status = index
        .upsert_source(crate::fixture::by("school", "staff", steps))
        .await
        .unwrap_err();
    assert_eq!(
        Fault::from_status(&status).reason(),
        ErrorReason::UpsertsOff
    );
}

#[tokio::test]
async fn a_course_that_no_engine_has_is_away_and_still_mapped() {
    let rig = rig([tiny_course()], backends(Arc::new(NoModel)).await).await;
    let course = rig.courses.get(COURSE).unwrap();
    course.show(turnwise_retrieval_svc::course::Views::default());
    let status = rig.client().retrieve(search("slope")).await.unwrap_err();
    let fault = Fault::from_status(&status);
    assert_eq!(fault.reason(), ErrorReason::DependencyUnavailable);
    assert!(fault.retry_delay().is_some());
    let mapped = rig
        .client()
        .map_message(crate::fixture::message("slope of a line", &[]))
        .await;
    assert_eq!(
        mapped.unwrap().into_inner().mapped_units[0].unit_id,
        "slope"
    );
}
