//! The index on the public face: staff of a school upload, look and search; nobody else does, and no other school finds
//! anything of it.

use std::collections::BTreeSet;

use tonic::{Code, Status, transport::Channel};
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    retrieval::v1::{
        DeleteSourceRequest, DenseUse, GetIndexStatusRequest, ListSourcesRequest, Namespace,
        RebuildIndexRequest, SearchRequest, SourceResume, index_service_client::IndexServiceClient,
    },
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options, Service},
    refusal::check_refusal,
    student::{DEMO_COURSE, Student},
    token,
    upload::{Upload, Uploading},
};

in_both_deployments!(
    retrieval_is_looked_after_by_staff,
    retrieval_refuses_everybody_else,
    retrieval_keeps_uploads_through_a_restart,
);

/// What is uploaded is kept in a file, in five processes, too.
pub fn keeping_uploads() -> Options {
    Options::new().env("RETRIEVAL_STORE", "embedded:retrieval.redb")
}

/// Somebody of a tenant with this role.
pub fn somebody(suite: &Deployment, tenant: &str, role: &str) -> Student {
    let name = format!("{role}-of-{tenant}");
    let token = token::of_tenant(&suite.data_dir, tenant, &name, Student::CLASS, role);
    Student::new(&name, &token, suite.channel())
}

pub fn index(who: &Student) -> IndexServiceClient<Channel> {
    IndexServiceClient::new(who.channel.clone())
}

/// Begins an upload, or goes on with it.
pub async fn begin(who: &Student, upload: &Upload) -> Result<(Uploading, SourceResume), Status> {
    Uploading::begin(upload, async |steps| {
        index(who).upsert_source(who.request(steps)).await
    })
    .await
}

/// A source about slopes.
fn slopes(number: u64, chunks: usize) -> Upload {
    Upload::new(DEMO_COURSE, "film", number, &["ALG-14"], chunks)
}

async fn found(who: &Student, upload: &Upload) -> BTreeSet<String> {
    let response = index(who).search(who.request(upload.search())).await;
    upload.found(&response.unwrap().into_inner())
}

async fn list(who: &Student) -> Vec<(String, String, i32, i32)> {
    let request = who.request(ListSourcesRequest {
        course_id: DEMO_COURSE.to_owned(),
        ..ListSourcesRequest::default()
    });
    let sources = index(who).list_sources(request).await.unwrap().into_inner();
    let sources = sources.sources.into_iter();
    sources
        .map(|source| {
            (
                source.source_id,
                source.revision,
                source.chunks,
                source.pending_chunks,
            )
        })
        .collect()
}

