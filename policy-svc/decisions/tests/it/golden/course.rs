//! The course of the golden files: a small way into algebra, named so that a page reads without a key.

use turnwise_decisions::{Course, CourseSpec, Drill, Rules, UnitSpec};

use crate::fixtures;

fn unit(
    id: &str,
    title: &str,
    prerequisites: &[&str],
    misconception: &str,
    drills: &[&str],
) -> UnitSpec {
    UnitSpec {
        id: id.to_owned(),
        title: title.to_owned(),
        prerequisites: prerequisites.iter().map(|p| (*p).to_owned()).collect(),
        assessable: true,
        misconceptions: vec![misconception.to_owned()],
        mistake_tags: ["sign_error", "wrong_inverse"].map(str::to_owned).into(),
        drills: drills
            .iter()
            .zip(1..)
            .map(|(latex, n)| Drill {
                id: format!("{id}-d{n}"),
                prompt: "Work out the value.".to_owned(),
                question_latex: (*latex).to_owned(),
            })
            .collect(),
        ..UnitSpec::default()
    }
}

// welcome ─┬─ integers ── variables ─┐
//          ├─ inverse ───────────────┴─ one-step ── two-step ─┐
//          ├─ calculator (no badge) ──────────────────────────┴─ lines
//          └─ puzzles

/// One-step names `variables` before `inverse`: the order of its edges, of the units in the file and of the alphabet
/// can be told apart. Lines names `two-step`, then `calculator`. Every unit but the entry and the calculator has two
/// bronze questions, one at silver and one at gold.
pub fn spec() -> CourseSpec {
    let entry = UnitSpec {
        id: "welcome".to_owned(),
        title: "Welcome".to_owned(),
        ..UnitSpec::default()
    };
    let calculator = UnitSpec {
        id: "calculator".to_owned(),
        title: "Using the calculator".to_owned(),
        prerequisites: vec!["welcome".to_owned()],
        ..UnitSpec::default()
    };
    let units = vec![
        entry,
        unit(
            "integers",
            "Integers",
            &["welcome"],
            "Two minus signs always make a plus.",
            &["-3 + 8", "6 - (-3)"],
        ),
        unit(
            "inverse",
            "Inverse operations",
            &["welcome"],
            "Halving is undone by halving again.",
            &[r"\square \times 6 = 42", r"\square + 9 = 12"],
        ),
        unit(
            "variables",
            "Variables",
            &["integers"],
            "If n = 4, then 3n means 34.",
            &["5n + 3"],
        ),
        unit(
            "one-step",
            "One-step equations",
            &["variables", "inverse"],
            "To solve 4x = 20 you subtract 4.",
            &["x + 6 = 15", "5n = -45"],
        ),
        unit(
            "two-step",
            "Two-step equations",
            &["one-step"],
            "The steps are undone in the order in which they were done.",
            &["3x + 5 = 20"],
        ),
        calculator,
        unit(
            "lines",
            "Straight lines",
            &["two-step", "calculator"],
            "A steeper line has a greater intercept.",
            &["y = 2x + 1"],
        ),
        unit(
            "puzzles",
            "Puzzles",
            &["welcome"],
            "A puzzle has one solution.",
            &["1 + 1"],
        ),
    ];
    CourseSpec {
        entry_unit: "welcome".to_owned(),
        questions: fixtures::questions(&units),
        units,
        rules: Rules::default(),
    }
}

pub fn algebra() -> Course {
    Course::new(spec()).unwrap()
}

pub fn algebra_with(change: impl FnOnce(&mut CourseSpec)) -> Course {
    let mut spec = spec();
    change(&mut spec);
    Course::new(spec).unwrap()
}
