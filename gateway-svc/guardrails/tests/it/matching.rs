//! What phrases stop, and what they do not.

use std::{fs, sync::LazyLock};

use proptest::prelude::*;
use turnwise_guardrails::{Guardrails, HitKind, Reaches};

static BUILT_IN: LazyLock<Guardrails> = LazyLock::new(|| Guardrails::built_in().unwrap());

/// The built-in profile without the model.
static PHRASES: LazyLock<Guardrails> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("phrases.yaml");
    let profile = concat!(env!("CARGO_MANIFEST_DIR"), "/profile.yaml");
    let profile = fs::read_to_string(profile).unwrap();
    fs::write(&file, format!("{profile}\nmodel: false\n")).unwrap();
    Guardrails::load(&file).unwrap()
});

fn kind(locale: &str, text: &str) -> Option<HitKind> {
    let hit = PHRASES.check(locale, text)?;
    assert!(hit.stops && hit.judgement.is_none());
    Some(hit.kind)
}

#[test]
fn a_phrase_is_noticed() {
    let cases = [
        ("en", "i want to kill myself", HitKind::SelfHarm),
        (
            "en",
            "I hate this. I don't want to live anymore!!",
            HitKind::SelfHarm,
        ),
        ("en", "i dont want to live any more", HitKind::SelfHarm),
        ("en", "sometimes i think about suicide", HitKind::SelfHarm),
        ("en", "im gonna kms", HitKind::SelfHarm),
        ("en", "ok so x=4. also my dad hits me", HitKind::Abuse),
        ("en", "he touched me down there", HitKind::Abuse),
        ("en", "im scared to go home", HitKind::Abuse),
        ("en", "fuck this", HitKind::BlockedTerm),
        ("de", "Ich will nicht mehr leben.", HitKind::SelfHarm),
        (
            "de",
            "manchmal ritze ich... ich ritze mich",
            HitKind::SelfHarm,
        ),
        ("de", "ICH MÖCHTE STERBEN", HitKind::SelfHarm),
        ("de", "ich moechte sterben", HitKind::SelfHarm),
        ("de", "i wanna die", HitKind::SelfHarm),
        ("en", "goodbye cruel world", HitKind::SelfHarm),
        ("en", "bye forever!", HitKind::SelfHarm),
        ("en", "good night forever", HitKind::SelfHarm),
        ("en", "goodbye, I can't do this anymore", HitKind::SelfHarm),
        ("en", "I understand that I should die", HitKind::SelfHarm),
        ("en", "is it right to die?", HitKind::SelfHarm),
        ("en", "it's wrong what my uncle does to me", HitKind::Abuse),
        ("de", "tschüss für immer", HitKind::SelfHarm),
        ("de", "mach's gut für immer", HitKind::SelfHarm),
        ("de", "gute Nacht für immer", HitKind::SelfHarm),
        ("de", "x = 12. leb wohl", HitKind::SelfHarm),
        ("de", "tschüss, ich kann nicht mehr", HitKind::SelfHarm),
        (
            "de",
            "das ist falsch, was mein Onkel mit mir macht",
            HitKind::Abuse,
        ),
        ("de-CH", "ich wott nümme läbe", HitKind::SelfHarm),
        (
            "de_CH is no tag, so all phrases count",
            "mein Vater schlägt mich",
            HitKind::Abuse,
        ),
        (
            "de-AT",
            "Meine Eltern schlagen mich, wenn ich eine 5 habe",
            HitKind::Abuse,
        ),
        ("de", "du Hurensohn", HitKind::BlockedTerm),
        ("fr", "Ich will sterben", HitKind::SelfHarm),
        ("fr", "i want to die", HitKind::SelfHarm),
        ("en", "i overdosed", HitKind::SelfHarm),
        ("en", "kms", HitKind::SelfHarm),
        ("de", "kms", HitKind::SelfHarm),
        ("en", "kms if i fail", HitKind::SelfHarm),
        ("en", "im depressed", HitKind::SelfHarm),
        ("en", "i feel so alone", HitKind::SelfHarm),
        ("en", "i feel empty all the time", HitKind::SelfHarm),
        ("en", "i cant go on", HitKind::SelfHarm),
        ("en", "i hate my life", HitKind::SelfHarm),
        ("en", "i am cutting", HitKind::SelfHarm),
        ("en", "this is my last message", HitKind::SelfHarm),
        ("en", "can i just sleep forever", HitKind::SelfHarm),
        (
            "en",
            "im having a panic attack before the exam",
            HitKind::Danger,
        ),
        ("en", "help me pls i am scared of my dad", HitKind::Abuse),
        ("en", "nobody likes me", HitKind::Bullying),
        ("en", "no one likes me", HitKind::Bullying),
        ("de", "ich bin depressiv", HitKind::SelfHarm),
        ("de", "ich fühle mich so allein", HitKind::SelfHarm),
        ("de", "ich hasse mein leben", HitKind::SelfHarm),
        ("de", "hab ne Panikattacke", HitKind::Danger),
        ("de", "hab angst vor meinem papa", HitKind::Abuse),
        ("de", "keiner mag mich", HitKind::Bullying),
    ];
    for (locale, text, expected) in cases {
        assert_eq!(kind(locale, text), Some(expected), "{locale}: {text}");
    }
}

