//! One upload: its order, its repetitions, its commit.

use super::{Case, Failure, cases, same};
use crate::sources::{Progress, SourceError, SourceHead, SourceKey, Sources, UploadedChunk};

pub(super) fn all() -> Vec<Case<dyn Sources>> {
    cases![
        an_upload_is_kept_whole,
        an_upload_goes_on_where_it_was,
        repeated_calls_do_no_harm,
        chunks_must_follow,
        nothing_happens_without_begin,
        a_commit_needs_all_chunks,
        duplicate_chunks_are_refused,
        another_revision_replaces_what_is_staged,
        another_head_begins_again,
        the_committed_revision_stays_until_the_commit,
        a_source_may_be_empty,
        large_uploads_are_kept,
    ]
}

/// A source of the suite.
pub(super) fn key(tenant: &str, course: &str, source: &str) -> SourceKey {
    SourceKey {
        tenant: tenant.into(),
        course: course.into(),
        source: source.into(),
    }
}

/// The head of an upload.
pub(super) fn head(revision: &str, chunks: u32) -> SourceHead {
    SourceHead {
        revision: revision.into(),
        title: "Slides “1” \u{2212} ∆".into(),
        chunk_type: "pdf".into(),
        chunks,
    }
}

/// Chunks of a revision, by place.
pub(super) fn chunks(revision: &str, places: std::ops::Range<u32>) -> Vec<UploadedChunk> {
    places
        .map(|place| UploadedChunk {
            id: format!("{revision}-{place}").into(),
            unit: "lines".into(),
            section: "Slope: Δy/Δx".into(),
            section_kind: "explanation".into(),
            url: "https://school.example/?a=1&b=2".into(),
            page: place,
            start_ms: (place % 2 == 0).then_some(u64::from(place)),
            text: format!("{revision}: text {place}\n\u{0}\"").into(),
        })
        .collect()
}

/// Uploads a whole revision.
pub(super) async fn upload(
    store: &dyn Sources,
    key: &SourceKey,
    revision: &str,
    count: u32,
    now_ms: u64,
) -> Result<(), Failure> {
    let begun = store.begin(key, &head(revision, count)).await?;
    same("progress at the begin", begun, Progress::Staged(0))?;
    let next = store
        .stage(key, revision, 0, chunks(revision, 0..count))
        .await?;
    same("the next place", next, count)?;
    Ok(store.commit(key, revision, now_ms).await?)
}

/// Fails unless this revision is what is committed.
pub(super) async fn holds(
    store: &dyn Sources,
    key: &SourceKey,
    revision: &str,
    count: u32,
) -> Result<(), Failure> {
    let expected = (head(revision, count), chunks(revision, 0..count));
    same("what is committed", store.chunks(key).await?, expected)
}

async fn an_upload_is_kept_whole(store: &dyn Sources) -> Result<(), Failure> {
    let key = key("school", "algebra", "slides");
    let nothing = store.chunks(&key).await;
    same("before the upload", nothing, Err(SourceError::NotBegun))?;
    let begun = store.begin(&key, &head("r1", 5)).await?;
    same("progress at the begin", begun, Progress::Staged(0))?;
    let next = store.stage(&key, "r1", 0, chunks("r1", 0..2)).await?;
    same("the next place", next, 2)?;
    let next = store.stage(&key, "r1", 2, chunks("r1", 2..5)).await?;
    same("the next place", next, 5)?;
    let staged = store.chunks(&key).await;
    same("before the commit", staged, Err(SourceError::NotBegun))?;
    store.commit(&key, "r1", 1_700_000_000_000).await?;
    holds(store, &key, "r1", 5).await
}

async fn an_upload_goes_on_where_it_was(store: &dyn Sources) -> Result<(), Failure> {
    let key = key("school", "algebra", "slides");
    let head = head("r1", 4);
    store.begin(&key, &head).await?;
    store.stage(&key, "r1", 0, chunks("r1", 0..3)).await?;
    for _ in 0..2 {
        let begun = store.begin(&key, &head).await?;
        same("progress when going on", begun, Progress::Staged(3))?;
    }
    let next = store.stage(&key, "r1", 3, chunks("r1", 3..4)).await?;
    same("the next place", next, 4)?;
    same(
        "progress with all",
        store.begin(&key, &head).await?,
        Progress::Staged(4),
    )?;
    store.commit(&key, "r1", 1).await?;
    same(
        "progress when done",
        store.begin(&key, &head).await?,
        Progress::Committed,
    )?;
    holds(store, &key, "r1", 4).await
}

