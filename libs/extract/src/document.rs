//! A document before it is cut: sections, and on which page or at what time their text begins.

use std::time::Duration;

/// Where a piece of text is found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place {
    /// Its page, from 1; 0: it has none.
    pub page: u32,
    /// Its time in the recording; `None`: it is none.
    pub start: Option<Duration>,
}

/// From here on the text has this place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The byte offset in the section's text.
    pub at: usize,
    /// The place.
    pub place: Place,
}

/// A heading and the text below it. An empty line parts paragraphs; a single line break is a space that a line may be cut
/// at (the end of a caption, of a line of a page).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Section {
    /// The heading; empty: the text has none.
    pub heading: String,
    /// The text.
    pub text: String,
    /// The places, in order.
    pub marks: Vec<Mark>,
}

impl Section {
    /// An empty section with this heading.
    pub(crate) fn new(heading: impl Into<String>) -> Self {
        Self {
            heading: heading.into(),
            ..Self::default()
        }
    }

    /// Appends text after a separator, which an empty section does without.
    pub(crate) fn push(&mut self, separator: &str, text: &str, place: Place) {
        if !self.text.is_empty() {
            self.text.push_str(separator);
        }
        if self.marks.last().is_none_or(|mark| mark.place != place) {
            self.marks.push(Mark {
                at: self.text.len(),
                place,
            });
        }
        self.text.push_str(text);
    }

    /// The place of a byte of the text.
    pub(crate) fn place(&self, at: usize) -> Place {
        let after = self.marks.partition_point(|mark| mark.at <= at);
        after
            .checked_sub(1)
            .and_then(|last| self.marks.get(last))
            .map_or_else(Place::default, |mark| mark.place)
    }
}
