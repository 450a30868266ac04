//! The courses that are served, each with its index.

use std::{collections::BTreeMap, path::Path};

use turnwise_course_pack::Pack;

use crate::{
    error::{RetrievalError, StartError},
    index::CourseIndex,
};

/// The courses that are served.
#[derive(Default)]
pub struct Courses {
    by_id: BTreeMap<String, CourseIndex>,
}

impl Courses {
    /// Loads and indexes every pack under `root`. A broken pack is logged with its faults and left out, as policy-svc
    /// does; a second pack of one course counts as broken.
    ///
    /// # Errors
    /// The folder cannot be read, holds no pack, or holds broken packs only.
    pub fn load(root: &Path) -> Result<Self, StartError> {
        let mut courses = Self::default();
        let mut broken = Vec::new();
        for (folder, pack) in turnwise_course_pack::load_all(root).map_err(StartError::Courses)? {
            match pack {
                Ok(pack) => courses.add(pack),
                Err(faults) => {
                    for fault in &faults {
                        tracing::error!(folder = %folder.display(), "course pack refused: {fault}");
                    }
                    broken.extend(faults);
                }
            }
        }
        if !courses.by_id.is_empty() {
            Ok(courses)
        } else if broken.is_empty() {
            Err(StartError::NoCourse(root.to_owned()))
        } else {
            Err(StartError::NoGoodCourse(broken))
        }
    }

    /// Indexes a pack. It takes the place of another pack of the same course.
    pub fn add(&mut self, pack: Pack) {
        let index = CourseIndex::new(pack);
        tracing::info!(
            course_id = %index.pack().course.id,
            index_id = %index.id(),
            units = index.pack().units.len(),
            chunks = index.pack().chunks.len(),
            questions = index.pack().questions.len(),
            "course indexed"
        );
        self.by_id.insert(index.pack().course.id.clone(), index);
    }

    /// The course with this id.
    ///
    /// # Errors
    /// It is not loaded.
    pub fn course(&self, id: &str) -> Result<&CourseIndex, RetrievalError> {
        self.by_id
            .get(id)
            .ok_or_else(|| RetrievalError::UnknownCourse(id.to_owned()))
    }

    /// The course with this id in this version; an empty version means the one that is served.
    ///
    /// # Errors
    /// It is not loaded, or in another version.
    pub fn version(&self, id: &str, pack_hash: &str) -> Result<&CourseIndex, RetrievalError> {
        let course = self.course(id)?;
        if pack_hash.is_empty() || pack_hash == course.pack().hash {
            Ok(course)
        } else {
            Err(RetrievalError::UnknownPackVersion {
                course_id: id.to_owned(),
                pack_hash: pack_hash.to_owned(),
            })
        }
    }
}
