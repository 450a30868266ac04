//! Bounds of size, and time in proportion to size.

use turnwise_extract::{Kind, MAX_CHUNKS, MAX_INPUT, MAX_TEXT, Reason};

use crate::cut;

#[test]
fn what_is_too_large_is_refused() {
    let error = cut(Kind::Text, vec![b'a'; MAX_INPUT + 1]).unwrap_err();
    assert_eq!(error.reason, Reason::TooLarge);
    assert!(error.problem.contains("50000000"), "{error}");
    let error = cut(Kind::Text, vec![b'a'; MAX_TEXT + 1]).unwrap_err();
    assert_eq!(error.reason, Reason::TooLarge);
    let error = cut(Kind::Markdown, "# H\nT.\n".repeat(MAX_CHUNKS + 1)).unwrap_err();
    assert_eq!(error.reason, Reason::TooLarge);
    assert!(error.problem.contains("20000"), "{error}");
    assert_eq!(
        cut(Kind::Markdown, "# H\nT.\n".repeat(MAX_CHUNKS))
            .unwrap()
            .len(),
        MAX_CHUNKS
    );
}

/// Each of these would take hours if a part of the reader were quadratic.
#[test]
fn hostile_texts_take_no_more_time_than_others() {
    for piece in [
        "$",
        "$a ",
        "$$",
        r"\(",
        r"\begin{a} ",
        r"\begin{a}\end{b}",
        "<",
        "<v ",
        "{",
        "<!--",
        "# ",
        "- ",
        "```\n",
        "a\n",
        "\n",
        ". ",
        "|",
        "e.g. ",
        "&amp;",
        "(",
    ] {
        let text = piece.repeat(50_000 / piece.len());
        for kind in [Kind::Text, Kind::Markdown] {
            let _ = cut(kind, &text);
        }
        let _ = cut(
            Kind::Vtt,
            format!("WEBVTT\n\n00:01.000 --> 00:02.000\n{text}"),
        );
    }
}
