//! Nothing of another tenant or course is ever found.

use std::sync::Arc;

use super::{
    Case, Failure, cases,
    corpus::{at, both, chunk, content, id, meaning, of_units, part, showing, texts, words},
    ensure, same,
};
use crate::{
    Part,
    document::Namespace,
    engine::{Engine, EngineError, Filter},
};

pub(super) fn all() -> Vec<Case<dyn Engine>> {
    cases![
        canaries_stay_with_their_tenant_and_course,
        packs_are_of_all_tenants,
        foreign_parts_are_refused,
        published_but_not_named_is_not_found,
    ]
}

/// Names that are easy to confuse when they are put together carelessly.
const OWNERS: [(&str, &str); 9] = [
    ("a", "b/c"),
    ("a/b", "c"),
    ("a", "b"),
    ("b", "a"),
    ("A", "b"),
    ("a b", "\"c\""),
    ("a", "b\u{0}c"),
    ("ä", "*"),
    ("a*", "b"),
];

/// A part with the same ids, units, words and vectors for everyone; only its text says whose it is.
fn canary(tenant: &str, course: &str) -> Result<Arc<Part>, Failure> {
    let document = chunk("same", "unit", "canary slope", at(0.9, 1));
    let text = format!("{tenant}|{course}");
    part(
        id(tenant, course, "notes", "1"),
        vec![showing(document, &text)],
    )
}

async fn canaries_stay_with_their_tenant_and_course(engine: &dyn Engine) -> Result<(), Failure> {
    let mut indexes = Vec::new();
    for (tenant, course) in OWNERS {
        let part = canary(tenant, course)?;
        engine.publish(Arc::clone(&part)).await?;
        let index = engine.open(content(tenant, course, &[part])).await?;
        indexes.push((format!("{tenant}|{course}"), index));
    }
    for (owner, index) in &indexes {
        for query in [words("canary"), meaning(), both("canary slope")] {
            for filter in [Filter::default(), of_units(&["unit"])] {
                let hits = index
                    .search(Namespace::Chunks, &query, &filter, 100)
                    .await?;
                same("whose text is found", texts(&hits), vec![owner.as_str()])?;
            }
        }
    }
    Ok(())
}

async fn packs_are_of_all_tenants(engine: &dyn Engine) -> Result<(), Failure> {
    let shared = part(
        id("", "algebra", "", "1"),
        vec![chunk("pack", "u", "slope slope", at(0.9, 1))],
    )?;
    engine.publish(Arc::clone(&shared)).await?;
    for tenant in ["north", "south"] {
        let own = part(
            id(tenant, "algebra", "notes", "1"),
            vec![chunk(tenant, "u", "slope line", at(0.5, 1))],
        )?;
        engine.publish(Arc::clone(&own)).await?;
        let index = engine
            .open(content(tenant, "algebra", &[Arc::clone(&shared), own]))
            .await?;
        let hits = index
            .search(Namespace::Chunks, &both("slope"), &Filter::default(), 10)
            .await?;
        let found: Vec<&str> = hits.iter().map(|hit| &*hit.id).collect();
        same("pack and own rows", found, vec!["pack", tenant])?;
    }
    Ok(())
}

async fn foreign_parts_are_refused(engine: &dyn Engine) -> Result<(), Failure> {
    let own = canary("north", "algebra")?;
    let tenant = canary("south", "algebra")?;
    let course = canary("north", "physics")?;
    let pack = canary("", "physics")?;
    for part in [&own, &tenant, &course, &pack] {
        engine.publish(Arc::clone(part)).await?;
    }
    for foreign in [tenant, course, pack] {
        let asked = content("north", "algebra", &[Arc::clone(&own), foreign]);
        let opened = engine.open(asked).await.map(|_| ());
        same(
            "opening over a foreign part",
            opened,
            Err(EngineError::ForeignPart),
        )?;
    }
    let asked = content("", "algebra", &[own]);
    let opened = engine.open(asked).await.map(|_| ());
    same(
        "opening for no tenant",
        opened,
        Err(EngineError::ForeignPart),
    )
}

async fn published_but_not_named_is_not_found(engine: &dyn Engine) -> Result<(), Failure> {
    let named = part(
        id("north", "algebra", "notes", "1"),
        vec![chunk("named", "u", "slope", at(0.1, 1))],
    )?;
    let other = part(
        id("north", "algebra", "slides", "1"),
        vec![chunk("other", "u", "slope slope", at(0.9, 1))],
    )?;
    let revision = part(
        id("north", "algebra", "notes", "2"),
        vec![chunk("newer", "u", "slope slope", at(0.9, 1))],
    )?;
    for part in [&named, &other, &revision] {
        engine.publish(Arc::clone(part)).await?;
    }
    let index = engine.open(content("north", "algebra", &[named])).await?;
    let hits = index
        .search(Namespace::Chunks, &both("slope"), &Filter::default(), 10)
        .await?;
    same("number of rows", hits.len(), 1)?;
    ensure(
        "it is the named one",
        hits.iter().all(|hit| &*hit.id == "named"),
    )
}
