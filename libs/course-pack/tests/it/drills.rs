//! Drills with parameters, and their faults.

use turnwise_course_pack::{DrillTemplate, Pack};

use crate::fixture::{LESSON, good, one, spoiled, write};

const UNITS: &str = "units/10-all.yaml";

/// The line of the drill's id.
const ID_LINE: usize = 15;

/// The good pack with these lines below the id of its drill.
fn pack_with(lines: &[&str]) -> tempfile::TempDir {
    let written =
        "        prompt: Work it out.\n        question_latex: '2 + 3'\n        answer: '5'\n";
    let lines: String = lines
        .iter()
        .map(|line| format!("        {line}\n"))
        .collect();
    spoiled(UNITS, written, &lines)
}

/// Expects one fault, so many lines below the id.
#[track_caller]
fn refused(lines: &[&str], below: usize, says: &str) {
    one(pack_with(lines).path(), UNITS, ID_LINE + below, says);
}

fn template(pack: &Pack) -> &DrillTemplate {
    assert!(pack.units[1].drills.is_empty());
    &pack.units[1].templates[0]
}

#[test]
fn each_exercise_comes_once_and_always_the_same() {
    let dir = pack_with(&[
        "parameters:",
        "  - a in 2..5",
        "  - b = 10 - a",
        "where:",
        "  - a != 3",
        "prompt: Work it out.",
        "question_latex: '[[a]] + [[b]]/2'",
        "answer: '[[a + b/2]]'",
        "hints: ['Halve [[b]] first.', 'Then add [[a]].']",
        "solution: ['$[[b]] : 2 = [[b/2]]$', '$[[a]] + [[b/2]] = [[a + b/2]]$']",
    ]);
    let pack = good(dir.path());
    assert_eq!(good(dir.path()), pack);
    let template = template(&pack);
    assert_eq!(template.id, "A-D1");
    assert_eq!(
        (&template.file, template.line),
        (&dir.path().join(UNITS), ID_LINE)
    );
    let mut made = Vec::new();
    let mut before = None;
    for instance in &template.instances {
        assert!(before < Some(instance.seed));
        before = Some(instance.seed);
        let drill = &instance.drill;
        assert_eq!(drill.id, format!("A-D1#{}", instance.seed));
        assert_eq!(drill.prompt, "Work it out.");
        assert_eq!(drill.hints.len(), 2);
        assert!(drill.solution[1].ends_with(&format!("= {}$", drill.answer)));
        made.push([
            instance.values.as_str(),
            &drill.question_latex,
            &drill.answer,
            &drill.hints[0],
        ]);
    }
    made.sort_unstable();
    assert_eq!(
        made,
        [
            ["a = 2, b = 8", "2 + 8/2", "6", "Halve 8 first."],
            ["a = 4, b = 6", "4 + 6/2", "7", "Halve 6 first."],
            ["a = 5, b = 5", "5 + 5/2", "15/2", "Halve 5 first."],
        ]
    );
    let all = pack.units[1].all_drills().map(|drill| &drill.id);
    let own = template.instances.iter().map(|made| &made.drill.id);
    assert!(all.eq(own));
}

#[test]
fn an_exercise_that_a_lesson_solves_is_left_out() {
    let lines = |range| {
        [
            "parameters:",
            range,
            "prompt: Work it out.",
            "question_latex: '[[a]] + 3'",
            "answer: '[[a + 3]]'",
        ]
    };
    let lesson = LESSON.replace("Count on.", "So $2 + 3 = 5$.");
    let dir = pack_with(&lines("  - a in 1..4"));
    assert_eq!(template(&good(dir.path())).instances.len(), 4);
    write(dir.path(), "content/a.md", &lesson);
    let pack = good(dir.path());
    let questions = template(&pack).instances.iter();
    let mut questions: Vec<&str> = questions
        .map(|made| made.drill.question_latex.as_str())
        .collect();
    questions.sort_unstable();
    assert_eq!(questions, ["1 + 3", "3 + 3", "4 + 3"]);

    let dir = pack_with(&lines("  - a in 2"));
    write(dir.path(), "content/a.md", &lesson);
    one(
        dir.path(),
        UNITS,
        ID_LINE,
        "all exercises of the drill `A-D1`",
    );
}

