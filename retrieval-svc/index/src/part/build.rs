//! From documents to a part.

use std::{
    cmp::Ordering,
    collections::{HashMap, HashSet},
    sync::Arc,
};

use super::{
    Columns, Part, PartError,
    dictionary::Dictionary,
    strings::Strings,
    table::{Flags, LABELS, Table},
    terms::{MOST_TERMS, TermsBuilder},
    vectors::{self, document},
};
use crate::{
    document::{Document, Namespace, Passage},
    engine::{ModelId, PartId},
    vector,
};

/// The longest id, in bytes.
const LONGEST_ID: usize = 300;
/// The most units of a document.
const MOST_UNITS: usize = 64;

/// Makes a part of documents.
pub(super) fn part(
    id: PartId,
    model: Option<ModelId>,
    mut documents: Vec<Document>,
) -> Result<Part, PartError> {
    for document in &documents {
        check(document, model.as_ref())?;
    }
    check_together(&documents)?;
    documents.sort_unstable_by(order);
    let (dictionary, places) = dictionary(&documents)?;
    let mut columns = Columns {
        dictionary,
        ..Columns::default()
    };
    let mut matrices: [Box<[f32]>; Namespace::ALL.len()] = Default::default();
    for namespace in Namespace::ALL {
        let rows: Vec<&Document> = documents
            .iter()
            .filter(|document| document.namespace == namespace)
            .collect();
        columns.tables[namespace as usize] = table(&rows, &places)?;
    }
    drop(places);
    let mut left = documents.into_iter().peekable();
    for namespace in Namespace::ALL {
        let rows = std::iter::from_fn(|| left.next_if(|next| next.namespace == namespace));
        let table = &columns.tables[namespace as usize];
        matrices[namespace as usize] =
            vectors::matrix(table, model.as_ref(), rows.map(|document| document.vector))?;
        // Without a matrix the documents were not asked for.
        while left.next_if(|next| next.namespace == namespace).is_some() {}
    }
    Ok(Part {
        id,
        model,
        columns: Arc::new(columns),
        vectors: matrices,
    })
}

/// The order of rows: by namespace, first unit, tier and id.
fn order(one: &Document, other: &Document) -> Ordering {
    (one.namespace.cmp(&other.namespace))
        .then_with(|| one.units.first().cmp(&other.units.first()))
        .then_with(|| one.tier.cmp(&other.tier))
        .then_with(|| one.id.cmp(&other.id))
}

/// Whether a document keeps the bounds that it can break by itself.
fn check(one: &Document, model: Option<&ModelId>) -> Result<(), PartError> {
    let fault = |problem: String| Err(document(&one.id, problem));
    if one.id.is_empty() || one.id.len() > LONGEST_ID {
        return fault(format!(
            "its id has {} bytes; 1 to 300 are allowed",
            one.id.len()
        ));
    }
    if one.units.is_empty() || one.units.len() > MOST_UNITS {
        return fault(format!(
            "it has {} units; 1 to 64 are allowed",
            one.units.len()
        ));
    }
    for (place, unit) in one.units.iter().enumerate() {
        if one.units[..place].contains(unit) {
            return fault(format!("unit `{unit}` is named twice"));
        }
    }
    if one.tier.is_some() && one.namespace != Namespace::ExamCandidates {
        return fault("it has a tier, which only exam candidates have".to_owned());
    }
    if let Some((term, _)) = one.terms.iter().find(|(_, times)| *times == 0) {
        return fault(format!("term `{term}` occurs 0 times"));
    }
    match (&one.vector, model) {
        (None, _) => Ok(()),
        (Some(_), None) => fault("it has a vector, but the part has no model".to_owned()),
        (Some(vector), Some(model)) => match vector::problem(vector, model.dimension) {
            Some(problem) => fault(problem),
            None => Ok(()),
        },
    }
}

/// Whether documents keep the bounds that they can break together.
fn check_together(documents: &[Document]) -> Result<(), PartError> {
    let mut seen = HashSet::with_capacity(documents.len());
    let mut chunks_have_vectors = None;
    for one in documents {
        if !seen.insert((one.namespace, &*one.id)) {
            return Err(document(
                &one.id,
                "another of its namespace has the same id",
            ));
        }
        if one.namespace == Namespace::Chunks {
            let has = one.vector.is_some();
            if *chunks_have_vectors.get_or_insert(has) != has {
                let problem = "some chunks have a vector and some have none; they must be alike";
                return Err(document(&one.id, problem));
            }
        }
    }
    Ok(())
}

