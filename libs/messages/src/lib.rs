//! The message catalogue: texts that people read, by locale, in `locales/*.ftl` ([Fluent](https://projectfluent.org)).
//!
//! A new text is a message in `en.ftl` and in every other locale's file, and a call of [`text`] with its key from
//! [`keys`]; where a course is at hand, of [`Texts::text`], so that the course's own wording comes first. A test checks
//! that all locales have the same keys with the same placeholders.

mod wording;

use std::{collections::BTreeMap, sync::LazyLock};

use fluent_bundle::{FluentArgs, FluentResource, FluentValue, concurrent::FluentBundle};
use unic_langid::LanguageIdentifier;

pub use wording::{
    COURSE_KEYS, MOST_WORDING_CHARS, Texts, WordingFault, course_keys, wording_faults,
};

/// The locale whose texts stand in for those that another lacks.
pub const FALLBACK: &str = "en";

/// Every locale and its file.
pub const LOCALES: [(&str, &str); 2] = [
    (FALLBACK, include_str!("../locales/en.ftl")),
    (GERMAN, include_str!("../locales/de.ftl")),
];

const GERMAN: &str = "de";
/// German as Switzerland and Liechtenstein write it is made of `de.ftl`: without ß, and with their quotation marks.
const SWISS_GERMAN: &str = "de-CH";
const SWISS_REGIONS: [&str; 2] = ["ch", "li"];
const SWISS_SPELLING: [(&str, &str); 3] = [("ß", "ss"), ("„", "«"), ("“", "»")];

/// The key of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key(&'static str);

impl Key {
    /// The key as files spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0
    }
}

/// A placeholder's name and what stands in its place.
pub type Argument = (&'static str, FluentValue<'static>);

/// The key of each message.
pub mod keys {
    use super::Key;

    include!(concat!(env!("OUT_DIR"), "/keys.rs"));
}

type Bundle = FluentBundle<FluentResource>;

static BUNDLES: LazyLock<BTreeMap<&'static str, Bundle>> = LazyLock::new(|| {
    let mut bundles: BTreeMap<_, _> = LOCALES
        .map(|(locale, source)| (locale, bundle(locale, source.to_owned())))
        .into();
    if let Some((_, source)) = LOCALES.into_iter().find(|(locale, _)| *locale == GERMAN) {
        let swiss = SWISS_SPELLING
            .into_iter()
            .fold(source.to_owned(), |text, (from, to)| text.replace(from, to));
        bundles.insert(SWISS_GERMAN, bundle(SWISS_GERMAN, swiss));
    }
    bundles
});

/// The text of a message in a locale, with its placeholders filled. `locale` is a language (`de`) or a language with a
/// region (`de-CH`), of which the language counts, and the region where it spells otherwise; a locale without a file gets
/// the text in English.
#[must_use]
pub fn text(locale: &str, key: Key, arguments: &[Argument]) -> String {
    let arguments: FluentArgs<'_> = arguments.iter().cloned().collect();
    [file_of(locale), Some(FALLBACK)]
        .into_iter()
        .flatten()
        .filter_map(|file| BUNDLES.get(file))
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

/// Whether the catalogue has texts in the language of this locale.
#[must_use]
pub fn has_locale(locale: &str) -> bool {
    file_of(locale).is_some()
}

/// The name of the bundle for a locale; `None` where there is none.
fn file_of(locale: &str) -> Option<&'static str> {
    let mut parts = locale.split(['-', '_']).map(str::to_ascii_lowercase);
    let language = parts.next()?;
    let (file, _) = LOCALES.into_iter().find(|(file, _)| *file == language)?;
    let is_swiss = file == GERMAN && parts.any(|part| SWISS_REGIONS.contains(&part.as_str()));
    Some(if is_swiss { SWISS_GERMAN } else { file })
}

fn bundle(locale: &str, source: String) -> Bundle {
    let language: LanguageIdentifier = locale.parse().unwrap_or_default();
    let mut bundle = Bundle::new_concurrent(vec![language]);
    // Texts go to terminals and pages that do not all know the marks that isolate the direction of an argument.
    bundle.set_use_isolating(false);
    // A file with a fault gives its readable messages; the tests refuse such a file.
    let resource = FluentResource::try_new(source).unwrap_or_else(|(readable, _)| readable);
    bundle.add_resource_overriding(resource);
    bundle
}
