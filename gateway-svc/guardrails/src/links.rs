//! Addresses and markup in a text: what a tutor never gives.

/// What begins an address or a command that a client might follow.
const SCHEMES: [&str; 8] = [
    "://",
    "mailto:",
    "javascript:",
    "vbscript:",
    "data:text/",
    "\\href",
    "\\url",
    "\\includegraphics",
];

/// Elements that a page would load or draw.
const ELEMENTS: [&str; 17] = [
    "a href", "audio", "base", "button", "embed", "form", "iframe", "img", "input", "link", "math",
    "meta", "object", "script", "style", "svg", "video",
];

/// Ends of names that are written without anything before them. Those that are also words of a language, such as `at`
/// and `me`, count only before a slash: a full stop without a space after it is no address.
const DOMAINS: [&str; 22] = [
    "ai", "app", "ch", "co", "com", "de", "dev", "edu", "eu", "fr", "gg", "gov", "info", "io",
    "ly", "net", "org", "ru", "tv", "uk", "us", "xyz",
];
const DOMAINS_BEFORE_SLASH: [&str; 9] = ["at", "be", "gl", "in", "is", "it", "me", "so", "to"];

/// Whether a text in the form of [`fold`](turnwise_text_classifier::fold) holds an address of the web or of mail, or
/// markup that is more than text.
pub(crate) fn has_any(folded: &str) -> bool {
    SCHEMES.iter().any(|scheme| folded.contains(scheme))
        || has_element(folded)
        || has_domain(folded)
}

fn has_element(folded: &str) -> bool {
    folded.match_indices('<').any(|(at, _)| {
        let rest = folded[at + 1..].trim_start_matches('/');
        ELEMENTS.iter().any(|element| {
            rest.strip_prefix(element)
                .is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric()))
        })
    })
}

fn has_domain(folded: &str) -> bool {
    let bytes = folded.as_bytes();
    let part = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
    folded.match_indices('.').any(|(dot, _)| {
        let before = &bytes[..dot];
        let start = before.iter().rposition(|b| !part(*b)).map_or(0, |i| i + 1);
        let label = &before[start..];
        let after = &folded[dot + 1..];
        let end = after.bytes().position(|b| !part(b)).unwrap_or(after.len());
        let (name, rest) = after.split_at(end);
        // A mail address is one with any end; `www.` begins one.
        let named = label.iter().any(u8::is_ascii_alphabetic);
        let mail = start > 1 && bytes[start - 1] == b'@' && part(bytes[start - 2]);
        (mail && named && name.len() > 1)
            || (label == b"www" && !name.is_empty())
            || (named && DOMAINS.contains(&name))
            || (named && DOMAINS_BEFORE_SLASH.contains(&name) && rest.starts_with('/'))
    })
}
