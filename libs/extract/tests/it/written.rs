//! Plain text and Markdown.

use turnwise_extract::{Kind, Reason};

use crate::{cut, told};

#[test]
fn headings_are_sections_and_what_is_no_text_is_left_out() {
    let file = "---\ntitle: Fractions\n---\nBefore all.\n\n# Adding {#add .howto url=\"https://example.org\"}\n\nFirst line\nsecond line.\n\nA paragraph.\n<!-- a note\nof the author -->\n## Closed ##\n```\n# no heading\n\nx = 1\n```\n\nUnderlined\n----------\n- one\n- two\n\n#hashtag is text\n";
    assert_eq!(
        told(&cut(Kind::Markdown, file).unwrap()),
        [
            ("", "Before all."),
            ("Adding", "First line second line.\n\nA paragraph."),
            ("Closed", "```\n# no heading\n \nx = 1\n```"),
            ("Underlined", "- one\n- two\n\n#hashtag is text"),
        ]
    );
}

#[test]
fn a_line_below_a_text_or_a_front_matter_without_end_is_text() {
    assert_eq!(
        told(&cut(Kind::Markdown, "---\nno: end\n").unwrap()),
        [("", "---\nno: end".replace('\n', " ").as_str())]
    );
    assert_eq!(
        told(&cut(Kind::Markdown, "One <!-- never closed").unwrap()),
        [("", "One <!-- never closed")]
    );
}

#[test]
fn plain_text_is_paragraphs() {
    let file = "\u{feff}One line\r\nand another.\r\n\r\n# no heading\x0cNext\u{0} page.\n";
    assert_eq!(
        told(&cut(Kind::Text, file).unwrap()),
        [("", "One line and another.\n\n# no heading\n\nNext page.")]
    );
}

#[test]
fn what_is_no_text_is_refused_with_its_line() {
    let error = cut(Kind::Text, b"one\ntwo \xff\n").unwrap_err();
    assert_eq!(
        (error.reason, error.place.as_str()),
        (Reason::NotText, "line 2")
    );
    assert_eq!(
        cut(Kind::Text, "%PDF-1.7 …").unwrap_err().reason,
        Reason::NotText
    );
    for empty in ["", " \n\n\t", "\u{feff}"] {
        assert_eq!(cut(Kind::Text, empty).unwrap_err().reason, Reason::Empty);
    }
    assert_eq!(
        cut(Kind::Markdown, "# Heading alone\n").unwrap_err().reason,
        Reason::Empty
    );
}
