//! Whether a message is about the topics of a chat.
//!
//! What speaks for it: words of a topic, of its synonyms or its concept, the lesson's title, formulas of its kind, several
//! words of its units. What speaks against it: words of another subject, requests that no lesson has, attempts to change the
//! rules, and sentences that ask for something else. A message that says nothing of any subject follows the conversation.

mod evidence;

use std::collections::{BTreeMap, HashMap};

use self::evidence::Evidence;
use crate::{
    decide::{Memory, Scope},
    lesson::Lesson,
    lexicon::{CONCEPT_FORMS, CONCEPTS, Concept, SUBJECT_FORMS, SUBJECTS, Weight, is_chat},
    texts,
    words::{Language, Word, words},
};

/// What a message is, seen from the topics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// About a topic.
    Topic,
    /// About the lesson, but no topic of it.
    Lesson,
    /// About something else.
    Elsewhere,
}

/// What a chat may be about, ready to be compared.
pub(crate) struct Judge<'a> {
    language: Language,
    /// The spelling of each topic.
    pub(crate) topics: Vec<String>,
    /// What the helper suggests, folded, with the topic's place.
    suggested: HashMap<String, Option<usize>>,
    /// Each way to name a topic: the topic's place, its words.
    names: Vec<(usize, Vec<Word>)>,
    /// The concepts that topics are about, with the topic's place.
    concepts: Vec<(usize, &'static Concept)>,
    unit_words: &'a [Word],
    context: Vec<Word>,
    /// Whether there is any topic; otherwise the words of the lesson decide.
    has_topics: bool,
    own_subjects: Vec<bool>,
    /// Whether formulas may belong to the lesson: one of mathematics, science or programming.
    calculates: bool,
    /// Whether chemical formulas may belong to the lesson.
    is_scientific: bool,
    /// Whether word problems may belong to the lesson.
    is_mathematical: bool,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(
        scope: &Scope,
        lesson: Option<&'a Lesson>,
        locale: &str,
        courses: &str,
    ) -> Self {
        let mut topics: Vec<String> = Vec::new();
        let mut add = |topic: &String| {
            if !topic.trim().is_empty() && !topics.contains(topic) {
                topics.push(topic.clone());
            }
        };
        scope
            .topics
            .iter()
            .chain(&scope.allowed_topics)
            .for_each(&mut add);
        if let Some(lesson) =
            lesson.filter(|_| scope.topics.is_empty() && scope.allowed_topics.is_empty())
        {
            lesson.allowed_topics.iter().for_each(&mut add);
        }
        let mut names: Vec<(usize, Vec<Word>)> = Vec::new();
        let written = Language::of_locale(courses);
        let name = |text: &str| {
            let mut name = words(text);
            name.retain(|word| word.tells(written));
            name
        };
        for (place, topic) in topics.iter().enumerate() {
            names.push((place, name(topic)));
            for (named, synonyms) in lesson.iter().flat_map(|lesson| &lesson.synonyms) {
                if named.to_lowercase() == topic.to_lowercase() {
                    names.extend(synonyms.iter().map(|synonym| (place, name(synonym))));
                }
            }
        }
        let title = lesson.map(|lesson| name(&lesson.title)).unwrap_or_default();
        let context = name(&scope.context);
        let has_topics = !topics.is_empty();
        // The first topic of each concept; the title stands for none.
        let mut named: BTreeMap<usize, usize> = BTreeMap::new();
        let mut own_subjects = vec![false; SUBJECTS.len()];
        let of_title = title.iter().map(|word| (usize::MAX, word));
        let of_names = names
            .iter()
            .flat_map(|(place, name)| name.iter().map(|word| (*place, word)));
        for (place, word) in of_names.chain(of_title) {
            for concept in CONCEPT_FORMS.lists(word) {
                named.entry(concept).or_insert(place);
            }
            for subject in SUBJECT_FORMS.lists(word) {
                own_subjects[subject] = true;
            }
        }
        for subject in context.iter().flat_map(|word| SUBJECT_FORMS.lists(word)) {
            own_subjects[subject] = true;
        }
        for (own, subject) in own_subjects.iter_mut().zip(SUBJECTS.iter()) {
            *own &= subject.weight == Weight::Subject;
        }
        let mut concepts: Vec<(usize, &Concept)> = named
            .into_iter()
            .map(|(concept, place)| (place, &CONCEPTS[concept]))
            .collect();
        let owns = |name: &str| {
            let mut subjects = SUBJECTS.iter().zip(&own_subjects);
            subjects.any(|(subject, own)| *own && subject.name == name)
        };
        let calculates =
            !concepts.is_empty() || ["maths", "science", "programming"].into_iter().any(&owns);
        let is_scientific = ["science", "biology"].into_iter().any(&owns);
        // Programs have variables, too: a lesson about them takes no exercises of algebra.
        let has_shapes = concepts
            .iter()
            .any(|(_, concept)| !concept.shapes.is_empty());
        let is_mathematical = owns("maths") || (has_shapes && !owns("programming"));
        concepts.retain(|(_, concept)| is_mathematical || concept.shapes.is_empty());
        names.push((usize::MAX, title));
        Self {
            language: Language::of_locale(locale),
            suggested: texts::suggested(&topics),
            topics,
            names,
            concepts,
            unit_words: lesson
                .map(|lesson| lesson.unit_texts.words())
                .unwrap_or_default(),
            context,
            has_topics,
            own_subjects,
            calculates,
            is_scientific,
            is_mathematical,
        }
    }

    /// Whether the message is one that the helper suggests, and the topic that it names.
    pub(crate) fn suggested(&self, message: &str) -> Option<Option<usize>> {
        self.suggested.get(&texts::folded(message)).copied()
    }

    /// What the message is, after what was said before, and the topic that it names.
    pub(crate) fn judge(&self, message: &str, memory: &Memory) -> (Standing, Option<usize>) {
        if let Some(topic) = self.suggested(message) {
            return (Standing::Topic, topic);
        }
        let evidence = self.evidence(message);
        let alone = self.alone(&evidence);
        if alone == Standing::Topic || evidence.against > 0 {
            return (alone, evidence.topic);
        }
        match self.follows(message, &evidence, memory) {
            Standing::Elsewhere => (alone, evidence.topic),
            standing => (standing, evidence.topic),
        }
    }

    /// What it is by itself.
    fn alone(&self, evidence: &Evidence) -> Standing {
        let topical = evidence.topical + if self.has_topics { 0 } else { evidence.lesson };
        if topical > evidence.against {
            Standing::Topic
        } else if evidence.against == 0 && topical + evidence.lesson > 0 {
            Standing::Lesson
        } else {
            Standing::Elsewhere
        }
    }

    /// A message that does not say what it is about goes with the latest one that did.
    fn follows(&self, message: &str, evidence: &Evidence, memory: &Memory) -> Standing {
        let answers = memory
            .turns
            .last()
            .is_some_and(|(is_student, _)| !is_student);
        let vague = evidence.chat_only || evidence.formula_only || (answers && evidence.is_short);
        let mut said: Vec<&str> = Vec::new();
        for (is_student, text) in memory.turns.iter().rev() {
            if !is_student {
                said.push(text);
                continue;
            }
            let earlier = self.evidence(text);
            match self.alone(&earlier) {
                Standing::Elsewhere
                    if earlier.against == 0
                        && (earlier.chat_only || earlier.formula_only || earlier.is_short) => {}
                Standing::Elsewhere => return Standing::Elsewhere,
                standing => {
                    said.push(text);
                    let follows = vague || self.echoes(message, evidence, &said);
                    return if follows {
                        standing
                    } else {
                        Standing::Elsewhere
                    };
                }
            }
        }
        let summary = self.evidence(&memory.summary);
        match self.alone(&summary) {
            // Nothing was off topic so far, or it would have been met above.
            Standing::Elsewhere if memory.summary.trim().is_empty() || summary.chat_only => {
                let opens = evidence.chat_only && !evidence.has_shape;
                if opens || (answers && vague) {
                    Standing::Topic
                } else {
                    Standing::Elsewhere
                }
            }
            Standing::Elsewhere => Standing::Elsewhere,
            standing if vague => standing,
            _ => Standing::Elsewhere,
        }
    }

    /// Whether at least half of what the message says was said before.
    fn echoes(&self, message: &str, evidence: &Evidence, said: &[&str]) -> bool {
        let before: Vec<Word> = said.iter().flat_map(|text| words(text)).collect();
        let reading = self.read(message);
        let telling = reading
            .words
            .iter()
            .filter(|w| w.tells(reading.language) && !is_chat(w));
        let new = telling
            .filter(|w| !before.iter().any(|b| w.is_form_of(b)))
            .count();
        new == 0 || (evidence.unknown + evidence.known) as usize >= 2 * new
    }
}
