//! The two readers against each other: what the quick one reads, the whole language reads the same way.

use std::path::Path;

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::{Node, full, plain};
use crate::fault::{Faults, Sink};

/// The tree by the whole language, if it finds nothing wrong.
fn whole(text: &str) -> Result<Node<'_>, String> {
    let mut faults = Faults::default();
    let node = full::parse(text, 1, &mut Sink::new(Path::new("x.yaml"), &mut faults));
    match (node, faults.into_sorted().as_slice()) {
        (Some(node), []) => Ok(node),
        (_, faults) => Err(format!("{faults:?}")),
    }
}

/// Whether the quick reader reads it; if so, it must be right.
#[track_caller]
fn is_read(text: &str) -> bool {
    let Some(node) = plain::parse(text, 1) else {
        return false;
    };
    assert_eq!(Ok(node), whole(text), "{text}");
    true
}

const UNITS: &str = "\
# A file of units.
---
units:
  - id: A-1   # the first
    title: Sums: no
    title: What is 2 + 2?
    summary: Adding numbers,
      one line after
      the other.
    prerequisites: [ENTRY-00, 'B 2', \"C\"]
    anchors:
    - add two numbers
    -   it's -3 #not a comment

    - '-3 + 8 isn''t: 6'
    - 'so long that: it
      isn''t on one line' # but on two
    - \"as long as
      this \\\"one\\\"\"
    drills:
      - id: A-D1
        prompt: |
          Work it out.
            Twice: yes # really

          All of it.
        note: >-
          Folded
          lines.

          And more.
        question_latex: \"4 + 5 \\\\times 3\"
        options:
          - {id: a, text: '8, or so', of: [x, y]}
          - {id: b, text: 12}
        answer: -1.50
";

/// Like the file above, without its fault.
fn units() -> String {
    UNITS.replace("    title: Sums: no\n", "")
}

#[test]
fn files_as_teachers_write_them_are_read() {
    assert!(is_read(&units()));
    assert!(is_read(&units().replace('\n', "\r\n")));
    assert!(is_read(units().trim_end()));
    assert!(is_read("a: −3 äöü 日本 😀\n"));
    assert!(!is_read(UNITS));
}

#[test]
fn the_files_of_the_courses_are_read() {
    let courses = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../courses");
    let mut folders = vec![courses];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "yaml") {
                let text = std::fs::read_to_string(&path).unwrap();
                assert!(is_read(&text), "{}", path.display());
                files += 1;
            }
        }
    }
    assert!(files > 10);
}

#[test]
fn what_is_odd_is_left_to_the_whole_language() {
    for text in [
        "",
        "# nothing\n",
        "text",
        "a:",
        "a: ~",
        "a: null",
        "a: &x 1",
        "a: *x",
        "a: !t 1",
        "a: 'x",
        "a: 'x\n",
        "a: 'x' y",
        "a: 'x'#y",
        "a: \"\\x41\"",
        "a: [1, 2",
        "a: [1,]",
        "a: [b: 1]",
        "a: {b}",
        "a: {b: 1, b: 2}",
        "a: 1\na: 2",
        "a: 1\n  b: 2",
        "a: b\n\n  c",
        "a: b # c\n  d",
        "a: 'b'\n  c",
        "a:\n  - b\n c: d",
        "a:\n  b: 1\n c: 2",
        "a:\n  - b: 1\n    - c",
        "a: \t1",
        "a: b\rc",
        "a: \u{85}",
        "a: \u{2028}b",
        "---\n---\na: 1",
        " ---\na: 1",
        "a: 'b\n\n  c'",
        "a: 'b\n  # c'",
        "a: 'b\nc'",
        "a: 'b\n  c' d",
        "a: \"b\\\n  c\"",
        "a: \"b\\ \n  c\"",
        "a: [b,\n  c]",
        "a: 1\n---\nb: 2",
        "a: 1\n...",
        "%YAML 1.2\n---\na: 1",
        "? a\n: 1",
        "'a': 1",
        "a : 1",
        "<<: 1",
        "a: |+\n  b\n",
        "a: |2\n   b\n",
        "a: |\n\n  b\n",
        "a: |\n  b",
        "a: >\n  b\n   c\n",
        "a: |\n  b\n # c\n",
        "a: @b",
        "a: `b`",
        "a: %b",
        "a: - b",
        "a: b: c",
        "a: b:",
    ] {
        assert!(!is_read(text), "{text}");
    }
    let deep = format!("a: {}1{}", "[".repeat(40), "]".repeat(40));
    assert!(!is_read(&deep));
    let deep: String = (0..40).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
    assert!(!is_read(&format!("{deep}{}b: 1", " ".repeat(40))));
}

