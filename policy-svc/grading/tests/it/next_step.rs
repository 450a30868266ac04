//! How exercises are begun by hand.

use turnwise_grading::{Step, exercise_in, goes_on, kind, kind_of_message, next_step};

fn step(prompt: &str, question: &str) -> Option<Step> {
    next_step(prompt, question)
}

#[test]
fn equations() {
    let add = |text: &str| Some(Step::Add(text.to_owned()));
    let subtract = |text: &str| Some(Step::Subtract(text.to_owned()));
    let divide = |text: &str| Some(Step::Divide(text.to_owned()));
    let multiply = |text: &str| Some(Step::Multiply(text.to_owned()));
    for (question, expected) in [
        ("2x + 3 = 7", subtract("3")),
        ("x + 7 = 12", subtract("7")),
        ("x - 4 = 9", add("4")),
        ("15 = 2x - 1", add("1")),
        ("5 - x = 2", subtract("5")),
        ("4x = 20", divide("4")),
        ("-3x = 12", divide("-3")),
        ("80 + x = 220 + 23", Some(Step::WorkOutNumbers)),
        ("x = 5 - 9", Some(Step::WorkOutNumbers)),
        ("2x + 3x = 10 + 2", Some(Step::PutTogether)),
        ("(x + 3)^2 = 16", Some(Step::PowerOfSum)),
        (r"\frac{x}{4} = 5", multiply("4")),
        (r"\frac{x}{4} + 2 = 5", subtract("2")),
        (r"\frac{x + 3}{4} = 5", multiply("4")),
        (r"x + \frac{3}{4} = 2", subtract(r"\frac{3}{4}")),
        ("5x + 2 = 3x + 8", subtract("3x")),
        ("2x + 1 = 3x - 8", subtract("2x")),
        ("7 - x = 2x + 1", add("x")),
        ("2(x + 3) = 14", Some(Step::MultiplyOut)),
        ("2x + 3x = 10", Some(Step::PutTogether)),
        ("x^2 = 49", Some(Step::TakeRoot)),
        ("x^2 = -4", Some(Step::SquareSign)),
        ("-9 = x²", Some(Step::SquareSign)),
        ("x^2 + 4 = 0", subtract("4")),
        ("3x^2 = -12", divide("3")),
        ("x^2 - 4 = 5", add("4")),
        ("3x^2 = 12", divide("3")),
        ("x^2 + 5x + 6 = 0", Some(Step::TwoNumbers)),
        ("x^2 + 5x = 0", Some(Step::TakeOut)),
        ("x^2 + 5x = -6", add("6")),
        ("(x - 2)(x + 5) = 0", Some(Step::ZeroProduct)),
        // It is solved, there is no unknown, or it is beyond these steps.
        ("x = 5", None),
        ("x^3 + x = 2", None),
        ("a + b = 2", None),
        ("0.5x + 1 = 2", subtract("1")),
        ("0.5x = 3", multiply("2")),
        // A decimal is no fraction.
        ("x + 0.5 = 2", None),
    ] {
        assert_eq!(
            step("Solve the equation.", question),
            expected,
            "{question}"
        );
        // The equation says what to do where the words are not known.
        assert_eq!(
            step("Löse die Gleichung.", question),
            expected,
            "{question}"
        );
    }
}

#[test]
fn inequalities_turn_around() {
    let turned = Some(Step::DivideAndTurn("-2".to_owned()));
    assert_eq!(step("Solve the inequality.", "-2x < 8"), turned);
    let plain = Some(Step::Divide("2".to_owned()));
    assert_eq!(step("Solve the inequality.", "2x < 8"), plain);
    // Roots and factors solve equations alone.
    for question in [
        "x^2 > 9",
        "x^2 + 5x + 6 < 0",
        "x^2 + 5x > 0",
        "(x - 2)(x + 5) > 0",
    ] {
        assert_eq!(step("Solve the inequality.", question), None, "{question}");
    }
}

