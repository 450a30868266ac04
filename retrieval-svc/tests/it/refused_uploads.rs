//! Uploads and callers that are refused: the reason, and the field at fault.

use std::sync::Arc;

use tonic::Status;
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    retrieval::v1::{
        GetIndexStatusRequest, SourceBegin, SourceChunk, UpsertSourceRequest,
        upsert_source_request::Step,
    },
};
use turnwise_retrieval_embeddings::HashedWords;

use crate::{
    fixture::{COURSE, backends, by, rig, tiny_course},
    uploads::{begin, by_words, commit, piece, pieces, send, step},
};

fn refused(status: &Status) -> (ErrorReason, String) {
    let fault = Fault::from_status(status);
    let field = fault.fields().next().unwrap_or_default().to_owned();
    (fault.reason(), field)
}

#[tokio::test]
async fn only_staff_look_after_an_index() {
    let rig = by_words().await;
    for role in ["student", "teacher", ""] {
        let request = GetIndexStatusRequest {
            course_id: COURSE.to_owned(),
        };
        let status = rig
            .index()
            .get_index_status(by("school", role, request))
            .await;
        let (reason, _) = refused(&status.unwrap_err());
        assert_eq!(reason, ErrorReason::PermissionDenied, "{role}");
    }
}

#[tokio::test]
async fn uploads_that_are_refused() {
    use ErrorReason::{IndexIncompatible, InvalidArgument, UnknownCourse, UnknownUnit};
    type Change = fn(&mut SourceBegin, &mut SourceChunk);
    let cases: [(&str, Change, ErrorReason, &str); 16] = [
        (
            "odd source",
            |b, _| b.source_id = "../x".into(),
            InvalidArgument,
            "begin.source_id",
        ),
        (
            "no revision",
            |b, _| b.revision.clear(),
            InvalidArgument,
            "begin.revision",
        ),
        (
            "unknown course",
            |b, _| b.course_id = "other".into(),
            UnknownCourse,
            "course_id",
        ),
        (
            "odd type",
            |b, _| b.chunk_type = "film".into(),
            InvalidArgument,
            "begin.chunk_type",
        ),
        (
            "no chunks",
            |b, _| b.chunk_count = 0,
            InvalidArgument,
            "begin.chunk_count",
        ),
        (
            "many chunks",
            |b, _| b.chunk_count = 20_001,
            InvalidArgument,
            "begin.chunk_count",
        ),
        (
            "long title",
            |b, _| b.title = "x".repeat(301),
            InvalidArgument,
            "begin.title",
        ),
        (
            "odd id",
            |_, c| c.chunk_id = "a/b".into(),
            InvalidArgument,
            "chunks.chunks[0].chunk_id",
        ),
        (
            "unknown unit",
            |_, c| c.unit_id = "other".into(),
            UnknownUnit,
            "unit_id",
        ),
        (
            "no text",
            |_, c| c.text = " ".into(),
            InvalidArgument,
            "chunks.chunks[0].text",
        ),
        (
            "long text",
            |_, c| c.text = "x".repeat(8_001),
            InvalidArgument,
            "chunks.chunks[0].text",
        ),
        (
            "odd url",
            |_, c| c.url = "javascript:x".into(),
            InvalidArgument,
            "chunks.chunks[0].url",
        ),
        (
            "odd page",
            |_, c| c.page = -1,
            InvalidArgument,
            "chunks.chunks[0].page",
        ),
        (
            "foreign vector",
            |_, c| {
                c.vector = vec![1.0; 4];
                c.vector_model = "another".into();
            },
            IndexIncompatible,
            "chunks.chunks[0].vector",
        ),
        (
            "short vector",
            |_, c| {
                c.vector = vec![1.0];
                c.vector_model = crate::meaning::MODEL.into();
            },
            IndexIncompatible,
            "chunks.chunks[0].vector",
        ),
        (
            "vector of NaN",
            |_, c| {
                c.vector = vec![f32::NAN; 32];
                c.vector_model = crate::meaning::MODEL.into();
            },
            InvalidArgument,
            "chunks.chunks[0].vector",
        ),
    ];
    let embedder = Arc::new(HashedWords::new(32));
    let rig = rig([tiny_course()], backends(embedder).await).await;
    for (case, change, reason, field) in cases {
        let UpsertSourceRequest {
            step: Some(Step::Begin(mut head)),
        } = begin("film", "r1", 1)
        else {
            unreachable!()
        };
        let mut chunk = piece("p1", "text");
        change(&mut head, &mut chunk);
        let steps = vec![step(Step::Begin(head)), pieces(0, vec![chunk]), commit()];
        let status = send(&rig, "school", steps).await.unwrap_err();
        assert_eq!(
            refused(&status),
            (reason, field.to_owned()),
            "{case}: {status:?}"
        );
    }
}

#[tokio::test]
async fn steps_that_do_not_follow_are_refused() {
    let rig = by_words().await;
    let one = || pieces(0, vec![piece("p1", "text")]);
    let twice = || pieces(0, vec![piece("p1", "text"), piece("p1", "text")]);
    for (case, steps, field) in [
        ("no begin", vec![one()], "step"),
        (
            "two begins",
            vec![begin("a", "r1", 1), begin("a", "r1", 1)],
            "step",
        ),
        (
            "early commit",
            vec![begin("b", "r1", 2), one(), commit()],
            "commit",
        ),
        (
            "a gap",
            vec![begin("c", "r1", 3), pieces(1, vec![piece("p2", "x")])],
            "chunks.first",
        ),
        (
            "too many",
            vec![begin("d", "r1", 1), twice()],
            "chunks.first",
        ),
        (
            "an id twice",
            vec![begin("e", "r1", 2), twice()],
            "chunks.chunks.chunk_id",
        ),
        (
            "no chunks",
            vec![begin("f", "r1", 1), pieces(0, Vec::new())],
            "chunks.chunks",
        ),
    ] {
        let status = send(&rig, "school", steps).await.unwrap_err();
        assert_eq!(
            refused(&status),
            (ErrorReason::InvalidArgument, field.to_owned()),
            "{case}: {status:?}"
        );
    }
}
