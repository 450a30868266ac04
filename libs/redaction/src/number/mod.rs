//! Finds phone, card and ID numbers among the digits of a text, and leaves mathematics alone.

mod card;
mod cue;
mod expression;
mod identity;
mod phone;

use std::ops::Range;

use crate::{
    text::{MASK, Text, is_blank},
    web,
};

/// The digits of the shortest number that identifies a person.
pub const FEWEST_DIGITS: usize = 4;

/// Claims every number that identifies a person.
pub fn find(text: &mut Text) {
    let digits = text.chars().iter().filter(|c| c.is_ascii_digit());
    if digits.take(FEWEST_DIGITS).count() < FEWEST_DIGITS {
        return;
    }
    let addresses = web::addresses(text);
    for step in [card::find, identity::find, phone::find] {
        let numbers = Numbers::read(text, &addresses);
        step(text, &numbers);
    }
}

/// The groups of digits of a text, outside its web addresses.
struct Numbers {
    /// The characters of each group.
    groups: Vec<Range<usize>>,
    /// The digits of each.
    digits: Vec<String>,
    /// What stands between a group and the next.
    separators: Vec<Option<Separator>>,
}

/// What can stand between two groups of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    Space,
    Hyphen,
    /// A hyphen with spaces, or a minus sign: an operator, where no cue says otherwise.
    Wide,
    Dot,
    Slash,
    Bracket,
}

impl Numbers {
    fn read(text: &Text, addresses: &[Range<usize>]) -> Self {
        let mut addresses = addresses.iter().peekable();
        let mut groups = Vec::new();
        let mut place = 0;
        while place < text.chars().len() {
            if let Some(address) = addresses.next_if(|address| address.start <= place) {
                place = place.max(address.end);
                continue;
            }
            let end = text.skip(place, |c| c.is_ascii_digit());
            if end > place {
                groups.push(place..end);
            }
            place = end.max(place + 1);
        }
        let digits = groups
            .iter()
            .map(|group| text.chars()[group.clone()].iter().collect())
            .collect();
        let separators = groups
            .windows(2)
            .map(|pair| separator(&text.chars()[pair[0].end..pair[1].start]))
            .chain([None])
            .collect();
        Self {
            groups,
            digits,
            separators,
        }
    }

    fn len(&self) -> usize {
        self.groups.len()
    }

    /// The separator before a group.
    fn separator_before(&self, index: usize) -> Option<Separator> {
        index
            .checked_sub(1)
            .and_then(|before| self.separators[before])
    }

    /// The characters of some groups together.
    fn range(&self, groups: Range<usize>) -> Range<usize> {
        self.groups[groups.start].start..self.groups[groups.end - 1].end
    }

    /// How many digits a group has.
    fn size(&self, index: usize) -> usize {
        self.digits[index].len()
    }

    /// The digits of some groups together.
    fn joined(&self, groups: Range<usize>) -> String {
        self.digits[groups].concat()
    }
}

fn separator(gap: &[char]) -> Option<Separator> {
    if gap.is_empty() || gap.len() > 4 {
        return None;
    }
    let sign = |sign: char| gap.iter().filter(|c| **c == sign).count();
    let blanks = gap.iter().filter(|c| is_blank(**c)).count();
    let rest = gap.len() - blanks;
    match (rest, blanks) {
        (0, 1..=2) => Some(Separator::Space),
        (1, 0) if sign('-') == 1 => Some(Separator::Hyphen),
        (1, 0) if sign('.') == 1 => Some(Separator::Dot),
        (1, 0) if sign('/') == 1 => Some(Separator::Slash),
        (1, _) if sign('-') + sign('\u{2212}') == 1 => Some(Separator::Wide),
        _ if (1..=2).contains(&(sign('(') + sign(')')))
            && rest <= sign('(') + sign(')') + sign('-') + sign('.') =>
        {
            Some(Separator::Bracket)
        }
        _ => None,
    }
}

/// A place that belongs to a word or a number that goes on.
fn is_glued(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == MASK)
}
