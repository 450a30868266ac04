//! What is planted anywhere in a text, in any of many writings, is gone afterwards.

use proptest::prelude::*;
use turnwise_redaction::{Roster, redact, redact_with};
use unicode_normalization::UnicodeNormalization;

/// Sentences of students and of mathematics, with nothing personal in them.
const TEXTS: [&str; 10] = [
    "can you help me with this",
    "I think the answer is 42",
    "2x + 3 = 7, so x = 2",
    "What is 5 + 7?",
    r"\frac{1}{2} x^{2} + 3",
    "is it 3.5 or 3,500",
    "I don't get it",
    "the set is 1, 2, 3, 4",
    "so 12/4 = 3 right?",
    "",
];

/// How a planted thing is disguised.
fn disguise(text: &str, how: usize) -> String {
    match how {
        1 => text
            .chars()
            .map(|c| match c {
                '!'..='~' => char::from_u32(c as u32 + 0xfee0).unwrap(),
                c => c,
            })
            .collect(),
        2 => text.chars().flat_map(|c| [c, '\u{200b}']).collect(),
        3 => text.chars().flat_map(|c| ['\u{200d}', c]).collect(),
        4 => text.chars().flat_map(|c| [c, '\u{ad}']).collect(),
        5 => text
            .chars()
            .map(|c| {
                c.to_digit(10)
                    .map_or(c, |digit| char::from_u32(0x660 + digit).unwrap())
            })
            .collect(),
        6 => format!("\u{200f}{text}\u{200e}"),
        7 => text.nfd().collect(),
        8 => text.replace(' ', "\u{a0}").replace('-', "\u{2011}"),
        _ => text.to_owned(),
    }
}

/// A reader's view of a text: compatibility forms, without what has no width.
fn plain(text: &str) -> String {
    text.nfkd()
        .filter(|c| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{ad}' | '\u{300}'..='\u{36f}'))
        .map(|c| match c {
            '\u{660}'..='\u{669}' => char::from_u32(c as u32 - 0x660 + 0x30).unwrap(),
            c => c,
        })
        .collect()
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

fn email() -> impl Strategy<Value = (String, String)> {
    (
        "[a-z]{6,10}",
        "[a-z0-9]{0,3}",
        "[a-z]{4,8}",
        prop::sample::select(vec!["org", "com", "example", "ac.uk", "k12.ca.us"]),
    )
        .prop_map(|(local, more, host, top)| (format!("{local}.{more}x@{host}.{top}"), local))
}

fn phone() -> impl Strategy<Value = (String, String)> {
    let group = "[2-9][0-9]{2}";
    prop_oneof![
        (group, group, "[0-9]{4}").prop_map(|(a, b, c)| format!("+1 {a} {b} {c}")),
        (group, group, "[0-9]{4}").prop_map(|(a, b, c)| format!("({a}) {b}-{c}")),
        (group, group, "[0-9]{4}").prop_map(|(a, b, c)| format!("{a}-{b}-{c}")),
        (group, group, "[0-9]{4}").prop_map(|(a, b, c)| format!("{a}.{b}.{c}")),
        ("7[0-9]{3}", "[0-9]{6}").prop_map(|(a, b)| format!("+44 {a} {b}")),
        "7[0-9]{9}".prop_map(|a| format!("+44{a}")),
        ("07[0-9]{3}", "[0-9]{6}").prop_map(|(a, b)| format!("{a} {b}")),
        "0[1-9][0-9]{8}".prop_map(|a| format!("call me on {a}")),
        ("[1-9][0-9]{2}", "[0-9]{4}").prop_map(|(a, b)| format!("my phone number is {a}-{b}")),
        "[1-9][0-9]{9}".prop_map(|a| format!("whatsapp: {a}")),
        ("[0-9]{3}", "[0-9]{3}", "[0-9]{4}").prop_map(|(a, b, c)| format!("tel {a} {b} {c}")),
    ]
    .prop_map(|phone| {
        let identifying = digits(&phone);
        (phone, identifying)
    })
}

/// A planted thing between two texts, on its own line or in the sentence.
fn plant(before: &str, thing: &str, after: &str, joint: usize) -> String {
    match joint {
        0 => format!("{before}\n{thing}\n{after}"),
        1 => format!("{before}. Mail or ring: {thing}. {after}"),
        2 => format!("{before}, here {thing} ok {after}"),
        _ => format!("hello ({thing}), {before} {after}"),
    }
}

proptest! {
    #[test]
    fn a_planted_email_address_is_gone((address, local) in email(), before in 0..10_usize, after in 0..10_usize,
        how in 0..9_usize, joint in 0..4_usize) {
        let text = plant(TEXTS[before], &disguise(&address, how), TEXTS[after], joint);
        let redacted = redact(&text);
        prop_assert!(!plain(&redacted).contains(&local), "{:?}", redacted);
        prop_assert!(redacted.contains("[e-mail]"));
        prop_assert!(redacted.starts_with(TEXTS[before]) || joint == 3);
        prop_assert!(redacted.ends_with(TEXTS[after]));
        prop_assert_eq!(&redact(&redacted), &redacted);
    }

    #[test]
    fn a_planted_phone_number_is_gone((phone, number) in phone(), before in 0..10_usize, after in 0..10_usize,
        how in 0..7_usize, joint in 0..4_usize) {
        let text = plant(TEXTS[before], &disguise(&phone, how), TEXTS[after], joint);
        let redacted = redact(&text);
        let left = digits(&plain(&redacted));
        prop_assert!(!left.contains(&number), "{:?}", redacted);
        prop_assert_eq!(left.len() + number.len(), digits(&plain(&text)).len(), "{:?}", redacted);
        prop_assert!(redacted.contains("[phone]"), "{:?}", redacted);
        prop_assert_eq!(&redact(&redacted), &redacted);
    }

    #[test]
    fn a_planted_name_is_gone(
        name in prop::sample::select(vec!["Ada Lovelace", "José Núñez", "Siobhán O'Connor", "Kwame-Kofi Mensah", "Ngô Thanh"]),
        part in 0..4_usize, how in prop::sample::select(vec![0_usize, 1, 2, 3, 4, 6, 7, 8]), before in 0..10_usize,
        after in 0..10_usize, joint in 0..4_usize, possessive in any::<bool>())
    {
        let roster = Roster::new(["Zed Quux", name]).unwrap();
        let (given, family) = name.split_once(' ').unwrap();
        let written = match part {
            0 => name.to_owned(),
            1 => format!("{family}, {given}"),
            2 => given.to_owned(),
            _ => family.to_owned(),
        };
        let written = disguise(&written, how) + if possessive { "'s" } else { "" };
        let text = plant(TEXTS[before], &written, TEXTS[after], joint);
        let redacted = redact_with(&text, &roster);
        let left = plain(&redacted);
        for word in plain(&name.replace(['-', '\''], " ")).split(' ').filter(|word| word.len() > 2) {
            prop_assert!(!left.contains(word), "{:?}", redacted);
        }
        prop_assert!(redacted.contains("[name]"));
        prop_assert_eq!(&redact_with(&redacted, &roster), &redacted);
    }
}
