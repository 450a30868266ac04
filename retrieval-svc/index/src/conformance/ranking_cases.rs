//! The order of hits and their scores: by words, by meaning, fused.

use std::sync::Arc;

use super::{
    Case, Failure, cases,
    corpus::{
        at, both, chunk, document, finds, id, ids, meaning, of_units, open, open_pack, part, words,
        words_in,
    },
    ensure, same,
};
use crate::{
    Part, Statistics,
    document::{Document, Namespace},
    engine::{Engine, EngineError, Filter, Fusion, Hit, Query, Ranked},
};

/// By how much a lexical score may differ, of itself.
const LEXICAL: f64 = 1e-4;
/// By how much a similarity may differ.
const DENSE: f64 = 1e-5;

pub(super) fn all() -> Vec<Case<dyn Engine>> {
    cases![
        words_rank_by_bm25,
        weights_of_words_count,
        lengths_count_part_by_part,
        meaning_ranks_by_similarity,
        rows_without_vectors_are_found_by_words,
        rankings_fuse,
        depth_cuts_each_ranking,
        ties_go_by_id,
        top_takes_the_best,
    ]
}

pub(super) fn without_model() -> Vec<Case<dyn Engine>> {
    cases![words_work_without_a_model, query_vectors_need_a_model]
}

/// What a hit's lexical score must be, by the contract of [`Part`] and [`Statistics`].
fn score(parts: &[Arc<Part>], hit: &Hit, query: &Query, namespace: Namespace) -> f64 {
    let statistics = Statistics::of(parts.iter().map(|part| &**part));
    let rows = parts.iter().flat_map(|part| part.rows(namespace));
    let Some(row) = rows.into_iter().find(|row| row.id() == &*hit.id) else {
        return f64::NAN;
    };
    row.saturations()
        .map(|(term, saturation)| {
            let weight = query.terms.iter().find(|(asked, _)| **asked == *term);
            weight.map_or(0.0, |(_, weight)| {
                weight * statistics.idf(namespace, term) * saturation
            })
        })
        .sum()
}

/// Fails unless words alone find these ids, with the scores of BM25.
async fn ranks(
    engine: &dyn Engine,
    parts: &[Arc<Part>],
    query: &Query,
    expected: &[&str],
) -> Result<(), Failure> {
    let index = open(engine, "school", "algebra", parts).await?;
    let hits = index
        .search(Namespace::Chunks, query, &Filter::default(), 100)
        .await?;
    same("ids by words", ids(&hits), expected.to_vec())?;
    for (place, hit) in (1..).zip(&hits) {
        let Some(Ranked { score: found, rank }) = hit.lexical else {
            return Err(format!("{} has no place by words", hit.id).into());
        };
        same("a rank by words", rank, place)?;
        let right = score(parts, hit, query, Namespace::Chunks);
        ensure(
            &format!("{} scores {found}, expected {right}", hit.id),
            (found - right).abs() <= LEXICAL * right,
        )?;
        let fused = query.fusion.lexical / (query.fusion.k + f64::from(rank));
        ensure(
            "the fused score is that of the rank",
            (hit.score - fused).abs() < 1e-9,
        )?;
        ensure(
            "without a vector there is no place by meaning",
            hit.dense.is_none(),
        )?;
    }
    Ok(())
}

fn lessons() -> Vec<Document> {
    vec![
        chunk("repeats", "u", "slope slope slope line", at(0.1, 1)),
        chunk("rare", "u", "intercept line", at(0.2, 2)),
        chunk(
            "long",
            "v",
            "slope line area volume sum product root power",
            at(0.3, 3),
        ),
        chunk("short", "v", "slope", at(0.4, 4)),
        chunk("other", "w", "area", at(0.5, 5)),
    ]
}

async fn words_rank_by_bm25(engine: &dyn Engine) -> Result<(), Failure> {
    let parts = [part(id("", "algebra", "", "1"), lessons())?];
    ranks(
        engine,
        &parts,
        &words("slope"),
        &["repeats", "short", "long"],
    )
    .await?;
    let query = words("slope intercept unknown");
    ranks(
        engine,
        &parts,
        &query,
        &["rare", "repeats", "short", "long"],
    )
    .await
}

async fn weights_of_words_count(engine: &dyn Engine) -> Result<(), Failure> {
    let parts = [part(id("", "algebra", "", "1"), lessons())?];
    let query = Query {
        terms: [
            ("slope".into(), 0.25),
            ("area".into(), 3.0),
            ("intercept".into(), 0.0),
        ]
        .into_iter()
        .collect(),
        ..Query::default()
    };
    ranks(
        engine,
        &parts,
        &query,
        &["other", "long", "repeats", "short"],
    )
    .await
}

