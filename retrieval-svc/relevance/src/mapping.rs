//! From a message to the units that it is about.
//!
//! The best documents of the whole course vote for their units: those that are best by words (lessons, exercises, names),
//! and, where there is a model, the chunks that are nearest by meaning. A unit's part is the mean of both votes. That
//! keeps how clearly a vote was won, which fusion by reciprocal rank loses; on the development queries it was better in
//! every column, without a constant to choose.

use std::{collections::HashSet, sync::Arc, time::Duration};

use moka::{policy::EvictionPolicy, sync::Cache};
use turnwise_course_pack::Pack;
use turnwise_retrieval_index::Hit;
use turnwise_text::{Analyser, Analysis, Term, TermKind};

use crate::{
    confidence::Evidence,
    postings::Postings,
    spelling::Spelling,
    terms::{self, Counted, WeightedTerms},
    topicality,
    turn::{MAX_RECENT_CHARS, MAX_RECENT_TEXTS, Reading, Turn, first_chars},
    unit_texts::UnitTexts,
    units::{UnitIndex, Units, is_topic},
    vocabulary::{TermId, Vocabulary},
    votes::Votes,
};

/// Units that a message is mapped to, at most.
pub const MAX_MAPPED_UNITS: usize = 6;
/// How many of the nearest chunks vote.
pub const NEAREST: usize = 40;
/// How many documents vote by words.
const VOTERS: usize = 40;
/// How much each message counts beside the one after it.
const RECENT_DECAY: f64 = 0.8;
/// The topicality at which a message counts twice as much as the one before it. A message that tells its own topic
/// hardly needs those before it, and a change of topic must not drown in them.
const SELF_SUFFICIENT: f64 = 0.25;
/// Below this topicality a message says nothing by itself: `yes`, `90`, `x = 4`. A number of a kind that the course uses
/// in few places (`0.231`, `81,200`) is above it.
const TOO_LITTLE: f64 = 0.05;
/// A word that no unit's title, tags or anchors use and that stands in so few documents says nothing alone: `yellow` stands
/// in one exercise about paint.
const FEW_DOCUMENTS: usize = 3;
/// From this confidence on a message names its unit by itself: a policy takes it for the target, unless its course says
/// otherwise.
const NAMED: f64 = 0.55;
/// Words for what was said before: a message with one of them is read with it.
const POINTING: [&str; 15] = [
    "it", "that", "this", "these", "those", "they", "them", "es", "dies", "diese", "dieser",
    "dieses", "damit", "davon", "dabei",
];
/// First words of questions about what is being done, which is told by what was said before: such a message moves nobody.
const CHECKING: [&str; 22] = [
    "is", "are", "was", "does", "do", "did", "should", "must", "which", "where", "ist", "sind",
    "wird", "werden", "muss", "müssen", "soll", "kommt", "welche", "welcher", "welches", "welchen",
];
/// How much what is no word counts for the topicality of a message.
const NO_WORD: f64 = 0.5;
/// How many bytes of texts that were read are kept, roughly: those of some hundred conversations.
const KEPT_BYTES: u64 = 2 * 1024 * 1024;
/// How long a text is kept that does not come again.
const KEPT_FOR: Duration = Duration::from_secs(900);
/// Bytes of a term, and of what an entry takes beside its terms, roughly.
const TERM_BYTES: usize = 128;
const ENTRY_BYTES: usize = 256;

/// A unit that a message is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapped<'a> {
    /// The unit's id.
    pub unit: &'a str,
    /// How sure that is, 0 to 1.
    pub confidence: f64,
}

/// Which terms of a text count.
#[derive(Clone, Copy, PartialEq)]
enum Counting {
    /// Those that may say what it is about.
    Telling,
    /// All.
    All,
}

/// What words mean in one course: reads messages, and maps them to units.
pub struct Mapping {
    units: Units,
    vocabulary: Vocabulary,
    postings: Postings,
    /// By term: how much it tells about units, 0 to 1.
    topicality: Vec<f64>,
    /// The terms of the units' titles, tags and anchors.
    named: HashSet<TermId>,
    spelling: Spelling,
    /// The words of the course's own texts that are known, so that the usual word of a message is looked up and not
    /// analysed.
    familiar: HashSet<Box<str>>,
    /// What is asked in the name of units that are no topic.
    greetings: HashSet<Box<str>>,
    /// Titles of units, as [`words`] gives them.
    titles: Vec<(Box<str>, UnitIndex)>,
    analyser: Arc<Analyser>,
    /// Texts that were read. A message is asked about twice in its turn, and comes again as what was said before the next.
    /// What is read depends on the text alone, so this changes no answer.
    read: Cache<String, Arc<Reading>>,
}

