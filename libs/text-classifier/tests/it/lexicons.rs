//! Lexicons from text.

use turnwise_text_classifier::{Lexicon, LexiconError};

#[test]
fn a_line_is_a_concept_and_its_words() {
    Lexicon::parse("# people\n\nADULT\tdad mum\nHIT\thit* schlägt\nADULT\tuncle\n").unwrap();
    Lexicon::parse("").unwrap();
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let not_one = |line, entry: &str| LexiconError::NotOneWord {
        line,
        entry: entry.to_owned(),
    };
    let twice = |line, entry: &str| LexiconError::Twice {
        line,
        entry: entry.to_owned(),
    };
    let letter = |i: usize| char::from(b"bcdfghjklmnpqrstv"[i]);
    let many: String = (0..257)
        .map(|i| format!("C{i}\t{}x{}\n", letter(i / 16), letter(i % 16)))
        .collect();
    for (text, expected) in [
        ("\nADULT dad", LexiconError::NoWords(2)),
        ("A\tdad step-dad", not_one(1, "step-dad")),
        ("A\tdad\nB\tdo*", not_one(2, "do*")),
        ("A\tdad\nB\t...", not_one(2, "...")),
        // Spelt otherwise, and the same.
        ("A\tSchlag\nB\tschlääg", twice(2, "schlääg")),
        (&many, LexiconError::TooMany),
    ] {
        let read = Lexicon::parse(text);
        assert_eq!(
            read.err(),
            Some(expected),
            "{}",
            &text[..text.len().min(40)]
        );
    }
}
