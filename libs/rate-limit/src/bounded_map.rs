//! A bounded map: however many keys are put in, it forgets the least recently used, at no cost in time.

use std::collections::HashMap;

/// Keeps what was used last. The young generation takes all that is put in or found; when it is full it becomes the old
/// one, and what was in that is forgotten. So a key is remembered until as many others as fit into a generation have been
/// used since.
pub(crate) struct BoundedMap<V> {
    young: HashMap<Box<str>, V>,
    old: HashMap<Box<str>, V>,
    most: usize,
}

impl<V: Copy> BoundedMap<V> {
    /// A map of two generations with at most so many keys each.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            young: HashMap::new(),
            old: HashMap::new(),
            most,
        }
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<V> {
        self.young.get(key).or_else(|| self.old.get(key)).copied()
    }

    /// Gives a key its value.
    pub(crate) fn put(&mut self, key: &str, value: V) {
        if let Some(kept) = self.young.get_mut(key) {
            *kept = value;
            return;
        }
        if self.young.len() >= self.most {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key.into(), value);
    }
}
