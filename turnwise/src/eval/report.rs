//! What came of the prompts.

use std::{collections::BTreeMap, fmt::Write};

use serde::Serialize;
use serde_json::{Value, json};
use turnwise_proto::helper::v1::ChatResponse;

use super::{Failure, Kind, Language, Prompt, Verdict};
use crate::render::{ink::line, table::table};

/// How much of an answer is shown where it fails.
const SHOWN: usize = 160;

/// The verdicts so far.
#[derive(Debug, Default)]
pub struct Report {
    prompts: usize,
    passed: usize,
    kinds: BTreeMap<(Kind, Language), Count>,
    failures: Vec<Failed>,
    models: BTreeMap<String, usize>,
    times_ms: Vec<i32>,
}

/// How many expectations were met, of how many.
#[derive(Debug, Clone, Copy, Default, Serialize)]
struct Count {
    met: usize,
    of: usize,
}

#[derive(Debug, Serialize)]
struct Failed {
    id: String,
    kind: Kind,
    #[serde(flatten)]
    failure: Failure,
    text: String,
}

impl Report {
    /// Adds what came of a prompt.
    pub fn add(&mut self, prompt: &Prompt, verdicts: Vec<Verdict>, answer: Option<ChatResponse>) {
        self.prompts += 1;
        self.passed += usize::from(verdicts.iter().all(|(_, verdict)| verdict.is_ok()));
        let answer = answer.unwrap_or_default();
        for (kind, verdict) in verdicts {
            let count = self.kinds.entry((kind, prompt.language)).or_default();
            count.of += 1;
            match verdict {
                Ok(()) => count.met += 1,
                Err(failure) => self.failures.push(Failed {
                    id: prompt.id.clone(),
                    kind,
                    failure,
                    text: answer.text.clone(),
                }),
            }
        }
        let model = match answer.model {
            model if model.is_empty() => "no model".to_owned(),
            model => model,
        };
        *self.models.entry(model).or_default() += 1;
        self.times_ms.push(answer.total_ms);
    }

    /// Whether this share of the prompts passed.
    #[must_use]
    pub fn passes(&self, min_pass: f64) -> bool {
        let count = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
        count(self.passed) >= min_pass * count(self.prompts)
    }

    fn median_ms(&self) -> i32 {
        let mut times = self.times_ms.clone();
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or_default()
    }

    /// The expectations of a kind in one language or all.
    fn count(&self, kind: Kind, language: Option<Language>) -> Count {
        let mut sum = Count::default();
        for ((of_kind, of_language), count) in &self.kinds {
            if *of_kind == kind && language.is_none_or(|language| language == *of_language) {
                sum.met += count.met;
                sum.of += count.of;
            }
        }
        sum
    }

    fn kinds(&self) -> Vec<Kind> {
        let mut kinds: Vec<Kind> = self.kinds.keys().map(|(kind, _)| *kind).collect();
        kinds.dedup();
        kinds
    }

    /// For people.
    #[must_use]
    pub fn to_text(&self) -> String {
        let cell = |count: Count| match count.of {
            0 => String::new(),
            of => format!("{}/{of}", count.met),
        };
        let rows = self.kinds().into_iter().map(|kind| {
            let of = |language| cell(self.count(kind, language));
            vec![
                kind.name().to_owned(),
                of(Some(Language::En)),
                of(Some(Language::De)),
                of(None),
            ]
        });
        let mut out = table(&["expectation", "en", "de", "all"], rows.collect());
        for failed in &self.failures {
            let Failure { expected, got } = &failed.failure;
            let _ = writeln!(
                out,
                "\n{} {}: expected {}, got {}",
                line(&failed.id),
                failed.kind.name(),
                line(expected),
                line(got)
            );
            let shown: String = failed.text.chars().take(SHOWN).collect();
            if !shown.is_empty() {
                let more = if shown.len() < failed.text.len() {
                    " …"
                } else {
                    ""
                };
                let _ = writeln!(out, "  {}{more}", line(&shown));
            }
        }
        let models: Vec<String> = self
            .models
            .iter()
            .map(|(model, n)| format!("{} {n}", line(model)))
            .collect();
        let _ = writeln!(
            out,
            "\n{} of {} prompts pass; answered by {}; median {} ms",
            self.passed,
            self.prompts,
            models.join(", "),
            self.median_ms()
        );
        out
    }

    /// For programs.
    #[must_use]
    pub fn to_json(&self, ok: bool) -> Value {
        let kinds = self.kinds().into_iter().map(|kind| {
            let of = |language| self.count(kind, language);
            let counts = json!({"en": of(Some(Language::En)), "de": of(Some(Language::De)), "all": of(None)});
            (kind.name().to_owned(), counts)
        });
        json!({
            "ok": ok,
            "prompts": self.prompts,
            "passed": self.passed,
            "kinds": kinds.collect::<serde_json::Map<_, _>>(),
            "models": self.models,
            "median_ms": self.median_ms(),
            "failures": self.failures,
        })
    }
}
