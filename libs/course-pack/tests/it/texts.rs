//! `texts.yaml`: a course's own wording, and every fault with its line.

use tempfile::TempDir;
use turnwise_course_pack::Pack;

use crate::fixture::{COURSE, bad, good, list, one, pack, write};

const FILE: &str = "texts.yaml";

fn with(locale: &str, text: &str) -> TempDir {
    let dir = pack();
    let course = COURSE.replace("locale: en", &format!("locale: {locale}"));
    write(dir.path(), "course.yaml", course);
    write(dir.path(), FILE, text);
    dir
}

fn own(pack: &Pack) -> Vec<(&str, &str)> {
    let own = pack.texts.iter();
    own.map(|(key, text)| (key.as_str(), text.as_str()))
        .collect()
}

#[test]
fn a_wording_is_that_of_the_courses_language() {
    let text = "\
exam-passed: Hooray!
way-before: '{$unit} first, then { $target }: $\\frac{1}{2}$.'
feedback-right: {en: Right., de: Richtig., de-CH: Stimmt.}
feedback-wrong:
  en: Not yet.
  fr: Pas encore.
";
    let wrong = |locale: &str| {
        let pack = good(with(locale, text).path());
        pack.texts.get("feedback-wrong").cloned()
    };
    for (locale, right) in [
        ("en", "Right."),
        ("en-GB", "Right."),
        ("de", "Richtig."),
        ("de-AT", "Richtig."),
        ("de-CH", "Stimmt."),
    ] {
        let pack = good(with(locale, text).path());
        assert_eq!(pack.texts["feedback-right"], right, "{locale}");
        assert_eq!(pack.texts["exam-passed"], "Hooray!");
    }
    assert_eq!(wrong("en").as_deref(), Some("Not yet."));
    assert_eq!(wrong("de"), None);
    let pack = good(with("en", text).path());
    assert_eq!(
        pack.texts["way-before"],
        "{$unit} first, then { $target }: $\\frac{1}{2}$."
    );
    assert!(good(self::pack().path()).texts.is_empty());
    // What has no text in the course's language is told.
    let german = good(with("de", text).path());
    let told = german.warnings.iter();
    let told: Vec<_> = told
        .map(|warning| (warning.line, &warning.message))
        .collect();
    assert!(
        matches!(&*told, [(Some(4), message)] if message.contains("`feedback-wrong` has no text in `de`")),
        "{}",
        list(&german.warnings)
    );
}

#[test]
fn a_locale_without_texts_is_told() {
    let warned = |locale: &str| {
        let pack = good(with(locale, "exam-passed: Hyvä!\n").path());
        assert_eq!(own(&pack), [("exam-passed", "Hyvä!")]);
        let mut warnings = pack.warnings.into_iter();
        warnings.find(|warning| warning.message.contains("no texts in the language"))
    };
    let warning = warned("fi").unwrap();
    assert!(warning.file.ends_with("course.yaml"), "{warning}");
    assert_eq!(warning.line, Some(4));
    assert!(warning.message.contains("`fi`"), "{warning}");
    for locale in ["en", "en-US", "de", "de-CH", "DE-at"] {
        assert_eq!(warned(locale), None, "{locale}");
    }
}

#[test]
fn every_fault_has_its_line() {
    let check = |text: &str, line: usize, says: &str| {
        let text = format!("exam-passed: Right!\n{text}\n");
        one(with("en", &text).path(), FILE, line, says);
    };
    for key in ["exam-pased", "policy-unavailable", "explain-target", ""] {
        check(
            &format!("'{key}': No."),
            2,
            "no text that a course may word",
        );
    }
    check(
        "way-before: First { $unit }.",
        2,
        "lacks the placeholder `{ $target }`",
    );
    check(
        "exam-locked: The { $tier } of { $unit } and { $colour }.",
        2,
        "has no placeholder `{ $colour }`",
    );
    for link in [
        "Right, see https://example.org.",
        "Right, see www.example",
        "Right, see example.org/page",
        "Right, see [this](x).",
        "Right, see <a href=x>this</a>.",
    ] {
        check(&format!("feedback-right: '{link}'"), 2, "has a link");
    }
    check("feedback-right: \"Right,\\non.\"", 2, "line breaks");
    check(
        &format!("feedback-right: {}", "x".repeat(501)),
        2,
        "has 501 characters, but at most 500",
    );
    check("feedback-right:", 2, "is empty");
    check("feedback-right: [a]", 2, "is text, but this is a list");
    check("feedback-right: {german one: Ja.}", 2, "not a language tag");
    // A language that the course does not have is checked as well.
    check(
        "way-next:\n  en: '{ $target }, { $next }.'\n  de: '{ $target }.'",
        4,
        "lacks the placeholder `{ $next }`",
    );
    check("exam-passed: Again.", 2, "second time");
    for (text, says) in [("", "this is nothing"), ("- a\n", "this is a list")] {
        one(with("en", text).path(), FILE, 1, says);
    }
    // All of them in one run.
    let faults = bad(with("en", "exam-pased: A.\nway-before: See a://b.\n").path());
    assert_eq!(faults.len(), 4, "{}", list(&faults));
}

#[test]
fn what_looks_like_a_link_and_is_none_is_a_text() {
    for text in [
        "Well done, e.g. as in 3.14 or z.B. 1.5 m.",
        "Right... go on!",
        "$\\frac{a}{b}$, that is {it}.",
        "x".repeat(500).as_str(),
    ] {
        let dir = with("en", &format!("feedback-right: '{text}'\n"));
        assert_eq!(own(&good(dir.path())), [("feedback-right", text)]);
    }
}
