//! The packs that come with the project.

use std::path::Path;

use crate::fixture::list;
use turnwise_course_pack::load_all;

#[test]
fn every_pack_of_the_project_loads() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../courses");
    let packs = load_all(&root).unwrap();
    assert!(!packs.is_empty(), "no packs in {}", root.display());
    for (dir, result) in packs {
        if let Err(faults) = result {
            panic!("{}:{}", dir.display(), list(&faults));
        }
    }
}
