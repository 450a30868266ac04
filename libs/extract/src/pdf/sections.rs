//! Pages to sections.
//!
//! The rules, kept few: the body's size is the one in which most characters are set. A line is a heading if its letters
//! are at least 15 % larger, it has a letter, is at most 120 characters long and does not end like a sentence's part;
//! lines of the same size right below it belong to it. Page numbers, and lines that stand first or last on three pages or
//! more and on at least half of them (their digits aside), are dropped. A word that is parted at a line's end is joined.
//! A PDF without headings is one section; its text keeps its pages.

use std::collections::HashMap;

use super::protocol::{Line, Page};
use crate::document::{Place, Section};

const MAX_HEADING: usize = 120;
/// The most lines of one heading.
const MAX_HEADING_LINES: usize = 3;
/// A line is repeated on so many pages at least.
const MIN_REPEATS: usize = 3;

pub(super) fn sections(pages: &[Page]) -> Vec<Section> {
    let body = body_size(pages);
    let furniture = furniture(pages);
    let mut sections = vec![Section::default()];
    let mut heading: Option<(u32, usize)> = None;
    for page in pages {
        let place = Place {
            page: page.number,
            start: None,
        };
        let last = page.lines.len().saturating_sub(1);
        let mut first = true;
        for (at, line) in page.lines.iter().enumerate() {
            if (at == 0 || at == last)
                && (is_page_number(&line.text) || furniture.contains_key(&shape(&line.text)))
            {
                continue;
            }
            if is_heading(line, body) {
                match (heading, sections.last_mut()) {
                    (Some((size, lines)), Some(section))
                        if size == line.size && lines < MAX_HEADING_LINES && !line.gap =>
                    {
                        section.heading.push(' ');
                        section.heading.push_str(&line.text);
                        heading = Some((size, lines + 1));
                    }
                    _ => {
                        sections.push(Section::new(line.text.as_str()));
                        heading = Some((line.size, 1));
                    }
                }
                continue;
            }
            heading = None;
            if let Some(section) = sections.last_mut() {
                // A page's first line goes on with the paragraph of the page before.
                append(section, line, line.gap && !first, place);
            }
            first = false;
        }
    }
    sections
}

/// The size of most characters.
fn body_size(pages: &[Page]) -> u32 {
    let mut sizes: HashMap<u32, usize> = HashMap::new();
    for line in pages.iter().flat_map(|page| &page.lines) {
        *sizes.entry(line.size).or_default() += line.text.len();
    }
    sizes
        .into_iter()
        .max_by_key(|(size, bytes)| (*bytes, std::cmp::Reverse(*size)))
        .map_or(0, |(size, _)| size)
}

fn is_heading(line: &Line, body: u32) -> bool {
    u64::from(line.size) * 100 >= u64::from(body) * 115
        && line.text.chars().count() <= MAX_HEADING
        && line.text.chars().any(char::is_alphabetic)
        && !line.text.ends_with(['.', ',', ';', ':'])
}

fn is_page_number(text: &str) -> bool {
    let number = text.trim_matches(|c: char| c.is_whitespace() || "-–—[]()".contains(c));
    (1..=4).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit())
}

/// A line without its digits: a running head differs from page to page only in them.
fn shape(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// What stands first or last on so many pages that it is no text.
fn furniture(pages: &[Page]) -> HashMap<String, usize> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for page in pages {
        let first = page.lines.first();
        let last = page.lines.last().filter(|_| page.lines.len() > 1);
        for line in first.into_iter().chain(last) {
            *seen.entry(shape(&line.text)).or_default() += 1;
        }
    }
    let least = MIN_REPEATS.max(pages.len().div_ceil(2));
    seen.retain(|_, pages| *pages >= least);
    seen
}

fn append(section: &mut Section, line: &Line, gap: bool, place: Place) {
    let joined = !gap
        && section
            .text
            .strip_suffix('-')
            .is_some_and(|rest| rest.ends_with(|c: char| c.is_lowercase()))
        && line.text.starts_with(|c: char| c.is_lowercase());
    if joined {
        section.text.pop();
        section.push("", &line.text, place);
    } else {
        section.push(if gap { "\n\n" } else { "\n" }, &line.text, place);
    }
}
