//! Addresses that lead out of the course, in their disguises: of the web, of mail, of machines, of accounts, of phones.

use crate::ascii::Ascii;

/// Ends of names that are no words: they count wherever they stand behind a dot.
const DOMAINS: [&str; 44] = [
    "ai", "app", "biz", "ch", "cloud", "club", "cn", "co", "com", "de", "dev", "edu", "es", "eu",
    "example", "fm", "fr", "gg", "gov", "info", "io", "jp", "link", "live", "ly", "net", "nl",
    "online", "org", "pro", "ru", "shop", "site", "space", "store", "tech", "tk", "top", "tv",
    "uk", "us", "vip", "website", "xyz",
];
/// Ends of names that are words as well: they count before a slash alone.
const DOMAINS_BEFORE_SLASH: [&str; 12] = [
    "as", "at", "be", "gl", "id", "in", "is", "it", "me", "my", "so", "to",
];
/// The best known, which count even with spaces around the dot and where the dot is written out.
const SPELLED_OUT: [&str; 14] = [
    "app", "ch", "com", "de", "edu", "eu", "gg", "info", "io", "ly", "net", "org", "tv", "uk",
];
/// Where people have accounts.
const PLATFORMS: [&str; 22] = [
    "snap",
    "snapchat",
    "insta",
    "instagram",
    "ig",
    "discord",
    "telegram",
    "tiktok",
    "whatsapp",
    "signal",
    "skype",
    "kik",
    "wechat",
    "threema",
    "facebook",
    "messenger",
    "twitch",
    "roblox",
    "steam",
    "reddit",
    "twitter",
    "onlyfans",
];
/// What stands before a number that is called.
const CALLS: [&str; 12] = [
    "call",
    "phone",
    "ring",
    "sms",
    "tel",
    "telephone",
    "telefon",
    "mobile",
    "handy",
    "nummer",
    "hotline",
    "whatsapp",
];

/// The least digits that a number to call has.
const LEAST_DIGITS: usize = 6;

/// Whether a text, folded to lower case, holds an address.
pub(crate) fn is_found(folded: &str) -> bool {
    let plain = undisguised(folded);
    let seen = Ascii::of(&plain);
    let tight: String = plain.split_whitespace().collect();
    ["http:", "https:", "hxxp", "ftp:", "://", "www."]
        .iter()
        .any(|begin| seen.may_hold(begin) && tight.contains(begin))
        || has_domain(&plain)
        || joined(&plain).is_some_and(|joined| has_domain(&joined))
        || has_machine(&plain)
        || has_account(&plain)
        || has_phone(&plain)
}

/// Dots and signs that are written in another way, as themselves.
fn undisguised(folded: &str) -> String {
    let mut plain = match folded.is_ascii() {
        true => folded.to_owned(),
        false => folded.replace(['。', '․', '｡', '．', '·', '•'], "."),
    };
    let seen = Ascii::of(&plain);
    if seen.has_any("[({<&%") {
        for (disguise, sign) in [
            ("[.]", "."),
            ("(.)", "."),
            ("{.}", "."),
            ("<.>", "."),
            ("[dot]", "."),
            ("(dot)", "."),
            ("{dot}", "."),
            ("[punkt]", "."),
            ("(punkt)", "."),
            ("&#46;", "."),
            ("&period;", "."),
            ("%2e", "."),
            ("[at]", "@"),
            ("(at)", "@"),
            ("{at}", "@"),
            ("[ät]", "@"),
            ("(ät)", "@"),
            ("&#64;", "@"),
            ("%40", "@"),
            ("[:]", ":"),
            ("[/]", "/"),
            ("[://]", "://"),
        ] {
            if seen.may_hold(disguise) && plain.contains(disguise) {
                plain = plain.replace(disguise, sign);
            }
        }
    }
    for word in [" dot ", " punkt ", " . ", " ."] {
        if plain.contains(word) {
            plain = spelled_out(&plain, word);
        }
    }
    plain
}

/// Joins what stands around a dot that is written out, where a well known end follows.
fn spelled_out(text: &str, dot: &str) -> String {
    let mut parts = text.split(dot);
    let mut joined = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(part.len());
        let known = SPELLED_OUT.contains(&&part[..end])
            // `evil dot co dot uk`
            || part[..end] == *"co";
        let named = joined.ends_with(|c: char| c.is_ascii_alphanumeric());
        joined.push_str(if known && named { "." } else { dot });
        joined.push_str(part);
    }
    joined
}

/// Signs that stand alone, put together: `e v i l . c o m`.
fn joined(text: &str) -> Option<String> {
    let single = |word: &str| word.len() == 1;
    let nexts = text.split(' ').skip(1);
    let mut pairs = text.split(' ').zip(nexts);
    if !pairs.any(|(word, next)| single(word) && single(next)) {
        return None;
    }
    let mut words = text.split(' ').peekable();
    let mut joined = String::with_capacity(text.len() + 1);
    while let Some(word) = words.next() {
        joined.push_str(word);
        if !(single(word) && words.peek().is_some_and(|next| single(next))) {
            joined.push(' ');
        }
    }
    Some(joined)
}

