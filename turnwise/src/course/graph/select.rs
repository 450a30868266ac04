//! Which units are drawn: all, or some with everything that they build on.

use std::collections::HashSet;
use std::path::Path;

use turnwise_course_pack::PackFault;
use turnwise_decisions::{Course, course::UnitIndex};

/// A unit was named that the course does not have.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnknownUnit(String);

impl UnknownUnit {
    /// The same as a fault of the pack in `dir`.
    pub(super) fn fault(&self, dir: &Path) -> PackFault {
        PackFault {
            file: dir.to_path_buf(),
            line: None,
            message: format!(
                "there is no unit `{}` in this course",
                self.0.escape_debug()
            ),
            remedy: "name a unit that stands in units/".to_owned(),
        }
    }
}

/// The units of `wanted` with their prerequisites, near and far, in file order; all units if none is wanted.
///
/// # Errors
/// A unit is wanted that the course does not have.
pub(super) fn units(
    course: &Course,
    ids: &[String],
    wanted: &[String],
) -> Result<Vec<UnitIndex>, UnknownUnit> {
    if wanted.is_empty() {
        return Ok(ids.iter().filter_map(|id| course.find(id)).collect());
    }
    let mut open = wanted
        .iter()
        .map(|id| course.find(id).ok_or_else(|| UnknownUnit(id.clone())))
        .collect::<Result<Vec<_>, _>>()?;
    let mut found = HashSet::new();
    while let Some(at) = open.pop() {
        if found.insert(at) {
            open.extend(&course.unit(at).prerequisites);
        }
    }
    let mut units: Vec<_> = found.into_iter().collect();
    units.sort_unstable();
    Ok(units)
}