async fn retrieval_is_looked_after_by_staff(kind: Kind) {
    let mut suite = Deployment::start(kind, keeping_uploads()).await;
    let staff = somebody(&suite, "default", "staff");
    let other = somebody(&suite, "another-school", "staff");
    let status = async |who: &Student| {
        let request = who.request(GetIndexStatusRequest {
            course_id: DEMO_COURSE.to_owned(),
        });
        let status = index(who).get_index_status(request).await.unwrap();
        status.into_inner()
    };
    let before = status(&staff).await;
    assert_eq!((before.engine.as_str(), before.sources), ("embedded", 0));
    assert_eq!(before.dense(), DenseUse::NoModel);
    assert_eq!(before.pack_hashes[0], before.pack_hash);

    // Broken off, and gone on with.
    let upload = slopes(1, 30);
    let (mut uploading, resume) = begin(&staff, &upload).await.unwrap();
    assert_eq!((resume.next, resume.committed), (0, false));
    assert_eq!(uploading.stage(&upload, 0, 12).await.unwrap(), 12);
    drop(uploading);
    let pending = ("film".to_owned(), String::new(), 0, 12);
    assert_eq!(list(&staff).await, [pending]);
    assert_eq!(found(&staff, &upload).await, BTreeSet::new());
    let (mut uploading, resume) = begin(&staff, &upload).await.unwrap();
    assert_eq!((resume.next, resume.committed), (12, false));
    let committed = uploading.finish(&upload, &resume, 10).await.unwrap();
    assert_eq!(committed.dense(), DenseUse::NoModel);

    let after = status(&staff).await;
    assert_eq!(after.sources, 1);
    assert_eq!(after.index_id, committed.index_id);
    assert_ne!(after.index_id, before.index_id);
    let film = ("film".to_owned(), "r1".to_owned(), 30, 0);
    assert_eq!(list(&staff).await, [film]);

    // A search says why.
    let request = staff.request(upload.search());
    let response = index(&staff).search(request).await.unwrap().into_inner();
    assert_eq!(upload.found(&response), upload.ids());
    let best = &response.hits[0];
    assert_eq!((best.lexical_rank, best.dense_rank), (1, 0));
    assert!(best.lexical > 0.0 && best.score > 0.0);
    assert_eq!(best.matched, std::slice::from_ref(&upload.word));
    let citation = best.citation.as_ref().unwrap();
    assert_eq!(citation.title, "The lesson film");
    assert!(citation.url.starts_with("https://example.org/film#"));

    // Nothing of it is in another school: neither the text nor that there is any.
    assert_eq!(found(&other, &upload).await, BTreeSet::new());
    assert_eq!(list(&other).await, []);
    assert_eq!(status(&other).await.index_id, before.index_id);
    let delete = || DeleteSourceRequest {
        course_id: DEMO_COURSE.to_owned(),
        source_id: "film".to_owned(),
    };
    let answer = index(&other).delete_source(other.request(delete())).await;
    assert!(!answer.unwrap().into_inner().deleted);
    assert_eq!(found(&staff, &upload).await, upload.ids());

    let rebuild = staff.request(RebuildIndexRequest {
        course_id: DEMO_COURSE.to_owned(),
        forget_vectors: true,
    });
    let mut answers = index(&staff)
        .rebuild_index(rebuild)
        .await
        .unwrap()
        .into_inner();
    let mut index_id = String::new();
    while let Some(answer) = answers.message().await.unwrap() {
        index_id = answer.index_id;
    }
    assert_eq!(index_id, status(&staff).await.index_id);
    assert_eq!(found(&staff, &upload).await, upload.ids());

    for there in [true, false] {
        let answer = index(&staff).delete_source(staff.request(delete())).await;
        let answer = answer.unwrap().into_inner();
        assert_eq!(
            (answer.deleted, answer.index_id),
            (there, before.index_id.clone())
        );
    }
    assert_eq!(found(&staff, &upload).await, BTreeSet::new());
    assert_eq!(list(&staff).await, []);
    suite.stop();
}

async fn retrieval_refuses_everybody_else(kind: Kind) {
    let mut suite = Deployment::start(kind, keeping_uploads()).await;
    let upload = slopes(1, 3);
    for role in ["student", "teacher"] {
        let who = somebody(&suite, "default", role);
        let mut index = index(&who);
        let course_id = || DEMO_COURSE.to_owned();
        let refusals = [
            begin(&who, &upload).await.map(drop).unwrap_err(),
            index
                .delete_source(who.request(DeleteSourceRequest {
                    course_id: course_id(),
                    source_id: "film".to_owned(),
                }))
                .await
                .unwrap_err(),
            index
                .list_sources(who.request(ListSourcesRequest {
                    course_id: course_id(),
                    ..ListSourcesRequest::default()
                }))
                .await
                .unwrap_err(),
            index
                .get_index_status(who.request(GetIndexStatusRequest {
                    course_id: course_id(),
                }))
                .await
                .unwrap_err(),
            index
                .rebuild_index(who.request(RebuildIndexRequest {
                    course_id: course_id(),
                    forget_vectors: false,
                }))
                .await
                .unwrap_err(),
            index
                .search(who.request(upload.search()))
                .await
                .unwrap_err(),
        ];
        for status in refusals {
            check_refusal(&status, Code::PermissionDenied, Why::PermissionDenied, "");
        }
    }
    let staff = somebody(&suite, "default", "staff");
    assert_eq!(list(&staff).await, []);
    suite.stop();
}

