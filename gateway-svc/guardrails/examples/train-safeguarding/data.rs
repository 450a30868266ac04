//! Labelled sentences from files.

use std::{fs, path::Path};

use turnwise_text_classifier::{Lexicon, train::data_hash};

/// A labelled sentence.
#[derive(Debug, Clone)]
pub struct Sentence {
    pub kind: String,
    pub locale: String,
    pub text: String,
    /// How much it counts: one of many from a template counts less.
    pub weight: f32,
}

/// The sentences of one file.
pub struct File {
    pub name: String,
    pub sentences: Vec<Sentence>,
}

/// All that a model is made of.
pub struct Data {
    pub files: Vec<File>,
    pub lexicon: Lexicon,
    /// Says which files these were.
    pub hash: u64,
}

impl Data {
    /// Reads `lexicon.tsv` and `train/*.tsv`.
    pub fn read(folder: &Path) -> Self {
        let lexicon = fs::read_to_string(folder.join("lexicon.tsv")).unwrap();
        let mut paths: Vec<_> = fs::read_dir(folder.join("train"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.sort();
        let texts: Vec<String> = paths
            .iter()
            .map(|path| fs::read_to_string(path).unwrap())
            .collect();
        let all = std::iter::once(&lexicon).chain(&texts);
        let hash = data_hash(all.map(|text| text.as_bytes()));
        let files = paths.iter().zip(&texts);
        Self {
            files: files
                .map(|(path, text)| File {
                    name: path.file_name().unwrap().to_string_lossy().into_owned(),
                    sentences: sentences(text),
                })
                .collect(),
            lexicon: Lexicon::parse(&lexicon).unwrap(),
            hash,
        }
    }
}

/// The most sentences of one template, and how much all of them count together.
const MOST: usize = 60;
const TOGETHER: f32 = 20.0;

/// Lines of a kind, a locale and a sentence with tabs between. `[a|b]` in a sentence stands for either.
fn sentences(text: &str) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    for line in text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
    {
        let mut fields = line.splitn(3, '\t');
        let mut field = || fields.next().unwrap_or_else(|| panic!("{line}")).to_owned();
        let (kind, locale, text) = (field(), field(), field());
        let texts = expanded(&text);
        let weight = (TOGETHER / texts.len() as f32).min(1.0);
        sentences.extend(texts.into_iter().map(|text| Sentence {
            kind: kind.clone(),
            locale: locale.clone(),
            text,
            weight,
        }));
    }
    sentences
}

/// The sentences of a template: all of a few, or some that are spread over the many.
fn expanded(template: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some((before, choice)) = rest.split_once('[') {
        let Some((choice, after)) = choice
            .split_once(']')
            .filter(|(choice, _)| choice.contains('|'))
        else {
            return vec![template.to_owned()];
        };
        parts.push((before, choice.split('|').collect::<Vec<_>>()));
        rest = after;
    }
    let total: usize = parts.iter().map(|(_, choices)| choices.len()).product();
    let count = total.min(MOST);
    let nth = |index: usize| {
        // Steps that have no factor in common with the number of choices go through all of each.
        let mut left = if total > MOST {
            index * (total / MOST) + index * 7
        } else {
            index
        };
        let mut text = String::new();
        for (before, choices) in &parts {
            text.push_str(before);
            text.push_str(choices[left % choices.len()]);
            left /= choices.len();
            if total > MOST {
                left += index;
            }
        }
        text + rest
    };
    (0..count).map(nth).collect()
}
