//! What is never cut, how long chunks are, and what their ids rest on.

use proptest::prelude::*;
use turnwise_extract::{Kind, MAX_CHUNK_CHARS, MAX_WORDS, chunks, sections};
use unicode_segmentation::UnicodeSegmentation;

use crate::cut;

/// Text without white space: cutting may change that and nothing else.
fn letters(text: &str) -> String {
    text.split_whitespace().collect()
}

proptest! {
    #[test]
    fn any_text_is_cut_without_loss(text in "(\\PC|\n|\\$|[a-z]{3} |\\. ){0,600}") {
        if let Ok(chunks) = cut(Kind::Text, &text) {
            let whole: String = chunks.iter().map(|c| letters(&c.text)).collect();
            let visible: String = text.chars().filter(|c| !c.is_control() && *c != '\u{feff}').collect();
            prop_assert_eq!(whole, letters(&visible));
            for chunk in &chunks {
                prop_assert!(chunk.text.chars().count() <= MAX_CHUNK_CHARS);
                prop_assert!(!chunk.text.trim().is_empty());
            }
            let mut ids: Vec<_> = chunks.iter().map(|c| c.id.as_str()).collect();
            ids.sort_unstable();
            ids.dedup();
            prop_assert_eq!(ids.len(), chunks.len());
        }
    }

    #[test]
    fn any_bytes_of_any_kind_give_a_value(bytes in proptest::collection::vec(any::<u8>(), 0..400), kind in 0..4_usize) {
        let _ = cut(Kind::ALL[kind], &bytes);
        let _ = cut(Kind::ALL[kind], [b"WEBVTT\n\n00:01.000 --> 00:02.000\n".as_slice(), &bytes].concat());
    }

    #[test]
    fn sentences_and_formulas_stay_whole(lengths in proptest::collection::vec((3..40_usize, any::<bool>()), 1..60)) {
        let sentences: Vec<String> = lengths
            .iter()
            .enumerate()
            .map(|(n, (words, formula))| {
                let words = "word ".repeat(*words);
                let formula = if *formula { "with $a_1 = b. C + \\frac{1}{2} ! D$ " } else { "" };
                format!("Sentence {n} has {words}{formula}at its end.")
            })
            .collect();
        let found = cut(Kind::Text, sentences.join(" ")).unwrap();
        let mut next = sentences.iter();
        for chunk in &found {
            prop_assert!(chunk.text.unicode_words().count() <= MAX_WORDS);
            let mut rest = chunk.text.as_str();
            while !rest.is_empty() {
                let sentence = next.next().unwrap();
                rest = rest.strip_prefix(sentence.as_str()).unwrap().trim_start();
            }
        }
        prop_assert!(next.next().is_none());
    }
}

#[test]
fn a_sentence_without_end_is_cut_outside_formulas() {
    for formula in [
        r"$x + 1$",
        r"$$x + 1$$",
        r"\(x + 1\)",
        r"\[x + 1\]",
        r"\begin{align} x + 1 \end{align}",
        "x + 1",
    ] {
        let text = format!("and then {formula} ").repeat(200);
        let found = cut(Kind::Text, &text).unwrap();
        assert!(found.len() > 3);
        for chunk in &found {
            let words: Vec<&str> = chunk.text.split(formula).collect();
            assert!(
                words
                    .iter()
                    .all(|between| !between.contains(['x', '+', '1'])),
                "{}",
                chunk.text
            );
        }
    }
}

#[test]
fn prices_are_no_formulas_and_abbreviations_end_no_sentence() {
    let long = "Word ".repeat(158);
    let text = format!("It costs $5. It costs $6 more. {long}. See Fig. A and Prof. B there.");
    let found = cut(Kind::Text, &text).unwrap();
    let last = &found.last().unwrap().text;
    assert_eq!(last, "See Fig. A and Prof. B there.");
    assert!(found[0].text.starts_with("It costs $5. It costs $6 more."));
}

#[test]
fn a_long_section_is_cut_into_chunks_of_about_the_same_length() {
    let text = "This sentence has exactly eight words in it. ".repeat(41);
    let words: Vec<usize> = cut(Kind::Text, &text)
        .unwrap()
        .iter()
        .map(|chunk| chunk.text.unicode_words().count())
        .collect();
    assert_eq!(words, [112, 112, 104]);
}

#[test]
fn ids_rest_on_place_and_content() {
    let before = cut(
        Kind::Markdown,
        "# One\n\nSame.\n\nSame.\n\n# Two\n\nText.\n",
    )
    .unwrap();
    let after = cut(Kind::Markdown, "# One\n\nOther.\n\n# Two\n\nText.\n").unwrap();
    assert_eq!(before[1].id, after[1].id);
    assert_ne!(before[0].id, after[0].id);
    assert_eq!(
        before,
        cut(
            Kind::Markdown,
            "# One\n\nSame.\n\nSame.\n\n# Two\n\nText.\n"
        )
        .unwrap()
    );

    let long = "The same sentence has no other words than the sentence before it has. ".repeat(40);
    let ids: Vec<String> = cut(Kind::Text, long)
        .unwrap()
        .into_iter()
        .map(|c| c.id)
        .collect();
    assert!(ids[1].ends_with("-2"), "{ids:?}");
}

#[test]
fn a_word_without_end_and_a_heading_without_end_are_bounded() {
    let found = cut(
        Kind::Markdown,
        format!("# {}\n\n{}", "h".repeat(1_000), "é".repeat(20_000)),
    )
    .unwrap();
    assert!(
        found
            .iter()
            .all(|c| c.text.chars().count() <= MAX_CHUNK_CHARS)
    );
    assert_eq!(found[0].section.chars().count(), 300);
}

#[test]
fn a_place_is_that_of_the_first_word() {
    let file = "WEBVTT\n\n00:01.000 --> 00:02.000\nA sentence goes\n\n00:09.000 --> 00:10.000\non here. Another.\n";
    let found = chunks(
        "file",
        &sections("file", Kind::Vtt, file.as_bytes()).unwrap(),
    )
    .unwrap();
    assert_eq!(found[0].start.unwrap().as_secs(), 1);
}
