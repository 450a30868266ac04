//! The characters that a page draws, to lines of text.

use pdf_extract::{MediaBox, OutputDev, OutputError, Transform};

use super::protocol::Line;

/// Gathers the lines of a page.
#[derive(Default)]
pub(super) struct Lines {
    lines: Vec<Line>,
    bytes: usize,
    last: Option<Last>,
    /// The base line of the line before the current one.
    above: Option<f64>,
}

/// The character before.
struct Last {
    x_end: f64,
    y: f64,
    size: f64,
}

/// A character is on another line when it stands this part of its size higher or lower; exponents are less.
const OTHER_LINE: f64 = 0.6;
/// A gap of this part of the size is a space.
const SPACE: f64 = 0.15;
/// Lines of a paragraph are at most so many sizes apart.
const PARAGRAPH: f64 = 1.6;

impl Lines {
    /// The lines, without empty ones.
    pub(super) fn finish(self) -> Vec<Line> {
        let mut lines = self.lines;
        for line in &mut lines {
            line.text = line.text.split_whitespace().collect::<Vec<_>>().join(" ");
        }
        lines.retain(|line| !line.text.is_empty());
        lines
    }

    /// Bytes of text so far.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    fn character(&mut self, x: f64, y: f64, width: f64, size: f64, text: &str) {
        let new_line = self.last.as_ref().is_none_or(|last| {
            let scale = size.max(last.size);
            let moved = (y - last.y).abs() > scale * OTHER_LINE;
            // Back to the left on the same height: another column, or a second layer.
            moved || x < last.x_end - scale * 2.0
        });
        if new_line {
            let gap = match (&self.last, self.above) {
                (Some(last), _) => (y - last.y).abs() > size.max(last.size) * PARAGRAPH,
                _ => true,
            };
            self.above = self.last.as_ref().map(|last| last.y);
            self.lines.push(Line {
                size: half_points(size),
                gap,
                text: String::new(),
            });
        }
        if let Some(line) = self.lines.last_mut() {
            let spaced = self
                .last
                .as_ref()
                .is_some_and(|last| !new_line && x > last.x_end + size * SPACE);
            if spaced {
                line.text.push(' ');
            }
            push_letters(&mut line.text, text);
            self.bytes += text.len() + usize::from(spaced);
        }
        self.last = Some(Last {
            x_end: x + width * size,
            y,
            size,
        });
    }
}

/// Ligatures become letters, so that words are found; other characters stay (`x²` is not `x2`).
fn push_letters(line: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            'ﬀ' => line.push_str("ff"),
            'ﬁ' => line.push_str("fi"),
            'ﬂ' => line.push_str("fl"),
            'ﬃ' => line.push_str("ffi"),
            'ﬄ' => line.push_str("ffl"),
            'ﬅ' | 'ﬆ' => line.push_str("st"),
            '\u{ad}' | '\u{feff}' => {}
            c if c.is_control() => line.push(' '),
            c => line.push(c),
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast of a float saturates, and sizes are small"
)]
fn half_points(size: f64) -> u32 {
    (size * 2.0).round() as u32
}

impl OutputDev for Lines {
    fn begin_page(
        &mut self,
        _page: u32,
        _media: &MediaBox,
        _art: Option<(f64, f64, f64, f64)>,
    ) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_page(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn output_character(
        &mut self,
        at: &Transform,
        width: f64,
        _spacing: f64,
        font_size: f64,
        text: &str,
    ) -> Result<(), OutputError> {
        let scale = (at.m11 * at.m22 - at.m12 * at.m21).abs().sqrt();
        let size = font_size.abs() * scale;
        let (x, y) = (at.m31, at.m32);
        if size.is_finite() && x.is_finite() && y.is_finite() && width.is_finite() {
            self.character(x, y, width, size, text);
        }
        Ok(())
    }

    fn begin_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}
