//! Lessons and the chunks cut from them.

use std::fmt::Write as _;

use crate::fixture::{good, pack, write};
use turnwise_course_pack::ChunkType;

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