async fn lengths_count_part_by_part(engine: &dyn Engine) -> Result<(), Failure> {
    let uploaded = vec![
        chunk(
            "up-long",
            "u",
            "slope line line line line area area sum sum sum",
            at(0.6, 1),
        ),
        chunk("up-short", "w", "area sum", at(0.7, 2)),
    ];
    let parts = [
        part(id("", "algebra", "", "1"), lessons())?,
        part(id("school", "algebra", "slides", "1"), uploaded)?,
    ];
    let expected = ["repeats", "short", "up-long", "long"];
    ranks(engine, &parts, &words("slope"), &expected).await
}

/// Fails unless a hit has this similarity at this rank.
fn similar(hit: &Hit, similarity: f64, rank: u32) -> Result<(), Failure> {
    let found = hit.dense.map(|dense| dense.rank);
    same("a rank by meaning", found, Some(rank))?;
    let found = hit.dense.map_or(f64::NAN, |dense| dense.score);
    ensure(
        &format!("{} has similarity {found}, expected {similarity}", hit.id),
        (found - similarity).abs() <= DENSE,
    )
}

async fn meaning_ranks_by_similarity(engine: &dyn Engine) -> Result<(), Failure> {
    let similarities = [
        ("a", 1.0),
        ("b", 0.5),
        ("c", 0.0),
        ("d", -0.25),
        ("e", -1.0),
    ];
    let documents = similarities
        .iter()
        .rev()
        .map(|(id, similarity)| chunk(id, "u", "slope", at(*similarity, 2)));
    let index = open_pack(engine, documents.collect()).await?;
    let hits = index
        .search(Namespace::Chunks, &meaning(), &Filter::default(), 100)
        .await?;
    same("ids by meaning", ids(&hits), vec!["a", "b", "c", "d", "e"])?;
    for (rank, (hit, (_, similarity))) in (1..).zip(hits.iter().zip(similarities)) {
        similar(hit, f64::from(similarity), rank)?;
        ensure(
            "without words there is no place by words",
            hit.lexical.is_none(),
        )?;
    }
    Ok(())
}

async fn rows_without_vectors_are_found_by_words(engine: &dyn Engine) -> Result<(), Failure> {
    let anchor = |id: &str, words: &str| words_in(document(Namespace::Anchors, id, &[id]), words);
    let with = Document {
        vector: Some(at(0.5, 1)),
        ..anchor("with", "slope")
    };
    let index = open_pack(engine, vec![anchor("without", "slope slope"), with]).await?;
    let everywhere = Filter::default();
    finds(
        &*index,
        Namespace::Anchors,
        &meaning(),
        &everywhere,
        &["with"],
    )
    .await?;
    let expected = ["with", "without"];
    finds(
        &*index,
        Namespace::Anchors,
        &both("slope"),
        &everywhere,
        &expected,
    )
    .await
}

/// By words: a, b, c, d. By meaning: d, c, e, b, a.
fn crossed() -> Vec<Document> {
    vec![
        chunk("a", "u", "slope slope slope slope", at(0.1, 1)),
        chunk("b", "u", "slope slope slope line", at(0.2, 2)),
        chunk("c", "u", "slope slope line line", at(0.8, 3)),
        chunk("d", "u", "slope line line line", at(0.9, 4)),
        chunk("e", "u", "line line line line", at(0.5, 5)),
    ]
}

/// Fails unless hits are these, with these ranks by words and by meaning.
fn fused(
    hits: &[Hit],
    fusion: Fusion,
    expected: &[(&str, Option<u32>, Option<u32>)],
) -> Result<(), Failure> {
    let rank = |ranked: Option<Ranked>| ranked.map(|ranked| ranked.rank);
    let found: Vec<_> = hits
        .iter()
        .map(|hit| (&*hit.id, rank(hit.lexical), rank(hit.dense)))
        .collect();
    same("ids with their ranks", found, expected.to_vec())?;
    for (hit, (_, lexical, dense)) in hits.iter().zip(expected) {
        let share = |weight: f64, rank: &Option<u32>| {
            rank.map_or(0.0, |rank| weight / (fusion.k + f64::from(rank)))
        };
        let right = share(fusion.lexical, lexical) + share(fusion.dense, dense);
        ensure(
            &format!("{} scores {}, expected {right}", hit.id, hit.score),
            (hit.score - right).abs() < 1e-9,
        )?;
    }
    Ok(())
}

