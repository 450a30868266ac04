//! The courses that are served, each with its index.

use std::sync::Arc;

use tokio::runtime::Handle;
use turnwise_course_pack::{Catalog, Library, LibrarySettings, Pack};
use turnwise_kit::Kit;

use crate::{course::CourseVersion, error::StartError, indexing::Indexer};

/// A changed pack is loaded once it has looked the same in so many polls.
const SETTLED_AFTER_POLLS: u32 = 2;

/// The courses that are served, by id, each with its last versions.
pub type Courses = Catalog<Arc<CourseVersion>>;

/// Loads and indexes every pack that the settings name. A broken pack is logged with its faults and left out, as policy-svc
/// does.
///
/// # Errors
/// As [`turnwise_course_bundles::open`] has it.
pub async fn open(
    settings: &LibrarySettings,
    indexer: Arc<Indexer>,
    kit: &Kit,
) -> Result<Library<Arc<CourseVersion>>, StartError> {
    let (settings, own) = (settings.clone(), kit.clone());
    let runtime = Handle::current();
    // Packs are read, and made into indexes, on a thread that may block: now, and later when they change.
    let opened = tokio::task::spawn_blocking(move || {
        turnwise_course_bundles::open(&settings, SETTLED_AFTER_POLLS, &own, move |mut pack| {
            leave_out_exercises(&mut pack);
            Ok(runtime.block_on(indexer.version(pack)))
        })
    });
    let library = opened
        .await
        .map_err(|error| StartError::Interrupted(error.to_string()))??;
    kit.metrics
        .registry(|registry| library.register(registry.sub_registry_with_prefix("retrieval")));
    Ok(library)
}

/// Leaves one exercise of each drill with parameters: that there is one is all that a search asks, and the others are most of
/// what a pack takes of the memory.
fn leave_out_exercises(pack: &mut Pack) {
    for template in pack.units.iter_mut().flat_map(|unit| &mut unit.templates) {
        template.instances.truncate(1);
        template.instances.shrink_to_fit();
    }
}
