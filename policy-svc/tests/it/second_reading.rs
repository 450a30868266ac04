//! Keys of the demo courses, put to the test without the grading that the product has: by the tests' own reading of the
//! formulas, and by putting the key in.

mod formula;
mod number;
mod tasks;

use std::{collections::BTreeSet, path::Path};

use formula::{Formula, Values};
use number::Number;
use turnwise_course_pack::{Drill, Unit, load};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../courses");
const COURSES: [&str; 2] = ["algebra-foundations", "terme-und-gleichungen"];

fn units() -> Vec<Unit> {
    let packs = COURSES.map(|course| load(&Path::new(FOLDER).join(course)).unwrap());
    packs.into_iter().flat_map(|pack| pack.units).collect()
}

#[test]
fn formulas_are_read() {
    let values: Values = [('x', Number::whole(-3)), ('a', Number::whole(2))].into();
    for (text, above, below) in [
        ("-3 + 8", 5, 1),
        ("6 - (-3)", 9, 1),
        ("-35 \\div (-5) \\times 2", 14, 1),
        ("-48 : (-8)", 6, 1),
        ("20 - 2^{3}", 12, 1),
        ("-x^2", -9, 1),
        ("(2x)^{2}", 36, 1),
        ("2x^2a", 36, 1),
        ("\\frac{x + 1}{4} - \\frac{2}{3}", -7, 6),
        ("-5/6", -5, 6),
        ("-3\\left(2a - 7\\right)", 9, 1),
        ("(x - 5)(x + 2)", 8, 1),
        ("1.25a", 5, 2),
    ] {
        let value = Formula::read(text).unwrap().value(&values);
        assert_eq!(value, Number::fraction(above, below), "{text}");
    }
    for text in [
        "",
        "3 +",
        "(3",
        "x2",
        "2\\frac{1}{2}",
        "3 = 3",
        "\\sqrt{4}",
        "x^{a}",
    ] {
        assert_eq!(Formula::read(text), None, "{text}");
    }
    assert_eq!(Formula::read("1/(x + 3)").unwrap().value(&values), None);
}

/// The key with its last number one higher.
fn with_another_number(key: &str) -> Option<String> {
    let end = key.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = key[..end].rfind(|c: char| !c.is_ascii_digit());
    let start = start.map_or(0, |before| before + 1);
    let number: u64 = key[start..end].parse().unwrap();
    Some(format!("{}{}{}", &key[..start], number + 1, &key[end..]))
}

#[test]
fn every_key_stands_a_second_reading() {
    let (mut instances, mut refused) = (0, 0);
    let mut unread = BTreeSet::new();
    for unit in units() {
        let of_templates = unit.templates.iter();
        instances += of_templates.map(|made| made.instances.len()).sum::<usize>();
        for drill in unit.all_drills() {
            let Some(holds) = tasks::holds(drill) else {
                unread.insert(drill.id.clone());
                continue;
            };
            assert!(holds, "{drill:?}");
            // `a + b` has none.
            if let Some(answer) = with_another_number(&drill.answer) {
                let wrong = Drill {
                    answer,
                    ..drill.clone()
                };
                assert_ne!(tasks::holds(&wrong), Some(true), "{wrong:?}");
                refused += 1;
            }
        }
    }
    println!("{instances} keys stand, {refused} are refused with another number");
    // Of the instances all are read; of what is written out, all but `Write an expression for 7 less than a number n`.
    assert_eq!(unread, ["ALG-06-D3".to_owned()].into());
    assert!(
        instances > 12_000 && refused > 12_000,
        "{instances}, {refused}"
    );
}

#[test]
fn keys_that_are_right_in_another_form_are_refused() {
    let of = |prompt: &str, question: &str, answer: &str| Drill {
        prompt: prompt.to_owned(),
        question_latex: question.to_owned(),
        answer: answer.to_owned(),
        ..Drill::default()
    };
    for (prompt, question, right, wrong) in [
        (
            "Write the fraction in lowest terms.",
            "\\frac{8}{12}",
            "2/3",
            "4/6",
        ),
        ("Simplify.", "5x + 3x", "8x", "5x + 3x"),
        ("Simplify.", "2x^{2} \\cdot 3x^{4}", "6x^6", "2x^2*3x^4"),
        ("Expand the bracket.", "4(x + 3)", "4x + 12", "4(x + 3)"),
        (
            "Factor the expression.",
            "x^{2} - 9",
            "(x - 3)(x + 3)",
            "x^2 - 9",
        ),
        (
            "Take out the greatest common factor.",
            "8n + 12",
            "4(2n + 3)",
            "2(4n + 6)",
        ),
        (
            "Write as a single power.",
            "x^{2} \\cdot x^{3}",
            "x^5",
            "x^2*x^3",
        ),
        (
            "Find the larger solution.",
            "(x - 4)(x + 9) = 0",
            "x = 4",
            "x = -9",
        ),
        (
            "Find the smaller solution.",
            "(x - 4)(x + 9) = 0",
            "x = -9",
            "x = 4",
        ),
        (
            "Find the solution that is not zero.",
            "x^{2} = 6x",
            "x = 6",
            "x = 0",
        ),
        ("Solve the equation.", "2x = 6", "x = 3", "y = 3"),
        ("Solve the equation.", "2x = 6", "x = 3", "x = 4"),
    ] {
        assert_eq!(
            tasks::holds(&of(prompt, question, right)),
            Some(true),
            "{prompt}"
        );
        assert_ne!(
            tasks::holds(&of(prompt, question, wrong)),
            Some(true),
            "{prompt}"
        );
    }
    // No solution, and every number.
    for question in ["x + 1 = x + 2", "2x = x + x"] {
        let drill = of("Solve the equation.", question, "x = 3");
        assert_eq!(tasks::holds(&drill), Some(false), "{question}");
    }
}
