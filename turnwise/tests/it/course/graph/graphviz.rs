//! The picture, by the real Graphviz; and what happens where it is missing, fails or hangs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use roxmltree::{Document, Node, ParsingOptions};
use tempfile::TempDir;

use super::super::text;
use super::pack::Units;
use super::{ada, command, demo, drawn, finish, graph};

/// Fails with what to do if Graphviz is not here.
fn demand_graphviz() {
    assert!(
        Command::new("dot")
            .arg("-V")
            .output()
            .is_ok_and(|said| said.status.success()),
        "this test needs Graphviz's `dot` on the PATH; get it with `apt-get install graphviz`"
    );
}

/// Parses a picture; whatever is not well-formed XML fails.
fn parsed(svg: &str) -> Document<'_> {
    let options = ParsingOptions {
        // Graphviz names the DTD of SVG; it is not fetched.
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(svg, options).unwrap_or_else(|error| panic!("{error} in:\n{svg}"))
}

fn groups<'d>(svg: &'d Document<'_>, class: &str) -> Vec<Node<'d, 'd>> {
    svg.descendants()
        .filter(|node| node.attribute("class") == Some(class))
        .collect()
}

fn words<'d>(of: Node<'d, 'd>, tag: &str) -> Vec<&'d str> {
    of.descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", tag)))
        .filter_map(|node| node.text())
        .collect()
}

#[test]
fn a_student_s_picture() {
    demand_graphviz();
    let svg = drawn(&[text(&demo()), "--snapshot", text(&ada()), "--format", "svg"]);
    let svg = parsed(&svg);
    let boxes = groups(&svg, "node");
    // Twenty units, and ten boxes of the legend.
    assert_eq!(boxes.len(), 30);
    let of = |id: &str| {
        let found = boxes.iter().find(|node| words(**node, "title") == [id]);
        words(*found.unwrap(), "text").join(" / ")
    };
    assert_eq!(
        of("ALG-01"),
        "Integers and / negative numbers / ALG-01 / gold"
    );
    assert_eq!(
        of("ALG-05"),
        "Ratios and / proportions / ALG-05 / none · open / focus · in progress · stuck"
    );
    assert_eq!(
        of("ALG-10"),
        "One-step equations / ALG-10 / none · blocked / met by a teacher's mark"
    );
    let edges: Vec<_> = groups(&svg, "edge")
        .into_iter()
        .flat_map(|edge| words(edge, "title"))
        .collect();
    assert!(edges.contains(&"ALG-05->ALG-14"), "{edges:?}");
}

