//! `turnwise course topics`: suggestions from lessons, and front matter that changes in its topics alone.

use std::{fs, process::ExitCode};

use proptest::prelude::*;
use turnwise::course::topics::{Text, existing, suggest, with_topics};

use super::references::{lesson, pack};
use super::{course, text};

const SLOPE: &str = "## Slope as a rate of change\n\nThe **slope** of a line says how steep it is. A slope of 2 rises by two. The slope is the rise over the run: the **rate of change**.\n\n```\nprint(gradient, gradient, gradient)\n```\n\nA flat line has the slope zero, and $slope slope$ is no word.\n";
const RATIO: &str = "## Comparing with ratios\n\nA ratio compares two amounts. Two ratios that are equal make a proportion; a proportion scales. A proportion has four numbers, and a ratio has two. A line of numbers helps.\n\n## In the kitchen\n\nA ratio of eggs to cups. More eggs, more cups: four eggs need two cups. The ratio stays.\n\n## On a map\n\nA map keeps a ratio, and a proportion, too.\n";

fn topics(text: &str) -> Vec<String> {
    ["a b", "c, d"]
        .map(str::to_owned)
        .into_iter()
        .chain(text.lines().map(str::to_owned))
        .collect()
}

#[test]
fn topics_are_what_a_lesson_has_and_others_have_not() {
    let texts = [
        lesson("one", "Slope of a line", SLOPE),
        lesson("two", "Ratios", RATIO),
    ];
    let lessons = texts.each_ref().map(|text| Text::of(text));
    let [slope, ratio] = &suggest("en", &lessons, 8)[..] else {
        panic!()
    };
    for topic in ["slope", "Slope of a line", "rate of change"] {
        assert!(slope.iter().any(|t| t == topic), "{slope:?}");
    }
    assert!(!slope.iter().any(|t| t.contains("gradient")), "{slope:?}");
    for topic in ["ratio", "proportion"] {
        assert!(ratio.iter().any(|t| t == topic), "{ratio:?}");
    }
    assert!(!ratio.iter().any(|t| t == "eggs"), "{ratio:?}");
    assert_eq!(suggest("en", &lessons, 1)[0].len(), 1);
    assert_eq!(suggest("en", &[Text::of("")], 8), [Vec::<String>::new()]);
}

#[test]
fn german_topics_are_nouns() {
    let body = "## Brüche kürzen\n\nEin Bruch bleibt gleich, wenn man ihn kürzt. Beim Bruch teilt man Zähler und Nenner. Der Zähler steht oben, der Nenner unten. Man kürzt den Bruch, man kürzt Zähler und Nenner.\n";
    let text = lesson("eins", "Brüche", body);
    let found = &suggest("de", &[Text::of(&text)], 8)[0];
    for topic in ["Brüche kürzen", "Bruch", "Zähler", "Nenner"] {
        assert!(found.iter().any(|t| t == topic), "{found:?}");
    }
    assert!(!found.iter().any(|t| t == "kürzt"), "{found:?}");
}

#[test]
fn only_the_topics_of_the_front_matter_change() {
    let list = |text: &str| with_topics(text, &topics("")).unwrap();
    // Without the key it becomes the last line.
    assert_eq!(
        list("---\r\nunit: U1 # one\r\n---\r\nBody.\r\n"),
        "---\r\nunit: U1 # one\r\nhelper_allowed_topics: [a b, \"c, d\"]\r\n---\r\nBody.\r\n"
    );
    // With it, it keeps its name, its place and every comment.
    assert_eq!(
        list(
            "---\n# first\nallowed_topics:   [x, \"y # no comment\"]  # chosen by hand\ntitle: T\n---\n"
        ),
        "---\n# first\nallowed_topics: [a b, \"c, d\"] # chosen by hand\ntitle: T\n---\n"
    );
    assert_eq!(
        list(
            "---\nhelper_allowed_topics: # these\n  - x # because\n  # and\n\n- y\n# about the title\ntitle: T\n---\nallowed_topics: [z]\n"
        ),
        "---\nhelper_allowed_topics: [a b, \"c, d\"] # these\n  # because\n  # and\n\n# about the title\ntitle: T\n---\nallowed_topics: [z]\n"
    );
    assert_eq!(
        list("---\nallowed_topics:\n---\n"),
        "---\nallowed_topics: [a b, \"c, d\"]\n---\n"
    );
    for no_front in ["", "text", "---\nunit: U1\n", "\n---\n---\n"] {
        assert_eq!(with_topics(no_front, &topics("")), None);
    }
}

#[test]
fn the_topics_that_stand_there_are_read() {
    let read = |value: &str| existing(&format!("---\nallowed_topics:{value}\ntitle: T\n---\n"));
    assert_eq!(read(" [a, 'b, c', \"d\"] # e"), ["a", "b, c", "d"]);
    assert_eq!(read("\n  - a b # c\n- \"d\""), ["a b", "d"]);
    assert_eq!(read(" [a,\n  b]"), ["a", "b"]);
    for empty in ["", " []", " ~", " # none", " null"] {
        assert_eq!(read(empty), Vec::<String>::new(), "{empty}");
    }
}

