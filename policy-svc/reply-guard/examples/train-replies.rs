//! Makes the model that judges what a reply says, and measures it.
//!
//! - `cargo run -p turnwise-reply-guard --example train-replies`: makes `data/weights.bin` from `data/lexicon.tsv` and
//!   `data/train-*.tsv`, always the same bytes of the same files.
//! - `… --example train-replies -- cross`: judges each fifth of the sentences by a model of the others, and lists the misses.

// A tool for developers: where it cannot go on it ends by panicking, and says why.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::{fs, path::Path};

use turnwise_text_classifier::{Class, Classifier, Lexicon, train};

const HARMLESS: &str = "good";
/// Above it a sentence is withheld.
const THRESHOLD: f32 = 0.9;

struct Sentence {
    kind: String,
    text: String,
}

fn classes() -> Vec<Class> {
    let mut classes: Vec<Class> = ["mastery", "insult", "personal", "harm"]
        .into_iter()
        .map(|kind| Class::alarming(kind, THRESHOLD, THRESHOLD))
        .collect();
    classes.push(Class::harmless(HARMLESS));
    classes
}

fn model(sentences: &[&Sentence], lexicon: &Lexicon, data_hash: u64) -> Classifier {
    let options = train::Options {
        name: "replies".to_owned(),
        classes: classes(),
        lexicon: lexicon.clone(),
        bits: 17,
        epochs: 60,
        rate: 1.0,
        l1: 0.001,
        l2: 0.01,
        dropout: 0.5,
        seed: 16,
    };
    let examples: Vec<train::Example> = sentences
        .iter()
        .map(|sentence| {
            let class = options
                .classes
                .iter()
                .position(|class| class.name == sentence.kind);
            train::Example {
                class: class.unwrap_or_else(|| panic!("there is no kind `{}`", sentence.kind)),
                text: sentence.text.clone(),
                weight: 1.0,
            }
        })
        .collect();
    train::train(&examples, &options, data_hash)
}

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let mut files: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("train-"))
        .collect();
    files.sort();
    let texts: Vec<String> = files.iter().map(|name| read(name)).collect();
    let words = read("lexicon.tsv");
    let lexicon = Lexicon::parse(&words).unwrap();
    let lines = texts.iter().flat_map(|text| text.lines());
    let sentences: Vec<Sentence> = lines
        .map(|line| {
            let mut fields = line.splitn(3, '\t');
            let (kind, _, text) = (fields.next(), fields.next(), fields.next());
            Sentence {
                kind: kind.unwrap().to_owned(),
                text: text.unwrap_or_else(|| panic!("{line}")).to_owned(),
            }
        })
        .collect();
    if std::env::args().nth(1).as_deref() == Some("cross") {
        return cross_validate(&sentences, &lexicon);
    }
    let all: Vec<&Sentence> = sentences.iter().collect();
    let parts = std::iter::once(&words).chain(&texts);
    let hash = train::data_hash(parts.map(|text| text.as_bytes()));
    let made = model(&all, &lexicon, hash);
    fs::write(folder.join("weights.bin"), made.write()).unwrap();
    println!("{}", made.version());
}

/// Parts in a row, not drawn by chance: what was written at one time is alike.
fn cross_validate(sentences: &[Sentence], lexicon: &Lexicon) {
    const PARTS: usize = 50;
    const FOLDS: usize = 5;
    let size = sentences.len().div_ceil(PARTS);
    let mut judged: Vec<(f32, &Sentence)> = Vec::new();
    for fold in 0..FOLDS {
        let is_left_out = |at: usize| at / size % FOLDS == fold;
        let numbered = || sentences.iter().enumerate();
        let others: Vec<&Sentence> = numbered()
            .filter(|(at, _)| !is_left_out(*at))
            .map(|(_, sentence)| sentence)
            .collect();
        let made = model(&others, lexicon, 0);
        let left_out = numbered().filter(|(at, _)| is_left_out(*at));
        judged.extend(left_out.map(|(_, sentence)| (made.judge(&sentence.text).score, sentence)));
    }
    judged.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (score, Sentence { kind, text }) in &judged {
        if (kind == HARMLESS) == (*score > THRESHOLD) {
            println!("{score:.3}\t{kind}\t{text}");
        }
    }
    for kind in ["mastery", "insult", "personal", "harm", HARMLESS] {
        let of: Vec<f32> = judged
            .iter()
            .filter(|(_, sentence)| sentence.kind == kind)
            .map(|(score, _)| *score)
            .collect();
        let shares: Vec<String> = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95]
            .iter()
            .map(|least| {
                let above = of.iter().filter(|score| *score > least).count();
                format!("{least}: {:.4}", above as f64 / of.len() as f64)
            })
            .collect();
        println!("{kind} ({}) above {}", of.len(), shares.join(", "));
    }
}
