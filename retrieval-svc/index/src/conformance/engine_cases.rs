//! Filters, passages, explanations, and queries that cannot be used.

use super::{
    Case, Failure, cases,
    corpus::{
        at, both, chunk, document, exam, finds, ids, meaning, of_units, open_pack, showing, words,
        words_in,
    },
    ensure, same,
};
use crate::{
    document::{Document, Namespace, Passage, Tier},
    engine::{Engine, EngineError, Filter, Fusion, Query},
};

pub(super) fn all() -> Vec<Case<dyn Engine>> {
    cases![
        units_filter,
        several_units_each_find_a_row_once,
        tiers_filter,
        namespaces_are_apart,
        empty_queries_find_nothing,
        passages_come_back_whole,
        matched_names_the_terms,
        vectors_of_another_length_are_refused,
        unusable_queries_are_refused,
        strange_ids_come_back,
        many_rows_are_all_found,
    ]
}

async fn units_filter(engine: &dyn Engine) -> Result<(), Failure> {
    let index = open_pack(
        engine,
        vec![
            chunk("a", "lines", "slope", at(0.9, 1)),
            chunk("b", "lines", "slope", at(0.8, 1)),
            chunk("c", "areas", "slope", at(0.7, 1)),
            chunk("d", "sums", "slope", at(0.6, 1)),
        ],
    )
    .await?;
    let index = &*index;
    for (units, expected) in [
        (&["lines"][..], &["a", "b"][..]),
        (&["areas"], &["c"]),
        (&["sums", "areas"], &["c", "d"]),
        (&["areas", "areas", "lines"], &["a", "b", "c"]),
        (&["unknown"], &[]),
        (&["unknown", "sums"], &["d"]),
        (&["LINES", "line", "lines ", ""], &[]),
        (&[], &[]),
    ] {
        for query in [meaning(), both("slope")] {
            finds(index, Namespace::Chunks, &query, &of_units(units), expected).await?;
        }
        let hits = index
            .search(Namespace::Chunks, &words("slope"), &of_units(units), 100)
            .await?;
        same("rows by words", ids(&hits), expected.to_vec())?;
    }
    let all = ["a", "b", "c", "d"];
    finds(
        index,
        Namespace::Chunks,
        &meaning(),
        &Filter::default(),
        &all,
    )
    .await
}

async fn several_units_each_find_a_row_once(engine: &dyn Engine) -> Result<(), Failure> {
    let index = open_pack(
        engine,
        vec![
            exam("one", &["a"], Some(Tier::Bronze), at(0.9, 1)),
            exam("three", &["c", "a", "b"], Some(Tier::Bronze), at(0.8, 1)),
            exam("two", &["b", "a"], Some(Tier::Gold), at(0.7, 1)),
        ],
    )
    .await?;
    let index = &*index;
    let namespace = Namespace::ExamCandidates;
    for (units, expected) in [
        (&["a"][..], &["one", "three", "two"][..]),
        (&["b"], &["three", "two"]),
        (&["c"], &["three"]),
        (&["b", "c"], &["three", "two"]),
        (&["a", "b", "c"], &["one", "three", "two"]),
    ] {
        finds(index, namespace, &meaning(), &of_units(units), expected).await?;
    }
    let everywhere = Filter::default();
    finds(
        index,
        namespace,
        &meaning(),
        &everywhere,
        &["one", "three", "two"],
    )
    .await?;
    let bronze = Filter {
        tier: Some(Tier::Bronze),
        ..of_units(&["a", "b"])
    };
    finds(index, namespace, &meaning(), &bronze, &["one", "three"]).await?;
    let hits = index
        .search(namespace, &meaning(), &of_units(&["b"]), 1)
        .await?;
    let units: Vec<&str> = hits
        .iter()
        .flat_map(|hit| &hit.units)
        .map(|unit| &**unit)
        .collect();
    same("the units of a hit", units, vec!["c", "a", "b"])
}