impl Mapping {
    /// Over everything in a pack that speaks of its units.
    pub fn new(pack: &Pack, analyser: Arc<Analyser>) -> Self {
        let units = Units::of(pack);
        let UnitTexts {
            vocabulary,
            documents,
            named,
            spelling,
        } = UnitTexts::of(pack, &units, &analyser);
        let postings = Postings::new(documents, vocabulary.len());
        let mut mapping = Self {
            topicality: topicality::of_terms(&postings, units.len(), &vocabulary, &named),
            titles: titles(pack, &units),
            named,
            units,
            vocabulary,
            postings,
            spelling,
            familiar: HashSet::new(),
            greetings: greetings(pack),
            analyser,
            read: Cache::builder()
                .max_capacity(KEPT_BYTES)
                .weigher(|text: &String, reading: &Arc<Reading>| {
                    let terms = reading.analysis.terms.len() * TERM_BYTES;
                    u32::try_from(2 * text.len() + terms + ENTRY_BYTES).unwrap_or(u32::MAX)
                })
                .eviction_policy(EvictionPolicy::lru())
                .time_to_idle(KEPT_FOR)
                .build(),
        };
        let own = mapping.spelling.all();
        mapping.familiar = own
            .filter(|word| mapping.knows(word))
            .map(String::into_boxed_str)
            .collect();
        mapping
    }

    /// Reads a message. `recent` are the messages before it, oldest first; the last [`MAX_RECENT_TEXTS`] count, each with
    /// its first [`MAX_RECENT_CHARS`] characters. Misspelt words are read as the course spells them. What the welcome asks, which
    /// may stand at a text's end, is no context: its words are those of anybody who begins.
    pub fn turn(&self, text: &str, recent: &[impl AsRef<str>]) -> Turn {
        let latest = recent
            .iter()
            .rev()
            .filter_map(|text| self.own(text.as_ref()));
        let latest = latest.take(MAX_RECENT_TEXTS);
        let recent = latest.map(|text| self.read(first_chars(text, MAX_RECENT_CHARS)));
        Turn::new(self.read(text), recent.collect())
    }

