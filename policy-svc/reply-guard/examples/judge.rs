//! Judges labelled sentences and lists every miss: `cargo run -p turnwise-reply-guard --example judge -- FILE…`. A line of a
//! file is a kind, a language and a sentence with tabs between; `good` is for a student, any other kind is not.

// A tool for developers: where it cannot go on it ends by panicking, and says why.
#![allow(clippy::unwrap_used, missing_docs)]

use std::{collections::BTreeMap, fs};

use turnwise_fingerprint::RunSet;
use turnwise_reply_guard::{Context, Form, Guard, Spoken, Text};

fn main() {
    let guard = Guard::built_in().unwrap();
    let context = Context {
        turn_id: "",
        prompt: &RunSet::default(),
        exams: &[],
        blocked_terms: &RunSet::default(),
        open_drill: None,
        said: &[],
    };
    let mut counts: BTreeMap<(String, String), (usize, usize)> = BTreeMap::new();
    for file in std::env::args().skip(1) {
        for line in fs::read_to_string(file).unwrap().lines() {
            let mut fields = line.splitn(3, '\t');
            let (kind, language, text) = (
                fields.next().unwrap(),
                fields.next().unwrap(),
                fields.next().unwrap(),
            );
            let texts = [Text {
                text,
                form: Form::Prose,
            }];
            let spoken = Spoken {
                texts: &texts,
                exercise: None,
                example: None,
            };
            let withheld = guard.judge(&spoken, &context).withheld;
            let count = counts
                .entry((kind.to_owned(), language.to_owned()))
                .or_default();
            count.1 += 1;
            count.0 += usize::from(withheld.is_some());
            if withheld.is_some() == (kind == "good") {
                let why = withheld.map_or("passed", |reason| reason.as_str());
                println!("| {kind} | {language} | {why} | {text} |");
            }
        }
    }
    println!("\n| kind | language | withheld | of |\n| --- | --- | --- | --- |");
    for ((kind, language), (withheld, all)) in counts {
        println!("| {kind} | {language} | {withheld} | {all} |");
    }
}
