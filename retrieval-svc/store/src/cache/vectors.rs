//! The vectors of one model: packed into blocks of some pages, and an index that says where each stands.
//!
//! A row for each vector would leave much of its page empty and scatter the file. Here a vector that is forgotten or
//! replaced leaves a gap in its block, until [`prune`] packs what is left.

use std::collections::{BTreeMap, HashSet};

use redb::{
    ReadTransaction, ReadableTable, ReadableTableMetadata, Table, TableDefinition, WriteTransaction,
};
use turnwise_embedded_file::{Bytes, Failure as FileFailure, HEAD, copy, seal, unseal};
use turnwise_retrieval_index::{ContentHash, ModelId};

use super::existing;
use crate::Failure;

/// The most bytes of a block's vectors: with what the database adds, a block fills the pages that it is given, which are
/// a power of two. A single vector may be longer.
const BLOCK: usize = 64 * 1024 - 64;
/// How many bits of a location are the place in the block.
const PLACE_BITS: u32 = 16;

type IndexTable<'n> = TableDefinition<'n, &'static ContentHash, u64>;
type BlockTable<'n> = TableDefinition<'n, u64, Bytes>;

/// The names of a model's tables.
#[derive(Debug)]
pub(super) struct Names {
    index: String,
    blocks: String,
}

impl Names {
    /// The names for a model.
    pub(super) fn new(model: &str) -> Self {
        Self {
            index: format!("index {model}"),
            blocks: format!("blocks {model}"),
        }
    }

    fn index(&self) -> IndexTable<'_> {
        TableDefinition::new(&self.index)
    }

    fn blocks(&self) -> BlockTable<'_> {
        TableDefinition::new(&self.blocks)
    }
}

/// What tells a model's vectors from others'.
pub(super) fn name(model: &ModelId) -> String {
    format!("{} {}", model.dimension, model.digest)
}

/// Copies a model's vectors; an error if a row cannot be reached.
pub(super) fn rescue(
    from: &ReadTransaction,
    to: &WriteTransaction,
    model: &str,
) -> Result<(), FileFailure> {
    let names = Names::new(model);
    copy(from, to, names.index())?;
    copy(from, to, names.blocks())
}

/// The vectors of these contents, in their order; `None` if there are none of this model at all.
pub(super) fn find(
    transaction: &ReadTransaction,
    model: &ModelId,
    contents: &[ContentHash],
) -> Result<Option<Vec<Option<Vec<f32>>>>, Failure> {
    let names = Names::new(&name(model));
    let (Some(index), Some(blocks)) = (
        existing(transaction, names.index())?,
        existing(transaction, names.blocks())?,
    ) else {
        return Ok(None);
    };
    // Neighbours lie in one page: first in the order of the index, then in that of the blocks.
    let mut order: Vec<(&ContentHash, usize)> = contents
        .iter()
        .enumerate()
        .map(|(wanted, content)| (content, wanted))
        .collect();
    order.sort_unstable();
    let mut located = Vec::with_capacity(order.len());
    for (content, wanted) in order {
        if let Some(location) = index.get(content)? {
            located.push((location.value(), content, wanted));
        }
    }
    located.sort_unstable();
    let mut found = vec![None; contents.len()];
    for of_block in located.chunk_by(|(one, ..), (other, ..)| block(*one) == block(*other)) {
        let Some((first, ..)) = of_block.first() else {
            continue;
        };
        let Some(bytes) = blocks.get(block(*first))? else {
            continue;
        };
        for (location, content, wanted) in of_block {
            if let Some(slot) = found.get_mut(*wanted) {
                *slot = sealed(bytes.value(), place(*location), model.dimension)
                    .and_then(|sealed| decode(content, sealed));
            }
        }
    }
    Ok(Some(found))
}

/// Keeps vectors, all of the model's length.
pub(super) fn keep(
    transaction: &WriteTransaction,
    model: &ModelId,
    vectors: &[&(ContentHash, Vec<f32>)],
) -> Result<(), Failure> {
    let names = Names::new(&name(model));
    let mut packing = Packing::open(transaction, &names, model.dimension)?;
    for (content, vector) in vectors {
        let mut numbers = Vec::with_capacity(size_of_val(vector.as_slice()));
        for number in vector {
            numbers.extend_from_slice(&number.to_le_bytes());
        }
        packing.add(*content, &seal(&[content], &numbers))?;
    }
    packing.finish()
}

/// Forgets the vectors of these contents; whether there was any.
pub(super) fn forget(
    transaction: &WriteTransaction,
    model: &ModelId,
    contents: &[ContentHash],
) -> Result<bool, Failure> {
    let names = Names::new(&name(model));
    let mut index = transaction.open_table(names.index())?;
    let mut forgotten = false;
    for content in contents {
        forgotten |= index.remove(content)?.is_some();
    }
    Ok(forgotten)
}

