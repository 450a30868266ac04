//! Many short strings in one piece of memory.

use std::ops::Range;

/// How many strings have one end that is kept whole.
const GROUP: usize = 16;

/// Strings by place.
#[derive(Debug, Default)]
pub(crate) struct Strings {
    text: Box<str>,
    ends: Ends,
}

/// Where each string ends in the text; rising, on boundaries of characters, the last at the end.
#[derive(Debug)]
enum Ends {
    /// Each whole.
    Whole(Box<[u32]>),
    /// Strings of at most 255 bytes, and of 64 KiB together: how long each is, and where each [`GROUP`] of them starts.
    Short {
        lengths: Box<[u8]>,
        starts: Box<[u16]>,
    },
}

impl Default for Ends {
    fn default() -> Self {
        Self::Whole(Box::default())
    }
}

/// The strings are longer than 4 GiB together.
#[derive(Debug)]
pub(crate) struct TooLong;

impl Ends {
    /// From ends that rise. What is short takes little more than a quarter of the space, which counts where parts are small
    /// and many; it is looked up a little slower, which would count where a part is large.
    fn of(ends: Box<[u32]>) -> Self {
        let starts = || std::iter::once(&0).chain(&ends);
        let lengths: Option<Box<[u8]>> = (ends.iter().zip(starts()))
            .map(|(end, start)| u8::try_from(end - start).ok())
            .collect();
        let groups: Option<Box<[u16]>> = (starts().step_by(GROUP))
            .map(|start| u16::try_from(*start).ok())
            .collect();
        match (lengths, groups) {
            (Some(lengths), Some(starts)) => Self::Short { lengths, starts },
            _ => Self::Whole(ends),
        }
    }
}

impl Strings {
    /// Puts strings together.
    pub(crate) fn of<'a>(strings: impl IntoIterator<Item = &'a str>) -> Result<Self, TooLong> {
        let mut text = String::new();
        let mut ends = Vec::new();
        for string in strings {
            text.push_str(string);
            ends.push(u32::try_from(text.len()).map_err(|_| TooLong)?);
        }
        Ok(Self {
            text: text.into_boxed_str(),
            ends: Ends::of(ends.into()),
        })
    }

    /// Takes strings apart again; `None` if the ends do not fit the text.
    pub(crate) fn from_raw(text: Box<str>, ends: Box<[u32]>) -> Option<Self> {
        let fits = ends.is_sorted()
            && ends.last().map_or(0, |last| *last as usize) == text.len()
            && ends.iter().all(|end| text.is_char_boundary(*end as usize));
        fits.then(|| Self {
            text,
            ends: Ends::of(ends),
        })
    }

    /// All strings in one.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Where each string ends in [`Strings::text`].
    pub(crate) fn ends(&self) -> impl ExactSizeIterator<Item = u32> {
        // A text has at most 2^32 - 1 bytes.
        (0..self.len()).map(|place| self.bounds(place).end as u32)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        match &self.ends {
            Ends::Whole(ends) => ends.len(),
            Ends::Short { lengths, .. } => lengths.len(),
        }
    }

    /// Where a string stands in the text.
    fn bounds(&self, place: usize) -> Range<usize> {
        match &self.ends {
            Ends::Whole(ends) => {
                let start = place.checked_sub(1).map_or(0, |before| ends[before]);
                start as usize..ends[place] as usize
            }
            Ends::Short { lengths, starts } => {
                let group = place / GROUP;
                let before = lengths[group * GROUP..place].iter();
                let start = usize::from(starts[group])
                    + before.map(|length| usize::from(*length)).sum::<usize>();
                start..start + usize::from(lengths[place])
            }
        }
    }

    /// The string at a place below [`Strings::len`].
    pub(crate) fn get(&self, place: usize) -> &str {
        &self.text[self.bounds(place)]
    }

    /// All of them, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|place| self.get(place))
    }

    /// Whether they rise strictly.
    pub(crate) fn rise(&self) -> bool {
        (1..self.len()).all(|place| self.get(place - 1) < self.get(place))
    }

    /// The bytes that they take.
    pub(crate) fn bytes(&self) -> usize {
        let ends = match &self.ends {
            Ends::Whole(ends) => size_of_val(&**ends),
            Ends::Short { lengths, starts } => lengths.len() + size_of_val(&**starts),
        };
        self.text.len() + ends
    }
}
