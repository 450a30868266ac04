//! Every locale is complete, and a text comes in the locale that was asked for.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod docs;

use std::collections::{BTreeMap, BTreeSet};

use fluent_syntax::{
    ast::{Entry, Expression, InlineExpression, Pattern, PatternElement},
    parser,
};
use turnwise_messages::{
    COURSE_KEYS, FALLBACK, LOCALES, Texts, WordingFault, course_keys, has_locale, keys, text,
    wording_faults,
};

/// Each message's key and the names of its placeholders.
fn messages(locale: &str, source: &str) -> BTreeMap<String, BTreeSet<String>> {
    let resource =
        parser::parse(source).unwrap_or_else(|(_, faults)| panic!("{locale}: {faults:?}"));
    let mut messages = BTreeMap::new();
    for entry in &resource.body {
        if let Entry::Message(message) = entry {
            let value = message.value.as_ref();
            let value =
                value.unwrap_or_else(|| panic!("{locale}: `{}` has no text", message.id.name));
            let mut placeholders = BTreeSet::new();
            placeholders_of(value, &mut placeholders);
            let before = messages.insert(message.id.name.to_owned(), placeholders);
            assert!(
                before.is_none(),
                "{locale}: `{}` stands twice",
                message.id.name
            );
        }
    }
    messages
}

fn placeholders_of(pattern: &Pattern<&str>, found: &mut BTreeSet<String>) {
    for element in &pattern.elements {
        if let PatternElement::Placeable { expression } = element {
            in_expression(expression, found);
        }
    }
}

fn in_expression(expression: &Expression<&str>, found: &mut BTreeSet<String>) {
    match expression {
        Expression::Inline(inline) => in_inline(inline, found),
        Expression::Select { selector, variants } => {
            in_inline(selector, found);
            for variant in variants {
                placeholders_of(&variant.value, found);
            }
        }
    }
}

fn in_inline(inline: &InlineExpression<&str>, found: &mut BTreeSet<String>) {
    match inline {
        InlineExpression::VariableReference { id } => {
            found.insert(id.name.to_owned());
        }
        InlineExpression::FunctionReference { arguments, .. } => {
            for argument in &arguments.positional {
                in_inline(argument, found);
            }
        }
        InlineExpression::Placeable { expression } => in_expression(expression, found),
        _ => {}
    }
}

#[test]
fn every_locale_has_every_message_with_the_same_placeholders() {
    let (_, english) = LOCALES
        .into_iter()
        .find(|(locale, _)| *locale == FALLBACK)
        .unwrap();
    let english = messages(FALLBACK, english);
    assert!(!english.is_empty());
    for (locale, source) in LOCALES {
        assert_eq!(
            messages(locale, source),
            english,
            "{locale} differs from {FALLBACK}"
        );
    }
}

#[test]
fn a_text_comes_in_the_locale_that_was_asked_for() {
    let english = text("en", keys::POLICY_UNAVAILABLE, &[]);
    let german = text("de", keys::POLICY_UNAVAILABLE, &[]);
    assert!(english.starts_with("I can't"), "{english}");
    assert!(german.starts_with("Ich kann"), "{german}");
    assert_eq!(text("de-CH", keys::POLICY_UNAVAILABLE, &[]), german);
    assert_eq!(text("fi", keys::POLICY_UNAVAILABLE, &[]), english);
    assert_eq!(text("", keys::POLICY_UNAVAILABLE, &[]), english);
}

/// Each message's text as it is written, by key.
fn patterns(locale: &str, source: &'static str) -> BTreeMap<&'static str, Pattern<&'static str>> {
    let resource =
        parser::parse(source).unwrap_or_else(|(_, faults)| panic!("{locale}: {faults:?}"));
    let messages = resource.body.into_iter().filter_map(|entry| match entry {
        Entry::Message(message) => Some((message.id.name, message.value?)),
        _ => None,
    });
    messages.collect()
}

#[test]
fn no_locale_has_a_text_of_another() {
    let (_, english) = LOCALES[0];
    let english = patterns(FALLBACK, english);
    for (locale, source) in LOCALES.into_iter().skip(1) {
        for (key, pattern) in patterns(locale, source) {
            assert_ne!(pattern, english[key], "{locale}: `{key}` is not translated");
        }
    }
}

