//! Many short strings in one piece of memory.

/// Strings by place.
#[derive(Debug, Default)]
pub(crate) struct Strings {
    text: Box<str>,
    /// Where each string ends in `text`; rising, on boundaries of characters, the last at the end.
    ends: Box<[u32]>,
}

/// The strings are longer than 4 GiB together.
#[derive(Debug)]
pub(crate) struct TooLong;

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
            ends: ends.into_boxed_slice(),
        })
    }

    /// Takes strings apart again; `None` if the ends do not fit the text.
    pub(crate) fn from_raw(text: Box<str>, ends: Box<[u32]>) -> Option<Self> {
        let fits = ends.is_sorted()
            && ends.last().map_or(0, |last| *last as usize) == text.len()
            && ends.iter().all(|end| text.is_char_boundary(*end as usize));
        fits.then_some(Self { text, ends })
    }

    /// All strings in one, and where each ends.
    pub(crate) fn raw(&self) -> (&str, &[u32]) {
        (&self.text, &self.ends)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The string at a place below [`Strings::len`].
    pub(crate) fn get(&self, place: usize) -> &str {
        let start = match place.checked_sub(1) {
            Some(before) => self.ends[before] as usize,
            None => 0,
        };
        &self.text[start..self.ends[place] as usize]
    }

    /// All of them, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|place| self.get(place))
    }

    /// The place of a string; the strings are sorted.
    pub(crate) fn find(&self, string: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.get(middle).cmp(string) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    /// Whether they rise strictly.
    pub(crate) fn rise(&self) -> bool {
        (1..self.len()).all(|place| self.get(place - 1) < self.get(place))
    }

    /// The bytes that they take.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len() + size_of_val(&*self.ends)
    }
}
