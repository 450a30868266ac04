//! Parts as bytes.
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `TWPART` and the version of the format, two bytes |
//! | 4 | CRC-32 of all that follows |
//! | | the part's id, the model, the dictionary, the tables in the order of their namespaces |
//!
//! A column is its number of values (eight bytes) and the values. All numbers are little-endian. The columns are those of
//! [`Table`], without those that others determine. Reading never takes more memory for a column than the input has bytes.

use std::sync::Arc;

use super::{
    Columns, Part, PartError,
    dictionary::Dictionary,
    strings::Strings,
    table::{Flags, LABELS, Table},
    terms::Terms,
    vectors::{self, document},
};
use crate::{
    document::{ContentHash, Namespace},
    engine::{ModelId, PartId},
};

const MAGIC: [u8; 6] = *b"TWPART";
const VERSION: u16 = 1;
/// How many bytes stand before those that the checksum covers.
const HEAD: usize = 12;

/// A part as bytes.
pub(super) fn encode(part: &Part) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEAD + part.columns.dictionary.bytes());
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    let id = &part.id;
    for name in [&id.tenant, &id.course, &id.source, &id.revision] {
        put_bytes(&mut out, name.as_bytes());
    }
    match &part.model {
        None => out.push(0),
        Some(model) => {
            out.push(1);
            put_bytes(&mut out, model.name.as_bytes());
            put_bytes(&mut out, model.digest.as_bytes());
            put_number(&mut out, model.dimension);
        }
    }
    put_strings(&mut out, part.columns.dictionary.terms());
    for table in &part.columns.tables {
        put_table(&mut out, table);
    }
    let sum = crc32fast::hash(&out[HEAD..]);
    out[HEAD - 4..HEAD].copy_from_slice(&sum.to_le_bytes());
    out
}

fn put_table(out: &mut Vec<u8>, table: &Table) {
    put_strings(out, &table.ids);
    put_number(out, table.flags.len());
    out.extend(table.flags.iter().map(|flags| flags.0));
    put_number(out, table.contents.len());
    for content in &table.contents {
        out.extend_from_slice(content);
    }
    put_strings(out, &table.units);
    put_numbers(out, &table.unit_ends);
    put_numbers(out, &table.unit_places);
    put_numbers(out, &table.terms.ends);
    put_numbers(out, &table.terms.packed);
    put_number(out, table.terms.large.len());
    for (place, times) in &table.terms.large {
        out.extend_from_slice(&place.to_le_bytes());
        out.extend_from_slice(&times.to_le_bytes());
    }
    put_strings(out, &table.texts);
    put_strings(out, &table.labels);
    put_numbers(out, &table.label_places);
    put_numbers(out, &table.pages);
    put_number(out, table.starts_ms.len());
    for start in &table.starts_ms {
        out.extend_from_slice(&start.to_le_bytes());
    }
}

fn put_number(out: &mut Vec<u8>, number: usize) {
    out.extend_from_slice(&(number as u64).to_le_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len());
    out.extend_from_slice(bytes);
}

