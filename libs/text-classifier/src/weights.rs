//! The file that a model is kept in. All numbers are little-endian; a string is its length as one byte and its UTF-8.
//!
//! | part | content |
//! | --- | --- |
//! | head | `TWTC`, the format as u16, the model's name, the hash of its data as u64 |
//! | classes | their number as u8; for each its name, its bias, the scores `uncertain` and `certain`, as f32; infinite: harmless |
//! | lexicon | the number of concepts as u8, their names; the number of entries as u32, for each its text and concept as u8 |
//! | weights | the power of two of bins as u8, the scale as f32, the number of rows as u32; then the rows that are not zero |
//! | a row | the distance from the row before as a variable-length number (LEB128); a bit for each class that has a weight; these as i8 |

use std::collections::BTreeMap;

use crate::{
    classifier::{Alarm, Class, Classifier, MAX_CLASSES, Row},
    lexicon::Lexicon,
};

const MAGIC: &[u8; 4] = b"TWTC";
/// Raise it with any change to the file, to features or to hashes: older weights are then refused.
const FORMAT: u16 = 2;
const MAX_BITS: u8 = 20;

/// Why a file holds no model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// It is no file of weights.
    #[error("these are no weights of a classifier")]
    NoWeights,
    /// It is of another format.
    #[error("these weights have format {0}, and {FORMAT} is read; train the model again")]
    Format(u16),
    /// It ends too early, goes on after its end, or holds what no model has.
    #[error("these weights are damaged")]
    Damaged,
}

impl Classifier {
    /// The model in a file.
    ///
    /// # Errors
    /// The file holds no model, or one of another format.
    pub fn read(bytes: &[u8]) -> Result<Self, WeightsError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(WeightsError::NoWeights)?;
        let mut from = Reader { rest };
        let format = u16::from_le_bytes(from.array()?);
        if format != FORMAT {
            return Err(WeightsError::Format(format));
        }
        let name = from.string()?;
        let data_hash = u64::from_le_bytes(from.array()?);
        let (mut classes, mut biases) = (Vec::new(), Vec::new());
        for _ in 0..from.byte()? {
            let name = from.string()?;
            biases.push(from.number()?);
            let (uncertain, certain) = (from.number()?, from.number()?);
            let alarm = certain.is_finite().then_some(Alarm { uncertain, certain });
            classes.push(Class { name, alarm });
        }
        let mut concepts = Vec::new();
        for _ in 0..from.byte()? {
            concepts.push(from.string()?);
        }
        let mut entries = BTreeMap::new();
        for _ in 0..u32::from_le_bytes(from.array()?) {
            entries.insert(from.string()?, from.byte()?);
        }
        let bits = from.byte()?;
        if bits > MAX_BITS || classes.is_empty() || classes.len() > MAX_CLASSES {
            return Err(WeightsError::Damaged);
        }
        let scale = from.number()?;
        let mut rows = vec![Row::default(); 1 << bits];
        let mut next = 0;
        for _ in 0..u32::from_le_bytes(from.array()?) {
            next += from.variable()?;
            let present = from.byte()?;
            let row = rows.get_mut(next).ok_or(WeightsError::Damaged)?;
            for (class, weight) in row.iter_mut().enumerate() {
                if present & (1 << class) != 0 {
                    *weight = i8::from_le_bytes([from.byte()?]);
                }
            }
            next += 1;
        }
        if !from.rest.is_empty() {
            return Err(WeightsError::Damaged);
        }
        Ok(Self {
            name,
            data_hash,
            classes,
            biases,
            scale,
            rows,
            lexicon: Lexicon::of(concepts, entries),
        })
    }

    /// The file of this model.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut to = Vec::new();
        to.extend(MAGIC);
        to.extend(FORMAT.to_le_bytes());
        string(&mut to, &self.name);
        to.extend(self.data_hash.to_le_bytes());
        to.push(self.classes.len() as u8);
        for (class, bias) in self.classes.iter().zip(&self.biases) {
            string(&mut to, &class.name);
            let [uncertain, certain] = class
                .alarm
                .map_or([f32::INFINITY; 2], |alarm| [alarm.uncertain, alarm.certain]);
            for number in [*bias, uncertain, certain] {
                to.extend(number.to_le_bytes());
            }
        }
        to.push(self.lexicon.concepts().len() as u8);
        for concept in self.lexicon.concepts() {
            string(&mut to, concept);
        }
        to.extend((self.lexicon.entries().len() as u32).to_le_bytes());
        for (entry, concept) in self.lexicon.entries() {
            string(&mut to, entry);
            to.push(*concept);
        }
        to.push(self.rows.len().trailing_zeros() as u8);
        to.extend(self.scale.to_le_bytes());
        let rows = || {
            let rows = self.rows.iter().enumerate();
            rows.filter(|(_, row)| **row != Row::default())
        };
        to.extend((rows().count() as u32).to_le_bytes());
        let mut next = 0;
        for (at, row) in rows() {
            variable(&mut to, at - next);
            next = at + 1;
            let bits = row.iter().enumerate();
            to.push(bits.fold(0, |bits, (class, weight)| {
                bits | (u8::from(*weight != 0) << class)
            }));
            let weights = row.iter().filter(|weight| **weight != 0);
            to.extend(weights.map(|weight| weight.to_le_bytes()[0]));
        }
        to
    }
}

/// Longer ones are cut where a character begins.
fn string(to: &mut Vec<u8>, text: &str) {
    let text = &text[..text.floor_char_boundary(usize::from(u8::MAX))];
    to.push(text.len() as u8);
    to.extend(text.as_bytes());
}

fn variable(to: &mut Vec<u8>, mut number: usize) {
    while number > 0x7f {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8], WeightsError> {
        let (bytes, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or(WeightsError::Damaged)?;
        self.rest = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], WeightsError> {
        self.bytes(N)?.try_into().map_err(|_| WeightsError::Damaged)
    }

    fn byte(&mut self) -> Result<u8, WeightsError> {
        Ok(self.array::<1>()?[0])
    }

    fn number(&mut self) -> Result<f32, WeightsError> {
        Ok(f32::from_le_bytes(self.array()?))
    }

    fn string(&mut self) -> Result<String, WeightsError> {
        let length = usize::from(self.byte()?);
        let text = std::str::from_utf8(self.bytes(length)?);
        Ok(text.map_err(|_| WeightsError::Damaged)?.to_owned())
    }

    fn variable(&mut self) -> Result<usize, WeightsError> {
        let mut number = 0;
        for shift in [0, 7, 14, 21] {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(WeightsError::Damaged)
    }
}
