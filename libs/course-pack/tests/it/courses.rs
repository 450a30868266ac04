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
        match result {
            Ok(pack) => assert!(pack.warnings.is_empty(), "{}", list(&pack.warnings)),
            Err(faults) => panic!("{}:{}", dir.display(), list(&faults)),
        }
    }
}
