//! Many sources beside each other: lists, removal, names.

use super::{
    Case, Failure, cases, ensure, same,
    upload_cases::{chunks, head, holds, key, upload},
};
use crate::sources::{SourceError, SourceState, Sources};

pub(super) fn all() -> Vec<Case<dyn Sources>> {
    cases![
        lists_say_what_is_there,
        courses_are_those_with_committed_sources,
        removing_leaves_nothing,
        removing_one_leaves_the_others,
        names_are_kept_apart,
    ]
}

fn state(
    source: &str,
    committed: Option<(&str, u32, u64)>,
    pending: Option<(&str, u32, u32)>,
) -> SourceState {
    SourceState {
        key: key("school", "algebra", source),
        committed: committed.map(|(revision, count, now_ms)| (head(revision, count), now_ms)),
        pending: pending.map(|(revision, count, kept)| (head(revision, count), kept)),
        damaged: false,
    }
}

async fn lists_say_what_is_there(store: &dyn Sources) -> Result<(), Failure> {
    let list = || store.list("school", "algebra");
    same("an empty list", list().await?, Vec::new())?;
    let slides = key("school", "algebra", "slides");
    store.begin(&slides, &head("r1", 3)).await?;
    same(
        "begun",
        list().await?,
        vec![state("slides", None, Some(("r1", 3, 0)))],
    )?;
    store.stage(&slides, "r1", 0, chunks("r1", 0..2)).await?;
    same(
        "staged",
        list().await?,
        vec![state("slides", None, Some(("r1", 3, 2)))],
    )?;
    store.stage(&slides, "r1", 2, chunks("r1", 2..3)).await?;
    store.commit(&slides, "r1", 77).await?;
    let committed = state("slides", Some(("r1", 3, 77)), None);
    same("committed", list().await?, vec![committed])?;
    store.begin(&slides, &head("r2", 5)).await?;
    store.stage(&slides, "r2", 0, chunks("r2", 0..1)).await?;
    let both = state("slides", Some(("r1", 3, 77)), Some(("r2", 5, 1)));
    same(
        "a new revision is staged",
        list().await?,
        vec![both.clone()],
    )?;
    for source in ["Slides", "10", "9"] {
        upload(store, &key("school", "algebra", source), "r1", 1, 5).await?;
    }
    for (tenant, course) in [("school", "physics"), ("other", "algebra")] {
        upload(store, &key(tenant, course, "foreign"), "r1", 1, 5).await?;
    }
    let mut expected: Vec<SourceState> = ["10", "9", "Slides"]
        .map(|source| state(source, Some(("r1", 1, 5)), None))
        .into();
    expected.push(both);
    same("several, by id", list().await?, expected)
}

async fn courses_are_those_with_committed_sources(store: &dyn Sources) -> Result<(), Failure> {
    same("no course", store.courses().await?, Vec::new())?;
    for (tenant, course) in [("b", "y"), ("b", "x"), ("a", "z"), ("B", "x")] {
        for source in ["one", "two"] {
            upload(store, &key(tenant, course, source), "r1", 1, 1).await?;
        }
    }
    store
        .begin(&key("c", "x", "staged only"), &head("r1", 1))
        .await?;
    let expected = [("B", "x"), ("a", "z"), ("b", "x"), ("b", "y")];
    let expected = expected.map(|(tenant, course)| (tenant.into(), course.into()));
    same(
        "courses, in order",
        store.courses().await?,
        expected.to_vec(),
    )
}

async fn removing_leaves_nothing(store: &dyn Sources) -> Result<(), Failure> {
    let slides = key("school", "algebra", "slides");
    ensure("there was nothing", !store.remove(&slides).await?)?;
    store.begin(&slides, &head("r1", 2)).await?;
    store.stage(&slides, "r1", 0, chunks("r1", 0..1)).await?;
    ensure("something was staged", store.remove(&slides).await?)?;
    let staged = store.stage(&slides, "r1", 1, chunks("r1", 1..2)).await;
    same(
        "staging after the removal",
        staged,
        Err(SourceError::NotBegun),
    )?;
    upload(store, &slides, "r1", 3, 1).await?;
    store.begin(&slides, &head("r2", 2)).await?;
    store.stage(&slides, "r2", 0, chunks("r2", 0..1)).await?;
    ensure("something was committed", store.remove(&slides).await?)?;
    ensure("now there is nothing", !store.remove(&slides).await?)?;
    same(
        "chunks",
        store.chunks(&slides).await,
        Err(SourceError::NotBegun),
    )?;
    same(
        "the list",
        store.list("school", "algebra").await?,
        Vec::new(),
    )?;
    same("courses", store.courses().await?, Vec::new())?;
    let committed = store.commit(&slides, "r2", 2).await;
    same(
        "commit after the removal",
        committed,
        Err(SourceError::NotBegun),
    )?;
    // What was there does not come back with a new upload.
    upload(store, &slides, "r3", 1, 2).await?;
    holds(store, &slides, "r3", 1).await
}

async fn removing_one_leaves_the_others(store: &dyn Sources) -> Result<(), Failure> {
    let keys = [
        key("school", "algebra", "slides"),
        key("school", "algebra", "slides2"),
        key("school", "algebra", "slide"),
        key("school", "algebra2", "slides"),
        key("school2", "algebra", "slides"),
    ];
    for key in &keys {
        upload(store, key, "r1", 2, 1).await?;
    }
    let [gone, left @ ..] = &keys;
    store.remove(gone).await?;
    for key in left {
        holds(store, key, "r1", 2).await?;
    }
    Ok(())
}

async fn names_are_kept_apart(store: &dyn Sources) -> Result<(), Failure> {
    let names = [
        ("a", "b", "c"),
        ("a/b", "c", "c"),
        ("a", "b/c", "c"),
        ("a", "b", "c/c"),
        ("ab", "", "c"),
        ("a", "b\u{0}c", "d"),
        ("a\u{0}b", "c", "d"),
        ("A", "b", "c"),
        ("ä", "…", "*"),
    ];
    for (place, (tenant, course, source)) in (1..).zip(names) {
        upload(store, &key(tenant, course, source), "r1", place, 1).await?;
    }
    for (place, (tenant, course, source)) in (1..).zip(names) {
        holds(store, &key(tenant, course, source), "r1", place).await?;
        let own = store.list(tenant, course).await?;
        let expected = names
            .iter()
            .filter(|(t, c, _)| (*t, *c) == (tenant, course));
        same("sources of the course", own.len(), expected.count())?;
    }
    Ok(())
}