fn put_numbers(out: &mut Vec<u8>, numbers: &[u32]) {
    put_number(out, numbers.len());
    out.reserve(size_of_val(numbers));
    for number in numbers {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

fn put_strings(out: &mut Vec<u8>, strings: &Strings) {
    put_bytes(out, strings.text().as_bytes());
    put_number(out, strings.len());
    out.reserve(strings.len() * size_of::<u32>());
    for end in strings.ends() {
        out.extend_from_slice(&end.to_le_bytes());
    }
}

/// The part that bytes are.
pub(super) fn decode(
    id: &PartId,
    bytes: &[u8],
    model: Option<ModelId>,
    find: impl FnOnce(&[ContentHash]) -> Vec<Option<Vec<f32>>>,
) -> Result<Part, PartError> {
    let mut input = Reader { left: body(bytes)? };
    for name in [&id.tenant, &id.course, &id.source, &id.revision] {
        if input.bytes()? != name.as_bytes() {
            return Err(damaged("they are another part"));
        }
    }
    let same = match (input.array::<1>()?, &model) {
        ([0], None) => true,
        ([1], Some(model)) => {
            let name = input.bytes()? == model.name.as_bytes();
            let digest = input.bytes()? == model.digest.as_bytes();
            let dimension = input.number()? == model.dimension;
            name && digest && dimension
        }
        _ => false,
    };
    if !same {
        return Err(damaged("they are a part of another model"));
    }
    let terms = input.strings()?;
    if !terms.rise() {
        return Err(damaged("the terms are out of order"));
    }
    let mut columns = Columns {
        dictionary: Dictionary::of(terms),
        ..Columns::default()
    };
    for table in &mut columns.tables {
        *table = input.table()?;
        check(table, columns.dictionary.terms().len()).map_err(damaged)?;
        table.derive();
    }
    if !input.left.is_empty() {
        return Err(damaged("there is something behind their end"));
    }
    let vectors = matrices(&columns, model.as_ref(), find)?;
    Ok(Part {
        id: id.clone(),
        model,
        columns: Arc::new(columns),
        vectors,
    })
}

/// What the checksum covers, if it is right.
fn body(bytes: &[u8]) -> Result<&[u8], PartError> {
    let mut input = Reader { left: bytes };
    if input.array()? != MAGIC {
        return Err(damaged("they do not begin as one"));
    }
    let version = u16::from_le_bytes(input.array()?);
    if version != VERSION {
        let problem = format!("they are of format {version}, and only {VERSION} can be read");
        return Err(PartError::Damaged(problem));
    }
    let sum = u32::from_le_bytes(input.array()?);
    if crc32fast::hash(input.left) != sum {
        return Err(damaged("the checksum is wrong"));
    }
    Ok(input.left)
}

/// Finds the vectors that a part had when it was encoded.
fn matrices(
    columns: &Columns,
    model: Option<&ModelId>,
    find: impl FnOnce(&[ContentHash]) -> Vec<Option<Vec<f32>>>,
) -> Result<[Box<[f32]>; Namespace::ALL.len()], PartError> {
    let mut matrices: [Box<[f32]>; Namespace::ALL.len()] = Default::default();
    let wanted: Vec<ContentHash> = columns
        .tables
        .iter()
        .flat_map(|table| table.contents.iter().zip(&table.flags))
        .filter_map(|(content, flags)| flags.vector().then_some(*content))
        .collect();
    if wanted.is_empty() {
        return Ok(matrices);
    }
    if model.is_none() {
        return Err(damaged("there are vectors, but no model"));
    }
    let mut found = find(&wanted).into_iter();
    for (table, matrix) in columns.tables.iter().zip(&mut matrices) {
        let mut missing = None;
        let rows = table.flags.iter().enumerate().map_while(|(row, flags)| {
            if !flags.vector() {
                return Some(None);
            }
            let vector = found.next().flatten();
            if vector.is_none() {
                missing = Some(row);
            }
            vector.map(Some)
        });
        *matrix = vectors::matrix(table, model, rows)?;
        if let Some(row) = missing {
            return Err(document(table.id(row), "its vector is no longer there"));
        }
    }
    Ok(matrices)
}

/// Whether the columns of a table fit each other, so that no row of it can lead astray.
fn check(table: &Table, dictionary: usize) -> Result<(), &'static str> {
    let rows = table.len();
    let lengths = [
        table.flags.len(),
        table.contents.len(),
        table.unit_ends.len(),
        table.terms.ends.len(),
    ];
    if lengths.iter().any(|length| *length != rows) {
        return Err("columns differ in length");
    }
    if !table.units.rise()
        || !table.unit_ends.is_sorted()
        || table.unit_ends.last().map_or(0, |last| *last as usize) != table.unit_places.len()
        || (table.unit_places.iter()).any(|place| *place as usize >= table.units.len())
    {
        return Err("units do not fit the rows");
    }
    if (0..rows).any(|row| table.units_of(row).is_empty()) {
        return Err("a row has no unit");
    }
    if table.terms.bound() as usize > dictionary {
        return Err("a term is not in the dictionary");
    }
    let shown = table.texts.len();
    if shown != 0 && shown != rows
        || table.pages.len() != shown
        || table.label_places.len() != shown * LABELS
        || (table.label_places.iter()).any(|place| *place as usize >= table.labels.len())
        || shown == 0 && table.flags.iter().any(|flags| flags.passage())
    {
        return Err("passages do not fit the rows");
    }
    let starts = table.starts_ms.len();
    if starts != 0 && starts != rows || starts == 0 && table.flags.iter().any(|flags| flags.start())
    {
        return Err("places in recordings do not fit the rows");
    }
    let order = |row: usize| {
        let first = table.units_of(row).first().copied();
        (first, table.flags[row].tier(), table.id(row))
    };
    if (1..rows).any(|row| order(row - 1) >= order(row)) {
        return Err("rows are out of order");
    }
    Ok(())
}

/// Reads from the start of what is left.
struct Reader<'a> {
    left: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], PartError> {
        let (taken, left) = self
            .left
            .split_at_checked(length)
            .ok_or_else(|| damaged("they end too early"))?;
        self.left = left;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], PartError> {
        let (taken, left) = self
            .left
            .split_first_chunk()
            .ok_or_else(|| damaged("they end too early"))?;
        self.left = left;
        Ok(*taken)
    }

    fn number(&mut self) -> Result<usize, PartError> {
        let number = u64::from_le_bytes(self.array()?);
        usize::try_from(number).map_err(|_| damaged("a number is too large"))
    }

    fn bytes(&mut self) -> Result<&'a [u8], PartError> {
        let length = self.number()?;
        self.take(length)
    }

    /// The values of a column, each of so many bytes.
    fn values<const N: usize>(&mut self) -> Result<&'a [[u8; N]], PartError> {
        let length = self.number()?;
        let bytes = length
            .checked_mul(N)
            .ok_or_else(|| damaged("they end too early"))?;
        Ok(self.take(bytes)?.as_chunks().0)
    }

    fn numbers(&mut self) -> Result<Box<[u32]>, PartError> {
        let values = self.values()?;
        Ok(values
            .iter()
            .map(|value| u32::from_le_bytes(*value))
            .collect())
    }

    fn strings(&mut self) -> Result<Strings, PartError> {
        let text = std::str::from_utf8(self.bytes()?).map_err(|_| damaged("text is not UTF-8"))?;
        let ends = self.numbers()?;
        Strings::from_raw(text.into(), ends).ok_or_else(|| damaged("strings do not fit their text"))
    }

    fn table(&mut self) -> Result<Table, PartError> {
        let ids = self.strings()?;
        let flags = self.bytes()?;
        if !flags.iter().all(|flags| Flags::is_valid(*flags)) {
            return Err(damaged("a row has unknown flags"));
        }
        let contents = self.values()?.into();
        let units = self.strings()?;
        let unit_ends = self.numbers()?;
        let unit_places = self.numbers()?;
        let (ends, packed) = (self.numbers()?, self.numbers()?);
        let large = (self.values::<8>()?.iter())
            .map(|[a, b, c, d, times @ ..]| {
                let place = u32::from_le_bytes([*a, *b, *c, *d]);
                (place, u32::from_le_bytes(*times))
            })
            .collect();
        let terms = Terms::from_raw(ends, packed, large)
            .ok_or_else(|| damaged("terms do not fit the rows"))?;
        Ok(Table {
            ids,
            flags: flags.iter().map(|flags| Flags(*flags)).collect(),
            contents,
            units,
            unit_ends,
            unit_places,
            terms,
            texts: self.strings()?,
            labels: self.strings()?,
            label_places: self.numbers()?,
            pages: self.numbers()?,
            starts_ms: (self.values()?.iter())
                .map(|value| u64::from_le_bytes(*value))
                .collect(),
            ..Table::default()
        })
    }
}

fn damaged(problem: &'static str) -> PartError {
    PartError::Damaged(problem.to_owned())
}
