//! What a lesson is about: its title, its headings, what it sets in bold, and words that are frequent in it and rare in
//! the other lessons.

use std::collections::{BTreeMap, BTreeSet};

use turnwise_text::{Analyser, TermKind};

/// A title and bold text are a topic up to so many words; a heading, which is more often a sentence, up to one less.
const MAX_WORDS: usize = 4;
/// A word or a pair of words is frequent from so many times on.
const FREQUENT: u32 = 3;
/// How much more a title, a heading and bold text say than a word of the text.
const TITLE: f64 = 8.0;
const HEADING: f64 = 4.0;
const BOLD: f64 = 4.0;

/// A lesson's text, taken apart.
#[derive(Debug, Default)]
pub struct Text<'t> {
    title: &'t str,
    headings: Vec<&'t str>,
    bold: Vec<&'t str>,
    /// Its sections, without code, formulas and headings.
    sections: Vec<String>,
}

/// A suggestion: its words as the lesson spells them, by its terms.
#[derive(Default)]
struct Candidate {
    spellings: BTreeMap<String, u32>,
    count: u32,
    sections: BTreeSet<usize>,
    /// What the places where it stands add.
    places: f64,
}

type Candidates = BTreeMap<Vec<String>, Candidate>;

impl<'t> Text<'t> {
    /// Takes a Markdown file apart. Its title is that of the front matter or its first heading of the first level.
    pub fn of(text: &'t str) -> Self {
        let mut lesson = Self::default();
        let mut lines = text.lines();
        let mut body = text;
        if lines.next().is_some_and(|line| line.trim_end() == "---")
            && let Some(end) = text.get(3..).and_then(|rest| rest.find("\n---"))
        {
            let (front, rest) = text.split_at(3 + end);
            body = rest.get(4..).unwrap_or_default();
            let title = front.lines().find_map(|line| line.strip_prefix("title:"));
            lesson.title = title.unwrap_or_default().trim().trim_matches(['"', '\'']);
        }
        lesson.sections.push(String::new());
        let mut in_code = false;
        for line in body.lines() {
            let bare = line.trim();
            if bare.starts_with("```") || bare.starts_with("~~~") {
                in_code = !in_code;
            } else if in_code {
            } else if bare.starts_with('#') {
                let heading = bare.trim_start_matches('#').trim();
                let heading = heading.split(" {").next().unwrap_or_default().trim();
                if lesson.title.is_empty() && !bare.starts_with("##") {
                    lesson.title = heading;
                } else {
                    lesson.headings.push(heading);
                    lesson.sections.push(String::new());
                }
            } else if let Some(section) = lesson.sections.last_mut() {
                lesson.bold.extend(bold(line));
                without_formulas(line, section);
            }
        }
        lesson
    }
}

/// The parts of a line between two `**` or two `__`.
fn bold(line: &str) -> impl Iterator<Item = &str> {
    ["**", "__"].into_iter().flat_map(|mark| {
        let parts: Vec<&str> = line.split(mark).collect();
        let closed = parts.len().saturating_sub(1) / 2;
        parts.into_iter().skip(1).step_by(2).take(closed)
    })
}

/// Adds a line, with a break in place of each formula and piece of code.
fn without_formulas(line: &str, prose: &mut String) {
    for (n, part) in line.split(['$', '`']).enumerate() {
        prose.push_str(if n % 2 == 0 { part } else { " . " });
    }
    prose.push('\n');
}

