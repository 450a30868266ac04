//! The keys of rows: the parts of a name one after the other, so that names sort as they are written and what belongs to
//! one name lies together.

/// What ends a part of a name.
const END: u8 = 0x00;
/// What follows a byte like that within a part. No part begins with it and nothing that follows a name does.
const NO_END: u8 = 0xff;

/// The beginning of all keys of a name: its parts, each ended by a zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name(Vec<u8>);

impl Name {
    /// A name of these parts.
    pub(crate) fn new(parts: &[&str]) -> Self {
        let mut name = Vec::with_capacity(parts.iter().map(|part| part.len() + 1).sum());
        for part in parts {
            for &byte in part.as_bytes() {
                name.push(byte);
                if byte == END {
                    name.push(NO_END);
                }
            }
            name.push(END);
        }
        Self(name)
    }

    /// Its bytes: the key of its only row, and where its rows begin.
    pub(crate) fn start(&self) -> &[u8] {
        &self.0
    }

    /// Where its rows have ended.
    pub(crate) fn end(&self) -> Vec<u8> {
        self.row(&[NO_END])
    }

    /// The key of one of its rows; `tail` does not begin with 0xff.
    pub(crate) fn row(&self, tail: &[u8]) -> Vec<u8> {
        let mut row = Vec::with_capacity(self.0.len() + tail.len());
        row.extend_from_slice(&self.0);
        row.extend_from_slice(tail);
        row
    }

    /// What follows the name in the key of a row.
    pub(crate) fn tail<'r>(&self, row: &'r [u8]) -> &'r [u8] {
        row.get(self.0.len()..).unwrap_or_default()
    }
}

/// The parts of a name, from a key that is the name itself; `None` if it has another number of parts, or is none.
pub(crate) fn parts<const N: usize>(key: &[u8]) -> Option<[Box<str>; N]> {
    let mut parts = Vec::with_capacity(N);
    let mut part = Vec::new();
    let mut bytes = key.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte == END && bytes.next_if_eq(&NO_END).is_none() {
            let text = String::from_utf8(std::mem::take(&mut part)).ok()?;
            parts.push(text.into_boxed_str());
        } else {
            part.push(byte);
        }
    }
    if !part.is_empty() {
        return None;
    }
    parts.try_into().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Short names of few letters, so that some are beginnings of others.
    fn part() -> impl Strategy<Value = String> {
        "[ab\\x00\u{10ffff}]{0,4}"
    }

    proptest! {
        #[test]
        fn rows_of_one_name_lie_apart_from_all_others(a in [part(), part()], b in [part(), part()], tail in part()) {
            let name = |[first, second]: &[String; 2]| Name::new(&[first, second]);
            let (first, second) = (name(&a), name(&b));
            let row = second.row(tail.as_bytes());
            prop_assert_eq!((first.start()..&first.end()).contains(&row.as_slice()), a == b);
            prop_assert_eq!(second.tail(&row), tail.as_bytes());
        }

        #[test]
        fn names_sort_as_their_parts_and_are_read_as_they_were_written(a in [part(), part()], b in [part(), part()]) {
            let [first, second] = [&a, &b].map(|[first, second]| Name::new(&[first, second]));
            prop_assert_eq!(first.start().cmp(second.start()), a.cmp(&b));
            let read: [Box<str>; 2] = parts(first.start()).unwrap();
            prop_assert_eq!(read.map(String::from), a);
            prop_assert_eq!(parts::<3>(first.start()), None);
        }

        #[test]
        fn what_follows_a_course_is_of_that_course(a in part(), b in part(), source in part()) {
            let course = Name::new(&[&a]);
            let row = Name::new(&[&b, &source]);
            prop_assert_eq!((course.start()..&course.end()).contains(&row.start()), a == b);
        }

        #[test]
        fn any_bytes_are_parts_or_none(key: Vec<u8>) {
            if let Some(found) = parts::<2>(&key) {
                let name = Name::new(&[&found[0], &found[1]]);
                prop_assert_eq!(name.start(), key);
            }
        }
    }
}
