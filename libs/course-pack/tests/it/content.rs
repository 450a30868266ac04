//! Lessons and the chunks cut from them.

use std::fmt::Write as _;

use crate::fixture::{good, one, pack, write};
use turnwise_course_pack::{Chunk, ChunkType};

const FRONT: &str = "---\nunit: B\nsource: b\ntype: text\ntitle: B\n---\n";

/// The chunks of a lesson with this body.
fn chunks(body: &str) -> Vec<Chunk> {
    let dir = pack();
    write(dir.path(), "content/b.md", format!("{FRONT}{body}"));
    let mut chunks = good(dir.path()).chunks;
    chunks.retain(|chunk| chunk.source == "b");
    chunks
}

#[test]
fn chunks_take_after_their_lesson() {
    let pack = good(pack().path());
    assert_eq!(pack.lessons.len(), 1);
    assert_eq!(pack.lessons[0].title, "Sums");
    assert_eq!(pack.lessons[0].allowed_topics, ["adding"]);
    assert_eq!(pack.lessons[0].reference, "sums");
    let [first, second] = pack.chunks.as_slice() else {
        panic!("{:?}", pack.chunks)
    };
    assert_eq!(
        (first.id.as_str(), first.section_kind.as_str()),
        ("a-c1", "explanation")
    );
    assert_eq!(
        (first.section.as_str(), first.text.as_str()),
        ("What a sum is", "Put together.")
    );
    assert_eq!(
        (second.id.as_str(), second.section_kind.as_str()),
        ("lesson-a#2", "")
    );
    assert_eq!(
        (second.unit.as_str(), second.source.as_str()),
        ("A", "lesson-a")
    );
    assert_eq!(second.chunk_type, ChunkType::Text);
    assert_eq!(second.url, "");
}

#[test]
fn a_chunk_may_have_its_own_address_and_section() {
    let dir = pack();
    let lesson = "---\nunit: B\nsource: tape\ntype: transcript\ntitle: Tape\nurl: https://x.org/t\n---\n\
        ## One {section=\"1.1 One\" url=\"https://x.org/t#1\"}\nfirst\n## Two\nsecond\n";
    write(dir.path(), "content/more/tape.md", lesson);
    let pack = good(dir.path());
    let [.., one, two] = pack.chunks.as_slice() else {
        panic!("{:?}", pack.chunks)
    };
    assert_eq!(
        (one.section.as_str(), one.url.as_str()),
        ("1.1 One", "https://x.org/t#1")
    );
    assert_eq!(
        (two.section.as_str(), two.url.as_str()),
        ("Two", "https://x.org/t")
    );
    assert_eq!(two.chunk_type, ChunkType::Transcript);
}

#[test]
fn a_lesson_may_have_very_many_chunks() {
    let dir = pack();
    let mut lesson = "---\nunit: B\nsource: book\ntype: pdf\ntitle: Book\n---\n".to_owned();
    for n in 0..20_000 {
        write!(
            lesson,
            "## Section {n} {{#book-{n} .example}}\n\nText {n}.\n\n"
        )
        .unwrap();
    }
    write(dir.path(), "content/book.md", lesson);
    let pack = good(dir.path());
    assert_eq!(pack.chunks.len(), 20_002);
    assert_eq!(pack.chunks.last().unwrap().text, "Text 19999.");
}

#[test]
fn a_heading_keeps_braces_that_are_not_attributes() {
    for heading in [
        "The set {1, 2}",
        "Powers such as x^{2}",
        "Solve {x = 1; y = 2}",
        "A { b }",
    ] {
        let found = chunks(&format!("## {heading}\ntext\n"));
        assert_eq!(found[0].section, heading);
        assert_eq!((found[0].id.as_str(), found[0].url.as_str()), ("b#1", ""));
    }
}

#[test]
fn a_heading_gives_up_its_attributes() {
    let attributes =
        r#"{#a.b-1 .worked-example url="https://x.org/#{y}" section="1.2 \"Sums\" {a}"}"#;
    let found = chunks(&format!("## Adding {attributes}\ntext\n"));
    assert_eq!(found[0].id, "a.b-1");
    assert_eq!(found[0].section_kind, "worked-example");
    assert_eq!(found[0].url, "https://x.org/#{y}");
    assert_eq!(found[0].section, r#"1.2 "Sums" {a}"#);
    assert_eq!(
        chunks("## Adding {#a.b-1 .example}\ntext\n")[0].section,
        "Adding"
    );
}

#[test]
fn attributes_that_cannot_be_read_are_faults() {
    for (attributes, says) in [
        ("{#a b}", "`b` is not an attribute"),
        ("{#a #b}", "more than one id"),
        ("{.a .b}", "more than one kind"),
        ("{#a/b}", "`a/b` is not well formed"),
        ("{colour=red}", "no attribute `colour`"),
        ("{url=\"x}", "quotes of `url` do not close"),
        ("{.}", "kind `` is not well formed"),
        ("{url=}", "attribute `url` is empty"),
    ] {
        let dir = pack();
        let lesson = format!("{FRONT}## A {attributes}\ntext\n");
        write(dir.path(), "content/b.md", lesson);
        one(dir.path(), "content/b.md", 7, says);
    }
}

#[test]
fn headings_in_code_are_text() {
    let body = "# Title\n\n## One\n```\n## not a heading\n```\nmore\n\\## neither\n\\\\```\n### inner\n## Two\ntext\n";
    let texts: Vec<String> = chunks(body).into_iter().map(|chunk| chunk.text).collect();
    assert_eq!(
        texts,
        [
            "```\n## not a heading\n```\nmore\n## neither\n\\```\n### inner",
            "text"
        ]
    );
    let dir = pack();
    write(
        dir.path(),
        "content/b.md",
        format!("{FRONT}{}", body.replace("text\n", "")),
    );
    one(dir.path(), "content/b.md", 17, "`Two` has no text");
}
