//! The baselines, on the development queries, where they are present.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use turnwise_retrieval_quality::{
    baselines,
    course::Course,
    data::Data,
    interval,
    metrics::COLUMNS,
    run::{Kind, run},
    vectors::Vectors,
};

/// The baselines have three digits.
const ROUNDING: f64 = 0.0005;

/// Asks all queries and says which baselines were missed.
async fn missed(data: &Path, mut vectors: Option<Vectors>) -> Vec<String> {
    let data = Data::read(data).unwrap();
    let mut courses = BTreeMap::new();
    for (id, pack) in &data.courses {
        let course = Course::new(pack, vectors.as_mut()).await.unwrap();
        courses.insert(id.clone(), course);
    }
    let mut missed = Vec::new();
    for kind in Kind::ALL {
        let outcome = run(&data, &courses, kind, vectors.as_mut()).await.unwrap();
        // What a chat turn alone is about: the mapping holds back what says too little, a search does not.
        let rows = if kind == Kind::ChatAlone {
            &outcome.by_search
        } else {
            &outcome.mapped
        };
        let wanted = baselines::wanted(kind, vectors.is_some());
        for ((column, figure), line) in COLUMNS.iter().zip(interval::figures(rows)).zip(wanted) {
            println!(
                "{}, {column}: {:.3}, line {line:.3}",
                kind.title(),
                figure.mean
            );
            if figure.mean + ROUNDING < line {
                missed.push(format!(
                    "{}, {column}: {:.3} < {line:.3}",
                    kind.title(),
                    figure.mean
                ));
            }
        }
    }
    missed
}

fn data() -> Option<PathBuf> {
    let data = Data::default_folder();
    if data.is_none() {
        println!("skipped: no shared data (TURNWISE_SHARED_DIR names its folder)");
    }
    data
}

#[tokio::test]
async fn words_alone_reach_the_line_of_bm25_in_every_column() {
    if let Some(data) = data() {
        assert_eq!(missed(&data, None).await, [""; 0]);
    }
}

#[tokio::test]
async fn words_and_meaning_reach_the_best_line_of_every_column() {
    let Some(data) = data() else { return };
    let Some(model) = std::env::var_os("EMBED_MODEL_DIR") else {
        println!("skipped: no model (EMBED_MODEL_DIR names its folder)");
        return;
    };
    // Kept between runs: making them takes minutes.
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("quality-vectors.bin");
    let vectors = Vectors::open(Path::new(&model), &file).await.unwrap();
    assert_eq!(missed(&data, Some(vectors)).await, [""; 0]);
}