#[test]
fn expressions() {
    for (prompt, question, expected) in [
        (
            "Work out the value.",
            "2 + 3 \\times 4",
            Some(Step::Products),
        ),
        (
            "Work out the value.",
            "(2 + 3) \\times 4",
            Some(Step::Brackets),
        ),
        ("Work out the value.", "5 - 2^{3}", Some(Step::Powers)),
        (
            "Work out the value.",
            r"\frac{1}{4} + \frac{1}{3}",
            Some(Step::CommonDenominator),
        ),
        ("Simplify.", "3x + 2y + 4x", Some(Step::PutTogether)),
        ("Simplify.", "3x + 2 + 5", Some(Step::WorkOutNumbers)),
        ("Expand.", "(x + 3)^2", Some(Step::PowerOfSum)),
        ("Expand.", "3(x + 4)", Some(Step::MultiplyOut)),
        ("Expand.", "(x + 2)(x + 5)", Some(Step::MultiplyOut)),
        ("Factor.", "x^2 + 5x + 6", Some(Step::TwoNumbers)),
        ("Factor.", "x^2 + 5x", Some(Step::TakeOut)),
        ("Say it in your own words.", "", None),
    ] {
        assert_eq!(step(prompt, question), expected, "{prompt} {question}");
    }
}

/// The way is told, never what comes of it; where there is no way to tell, nothing is.
#[test]
fn a_single_operation_on_numbers() {
    for (question, expected) in [
        (r"\frac{1}{4} + \frac{2}{4}", Some(Step::Numerators)),
        (r"\frac{7}{9} - \frac{2}{9}", Some(Step::Numerators)),
        (r"\frac{6}{3} + \frac{2}{3}", Some(Step::Numerators)),
        ("12/3 + 2", Some(Step::Products)),
        ("100 - 25/5", Some(Step::Products)),
        ("20 - 12/4", Some(Step::Products)),
        ("6/3 + 2", Some(Step::Products)),
        ("12/4 + 8/4", Some(Step::Products)),
        ("5/3 + 2", Some(Step::CommonDenominator)),
        (r"\frac{3}{4} \times 20", Some(Step::MultiplyFractions)),
        (
            r"\frac{3}{4} \times \frac{2}{5}",
            Some(Step::MultiplyFractions),
        ),
        (r"\left(\frac{1}{2}\right)^{2}", Some(Step::PowerOfFraction)),
        ("-14 + (-36)", Some(Step::CompareSigns)),
        ("-8 + 5", Some(Step::CompareSigns)),
        (r"8 + \left(-12\right)", Some(Step::CompareSigns)),
        ("8 + (−12)", Some(Step::CompareSigns)),
        ("5 - 9", Some(Step::AddOpposite)),
        ("−6 − 4", Some(Step::AddOpposite)),
        ("-14 - 36", Some(Step::AddOpposite)),
        ("6 - (-3)", Some(Step::AddOpposite)),
        ("12 ÷ 3 × 2", Some(Step::LeftToRight)),
        ("8/2*4", Some(Step::LeftToRight)),
        ("24/4/2", Some(Step::LeftToRight)),
        (r"24 \div 4 \times 3", Some(Step::LeftToRight)),
        ("-5 * 0", None),
        ("-4 + 4", None),
        (r"-8 \times 4", Some(Step::SignFirst)),
        (r"-28 \div (-4)", Some(Step::SignFirst)),
        ("9 - 5", None),
        ("7 + 8", None),
        (r"12 \times 4", None),
        (r"\frac{3}{4}", None),
        (r"-\frac{6}{8}", None),
        ("2^{3}", None),
        ("-8", None),
    ] {
        assert_eq!(
            step("Work out the value.", question),
            expected,
            "{question}"
        );
    }
}

