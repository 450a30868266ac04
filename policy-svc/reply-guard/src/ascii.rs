//! Which ASCII characters a text has: one look that spares many searches.

/// The ASCII characters of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ascii(u128);

impl Ascii {
    pub(crate) fn of(text: &str) -> Self {
        let seen = text.bytes().filter(u8::is_ascii);
        Self(seen.fold(0, |all, byte| all | 1 << byte))
    }

    /// Whether any of these is among them.
    pub(crate) fn has_any(self, of: &str) -> bool {
        self.0 & Self::of(of).0 != 0
    }

    /// Whether all of these are among them, as they must be where the text holds `part`.
    pub(crate) fn may_hold(self, part: &str) -> bool {
        let part = Self::of(part).0;
        self.0 & part == part
    }
}
