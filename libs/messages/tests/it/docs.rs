//! The table of keys in `docs/texts.md` is made. Run with `UPDATE_DOCS=1` to make it again.

use std::{fs, path::Path};

use turnwise_messages::{Argument, LOCALES, course_keys, text};

/// What the table begins with; everything before it is written by hand.
const HEAD: &str = "| key | in English | in German |\n| --- | --- | --- |\n";

#[test]
fn the_keys_that_a_course_may_word_are_listed() {
    assert_eq!(LOCALES.map(|(locale, _)| locale), ["en", "de"]);
    let mut table = HEAD.to_owned();
    for (key, placeholders) in course_keys() {
        let arguments = placeholders.iter().map(|name| -> Argument {
            let shown = format!("{{ ${name} }}");
            (*name, shown.into())
        });
        let arguments: Vec<_> = arguments.collect();
        let [english, german] = LOCALES.map(|(locale, _)| text(locale, key, &arguments));
        table += &format!("| `{}` | {english} | {german} |\n", key.name());
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/texts.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, listed) = page.split_at(page.find(HEAD).unwrap());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, format!("{before}{table}")).unwrap();
        return;
    }
    assert!(
        listed == table,
        "docs/texts.md is out of date: run with UPDATE_DOCS=1"
    );
}
