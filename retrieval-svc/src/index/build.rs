//! A pack to its index.

use std::collections::{BTreeMap, HashMap, HashSet};

use sha2::{Digest, Sha256};
use turnwise_course_pack::{Pack, Question, Unit};

use super::{
    CourseIndex, UnitIndex,
    mapping::Mapping,
    postings::{Document, Postings},
    rows::{Row, Rows},
    vocabulary::{TermId, Vocabulary},
};
use crate::text::{Analyser, NORMALISER};

/// Terms with how often they occur, ascending.
type Counts = Vec<(TermId, u32)>;

/// Everything of one pack that goes into its index.
struct Builder<'a> {
    pack: &'a Pack,
    units: HashMap<String, UnitIndex>,
    analyser: Analyser,
    vocabulary: Vocabulary,
    documents: Vec<Document>,
    /// The terms of the units' titles, tags and anchors.
    named: HashSet<TermId>,
}

pub(super) fn course_index(pack: Pack) -> CourseIndex {
    let mut builder = Builder {
        units: (0..)
            .zip(&pack.units)
            .map(|(at, unit)| (unit.id.clone(), UnitIndex(at)))
            .collect(),
        analyser: Analyser::new(&pack.course.locale),
        vocabulary: Vocabulary::default(),
        documents: Vec::new(),
        named: HashSet::new(),
        pack: &pack,
    };
    let anchors = builder.anchors();
    let chunks = builder.chunks();
    let questions = builder.questions();
    let support = builder.support();

    let (units, terms) = (pack.units.len(), builder.vocabulary.len());
    let [anchors, chunks, questions, support] =
        [anchors, chunks, questions, support].map(|rows| Rows::new(rows, units, terms));
    let Builder {
        units: unit_index,
        analyser,
        vocabulary,
        documents,
        named,
        ..
    } = builder;
    let mapping = Mapping::new(
        Postings::new(documents, terms),
        unit_ids(&pack),
        &vocabulary,
        &named,
    );
    CourseIndex {
        id: index_id(&pack.hash),
        units: unit_index,
        analyser,
        vocabulary,
        anchors,
        chunks,
        questions,
        support,
        mapping,
        pack,
    }
}

fn unit_ids(pack: &Pack) -> Vec<String> {
    pack.units.iter().map(|unit| unit.id.clone()).collect()
}

/// Names a pack as this code indexes it.
fn index_id(pack_hash: &str) -> String {
    hex::encode(Sha256::digest(format!("{pack_hash}\n{NORMALISER}")))
}

impl<'a> Builder<'a> {
    /// One row for each unit: title, tags, misconceptions, anchors, summary. To a mapping they speak one by one.
    fn anchors(&mut self) -> Vec<Row<'a>> {
        let pack = self.pack;
        let mut rows = Vec::with_capacity(pack.units.len());
        for (at, unit) in (0..).zip(&pack.units) {
            let at = UnitIndex(at);
            let is_topic = is_topic(pack, unit);
            let tags = unit.tags.join(", ");
            let names = [&unit.title, &tags].into_iter().chain(&unit.anchors);
            let names: Vec<Counts> = names.map(|text| self.counts(text)).collect();
            let others = std::iter::once(&unit.summary).chain(&unit.misconceptions);
            let others: Vec<Counts> = others.map(|text| self.counts(text)).collect();
            let terms = merged(names.iter().chain(&others));
            if is_topic {
                self.named
                    .extend(names.iter().flatten().map(|(term, _)| term));
                for part in names.into_iter().chain(others) {
                    self.speak_for(vec![at], part);
                }
            }
            for drill in unit.drills.iter().filter(|_| is_topic) {
                let part = self.counts(&format!("{}\n{}", drill.prompt, drill.question_latex));
                self.speak_for(vec![at], part);
            }
            rows.push(Row {
                id: &unit.id,
                units: vec![at],
                terms,
            });
        }
        rows
    }

    /// One row for each chunk: its heading and its text.
    fn chunks(&mut self) -> Vec<Row<'a>> {
        let pack = self.pack;
        let mut rows = Vec::with_capacity(pack.chunks.len());
        for chunk in &pack.chunks {
            let units = self.known([&chunk.unit]);
            let terms = self.counts(&format!("{}\n{}", chunk.section, chunk.text));
            self.speak_for(self.topics(&units), terms.clone());
            rows.push(Row {
                id: &chunk.id,
                units,
                terms,
            });
        }
        rows
    }

    /// One row for each exam question: what is asked, and its tags; never its options or its answer.
    fn questions(&mut self) -> Vec<Row<'a>> {
        let pack = self.pack;
        let mut rows = Vec::with_capacity(pack.questions.len());
        for question in &pack.questions {
            let units = self.known(&question.units);
            let Question {
                prompt,
                question_latex,
                tags,
                ..
            } = question;
            let asked = self.counts(&format!("{prompt}\n{question_latex}"));
            let terms = merged([&asked, &self.counts(&tags.join(", "))]);
            self.speak_for(self.topics(&units), asked);
            rows.push(Row {
                id: &question.id,
                units,
                terms,
            });
        }
        rows
    }

    /// One row for each memo and video, under the units of its question. It does not take part in mappings.
    fn support(&mut self) -> Vec<Row<'a>> {
        let pack = self.pack;
        let questions: HashMap<&str, &Question> = pack
            .questions
            .iter()
            .map(|question| (question.id.as_str(), question))
            .collect();
        let mut rows = Vec::with_capacity(pack.support.len());
        for support in &pack.support {
            let units = questions
                .get(support.question.as_str())
                .map_or_else(Vec::new, |question| self.known(&question.units));
            rows.push(Row {
                id: &support.id,
                units,
                terms: self.counts(&support.text),
            });
        }
        rows
    }

    /// The course's units among these ids, each once.
    fn known(&self, ids: impl IntoIterator<Item = &'a String>) -> Vec<UnitIndex> {
        let mut units: Vec<UnitIndex> = ids
            .into_iter()
            .filter_map(|id| self.units.get(id).copied())
            .collect();
        units.sort_unstable();
        units.dedup();
        units
    }

    /// Those of the units that a message can be about.
    fn topics(&self, units: &[UnitIndex]) -> Vec<UnitIndex> {
        units
            .iter()
            .copied()
            .filter(|unit| is_topic(self.pack, &self.pack.units[unit.at()]))
            .collect()
    }

    fn counts(&mut self, text: &str) -> Counts {
        let mut counts: BTreeMap<TermId, u32> = BTreeMap::new();
        for term in &self.analyser.analyse(text).terms {
            *counts.entry(self.vocabulary.intern(term)).or_default() += 1;
        }
        counts.into_iter().collect()
    }

    /// Lets a text speak for its units in mappings.
    fn speak_for(&mut self, units: Vec<UnitIndex>, terms: Counts) {
        if !units.is_empty() && !terms.is_empty() {
            self.documents.push(Document { units, terms });
        }
    }
}

/// The counts of several texts together.
fn merged<'a>(parts: impl IntoIterator<Item = &'a Counts>) -> Counts {
    let mut all: BTreeMap<TermId, u32> = BTreeMap::new();
    for (term, times) in parts.into_iter().flatten() {
        *all.entry(*term).or_default() += times;
    }
    all.into_iter().collect()
}

/// Whether a message can be about a unit. An entry unit that has nothing to practise only greets: its text is full of
/// the words of people who say that they are stuck, and would draw them back to the beginning.
fn is_topic(pack: &Pack, unit: &Unit) -> bool {
    unit.id != pack.course.entry_unit || unit.assessable || !unit.drills.is_empty()
}
