//! Drills as models write them: those that mathematics cannot grade are found out before anybody answers.

mod course;

use turnwise_grading::{Drill, Verdict, grade, is_checkable};
use turnwise_testing::figure::{Bound, figure};

/// A drill as a model may write it, with a right and a wrong answer.
pub struct Written {
    prompt: String,
    question: String,
    right: String,
    wrong: String,
}

fn written(prompt: &str, question: String, right: String, wrong: String) -> Written {
    Written {
        prompt: prompt.to_owned(),
        question,
        right,
        wrong,
    }
}

/// A term with its sign: `+ 3`, `- 3`.
fn plus(number: i64) -> String {
    if number < 0 {
        format!("- {}", -number)
    } else {
        format!("+ {number}")
    }
}

#[test]
fn what_is_shown_is_decided_and_little_is_replaced() {
    let (mut all, mut shown, mut open) = (0_u32, 0_u32, Vec::new());
    for (unit, drills) in course::drills() {
        let mut replaced = 0;
        for written in &drills {
            all += 1;
            if !is_checkable(&written.prompt, &written.question) {
                replaced += 1;
                continue;
            }
            shown += 1;
            let drill = Drill {
                prompt: &written.prompt,
                question_latex: &written.question,
                key: None,
            };
            for (answer, expected) in [
                (&written.right, Verdict::Right),
                (&written.wrong, Verdict::Wrong),
            ] {
                let verdict = grade(&drill, answer).verdict;
                let name = format!("{} {} {answer}", written.prompt, written.question);
                if verdict == Verdict::CannotTell {
                    open.push(name);
                } else {
                    assert_eq!(verdict, expected, "{name}");
                }
            }
        }
        println!("{unit}: {replaced} of {} are replaced", drills.len());
    }
    assert!(all >= 500, "{all} drills");
    let left_open = f64::from(u32::try_from(open.len()).unwrap());
    let decided = 1.0 - left_open / f64::from(2 * shown);
    let replaced = f64::from(all - shown) / f64::from(all);
    figure("model_drills_decided_share", decided, Bound::AtLeast(0.99));
    figure("model_drills_replaced_share", replaced, Bound::AtMost(0.25));
    assert!(decided >= 0.99, "left open: {open:#?}");
    assert!(replaced <= 0.25, "{replaced:.3} are replaced");
    let mut told = (0..course::OF_A_UNIT).map(course::in_words);
    let is_shown = |drill: &Written| is_checkable(&drill.prompt, &drill.question);
    assert!(
        !told.any(|drill| is_shown(&drill)),
        "a drill in words is shown"
    );
}

#[test]
fn usual_tasks_in_german_are_read() {
    for (prompt, question, right, wrong) in [
        ("Löse die Gleichung.", "x + 7 = 12", "x = 5", "x = 6"),
        ("Löse nach x auf.", "2x - 3 = 5", "4", "5"),
        (
            "Löse die Gleichung nach x auf:",
            "2x = 10",
            "x = 5",
            "x = 4",
        ),
        (
            "Bestimme die fehlende Zahl n.",
            "\\frac{2}{7} = \\frac{n}{35}",
            "10",
            "12",
        ),
        ("Berechne.", "3 + 4 \\cdot 2", "11", "14"),
        (
            "Berechne den Wert des Terms für x = -3.",
            "10 - 2x",
            "16",
            "4",
        ),
        ("Vereinfache.", "3x + 4x", "7x", "12x"),
        (
            "Fasse so weit wie möglich zusammen.",
            "3x + 4 - x",
            "2x + 4",
            "6x",
        ),
        ("Multipliziere aus.", "3(x + 2)", "3x + 6", "3x + 2"),
        (
            "Löse die Klammer auf und fasse zusammen.",
            "2(x + 1) + x",
            "3x + 2",
            "3x + 1",
        ),
        (
            "Klammere den größten gemeinsamen Faktor aus.",
            "6n + 9",
            "3(2n + 3)",
            "3(2n + 9)",
        ),
        (
            "Faktorisiere.",
            "x^2 + 5x + 6",
            "(x + 2)(x + 3)",
            "(x + 1)(x + 6)",
        ),
        ("Kürze so weit wie möglich.", "\\frac{18}{24}", "3/4", "2/3"),
    ] {
        assert!(is_checkable(prompt, question), "{prompt} {question}");
        let drill = Drill {
            prompt,
            question_latex: question,
            key: None,
        };
        assert_eq!(grade(&drill, right).verdict, Verdict::Right, "{prompt}");
        assert_eq!(grade(&drill, wrong).verdict, Verdict::Wrong, "{prompt}");
    }
    for (prompt, question) in [
        ("Löse.", ""),
        ("Löse die Textaufgabe.", "x + 7 = 12"),
        ("Löse die Gleichung im Kopf und erkläre.", "x + 7 = 12"),
        ("Bestimme die größere Lösung.", "x^2 = 9"),
        ("Berechne den Anteil.", "\\frac{2}{3} \\cdot 12"),
        ("Löse die Gleichung nicht.", "x + 7 = 12"),
        ("Erzähle eine Geschichte dazu.", "x + 7 = 12"),
    ] {
        assert!(!is_checkable(prompt, question), "{prompt} {question}");
    }
}

