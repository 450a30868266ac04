//! The arithmetic of a limit per minute: GCRA, the generic cell rate algorithm, in its form as a leaky bucket that is
//! read as a meter (ITU-T I.371, annex A.1). Pure; `limits.lua` does the same sums.
//!
//! A level rises with every hit and drains evenly. It is counted in sixty-millionths of a unit, as then a limit of `n`
//! units a minute drains `n` of them in every microsecond: all sums are whole numbers, nothing is rounded but the wait,
//! and that up to the next microsecond.

use crate::Quota;

/// Parts of a unit, which are as many as a minute has microseconds.
const PARTS: u64 = 60_000_000;
/// The highest level there is: a Lua number holds twice that exactly.
const CEILING: u64 = 1 << 52;
/// For how long a debt is remembered, in microseconds: a day. What is above that is let off.
const LONGEST_DEBT: u64 = 24 * 60 * PARTS;

/// What one hit means for its limit's level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Meter {
    /// What must fit under the brim for the hit to pass.
    pub(crate) need: u64,
    /// What it adds.
    pub(crate) add: u64,
    /// The level up to which hits pass.
    pub(crate) brim: u64,
    /// The level that a debt reaches at most.
    pub(crate) most: u64,
    /// What drains in a microsecond.
    pub(crate) drain: u64,
}

/// A level at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Level {
    /// The level.
    pub(crate) level: u64,
    /// The time, in microseconds since any moment.
    pub(crate) at: u64,
}

impl Meter {
    /// A hit of this cost. One of 0 asks whether there is a unit left and takes none; one above the burst passes where
    /// nothing was used, and leaves a debt.
    pub(crate) fn new(quota: Quota, cost: u32) -> Self {
        let drain = u64::from(quota.units());
        let brim = u64::from(quota.burst()) * PARTS;
        Self {
            need: u64::from(cost.clamp(1, quota.burst())) * PARTS,
            add: u64::from(cost) * PARTS,
            brim,
            most: brim
                .saturating_add(drain.saturating_mul(LONGEST_DEBT))
                .min(CEILING),
            drain,
        }
    }

    /// What is left of a level now. A time before the level's own counts as that.
    pub(crate) fn drained(self, level: Level, now: u64) -> u64 {
        let gone = now.saturating_sub(level.at).saturating_mul(self.drain);
        level.level.saturating_sub(gone)
    }

    /// How many microseconds it takes until the hit passes at this level; `None` if it passes.
    pub(crate) fn wait(self, level: u64) -> Option<u64> {
        let over = (level + self.need).saturating_sub(self.brim);
        (over > 0).then(|| over.div_ceil(self.drain))
    }

    /// The level after the hit.
    pub(crate) fn after(self, level: u64) -> u64 {
        (level + self.add).min(self.most)
    }
}
