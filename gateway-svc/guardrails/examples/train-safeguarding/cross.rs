//! Judges parts of the sentences by a model of the others.

use std::collections::BTreeMap;

use crate::data::{Data, Sentence};

/// Shares of near misses that may be stopped, for which the recall is told.
const BUDGETS: [f32; 4] = [0.005, 0.01, 0.02, 0.04];

/// Into how many parts each file is cut, in blocks of so many sentences: what was written at one time is alike.
const PARTS: usize = 5;
const BLOCK: usize = 20;

pub fn validate(data: &Data) {
    let mut judged: Vec<(&Sentence, f32, String)> = Vec::new();
    for part in 0..PARTS {
        let (mut others, mut left_out) = (Vec::new(), Vec::new());
        for file in &data.files {
            for (at, sentence) in file.sentences.iter().enumerate() {
                // Templates are no sentences of pupils.
                if at / BLOCK % PARTS == part && !file.name.starts_with("templates") {
                    left_out.push(sentence);
                } else {
                    others.push(sentence);
                }
            }
        }
        let model = crate::model(&others, &data.lexicon, 0);
        for sentence in left_out {
            let verdict = model.judge(&sentence.text);
            judged.push((sentence, verdict.score, verdict.class.to_owned()));
        }
    }
    tell("all", &judged);
}

fn tell(name: &str, judged: &[(&Sentence, f32, String)]) {
    println!("{name}: {}", judged.len());
    let scores = |kinds: &[&str]| -> Vec<f32> {
        let of = judged
            .iter()
            .filter(|(sentence, ..)| kinds.contains(&sentence.kind.as_str()));
        let mut scores: Vec<f32> = of.map(|(_, score, _)| *score).collect();
        scores.sort_by(|a, b| b.total_cmp(a));
        scores
    };
    let near = scores(&["near_miss"]);
    for budget in BUDGETS {
        let allowed = (near.len() as f32 * budget) as usize;
        let threshold = near.get(allowed).copied().unwrap_or(0.5);
        print!("  {budget}: above {threshold:.3}");
        recalls(judged, threshold);
    }
    for threshold in [0.3, 0.4, 0.5, 0.6, 0.7] {
        let share = near.iter().filter(|score| **score > threshold).count() as f32
            / near.len().max(1) as f32;
        let harmless = scores(&["harmless"]);
        let other = harmless.iter().filter(|score| **score > threshold).count();
        print!(
            "  at {threshold}: {:.2} % near, {other} harmless",
            share * 100.0
        );
        recalls(judged, threshold);
    }
}

fn recalls(judged: &[(&Sentence, f32, String)], threshold: f32) {
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (sentence, score, _) in judged {
        if !["near_miss", "harmless"].contains(&sentence.kind.as_str()) {
            let key = format!("{} {}", sentence.kind, sentence.locale);
            let (stopped, all) = counts.entry(key).or_default();
            *all += 1;
            *stopped += usize::from(*score > threshold);
        }
    }
    for (key, (stopped, all)) in counts {
        print!("; {key} {:.3}", stopped as f32 / all as f32);
    }
    println!();
}