async fn repeated_calls_do_no_harm(store: &dyn Sources) -> Result<(), Failure> {
    let key = key("school", "algebra", "slides");
    store.begin(&key, &head("r1", 6)).await?;
    for (first, end, next) in [
        (0, 3, 3),
        (0, 3, 3),
        (0, 2, 3),
        (1, 5, 5),
        (4, 6, 6),
        (0, 6, 6),
    ] {
        let found = store
            .stage(&key, "r1", first, chunks("r1", first..end))
            .await?;
        same("the next place", found, next)?;
    }
    let found = store.stage(&key, "r1", 6, Vec::new()).await?;
    same("the next place after no chunks", found, 6)?;
    for now_ms in [1, 2] {
        store.commit(&key, "r1", now_ms).await?;
        holds(store, &key, "r1", 6).await?;
    }
    Ok(())
}

async fn chunks_must_follow(store: &dyn Sources) -> Result<(), Failure> {
    let key = key("school", "algebra", "slides");
    store.begin(&key, &head("r1", 6)).await?;
    let gap = store.stage(&key, "r1", 1, chunks("r1", 1..2)).await;
    let expected = SourceError::OutOfOrder { given: 1, next: 0 };
    same("a gap at the start", gap, Err(expected))?;
    store.stage(&key, "r1", 0, chunks("r1", 0..2)).await?;
    let gap = store.stage(&key, "r1", 4, chunks("r1", 4..6)).await;
    let expected = SourceError::OutOfOrder { given: 4, next: 2 };
    same("a gap later", gap, Err(expected))?;
    let begun = store.begin(&key, &head("r1", 6)).await?;
    same("progress after refusals", begun, Progress::Staged(2))
}

async fn nothing_happens_without_begin(store: &dyn Sources) -> Result<(), Failure> {
    let key = key("school", "algebra", "slides");
    let staged = store.stage(&key, "r1", 0, chunks("r1", 0..1)).await;
    same("staging without begin", staged, Err(SourceError::NotBegun))?;
    let committed = store.commit(&key, "r1", 1).await;
    same(
        "commit without begin",
        committed,
        Err(SourceError::NotBegun),
    )?;
    store.begin(&key, &head("r1", 1)).await?;
    let staged = store.stage(&key, "r2", 0, chunks("r2", 0..1)).await;
    same(
        "staging another revision",
        staged,
        Err(SourceError::NotBegun),
    )?;
    store.stage(&key, "r1", 0, chunks("r1", 0..1)).await?;
    let committed = store.commit(&key, "r2", 1).await;
    same(
        "commit of another revision",
        committed,
        Err(SourceError::NotBegun),
    )?;
    let other = super::upload_cases::key("school", "algebra", "notes");
    let committed = store.commit(&other, "r1", 1).await;
    same(
        "commit of another source",
        committed,
        Err(SourceError::NotBegun),
    )?;
    same(
        "nothing is committed",
        store.chunks(&key).await,
        Err(SourceError::NotBegun),
    )
}

async fn a_commit_needs_all_chunks(store: &dyn Sources) -> Result<(), Failure> {
    let key = key("school", "algebra", "slides");
    store.begin(&key, &head("r1", 3)).await?;
    for (kept, missing) in [(0, 3), (1, 2), (2, 1)] {
        if kept > 0 {
            store
                .stage(&key, "r1", kept - 1, chunks("r1", kept - 1..kept))
                .await?;
        }
        let committed = store.commit(&key, "r1", 1).await;
        same(
            "an early commit",
            committed,
            Err(SourceError::Incomplete { missing }),
        )?;
    }
    store.stage(&key, "r1", 2, chunks("r1", 2..3)).await?;
    store.commit(&key, "r1", 1).await?;
    holds(store, &key, "r1", 3).await
}

async fn duplicate_chunks_are_refused(store: &dyn Sources) -> Result<(), Failure> {
    let key = key("school", "algebra", "slides");
    store.begin(&key, &head("r1", 4)).await?;
    let mut twins = chunks("r1", 0..2);
    twins[1].id = twins[0].id.clone();
    let staged = store.stage(&key, "r1", 0, twins).await;
    let expected = Err(SourceError::DuplicateChunk("r1-0".to_owned()));
    same("twins in one call", staged, expected.clone())?;
    store.begin(&key, &head("r2", 4)).await?;
    store.stage(&key, "r2", 0, chunks("r2", 0..2)).await?;
    let mut third = chunks("r2", 2..3);
    third[0].id = "r2-0".into();
    let staged = store.stage(&key, "r2", 2, third).await;
    let expected = Err(SourceError::DuplicateChunk("r2-0".to_owned()));
    same("a twin in a later call", staged, expected)?;
    // The right chunk may still follow.
    store.stage(&key, "r2", 2, chunks("r2", 2..4)).await?;
    store.commit(&key, "r2", 1).await?;
    holds(store, &key, "r2", 4).await
}