async fn rankings_fuse(engine: &dyn Engine) -> Result<(), Failure> {
    let index = open_pack(engine, crossed()).await?;
    let rows = |order: [usize; 5]| {
        let ranks = [
            ("a", Some(1), Some(5)),
            ("b", Some(2), Some(4)),
            ("c", Some(3), Some(2)),
            ("d", Some(4), Some(1)),
            ("e", None, Some(3)),
        ];
        order.map(|place| ranks[place])
    };
    for (k, lexical, dense, expected) in [
        (60.0, 1.0, 3.0, rows([3, 2, 1, 0, 4])),
        (1.0, 1.0, 1.0, rows([3, 0, 2, 1, 4])),
        (60.0, 1.0, 0.001, rows([0, 1, 2, 3, 4])),
        (10.0, 0.001, 1.0, rows([3, 2, 4, 1, 0])),
    ] {
        let fusion = Fusion {
            k,
            lexical,
            dense,
            ..Fusion::default()
        };
        let query = Query {
            fusion,
            ..both("slope")
        };
        let hits = index
            .search(Namespace::Chunks, &query, &of_units(&["u"]), 10)
            .await?;
        fused(&hits, fusion, &expected)?;
    }
    // A ranking without weight finds nothing by itself.
    let fusion = Fusion {
        dense: 0.0,
        ..Fusion::default()
    };
    let query = Query {
        fusion,
        ..both("slope")
    };
    let expected = ["a", "b", "c", "d"];
    finds(
        &*index,
        Namespace::Chunks,
        &query,
        &Filter::default(),
        &expected,
    )
    .await
}

async fn depth_cuts_each_ranking(engine: &dyn Engine) -> Result<(), Failure> {
    let index = open_pack(engine, crossed()).await?;
    let fusion = Fusion {
        k: 1.0,
        lexical: 1.0,
        dense: 1.5,
        depth: 2,
    };
    let query = Query {
        fusion,
        ..both("slope")
    };
    let hits = index
        .search(Namespace::Chunks, &query, &Filter::default(), 10)
        .await?;
    let expected = [
        ("d", None, Some(1)),
        ("a", Some(1), None),
        ("c", None, Some(2)),
        ("b", Some(2), None),
    ];
    // "a" and "c" both score 1/2: the id decides.
    fused(&hits, fusion, &expected)?;
    let fusion = Fusion { depth: 0, ..fusion };
    let query = Query {
        fusion,
        ..both("slope")
    };
    finds(&*index, Namespace::Chunks, &query, &Filter::default(), &[]).await
}

async fn ties_go_by_id(engine: &dyn Engine) -> Result<(), Failure> {
    let mut names = vec!["b", "a", "B", "10", "9", "ä", "a1", "~"];
    let twins = |name: &&str| chunk(name, "u", "slope line", at(0.5, 1));
    let mut documents: Vec<Document> = names.iter().map(twins).collect();
    documents.push(chunk("behind", "u", "slope line line", at(0.25, 1)));
    let index = open_pack(engine, documents).await?;
    names.sort_unstable();
    for query in [words("slope"), meaning(), both("slope")] {
        let hits = index
            .search(Namespace::Chunks, &query, &Filter::default(), 100)
            .await?;
        let twins = hits.get(..names.len()).unwrap_or_default();
        same("equal rows", ids(twins), names.clone())?;
        for ranked in twins
            .iter()
            .flat_map(|hit| [hit.lexical, hit.dense])
            .flatten()
        {
            same("the rank of equal rows", ranked.rank, 1)?;
        }
        let behind = hits
            .get(names.len())
            .ok_or("the row behind them is missing")?;
        for ranked in [behind.lexical, behind.dense].into_iter().flatten() {
            same(
                "the rank behind equal rows",
                ranked.rank as usize,
                names.len() + 1,
            )?;
        }
    }
    let hits = index
        .search(Namespace::Chunks, &both("slope"), &Filter::default(), 3)
        .await?;
    same("the first of equal rows", ids(&hits), names[..3].to_vec())
}

async fn top_takes_the_best(engine: &dyn Engine) -> Result<(), Failure> {
    let index = open_pack(engine, crossed()).await?;
    let query = both("slope");
    let all = index
        .search(Namespace::Chunks, &query, &Filter::default(), 10)
        .await?;
    for top in 0..all.len() {
        let some = index
            .search(Namespace::Chunks, &query, &Filter::default(), top)
            .await?;
        same("the first hits", ids(&some), ids(&all[..top]))?;
    }
    Ok(())
}

async fn words_work_without_a_model(engine: &dyn Engine) -> Result<(), Failure> {
    let documents = lessons().into_iter().map(|document| Document {
        vector: None,
        ..document
    });
    let name = id("", "algebra", "", "1");
    let parts = [Arc::new(Part::new(name, None, documents.collect())?)];
    ranks(
        engine,
        &parts,
        &words("slope"),
        &["repeats", "short", "long"],
    )
    .await
}

async fn query_vectors_need_a_model(engine: &dyn Engine) -> Result<(), Failure> {
    let plain = words_in(document(Namespace::Chunks, "a", &["u"]), "slope");
    let plain = Part::new(id("", "algebra", "", "2"), None, vec![plain])?;
    let index = open(engine, "school", "algebra", &[Arc::new(plain)]).await?;
    let found = index
        .search(Namespace::Chunks, &both("slope"), &Filter::default(), 10)
        .await;
    let refused = matches!(found, Err(EngineError::Incompatible { .. }));
    ensure("a query with a vector is refused", refused)
}
