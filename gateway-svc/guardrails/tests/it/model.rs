//! What the model finds beside the phrases, and what it leaves alone.

use std::{fs, path::Path, sync::LazyLock};

use turnwise_guardrails::{Guardrails, Hit, HitKind};
use turnwise_text_classifier::{Classifier, train::data_hash};

static BUILT_IN: LazyLock<Guardrails> = LazyLock::new(|| Guardrails::built_in().unwrap());

fn data() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/data"))
}

fn stopped(text: &str) -> Option<HitKind> {
    let hit = BUILT_IN.check("en", text)?;
    hit.stops.then_some(hit.kind)
}

#[test]
fn what_phrases_miss_is_found() {
    for (text, kind) in [
        ("my dad hurts me", HitKind::Abuse),
        ("my uncle gropes me when mum is at work", HitKind::Abuse),
        ("I took too many pills", HitKind::SelfHarm),
        ("my life isnt worth anything anymore", HitKind::SelfHarm),
        (
            "a guy on discord keeps asking me for pics of my body",
            HitKind::Danger,
        ),
        (
            "theres a man outside my window every night",
            HitKind::Danger,
        ),
        (
            "the boys in my class laugh at me and push me every day",
            HitKind::Bullying,
        ),
        (
            "mein onkel begrapscht mich wenn mama arbeitet",
            HitKind::Abuse,
        ),
        (
            "ich hab gestern wieder versucht mich umzubringen",
            HitKind::SelfHarm,
        ),
        (
            "alle in der klasse lachen mich aus und schubsen mich",
            HitKind::Bullying,
        ),
        ("mini mitschüeler lached mi immer us", HitKind::Bullying),
    ] {
        assert_eq!(stopped(text), Some(kind), "{text}");
    }
}

#[test]
fn the_locale_of_the_course_hides_nothing() {
    for locale in ["en", "de-CH", "fr", ""] {
        for text in [
            "my uncle gropes me when mum is at work",
            "mein onkel begrapscht mich wenn mama arbeitet",
        ] {
            let hit = BUILT_IN.check(locale, text).unwrap();
            assert_eq!(
                (hit.kind, hit.stops),
                (HitKind::Abuse, true),
                "{locale}: {text}"
            );
        }
    }
}

#[test]
fn what_sounds_alike_is_left_alone() {
    for text in [
        "my brother beat me with a score of 5 to 3",
        "my brother beat me at chess",
        "I killed the x^2 terms",
        "this exam kills me",
        "shoot me a message when you are ready",
        "cut the cake in 5 pieces",
        "I could die laughing",
        "Mein Papa schlägt mich immer im Schach",
        "Mathe bringt mich um",
        "x = 5, y = 3",
        "\\frac{1}{2}x + 3 = 7",
        "",
    ] {
        assert_eq!(stopped(text), None, "{text}");
    }
}

#[test]
fn mathematics_around_a_call_for_help_hides_nothing() {
    let around =
        "I subtracted 3 from both sides, so 2x = 8 and x = 4. Then I checked it. ".repeat(25);
    for text in [
        "my dad beats me every night when he is drunk",
        "mein onkel begrapscht mich wenn mama arbeitet",
    ] {
        for all in [
            format!("x = 4. {text}"),
            format!("{around}{text}. {around}"),
            format!("{around}\n{text}"),
            format!("{text}\n{around}"),
        ] {
            assert!(stopped(&all).is_some(), "{all}");
        }
    }
    assert_eq!(stopped(&around), None);
}

#[test]
fn disguises_hide_nothing() {
    for text in [
        "MY DAD BEATS ME EVERY NIGHT WHEN HE IS DRUNK",
        "my d4d be4ts me every n1ght when he is drunk",
        "my daaad beeats meee every niight when he is drunnnk",
        "m y  d a d  b e a t s  me every night when he is drunk",
        "my d\u{200b}ad be\u{ad}ats me every night when he is drunk",
        "ｍｙ ｄａｄ ｂｅａｔｓ ｍｅ every night when he is drunk",
    ] {
        assert_eq!(stopped(text), Some(HitKind::Abuse), "{text}");
    }
}

#[test]
fn a_word_in_a_row_says_no_more_than_once() {
    for text in ["help", &"help ".repeat(10), "Help! help,  HELP - help"] {
        assert_eq!(stopped(text), None, "{text}");
    }
    let text = "my dad dad dad beats beats me every night when he is drunk";
    assert_eq!(stopped(text), Some(HitKind::Abuse));
}

#[test]
fn a_score_comes_with_its_reasons() {
    let text = "my dad beats me every night when he is drunk";
    let Hit { judgement, .. } = BUILT_IN.check("en", text).unwrap();
    let judgement = judgement.unwrap();
    assert!(judgement.model.starts_with("safeguarding-"));
    assert!(judgement.score >= judgement.threshold && judgement.score <= 1.001);
    assert!(!judgement.features.is_empty() && judgement.features.len() <= 8);
    // A call for help that holds a swear word is a call for help.
    let sworn = BUILT_IN.check("en", &format!("fuck, {text}")).unwrap();
    assert_eq!(sworn.kind, HitKind::Abuse);
}

#[test]
fn the_weights_are_of_the_files_that_are_here() {
    let mut files: Vec<_> = fs::read_dir(data().join("train"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files.insert(0, data().join("lexicon.tsv"));
    let texts: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    let weights = Classifier::read(&fs::read(data().join("weights.bin")).unwrap()).unwrap();
    assert_eq!(
        weights.data_hash(),
        data_hash(texts.iter().map(Vec::as_slice)),
        "train the model again: cargo run --release -p turnwise-guardrails --example train-safeguarding"
    );
}
