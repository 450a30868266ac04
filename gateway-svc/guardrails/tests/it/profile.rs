//! Profiles from files: what is taken and what is refused, with the line.

use std::fs;

use tempfile::TempDir;
use turnwise_guardrails::{Guardrails, HitKind, ProfileError, Reaches};

const GOOD: &str = r#"blocked_terms: [Banana split]
locales:
  de-CH:
    safeguarding:
      self_harm: [traurig]
      abuse: []
    texts:
      safeguarding: " Sprich mit jemandem. "
      blocked: Anders bitte.
  pt:
    safeguarding: { self_harm: [morrer], abuse: [bater], danger: [fogo], bullying: [magro] }
    texts: { safeguarding: Fala., told: Sabem., blocked: Nao. }
model: false
"#;

fn load(yaml: &str) -> Result<Guardrails, ProfileError> {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("guardrails.yaml");
    fs::write(&file, yaml).unwrap();
    Guardrails::load(&file)
}

#[test]
fn a_file_replaces_the_built_in_profile() {
    let guardrails = load(GOOD).unwrap();
    let check = |locale, text| {
        guardrails
            .check(locale, text)
            .map(|hit| (hit.kind, guardrails.text(locale, hit.kind, Reaches::Staff)))
    };
    assert_eq!(
        check("de-ch", "so traurig"),
        Some((HitKind::SelfHarm, "Sprich mit jemandem."))
    );
    assert_eq!(
        check("de-CH-1996", "BANANA, split"),
        Some((HitKind::BlockedTerm, "Anders bitte."))
    );
    assert_eq!(
        check("pt-BR", "bater"),
        Some((HitKind::Abuse, "Fala. Sabem."))
    );
    assert_eq!(check("pt", "traurig"), None);
    assert_eq!(
        check("pt", "magro"),
        Some((HitKind::Bullying, "Fala. Sabem."))
    );
    assert_eq!(check("de-CH", "kill myself"), None);
    // `de` is not there, and no `en`: all phrases, and the texts of the first locale.
    assert_eq!(
        check("de", "morrer"),
        Some((HitKind::SelfHarm, "Sprich mit jemandem."))
    );
}

#[test]
fn a_remembered_verdict_is_that_of_its_own_profile_without_a_locale() {
    let profiles = [Guardrails::built_in().unwrap(), load(GOOD).unwrap()];
    for text in ["", "x = 4", "so traurig", "kill myself", "banana split"] {
        let stops = profiles.each_ref().map(|guardrails| {
            // Verdicts of a locale are not those without one.
            let _ = guardrails.check("pt", text);
            let asked = [guardrails.stops(text), guardrails.stops(text)];
            let checked = guardrails.check("", text).is_some_and(|hit| hit.stops);
            assert_eq!([asked, [guardrails.stops(text); 2]], [[checked; 2]; 2]);
            checked
        });
        let is_own = matches!(text, "so traurig" | "banana split");
        assert_eq!(stops[1], is_own, "{text}");
        assert!(stops[0] || text != "kill myself");
    }
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let many = |count: usize| {
        let terms: String = (0..count).map(|i| format!("\n  - term{i}")).collect();
        GOOD.replace(" [Banana split]", &terms)
    };
    let cases = [
        (
            GOOD.replace("abuse: []", "abuse: []\n      fire: [x]"),
            Some(7),
            "fire",
        ),
        (
            GOOD.replace("blocked_terms:", "blocked_words:"),
            Some(1),
            "blocked_words",
        ),
        (GOOD.replace("      abuse: []\n", ""), Some(5), "abuse"),
        (
            GOOD.replace("[traurig]", "[traurig, '...']"),
            Some(5),
            "without a word",
        ),
        (
            GOOD.replace("[traurig]", &format!("[{}]", "x".repeat(101))),
            Some(5),
            "100 characters",
        ),
        (
            GOOD.replace("[traurig]", &format!("[{}]", "a ".repeat(13))),
            Some(5),
            "12 words",
        ),
        (
            GOOD.replace("Anders bitte.", "''"),
            Some(9),
            "texts.blocked",
        ),
        (
            GOOD.replace("Fala.", &"x".repeat(1001)),
            Some(12),
            "texts.safeguarding",
        ),
        (GOOD.replace("de-CH", "de_CH"), Some(3), "de_CH"),
        (GOOD.replace("[traurig]", "[traurig"), None, ""),
        (GOOD.replace("  pt:", "  de-ch:"), None, "twice"),
        (GOOD.replace("  pt:", "  de-CH:"), None, "uplicate"),
        (
            "blocked_terms: []\nlocales: {}\n".to_owned(),
            None,
            "1 to 64",
        ),
        (many(2001), Some(2002), "2000 entries"),
        (
            format!("{GOOD}# {}\n", "x".repeat(256 << 10)),
            None,
            "bytes",
        ),
        (String::new(), None, ""),
    ];
    for (yaml, expected, part) in cases {
        let error = load(&yaml).unwrap_err();
        let ProfileError::Faulty {
            line,
            message,
            file,
        } = &error
        else {
            panic!("{error}");
        };
        assert!(message.contains(part), "{part}: {message}");
        assert!(file.ends_with("guardrails.yaml"));
        if expected.is_some() {
            assert_eq!(*line, expected, "{message}");
        }
        let place = line.map_or("guardrails.yaml: ".to_owned(), |l| {
            format!("guardrails.yaml:{l}: ")
        });
        assert!(error.to_string().contains(&place), "{error}");
    }
    load(&many(2000)).unwrap();
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("none.yaml");
    let error = Guardrails::load(&file).unwrap_err();
    assert!(matches!(&error, ProfileError::Unreadable { .. }));
    assert!(error.to_string().contains("none.yaml"));
    fs::write(&file, b"blocked_terms: [\xff]").unwrap();
    assert!(Guardrails::load(&file).is_err());
}
