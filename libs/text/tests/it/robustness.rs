//! Any text, in any language: nothing panics, and the work grows with the text and no faster.

use std::time::Duration;

use proptest::prelude::*;
use tokio::time::Instant;
use turnwise_text::{Analyser, normalise, normalise_signs};

const LOCALES: [&str; 9] = ["en", "de", "fr", "es", "it", "pt", "nl", "el", "ja"];

/// Text with much of what the normaliser looks at.
fn tangled() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "\\", "\\\\", "{", "}", "(", ")", "[", "]", "$", "^", "_", "/", "&", "√", "∛", "½", "²", "ⁿ", "₁", "°",
            "\\frac", "\\sqrt", "\\left", "\\right.", "\\text", "\\begin{pmatrix}", "\\end{pmatrix}", "\\begin{array}",
            "\\circ", "\\pi", "\\unknown", "\\color{", "\\not", "\\binom", "root", "Root", "sqrt", "{,}", "≤", "≠", "π", "Σ",
            "\u{338}", "\u{301}", "\u{30C}", "\u{328}", "J", "e", "a", "x", "n", "=", "<", "-", " ", "\n", "'", ".",
            ",", "3", "12", ".5", "\u{AD}", "\u{200B}", "ǰ", "İ", "ᄀ", "ᅡ", "ﬁ", "Å", "´", "word", "ab",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn check(text: &str) {
    let signs = normalise_signs(text);
    assert_eq!(normalise_signs(&signs), signs, "signs of {text:?}");
    let once = normalise(text);
    assert_eq!(normalise(&once), once, "{text:?}");
    assert_eq!(normalise(&signs), once, "{text:?}");
    for locale in LOCALES {
        let analyser = Analyser::new(locale);
        let analysis = analyser.analyse(text);
        assert_eq!(analysis.terms.len(), analysis.telling.len());
        assert!(analysis.terms.iter().all(|term| !term.text.is_empty()));
        assert_eq!(analyser.analyse(&once), analysis, "{text:?}");
    }
}

proptest! {
    #![proptest_config(turnwise_testing::properties::pure())]

    #[test]
    fn any_text_is_normalised_once_and_for_all(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn tangled_text_is_normalised_once_and_for_all(text in tangled()) {
        check(&text);
    }

    #[test]
    fn words_of_any_script_are_stemmed_without_harm(
        text in prop_oneof![
            "[a-zäöüßàâçéèêëîïôûùœñáíóúãõ'’]{1,40}",
            "[α-ωάέήίόύώςΑ-Ω]{1,40}",
            "[а-яё一-龥あ-んקא-ת]{1,40}",
            "(ay|yy|uu|ij|niss|ée|ieux){1,12}[a-zéß]{0,6}",
        ],
    ) {
        check(&text);
    }
}

#[test]
fn what_a_command_leaves_does_not_meet() {
    for (text, typed) in [
        ("word\\binom\u{30C}π", "word pi"),
        ("ᄀ\\binom\u{30C}ᅡ", "ᄀ ᅡ"),
        ("J\u{30C}π", "J\u{30C} pi"),
        ("Root(3)(x)", "Root3(x)"),
    ] {
        assert_eq!(normalise_signs(text), typed, "{text:?}");
        check(text);
    }
}

/// All that has another form or stands for a sign; ideographs, syllables and what is unassigned are left out.
const WITH_FORMS: [std::ops::Range<u32>; 6] = [
    0..0x3400,
    0xA640..0xAC00,
    0xD7B0..0xE000,
    0xF900..0x1_2000,
    0x1_D000..0x2_0000,
    0x2_F800..0x2_FA20,
];

#[test]
fn every_character_is_normalised_once_and_for_all() {
    for character in WITH_FORMS.into_iter().flatten().filter_map(char::from_u32) {
        let text =
            format!("J{character}^({character})/({character}){character}\u{338} x{character}2");
        let signs = normalise_signs(&text);
        assert_eq!(normalise_signs(&signs), signs, "{text:?}");
        let once = normalise(&text);
        assert_eq!(normalise(&once), once, "{text:?}");
    }
}

/// Texts that are long in a way that could make a careless reader look at everything again and again.
fn pathological(bytes: usize) -> Vec<(String, String)> {
    [
        "{",
        "}",
        "\\",
        "(",
        ")",
        "((1)",
        "{{1}",
        "(1)/",
        "(a",
        "\\frac{",
        "\\frac",
        "\\sqrt[",
        "\\sqrt\\frac{",
        "√",
        "√[",
        "\\left",
        "\\begin{array}{",
        "\\begin{pmatrix}",
        "\\color{",
        "\\text{",
        "\\binom1",
        "&\\\\",
        "$5",
        "$",
        "$1 ",
        "^",
        "^ ",
        "^{",
        "_",
        "x_",
        "²",
        "½",
        "°",
        "n° ",
        "\u{301}",
        "a\u{301}",
        "'",
        "a'",
        "a.",
        ".",
        ",",
        "1,",
        "1,000",
        "1.",
        "root",
        "root(3)",
        "π",
        "Σ",
        "a",
        "ay",
        "é",
        "uu",
        "niss",
        "字",
        "\u{AD}",
        " ",
        "\n",
        "!=",
        "<=",
        "x+",
        "1 ",
        "ﷺ",
        "\u{1F1E6}",
        "\u{1F469}\u{200D}",
        "𝅘𝅥𝅮",
        "\u{1161}",
        "the slope of 3x + 7 = 25. ",
    ]
    .into_iter()
    .map(|unit| (unit.to_owned(), unit.repeat(bytes / unit.len())))
    .chain([(
        "marks in disorder".to_owned(),
        format!("a{}", "\u{301}\u{328}\u{345}".repeat(bytes / 6)),
    )])
    .collect()
}

/// How long it takes to look at all of these texts.
fn time(texts: &[&str]) -> Duration {
    let analyser = Analyser::new("fr");
    let start = Instant::now();
    for text in texts {
        let analysis = analyser.analyse(text);
        let signs = normalise_signs(text);
        assert!(analysis.terms.len() <= 8 * text.len() && signs.len() <= 32 * text.len());
    }
    start.elapsed()
}

#[test]
fn the_work_grows_no_faster_than_the_text() {
    const TIMES: usize = 16;
    let short = pathological(10_000);
    let long = pathological(10_000 * TIMES);
    for ((name, short), (_, long)) in short.iter().zip(&long) {
        let many = [short.as_str(); TIMES];
        // One long text is as much work as sixteen short ones, and as long a time in which others use the machine. A
        // quadratic step would make it up to sixteen times as much, in every try.
        let grows_evenly = (0..10).any(|_| time(&[long]) < 4 * time(&many));
        assert!(grows_evenly, "{name:?}");
    }
}
