//! The rows of one namespace of a part, column by column.

use std::ops::Range;

use super::{strings::Strings, terms::Terms};
use crate::{
    bm25,
    document::{ContentHash, Tier},
};

/// How many strings of a passage are shared among rows: source, title, chunk type, section kind, section, url.
pub(crate) const LABELS: usize = 6;

/// The rows of a namespace, ordered by first unit, tier and id.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// The ids, by row.
    pub(super) ids: Strings,
    /// Tier, whether there is a passage, whether it has a place in a recording, whether there is a vector.
    pub(super) flags: Box<[Flags]>,
    /// What the vectors are made from.
    pub(super) contents: Box<[ContentHash]>,
    /// The units of all rows, sorted.
    pub(super) units: Strings,
    /// Where the units of each row end in `unit_places`.
    pub(super) unit_ends: Box<[u32]>,
    /// Places in `units`, in each row's own order.
    pub(super) unit_places: Box<[u32]>,
    /// Which terms the rows hold.
    pub(super) terms: Terms,
    /// What is shown, by row; empty strings where nothing is.
    pub(super) texts: Strings,
    /// Strings that passages share.
    pub(super) labels: Strings,
    /// For each row [`LABELS`] places in `labels`; empty if no row has a passage.
    pub(super) label_places: Box<[u32]>,
    /// Pages, by row; empty if no row has a passage.
    pub(super) pages: Box<[u32]>,
    /// Places in a recording, by row; empty if no row has one.
    pub(super) starts_ms: Box<[u64]>,

    /// Which rows begin with each unit; made of the columns above.
    pub(super) first_of: Box<[u32]>,
    /// Which other rows name each unit: where its rows end in `other_rows`; empty if no row has several units.
    pub(super) other_ends: Box<[u32]>,
    /// Rows that name a unit, but not first; by unit, then by row.
    pub(super) other_rows: Box<[u32]>,
    /// The average length of the rows, in terms.
    pub(super) average_length: f64,
}

/// What is known of a row, in a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flags(pub(super) u8);

impl Flags {
    const TIER: u8 = 0b11;
    const PASSAGE: u8 = 0b100;
    const START: u8 = 0b1000;
    const VECTOR: u8 = 0b1_0000;

    /// The flags of a row.
    pub(super) fn new(tier: Option<Tier>, passage: bool, start: bool, vector: bool) -> Self {
        let tier = tier.map_or(0, |tier| tier as u8 + 1);
        let mut flags = tier;
        for (set, flag) in [
            (passage, Self::PASSAGE),
            (start, Self::START),
            (vector, Self::VECTOR),
        ] {
            if set {
                flags |= flag;
            }
        }
        Self(flags)
    }

    /// Whether a byte is one that [`Flags::new`] makes.
    pub(super) fn is_valid(byte: u8) -> bool {
        byte < 0b10_0000 && (byte & Self::START == 0 || byte & Self::PASSAGE != 0)
    }

    /// 0: no tier; 1 to 3: the tiers.
    fn tier_rank(self) -> u8 {
        self.0 & Self::TIER
    }

    /// Its tier.
    pub(crate) fn tier(self) -> Option<Tier> {
        match self.tier_rank() {
            0 => None,
            1 => Some(Tier::Bronze),
            2 => Some(Tier::Silver),
            _ => Some(Tier::Gold),
        }
    }

    pub(super) fn passage(self) -> bool {
        self.0 & Self::PASSAGE != 0
    }

    pub(super) fn start(self) -> bool {
        self.0 & Self::START != 0
    }

    pub(crate) fn vector(self) -> bool {
        self.0 & Self::VECTOR != 0
    }
}

impl Table {
    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// A row's id.
    pub(crate) fn id(&self, row: usize) -> &str {
        self.ids.get(row)
    }

    /// What is known of each row.
    pub(crate) fn flags(&self) -> &[Flags] {
        &self.flags
    }

    /// The units of all rows, sorted; others speak of them by place.
    pub(crate) fn units(&self) -> &Strings {
        &self.units
    }

    /// The places of a row's units, in its own order.
    pub(crate) fn units_of(&self, row: usize) -> &[u32] {
        let start = row
            .checked_sub(1)
            .map_or(0, |before| self.unit_ends[before]);
        &self.unit_places[start as usize..self.unit_ends[row] as usize]
    }

    /// Which terms the rows hold.
    pub(crate) fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The average length of the rows, in terms.
    pub(crate) fn average_length(&self) -> f64 {
        self.average_length
    }

    /// The rows that begin with a unit: all of them, or those of one tier. They stand next to each other.
    pub(crate) fn first_in(&self, unit: usize, tier: Option<Tier>) -> Range<usize> {
        let all = self.first_of[unit] as usize..self.first_of[unit + 1] as usize;
        let Some(tier) = tier else { return all };
        let rank = tier as u8 + 1;
        let flags = &self.flags[all.clone()];
        let start = flags.partition_point(|row| row.tier_rank() < rank);
        let end = flags.partition_point(|row| row.tier_rank() <= rank);
        all.start + start..all.start + end
    }

    /// The rows that name a unit, but not first.
    pub(crate) fn others_in(&self, unit: usize) -> &[u32] {
        let Some(end) = self.other_ends.get(unit) else {
            return &[];
        };
        let start = unit
            .checked_sub(1)
            .map_or(0, |before| self.other_ends[before]);
        &self.other_rows[start as usize..*end as usize]
    }

    /// Makes the columns that the others determine. The rows are in order.
    pub(super) fn derive(&mut self) {
        let units = self.units.len();
        let several = self.unit_places.len() > self.len();
        let mut first_of = vec![0_u32; units + 1];
        let mut others = vec![0_u32; if several { units } else { 0 }];
        for row in 0..self.len() {
            let [first, rest @ ..] = self.units_of(row) else {
                continue;
            };
            first_of[*first as usize + 1] += 1;
            for unit in rest {
                others[*unit as usize] += 1;
            }
        }
        running_sums(&mut first_of);
        running_sums(&mut others);
        self.other_ends = others.clone().into_boxed_slice();
        let mut other_rows = vec![0; self.unit_places.len().saturating_sub(self.len())];
        for row in (0..self.len()).rev() {
            for unit in self.units_of(row).iter().skip(1) {
                let next = &mut others[*unit as usize];
                *next -= 1;
                // Row numbers fit: there are no more than places of units, whose ends are u32.
                other_rows[*next as usize] = row as u32;
            }
        }
        self.first_of = first_of.into_boxed_slice();
        self.other_rows = other_rows.into_boxed_slice();
        self.average_length = bm25::average_length(self.len(), self.terms.total());
    }

    /// The bytes that the columns take.
    pub(super) fn bytes(&self) -> usize {
        let strings = [&self.ids, &self.units, &self.texts, &self.labels];
        strings.iter().map(|strings| strings.bytes()).sum::<usize>()
            + self.flags.len()
            + size_of_val(&*self.contents)
            + size_of_val(&*self.starts_ms)
            + self.terms.bytes()
            + [
                &self.unit_ends,
                &self.unit_places,
                &self.label_places,
                &self.pages,
                &self.first_of,
                &self.other_ends,
                &self.other_rows,
            ]
            .iter()
            .map(|column| size_of_val(&***column))
            .sum::<usize>()
    }
}

/// Turns counts into sums: each of what stood up to it.
fn running_sums(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        sum += *count;
        *count = sum;
    }
}
