//! Every locale is complete, and a text comes in the locale that was asked for.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};

use fluent_syntax::{
    ast::{Entry, Expression, InlineExpression, Pattern, PatternElement},
    parser,
};
use turnwise_messages::{FALLBACK, LOCALES, keys, text};

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
