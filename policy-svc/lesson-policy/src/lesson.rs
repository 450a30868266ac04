//! The lessons of a course, as decisions need them.

use std::{collections::BTreeMap, sync::OnceLock};

use crate::words::{Word, words};

/// A course.
#[derive(Debug, Clone, Default)]
pub struct Course {
    /// Its id.
    pub id: String,
    /// The version of its pack.
    pub pack_hash: String,
    /// A BCP 47 language tag.
    pub locale: String,
    /// Its lessons, each slug once.
    pub lessons: Vec<Lesson>,
}

impl Course {
    /// The lesson of this slug.
    pub fn lesson(&self, slug: &str) -> Option<&Lesson> {
        self.lessons.iter().find(|lesson| lesson.slug == slug)
    }

    /// Adds a lesson. One of the same slug is the same lesson, written in several files: what the first says once holds,
    /// and lists are joined.
    pub fn add(&mut self, lesson: Lesson) {
        let Some(held) = self.lessons.iter_mut().find(|l| l.slug == lesson.slug) else {
            self.lessons.push(lesson);
            return;
        };
        join(&mut held.unit_ids, lesson.unit_ids);
        join(&mut held.allowed_topics, lesson.allowed_topics);
        let mut texts = std::mem::take(&mut held.unit_texts).texts;
        join(&mut texts, lesson.unit_texts.texts);
        held.unit_texts = texts.into();
        for (topic, words) in lesson.synonyms {
            join(held.synonyms.entry(topic).or_default(), words);
        }
        for (text, other) in [
            (&mut held.title, lesson.title),
            (&mut held.reference, lesson.reference),
            (&mut held.redirect, lesson.redirect),
            (&mut held.check_question, lesson.check_question),
        ] {
            if text.is_empty() {
                *text = other;
            }
        }
    }
}

fn join(list: &mut Vec<String>, more: Vec<String>) {
    for item in more {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}

/// A lesson of a course.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lesson {
    /// Its name in addresses and tokens.
    pub slug: String,
    /// The title that people read.
    pub title: String,
    /// The units that it teaches.
    pub unit_ids: Vec<String>,
    /// What a chat about it may be about.
    pub allowed_topics: Vec<String>,
    /// What students call the topics, by topic.
    pub synonyms: BTreeMap<String, Vec<String>>,
    /// The author's redirect; may be empty.
    pub redirect: String,
    /// The author's check question; may be empty.
    pub check_question: String,
    /// The key of its reference text; may be empty.
    pub reference: String,
    /// Titles and anchors of its units.
    pub unit_texts: UnitTexts,
}

/// Titles and anchors of units, and their words once they were needed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UnitTexts {
    texts: Vec<String>,
    words: OnceLock<Vec<Word>>,
}

impl From<Vec<String>> for UnitTexts {
    fn from(texts: Vec<String>) -> Self {
        Self {
            texts,
            words: OnceLock::new(),
        }
    }
}

impl UnitTexts {
    /// Each word once.
    pub(crate) fn words(&self) -> &[Word] {
        self.words.get_or_init(|| {
            let mut words: Vec<Word> = self.texts.iter().flat_map(|text| words(text)).collect();
            words.sort_unstable_by(|a, b| a.text.cmp(&b.text));
            words.dedup_by(|a, b| a.text == b.text);
            words
        })
    }
}
