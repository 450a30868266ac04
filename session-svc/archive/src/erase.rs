//! Erasing a student from all archives. The chain runs over hashes, so it still holds.

use std::io::BufReader;

use crate::{
    dir::ArchiveDir,
    error::ArchiveError,
    line::{Lines, Read, without_body},
    name::ArchiveName,
    partial::Partial,
};

impl ArchiveDir {
    /// Takes the bodies of a student's records out of all archives of the tenant, and their salts, and says how many.
    /// Nothing of the student stays in them. Unfinished files, which may hold the student as well, are removed.
    ///
    /// Waits until no archive is being written: a caller that holds a [`Writer`](crate::Writer) would wait for itself.
    /// Each archive is replaced in one step; interrupted, and called again, it does what is left.
    ///
    /// # Errors
    /// [`ArchiveError::Damaged`] after all others were done, if an archive is not what was written, or a link: then it is
    /// not certain that it holds nothing of the student. [`ArchiveError::Io`].
    pub fn erase_student(&self, tenant: &str, student_id: &str) -> Result<u64, ArchiveError> {
        let _lock = self.lock_alone()?;
        self.remove_unfinished()?;
        let listing = self.list()?;
        let mut erased = 0;
        let mut damaged = listing.refused;
        for name in listing.archives {
            // Of a file whose header is wrong nobody knows whose it is.
            let intact = match self.header(&name)? {
                Ok(header) if header.tenant != tenant => continue,
                Ok(_) => {
                    let intact = self.verify_archive(&name)?.is_intact();
                    erased += self.erase_from(&name, student_id)?;
                    intact
                }
                Err(_) => false,
            };
            if !intact {
                damaged.push(name.as_str().to_owned());
            }
        }
        if damaged.is_empty() {
            Ok(erased)
        } else {
            Err(ArchiveError::Damaged {
                names: damaged,
                erased,
            })
        }
    }

    /// Removes the files of writers that are gone. Nobody may be writing.
    pub(crate) fn remove_unfinished(&self) -> Result<u64, ArchiveError> {
        let partials = self.list()?.partials;
        for name in &partials {
            self.delete(&name.partial())?;
        }
        Ok(partials.len() as u64)
    }

    fn erase_from(&self, name: &ArchiveName, student_id: &str) -> Result<u64, ArchiveError> {
        let mut count = 0;
        let whole = self.each_line(name, |line| {
            count += u64::from(without_body(line, student_id).is_some());
            Ok(())
        })?;
        // What cannot be read to its end cannot be copied either.
        if count == 0 || !whole {
            return Ok(0);
        }
        let mut partial = Partial::create(self, name)?;
        self.each_line(name, |line| match without_body(line, student_id) {
            Some(line) => partial.write_line(&line),
            None => partial.write_line(line),
        })?;
        partial.publish()?;
        Ok(count)
    }

    /// Hands over line by line; false if one is broken, of which and after which nothing is known.
    fn each_line(
        &self,
        name: &ArchiveName,
        mut visit: impl FnMut(&[u8]) -> Result<(), ArchiveError>,
    ) -> Result<bool, ArchiveError> {
        let path = self.root().join(name.as_str());
        let mut lines = Lines::new(BufReader::new(self.open_archive(name)?));
        while let Some(read) = lines.next().map_err(ArchiveError::io("read", &path))? {
            match read {
                Read::Line(line) => visit(line)?,
                Read::Broken(_) => return Ok(false),
            }
        }
        Ok(true)
    }
}
