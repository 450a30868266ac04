//! The courses that are served, each with its last versions: looked up without a lock, replaced in one step.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

use arc_swap::ArcSwap;

/// How many versions of a course are held, the served one among them. A turn names the version that it was planned
/// with and goes on with it; it is over long before a third change.
pub const HELD_VERSIONS: usize = 3;

/// A version of a course: what a service made of one pack.
#[derive(Debug)]
pub struct Version<T> {
    /// The course's id.
    pub course_id: String,
    /// The pack's hash, which is the version's name: the same hash is the same version.
    pub hash: String,
    /// What the service made of it.
    pub value: Arc<T>,
}

impl<T> Clone for Version<T> {
    fn clone(&self) -> Self {
        Self {
            course_id: self.course_id.clone(),
            hash: self.hash.clone(),
            value: Arc::clone(&self.value),
        }
    }
}

/// The courses that are served, by id. A lookup gives a share of the version, so that a call goes on with what it began
/// with, whatever is served meanwhile.
pub struct Catalog<T> {
    shelves: ArcSwap<BTreeMap<String, Shelf<T>>>,
    /// The courses with a pack that was refused because its prerequisites go in a circle.
    circular: ArcSwap<BTreeSet<String>>,
}

/// One course.
struct Shelf<T> {
    /// Whether new turns may have it; if not, its versions are held for the turns that are under way.
    served: bool,
    /// Never empty; the last that was served comes first.
    versions: Vec<(String, Arc<T>)>,
}

impl<T> Shelf<T> {
    fn newest(&self) -> Option<&Arc<T>> {
        self.versions.first().map(|(_, value)| value)
    }

    fn served(&self) -> Option<&Arc<T>> {
        self.newest().filter(|_| self.served)
    }

    fn version(&self, hash: &str) -> Option<&Arc<T>> {
        let held = self.versions.iter().find(|(held, _)| held == hash);
        held.map(|(_, value)| value)
    }
}

impl<T> Clone for Shelf<T> {
    fn clone(&self) -> Self {
        Self {
            served: self.served,
            versions: self.versions.clone(),
        }
    }
}

impl<T> Default for Catalog<T> {
    fn default() -> Self {
        Self {
            shelves: ArcSwap::default(),
            circular: ArcSwap::default(),
        }
    }
}

impl<T> fmt::Debug for Catalog<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = |shelf: &Shelf<T>| {
            let hashes: Vec<_> = shelf
                .versions
                .iter()
                .map(|(hash, _)| hash.clone())
                .collect();
            (shelf.served, hashes)
        };
        let shelves = self.shelves.load();
        f.debug_map()
            .entries(shelves.iter().map(|(id, shelf)| (id, held(shelf))))
            .finish()
    }
}

impl<T> Catalog<T> {
    /// The course in the version that is served; none if it is unknown or withdrawn.
    #[must_use]
    pub fn get(&self, course_id: &str) -> Option<Arc<T>> {
        self.shelves.load().get(course_id)?.served().cloned()
    }

    /// The course in a version that is held, also if it is no longer the served one.
    #[must_use]
    pub fn version(&self, course_id: &str, hash: &str) -> Option<Arc<T>> {
        self.shelves.load().get(course_id)?.version(hash).cloned()
    }

    /// Whether some version of the course is held.
    #[must_use]
    pub fn holds(&self, course_id: &str) -> bool {
        self.shelves.load().contains_key(course_id)
    }

    /// Whether a pack of the course was refused because its prerequisites go in a circle. An earlier version may be served
    /// all the same.
    #[must_use]
    pub fn is_circular(&self, course_id: &str) -> bool {
        self.circular.load().contains(course_id)
    }

    pub(crate) fn set_circular(&self, courses: BTreeSet<String>) {
        self.circular.store(Arc::new(courses));
    }

    /// The first `most` of the served courses whose ids come after `course_id`, in the order of their ids.
    #[must_use]
    pub fn after(&self, course_id: &str, most: usize) -> Vec<Arc<T>> {
        let after = (Bound::Excluded(course_id), Bound::Unbounded);
        self.shelves
            .load()
            .range::<str, _>(after)
            .filter_map(|(_, shelf)| shelf.served())
            .take(most)
            .cloned()
            .collect()
    }

    /// Serves this version. The ones before it are held; past [`HELD_VERSIONS`] the oldest is dropped. A version that
    /// is held already becomes the served one again.
    pub fn serve(&self, version: Version<T>) {
        self.shelves.rcu(|shelves| {
            let mut shelves = BTreeMap::clone(shelves);
            put(&mut shelves, version.clone());
            shelves
        });
    }

    /// Serves these versions and no other course, all in one step. What else was served is withdrawn and held.
    pub fn serve_only(&self, versions: &[Version<T>]) {
        self.shelves.rcu(|shelves| {
            let mut shelves = BTreeMap::clone(shelves);
            for shelf in shelves.values_mut() {
                shelf.served = false;
            }
            for version in versions {
                put(&mut shelves, version.clone());
            }
            shelves
        });
    }
}

fn put<T>(shelves: &mut BTreeMap<String, Shelf<T>>, version: Version<T>) {
    let Version {
        course_id,
        hash,
        value,
    } = version;
    let shelf = shelves.entry(course_id).or_insert_with(|| Shelf {
        served: true,
        versions: Vec::new(),
    });
    shelf.served = true;
    let at = shelf.versions.iter().position(|(held, _)| *held == hash);
    // What is held already stays the same value, so that nobody sees one version as two.
    let newest = at.map_or((hash, value), |at| shelf.versions.remove(at));
    shelf.versions.insert(0, newest);
    shelf.versions.truncate(HELD_VERSIONS);
}
