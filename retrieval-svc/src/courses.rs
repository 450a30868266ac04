//! The courses that are served, each with its index.

use std::path::Path;

use turnwise_course_pack::{Catalog, Library, Pack};
use turnwise_kit::Kit;

use crate::{error::StartError, index::CourseIndex};

/// A changed pack is loaded once it has looked the same in so many polls.
const SETTLED_AFTER_POLLS: u32 = 2;

/// The courses that are served, by id, each with its last versions.
pub type Courses = Catalog<CourseIndex>;

/// Loads and indexes every pack under `root`. A broken pack is logged with its faults and left out, as policy-svc does.
///
/// # Errors
/// The folder cannot be read, holds no pack, or holds broken packs only.
pub fn open(root: &Path, kit: &Kit) -> Result<Library<CourseIndex>, StartError> {
    let clock = kit.clock.clone();
    let library = Library::open(
        root,
        SETTLED_AFTER_POLLS,
        move || clock.now(),
        |pack| Ok(indexed(pack)),
    )
    .map_err(StartError::Courses)?;
    kit.metrics
        .registry(|registry| library.register(registry.sub_registry_with_prefix("retrieval")));
    Ok(library)
}

fn indexed(pack: Pack) -> CourseIndex {
    let index = CourseIndex::new(pack);
    let pack = index.pack();
    tracing::info!(
        course_id = %pack.course.id,
        index_id = %index.id(),
        units = pack.units.len(),
        chunks = pack.chunks.len(),
        questions = pack.questions.len(),
        "course indexed"
    );
    index
}