#[test]
fn what_cannot_be_read() {
    let (prompt, answer) = ("prompt: 'Say [[a]].'", "answer: '[[a]]'");
    let range = "  - a in 2..9";
    refused(
        &["parameters:", "  - a in 9..2", prompt, answer],
        2,
        "the drill `A-D1` has `a in 9..2` in its `parameters`, which cannot be read: the range `9..2` holds no number",
    );
    refused(
        &["parameters:", range, "where:", "  - b != 0", prompt, answer],
        4,
        "`b` is no parameter that stands above",
    );
    refused(
        &["parameters:", range, "prompt: 'Say [[a : bold]].'", answer],
        3,
        "`bold` is no form",
    );
    refused(
        &["parameters:", range, prompt, "answer: '[[c]]'"],
        4,
        "`[[c]]` in its `answer`",
    );
    refused(&["parameters: []", prompt, answer], 1, "has no parameters");
    refused(
        &["where:", "  - a > 2", prompt, answer],
        2,
        "has no parameters",
    );
    refused(&["parameters:", range, prompt], 0, "no `answer`");
}

#[test]
fn help_that_is_too_much_or_cannot_be_read() {
    let drill = [
        "parameters:",
        "  - a in 2..9",
        "prompt: 'Say [[a]].'",
        "answer: '[[a]]'",
    ];
    let with = |help: &str, says: &str| {
        refused(&[&drill[..], &[help]].concat(), 5, says);
    };
    let long = "long ".repeat(80);
    with(
        &format!("hints: ['{long}']"),
        "this hint has more than 300 characters",
    );
    with("hints: [a, b, c, d]", "`hints` has 4 hints");
    with("hints: ['Say [[b]].']", "`Say [[b]].` in its `hints`");
    with("solution: [a]", "`solution` has 1 lines");
    with("solution: [a, b, c, d, e, f, g]", "`solution` has 7 lines");
    with("solution: ['[[a]]', '[[b]]']", "`[[b]]` in its `solution`");
    with(
        &format!("solution: [a, '{long}']"),
        "this line of a solution has more than",
    );
    // There was one hint once.
    with("hint: Count on.", "no key `hint`");
}

#[test]
fn seeds_that_make_no_exercise() {
    let prompt = "prompt: 'Say [[a]].'";
    refused(
        &["parameters:", "  - a in 0", prompt, "answer: '[[1/a]]'"],
        4,
        "the drill `A-D1` makes no exercise of seed 0: with a = 0, `[[1/a]]` divides by zero",
    );
    refused(
        &[
            "parameters:",
            "  - a in 0",
            "  - b = 1/a",
            prompt,
            "answer: '[[b]]'",
        ],
        0,
        "of seed 0: with a = 0, `b = 1/a` divides by zero",
    );
    refused(
        &[
            "parameters:",
            "  - a in 1..9",
            "where:",
            "  - a > 9",
            prompt,
            "answer: '[[a]]'",
        ],
        0,
        "of seed 0: no values meet its conditions",
    );
    refused(
        &["parameters:", "  - a in 100", prompt, "answer: '[[a^3]]'"],
        4,
        "shows 1000000, which is too long a number for a drill",
    );
    refused(
        &["parameters:", "  - a in 100", prompt, "answer: '[[a^7]]'"],
        4,
        "becomes too large a number",
    );
    // Not every seed is to blame: the first one is named.
    refused(
        &["parameters:", "  - a in 0..9", prompt, "answer: '[[1/a]]'"],
        4,
        "with a = 0, `[[1/a]]` divides by zero",
    );
}

#[test]
fn exercises_that_cannot_be_set() {
    let range = "  - a in 1..2";
    refused(
        &["parameters:", range, "prompt: Guess.", "answer: '[[a]]'"],
        4,
        "the drill `A-D1` has two keys for one exercise: ",
    );
    refused(
        &[
            "parameters:",
            range,
            "prompt: 'Say [[a]].'",
            "answer: '[[a : coef]]'",
        ],
        4,
        "an empty prompt or answer with seed",
    );
    refused(
        &[
            "parameters:",
            range,
            "prompt: 'Solve.'",
            "question_latex: 'x = [[a]] = y'",
            "answer: '[[a]]'",
        ],
        4,
        "2 equals signs in its `question_latex`",
    );
}

#[test]
fn ids_are_those_of_all_drills() {
    let dir = pack_with(&[
        "parameters:",
        "  - a in 1..2",
        "prompt: 'Say [[a]].'",
        "answer: '[[a]]'",
    ]);
    let text = std::fs::read_to_string(dir.path().join(UNITS)).unwrap();
    let again = "    drills: [{id: A-D1, prompt: Again., answer: 1}]\n";
    write(dir.path(), UNITS, text + again);
    one(
        dir.path(),
        UNITS,
        ID_LINE + 8,
        "drill `A-D1` stands here a second time",
    );
    let long = "D".repeat(121);
    let text = std::fs::read_to_string(dir.path().join(UNITS)).unwrap();
    write(
        dir.path(),
        UNITS,
        text.replace(again, "").replace("A-D1", &long),
    );
    one(dir.path(), UNITS, ID_LINE, "more than 120 characters");
}