/// The topics of each lesson, the best first, at most so many.
pub fn suggest(locale: &str, lessons: &[Text<'_>], most: usize) -> Vec<Vec<String>> {
    let analyser = Analyser::new(locale);
    let nouns_are_capital = locale.split('-').next() == Some("de");
    let found: Vec<Candidates> = lessons
        .iter()
        .map(|lesson| candidates(lesson, &analyser))
        .collect();
    let mut spread: BTreeMap<&[String], u32> = BTreeMap::new();
    for terms in found.iter().flat_map(BTreeMap::keys) {
        *spread.entry(terms).or_default() += 1;
    }
    let all = f64::from(u32::try_from(lessons.len()).unwrap_or(u32::MAX));
    let rarity =
        |terms: &[String]| (1.0 + all / f64::from(spread.get(terms).copied().unwrap_or(1))).ln();
    // A word that half of several lessons have is special to none.
    let common = |terms: &[String]| {
        all > 3.0 && spread.get(terms).is_some_and(|n| 2.0 * f64::from(*n) > all)
    };
    let topics = |(candidates, lesson): (&Candidates, &Text<'_>)| {
        let sections = lesson.sections.len();
        let mut rated: Vec<(f64, &Vec<String>, &str)> = Vec::new();
        for (terms, candidate) in candidates {
            let spelling = candidate.spelling();
            let is_name = candidate.places > 0.0;
            // What one section alone speaks of is an example of its, such as apples.
            let telling = candidate.count >= FREQUENT
                && !common(terms)
                && candidate.sections.len() >= if sections < 4 { 1 } else { 2 }
                && (!nouns_are_capital || spelling.starts_with(char::is_uppercase));
            if is_name || telling {
                let count = f64::from(candidate.count).sqrt();
                rated.push(((candidate.places + count) * rarity(terms), terms, spelling));
            }
        }
        rated.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        choose(&rated, candidates, most)
    };
    found.iter().zip(lessons).map(topics).collect()
}

/// The best that say something of their own: no words in another order, and no word that stands mostly inside a longer
/// topic.
fn choose(
    rated: &[(f64, &Vec<String>, &str)],
    candidates: &Candidates,
    most: usize,
) -> Vec<String> {
    let mut chosen: Vec<(&Vec<String>, &str)> = Vec::new();
    let mut sets: BTreeSet<Vec<&String>> = BTreeSet::new();
    for (_, terms, spelling) in rated {
        if chosen.len() == most {
            break;
        }
        let count = |terms: &Vec<String>| candidates.get(terms).map_or(0, |c| c.count);
        let inside: u32 = chosen
            .iter()
            .filter(|(longer, _)| {
                longer.len() > terms.len() && terms.iter().all(|t| longer.contains(t))
            })
            .map(|(longer, _)| count(longer))
            .sum();
        let mut set: Vec<&String> = terms.iter().collect();
        set.sort();
        if count(terms) >= 2 * inside && sets.insert(set) {
            chosen.push((terms, spelling));
        }
    }
    chosen
        .into_iter()
        .map(|(_, spelling)| spelling.to_owned())
        .collect()
}

fn candidates(lesson: &Text<'_>, analyser: &Analyser) -> Candidates {
    let mut found = Candidates::new();
    for (section, prose) in lesson.sections.iter().enumerate() {
        for phrase in words(prose, analyser) {
            for width in 1..=2 {
                for part in phrase.windows(width) {
                    found.add(part, section);
                }
            }
        }
    }
    found.retain(|terms, candidate| terms.len() == 1 || candidate.count >= FREQUENT);
    let names = [
        (vec![lesson.title], TITLE, MAX_WORDS),
        (lesson.headings.clone(), HEADING, MAX_WORDS - 1),
        (lesson.bold.clone(), BOLD, MAX_WORDS),
    ];
    for (texts, places, most) in names {
        for text in texts {
            let words: Vec<Word<'_>> = words(text, analyser).concat();
            if is_name(text, analyser, most) {
                found.add_spelled(&words, text.trim_end_matches(['.', ':', '!', '?']), places);
            }
            // A sentence is no topic, but its words say what the lesson is about.
            for word in words.windows(1) {
                found.raise(word, places / 4.0);
            }
        }
    }
    found
}

/// Whether a text can stand for a topic: a few words, of which the first and the last say something, as in `order of
/// operations` and not in `where to begin`.
fn is_name(text: &str, analyser: &Analyser, most: usize) -> bool {
    let parts: Vec<&str> = text.split_whitespace().collect();
    let tells = |part: Option<&&str>| part.is_some_and(|part| !words(part, analyser).is_empty());
    parts.len() <= most
        && tells(parts.first())
        && tells(parts.last())
        && !text.contains([',', ';', '(', '$', '`'])
}

trait Adding {
    fn add(&mut self, words: &[Word<'_>], section: usize);
    fn add_spelled(&mut self, words: &[Word<'_>], spelling: &str, places: f64);
    fn raise(&mut self, words: &[Word<'_>], places: f64);
}

impl Adding for Candidates {
    fn add(&mut self, words: &[Word<'_>], section: usize) {
        let spelling: Vec<&str> = words.iter().map(|word| word.spelling).collect();
        let candidate = self.entry(terms(words)).or_default();
        *candidate.spellings.entry(spelling.join(" ")).or_default() += 1;
        candidate.count += 1;
        candidate.sections.insert(section);
    }

    /// Adds a name as it is spelled, with the small words in it.
    fn add_spelled(&mut self, words: &[Word<'_>], spelling: &str, places: f64) {
        let candidate = self.entry(terms(words)).or_default();
        *candidate.spellings.entry(spelling.to_owned()).or_default() += 1;
        candidate.places += places;
    }

    /// A word of the text counts more if it stands in a name, too.
    fn raise(&mut self, words: &[Word<'_>], places: f64) {
        if let Some(candidate) = self.get_mut(&terms(words)).filter(|c| c.count >= FREQUENT) {
            candidate.places += places;
        }
    }
}

impl Candidate {
    /// The most frequent spelling; of two, one in small letters, since capitals begin sentences.
    fn spelling(&self) -> &str {
        let small = |spelling: &str| !spelling.starts_with(char::is_uppercase);
        self.spellings
            .iter()
            .max_by_key(|(spelling, count)| (**count, small(spelling)))
            .map_or("", |(spelling, _)| spelling)
    }
}

/// A word of a text, with its terms.
#[derive(Clone)]
struct Word<'t> {
    spelling: &'t str,
    terms: Vec<String>,
}

fn terms(words: &[Word<'_>]) -> Vec<String> {
    words
        .iter()
        .flat_map(|word| word.terms.iter().cloned())
        .collect()
}

/// The runs of words that say something; function words, numbers and punctuation part them.
fn words<'t>(text: &'t str, analyser: &Analyser) -> Vec<Vec<Word<'t>>> {
    let mut phrases = vec![Vec::new()];
    let part = |c: char| !(c.is_alphanumeric() || "'’-".contains(c));
    for piece in text.split_inclusive(part) {
        let spelling = piece.trim_matches(|c: char| !c.is_alphanumeric());
        let analysis = analyser.analyse(spelling);
        let terms = analysis
            .terms
            .into_iter()
            .filter(|term| term.kind == TermKind::Word);
        let terms: Vec<String> = terms.map(|term| term.text).collect();
        let is_word = !terms.is_empty()
            && spelling.chars().count() > 2
            && spelling.chars().all(|c| !c.is_numeric());
        let ends = piece.ends_with(|c: char| part(c) && !c.is_whitespace());
        let parts = ends || piece.ends_with('\n') || (!is_word && !spelling.is_empty());
        if let Some(phrase) = phrases.last_mut().filter(|_| is_word) {
            phrase.push(Word { spelling, terms });
        }
        if parts {
            phrases.push(Vec::new());
        }
    }
    phrases.retain(|phrase| !phrase.is_empty());
    phrases
}