/// Forgets the vectors of all contents but these, and packs blocks that are less than half full; how many vectors were
/// forgotten.
pub(super) fn prune(
    transaction: &WriteTransaction,
    model: &ModelId,
    keep: &HashSet<ContentHash>,
) -> Result<u64, Failure> {
    let names = Names::new(&name(model));
    let mut packing = Packing::open(transaction, &names, model.dimension)?;
    let before = packing.index.len()?;
    packing.index.retain(|content, _| keep.contains(content))?;
    let forgotten = before - packing.index.len()?;
    let mut used: BTreeMap<u64, Vec<(ContentHash, usize)>> = BTreeMap::new();
    for row in packing.index.iter()? {
        let (content, location) = row?;
        let location = location.value();
        let of_block = used.entry(block(location)).or_default();
        of_block.push((*content.value(), place(location)));
    }
    let mut sparse = Vec::new();
    for row in packing.blocks.iter()? {
        let (number, bytes) = row?;
        let count = used.get(&number.value()).map_or(0, Vec::len);
        if count * 2 * record_length(model.dimension) < bytes.value().len() {
            sparse.push(number.value());
        }
    }
    for number in sparse {
        let Some(bytes) = packing
            .blocks
            .remove(number)?
            .map(|bytes| bytes.value().to_vec())
        else {
            continue;
        };
        for (content, place) in used.remove(&number).unwrap_or_default() {
            match sealed(&bytes, place, model.dimension) {
                Some(sealed) => packing.add(content, sealed)?,
                None => {
                    packing.index.remove(&content)?;
                }
            }
        }
    }
    packing.finish()?;
    Ok(forgotten)
}

/// Drops all vectors of a model, by its [`name`].
pub(super) fn drop_all(transaction: &WriteTransaction, model: &str) -> Result<(), Failure> {
    let names = Names::new(model);
    transaction.delete_table(names.index())?;
    transaction.delete_table(names.blocks())?;
    Ok(())
}

/// Fills blocks.
struct Packing<'t> {
    index: Table<'t, &'static ContentHash, u64>,
    blocks: Table<'t, u64, Bytes>,
    /// The number of the block that is being filled: none that is in use, or was when this began.
    number: u64,
    filling: Vec<u8>,
    filled: usize,
    record_length: usize,
}

impl<'t> Packing<'t> {
    fn open(
        transaction: &'t WriteTransaction,
        names: &Names,
        dimension: usize,
    ) -> Result<Self, Failure> {
        let index = transaction.open_table(names.index())?;
        let blocks = transaction.open_table(names.blocks())?;
        let number = blocks.last()?.map_or(0, |(number, _)| number.value() + 1);
        Ok(Self {
            index,
            blocks,
            number,
            filling: Vec::new(),
            filled: 0,
            record_length: record_length(dimension),
        })
    }

    fn add(&mut self, content: ContentHash, sealed: &[u8]) -> Result<(), Failure> {
        if !self.filling.is_empty() && self.filling.len() + self.record_length > BLOCK {
            self.write()?;
        }
        self.index
            .insert(&content, location(self.number, self.filled))?;
        self.filling.extend_from_slice(sealed);
        self.filled += 1;
        Ok(())
    }

    fn write(&mut self) -> Result<(), Failure> {
        self.blocks.insert(self.number, self.filling.as_slice())?;
        self.filling.clear();
        self.filled = 0;
        self.number += 1;
        Ok(())
    }

    fn finish(mut self) -> Result<(), Failure> {
        if self.filling.is_empty() {
            Ok(())
        } else {
            self.write()
        }
    }
}

/// How long a record is.
fn record_length(dimension: usize) -> usize {
    HEAD + dimension * size_of::<f32>()
}

/// Where a vector stands. A block never has so many that the place does not fit: a record is longer than a byte.
fn location(block: u64, place: usize) -> u64 {
    (block << PLACE_BITS) | place as u64
}

fn block(location: u64) -> u64 {
    location >> PLACE_BITS
}

fn place(location: u64) -> usize {
    (location & ((1 << PLACE_BITS) - 1)) as usize
}

/// A record in a block.
fn sealed(block: &[u8], place: usize, dimension: usize) -> Option<&[u8]> {
    let length = record_length(dimension);
    let start = place * length;
    block.get(start..start + length)
}

/// The vector that stands there; `None` if it is damaged.
fn decode(content: &ContentHash, sealed: &[u8]) -> Option<Vec<f32>> {
    let (numbers, _) = unseal(&[content], sealed).ok()?.as_chunks();
    Some(
        numbers
            .iter()
            .map(|&number| f32::from_le_bytes(number))
            .collect(),
    )
}
