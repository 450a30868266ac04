//! The tables, and the figures that scripts read.

use turnwise_testing::figure::{Bound, figure};

use crate::{
    baselines,
    calibration::{self, Prediction},
    interval::{self, Figure},
    metrics::{COLUMNS, Worth},
    run::{Kind, Outcome},
};

/// The names of the columns in figures.
const NAMES: [&str; COLUMNS.len()] = ["r1", "hit3", "hit6", "mrr", "ndcg", "scoped_ndcg"];
/// The columns that rank units.
const UNIT_COLUMNS: usize = 4;

/// One kind of query, asked with a model or without.
pub struct Asked {
    /// The kind.
    pub kind: Kind,
    /// Whether a model took part.
    pub with_model: bool,
    /// What came out.
    pub outcome: Outcome,
}

/// Prints the head of the table of all kinds.
pub fn head() {
    println!(
        "| queries | system | n (distinct) | {} |",
        COLUMNS.join(" | ")
    );
    println!("| --- | --- | --- |{}", " --- |".repeat(COLUMNS.len()));
}

/// Prints the lines to reach and what was reached, for one kind.
pub fn rows(asked: &Asked) {
    let Asked {
        kind,
        with_model,
        outcome,
    } = asked;
    let (line, system) = if *with_model {
        (baselines::best(*kind), "words and meaning")
    } else {
        (baselines::bm25(*kind), "words")
    };
    let title = kind.title();
    let line_name = if *with_model {
        "best line"
    } else {
        "BM25 line"
    };
    println!(
        "| {title} | {line_name} | | {} |",
        line.map(|value| format!("{value:.3}")).join(" | ")
    );
    let n = format!("{} ({})", outcome.mapped.len(), outcome.distinct());
    let print = |system: &str, rows: &[(String, Worth)]| {
        println!(
            "| {title} | {system} | {n} | {} |",
            interval::figures(rows).map(cell).join(" | ")
        );
    };
    print(system, &outcome.mapped);
    if *kind == Kind::ChatAlone {
        print(&format!("{system}, units by search"), &outcome.by_search);
    }
}

/// Prints the figures of one kind with their bounds. What a chat turn alone is about is held against the lines by search:
/// the mapping holds back what says too little, on purpose.
pub fn figures(asked: &Asked) {
    let Asked {
        kind,
        with_model,
        outcome,
    } = asked;
    let wanted = baselines::wanted(*kind, *with_model);
    let system = if *with_model { "model" } else { "words" };
    let by_search = *kind == Kind::ChatAlone;
    let rows = if by_search {
        &outcome.by_search
    } else {
        &outcome.mapped
    };
    for ((name, value), wanted) in NAMES.iter().zip(interval::figures(rows)).zip(wanted) {
        let name = format!("quality_{}_{system}_{name}", kind.name());
        figure(&name, value.mean, Bound::AtLeast(wanted));
    }
    if by_search {
        let mapped = interval::figures(&outcome.mapped);
        for (name, value) in NAMES.iter().zip(mapped).take(UNIT_COLUMNS) {
            let name = format!("quality_{}_{system}_mapped_{name}", kind.name());
            figure(&name, value.mean, Bound::Report);
        }
        let silent = outcome.silent as f64 / outcome.mapped.len().max(1) as f64;
        figure(
            &format!("quality_{}_{system}_silent", kind.name()),
            silent,
            Bound::Report,
        );
    }
}

/// Prints how well confidences hold, over all kinds.
pub fn reliability(all: &[Asked], with_model: bool) {
    let of = |predictions: fn(&Outcome) -> &Vec<Prediction>| -> Vec<Prediction> {
        all.iter()
            .filter(|asked| asked.with_model == with_model)
            .flat_map(|asked| predictions(&asked.outcome).iter().cloned())
            .collect()
    };
    let system = if with_model { "model" } else { "words" };
    for (name, predictions) in [
        ("first", of(|outcome| &outcome.first)),
        ("all", of(|outcome| &outcome.all)),
    ] {
        let sure: Vec<&Prediction> = predictions
            .iter()
            .filter(|prediction| prediction.confidence >= 0.55)
            .collect();
        let right = sure.iter().filter(|prediction| prediction.right).count();
        println!(
            "\n### Confidence of {name} units, {system}\n\n{}",
            calibration::table(&predictions)
        );
        println!(
            "At 0.55 and above: {} of {}, {right} right.",
            sure.len(),
            predictions.len()
        );
        let folds = calibration::errors_by_fold(&predictions).map(|error| format!("{error:.3}"));
        println!(
            "Expected calibration error in five folds: {}.\n",
            folds.join(", ")
        );
        figure(
            &format!("quality_ece_{name}_{system}"),
            calibration::error(&predictions),
            Bound::Report,
        );
    }
}

fn cell(figure: Figure) -> String {
    format!("{:.3} ({:.2}..{:.2})", figure.mean, figure.low, figure.high)
}
