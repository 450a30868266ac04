//! The slots of one process: which are free, and what runs in the others.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use crate::{
    forecast::Busy,
    order::Micros,
    request::Owner,
    view::{CallView, SlotView},
};

/// A call that runs.
#[derive(Debug)]
struct Running {
    fence: u64,
    owner: Arc<Owner>,
    since: Micros,
}

/// The slots.
#[derive(Debug)]
pub(super) struct Slots {
    /// By index.
    slots: BTreeMap<usize, Option<Running>>,
    free: Vec<usize>,
    last_fence: u64,
}

impl Slots {
    /// These slots, all free.
    pub(super) fn new(indices: impl Iterator<Item = usize>) -> Self {
        let slots: BTreeMap<_, _> = indices.map(|index| (index, None)).collect();
        Self {
            free: slots.keys().rev().copied().collect(),
            slots,
            last_fence: 0,
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Whether one is free.
    pub(super) fn any_free(&self) -> bool {
        !self.free.is_empty()
    }

    /// Takes a free one; returns it and its fence.
    pub(super) fn take(&mut self, owner: Arc<Owner>, since: Micros) -> Option<(usize, u64)> {
        let index = self.free.pop()?;
        self.last_fence += 1;
        let fence = self.last_fence;
        self.slots.insert(
            index,
            Some(Running {
                fence,
                owner,
                since,
            }),
        );
        Some((index, fence))
    }

    /// Frees one, unless it has been given out anew since.
    pub(super) fn free(&mut self, index: usize, fence: u64) {
        if let Some(slot) = self.slots.get_mut(&index)
            && slot.as_ref().is_some_and(|running| running.fence == fence)
        {
            *slot = None;
            self.free.push(index);
        }
    }

    /// The slots, as a forecast needs them.
    pub(super) fn busy(&self) -> Vec<Busy> {
        self.slots
            .values()
            .map(|slot| slot.as_ref().map(|running| running.since))
            .collect()
    }

    /// The slots, as they are shown.
    pub(super) fn view(&self, replica: usize, now: Micros) -> Vec<SlotView> {
        let call = |running: &Running| CallView {
            class: running.owner.class.as_str().into(),
            purpose: running.owner.purpose.into(),
            running: Duration::from_micros(now.saturating_sub(running.since)),
            replica,
        };
        self.slots
            .iter()
            .map(|(index, slot)| SlotView {
                index: *index,
                call: slot.as_ref().map(call),
            })
            .collect()
    }
}