/// All terms, sorted, and the place of each.
fn dictionary(documents: &[Document]) -> Result<(Dictionary, HashMap<&str, u32>), PartError> {
    let mut places: HashMap<&str, u32> = HashMap::new();
    for (term, _) in documents.iter().flat_map(|document| &document.terms) {
        places.insert(term, 0);
    }
    if places.len() > MOST_TERMS {
        return Err(PartError::TooLarge("more than 16,777,216 different terms"));
    }
    let mut terms: Vec<&str> = places.keys().copied().collect();
    terms.sort_unstable();
    for (place, term) in (0..).zip(&terms) {
        places.insert(term, place);
    }
    Ok((Dictionary::of(Strings::of(terms)?), places))
}

/// Strings that get places in the order in which they come.
#[derive(Default)]
struct Interned<'a> {
    places: HashMap<&'a str, u32>,
    strings: Vec<&'a str>,
}

impl<'a> Interned<'a> {
    fn place(&mut self, string: &'a str) -> u32 {
        *self.places.entry(string).or_insert_with(|| {
            self.strings.push(string);
            // There are at most six to a row, and rows are counted in u32 with much to spare.
            self.strings.len() as u32 - 1
        })
    }
}

/// The rows of one namespace, which are in order.
fn table(rows: &[&Document], places: &HashMap<&str, u32>) -> Result<Table, PartError> {
    const MANY: PartError = PartError::TooLarge("more than 4,294,967,295 terms or units");
    if u32::try_from(rows.len().saturating_mul(LABELS)).is_err() {
        return Err(PartError::TooLarge("more than 715,827,882 documents"));
    }
    let mut units: Vec<&str> = rows
        .iter()
        .flat_map(|row| &row.units)
        .map(|unit| &**unit)
        .collect();
    units.sort_unstable();
    units.dedup();
    let mut unit_ends = Vec::with_capacity(rows.len());
    let mut unit_places = Vec::with_capacity(rows.len());
    let mut terms = TermsBuilder::default();
    let mut flags = Vec::with_capacity(rows.len());
    let mut of_row = Vec::new();
    for row in rows {
        for unit in &row.units {
            let place = units.binary_search(&&**unit).unwrap_or_default();
            unit_places.push(u32::try_from(place).map_err(|_| MANY)?);
        }
        unit_ends.push(u32::try_from(unit_places.len()).map_err(|_| MANY)?);
        of_row.clear();
        of_row.extend(
            row.terms
                .iter()
                .map(|(term, times)| (places[&**term], *times)),
        );
        of_row.sort_unstable();
        if let Some(twice) = of_row.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let term = row
                .terms
                .iter()
                .find(|(term, _)| places[&**term] == twice[0].0);
            let term = term.map_or("", |(term, _)| term);
            return Err(document(&row.id, format!("term `{term}` is named twice")));
        }
        terms.push(of_row.iter().copied()).ok_or(MANY)?;
        let passage = row.passage.as_ref();
        flags.push(Flags::new(
            row.tier,
            passage.is_some(),
            passage.is_some_and(|passage| passage.start_ms.is_some()),
            row.vector.is_some(),
        ));
    }
    let mut table = Table {
        ids: Strings::of(rows.iter().map(|row| &*row.id))?,
        flags: flags.into(),
        contents: rows.iter().map(|row| row.content).collect(),
        units: Strings::of(units)?,
        unit_ends: unit_ends.into(),
        unit_places: unit_places.into(),
        terms: terms.build().ok_or(MANY)?,
        ..Table::default()
    };
    passages(&mut table, rows)?;
    table.derive();
    Ok(table)
}

/// Fills in what is shown of the rows.
fn passages(table: &mut Table, rows: &[&Document]) -> Result<(), PartError> {
    if rows.iter().all(|row| row.passage.is_none()) {
        return Ok(());
    }
    let none = Passage::default();
    let passages = || rows.iter().map(|row| row.passage.as_ref().unwrap_or(&none));
    let mut labels = Interned::default();
    let mut label_places = Vec::with_capacity(rows.len() * LABELS);
    for passage in passages() {
        let of_row: [&str; LABELS] = [
            &passage.source,
            &passage.title,
            &passage.chunk_type,
            &passage.section_kind,
            &passage.section,
            &passage.url,
        ];
        label_places.extend(of_row.map(|label| labels.place(label)));
    }
    table.texts = Strings::of(passages().map(|passage| &*passage.text))?;
    table.labels = Strings::of(labels.strings)?;
    table.label_places = label_places.into();
    table.pages = passages().map(|passage| passage.page).collect();
    if passages().any(|passage| passage.start_ms.is_some()) {
        table.starts_ms = passages()
            .map(|passage| passage.start_ms.unwrap_or_default())
            .collect();
    }
    Ok(())
}