proptest! {
    /// All other lines, and every comment, come out as they went in; and writing twice is writing once.
    #[test]
    fn writing_keeps_what_the_author_wrote(
        before in prop::collection::vec("(#|unit:|title: \")[ a-z#'\"]{0,12}", 0..4),
        value in "( \\[[a-z, ]{0,10}\\])?( # [a-z ]{0,8})?",
        items in prop::collection::vec("  (- [a-z]{1,5})?( # [a-z]{1,6})?", 0..4),
        behind in prop::collection::vec("(#|url:)[ a-z#'\"]{0,12}", 0..3),
        topics in prop::collection::vec("\\PC{1,12}", 1..4),
        body in "\\PC{0,20}",
    ) {
        let key = format!("allowed_topics:{value}");
        let lines: Vec<String> = before.iter().cloned().chain([key]).chain(items.clone()).chain(behind.clone()).collect();
        let text = format!("---\n{}\n---\n{body}", lines.join("\n"));
        let written = with_topics(&text, &topics).unwrap();
        let all = format!("---\n{}", before.iter().map(|l| format!("{l}\n")).collect::<String>());
        prop_assert!(written.starts_with(&all), "{written}");
        let all = format!("{}---\n{body}", behind.iter().map(|l| format!("{l}\n")).collect::<String>());
        prop_assert!(written.ends_with(&all), "{written}");
        let comments = |line: &String| line.split_once("# ").map(|(_, comment)| comment.trim_end().to_owned());
        for comment in items.iter().filter_map(comments).chain(comments(&value)) {
            prop_assert!(written.contains(&comment), "{written}");
        }
        prop_assert_eq!(with_topics(&written, &topics).unwrap(), written);
    }

    #[test]
    fn any_text_gives_bounded_topics(texts in prop::collection::vec("(?s).{0,200}", 0..4), most in 0_usize..10) {
        let lessons: Vec<Text<'_>> = texts.iter().map(|text| Text::of(text)).collect();
        for locale in ["en", "de", "sv"] {
            let found = suggest(locale, &lessons, most);
            prop_assert_eq!(found.len(), texts.len());
            prop_assert!(found.iter().all(|topics| topics.len() <= most));
        }
    }
}

#[test]
fn write_fills_lessons_without_topics_and_replace_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let small = dir.path().join("small");
    let with =
        lesson("one", "Slope", SLOPE).replace("title:", "# mine\nallowed_topics: [mine]\ntitle:");
    let without = lesson("two", "Ratios", RATIO);
    pack(&small, &[("1.md", &with), ("2.md", &without)]);
    let read = |name: &str| fs::read_to_string(small.join("content").join(name)).unwrap();

    let (code, out) = course(&["topics", text(&small)]);
    assert_eq!(code, Ok(ExitCode::SUCCESS), "{out}");
    assert!(out.contains("  has: mine\n"), "{out}");
    assert_eq!((read("1.md"), read("2.md")), (with.clone(), without));

    let (code, out) = course(&["topics", text(&small), "--write"]);
    assert_eq!(code, Ok(ExitCode::SUCCESS), "{out}");
    assert!(out.ends_with("small: 2 lessons, 1 written\n"), "{out}");
    assert_eq!(read("1.md"), with);
    assert_eq!(existing(&read("2.md"))[0], "ratio");

    let (code, out) = course(&["topics", text(&small), "--write", "--replace"]);
    assert_eq!(code, Ok(ExitCode::SUCCESS), "{out}");
    assert!(
        read("1.md").contains("# mine\nallowed_topics: [slope"),
        "{}",
        read("1.md")
    );
    let (code, out) = course(&["check", text(&small)]);
    assert_eq!(code, Ok(ExitCode::SUCCESS), "{out}");
}

#[test]
fn lessons_elsewhere_are_read_and_one_without_front_matter_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let small = dir.path().join("small");
    pack(&small, &[("1.md", &lesson("one", "One", RATIO))]);
    let lessons = dir.path().join("lessons");
    fs::create_dir_all(lessons.join("deep")).unwrap();
    fs::write(lessons.join("deep/bare.md"), RATIO).unwrap();
    fs::write(lessons.join("picture.png"), [0xff]).unwrap();
    let args = [
        "topics",
        text(&small),
        "--lessons-dir",
        text(&lessons),
        "--write",
    ];
    let (code, out) = course(&args);
    assert_eq!(code, Ok(ExitCode::FAILURE));
    assert!(
        out.contains("proportion") && out.contains("does not begin with front matter"),
        "{out}"
    );
    assert_eq!(
        fs::read_to_string(lessons.join("deep/bare.md")).unwrap(),
        RATIO
    );
}
