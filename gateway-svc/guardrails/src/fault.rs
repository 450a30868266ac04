//! What is wrong with a profile.

use std::{io, path::PathBuf};

use turnwise_text_classifier::WeightsError;

/// Why a profile cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// The file cannot be read.
    #[error("{file} cannot be read; check that it is there and may be read")]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is broken.
    #[error("{}: {message}", place(.file, *.line))]
    Faulty {
        /// The file; of the built-in profile its name.
        file: PathBuf,
        /// The line, counted from 1, where there is one.
        line: Option<u64>,
        /// What is wrong and what to do about it.
        message: String,
    },
    /// The model of this crate is broken, which its tests rule out.
    #[error("the model cannot be read")]
    Model(#[from] WeightsError),
}

fn place(file: &std::path::Path, line: Option<u64>) -> String {
    match line {
        Some(line) => format!("{}:{line}", file.display()),
        None => file.display().to_string(),
    }
}