/// What staff may do wrong is refused as behind the gateway, with the field that is meant.
#[tokio::test(flavor = "multi_thread")]
async fn retrieval_says_what_is_wrong() {
    let mut suite = Deployment::five_processes(keeping_uploads()).await;
    let staff = somebody(&suite, "default", "staff");
    let good = || SearchRequest {
        course_id: DEMO_COURSE.to_owned(),
        text: "slope".to_owned(),
        namespace: Namespace::UnitContentChunks.into(),
        ..SearchRequest::default()
    };
    for (request, code, why, field) in [
        (
            SearchRequest {
                text: String::new(),
                ..good()
            },
            Code::InvalidArgument,
            Why::InvalidArgument,
            "text",
        ),
        (
            SearchRequest {
                text: "x".repeat(100_000),
                ..good()
            },
            Code::InvalidArgument,
            Why::InvalidArgument,
            "text",
        ),
        (
            SearchRequest {
                course_id: "no-such-course".to_owned(),
                ..good()
            },
            Code::NotFound,
            Why::UnknownCourse,
            "course_id",
        ),
        (
            SearchRequest {
                namespace: 0,
                ..good()
            },
            Code::InvalidArgument,
            Why::UnknownNamespace,
            "namespace",
        ),
        (
            SearchRequest {
                unit_ids: vec!["ALG-99".to_owned()],
                ..good()
            },
            Code::NotFound,
            Why::UnknownUnit,
            "unit_ids",
        ),
    ] {
        let status = index(&staff)
            .search(staff.request(request))
            .await
            .unwrap_err();
        check_refusal(&status, code, why, field);
    }
    // The stream's own refusals come through, too.
    let unknown = Upload::new("no-such-course", "film", 1, &["ALG-14"], 1);
    let status = begin(&staff, &unknown).await.map(drop).unwrap_err();
    check_refusal(&status, Code::NotFound, Why::UnknownCourse, "course_id");
    let upload = Upload::new(DEMO_COURSE, "film", 1, &["ALG-99"], 1);
    let (mut uploading, _) = begin(&staff, &upload).await.unwrap();
    let status = uploading.stage(&upload, 0, 1).await.unwrap_err();
    check_refusal(&status, Code::NotFound, Why::UnknownUnit, "unit_id");
    let upload = slopes(2, 3);
    let (mut uploading, _) = begin(&staff, &upload).await.unwrap();
    let status = uploading.commit().await.unwrap_err();
    check_refusal(
        &status,
        Code::InvalidArgument,
        Why::InvalidArgument,
        "commit",
    );
    suite.stop();
}

/// Replicas without a file in common take no uploads, and say so.
#[tokio::test(flavor = "multi_thread")]
async fn retrieval_that_keeps_nothing_takes_nothing() {
    for options in [
        Options::new(),
        keeping_uploads().env("RETRIEVAL_UPSERTS", "off"),
    ] {
        let mut suite = Deployment::five_processes(options).await;
        let staff = somebody(&suite, "default", "staff");
        let status = begin(&staff, &slopes(1, 1)).await.map(drop).unwrap_err();
        check_refusal(&status, Code::FailedPrecondition, Why::UpsertsOff, "");
        suite.stop();
    }
}

async fn retrieval_keeps_uploads_through_a_restart(kind: Kind) {
    let mut suite = Deployment::start(kind, keeping_uploads()).await;
    let upload = slopes(1, 20);
    let staff = somebody(&suite, "default", "staff");
    let (mut uploading, resume) = begin(&staff, &upload).await.unwrap();
    uploading.finish(&upload, &resume, 20).await.unwrap();
    let service = suite.or_suite(Service::Retrieval);
    suite.process(service).stop();
    suite.restart(service);
    let staff = somebody(&suite, "default", "staff");
    let again = turnwise_tests::eventually::eventually(
        "the index is reached",
        std::time::Duration::from_secs(30),
        async || {
            let request = staff.request(upload.search());
            index(&staff).search(request).await.ok()
        },
    )
    .await;
    assert_eq!(upload.found(&again.into_inner()), upload.ids());
    suite.stop();
}
