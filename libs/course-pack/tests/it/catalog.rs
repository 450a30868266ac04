//! The catalog of served versions, on its own.

use std::sync::Arc;

use proptest::prelude::*;
use turnwise_course_pack::{Catalog, HELD_VERSIONS, Version};

fn version(course_id: &str, hash: &str) -> Version<String> {
    Version {
        course_id: course_id.to_owned(),
        hash: hash.to_owned(),
        value: Arc::new(format!("{course_id} {hash}")),
    }
}

fn catalog(hashes: &[&str]) -> Catalog<String> {
    let catalog = Catalog::default();
    for hash in hashes {
        catalog.serve(version("a", hash));
    }
    catalog
}

fn ids(catalog: &Catalog<String>, after: &str, most: usize) -> Vec<String> {
    let found = catalog.after(after, most);
    found.iter().map(|value| value.to_string()).collect()
}

#[test]
fn the_newest_is_served_and_the_last_three_are_held() {
    let catalog = catalog(&["1", "2", "3", "4"]);
    assert_eq!(*catalog.get("a").unwrap(), "a 4");
    for held in ["2", "3", "4"] {
        assert_eq!(
            *catalog.version("a", held).unwrap(),
            format!("a {held}").as_str()
        );
    }
    assert!(catalog.version("a", "1").is_none());
    assert!(catalog.get("b").is_none() && !catalog.holds("b"));
    assert!(catalog.version("b", "1").is_none());
}

#[test]
fn what_is_held_already_is_served_again_as_it_is() {
    let catalog = catalog(&["1", "2", "3"]);
    let first = catalog.version("a", "1").unwrap();
    catalog.serve(version("a", "1"));
    assert!(Arc::ptr_eq(&catalog.get("a").unwrap(), &first));
    // The one that was served longest ago goes first.
    catalog.serve(version("a", "4"));
    assert!(catalog.version("a", "2").is_none());
    assert!(catalog.version("a", "1").is_some() && catalog.version("a", "3").is_some());
}

#[test]
fn a_call_keeps_the_version_that_it_holds() {
    let catalog = catalog(&["1"]);
    let mine = catalog.get("a").unwrap();
    for hash in ["2", "3", "4", "5"] {
        catalog.serve(version("a", hash));
    }
    assert_eq!(*mine, "a 1");
    assert_eq!(Arc::strong_count(&mine), 1, "the catalog has dropped it");
}

#[test]
fn a_withdrawn_course_is_held_but_not_served() {
    let catalog = catalog(&["1", "2"]);
    catalog.serve(version("b", "1"));
    catalog.serve_only(&[version("b", "1"), version("c", "1")]);
    assert!(catalog.get("a").is_none());
    assert_eq!(ids(&catalog, "", 9), ["b 1", "c 1"]);
    assert!(catalog.holds("a"));
    assert_eq!(*catalog.version("a", "2").unwrap(), "a 2");
    assert_eq!(*catalog.version("a", "1").unwrap(), "a 1");
    catalog.serve(version("a", "1"));
    assert_eq!(ids(&catalog, "", 9), ["a 1", "b 1", "c 1"]);
}

#[test]
fn courses_are_listed_by_id_in_pages() {
    let catalog = Catalog::default();
    for id in ["b", "d", "a", "c"] {
        catalog.serve(version(id, "1"));
    }
    assert_eq!(ids(&catalog, "", 9), ["a 1", "b 1", "c 1", "d 1"]);
    assert_eq!(ids(&catalog, "", 2), ["a 1", "b 1"]);
    assert_eq!(ids(&catalog, "b", 2), ["c 1", "d 1"]);
    assert_eq!(ids(&catalog, "bb", 1), ["c 1"], "an id that is not there");
    assert!(ids(&catalog, "d", 2).is_empty());
}

#[test]
fn all_courses_change_in_one_step() {
    let catalog = Catalog::default();
    let both = |hash: &str| [version("a", hash), version("b", hash)];
    catalog.serve_only(&both("0"));
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    loop {
                        let seen = catalog.after("", 2);
                        let [a, b] = &seen[..] else {
                            panic!("{seen:?}");
                        };
                        assert_eq!(a[2..], b[2..], "two courses of different steps");
                        if a.ends_with(" 500") {
                            return;
                        }
                    }
                })
            })
            .collect();
        for step in 1..=500 {
            catalog.serve_only(&both(&step.to_string()));
        }
        for reader in readers {
            reader.join().unwrap();
        }
    });
}

/// The rule, slow and obvious: everything that was ever served, in order.
#[derive(Default)]
struct Model {
    history: Vec<(u8, u8)>,
    served: Vec<u8>,
}

impl Model {
    /// The versions held of a course, the newest first.
    fn held(&self, course: u8) -> Vec<u8> {
        let mut held = Vec::new();
        for (_, hash) in self.history.iter().rev().filter(|(c, _)| *c == course) {
            if !held.contains(hash) {
                held.push(*hash);
            }
        }
        held.truncate(HELD_VERSIONS);
        held
    }
}

proptest! {
    #[test]
    fn it_does_what_the_history_says(
        steps in prop::collection::vec((prop::collection::btree_map(0..3_u8, 0..6_u8, 0..3), any::<bool>()), 0..20)
    ) {
        let catalog = Catalog::default();
        let mut model = Model::default();
        for (courses, only) in steps {
            let versions: Vec<_> = courses
                .iter()
                .map(|(course, hash)| version(&course.to_string(), &hash.to_string()))
                .collect();
            if only {
                catalog.serve_only(&versions);
                model.served.clear();
            } else {
                versions.into_iter().for_each(|version| catalog.serve(version));
            }
            model.served.extend(courses.keys());
            model.history.extend(courses);

            for course in 0..3_u8 {
                let id = course.to_string();
                let held = model.held(course);
                let served = held.first().filter(|_| model.served.contains(&course));
                let got = catalog.get(&id).map(|value| value.to_string());
                prop_assert_eq!(got, served.map(|hash| format!("{id} {hash}")));
                prop_assert_eq!(catalog.holds(&id), !held.is_empty());
                for hash in 0..6_u8 {
                    let found = catalog.version(&id, &hash.to_string()).is_some();
                    prop_assert_eq!(found, held.contains(&hash), "{} in {}", hash, id);
                }
            }
        }
    }
}
