//! Terms to small numbers, once for the whole course.

use std::collections::HashMap;

use turnwise_text::{Term, TermKind};

/// A term's number.
pub(crate) type TermId = u32;

/// All terms of a course.
#[derive(Default)]
pub(crate) struct Vocabulary {
    ids: HashMap<Box<str>, TermId>,
    kinds: Vec<TermKind>,
}

impl Vocabulary {
    /// The number of a term; a new one if the term is new.
    pub(crate) fn intern(&mut self, term: &Term) -> TermId {
        if let Some(id) = self.ids.get(term.text.as_str()) {
            return *id;
        }
        let id = self.kinds.len() as TermId;
        self.ids.insert(term.text.as_str().into(), id);
        self.kinds.push(term.kind);
        id
    }

    /// The number of a term that the course holds.
    pub(crate) fn id(&self, term: &Term) -> Option<TermId> {
        self.ids.get(term.text.as_str()).copied()
    }

    /// What a term is made from.
    pub(crate) fn kind(&self, term: TermId) -> TermKind {
        self.kinds[term as usize]
    }

    /// How many terms there are.
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }
}
