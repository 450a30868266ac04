//! The course that a call is about, in the version that it names.

use std::sync::Arc;

use tonic::Status;
use turnwise_kit::ids;

use super::Policies;
use crate::{courses::LoadedCourse, error::PolicyError};

impl Policies {
    /// The course as new turns have it.
    pub(super) fn course(
        &self,
        field: &'static str,
        id: &str,
    ) -> Result<Arc<LoadedCourse>, Status> {
        ids::check(field, id)?;
        let course = self.courses.get(id);
        Ok(course.ok_or_else(|| self.not_served(field, id))?)
    }

    /// The course in this version, which need not be the one that new turns have.
    pub(super) fn version(
        &self,
        fields: (&'static str, &'static str),
        id: &str,
        pack_hash: &str,
    ) -> Result<Arc<LoadedCourse>, Status> {
        ids::check(fields.0, id)?;
        if !self.courses.holds(id) {
            return Err(self.not_served(fields.0, id).into());
        }
        ids::check(fields.1, pack_hash)?;
        let course = self.courses.version(id, pack_hash);
        Ok(course.ok_or_else(|| PolicyError::UnknownPackVersion {
            field: fields.1,
            course_id: id.to_owned(),
            pack_hash: pack_hash.to_owned(),
        })?)
    }

    /// The course in this version; without one, as new turns have it.
    pub(super) fn version_or_current(
        &self,
        id: &str,
        pack_hash: &str,
    ) -> Result<Arc<LoadedCourse>, Status> {
        if pack_hash.is_empty() {
            self.course("course_id", id)
        } else {
            self.version(("course_id", "pack_hash"), id, pack_hash)
        }
    }

    /// Why there is no such course here.
    fn not_served(&self, field: &'static str, id: &str) -> PolicyError {
        let course_id = id.to_owned();
        if self.courses.is_circular(id) {
            PolicyError::CourseGraphInvalid { field, course_id }
        } else {
            PolicyError::UnknownCourse { field, course_id }
        }
    }
}