#[test]
fn slopes_are_worked_out_from_two_points() {
    let verdict = |prompt: &str, question: &str, answer: &str| {
        let drill = Drill {
            prompt,
            question_latex: question,
            key: None,
        };
        grade(&drill, answer).verdict
    };
    let prompt = "Work out the slope of the line through (-2, 1) and (4, 5).";
    for (answer, expected) in [
        ("2/3", Verdict::Right),
        ("5", Verdict::Wrong),
        ("3/2", Verdict::Wrong),
        ("-2/3", Verdict::Wrong),
    ] {
        assert_eq!(verdict(prompt, "", answer), expected, "{answer}");
        let points = "(-2, 1),\\ (4, 5)";
        assert_eq!(verdict(prompt, points, answer), expected, "{answer}");
    }
    for (prompt, question) in [
        (
            "Is the slope of the line through (0, 0) and (1, 2) positive?",
            "",
        ),
        (
            "Work out the slope of the line through (1, 2) and (1, 5).",
            "",
        ),
        ("Work out the slope of the line through (1, 2).", ""),
        (
            "Work out the slope of the line through (1, 2) and (3, a).",
            "",
        ),
        ("Work out the slope of the line.", "y = 2x + 1"),
        (
            "Work out the slope of a line that is perpendicular to the line through (1, 2) and (3, 6).",
            "",
        ),
        (
            "Work out the slope of the line through (1, 2) and (3, 6).",
            "(5, 5)",
        ),
    ] {
        assert!(!is_checkable(prompt, question), "{prompt} {question}");
        assert_eq!(
            verdict(prompt, question, "2"),
            Verdict::CannotTell,
            "{prompt} {question}"
        );
    }
}

#[test]
fn what_cannot_be_solved_is_not_checkable() {
    for (prompt, question) in [
        ("", ""),
        ("Solve for x.", ""),
        ("Solve for x.", "x = 4"),
        ("Solve for x.", "x^5 - x - 1 = 0"),
        ("Solve for x.", "\\frac{1}{"),
        ("Write down a small example of your own, and solve it.", ""),
        ("Solve the story.", "x + 7 = 12"),
    ] {
        assert!(!is_checkable(prompt, question), "{prompt} {question}");
    }
}

#[test]
fn a_drill_that_is_its_own_answer_is_not_checkable() {
    let prompt = "Work out the value.";
    for question in ["7", "-7", "2 + 0", "2 - 0", "1 \\cdot 7", "\\frac{7}{1}"] {
        assert!(!is_checkable(prompt, question), "{question}");
    }
    for question in [
        "2 + 1",
        "2 \\cdot 7",
        "0 - 7",
        "7 \\cdot 0",
        "\\frac{14}{2}",
    ] {
        assert!(is_checkable(prompt, question), "{question}");
    }
}
