//! Texts, programs and logs by their lines.

use std::ops::Range;

use super::Piece;

/// The most lines of a paragraph that is suggested as one.
const PARAGRAPH_LINES: usize = 40;

/// Where the lines of a text stand, without their line ends.
pub(super) struct Lines {
    lines: Vec<Range<usize>>,
    blank: Vec<bool>,
}

impl Lines {
    pub(super) fn of(content: &str) -> Self {
        let mut lines = Vec::new();
        let mut blank = Vec::new();
        let mut start = 0;
        for line in content.split_inclusive('\n') {
            let bare = line.strip_suffix('\n').unwrap_or(line);
            let bare = bare.strip_suffix('\r').unwrap_or(bare);
            lines.push(start..start + bare.len());
            blank.push(bare.trim().is_empty());
            start += line.len();
        }
        Self { lines, blank }
    }

    /// Where the lines stand that `lines:10-20` names, counted from 1; `None`: the text has no such lines. Lines behind
    /// the last are left out.
    pub(super) fn resolve(&self, path: &str) -> Result<Option<Range<usize>>, String> {
        let malformed = || {
            "of a text, parts are lines: write `lines:10-20`, the first line is 1, and the second number is not below the first"
                .to_owned()
        };
        let range = path.strip_prefix("lines:").ok_or_else(malformed)?;
        let (first, last) = range.split_once('-').ok_or_else(malformed)?;
        let (first, last) = (number(first), number(last));
        let (Some(first), Some(last)) = (first, last) else {
            return Err(malformed());
        };
        if first == 0 || last < first {
            return Err(malformed());
        }
        let last = last.min(self.lines.len());
        Ok((first <= last).then(|| self.lines[first - 1].start..self.lines[last - 1].end))
    }

    /// What may be suggested: of a log each line; of another text each paragraph, which blank lines end, or
    /// [`PARAGRAPH_LINES`].
    pub(super) fn pieces(&self, log: bool) -> Vec<Piece> {
        let most = if log { 1 } else { PARAGRAPH_LINES };
        let mut pieces: Vec<Piece> = Vec::new();
        let mut length = 0;
        for (line, blank) in self.lines.iter().zip(&self.blank) {
            match pieces.last_mut() {
                _ if *blank => length = 0,
                Some(piece) if (1..most).contains(&length) => {
                    piece.range.end = line.end;
                    length += 1;
                }
                _ => {
                    pieces.push(Piece {
                        range: line.clone(),
                        name: 0..0,
                        node: 0,
                    });
                    length = 1;
                }
            }
        }
        pieces
    }

    /// The path of whole lines.
    pub(super) fn path_of(&self, range: &Range<usize>) -> String {
        let first = self.lines.partition_point(|line| line.start < range.start);
        let last = self.lines.partition_point(|line| line.end < range.end);
        format!("lines:{}-{}", first + 1, last + 1)
    }
}

/// A number as people count lines; one that no text has is as good as any other.
fn number(digits: &str) -> Option<usize> {
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| digits.parse().unwrap_or(usize::MAX))
}