async fn another_revision_replaces_what_is_staged(store: &dyn Sources) -> Result<(), Failure> {
    let key = key("school", "algebra", "slides");
    store.begin(&key, &head("r1", 3)).await?;
    store.stage(&key, "r1", 0, chunks("r1", 0..2)).await?;
    let begun = store.begin(&key, &head("r2", 2)).await?;
    same("progress of the new revision", begun, Progress::Staged(0))?;
    let staged = store.stage(&key, "r1", 2, chunks("r1", 2..3)).await;
    same(
        "staging the old revision",
        staged,
        Err(SourceError::NotBegun),
    )?;
    store.stage(&key, "r2", 0, chunks("r2", 0..2)).await?;
    store.commit(&key, "r2", 1).await?;
    holds(store, &key, "r2", 2).await?;
    let begun = store.begin(&key, &head("r1", 3)).await?;
    same("what was replaced is gone", begun, Progress::Staged(0))
}

async fn another_head_begins_again(store: &dyn Sources) -> Result<(), Failure> {
    let key = key("school", "algebra", "slides");
    store.begin(&key, &head("r1", 3)).await?;
    store.stage(&key, "r1", 0, chunks("r1", 0..2)).await?;
    let begun = store.begin(&key, &head("r1", 1)).await?;
    same("progress with another head", begun, Progress::Staged(0))?;
    store.stage(&key, "r1", 0, chunks("r1", 0..1)).await?;
    store.commit(&key, "r1", 1).await?;
    holds(store, &key, "r1", 1).await
}

async fn the_committed_revision_stays_until_the_commit(store: &dyn Sources) -> Result<(), Failure> {
    let key = key("school", "algebra", "slides");
    upload(store, &key, "r1", 3, 1).await?;
    store.begin(&key, &head("r2", 2)).await?;
    holds(store, &key, "r1", 3).await?;
    store.stage(&key, "r2", 0, chunks("r2", 0..1)).await?;
    holds(store, &key, "r1", 3).await?;
    let early = store.commit(&key, "r2", 2).await;
    same(
        "an early commit",
        early,
        Err(SourceError::Incomplete { missing: 1 }),
    )?;
    holds(store, &key, "r1", 3).await?;
    store.stage(&key, "r2", 1, chunks("r2", 1..2)).await?;
    store.commit(&key, "r2", 2).await?;
    holds(store, &key, "r2", 2).await?;
    let old = store.commit(&key, "r1", 3).await;
    same(
        "commit of the replaced revision",
        old,
        Err(SourceError::NotBegun),
    )?;
    holds(store, &key, "r2", 2).await
}

async fn a_source_may_be_empty(store: &dyn Sources) -> Result<(), Failure> {
    let key = key("school", "algebra", "slides");
    upload(store, &key, "r1", 2, 1).await?;
    store.begin(&key, &head("r2", 0)).await?;
    store.commit(&key, "r2", 2).await?;
    holds(store, &key, "r2", 0).await
}

async fn large_uploads_are_kept(store: &dyn Sources) -> Result<(), Failure> {
    let key = key("school", "algebra", "slides");
    let count = 1_200;
    let mut all = chunks("r1", 0..count);
    all[700].text = "x".repeat(200_000).into();
    store.begin(&key, &head("r1", count)).await?;
    let mut first = 0;
    for some in all.chunks(256) {
        first = store.stage(&key, "r1", first, some.to_vec()).await?;
    }
    same("the next place", first, count)?;
    store.commit(&key, "r1", 1).await?;
    let (found, chunks) = store.chunks(&key).await?;
    same("the head", found, head("r1", count))?;
    same("the number of chunks", chunks.len(), all.len())?;
    for (found, expected) in chunks.iter().zip(&all) {
        same("a chunk's id", &found.id, &expected.id)?;
        super::ensure("a chunk comes back as it was", found == expected)?;
    }
    Ok(())
}
