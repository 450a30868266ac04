//! Publishing, opening and retiring, while others search.

use std::sync::Arc;

use futures_util::future::join;

use super::{
    Case, Failure, cases,
    corpus::{
        at, both, chunk, content, finds, id, ids, meaning, of_units, open, part, showing, texts,
        words,
    },
    ensure, model, same,
};
use crate::{
    Part,
    document::Namespace,
    engine::{Engine, EngineError, Filter, Index, ModelId, PartId},
};

pub(super) fn all() -> Vec<Case<dyn Engine>> {
    cases![
        what_is_published_is_held,
        publishing_is_idempotent,
        replacing_keeps_it_found,
        other_models_are_refused,
        unpublished_parts_are_missing,
        an_index_without_parts_finds_nothing,
        the_first_part_wins,
        an_open_index_stays_as_it_is,
        searches_go_on_while_parts_are_published,
        retiring_keeps_what_is_named,
    ]
}

fn slides(revision: &str, ids: &[&str]) -> Result<Arc<Part>, Failure> {
    let documents = ids.iter().map(|id| {
        let row = chunk(id, "u", "slope", at(0.5, 1));
        showing(row, revision)
    });
    part(
        id("school", "algebra", "slides", revision),
        documents.collect(),
    )
}

async fn what_is_published_is_held(engine: &dyn Engine) -> Result<(), Failure> {
    let part = slides("1", &["a"])?;
    ensure("not held before", !engine.holds(part.id()).await?)?;
    engine.publish(Arc::clone(&part)).await?;
    ensure("held after", engine.holds(part.id()).await?)?;
    let mut others: Vec<PartId> = vec![part.id().clone(); 4];
    others[0].tenant = "".into();
    others[1].course = "physics".into();
    others[2].source = "".into();
    others[3].revision = "2".into();
    for other in &others {
        ensure("no other name is held", !engine.holds(other).await?)?;
    }
    let index = engine.open(content("school", "algebra", &[part])).await?;
    same(
        "the index's id",
        &*index.content().id,
        "school|algebra|slides@1",
    )?;
    finds(
        &*index,
        Namespace::Chunks,
        &both("slope"),
        &Filter::default(),
        &["a"],
    )
    .await
}

async fn publishing_is_idempotent(engine: &dyn Engine) -> Result<(), Failure> {
    let part = slides("1", &["a", "b"])?;
    for _ in 0..3 {
        engine.publish(Arc::clone(&part)).await?;
    }
    let index = open(engine, "school", "algebra", &[part]).await?;
    for query in [words("slope"), meaning()] {
        finds(
            &*index,
            Namespace::Chunks,
            &query,
            &Filter::default(),
            &["a", "b"],
        )
        .await?;
    }
    Ok(())
}

async fn replacing_keeps_it_found(engine: &dyn Engine) -> Result<(), Failure> {
    let part = slides("1", &["a", "b"])?;
    // A part that is not there yet is published.
    engine.replace(Arc::clone(&part)).await?;
    ensure("held after", engine.holds(part.id()).await?)?;
    let index = engine
        .open(content("school", "algebra", &[Arc::clone(&part)]))
        .await?;
    let everywhere = Filter::default();
    finds(
        &*index,
        Namespace::Chunks,
        &both("slope"),
        &everywhere,
        &["a", "b"],
    )
    .await?;
    engine.replace(Arc::clone(&part)).await?;
    finds(
        &*index,
        Namespace::Chunks,
        &both("slope"),
        &everywhere,
        &["a", "b"],
    )
    .await?;
    let again = engine.open(content("school", "algebra", &[part])).await?;
    finds(
        &*again,
        Namespace::Chunks,
        &both("slope"),
        &everywhere,
        &["a", "b"],
    )
    .await
}

async fn other_models_are_refused(engine: &dyn Engine) -> Result<(), Failure> {
    let digest = ModelId {
        digest: "ffff".into(),
        ..model()
    };
    let name = id("school", "algebra", "slides", "1");
    let documents = || vec![chunk("a", "u", "slope", at(0.5, 1))];
    let foreign = Arc::new(Part::new(name.clone(), Some(digest), documents())?);
    for published in [
        engine.publish(Arc::clone(&foreign)).await,
        engine.replace(foreign).await,
    ] {
        let refused = matches!(published, Err(EngineError::Incompatible { .. }));
        ensure(
            &format!("another model is refused, not {published:?}"),
            refused,
        )?;
    }
    ensure("what is refused is not held", !engine.holds(&name).await?)?;
    // A part without any vector fits every engine.
    let mut plain = documents();
    for document in &mut plain {
        document.vector = None;
    }
    let plain = Arc::new(Part::new(name, None, plain)?);
    let index = open(engine, "school", "algebra", &[plain]).await?;
    let everywhere = Filter::default();
    finds(
        &*index,
        Namespace::Chunks,
        &both("slope"),
        &everywhere,
        &["a"],
    )
    .await?;
    finds(&*index, Namespace::Chunks, &meaning(), &everywhere, &[]).await
}

async fn unpublished_parts_are_missing(engine: &dyn Engine) -> Result<(), Failure> {
    let there = slides("1", &["a"])?;
    let missing = part(
        id("school", "algebra", "missing-notes", "1"),
        vec![chunk("b", "u", "slope", at(0.5, 1))],
    )?;
    engine.publish(Arc::clone(&there)).await?;
    let asked = content("school", "algebra", &[there, missing]);
    let expected = EngineError::MissingPart {
        source_id: "missing-notes".to_owned(),
    };
    let opened = engine.open(asked).await.map(|_| ());
    same("opening over a missing part", opened, Err(expected))
}