#[test]
fn an_exercise_is_found_in_a_message() {
    let subtract = |text: &str| Some(Step::Subtract(text.to_owned()));
    for (message, expected) in [
        ("2x + 3 = 11", subtract("3")),
        ("Solve: 2x + 3 = 11", subtract("3")),
        ("how do i solve 2x+3=11?", subtract("3")),
        ("Wie löse ich 2x + 3 = 11?", subtract("3")),
        ("das ist 2x + 3 = 11 und jetzt", subtract("3")),
        ("2x + 3 = 11, so x = 7", subtract("3")),
        (
            "what is the first step for 3 − 7(y − 4) = 38",
            Some(Step::MultiplyOut),
        ),
        (
            r"i dont get $b + \frac{1}{4} = \frac{3}{4}$",
            subtract(r"\frac{1}{4}"),
        ),
        ("Factor p^2 + 11p + 30.", Some(Step::TwoNumbers)),
        ("(y-3)^2", Some(Step::PowerOfSum)),
        (
            "Square each binomial using the pattern. (y-3)^2",
            Some(Step::PowerOfSum),
        ),
        (
            "Find the value of the following expressions. -14+(-36)",
            Some(Step::CompareSigns),
        ),
        ("what is -14 + (-36)", Some(Step::CompareSigns)),
        ("12 : 3 + 2", Some(Step::Products)),
        ("100 - 25 : 5", Some(Step::Products)),
        ("20 - 12 : 4", Some(Step::Products)),
        ("6/3 + 2", Some(Step::Products)),
        (
            "Determine whether x=(3)/(2) is a solution of the equation 4x-2=2x+1",
            Some(Step::PutIn),
        ),
        (
            "is x = 3/2 a solution of 4x - 2 = 2x + 1?",
            Some(Step::PutIn),
        ),
        (
            "Ist 3/2 eine Lösung von 4x - 2 = 2x + 1?",
            Some(Step::PutIn),
        ),
        ("Is 3 a solution?", None),
        ("i have 5-9 apples", None),
        ("why is -8 + 2 so small", None),
        ("2x + 3 = 11 or 5x + 1 = 6?", None),
        ("is x = 5 right", None),
        ("i have 3 apples", None),
        ("help", None),
        ("", None),
    ] {
        let found = exercise_in(message);
        let found = found.and_then(|(prompt, question)| step(&prompt, &question));
        assert_eq!(found, expected, "{message}");
    }
    assert_eq!(exercise_in(&"2x + 3 = 11, ".repeat(1_000)), None);
}

/// Which task it is where no word says so, and the formula, whatever words stand around it.
#[test]
fn a_message_that_is_one_exercise_is_read_whole() {
    for (message, expected) in [
        ("5-9", ("", "5-9")),
        ("12/4", ("", "12/4")),
        ("3/4 of 20", ("", "3/4 * 20")),
        ("-8+5", ("", "-8+5")),
        ("2(x+3)", ("Expand.", "2(x+3)")),
        ("(x+2)(x+3)", ("Expand.", "(x+2)(x+3)")),
        ("(x + 3)²", ("Expand.", "(x + 3)²")),
        ("simplify 6/8", ("Simplify.", "6/8")),
        ("what is 5 - 9?", ("", "5 - 9")),
        ("how do i do 5-9", ("", "5-9")),
        ("5 - 9 = ?", ("", "5 - 9")),
        ("can you help me with 12 times 4 please?", ("", "12 * 4")),
        ("3 - 7", ("", "3 - 7")),
        ("12 : 4", ("", "12 / 4")),
        ("0,5 x = 3", ("", "0.5 x = 3")),
        ("wie rechne ich 3 - 7", ("", "3 - 7")),
        ("Was ist 3 mal 7?", ("", "3 * 7")),
        ("was ist 3/4 von 20", ("", "3/4 * 20")),
        ("kürze 6/8", ("Simplify.", "6/8")),
        ("wie kürzt man 6/8", ("Simplify.", "6/8")),
        ("3(x+2) ausmultiplizieren", ("Expand.", "3(x+2)")),
        ("2/3 * 3/4", ("", "2/3 * (3/4)")),
        ("x^2 * x^3", ("Simplify.", "x^2 * x^3")),
        ("what is x^0?", ("Simplify.", "x^0")),
        ("(2x)^-1", ("Simplify.", "(2x)^-1")),
        ("(x^2)^3", ("Simplify.", "(x^2)^3")),
        ("2x + 3y", ("Simplify.", "2x + 3y")),
        ("how do i add -3 and 8", ("", "-3 + 8")),
        ("how do I add 8 and -3?", ("", "8 + (-3)")),
        ("wie addiere ich 1/4 und 1/3", ("", "1/4 + 1/3")),
        ("Löse 0,5x = 3", ("", "0.5x = 3")),
    ] {
        let found = exercise_in(message);
        let found = found.as_ref();
        let found = found.map(|(prompt, question)| (prompt.as_str(), question.as_str()));
        assert_eq!(found, Some(expected), "{message}");
    }
    // They may be answers, or say something else.
    for message in [
        "3x",
        "-8",
        "17",
        "3/4",
        "6/8",
        "x = 5",
        "x = 0,5",
        "50%",
        "3x + 6",
        "x^2 + 5x + 6",
        "5!",
        "no 5",
        "7 of 10",
        "2 + 3 = 5",
        "i have 5-9 apples",
        "is it 12/4?",
        "the answer is 12/4",
        "add 5 apples and 6",
        "add and 6",
    ] {
        assert_eq!(exercise_in(message), None, "{message}");
    }
}

