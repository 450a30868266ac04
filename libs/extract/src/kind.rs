//! What a file is: told by its ending, or by the person who names it.

use std::{path::Path, str::FromStr};

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A transcript in WebVTT.
    Vtt,
    /// A transcript in SubRip.
    Srt,
    /// Plain text.
    Text,
    /// Markdown: its headings are sections.
    Markdown,
    /// A PDF.
    Pdf,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Vtt, Self::Srt, Self::Text, Self::Markdown, Self::Pdf];

    /// The kind that the file's ending tells; `None`: an unknown ending.
    #[must_use]
    pub fn of(file: &Path) -> Option<Self> {
        let ending = file.extension()?.to_str()?.to_ascii_lowercase();
        Some(match ending.as_str() {
            "vtt" => Self::Vtt,
            "srt" => Self::Srt,
            "txt" | "text" => Self::Text,
            "md" | "markdown" => Self::Markdown,
            "pdf" => Self::Pdf,
            _ => return None,
        })
    }

    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Vtt => "vtt",
            Self::Srt => "srt",
            Self::Text => "text",
            Self::Markdown => "markdown",
            Self::Pdf => "pdf",
        }
    }

    /// The kind as the index spells it: `text`, `pdf` or `transcript`.
    #[must_use]
    pub fn chunk_type(self) -> &'static str {
        match self {
            Self::Vtt | Self::Srt => "transcript",
            Self::Text | Self::Markdown => "text",
            Self::Pdf => "pdf",
        }
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == name)
            .ok_or_else(|| "use vtt, srt, text, markdown or pdf".to_owned())
    }
}
