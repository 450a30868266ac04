//! Why there is nothing to serve, or nothing in a bundle.

use std::path::{Path, PathBuf};

use crate::archive::ArchiveError;
use crate::fault::{PackFault, lines};
use crate::load::Refusal;

/// Why a folder of packs has nothing to serve.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// The folder cannot be read.
    #[error("{0}")]
    Unreadable(PackFault),
    /// The folder holds no pack.
    #[error("there is no course pack in `{0}`; name a folder that holds one")]
    NoPack(PathBuf),
    /// Every pack is broken.
    #[error("every course pack has faults; correct them:\n{}", lines(.0))]
    NoGoodPack(Vec<PackFault>),
    /// A bundle is refused: whoever named it counts on it.
    #[error("a course bundle is refused:\n{}", lines(.0))]
    Bundle(Vec<PackFault>),
}

/// Why what is in a bundle cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// It is none, not the one that is named, or not at hand.
    #[error("{0}")]
    Bundle(PackFault),
    /// The pack in it has faults.
    #[error("the course pack in it has faults:\n{}", lines(.0))]
    Pack(Vec<PackFault>),
    /// It cannot be unpacked into the archive.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

impl BundleError {
    /// What is wrong with the bundle that `file` is, or names.
    #[must_use]
    pub fn into_faults(self, file: &Path) -> Vec<PackFault> {
        match self {
            Self::Pack(faults) => faults,
            Self::Bundle(fault) => vec![fault],
            Self::Archive(error) => vec![PackFault {
                file: file.to_owned(),
                line: None,
                message: format!("this bundle cannot be unpacked: {error}"),
                remedy: "make room in PACK_ARCHIVE_DIR, or name another folder".to_owned(),
            }],
        }
    }

    pub(super) fn refusal(self, file: &Path) -> Refusal {
        Refusal {
            bundle: !matches!(self, Self::Pack(_)),
            ..self.into_faults(file).into()
        }
    }
}
