//! The message catalogue: texts that people read, by locale, in `locales/*.ftl` ([Fluent](https://projectfluent.org)).
//!
//! A new text is a message in `en.ftl` and in every other locale's file, and a call of [`text`] with its key from
//! [`keys`]. A test checks that all locales have the same keys with the same placeholders.

use std::{collections::BTreeMap, sync::LazyLock};

use fluent_bundle::{FluentArgs, FluentResource, FluentValue, concurrent::FluentBundle};
use unic_langid::LanguageIdentifier;

/// The locale whose texts stand in for those that another lacks.
pub const FALLBACK: &str = "en";

/// Every locale and its file.
pub const LOCALES: [(&str, &str); 2] = [
    (FALLBACK, include_str!("../locales/en.ftl")),
    ("de", include_str!("../locales/de.ftl")),
];

/// The key of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key(&'static str);

/// The key of each message.
pub mod keys {
    use super::Key;

    include!(concat!(env!("OUT_DIR"), "/keys.rs"));
}

type Bundle = FluentBundle<FluentResource>;

static BUNDLES: LazyLock<BTreeMap<&'static str, Bundle>> = LazyLock::new(|| {
    LOCALES
        .map(|(locale, source)| (locale, bundle(locale, source)))
        .into()
});

/// The text of a message in a locale, with its placeholders filled. `locale` is a language (`de`) or a language with a
/// region (`de-CH`), of which the language counts; a locale without a file gets the text in English.
#[must_use]
pub fn text(locale: &str, key: Key, arguments: &[(&'static str, FluentValue<'static>)]) -> String {
    let language = locale.split(['-', '_']).next().unwrap_or(FALLBACK);
    let arguments: FluentArgs<'_> = arguments.iter().cloned().collect();
    [language, FALLBACK]
        .into_iter()
        .filter_map(|language| BUNDLES.get(language))
        .find_map(|bundle| {
            let pattern = bundle.get_message(key.0)?.value()?;
            // A missing argument leaves its placeholder's name in the text: better than no text.
            Some(
                bundle
                    .format_pattern(pattern, Some(&arguments), &mut Vec::new())
                    .into_owned(),
            )
        })
        .unwrap_or_else(|| key.0.to_owned())
}

fn bundle(locale: &str, source: &str) -> Bundle {
    let language: LanguageIdentifier = locale.parse().unwrap_or_default();
    let mut bundle = Bundle::new_concurrent(vec![language]);
    // Texts go to terminals and pages that do not all know the marks that isolate the direction of an argument.
    bundle.set_use_isolating(false);
    // A file with a fault gives its readable messages; the tests refuse such a file.
    let resource =
        FluentResource::try_new(source.to_owned()).unwrap_or_else(|(readable, _)| readable);
    bundle.add_resource_overriding(resource);
    bundle
}
