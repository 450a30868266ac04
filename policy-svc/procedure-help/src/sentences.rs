//! Where sentences end.

/// What stands before a full stop that ends no sentence, in English and German.
const SHORT: [&str; 24] = [
    "e.g", "i.e", "approx", "vs", "no", "fig", "dr", "mr", "mrs", "st", "z", "z.b", "b", "d",
    "d.h", "h", "u", "u.a", "a", "ca", "bzw", "nr", "abb", "evtl",
];

/// How many sentences a text has. One without an end counts as well; what has neither letters nor digits is none.
#[must_use]
pub fn count(text: &str) -> usize {
    ends(text).len()
}

/// The first sentences of a text, at most `most`.
pub(crate) fn first(text: &str, most: usize) -> &str {
    let end = ends(text).get(most.saturating_sub(1)).copied();
    text[..end.unwrap_or(text.len())].trim()
}

/// The sentences of a text.
pub(crate) fn split(text: &str) -> Vec<&str> {
    let mut start = 0;
    let sentence = |end| {
        let sentence = &text[start..end];
        start = end;
        sentence
    };
    ends(text).into_iter().map(sentence).collect()
}

/// The byte behind each sentence.
fn ends(text: &str) -> Vec<usize> {
    let (mut ends, mut start) = (Vec::new(), 0);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = at + c.len_utf8();
        let end = match c {
            '\n' | '\r' | '\u{2028}' | '\u{2029}' | '。' | '！' | '？' => after,
            '.' | '!' | '?' | '…' => {
                let closes = |c: char| {
                    matches!(
                        c,
                        '.' | '!' | '?' | '…' | '"' | '”' | '“' | '\'' | '’' | '»' | '«' | ')'
                    )
                };
                let rest = text[after..].trim_start_matches(closes);
                let ended = rest.chars().next().is_none_or(char::is_whitespace);
                if !ended || (c == '.' && !rest.is_empty() && is_short(&text[start..at])) {
                    continue;
                }
                text.len() - rest.len()
            }
            _ => continue,
        };
        if says_something(&text[start..end]) {
            ends.push(end);
            start = end;
        }
        while chars.next_if(|(at, _)| *at < end).is_some() {}
    }
    if says_something(&text[start..]) {
        ends.push(text.len());
    }
    ends
}

fn says_something(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

fn is_short(before: &str) -> bool {
    let word = before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    SHORT.iter().any(|short| word.eq_ignore_ascii_case(short))
}