#[test]
fn nesting_is_read_as_deep_as_it_may_be() {
    let deep: String = (0..31).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
    assert!(is_read(&format!("{deep}{}b: 1", " ".repeat(31))));
    assert!(is_read(&format!(
        "a: {}1{}",
        "[".repeat(31),
        "]".repeat(31)
    )));
}

/// What edits put in: everything that means something to YAML, and a little that does not.
const PIECES: [&str; 44] = [
    " ", "  ", "\n", "\n\n", "- ", "-", ":", ": ", "#", " #", "'", "''", "\"", "\\", "\\n", "[",
    "]", "{", "}", ",", ", ", "|", "|-", ">", ">-", "&a", "*a", "!", "?", "? ", "%", "@", "`", "~",
    "null", "\t", "\r", "\r\n", "---\n", "...", "x", "0", "\u{e9}", "key: ",
];

#[derive(Debug, Clone)]
enum Edit {
    Insert(Index, &'static str),
    Delete(Index, usize),
    Indent(Index, usize),
    Dedent(Index),
    Drop(Index),
    Swap(Index, Index),
}

impl Edit {
    fn apply(&self, text: &str) -> String {
        let chars: Vec<char> = text.chars().collect();
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        if chars.is_empty() || lines.is_empty() {
            return text.to_owned();
        }
        match self {
            Self::Insert(at, piece) => {
                let at = at.index(chars.len());
                let (before, after) = chars.split_at(at);
                let text = |chars: &[char]| chars.iter().collect::<String>();
                return text(before) + piece + &text(after);
            }
            Self::Delete(at, count) => {
                let at = at.index(chars.len());
                let rest = &chars[(at + count).min(chars.len())..];
                return chars[..at].iter().chain(rest).collect();
            }
            Self::Indent(at, by) => {
                lines[at.index(text.lines().count())].insert_str(0, &" ".repeat(*by))
            }
            Self::Dedent(at) => {
                let line = &mut lines[at.index(text.lines().count())];
                *line = line.strip_prefix("  ").unwrap_or(line).to_owned();
            }
            Self::Drop(at) => drop(lines.remove(at.index(text.lines().count()))),
            Self::Swap(a, b) => {
                let count = lines.len();
                lines.swap(a.index(count), b.index(count));
            }
        }
        lines.concat()
    }
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = prop_oneof![
        4 => (any::<Index>(), select(&PIECES[..])).prop_map(|(at, piece)| Edit::Insert(at, piece)),
        2 => (any::<Index>(), 1usize..4).prop_map(|(at, count)| Edit::Delete(at, count)),
        1 => (any::<Index>(), 1usize..5).prop_map(|(at, by)| Edit::Indent(at, by)),
        1 => any::<Index>().prop_map(Edit::Dedent),
        1 => any::<Index>().prop_map(Edit::Drop),
        1 => any::<(Index, Index)>().prop_map(|(a, b)| Edit::Swap(a, b)),
    ];
    proptest::collection::vec(edit, 1..4)
}

/// Short soups of everything, many of which are YAML all the same.
fn soups() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        2 => select(&PIECES[..]).prop_map(str::to_owned),
        1 => select(&["\n  ", "\n    ", "\n- ", "\n  - ", "a: b", "b: 'c'", "c:", "d: [e, f]", "g: {h: i}"][..])
            .prop_map(str::to_owned),
        1 => "[a-z0-9]{1,3}",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| format!("k: {}", pieces.concat()))
}

/// How many cases to try: pure code affords more than the rest.
fn config() -> ProptestConfig {
    let cases = std::env::var("PURE_PROPTEST_CASES").ok();
    ProptestConfig {
        cases: cases.map_or(256, |cases| cases.parse().unwrap()),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn an_edited_file_is_read_alike(edits in edits()) {
        let mut text = units();
        for edit in &edits {
            text = edit.apply(&text);
        }
        is_read(&text);
    }

    #[test]
    fn a_soup_is_read_alike(text in soups()) {
        is_read(&text);
    }
}