fn has_domain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let part = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
    text.match_indices(['.', ',']).any(|(dot, sign)| {
        let before = &bytes[..dot];
        let start = before.iter().rposition(|b| !part(*b)).map_or(0, |i| i + 1);
        let label = &before[start..];
        let after = &text[dot + 1..];
        let end = after.bytes().position(|b| !part(b)).unwrap_or(after.len());
        let (name, rest) = after.split_at(end);
        if name.is_empty() {
            return false;
        }
        let letters = label.iter().filter(|b| b.is_ascii_alphabetic()).count();
        if letters == 0 {
            return false;
        }
        if sign == "," {
            return letters > 2 && ["com", "net", "org"].contains(&name);
        }
        let follows = rest
            .strip_prefix('/')
            .is_some_and(|path| !path.starts_with(' '));
        DOMAINS.contains(&name)
            || (follows && DOMAINS_BEFORE_SLASH.contains(&name))
            || (follows
                && letters > 2
                && name.len() > 2
                && name.bytes().all(|b| b.is_ascii_alphabetic()))
    })
}

/// Numbers of machines: four small numbers with dots, or groups of hexadecimal digits with colons.
fn has_machine(text: &str) -> bool {
    let not_part = |c: char| !(c.is_ascii_hexdigit() || c == '.' || c == ':');
    let mut words = text
        .split(not_part)
        .filter(|word| word.contains(['.', ':']));
    words.any(|word| {
        let word = word.trim_matches('.').trim_end_matches(':');
        let four = word.split(':').next().unwrap_or_default();
        let parts: Vec<&str> = four.split('.').collect();
        let numbers = parts.len() == 4
            && parts.iter().all(|part| {
                part.bytes().all(|b| b.is_ascii_digit())
                    && part.parse::<u16>().is_ok_and(|n| n < 256)
            });
        let groups = word.split(':').count();
        let letters = word.bytes().any(|b| b.is_ascii_alphabetic());
        numbers || (groups > 3 && letters && word.bytes().any(|b| b.is_ascii_digit()))
    })
}

/// Mail addresses, names behind `@`, and names on platforms.
fn has_account(text: &str) -> bool {
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let handle = text.match_indices('@').any(|(at, _)| {
        let after = &text[at + 1..];
        let end = after.find(|c: char| !name(c)).unwrap_or(after.len());
        let account = after[..end].trim_end_matches('.');
        account.len() > 1 && account.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    let tag = text.match_indices('#').any(|(at, _)| {
        let digits = text[at + 1..]
            .bytes()
            .take_while(u8::is_ascii_digit)
            .count();
        let before = text[..at]
            .bytes()
            .rev()
            .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_');
        digits == 4 && before.count() > 2
    });
    handle || tag || named_on_platform(text)
}

fn named_on_platform(text: &str) -> bool {
    let words = || {
        let is_around = |c: char| !c.is_alphanumeric() && c != '_' && c != ':';
        let words = text.split_whitespace();
        words.map(move |word| word.trim_matches(is_around))
    };
    let is_platform = |word: &str| PLATFORMS.contains(&word.trim_end_matches(':'));
    if !words().any(is_platform) {
        return false;
    }
    let words: Vec<&str> = words().collect();
    let is_name = |word: &str| {
        let letters = word.bytes().any(|b| b.is_ascii_alphabetic());
        letters
            && (word.contains('_') && word.len() > 4
                || word.len() > 4 && word.ends_with(|c: char| c.is_ascii_digit()))
    };
    words.iter().enumerate().any(|(at, word)| {
        if !is_platform(word) {
            return false;
        }
        let near = &words[at.saturating_sub(4)..(at + 5).min(words.len())];
        let told = word.ends_with(':') && words.len() > at + 1;
        told || near.iter().any(|word| is_name(word))
    })
}

/// Digits in the form of a phone number.
fn has_phone(text: &str) -> bool {
    let belongs =
        |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '/' | '(' | ')' | '.' | '+');
    let mut start = 0;
    while let Some(at) = text[start..].find(|c: char| c.is_ascii_digit() || c == '+') {
        let from = start + at;
        let length = text[from..]
            .find(|c: char| !belongs(c))
            .unwrap_or(text.len() - from);
        let number =
            text[from..from + length.max(1)].trim_end_matches(|c: char| !c.is_ascii_digit());
        if is_phone(&text[..from], number) {
            return true;
        }
        start = from + length.max(1);
    }
    false
}

fn is_phone(before: &str, number: &str) -> bool {
    let digits: Vec<u8> = number.bytes().filter(u8::is_ascii_digit).collect();
    if digits.len() < LEAST_DIGITS {
        return false;
    }
    let first = number
        .trim_start_matches(['+', '('])
        .bytes()
        .take_while(u8::is_ascii_digit)
        .count();
    // A sum, a decimal, a row of small numbers or of bits.
    let inner = number.trim_start_matches('+');
    let sum = inner.contains(['+']) || number.contains(" - ") || number.contains(" / ");
    let bits = digits.iter().all(|d| matches!(d, b'0' | b'1'));
    // The end of a longer number, such as 4,000.
    let inside = before.ends_with([',', '.', '$']);
    if sum || bits || inside || digits.len() > 15 {
        return false;
    }
    if let Some(after) = number.strip_prefix('+') {
        return digits.len() > 7 && !after.starts_with(' ');
    }
    let groups = inner
        .split(|c: char| !c.is_ascii_digit())
        .filter(|g| !g.is_empty());
    let lone = groups.clone().filter(|group| group.len() == 1).count();
    if number.starts_with('0') || number.starts_with("(0") {
        return first > 1 && digits.len() > 7 && lone < 2;
    }
    let words: Vec<&str> = before.split_whitespace().rev().take(4).collect();
    let called = words
        .iter()
        .any(|word| CALLS.contains(&word.trim_matches(|c: char| !c.is_alphanumeric())));
    let american = groups.map(str::len).eq([3, 3, 4]);
    called || (american && number.contains(['-', ')']))
}