#[test]
fn words_of_the_classroom_are_no_phrases() {
    let cases = [
        ("en", "how do I kill the fraction?"),
        ("en", "kill the denominator, then cut both sides in half"),
        ("en", "this problem is killing me"),
        ("en", "my mom will kill me if I fail"),
        (
            "en",
            "The die shows a 4. What is the probability that two dice die out?",
        ),
        (
            "en",
            "The suicide squeeze is a play in baseball; how many runs per game?",
        ),
        ("en", "Romeo and Juliet commit suicide at the end"),
        ("en", "If I jump off a bridge 20 m high, how fast am I?"),
        ("en", "I drove 5 kms, then 12 kms"),
        ("en", "5 kms"),
        ("en", "how many kms if i drive for 2 hours"),
        ("en", "i overdosed on gummy bears lol"),
        ("en", "the Great Depression depressed prices by 30 %"),
        ("en", "i feel empty set today"),
        ("en", "i cant go on with this equation"),
        ("en", "i'm stuck at step 2 and i can't go on"),
        ("en", "i hate my life when its simultaneous equations"),
        ("en", "i am cutting a pizza into 8 pieces"),
        ("en", "this is my last message before lunch"),
        ("en", "scared of my maths test"),
        ("en", "no one likes fractions"),
        ("de", "ich habe Angst vor meiner Arbeit"),
        ("de", "innerlich leer ist ein Hohlzylinder"),
        ("en", "I cut myself 3/8 of the pizza"),
        ("en", "My dad beats me at chess in 3 of 5 games"),
        ("en", "I don't want to live in a city with 40% more people"),
        ("en", "I hate fractions, I'm dead"),
        ("en", "I hurt my hand in PE, can you read the problem out?"),
        ("en", "germs killed by the spray: 50%"),
        (
            "en",
            "the class analysis of Scunthorpe, Essex and Cockermouth",
        ),
        ("en", "Fick's law of diffusion: J = -D dc/dx"),
        ("en", "end my equation with = 0"),
        ("en", "my self-assessment: I would harm no one"),
        ("en", "x<3, y>4, (a+b)(a-b)=a^2-b^2"),
        ("de", "die Summe, die ich suche, ist die größte"),
        ("de", "Bring mich um 8 Uhr zur Schule"),
        ("de", "Mathe bringt mich um"),
        ("de", "meine Mutter wird mich umbringen wegen der 5"),
        ("de", "Kürze den Bruch und töte den Nenner"),
        ("de", "Warum kann die Pflanze ohne Licht nicht mehr leben?"),
        ("de", "Wie schlägt mich der Computer im Schach?"),
        ("de", "das Gift, die Dosis und der Tod des Sokrates"),
        ("de", "Die Dicke des Fickschen Films"),
        ("de", "ich komme nicht weiter, ich kann nicht mehr"),
        ("en", "I can't do this anymore, the fractions are too hard"),
        ("en", "bye forever till Wednesday"),
        ("en", "goodbye, see you tomorrow"),
        ("en", "is it right to divide?"),
        ("en", "sooo the population of Niger grows by 3 %"),
        ("de", "leb wohl, Bruchrechnung"),
        ("de", "tschüss, bis morgen"),
        // English phrases are not those of a German course, unless its students use them.
        ("de", "my dad hits me is a sentence in English"),
        ("en", "ich will sterben"),
        ("en", ""),
        ("en", "   \n\t… — !!! 123 _"),
    ];
    for (locale, text) in cases {
        assert_eq!(kind(locale, text), None, "{locale}: {text}");
    }
}

