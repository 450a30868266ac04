//! Immutable content, compact in memory: rows of a namespace stand by first unit, tier and id.
//!
//! A part has one dictionary of terms and a table for each namespace. Strings stand in one piece of memory for each column,
//! and what many passages share (source, title, section, ...) stands once. Vectors are one matrix for each table.

use std::sync::Arc;

use crate::{
    bm25,
    document::{ContentHash, Document, Namespace, Passage, Tier},
    engine::{ModelId, PartId},
};
use dictionary::Dictionary;
use table::{LABELS, Table};

mod build;
mod codec;
mod dictionary;
mod strings;
pub(crate) mod table;
pub(crate) mod terms;
mod vectors;

/// A piece of content that is complete and never changes.
#[derive(Debug)]
pub struct Part {
    id: PartId,
    model: Option<ModelId>,
    columns: Arc<Columns>,
    /// The vectors of each namespace, row after row, zeros for rows without one; empty if none has one.
    vectors: [Box<[f32]>; Namespace::ALL.len()],
}

/// All of a part but its vectors.
#[derive(Debug, Default)]
struct Columns {
    dictionary: Dictionary,
    tables: [Table; Namespace::ALL.len()],
}

/// Why documents make no part, or bytes are none.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PartError {
    /// A document breaks a bound of [`Document`].
    #[error("document `{id}`: {problem}")]
    Document {
        /// The document.
        id: String,
        /// What is wrong.
        problem: String,
    },
    /// The documents are more than a part can hold.
    #[error("too much for one part: {0}")]
    TooLarge(&'static str),
    /// The bytes are damaged, of a newer format, or of another part.
    #[error("the bytes are no part: {0}")]
    Damaged(String),
}

/// One document of a part.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    part: &'a Part,
    namespace: Namespace,
    place: usize,
}

impl Part {
    /// Makes a part. `model` is the model of its vectors; `None`: it has none. Chunks either all have vectors or none.
    ///
    /// # Errors
    /// A document breaks a bound of [`Document`], two of a namespace have one id, or a vector does not fit the model;
    /// [`PartError::TooLarge`] beyond 16,777,216 different terms, or 4 GiB of one kind of text.
    pub fn new(
        id: PartId,
        model: Option<ModelId>,
        documents: Vec<Document>,
    ) -> Result<Self, PartError> {
        build::part(id, model, documents)
    }

    /// Its name.
    pub fn id(&self) -> &PartId {
        &self.id
    }

    /// The model of its vectors.
    pub fn model(&self) -> Option<&ModelId> {
        self.model.as_ref()
    }

    /// The rows of a namespace, by first unit, tier and id.
    pub fn rows(&self, namespace: Namespace) -> impl ExactSizeIterator<Item = Row<'_>> {
        (0..self.table(namespace).len()).map(move |place| self.row(namespace, place))
    }

    /// The part as bytes with a checksum, vectors left out.
    pub fn encode(&self) -> Vec<u8> {
        codec::encode(self)
    }

    /// The part that these bytes are, with the vectors that `vectors` finds by content (one for each hash, in order).
    ///
    /// # Errors
    /// [`PartError::Damaged`]: the bytes are damaged, or are another part than `id`, or one of another model.
    /// [`PartError::Document`]: a vector does not fit, or is no longer found. Either way the part is to be made again.
    pub fn decode(
        id: &PartId,
        bytes: &[u8],
        model: Option<ModelId>,
        vectors: impl FnOnce(&[ContentHash]) -> Vec<Option<Vec<f32>>>,
    ) -> Result<Self, PartError> {
        codec::decode(id, bytes, model, vectors)
    }

    /// The bytes of memory that it takes, to within a few hundred.
    pub fn memory(&self) -> usize {
        let columns = &self.columns;
        let tables = columns.tables.iter().map(Table::bytes).sum::<usize>();
        let vectors = self.vectors.iter().map(|matrix| size_of_val(&**matrix));
        size_of::<Self>()
            + size_of::<Columns>()
            + columns.dictionary.bytes()
            + tables
            + vectors.sum::<usize>()
    }

    /// A row by its place.
    pub(crate) fn row(&self, namespace: Namespace, place: usize) -> Row<'_> {
        Row {
            part: self,
            namespace,
            place,
        }
    }

    /// The rows of a namespace, column by column.
    pub(crate) fn table(&self, namespace: Namespace) -> &Table {
        &self.columns.tables[namespace as usize]
    }

    /// How many terms its dictionary has.
    pub(crate) fn terms(&self) -> usize {
        self.columns.dictionary.terms().len()
    }

    /// The term at a place of the dictionary.
    pub(crate) fn term(&self, place: u32) -> &str {
        self.columns.dictionary.terms().get(place as usize)
    }

    /// The place of a term in the dictionary.
    pub(crate) fn find_term(&self, term: &str) -> Option<u32> {
        // A dictionary has at most 2^24 terms.
        self.columns.dictionary.find(term).map(|place| place as u32)
    }

    /// The vectors of a namespace, row after row; empty if it has none.
    pub(crate) fn matrix(&self, namespace: Namespace) -> &[f32] {
        &self.vectors[namespace as usize]
    }

    /// The same part, its vectors left out of memory.
    pub(crate) fn without_vectors(&self) -> Self {
        Self {
            id: self.id.clone(),
            model: self.model.clone(),
            columns: Arc::clone(&self.columns),
            vectors: Default::default(),
        }
    }
}