async fn an_index_without_parts_finds_nothing(engine: &dyn Engine) -> Result<(), Failure> {
    engine.publish(slides("1", &["a"])?).await?;
    let index = engine.open(content("school", "algebra", &[])).await?;
    for filter in [Filter::default(), of_units(&["u"])] {
        finds(&*index, Namespace::Chunks, &both("slope"), &filter, &[]).await?;
    }
    Ok(())
}

async fn the_first_part_wins(engine: &dyn Engine) -> Result<(), Failure> {
    let row = |id: &str, unit: &str, text: &str, similarity: f32| {
        showing(chunk(id, unit, "slope", at(similarity, 1)), text)
    };
    let pack = part(
        id("", "algebra", "", "1"),
        vec![row("both", "u", "pack", 0.1), row("pack", "u", "pack", 0.2)],
    )?;
    let upload = part(
        id("school", "algebra", "notes", "1"),
        vec![
            row("both", "v", "upload", 0.9),
            row("upload", "v", "upload", 0.8),
        ],
    )?;
    let parts = [pack, upload];
    let index = open(engine, "school", "algebra", &parts).await?;
    for query in [meaning(), both("slope")] {
        let found = index
            .search(Namespace::Chunks, &query, &Filter::default(), 10)
            .await?;
        same("rows", ids(&found), vec!["upload", "pack", "both"])?;
        same("their texts", texts(&found), vec!["upload", "pack", "pack"])?;
        finds(
            &*index,
            Namespace::Chunks,
            &query,
            &of_units(&["v"]),
            &["upload"],
        )
        .await?;
        finds(
            &*index,
            Namespace::Chunks,
            &query,
            &of_units(&["u"]),
            &["pack", "both"],
        )
        .await?;
    }
    let [pack, upload] = parts;
    let index = open(engine, "school", "algebra", &[upload, pack]).await?;
    finds(
        &*index,
        Namespace::Chunks,
        &meaning(),
        &of_units(&["u"]),
        &["pack"],
    )
    .await?;
    finds(
        &*index,
        Namespace::Chunks,
        &meaning(),
        &of_units(&["v"]),
        &["both", "upload"],
    )
    .await
}

/// Fails unless an index finds these ids, all with this text.
async fn shows(index: &dyn Index, expected: &[&str], text: &str) -> Result<(), Failure> {
    let hits = index
        .search(Namespace::Chunks, &both("slope"), &Filter::default(), 100)
        .await?;
    same("rows", ids(&hits), expected.to_vec())?;
    same("their texts", texts(&hits), vec![text; expected.len()])
}

async fn an_open_index_stays_as_it_is(engine: &dyn Engine) -> Result<(), Failure> {
    let old = open(engine, "school", "algebra", &[slides("1", &["a", "b"])?]).await?;
    shows(&*old, &["a", "b"], "1").await?;
    let next = slides("2", &["b", "c"])?;
    engine.publish(Arc::clone(&next)).await?;
    shows(&*old, &["a", "b"], "1").await?;
    let new = engine.open(content("school", "algebra", &[next])).await?;
    shows(&*old, &["a", "b"], "1").await?;
    shows(&*new, &["b", "c"], "2").await
}

async fn searches_go_on_while_parts_are_published(engine: &dyn Engine) -> Result<(), Failure> {
    let old = open(engine, "school", "algebra", &[slides("1", &["a", "b"])?]).await?;
    let publish = async {
        for revision in 2..12 {
            let rows: Vec<String> = (0..200).map(|row| format!("{revision}-{row:03}")).collect();
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            let part = slides(&revision.to_string(), &rows)?;
            open(engine, "school", "algebra", &[part]).await?;
        }
        Ok::<(), Failure>(())
    };
    let search = async {
        for _ in 0..100 {
            shows(&*old, &["a", "b"], "1").await?;
        }
        Ok::<(), Failure>(())
    };
    let (published, searched) = join(publish, search).await;
    published.and(searched)
}

async fn retiring_keeps_what_is_named(engine: &dyn Engine) -> Result<(), Failure> {
    let gone = slides("1", &["a"])?;
    let kept = slides("2", &["b"])?;
    let foreign = [
        ("", "algebra"),
        ("school2", "algebra"),
        ("school", "algebra2"),
    ];
    let mut others = Vec::new();
    for (tenant, course) in foreign {
        let row = chunk("c", "u", "slope", at(0.5, 1));
        others.push(part(id(tenant, course, "slides", "1"), vec![row])?);
    }
    for part in [&gone, &kept].into_iter().chain(&others) {
        engine.publish(Arc::clone(part)).await?;
    }
    let index = engine
        .open(content("school", "algebra", &[Arc::clone(&kept)]))
        .await?;
    for _ in 0..2 {
        engine
            .retire("school", "algebra", &[kept.id().clone()])
            .await?;
        ensure(
            "what is not named is forgotten",
            !engine.holds(gone.id()).await?,
        )?;
        for part in [&kept].into_iter().chain(&others) {
            ensure("all else is held", engine.holds(part.id()).await?)?;
        }
        shows(&*index, &["b"], "2").await?;
    }
    let opened = engine
        .open(content("school", "algebra", &[Arc::clone(&gone)]))
        .await;
    let missing = matches!(opened.map(|_| ()), Err(EngineError::MissingPart { .. }));
    ensure("what is forgotten is missing", missing)?;
    let again = open(engine, "school", "algebra", &[gone]).await?;
    shows(&*again, &["a"], "1").await?;
    for (part, (tenant, course)) in others.iter().zip(foreign) {
        let tenant = if tenant.is_empty() { "school" } else { tenant };
        let index = engine
            .open(content(tenant, course, &[Arc::clone(part)]))
            .await?;
        finds(
            &*index,
            Namespace::Chunks,
            &meaning(),
            &Filter::default(),
            &["c"],
        )
        .await?;
    }
    Ok(())
}
