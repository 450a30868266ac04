//! Guesses cost something: what a form lets pass as right where the value is right, it calls wrong where the value is wrong.
//! An answer that nobody can tell counts for nothing, and might be tried until it is right.

use proptest::prelude::*;
use turnwise_grading::{Drill, Verdict, grade};

/// What may stand before a value: `@` is the value again, `#` the exercise.
const BEFORE: [&str; 15] = [
    "",
    "x = ",
    "= ",
    "I think ",
    "so ",
    "# = ",
    "(#) = ",
    "# is ",
    "# so ",
    "@ = ",
    "@ + 0 = ",
    "x = @ + 0 = ",
    "y = # = ",
    "# = @ = ",
    "@, ",
];

/// What may stand behind it.
const BEHIND: [&str; 23] = [
    "",
    ".",
    "..",
    "...",
    "…",
    "!",
    "?",
    "?.",
    "`",
    "\"",
    ",0",
    ".0",
    ", @",
    "; @",
    " or @",
    " because @ = @",
    " because 1 < 2",
    " because 1 = 2",
    " (@ = @)",
    " (@)",
    " = @",
    " = #",
    " + 0 = @",
];

/// Other forms of a value.
const AROUND: [&str; 9] = [
    "`@`",
    "\"@\"",
    "$@$",
    "(@)",
    "+@",
    "|@|",
    "(@)/1",
    "(@)x/x",
    "sqrt((@)^2)",
];

/// An exercise with its answer and another one.
#[derive(Debug, Clone)]
struct Exercise {
    prompt: &'static str,
    question: String,
    key: String,
    right: String,
    wrong: String,
}

impl Exercise {
    fn verdict(&self, keyed: bool, form: &str, value: &str) -> Verdict {
        let drill = Drill {
            prompt: self.prompt,
            question_latex: &self.question,
            key: keyed.then_some(self.key.as_str()),
        };
        let answer = form.replace('#', &self.question).replace('@', value);
        grade(&drill, &answer).verdict
    }
}

fn evaluate(right: i64, shift: i64, wrong: i64) -> Exercise {
    Exercise {
        prompt: "Work out the value.",
        question: format!("{} + {shift}", right - shift),
        key: right.to_string(),
        right: right.to_string(),
        wrong: wrong.to_string(),
    }
}

fn divide(right: i64, below: i64, wrong: i64) -> Exercise {
    Exercise {
        prompt: "Work out the value.",
        question: format!("{} \\div {below}", right * below),
        key: right.to_string(),
        right: right.to_string(),
        wrong: wrong.to_string(),
    }
}

fn solve(right: i64, shift: i64, wrong: i64) -> Exercise {
    Exercise {
        prompt: "Solve the equation.",
        question: format!("x + {shift} = {}", right + shift),
        key: format!("x = {right}"),
        right: right.to_string(),
        wrong: wrong.to_string(),
    }
}

fn expand(factor: i64, shift: i64, off: i64) -> Exercise {
    let expanded = |constant: i64| format!("{factor}x + {constant}");
    Exercise {
        prompt: "Expand the bracket.",
        question: format!("{factor}(x + {shift})"),
        key: expanded(factor * shift),
        right: expanded(factor * shift),
        wrong: expanded(factor * shift + off),
    }
}

fn simplify(first: i64, second: i64, off: i64) -> Exercise {
    Exercise {
        prompt: "Simplify.",
        question: format!("{first}x + {second}x"),
        key: format!("{}x", first + second),
        right: format!("{}x", first + second),
        wrong: format!("{}x", first + second + off),
    }
}

fn forms() -> Vec<String> {
    let mut forms: Vec<String> = AROUND.iter().map(|form| (*form).to_owned()).collect();
    for before in BEFORE {
        forms.extend(BEHIND.iter().map(|behind| format!("{before}@{behind}")));
    }
    forms
}

/// How many forms are right with the right value; an error if one of them is not wrong with the other.
fn check(exercise: &Exercise, forms: &[String]) -> Result<usize, String> {
    let mut right = 0;
    for keyed in [false, true] {
        for form in forms {
            if exercise.verdict(keyed, form, &exercise.right) != Verdict::Right {
                continue;
            }
            right += 1;
            let wrong = exercise.verdict(keyed, form, &exercise.wrong);
            if wrong != Verdict::Wrong {
                return Err(format!("{exercise:?} keyed {keyed} | {form} | {wrong:?}"));
            }
        }
    }
    Ok(right)
}

#[test]
fn what_is_right_with_the_right_value_is_wrong_with_another() {
    let forms = forms();
    for exercise in [
        evaluate(5, 8, 6),
        divide(-7, 3, -8),
        solve(9, 6, 8),
        expand(4, 3, 1),
        simplify(5, 3, 1),
    ] {
        let right = check(&exercise, &forms).unwrap();
        assert!(right > 50, "{right}: {exercise:?}");
    }
}

#[test]
fn guesses_in_the_guise_of_steps_are_wrong() {
    let (sum, quotient) = (evaluate(5, 8, 6), divide(-7, 3, -8));
    let (equation, product) = (solve(9, 6, 8), expand(4, 3, 1));
    for (exercise, form) in [
        (&quotient, "# = @"),
        (&sum, "12 - 7 = @"),
        (&equation, "x = 15 - 6 = @"),
        (&equation, "15 - 6 = @"),
        (&equation, "@ = @"),
        (&product, "# = @"),
        (&product, "@,0"),
    ] {
        for value in [&exercise.right, &exercise.wrong] {
            let expected = if *value == exercise.right {
                Verdict::Right
            } else {
                Verdict::Wrong
            };
            for keyed in [false, true] {
                let verdict = exercise.verdict(keyed, form, value);
                assert_eq!(verdict, expected, "{form} {value} {keyed}");
            }
        }
    }
    // Nothing is known of this exercise but its key.
    let story = Exercise {
        prompt: "Six pens cost 9 euros. Work out the price of 10 pens in euros.",
        question: String::new(),
        key: "15".to_owned(),
        right: "15".to_owned(),
        wrong: "16".to_owned(),
    };
    assert_eq!(story.verdict(true, "10 * 1.5 = @", "15"), Verdict::Right);
    assert_eq!(story.verdict(true, "10 * 1.5 = @", "16"), Verdict::Wrong);
}

proptest! {
    #[test]
    fn no_form_tells_a_right_value_for_free(
        kind in 0_u8..5, right in 3_i64..=20, negative in any::<bool>(), shift in 2_i64..=9, off in 1_i64..=9,
        below in any::<bool>(), before in 0..BEFORE.len(), behind in 0..BEHIND.len(), around in 0..AROUND.len(),
    ) {
        let right = if negative { -right } else { right };
        let wrong = if below { right - off } else { right + off };
        prop_assume!(wrong != 0);
        let exercise = match kind {
            0 => evaluate(right, shift, wrong),
            1 => divide(right, shift, wrong),
            2 => solve(right, shift, wrong),
            3 => expand(right.abs(), shift, off),
            _ => simplify(right.abs(), shift, off),
        };
        let forms = [format!("{}@{}", BEFORE[before], BEHIND[behind]), AROUND[around].to_owned()];
        let checked = check(&exercise, &forms);
        prop_assert!(checked.is_ok(), "{:?}", checked);
    }
}
