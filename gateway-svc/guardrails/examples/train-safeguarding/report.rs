//! The table of `docs/safeguarding.md`: what the guardrails make of the sentences that were held back.

use std::{collections::BTreeMap, fs, path::Path};

use turnwise_guardrails::Guardrails;

/// What became of the sentences of one kind and language.
#[derive(Default)]
struct Row {
    all: usize,
    stopped: usize,
    uncertain: usize,
    wrong: Vec<String>,
}

/// Prints the table, and below it every call for help that was missed and every other sentence that was stopped.
pub fn print(folder: &Path) {
    let guardrails = Guardrails::built_in().unwrap();
    let mut rows: BTreeMap<(String, String), Row> = BTreeMap::new();
    let mut files: Vec<_> = fs::read_dir(folder.join("held-back"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    for file in files {
        for line in fs::read_to_string(file).unwrap().lines() {
            let mut fields = line.splitn(3, '\t');
            let mut field = || fields.next().unwrap_or_else(|| panic!("{line}")).to_owned();
            let (kind, locale, text) = (field(), field(), field());
            let hit = guardrails.check("", &text);
            let stopped = hit.as_ref().is_some_and(|hit| hit.stops);
            let harmless = ["near_miss", "harmless"].contains(&kind.as_str());
            let language = locale.split('-').next().unwrap_or_default().to_owned();
            let row = rows.entry((kind, language)).or_default();
            row.all += 1;
            row.stopped += usize::from(stopped);
            row.uncertain += usize::from(hit.is_some_and(|hit| !hit.stops));
            if stopped == harmless {
                row.wrong.push(text);
            }
        }
    }
    println!(
        "| kind | language | sentences | stopped | uncertain |\n| --- | --- | --- | --- | --- |"
    );
    for ((kind, language), row) in &rows {
        let share = |count: usize| 100.0 * count as f64 / row.all as f64;
        let (stopped, uncertain) = (share(row.stopped), share(row.uncertain));
        println!(
            "| {kind} | {language} | {} | {stopped:.1} % | {uncertain:.1} % |",
            row.all
        );
    }
    for ((kind, language), row) in &rows {
        println!("\n### {kind}, {language}\n");
        for text in &row.wrong {
            println!("- {text}");
        }
    }
}