impl<'a> Row<'a> {
    fn table(self) -> &'a Table {
        self.part.table(self.namespace)
    }

    /// Its id.
    pub fn id(self) -> &'a str {
        self.table().id(self.place)
    }

    /// Its units, in the order of the document.
    pub fn units(self) -> impl Iterator<Item = &'a str> {
        let table = self.table();
        let places = table.units_of(self.place).iter();
        places.map(|unit| table.units().get(*unit as usize))
    }

    /// Its tier.
    pub fn tier(self) -> Option<Tier> {
        self.table().flags[self.place].tier()
    }

    /// Its terms with how often they occur, ascending by bytes.
    pub fn terms(self) -> impl Iterator<Item = (&'a str, u32)> {
        let terms = self.table().terms().of(self.place);
        terms.map(move |(term, times)| (self.part.term(term), times))
    }

    /// Its terms with what each adds to a BM25 score for each unit of weight and idf: the saturation, with the average
    /// length of this part's rows in this namespace.
    pub fn saturations(self) -> impl Iterator<Item = (&'a str, f64)> {
        let table = self.table();
        let damping = bm25::damping(table.terms().length(self.place), table.average_length());
        self.terms()
            .map(move |(term, times)| (term, bm25::saturation(times, damping)))
    }

    /// Its vector.
    pub fn vector(self) -> Option<&'a [f32]> {
        let dimension = self.part.model.as_ref()?.dimension;
        let start = self.place * dimension;
        let matrix = self.part.matrix(self.namespace);
        let values = matrix.get(start..start + dimension)?;
        self.table().flags[self.place].vector().then_some(values)
    }

    /// What its vector is made from.
    pub fn content(self) -> ContentHash {
        self.table().contents[self.place]
    }

    /// What is shown of it, put together from where the part keeps it.
    pub fn passage(self) -> Option<Passage> {
        let table = self.table();
        let flags = table.flags[self.place];
        if !flags.passage() {
            return None;
        }
        let labels = table.label_places.get(self.place * LABELS..)?;
        let label = |which: usize| {
            labels
                .get(which)
                .map(|place| table.labels.get(*place as usize))
        };
        Some(Passage {
            source: label(0)?.into(),
            title: label(1)?.into(),
            chunk_type: label(2)?.into(),
            section_kind: label(3)?.into(),
            section: label(4)?.into(),
            url: label(5)?.into(),
            page: *table.pages.get(self.place)?,
            start_ms: if flags.start() {
                table.starts_ms.get(self.place).copied()
            } else {
                None
            },
            text: table.texts.get(self.place).into(),
        })
    }
}

/// Strings that cannot stand in one column.
impl From<strings::TooLong> for PartError {
    fn from(_: strings::TooLong) -> Self {
        Self::TooLarge("more than 4 GiB of one kind of text")
    }
}