async fn tiers_filter(engine: &dyn Engine) -> Result<(), Failure> {
    let index = open_pack(
        engine,
        vec![
            exam("b", &["u"], Some(Tier::Bronze), at(0.9, 1)),
            exam("g", &["u"], Some(Tier::Gold), at(0.8, 1)),
            exam("n", &["u"], None, at(0.7, 1)),
            exam("s", &["u"], Some(Tier::Silver), at(0.6, 1)),
            exam("s2", &["v"], Some(Tier::Silver), at(0.5, 1)),
        ],
    )
    .await?;
    let index = &*index;
    let namespace = Namespace::ExamCandidates;
    for (tier, everywhere, in_u) in [
        (
            None,
            &["b", "g", "n", "s", "s2"][..],
            &["b", "g", "n", "s"][..],
        ),
        (Some(Tier::Bronze), &["b"], &["b"]),
        (Some(Tier::Silver), &["s", "s2"], &["s"]),
        (Some(Tier::Gold), &["g"], &["g"]),
    ] {
        let filter = Filter { units: None, tier };
        finds(index, namespace, &meaning(), &filter, everywhere).await?;
        let filter = Filter {
            tier,
            ..of_units(&["u"])
        };
        finds(index, namespace, &meaning(), &filter, in_u).await?;
    }
    Ok(())
}

async fn namespaces_are_apart(engine: &dyn Engine) -> Result<(), Failure> {
    let documents = Namespace::ALL.map(|namespace| {
        let same_id = words_in(document(namespace, "same", &["u"]), "slope");
        showing(same_id, namespace.as_str())
    });
    let index = open_pack(engine, documents.into()).await?;
    for namespace in Namespace::ALL {
        let hits = index
            .search(namespace, &words("slope"), &of_units(&["u"]), 10)
            .await?;
        same(
            "what is found",
            super::corpus::texts(&hits),
            vec![namespace.as_str()],
        )?;
    }
    Ok(())
}

async fn empty_queries_find_nothing(engine: &dyn Engine) -> Result<(), Failure> {
    let documents = vec![chunk("a", "u", "slope", at(0.5, 1))];
    let index = open_pack(engine, documents).await?;
    let index = &*index;
    let everywhere = Filter::default();
    finds(
        index,
        Namespace::Chunks,
        &Query::default(),
        &everywhere,
        &[],
    )
    .await?;
    finds(
        index,
        Namespace::Chunks,
        &words("unknown"),
        &everywhere,
        &[],
    )
    .await?;
    finds(
        index,
        Namespace::ExamSupport,
        &both("slope"),
        &everywhere,
        &[],
    )
    .await?;
    let none = index
        .search(Namespace::Chunks, &both("slope"), &everywhere, 0)
        .await?;
    ensure("top 0 finds nothing", none.is_empty())
}

async fn passages_come_back_whole(engine: &dyn Engine) -> Result<(), Failure> {
    let full = Passage {
        source: "lecture-3".into(),
        title: "Gerade & Steigung: „Δy/Δx“".into(),
        chunk_type: "transcript".into(),
        section_kind: "explanation".into(),
        section: "Ⅲ. √2 \u{1F4D0}".into(),
        url: "https://school.example/lecture?t=0&x=\"1\"".into(),
        page: 7,
        start_ms: Some(0),
        text: "Line one\n\tline two \u{2212} “quoted”, {{braces}}, \\frac{1}{2}".into(),
    };
    let empty = Passage::default();
    let late = Passage {
        start_ms: Some(86_400_000),
        text: "x".repeat(20_000).into(),
        ..full.clone()
    };
    let passages = [
        ("full", Some(full)),
        ("empty", Some(empty)),
        ("late", Some(late)),
        ("none", None),
    ];
    let documents = passages.iter().map(|(id, passage)| Document {
        passage: passage.clone(),
        ..words_in(document(Namespace::ExamSupport, id, &["u"]), "slope")
    });
    let index = open_pack(engine, documents.collect()).await?;
    let hits = index
        .search(
            Namespace::ExamSupport,
            &words("slope"),
            &Filter::default(),
            10,
        )
        .await?;
    same("number of hits", hits.len(), passages.len())?;
    for (id, passage) in &passages {
        let hit = hits.iter().find(|hit| &*hit.id == *id);
        let found = hit.and_then(|hit| hit.passage.as_deref());
        same("a passage", found, passage.as_ref())?;
    }
    Ok(())
}

async fn matched_names_the_terms(engine: &dyn Engine) -> Result<(), Failure> {
    let index = open_pack(
        engine,
        vec![
            chunk("a", "u", "slope line slope", at(0.9, 1)),
            chunk("b", "u", "area", at(0.8, 1)),
            chunk("c", "u", "line area", at(0.7, 1)),
        ],
    )
    .await?;
    let query = both("area unknown slope line");
    let hits = index
        .search(Namespace::Chunks, &query, &Filter::default(), 10)
        .await?;
    same("number of hits", hits.len(), 3)?;
    for hit in &hits {
        let found = index.matched(Namespace::Chunks, hit, &query).await?;
        let expected = match &*hit.id {
            "a" => vec!["slope", "line"],
            "b" => vec!["area"],
            _ => vec!["area", "line"],
        };
        same(
            "matched terms",
            found.iter().map(|term| &**term).collect(),
            expected,
        )?;
        let by_meaning = index.matched(Namespace::Chunks, hit, &meaning()).await?;
        ensure("without terms nothing matches", by_meaning.is_empty())?;
    }
    Ok(())
}