#[test]
fn titles_are_text_whatever_is_in_them() {
    demand_graphviz();
    // As they come, and as they are to be read in the picture, each on a line of its own.
    let titles: &[(&str, &str)] = &[
        (r#"say "hi""#, r#"say "hi""#),
        (r"back\slash \n \N \G", r"back\slash \n \N \G"),
        (r"ends with \", r"ends with \"),
        (r#"\" ]; evil [x=""#, r#"\" ]; evil [x=""#),
        ("<b>bold</b>", "<b>bold</b>"),
        ("<<TABLE></TABLE>>", "<<TABLE></TABLE>>"),
        ("AT&T &lt; &amp;", "AT&T &lt; &amp;"),
        ("&#60; &#x3c; &copy;", "&#60; &#x3c; &copy;"),
        ("{a|b} -> c; d", "{a|b} -> c; d"),
        ("]]> <!-- x --> <?y?>", "]]> <!-- x --> <?y?>"),
        ("two\nlines\r\n\tno", "two lines no"),
        ("Ünïcödé ∑ 数学 😀", "Ünïcödé ∑ 数学 😀"),
        (
            "e\u{301} \u{202e}abc\u{202c}",
            "e\u{301} \u{202e}abc\u{202c}",
        ),
        (
            "bell\u{7} esc\u{1b} \u{7f}",
            "bell\u{fffd} esc\u{fffd} \u{fffd}",
        ),
        ("not a char \u{fffe}\u{ffff}", "not a char \u{fffd}\u{fffd}"),
        ("// # /* digraph */", "// # /* digraph */"),
        ("node", "node"),
    ];
    // Ids that are words or numbers of DOT.
    let ids = [
        "node", "edge", "graph", "-1", "1.5.2", "strict", "~@_", "a.b",
    ];
    let named: Vec<String> = (0..titles.len())
        .map(|n| {
            ids.get(n)
                .map_or_else(|| format!("u{n}"), |id| (*id).to_owned())
        })
        .collect();
    let units: Vec<(&str, &str, &[&str])> = named
        .iter()
        .zip(titles)
        .map(|(id, (title, _))| (id.as_str(), *title, &[] as &[&str]))
        .collect();
    let pack = Units::new(&units).write();
    let dir = tempfile::tempdir().unwrap();
    let record = dir.path().join("record.json");
    fs::write(
        &record,
        r#"{"courseId": "titles", "studentId": "<a>&amp;\"\\N\u0001"}"#,
    )
    .unwrap();

    let svg = drawn(&[
        text(pack.path()),
        "--format",
        "svg",
        "--snapshot",
        text(&record),
    ]);
    let svg = parsed(&svg);
    let boxes = groups(&svg, "node");
    for (id, (_, shown)) in named.iter().zip(titles) {
        let found = boxes
            .iter()
            .find(|node| words(**node, "title") == [id.as_str()]);
        let found = found.unwrap_or_else(|| panic!("no box for {id}"));
        // Graphviz keeps blanks by writing them as ones that do not break.
        let lines: Vec<String> = words(*found, "text")
            .iter()
            .map(|line| line.replace('\u{a0}', " "))
            .collect();
        assert_eq!(lines, [*shown, id, "none · open"], "{id}");
    }
    let heading = words(groups(&svg, "graph")[0], "text")
        .join("\n")
        .replace('\u{a0}', " ");
    assert!(
        heading.starts_with("Titles & <more> \"here\" (titles)\n"),
        "{heading}"
    );
    assert!(
        heading.contains("student <a>&amp;\"\\N\u{fffd}: "),
        "{heading}"
    );
}

#[test]
fn a_long_title_is_broken_and_at_last_cut() {
    let words = "word ".repeat(1_000);
    let letters = "字".repeat(1_000);
    let pack = Units::new(&[
        ("a", "A somewhat longer title that takes a few lines", &[]),
        ("b", &words, &[]),
        ("c", &letters, &[]),
        ("d", "Incomprehensibilities-1234567890 of", &[]),
    ])
    .write();
    let out = drawn(&[text(pack.path())]);
    let label = |id: &str| {
        let line = super::line(&out, &format!("\"{id}\""));
        line.split('"')
            .nth(3)
            .unwrap()
            .split(r"\n")
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        label("a"),
        ["A somewhat longer", "title that takes a", "few lines", "a"]
    );
    assert_eq!(label("b").len(), 7);
    assert_eq!(label("b")[5], "word word word word…");
    assert_eq!(label("c").len(), 7);
    assert!(label("c").iter().all(|line| line.chars().count() <= 21));
    assert_eq!(label("d"), ["Incomprehensibilities-1234567890", "of", "d"]);
}

/// A folder with a program `dot` that is this script.
fn fake(script: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("dot");
    fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    dir
}

/// Draws the demo course with the `dot` of this folder, or with none.
fn with_dot(dir: &Path, args: &[&str]) -> super::Run {
    let demo = demo();
    let mut command = command(&[&[text(&demo), "--format", "svg"], args].concat());
    command.env("PATH", dir);
    finish(command)
}

#[test]
fn without_graphviz_the_message_says_what_to_install() {
    let nothing = tempfile::tempdir().unwrap();
    let file = nothing.path().join("graph.svg");
    fs::write(&file, "an older picture").unwrap();
    let run = with_dot(nothing.path(), &["--out", text(&file)]);
    assert!(!run.ok);
    assert!(
        run.notes.contains("install the Debian package graphviz"),
        "{}",
        run.notes
    );
    assert!(run.notes.contains("--format dot"), "{}", run.notes);
    assert_eq!(fs::read_to_string(&file).unwrap(), "an older picture");
    // DOT itself needs no Graphviz.
    let demo = demo();
    let mut dot = command(&[text(&demo)]);
    dot.env("PATH", nothing.path());
    assert!(finish(dot).ok);
}

#[test]
fn a_failing_graphviz_is_heard() {
    // It ends without reading its input, too.
    let dir = fake("echo 'syntax error in line 7' >&2\nexit 3");
    let run = with_dot(dir.path(), &[]);
    assert!(!run.ok);
    assert_eq!(run.out, "");
    assert!(run.notes.contains("exit code 3"), "{}", run.notes);
    assert!(
        run.notes.contains("syntax error in line 7"),
        "{}",
        run.notes
    );

    let run = with_dot(fake("exit 0").path(), &[]);
    assert!(!run.ok);
    assert!(run.notes.contains("gave no whole picture"), "{}", run.notes);

    let run = with_dot(fake("kill -9 $$").path(), &[]);
    assert!(run.notes.contains("ended by a signal"), "{}", run.notes);
}

#[test]
fn what_graphviz_says_is_passed_on() {
    let dir = fake(
        "while read -r line; do :; done\nn=0\nwhile [ $n -lt 50 ]; do n=$((n + 1)); echo \"odd $n\" >&2; done\necho '<svg></svg>'",
    );
    let run = with_dot(dir.path(), &[]);
    assert!(run.ok, "{}", run.notes);
    assert_eq!(run.out, "<svg></svg>\n");
    assert!(
        run.notes.starts_with("graphviz: odd 1\ngraphviz: odd 2\n"),
        "{}",
        run.notes
    );
    assert!(
        run.notes.ends_with("graphviz: odd 20\ngraphviz: …\n"),
        "{}",
        run.notes
    );
}

#[test]
fn a_hanging_graphviz_is_ended() {
    let dir = fake("echo 'thinking' >&2\necho $$ >\"${0%/*}/pid\"\nkill -STOP $$");
    let run = with_dot(dir.path(), &["--timeout", "10"]);
    assert!(!run.ok);
    assert!(
        run.notes.contains("did not finish within 10 s"),
        "{}",
        run.notes
    );
    assert!(
        run.notes.contains("--timeout") && run.notes.contains("--unit"),
        "{}",
        run.notes
    );
    assert!(run.notes.contains("thinking"), "{}", run.notes);
    let pid = fs::read_to_string(dir.path().join("pid")).unwrap();
    assert!(
        !Path::new("/proc").join(pid.trim()).exists(),
        "it still runs"
    );
}

#[test]
fn many_units_are_warned_of() {
    let ids: Vec<String> = (0..1_001).map(|n| format!("u{n}")).collect();
    let units: Vec<(&str, &str, &[&str])> = ids
        .iter()
        .map(|id| (id.as_str(), "Unit", &[] as &[&str]))
        .collect();
    let pack = Units::new(&units).write();
    let svg = fake("while read -r line; do :; done\necho '<svg></svg>'");
    let mut picture = command(&[text(pack.path()), "--format", "svg"]);
    picture.env("PATH", svg.path());
    let run = finish(picture);
    assert!(run.ok);
    assert!(
        run.notes.starts_with("warning: 1002 units: "),
        "{}",
        run.notes
    );
    assert_eq!(graph(&[text(pack.path())]).notes, "", "DOT is quick");
}