    /// What a text says beside what the welcome asks; `None` if nothing.
    fn own<'a>(&self, text: &'a str) -> Option<&'a str> {
        let own = match text.rsplit_once("\n\n") {
            Some((before, last)) if self.greetings.contains(last.trim()) => before,
            _ => text,
        };
        (!self.greetings.contains(own.trim())).then_some(own)
    }

    fn read(&self, text: &str) -> Arc<Reading> {
        self.read.get_with_by_ref(text, || {
            let text = self.spelling.correct(text, |word| self.knows(word));
            let analysis = terms::analyse(&self.analyser, &text);
            let speaks = self.told_by(&analysis, Counting::Telling) >= TOO_LITTLE;
            Arc::new(Reading {
                text,
                counted: Counted::all(&analysis, |term| self.known(term)),
                analysis,
                speaks,
            })
        })
    }

    /// The units that a message is about, the surest first, at most [`MAX_MAPPED_UNITS`]; equals go by id. `nearest` are
    /// the [`NEAREST`] hits of an unfiltered search of chunks with [`Turn::nearest`]; `None`: words alone decide. A message
    /// that says too little by itself leans on those before it, and maps to nothing without them. So does, without them, one
    /// that has a single word in common with the course, and that by chance. One that has a unit's own words, names it by
    /// itself, and neither points back nor asks about what is being done, is about that unit, whatever those before it are
    /// about. One that holds the title of an only unit names it, whatever its words are beside.
    pub fn map(&self, turn: &Turn, nearest: Option<&[Hit]>) -> Vec<Mapped<'_>> {
        let mut mapped = self.by_votes(turn, nearest);
        if let Some(titled) = self.titled_in(&turn.message.text) {
            let confidence = mapped
                .first()
                .map_or(NAMED, |first| first.confidence.max(NAMED));
            let unit = self.units.id(titled);
            mapped.retain(|other| other.unit != unit);
            mapped.truncate(MAX_MAPPED_UNITS - 1);
            mapped.insert(0, Mapped { unit, confidence });
        }
        mapped
    }

    fn by_votes(&self, turn: &Turn, nearest: Option<&[Hit]>) -> Vec<Mapped<'_>> {
        let message = &turn.message.analysis;
        let in_context = turn.recent.iter().any(|recent| recent.speaks);
        if !in_context && self.is_chance(message) {
            return Vec::new();
        }
        // A scrap of a formula says nothing alone, but it supports a word: `add 1/2 and 1/3`.
        let own = if turn.message.speaks && !(in_context && checks(&turn.message.text)) {
            self.told_by(message, Counting::All)
        } else if in_context {
            0.0
        } else {
            return Vec::new();
        };
        let alone = vec![(1.0, &*turn.message)];
        let mut texts = alone.clone();
        let mut weight = SELF_SUFFICIENT / (SELF_SUFFICIENT + own);
        for recent in &turn.recent {
            texts.push((weight, &**recent));
            weight *= RECENT_DECAY;
        }
        let query = |texts| WeightedTerms::of(&terms::weighted(texts));
        let mut votes = self.vote(&query(texts), nearest, own, in_context);
        if in_context && own > 0.0 && self.is_named_in(message) && !points_back(&turn.message.text)
        {
            let named = self.vote(&query(alone), None, own, false);
            // Those before it may make it surer of the same unit.
            let told_alone = named.first().filter(|(_, confidence)| *confidence >= NAMED);
            if told_alone.is_some_and(|(unit, confidence)| {
                let with_context = votes.first();
                with_context.is_none_or(|(other, surer)| other != unit || surer < confidence)
            }) {
                votes = named;
            }
        }
        let mapped = votes.into_iter().map(|(unit, confidence)| Mapped {
            unit: self.units.id(unit),
            confidence,
        });
        mapped.collect()
    }

    fn vote(
        &self,
        query: &WeightedTerms,
        nearest: Option<&[Hit]>,
        own: f64,
        in_context: bool,
    ) -> Vec<(UnitIndex, f64)> {
        let hits = self.postings.best(query, VOTERS);
        let by_words = Votes::of(
            hits.iter()
                .map(|(document, score)| (*score, self.postings.units_of(*document))),
        );
        let coverage = hits
            .first()
            .map_or(0.0, |(_, best)| best / self.postings.ceiling(query));
        let topicality = query
            .terms
            .iter()
            .map(|(term, weight)| weight * self.topicality[*term as usize])
            .sum();
        let (votes, similarity) = match nearest.map(|hits| self.vote_by_meaning(hits)) {
            None => (by_words, None),
            Some((by_meaning, similarity)) => (by_words.mean(by_meaning), Some(similarity)),
        };
        let mut parts: Vec<(UnitIndex, f64)> = votes.parts().collect();
        self.sort(&mut parts);
        let first = parts.first().map_or(0.0, |(_, part)| *part);
        let second = parts.get(1).map_or(0.0, |(_, part)| *part);
        let mut mapped: Vec<(UnitIndex, f64)> = parts
            .into_iter()
            .enumerate()
            .take(MAX_MAPPED_UNITS)
            .map(|(place, (unit, part))| {
                let evidence = Evidence {
                    lead: part - if place == 0 { second } else { first },
                    coverage,
                    topicality,
                    similarity,
                    own,
                    in_context,
                };
                (unit, evidence.confidence())
            })
            .collect();
        // Different votes can round to one confidence.
        self.sort(&mut mapped);
        mapped
    }

    /// The vote of the nearest chunks, and how near the nearest is.
    fn vote_by_meaning(&self, nearest: &[Hit]) -> (Votes, f64) {
        let near: Vec<(f64, Vec<UnitIndex>)> = nearest
            .iter()
            .take(NEAREST)
            .filter_map(|hit| {
                let similarity = hit.dense?.score;
                Some((
                    similarity,
                    self.units.places(hit.units.iter().map(AsRef::as_ref)),
                ))
            })
            .collect();
        let similarity = near.first().map_or(0.0, |(similarity, _)| *similarity);
        let votes = near
            .iter()
            .map(|(similarity, units)| (*similarity, units.as_slice()));
        (Votes::of(votes), similarity)
    }

    /// Highest first, then by id.
    fn sort(&self, units: &mut [(UnitIndex, f64)]) {
        units.sort_unstable_by(|a, b| {
            b.1.total_cmp(&a.1)
                .then_with(|| self.units.id(a.0).cmp(self.units.id(b.0)))
        });
    }

    /// Whether the course uses a word, or nobody looks for it.
    fn knows(&self, word: &str) -> bool {
        self.familiar.contains(word)
            || self
                .analyser
                .analyse(word)
                .terms
                .iter()
                .all(|term| self.vocabulary.id(term).is_some())
    }

    /// A term's number, and how much it tells about units.
    fn known(&self, term: &Term) -> (Option<TermId>, f64) {
        let id = self.vocabulary.id(term);
        (id, id.map_or(0.0, |id| self.topicality[id as usize]))
    }

    /// Whether all that the course knows of a text is one word, which few of its documents have and no unit calls its own.
    fn is_chance(&self, text: &Analysis) -> bool {
        let told = text.terms.iter().zip(&text.telling);
        let mut known: Vec<TermId> = told
            .filter(|(_, telling)| **telling)
            .filter_map(|(term, _)| self.vocabulary.id(term))
            .filter(|term| self.topicality[*term as usize] > 0.0)
            .collect();
        known.sort_unstable();
        known.dedup();
        let [only] = known[..] else { return false };
        self.vocabulary.kind(only) == TermKind::Word
            && !self.named.contains(&only)
            && self.postings.list(only).len() <= FEW_DOCUMENTS
    }

    /// The only unit whose whole title stands in a text.
    fn titled_in(&self, text: &str) -> Option<UnitIndex> {
        let text = words(text);
        let mut titled = self
            .titles
            .iter()
            .filter(|(title, _)| text.contains(&**title));
        let (_, unit) = titled.next()?;
        titled.next().is_none().then_some(*unit)
    }

    /// Whether a text has a term that a unit calls its own.
    fn is_named_in(&self, text: &Analysis) -> bool {
        let mut told = text.terms.iter().zip(&text.telling);
        told.any(|(term, telling)| {
            let id = self.vocabulary.id(term).filter(|_| *telling);
            id.is_some_and(|id| self.named.contains(&id))
        })
    }

    /// How much a text tells about units by itself.
    fn told_by(&self, text: &Analysis, counting: Counting) -> f64 {
        let mut seen: Vec<(TermId, f64)> = text
            .terms
            .iter()
            .zip(&text.telling)
            .filter(|(_, telling)| **telling || counting == Counting::All)
            .filter_map(|(term, _)| {
                let weight = if term.kind == TermKind::Word {
                    1.0
                } else {
                    NO_WORD
                };
                Some((self.vocabulary.id(term)?, weight))
            })
            .collect();
        seen.sort_unstable_by_key(|(term, _)| *term);
        seen.dedup_by_key(|(term, _)| *term);
        seen.into_iter()
            .map(|(term, weight)| weight * self.topicality[term as usize])
            .sum()
    }
}

