//! Whether an archive is what was written.

use std::{fs::File, io::BufReader, path::Path};

use crate::{
    dir::{ArchiveDir, open_regular},
    error::{ArchiveError, Fault},
    line::{Chain, Lines, Next, Read, read_header, read_next},
    name::ArchiveName,
    record::Header,
};

/// What was found in an archive, up to the first thing that is wrong with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The header; `None` if it is wrong.
    pub header: Option<Header>,
    /// How many records were read and are right.
    pub records: u64,
    /// How many of them were erased since.
    pub erased: u64,
    /// Where the chain stands after them; of a whole archive, what [`Sealed::chain`](crate::Sealed::chain) was. Empty if
    /// the header is wrong.
    pub chain: String,
    /// What is wrong and in which line, counted from 1; `None` if the archive is what was written.
    pub fault: Option<(u64, Fault)>,
}

impl Report {
    /// True if the archive is what was written, apart from erased bodies.
    pub fn is_intact(&self) -> bool {
        self.fault.is_none()
    }
}

/// What was found in a directory.
#[derive(Debug)]
pub struct DirReport {
    /// The finished archives by name, in the order of their times; then what only has an archive's name.
    pub archives: Vec<(String, Result<Report, ArchiveError>)>,
    /// Names of archives that were not finished. Those that are not being written now go with the next retention.
    pub unfinished: Vec<String>,
    /// Names of what is not ours. Retention and erasure do not touch it.
    pub others: Vec<String>,
}

/// Verifies a file, wherever it lies and however it is called. Changes nothing.
///
/// # Errors
/// [`ArchiveError::NotInside`] if it is no regular file, [`ArchiveError::Io`]. What is wrong inside is in the report.
pub fn verify_file(path: &Path) -> Result<Report, ArchiveError> {
    verify(open_regular(path)?, path)
}

/// Verifies all archives of a directory. Changes nothing.
///
/// # Errors
/// [`ArchiveError::NotADirectory`], or [`ArchiveError::Io`] if the directory cannot be read. Each file's error stands
/// with the file.
pub fn verify_dir(path: &Path) -> Result<DirReport, ArchiveError> {
    let dir = ArchiveDir::existing(path)?;
    let listing = dir.list()?;
    let mut archives: Vec<_> = listing
        .archives
        .iter()
        .map(|name| (name.as_str().to_owned(), dir.verify_archive(name)))
        .collect();
    archives.extend(listing.refused.into_iter().map(|name| {
        let path = dir.root().join(&name);
        (name, Err(ArchiveError::NotInside { path }))
    }));
    Ok(DirReport {
        archives,
        unfinished: listing.partials.iter().map(ArchiveName::partial).collect(),
        others: listing.others,
    })
}

impl ArchiveDir {
    /// Verifies an archive of the directory.
    ///
    /// # Errors
    /// [`ArchiveError::NotAName`], [`ArchiveError::NotInside`], [`ArchiveError::Io`].
    pub fn verify(&self, name: &str) -> Result<Report, ArchiveError> {
        let parsed = ArchiveName::parse(name).ok_or_else(|| ArchiveError::NotAName {
            name: name.to_owned(),
        })?;
        self.verify_archive(&parsed)
    }

    pub(crate) fn verify_archive(&self, name: &ArchiveName) -> Result<Report, ArchiveError> {
        verify(self.open_archive(name)?, &self.root().join(name.as_str()))
    }

    /// The header of an archive; `Err` inside if it is wrong.
    pub(crate) fn header(&self, name: &ArchiveName) -> Result<Result<Header, Fault>, ArchiveError> {
        let mut lines = Lines::new(BufReader::new(self.open_archive(name)?));
        let path = self.root().join(name.as_str());
        let line = lines.next().map_err(ArchiveError::io("read", &path))?;
        Ok(first(line).map(|(_, header)| header))
    }
}

fn first(line: Option<Read<'_>>) -> Result<(Chain, Header), Fault> {
    match line {
        None => Err(Fault::CutOff),
        Some(Read::Broken(fault)) => Err(fault),
        Some(Read::Line(line)) => read_header(line),
    }
}

fn verify(file: File, path: &Path) -> Result<Report, ArchiveError> {
    let failed = || ArchiveError::io("read", path);
    let mut lines = Lines::new(BufReader::new(file));
    let mut report = Report::default();
    let mut chain = match first(lines.next().map_err(failed())?) {
        Err(fault) => {
            report.fault = Some((1, fault));
            return Ok(report);
        }
        Ok((chain, header)) => {
            report.header = Some(header);
            chain
        }
    };
    let mut ended = false;
    for number in 2.. {
        // A wrong line may have moved the chain on; what is right is what came before it.
        report.chain = chain.hash();
        let fault = match lines.next().map_err(failed())? {
            None if ended => break,
            None => Fault::CutOff,
            Some(_) if ended => Fault::AfterTheEnd,
            Some(Read::Broken(fault)) => fault,
            Some(Read::Line(line)) => match read_next(&mut chain, line) {
                Ok(Next::Footer) => {
                    ended = true;
                    continue;
                }
                Ok(Next::Record { erased }) => {
                    report.records += 1;
                    report.erased += u64::from(erased);
                    continue;
                }
                Err(fault) => fault,
            },
        };
        report.fault = Some((number, fault));
        break;
    }
    Ok(report)
}