#[test]
fn what_came_of_a_step_is_a_value_a_line_or_a_guess() {
    for (message, expected) in [
        ("-9/12", true),
        ("64", true),
        ("5 and 6", true),
        ("5 und 6", true),
        ("x = -12", true),
        ("y^2 - 9", true),
        ("3 - 7y + 28 = 38", true),
        ("I got 17!", true),
        ("ich habe 17", true),
        ("is it 17?", true),
        ("is it times", true),
        ("ist es mal?", true),
        ("i have 5 apples", false),
        ("what is 5 - 9", false),
        ("solve 2x = 8", false),
        ("it is done", false),
        ("yes", true),
        ("Nein!", true),
        ("no, it is not", true),
        ("wrong", true),
        ("no thats wrong", true),
        ("youre wrong", true),
        ("das ist falsch", true),
        ("wrong way round", false),
        ("no idea", false),
        ("it is", false),
        ("", false),
    ] {
        assert_eq!(goes_on(message), expected, "{message}");
    }
    assert!(!goes_on(&"5 ".repeat(1_000)));
}

#[test]
fn exercises_of_one_kind_are_near_each_other() {
    let distance = |message: &str, prompt: &str, question: &str| {
        kind_of_message(message)?.distance(&kind(prompt, question)?)
    };
    let value = "Work out the value.";
    for (message, near, far) in [
        ("5-9", (value, "-3 + 8"), (value, r"4 + 5 \times 3")),
        (
            "12/4",
            (value, r"-35 \div (-5)"),
            ("Write the fraction in lowest terms.", r"\frac{20}{28}"),
        ),
        (
            "12 : 4",
            ("Berechne.", "-48 : (-8)"),
            ("Berechne.", "-4 + 9"),
        ),
        (
            "3/4 of 20",
            ("Work out the amount.", r"\frac{2}{5} \times 30"),
            (value, r"-8 \times 4"),
        ),
        (
            "simplify 6/8",
            ("Kürze so weit wie möglich.", r"\frac{18}{24}"),
            (value, "-3 + 8"),
        ),
        (
            "2(x+3)",
            ("Expand the bracket.", "4(x + 3)"),
            ("Simplify.", "5x + 3x"),
        ),
        (
            "what is x^0?",
            ("Write as a single power.", r"x^{2} \cdot x^{6}"),
            ("Simplify.", r"x^{2} + 5x - 3x + 2x^{2}"),
        ),
        (
            "(x+2)(x+3)",
            ("Expand.", "(x + 2)(x + 5)"),
            ("Expand the bracket.", "4(x + 3)"),
        ),
        (
            "0,5 x = 3",
            ("Löse die Gleichung.", "5n = -45"),
            ("Löse die Gleichung.", "4x + 3 = 27"),
        ),
    ] {
        let near_by = distance(message, near.0, near.1);
        assert!(
            near_by.is_some_and(|distance| distance < 2),
            "{message}: {near_by:?}"
        );
        let far_off = distance(message, far.0, far.1);
        assert!(
            far_off.is_none_or(|distance| distance >= 2),
            "{message}: {far_off:?}"
        );
    }
    for message in ["17", "3x", "why is 2x + 3 = 11 not solved by adding 3?"] {
        assert_eq!(kind_of_message(message), None, "{message}");
    }
}
