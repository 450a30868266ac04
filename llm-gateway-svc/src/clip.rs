//! Clips a completion at a number of characters.

/// What is left of a bound.
pub(crate) struct Clip {
    left: Option<usize>,
    clipped: bool,
}

impl Clip {
    /// At most so many characters; `None`: all of them.
    pub(crate) fn new(max_chars: Option<usize>) -> Self {
        Self {
            left: max_chars,
            clipped: false,
        }
    }

    /// The part of a piece that still fits, and whether something did not.
    pub(crate) fn take(&mut self, mut text: String) -> (String, bool) {
        let Some(left) = &mut self.left else {
            return (text, false);
        };
        // Bytes bound characters from above.
        if text.len() <= *left {
            *left -= text.chars().count();
        } else if let Some((end, _)) = text.char_indices().nth(*left) {
            text.truncate(end);
            *left = 0;
            self.clipped = true;
        } else {
            *left -= text.chars().count();
        }
        (text, self.clipped)
    }

    /// Whether something was cut off.
    pub(crate) fn clipped(&self) -> bool {
        self.clipped
    }
}