/// The titles of units that are topics, of several words: a single one may be a word of anything.
fn titles(pack: &Pack, units: &Units) -> Vec<(Box<str>, UnitIndex)> {
    let topics = pack.units.iter().filter(|unit| is_topic(pack, unit));
    let titles = topics.filter_map(|unit| Some((words(&unit.title), units.place(&unit.id)?)));
    titles
        .filter(|(title, _)| title.trim().contains(' '))
        .map(|(title, unit)| (title.into_boxed_str(), unit))
        .collect()
}

/// The words of a text in small letters, each between spaces.
fn words(text: &str) -> String {
    let small = text.to_lowercase();
    let words = small.split(|c: char| !c.is_alphanumeric());
    let mut joined = String::from(" ");
    for word in words.filter(|word| !word.is_empty()) {
        joined.push_str(word);
        joined.push(' ');
    }
    joined
}

/// The questions of units that are no topic.
fn greetings(pack: &Pack) -> HashSet<Box<str>> {
    let units = pack.units.iter().filter(|unit| !is_topic(pack, unit));
    let asked = units.flat_map(|unit| &unit.misconceptions);
    asked
        .map(|wrong| wrong.question.trim())
        .filter(|question| !question.is_empty())
        .map(Box::from)
        .collect()
}

/// Whether a text asks about what is being done.
fn checks(text: &str) -> bool {
    let text = words(text);
    let first = text.split_whitespace().next();
    first.is_some_and(|first| CHECKING.contains(&first))
}

fn points_back(text: &str) -> bool {
    words(text)
        .split_whitespace()
        .any(|word| POINTING.contains(&word))
}
