//! Packs that change while the service runs.

use std::{fs, path::Path, sync::Arc, time::Duration};

use tonic::Status;
use turnwise_course_pack::{Library, LibrarySettings};
use turnwise_kit::{Fault, Kit};
use turnwise_proto::{
    common::v1::ErrorReason,
    retrieval::v1::{
        MapMessageRequest, MapMessageResponse, Namespace, RetrieveRequest, RetrieveResponse,
        retrieval_service_client::RetrievalServiceClient,
    },
};
use turnwise_retrieval_embeddings::NoModel;
use turnwise_retrieval_svc::{
    course::CourseVersion, courses, grpc::Served, indexing::Indexer, routes, routes_over,
};

use crate::fixture::Client;

const COURSE: &str = "plants";

/// A course of one topic, with one lesson about this.
fn write_pack(dir: &Path, lesson: &str) {
    for sub in ["units", "content", "exams"] {
        fs::create_dir_all(dir.join(sub)).unwrap();
    }
    for (file, text) in [
        (
            "course.yaml",
            format!(
                "format: 1\nid: {COURSE}\ntitle: Plants\nlocale: en\nentry_unit: START\n"
            ),
        ),
        (
            "units/units.yaml",
            format!(
                "units:\n  - {{id: START, title: Welcome, assessable: false}}\n  - id: TOPIC\n    title: Growing {lesson}\n    summary: About {lesson}.\n    prerequisites: [START]\n    anchors: [how do {lesson} grow]\n"
            ),
        ),
        (
            "content/lesson.md",
            format!(
                "---\nunit: TOPIC\nsource: lesson\ntype: text\ntitle: Growing\n---\n## Growing {lesson} {{#c1 .explanation}}\n\nWater the {lesson} at noon.\n"
            ),
        ),
        (
            "exams/exams.yaml",
            "questions:\n  - {id: B1, units: [TOPIC], tier: bronze, prompt: Name one., answer: '1'}\n"
                .to_owned(),
        ),
    ] {
        fs::write(dir.join(file), text).unwrap();
    }
}

/// The library of a folder, and a client of the service over it.
async fn followed(root: &Path, kit: &Kit) -> (Arc<Library<Arc<CourseVersion>>>, Client) {
    let backends = crate::fixture::backends(Arc::new(NoModel)).await;
    let queries = Arc::clone(&backends.queries);
    let indexer = Arc::new(Indexer::new(backends, Arc::clone(&kit.clock)));
    let library = courses::open(
        &LibrarySettings::new(root.to_owned(), 0),
        Arc::clone(&indexer),
        kit,
    )
    .await
    .unwrap();
    let served = Served {
        courses: library.catalog(),
        indexer,
        queries,
        references: crate::fixture::no_references(),
        upserts: true,
        pages: kit.pages.clone(),
        shutdown: kit.shutdown.clone(),
    };
    let client = RetrievalServiceClient::new(routes_over(Arc::new(served)).prepare());
    (Arc::new(library), client)
}

/// Polls until something changes, at most a few times, on a thread that may block.
async fn settle(library: &Arc<Library<Arc<CourseVersion>>>) -> bool {
    let library = Arc::clone(library);
    tokio::task::spawn_blocking(move || (0..4).any(|_| library.poll()))
        .await
        .unwrap()
}

async fn search(client: &Client, hash: &str) -> Result<RetrieveResponse, Status> {
    let request = RetrieveRequest {
        course_id: COURSE.to_owned(),
        pack_hash: hash.to_owned(),
        text: "how much water".to_owned(),
        scoped_unit_ids: vec!["TOPIC".to_owned()],
        namespaces: vec![Namespace::UnitContentChunks.into()],
        ..RetrieveRequest::default()
    };
    let response = client.clone().retrieve(request).await?;
    Ok(response.into_inner())
}

async fn map(client: &Client, text: &str) -> Result<MapMessageResponse, Status> {
    let request = MapMessageRequest {
        course_id: COURSE.to_owned(),
        text: text.to_owned(),
        ..MapMessageRequest::default()
    };
    let response = client.clone().map_message(request).await?;
    Ok(response.into_inner())
}

fn reason(status: &Status) -> ErrorReason {
    Fault::from_status(status).reason()
}

#[tokio::test]
async fn new_text_is_found_and_the_old_version_still_answers() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("pack");
    write_pack(&dir, "roses");
    let (library, client) = followed(root.path(), &Kit::for_tests()).await;
    let served = || library.catalog().get(COURSE).unwrap().pack().hash.clone();

    let roses = served();
    let mut index_ids = vec![search(&client, "").await.unwrap().index_id];
    for lesson in ["tulips", "cacti"] {
        write_pack(&dir, lesson);
        assert!(settle(&library).await);
        for hash in [String::new(), served()] {
            let found = search(&client, &hash).await.unwrap();
            assert!(found.chunks[0].text.contains(lesson), "{found:?}");
        }
        // A mapping has no version of its own: it is the served one's.
        let mapped = map(&client, "how do they grow").await.unwrap();
        index_ids.push(mapped.index_id);
        let old = search(&client, &roses).await.unwrap();
        assert!(old.chunks[0].text.contains("roses"), "{old:?}");
        assert_eq!(old.index_id, index_ids[0]);
    }
    index_ids.sort();
    index_ids.dedup();
    assert_eq!(index_ids.len(), 3);

    // A broken pack replaces nothing.
    let cacti = served();
    fs::write(dir.join("content/lesson.md"), "no front matter").unwrap();
    assert!(!settle(&library).await);
    assert_eq!(served(), cacti);

    write_pack(&dir, "ferns");
    assert!(settle(&library).await);
    let refused = search(&client, &roses).await.unwrap_err();
    assert_eq!(reason(&refused), ErrorReason::UnknownPackVersion);
}

#[tokio::test]
async fn a_course_that_is_taken_away_ends_for_new_turns_only() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("pack");
    write_pack(&dir, "roses");
    crate::start::copy(
        crate::start::DEMO_COURSE.as_ref(),
        &root.path().join("demo"),
    );
    let kit = Kit::for_tests();
    let (library, client) = followed(root.path(), &kit).await;
    let hash = library.catalog().get(COURSE).unwrap().pack().hash.clone();
    fs::remove_dir_all(&dir).unwrap();
    assert!(settle(&library).await);

    for refused in [
        map(&client, "roses").await.unwrap_err(),
        search(&client, "").await.unwrap_err(),
    ] {
        assert_eq!(reason(&refused), ErrorReason::UnknownCourse);
    }
    let found = search(&client, &hash).await.unwrap();
    assert!(found.chunks[0].text.contains("roses"));
    let metrics = kit.metrics.encode();
    let served = "retrieval_course_served_since_timestamp_seconds{";
    assert_eq!(metrics.matches(served).count(), 1, "{metrics}");
}

#[tokio::test(start_paused = true)]
async fn the_folder_is_followed_until_the_process_drains() {
    let root = tempfile::tempdir().unwrap();
    write_pack(root.path(), "roses");
    let kit = Kit::for_tests();
    let settings = crate::start::settings(root.path(), "2", &[]);
    let client: Client =
        RetrievalServiceClient::new(routes(&settings, None, &kit).await.unwrap().prepare());
    write_pack(root.path(), "tulips");
    tokio::time::sleep(Duration::from_secs(5)).await;
    let found = search(&client, "").await.unwrap();
    assert!(found.chunks[0].text.contains("tulips"), "{found:?}");

    kit.shutdown.cancel();
    kit.tasks.close();
    kit.tasks.wait().await;
}
