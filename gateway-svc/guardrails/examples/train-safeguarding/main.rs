//! Makes the model that reads what phrases miss, and measures it.
//!
//! - `cargo run --release -p turnwise-guardrails --example train-safeguarding`: makes `data/weights.bin` from `data/lexicon.tsv` and
//!   `data/train/`, always the same bytes of the same files.
//! - `… --example train-safeguarding -- cross`: leaves out one part of the sentences after the other and tells how a model of the
//!   others judges it.
//! - `… --example train-safeguarding -- report`: tells how the guardrails as they are judge the sentences in `data/held-back/`.

// A tool for developers: where it cannot go on it ends by panicking, and says why.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod cross;
mod data;
mod report;
mod variants;

use std::{fs, path::Path};

use turnwise_text_classifier::{Class, Classifier, Lexicon, train};

use data::{Data, Sentence};

/// What a text can be, with the scores from which on it is uncertain and certain.
fn classes() -> Vec<Class> {
    vec![
        Class::alarming("self_harm", UNCERTAIN, CERTAIN),
        Class::alarming("abuse", UNCERTAIN, CERTAIN),
        Class::alarming("danger", UNCERTAIN, CERTAIN),
        Class::alarming("bullying", UNCERTAIN, CERTAIN),
        Class::harmless("near_miss"),
        Class::harmless("harmless"),
    ]
}

const UNCERTAIN: f32 = 0.865;
const CERTAIN: f32 = 0.968;

/// A model of these sentences.
fn model(sentences: &[&Sentence], lexicon: &Lexicon, data_hash: u64) -> Classifier {
    let options = train::Options {
        name: "safeguarding".to_owned(),
        classes: classes(),
        lexicon: lexicon.clone(),
        bits: 18,
        epochs: 10,
        rate: 2.0,
        l1: 0.03,
        l2: 0.3,
        dropout: 0.3,
        seed: 16,
    };
    let examples = variants::of(sentences, &options.classes);
    train::train(&examples, &options, data_hash)
}

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let data = Data::read(&folder);
    match std::env::args().nth(1).as_deref() {
        None => {}
        Some("cross") => return cross::validate(&data),
        Some("report") => return report::print(&folder),
        Some(other) => panic!("{other}: write nothing, `cross` or `report`"),
    }
    let sentences: Vec<&Sentence> = data.files.iter().flat_map(|file| &file.sentences).collect();
    let model = model(&sentences, &data.lexicon, data.hash);
    let bytes = model.write();
    fs::write(folder.join("weights.bin"), &bytes).unwrap();
    println!(
        "{}: {} sentences, {} bytes",
        model.version(),
        sentences.len(),
        bytes.len()
    );
}
