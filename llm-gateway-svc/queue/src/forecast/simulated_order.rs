//! An order that is run forward by the rules of [`crate::order`], from a snapshot of it.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
    ops::Range,
    sync::Arc,
    time::Duration,
};

use crate::{
    order::{Micros, SCALE},
    request::Band,
    snapshot::OrderSnapshot,
};

/// A class among those that may be next: the lowest tag, the earliest stamp, the name, and where the class is.
type Key = Reverse<(u64, u64, Arc<str>, usize)>;

/// An order that is run forward.
pub(super) struct SimulatedOrder {
    aging: Micros,
    interactive: BinaryHeap<Key>,
    batch: BinaryHeap<Key>,
    classes: Vec<Class>,
    passed_over_since: Micros,
    /// Later than all stamps of the snapshot.
    stamp: u64,
}

struct Class {
    cost: u64,
    /// The students in their order, each with its entries.
    students: VecDeque<Range<usize>>,
}

impl SimulatedOrder {
    /// The order of a snapshot.
    pub(super) fn new(snapshot: &OrderSnapshot, aging: Duration, now: Micros) -> Self {
        let mut classes: Vec<Class> = snapshot
            .classes
            .iter()
            .map(|class| Class {
                cost: SCALE / u64::from(class.weight.max(1)),
                students: VecDeque::new(),
            })
            .collect();
        let mut begin = 0;
        for student in snapshot
            .entries
            .chunk_by(|a, b| (a.class, a.place) == (b.class, b.place))
        {
            let end = begin + student.len();
            if let Some(class) = student
                .first()
                .and_then(|entry| classes.get_mut(entry.class))
            {
                class.students.push_back(begin..end);
            }
            begin = end;
        }
        let heap = |band| {
            let of_band = snapshot.classes.iter().zip(&classes).enumerate();
            let waiting = of_band.filter(|(_, (class, simulated))| {
                class.band == band && !simulated.students.is_empty()
            });
            let key = |(index, (class, _)): (usize, (&crate::snapshot::ClassSnapshot, &Class))| {
                Reverse((class.tag, class.stamp, Arc::clone(&class.name), index))
            };
            waiting.map(key).collect()
        };
        Self {
            aging: Micros::try_from(aging.as_micros()).unwrap_or(Micros::MAX),
            interactive: heap(Band::Interactive),
            batch: heap(Band::Batch),
            passed_over_since: snapshot.passed_over_since.unwrap_or(now),
            stamp: snapshot
                .classes
                .iter()
                .map(|class| class.stamp)
                .max()
                .unwrap_or(0)
                + 1,
            classes,
        }
    }

    /// Starts the next entry at a time; returns where it is in the snapshot.
    pub(super) fn start(&mut self, at: Micros) -> Option<usize> {
        let aged = at.saturating_sub(self.passed_over_since) >= self.aging;
        let batch = !self.batch.is_empty() && (aged || self.interactive.is_empty());
        let heap = if batch {
            &mut self.batch
        } else {
            &mut self.interactive
        };
        let Reverse((tag, _, name, index)) = heap.pop()?;
        let class = self.classes.get_mut(index)?;
        let mut student = class.students.pop_front()?;
        let entry = student.next()?;
        if !student.is_empty() {
            class.students.push_back(student);
        }
        if !class.students.is_empty() {
            heap.push(Reverse((tag + class.cost, self.stamp, name, index)));
        }
        self.stamp += 1;
        if batch {
            self.passed_over_since = at;
        }
        Some(entry)
    }
}