#[test]
fn swiss_german_has_no_sharp_s_and_its_own_quotation_marks() {
    let german = text("de", keys::CHAT_HINT_GENERAL, &[]);
    assert!(german.contains("Was weißt du schon"), "{german}");
    let unit = [("unit", "Größen".into()), ("tier", "Gold".into())];
    for locale in ["de-CH", "de_CH", "de-ch", "de-LI", "DE-CH-1996"] {
        let swiss = text(locale, keys::CHAT_HINT_GENERAL, &[]);
        assert!(swiss.contains("Was weisst du schon"), "{locale}: {swiss}");
        // What a course says stays as it says it.
        let locked = text(locale, keys::EXAM_LOCKED, &unit);
        assert_eq!(locked, "Die Gold-Frage zu «Größen» ist zurzeit gesperrt.");
    }
    for locale in ["de", "de-DE", "de-AT"] {
        let locked = text(locale, keys::EXAM_LOCKED, &unit);
        assert_eq!(locked, "Die Gold-Frage zu „Größen“ ist zurzeit gesperrt.");
    }
}

#[test]
fn the_catalogue_says_which_languages_it_has() {
    for (locale, has) in [
        ("en", true),
        ("en-GB", true),
        ("DE", true),
        ("de_CH", true),
        ("fi", false),
        ("", false),
        ("den", false),
    ] {
        assert_eq!(has_locale(locale), has, "{locale}");
    }
}

#[test]
fn a_courses_own_wording_comes_first() {
    let own = [
        ("exam-passed", "Hooray!"),
        (
            "way-before",
            "{$unit}, then { $target } ($\\frac{1}{2}$, { $unit }).",
        ),
        ("way-steps", "{ $steps } to go"),
    ];
    let own = own.map(|(key, wording)| (key.to_owned(), wording.to_owned()));
    let texts = Texts::new("de", own.into());
    assert_eq!(texts.locale(), "de");
    assert_eq!(texts.text(keys::EXAM_PASSED, &[]), "Hooray!");
    let units = [("target", "{ $unit }".into()), ("unit", "Brüche".into())];
    assert_eq!(
        texts.text(keys::WAY_BEFORE, &units),
        "Brüche, then { $unit } ($\\frac{1}{2}$, Brüche)."
    );
    assert_eq!(
        texts.text(keys::WAY_STEPS, &[("steps", 3_u32.into())]),
        "3 to go"
    );
    // Everything else is the catalogue's, in the course's language.
    let right = texts.text(keys::FEEDBACK_RIGHT, &[]);
    assert_eq!(right, text("de", keys::FEEDBACK_RIGHT, &[]));
    assert_eq!(
        Texts::default().text(keys::FEEDBACK_RIGHT, &[]),
        text("en", keys::FEEDBACK_RIGHT, &[])
    );
}

#[test]
fn a_course_may_word_what_its_students_read_and_nothing_else() {
    let course: Vec<_> = course_keys().collect();
    for prefix in COURSE_KEYS {
        let mut keys = course.iter();
        assert!(
            keys.any(|(key, _)| key.name().starts_with(prefix)),
            "{prefix}"
        );
    }
    // The catalogue's own texts would be good ones: each has its placeholders.
    let (_, english) = LOCALES[0];
    let english = messages(FALLBACK, english);
    for (key, placeholders) in &course {
        let named = placeholders.iter().map(|name| (*name).to_owned());
        let key = key.name();
        assert_eq!(english[key], named.collect::<BTreeSet<_>>());
        let wording: String = placeholders
            .iter()
            .map(|name| format!("{{ ${name} }} "))
            .collect();
        assert!(wording_faults(key, &wording).is_empty(), "{key}");
    }
    for key in [
        "policy-unavailable",
        "explain-target",
        "context-apology",
        "nothing",
    ] {
        assert!(course.iter().all(|(known, _)| known.name() != key), "{key}");
        assert_eq!(wording_faults(key, "No."), [WordingFault::UnknownKey]);
    }
}