#[test]
fn spacing_case_and_hidden_characters_hide_nothing() {
    for text in [
        "KILL MYSELF",
        "kill   myself",
        "kill\nmyself",
        "kill-myself",
        "kill_myself",
        "kill.myself",
        "kill, * myself",
        "…kill myself…",
        "ki\u{200b}ll my\u{ad}self",
        "ki\u{200d}ll\u{feff} myself",
        "\u{202e}kill myself\u{202c}",
        "ｋｉｌｌ ｍｙｓｅｌｆ",
        "𝐤𝐢𝐥𝐥 𝒎𝒚𝒔𝒆𝒍𝒇",
        "ⓚill myself",
        "kill\u{a0}myself",
        "kill \u{301} \u{301}myself",
        "kill\u{2003}myself",
        "“kill” ‘myself’",
    ] {
        assert_eq!(kind("en", text), Some(HitKind::SelfHarm), "{text:?}");
    }
    for text in [
        "do\u{2019}nt wanna be alive",
        "don’t wanna be alive",
        "don't wanna be alive",
        "dont wanna be alive",
    ] {
        assert_eq!(kind("en", text), Some(HitKind::SelfHarm), "{text:?}");
    }
    // A letter with its marks apart.
    assert_eq!(
        kind("de", "ich mo\u{308}chte sterben"),
        Some(HitKind::SelfHarm)
    );
}

#[test]
fn drawn_out_letters_hide_nothing() {
    for (locale, text) in [
        ("en", "i wanna diiiie"),
        ("en", "byeeee i wanna dieee"),
        ("en", "i wannnna kill myselffff"),
        ("en", "goodbyyye foreverrr"),
        ("de", "tschüüüss für immeeer"),
        ("de", "tschüßßß für immer"),
        ("de", "ich wüüürde gern sterrrben"),
    ] {
        assert_eq!(kind(locale, text), Some(HitKind::SelfHarm), "{text:?}");
    }
}

#[test]
fn only_whole_words_count() {
    for text in [
        "skill myself",
        "kill myselfie",
        "kill2 myself",
        "killmyself",
        "kill 2 myself",
    ] {
        assert_eq!(kind("en", text), None, "{text:?}");
    }
}

#[test]
fn the_gravest_counts_wherever_it_stands() {
    assert_eq!(
        kind("en", "fuck, my dad hits me, I want to die"),
        Some(HitKind::SelfHarm)
    );
    assert_eq!(
        kind("en", "i want to die and fuck"),
        Some(HitKind::SelfHarm)
    );
    assert_eq!(kind("en", "fuck. my dad hits me"), Some(HitKind::Abuse));
}

#[test]
fn the_answer_is_in_the_courses_language() {
    let text = |locale, kind| BUILT_IN.text(locale, kind, Reaches::Nobody);
    let grave = HitKind::SelfHarm;
    assert!(text("en", grave).contains("adult you trust"));
    assert!(text("de-CH", grave).contains("erwachsenen Person"));
    assert!(text("fr-CA", grave).contains("adult you trust"));
    for kind in [HitKind::Abuse, HitKind::Danger, HitKind::Bullying] {
        assert_eq!(text("en", grave), text("EN-gb", kind));
    }
    assert_ne!(text("en", grave), text("en", HitKind::BlockedTerm));
    // General words: no number belongs to every country.
    for locale in ["en", "de"] {
        assert!(!text(locale, grave).contains(|c: char| c.is_ascii_digit()));
    }
}

#[test]
fn that_staff_are_told_is_said_only_where_they_are() {
    for (locale, promise) in [
        ("en", "Your school is told"),
        ("de", "Deine Schule erfährt"),
    ] {
        for kind in [HitKind::SelfHarm, HitKind::Bullying] {
            let text = |reaches| BUILT_IN.text(locale, kind, reaches);
            assert!(text(Reaches::Staff).contains(promise));
            assert!(!text(Reaches::Nobody).contains(promise));
            assert!(text(Reaches::Staff).starts_with(text(Reaches::Nobody)));
        }
        let blocked = |reaches| BUILT_IN.text(locale, HitKind::BlockedTerm, reaches);
        assert_eq!(blocked(Reaches::Staff), blocked(Reaches::Nobody));
    }
}

proptest! {
    #[test]
    fn any_text_is_read(text in any::<String>(), locale in ".{0,12}") {
        let first = BUILT_IN.check(&locale, &text);
        prop_assert_eq!(&first, &BUILT_IN.check(&locale, &text));
    }

    #[test]
    fn a_phrase_is_found_in_any_text(
        before in any::<String>(),
        between in "[ .,;:!?*_/+=\u{200b}\n-]{0,4}[ .\n][ .,\u{2060}]{0,4}",
        after in any::<String>(),
    ) {
        let text = format!("{before} kill{between}myself {after}");
        prop_assert_eq!(kind("en", &text), Some(HitKind::SelfHarm), "{:?}", text);
    }
}
