//! The packs that come with the project.

use std::path::Path;

use crate::fixture::list;
use turnwise_course_pack::{Pack, load_all};

/// The packs of the project that load.
fn packs() -> Vec<Pack> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../courses");
    let loaded = load_all(&root).unwrap().into_iter();
    loaded.filter_map(|(_, result)| result.ok()).collect()
}

#[test]
fn every_pack_of_the_project_loads() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../courses");
    let packs = load_all(&root).unwrap();
    assert!(!packs.is_empty(), "no packs in {}", root.display());
    for (dir, result) in packs {
        match result {
            Ok(pack) => assert!(pack.warnings.is_empty(), "{}", list(&pack.warnings)),
            Err(faults) => panic!("{}:{}", dir.display(), list(&faults)),
        }
    }
}

/// What the tutor explains, asks, says of a mistake, hints at and works out where no model is called.
#[test]
fn every_unit_of_the_project_can_be_taught_without_a_model() {
    let packs = packs();
    let ids: Vec<&str> = packs.iter().map(|pack| pack.course.id.as_str()).collect();
    assert_eq!(ids, ["algebra-foundations", "terme-und-gleichungen"]);
    for pack in &packs {
        for unit in &pack.units {
            let id = &unit.id;
            if *id == pack.course.entry_unit {
                // Whoever says nothing twice is asked twice, and in other words.
                let wrong = unit.misconceptions.iter();
                let asked = wrong.filter(|wrong| !wrong.question.is_empty()).count();
                assert!(asked >= 2, "{id}: {asked} questions for who has not begun");
                continue;
            }
            let idea = unit.key_idea.as_ref();
            let chunk = idea.and_then(|idea| pack.chunks.iter().find(|c| c.id == idea.chunk));
            let is_explained = chunk.is_some_and(|c| c.unit == *id && !c.section.is_empty());
            assert!(
                is_explained,
                "{id}: no key idea with a section of its lesson"
            );
            let mut misconceptions = unit.misconceptions.iter();
            let is_asked = misconceptions.any(|wrong| !wrong.question.is_empty());
            assert!(is_asked, "{id}: no misconception with a question");
            let tags = &unit.mistake_tags;
            let is_told = !tags.is_empty() && tags.iter().all(|tag| !tag.feedback.is_empty());
            assert!(is_told, "{id}: a mistake without feedback");
            // One to be set, and another to be worked out for it.
            let drills = unit.all_drills();
            let helped = drills.filter(|d| !d.hints.is_empty() && d.solution.len() >= 2);
            assert!(
                helped.count() >= 2,
                "{id}: too few drills with hints and solution"
            );
        }
    }
}