async fn vectors_of_another_length_are_refused(engine: &dyn Engine) -> Result<(), Failure> {
    let index = open_pack(engine, vec![chunk("a", "u", "slope", at(0.5, 1))]).await?;
    for vector in [vec![1.0], vec![1.0; 7], vec![0.25; 16], Vec::new()] {
        let query = Query {
            vector: Some(vector.into()),
            ..words("slope")
        };
        let found = index
            .search(Namespace::Chunks, &query, &Filter::default(), 10)
            .await;
        let refused = matches!(found, Err(EngineError::Incompatible { .. }));
        ensure("a vector of another length is refused", refused)?;
    }
    Ok(())
}

async fn unusable_queries_are_refused(engine: &dyn Engine) -> Result<(), Failure> {
    let index = open_pack(engine, vec![chunk("a", "u", "slope", at(0.5, 1))]).await?;
    let mut queries = Vec::new();
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, 2.0] {
        let mut vector = at(0.0, 1);
        vector[1] = value;
        queries.push(Query {
            vector: Some(vector.into()),
            ..words("slope")
        });
    }
    for weight in [f64::NAN, f64::INFINITY, -1.0] {
        queries.push(Query {
            terms: [("slope".into(), weight)].into_iter().collect(),
            ..Query::default()
        });
    }
    queries.push(words("slope slope"));
    for fusion in [
        Fusion {
            k: 0.0,
            ..Fusion::default()
        },
        Fusion {
            k: f64::NAN,
            ..Fusion::default()
        },
        Fusion {
            dense: -1.0,
            ..Fusion::default()
        },
        Fusion {
            lexical: f64::INFINITY,
            ..Fusion::default()
        },
    ] {
        queries.push(Query {
            fusion,
            ..both("slope")
        });
    }
    for query in &queries {
        let found = index
            .search(Namespace::Chunks, query, &Filter::default(), 10)
            .await;
        let refused = matches!(found, Err(EngineError::Query(_)));
        ensure(&format!("{query:?} is refused, not {found:?}"), refused)?;
    }
    Ok(())
}

async fn strange_ids_come_back(engine: &dyn Engine) -> Result<(), Failure> {
    let long = "x".repeat(300);
    let mut strange = vec![
        "a/b",
        "a\\b",
        "A",
        "a",
        "ä",
        "a b",
        "\"",
        "{}",
        "\u{1F600}",
        "-1",
        &long,
    ];
    strange.sort_unstable();
    let documents = strange
        .iter()
        .map(|id| chunk(id, "einheit 1: \"ä\"/∆", "slope", at(0.5, 1)));
    let index = open_pack(engine, documents.collect()).await?;
    let scope = of_units(&["einheit 1: \"ä\"/∆"]);
    for query in [words("slope"), meaning()] {
        finds(&*index, Namespace::Chunks, &query, &scope, &strange).await?;
    }
    Ok(())
}

async fn many_rows_are_all_found(engine: &dyn Engine) -> Result<(), Failure> {
    let rows = 1_500;
    let similarity = |row: usize| 0.9 - row as f32 / 2_000.0;
    let documents = (0..rows).map(|row| {
        let word = format!("word{row}");
        chunk(
            &format!("row{row:04}"),
            &format!("unit{}", row % 100),
            &word,
            at(similarity(row), 1),
        )
    });
    let index = open_pack(engine, documents.collect()).await?;
    for row in [0, 1, 99, 700, 1_023, 1_024, 1_499] {
        let expected = format!("row{row:04}");
        let query = words(&format!("word{row}"));
        finds(
            &*index,
            Namespace::Chunks,
            &query,
            &Filter::default(),
            &[&expected],
        )
        .await?;
    }
    let scope = of_units(&["unit7"]);
    let expected: Vec<String> = (0..15)
        .map(|place| format!("row{:04}", 7 + place * 100))
        .collect();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    finds(&*index, Namespace::Chunks, &meaning(), &scope, &expected).await?;
    let expected: Vec<String> = (0..100).map(|row| format!("row{row:04}")).collect();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    finds(
        &*index,
        Namespace::Chunks,
        &meaning(),
        &Filter::default(),
        &expected,
    )
    .await
}
