//! What speaks for the units of a course in mappings: each name, tag, drill, lesson chunk and exam question by itself.

use std::collections::{BTreeMap, HashSet};

use turnwise_course_pack::Pack;
use turnwise_text::Analyser;

use crate::{
    postings::Document,
    spelling::Spelling,
    terms,
    units::{UnitIndex, Units, is_topic},
    vocabulary::{TermId, Vocabulary},
};

/// Terms with how often they occur, ascending.
type Counts = Vec<(TermId, u32)>;

/// All that speaks for units.
pub(crate) struct UnitTexts {
    /// The terms of the course.
    pub(crate) vocabulary: Vocabulary,
    /// The documents that vote.
    pub(crate) documents: Vec<Document>,
    /// The terms of the units' titles, tags and anchors.
    pub(crate) named: HashSet<TermId>,
    /// How the course spells its words.
    pub(crate) spelling: Spelling,
}

impl UnitTexts {
    /// Everything in a pack. Exam support takes no part: it speaks of answers.
    pub(crate) fn of(pack: &Pack, units: &Units, analyser: &Analyser) -> Self {
        let mut builder = Builder {
            pack,
            units,
            analyser,
            unit_texts: Self {
                vocabulary: Vocabulary::default(),
                documents: Vec::new(),
                named: HashSet::new(),
                spelling: Spelling::default(),
            },
            texts: Vec::new(),
        };
        builder.units();
        builder.chunks();
        builder.questions();
        let Builder {
            mut unit_texts,
            texts,
            ..
        } = builder;
        unit_texts.spelling = Spelling::of(texts.iter().map(String::as_str));
        unit_texts
    }
}

struct Builder<'a> {
    pack: &'a Pack,
    units: &'a Units,
    analyser: &'a Analyser,
    unit_texts: UnitTexts,
    texts: Vec<String>,
}

impl<'a> Builder<'a> {
    fn units(&mut self) {
        let pack = self.pack;
        for unit in pack.units.iter().filter(|unit| is_topic(pack, unit)) {
            let id = [unit.id.as_str()];
            let tags = unit.tags.join(", ");
            for name in [&unit.title, &tags].into_iter().chain(&unit.anchors) {
                let counts = self.counts(name);
                self.unit_texts
                    .named
                    .extend(counts.iter().map(|(term, _)| term));
                self.speak_for(id, counts);
            }
            let wrong = unit.misconceptions.iter().map(|wrong| &wrong.text);
            for text in std::iter::once(&unit.summary).chain(wrong) {
                let counts = self.counts(text);
                self.speak_for(id, counts);
            }
            for drill in &unit.drills {
                let counts = self.counts(&format!("{}\n{}", drill.prompt, drill.question_latex));
                self.speak_for(id, counts);
            }
        }
    }

    fn chunks(&mut self) {
        for chunk in &self.pack.chunks {
            let counts = self.counts(&format!("{}\n{}", chunk.section, chunk.text));
            self.speak_for([chunk.unit.as_str()], counts);
        }
    }

    /// What is asked; never options or answers.
    fn questions(&mut self) {
        for question in &self.pack.questions {
            let counts = self.counts(&format!("{}\n{}", question.prompt, question.question_latex));
            self.speak_for(question.units.iter().map(String::as_str), counts);
        }
    }

    fn counts(&mut self, text: &str) -> Counts {
        let analysis = terms::analyse(self.analyser, text);
        let mut counts: BTreeMap<TermId, u32> = BTreeMap::new();
        for (term, times) in terms::counts(&analysis) {
            *counts
                .entry(self.unit_texts.vocabulary.intern(term))
                .or_default() += times;
        }
        self.texts.push(text.to_owned());
        counts.into_iter().collect()
    }

    /// Lets a text speak for those of the units that a message can be about.
    fn speak_for(&mut self, units: impl IntoIterator<Item = &'a str>, terms: Counts) {
        let mut units: Vec<UnitIndex> = self.units.places(units);
        units.retain(|unit| is_topic(self.pack, &self.pack.units[unit.at()]));
        if !units.is_empty() && !terms.is_empty() {
            self.unit_texts.documents.push(Document { units, terms });
        }
    }
}
