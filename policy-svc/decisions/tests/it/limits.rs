//! What a schema cannot say.

use turnwise_decisions::limits::{drill_fault, has_control_characters, question_marks};

#[test]
fn question_marks_of_all_scripts_count() {
    for (text, count) in [("", 0), ("a?", 1), ("؟？?", 3), ("¿Qué?", 1)] {
        assert_eq!(question_marks(text), count, "{text}");
    }
}

#[test]
fn usual_drills_pass() {
    for (prompt, latex) in [
        ("Work out the value.", r"-35 \div (-5)"),
        ("Solve for x.", "5x - 7 = 2x + 8"),
        ("Solve for x.", r"\frac{x}{3} + 2 = -4"),
        ("Expand and simplify.", "(n + 6)^{2}"),
        ("Factorise.", "x^{2} - 5x + 6"),
        ("Find y when x = 3.", "y = 2x + 1"),
        ("Find y when $x = -3$ and then stop.", "y = 2x + 1"),
        ("Solve x + 7 = 12 for x.", "x+7 = 12"),
        ("Write your answer as x = ...", "2x = 8"),
        ("Where is x >= 3?", "x + 1 <= 5"),
        ("Simplify.", r"\frac{3}{4} + \frac{1}{6} - \frac{1}{2}"),
        ("Write the ratio 12 : 18 in its simplest form.", ""),
        ("A three-step-ladder and a well-known and/or problem", ""),
    ] {
        assert_eq!(drill_fault(prompt, latex, 2), None, "{prompt} {latex}");
    }
}

#[test]
fn long_drills_do_not() {
    for (prompt, latex, fault) in [
        (
            "Solve.",
            "x + y = 3 \\\\ x - y = 1",
            "more than one equation",
        ),
        ("Solve\nx = 1\ny = 2", "", "more than one equation"),
        ("Solve.", "x + y = 3, x - y = 1", "more than one equation"),
        (
            "Solve x + y = 3 and x - y = 1.",
            "",
            "more than one equation",
        ),
        (
            "Solve with x + y = 3.",
            "x - y = 1",
            "more than one equation",
        ),
        ("Solve with y = 2x.", "x - y = 1", "more than one equation"),
        (
            "Solve with y = 2 + x.",
            "x - y = 1",
            "more than one equation",
        ),
        ("Solve.", "x = y = 1", "more than one equation"),
        ("Work out.", "1+1+1+1+1+1+1+1+1+1", "too many operators"),
        ("1. Expand. 2. Solve.", "2(x + 1)", "several parts"),
        ("(a) Expand. (b) Solve.", "2(x + 1)", "several parts"),
        ("Do", r"\item 1 \item 2", "several parts"),
    ] {
        assert_eq!(drill_fault(prompt, latex, 2), Some(fault), "{prompt}");
    }
    assert_eq!(drill_fault("Work out.", "1+1+1+1+1+1+1+1+1+1", 3), None);
}

#[test]
fn line_breaks_and_tabs_are_no_control_characters() {
    assert!(!has_control_characters("a\n\tb\r\n"));
    for text in ["\u{0}", "\u{8}eta", "\u{c}rac", "\u{1b}[0m", "\u{85}"] {
        assert!(has_control_characters(text), "{text:?}");
    }
}
