//! Going through all that a store holds, for whoever checks a backup.

use crate::{Found, Key, Partition};

/// What stands under one name, leases left out: all fields, entries or members, damaged values as
/// [`DAMAGED`](crate::DAMAGED).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Where it is.
    pub partition: Partition,
    /// Its name there.
    pub key: Key,
    /// [`Found::Record`], [`Found::Entries`] or [`Found::Members`].
    pub found: Found,
}
