//! Messages beside an open drill: which of them read as an answer to it.

use turnwise_grading::{Drill, answer_in};

fn drill<'a>(prompt: &'a str, question_latex: &'a str) -> Drill<'a> {
    Drill {
        prompt,
        question_latex,
        key: None,
    }
}

fn reads_as_answer(drill: &Drill<'_>, message: &str) -> bool {
    answer_in(drill, message) == Some(message)
}

#[test]
fn of_working_and_words_the_last_value_is_the_answer() {
    let equation = drill("Solve the equation.", "4x + 3 = 27");
    for (message, answer) in [
        ("4x+3-3=27-3\n4x=24\nx=6", "x=6"),
        ("4x = 24\n\nx = 5, is that right?", "x = 5"),
        ("4x = 24, x = 5", "x = 5"),
        ("4x + 3 - 3 = 27 - 3, 4x = 24, x = 6, right?", "x = 6"),
        ("I got x=4, is that right?", "I got x=4"),
        ("x = 4 and I checked it", "x = 4"),
        ("is it 5, am I right", "5"),
        ("is -15 right?", "-15"),
        ("-31 right?", "-31"),
        ("x = 6, stimmt das?", "x = 6"),
        ("x = 6 und ich habe es überprüft", "x = 6"),
        // As it stands.
        ("x = 2\nx = 3", "x = 2\nx = 3"),
        (" x = 4 ", " x = 4 "),
    ] {
        assert_eq!(answer_in(&equation, message), Some(answer), "{message}");
    }
    for message in [
        "4x + 3 = 27\n4x = 24",
        "first I subtract 3, then 4x = 24",
        "4x = 24, 2x = 12",
        "4x = 24, why is x = 6",
        "does 4x = 24, x = 6",
        "what do I do with this?\nx = 6",
        "why is it 5, is that right?",
        "x = 4 is not right",
        "what is x = 4, is it right?",
        "4x + 3 = 27 is that right?",
        "is that right?",
        "right",
    ] {
        assert_eq!(answer_in(&equation, message), None, "{message}");
    }
}

#[test]
fn an_answer_is_recognised_be_it_right_or_wrong() {
    let equation = drill("Solve the equation.", "x + 3 = 7");
    for answer in [
        "x=4",
        "x = 5",
        "4",
        "-17",
        "x = \\frac{1}{2}",
        "7 = x",
        "x = 2, x = 3",
        "4?",
        "x = 5 ?",
        "is it 5?",
        "is it x = 4?",
        "ist es 5??",
        "5??!",
        "x = 4?!",
        "5!!!",
        "-3!!",
        "no, 6",
        "wait 7",
        "No, wait, -7",
        "nein, 5",
        "hmm 4",
        "no solution",
        "there is no solution",
        "keine Lösung",
        "all real numbers",
    ] {
        assert!(reads_as_answer(&equation, answer), "{answer}");
    }
    let inequality = drill("Solve the inequality.", "x + 1 > 3");
    for answer in ["x > 2", "x < 1", "(2, 5)"] {
        assert!(reads_as_answer(&inequality, answer), "{answer}");
    }
    let sum = drill("Work it out.", "3 + 4");
    for answer in ["7", "8"] {
        assert!(reads_as_answer(&sum, answer), "{answer}");
    }
    // Null is a number in German, and where no word says which language it is.
    for (prompt, question_latex) in [
        ("Löse die Gleichung.", "x + 3 = 7"),
        ("Addiere $5 + (-5)$.", ""),
        ("Subtrahiere $5 - 5$.", ""),
        ("Finde $x$.", "x + 3 = 7"),
        ("$5 + (-5)$", ""),
        ("$x + 3 = 3$", ""),
    ] {
        let german = drill(prompt, question_latex);
        assert!(reads_as_answer(&german, "null"), "{prompt}");
    }
    assert!(reads_as_answer(&drill("Löse.", "x + 3 = 7"), "x = null"));
    // A key changes nothing.
    let keyed = Drill {
        key: Some("x = 4"),
        ..equation
    };
    assert!(reads_as_answer(&keyed, "x = 4") && reads_as_answer(&keyed, "x = 9"));
}

#[test]
fn what_is_said_is_no_answer() {
    let equation = drill("Solve the equation.", "x + 3 = 7");
    for message in [
        "",
        "   ",
        "x + 3 = 7",
        "x+3=7",
        "2x = 8",
        "x + 3 - 3 = 7 - 3 + x",
        "x",
        "no",
        "no way 4",
        "yes",
        "hello",
        "impossible",
        "none",
        "I have no idea",
        "is there no solution to this?",
        "maybe",
        "I don't get it",
        "why 4?",
        "is it 4 or 5?",
        "ist es 4 oder 5?",
        "4? or 5",
        "x = ?",
        "x = ?!",
        "5!",
        "5!?",
        "null",
        "x = null",
        "x?",
        "is it x + 3 = 7?",
        "give me 3 more drills like that one",
    ] {
        assert!(!reads_as_answer(&equation, message), "{message}");
    }
    let sum = drill("Work it out.", "3 + 4");
    for message in ["3 + 4?", "is it 3 + 4?"] {
        assert!(!reads_as_answer(&sum, message), "{message}");
    }
    // Words of the exercise lead to an answer, and to a question.
    let asked = drill("What is the sum?", "3 + 4");
    assert!(reads_as_answer(&asked, "the sum is 4"));
    for message in ["what is 4?", "what is the sum of 4?"] {
        assert!(!reads_as_answer(&asked, message), "{message}");
    }
    let long = "1+".repeat(20_000);
    assert!(!reads_as_answer(&equation, &long));
}

#[test]
fn what_somebody_says_to_have_got_is_an_answer() {
    let equation = drill("Solve the equation.", "4x + 3 = 27");
    for (message, answer) in [
        ("I got 6 as the answer", "6"),
        ("I got 6 by subtracting", "6"),
        ("when I subtract I get 6", "6"),
        ("is 6 the right answer", "6"),
        ("is 6 the answer?", "6"),
        ("not sure, 6?", "6?"),
        ("I'm not sure, maybe 6", "6"),
        ("bin mir nicht sicher, 6?", "6?"),
        ("ich habe subtrahiert und 6 bekommen", "6"),
        ("ich habe 6 raus", "ich habe 6 raus"),
        ("stimmt 6?", "6?"),
        ("das Ergebnis wäre 6", "6"),
        ("the result is 6", "the result is 6"),
        ("ich tippe auf 6", "6"),
        ("umm 6", "6"),
        ("I did it, 6", "6"),
        ("done: 6", "6"),
        ("ist 6 die richtige Lösung?", "6"),
    ] {
        assert_eq!(answer_in(&equation, message), Some(answer), "{message}");
    }
    for message in [
        "not 6",
        "I'm 12",
        "I'm not 6",
        "when do I get 6?",
        "why is 6 the answer",
        "I got 6 wrong",
        "I got 6 minutes left",
        "I got stuck by 6",
        "what is the answer",
        "I did not get 6 by subtracting",
        "ich habe 6 nicht bekommen",
        "ich habe 3 bekommen und noch 6",
        "not sure",
    ] {
        assert_eq!(answer_in(&equation, message), None, "{message}");
    }
}

#[test]
fn a_number_of_something_else_is_no_answer() {
    let equation = drill("Solve the equation.", "x + 3 = 7");
    let german = drill("Löse die Gleichung.", "x + 3 = 7");
    for message in [
        "is slope 3?",
        "5 minutes",
        "in 5 minutes",
        "number 5",
        "number 5?",
        "point 2",
        "5 Minuten",
        "Zahl 5",
    ] {
        for drill in [&equation, &german] {
            assert_eq!(answer_in(drill, message), None, "{message}");
        }
    }
    for (drill, message) in [
        (&equation, "the number is 5"),
        (&equation, "answer 5"),
        (&german, "Lösung 5"),
        (
            &drill("Find the slope of the line.", "y = 3x + 1"),
            "slope 3",
        ),
        (
            &drill("Find the slope of the line.", "y = 3x + 1"),
            "is slope 3?",
        ),
        (&drill("How many minutes are 2 hours?", ""), "120 minutes"),
        (&drill("Convert to centimetres.", "3 \\text{ m}"), "300 cm"),
        (
            &drill("A film has two parts of one hour each. How long is it?", ""),
            "2 hours",
        ),
    ] {
        assert_eq!(answer_in(drill, message), Some(message), "{message}");
    }
}

#[test]
fn what_is_supposed_or_told_with_its_method_is_an_answer() {
    let sum = drill("Work it out.", "-9 + 30");
    for (message, answer) in [
        ("ok so 7", "7"),
        ("maybe 4?", "4?"),
        ("-16 i guess", "-16"),
        ("would it be 2", "2"),
        ("I'd say 2/3", "2/3"),
        ("it might be 21", "21"),
        ("no it is -14", "-14"),
        ("is -38 the answer", "-38"),
        ("vielleicht 4", "4"),
        ("2/3 oder?", "2/3"),
        ("ok also 5", "5"),
        ("raus kommt 28", "28"),
        ("das macht 28", "28"),
        ("ich würde sagen 3", "3"),
        ("21 glaub ich", "21"),
        ("könnte es 21 sein?", "21"),
        ("i added the fractions and got -14", "-14"),
        ("I used order of operations and got 27.", "27."),
        ("mit Dreisatz komme ich auf -19", "-19"),
        ("I didn't use a calculator and got -31", "-31"),
        ("I came up with 20", "20"),
        ("oh wait 20", "20"),
        ("ich tippe 20", "20"),
    ] {
        assert_eq!(answer_in(&sum, message), Some(answer), "{message}");
    }
    for message in [
        "my friend says that I want to get 10",
        "why do I get 21",
        "I don't know how he got 21",
        "I do not get 21",
        "is it 4 or 5?",
        "how is it 21",
        "ich komme nicht auf 21",
        "they added it and got 21",
        "can you explain slope, I got 5",
        "explain fractions. my result is 5",
        "my favourite number is 7",
        "my friend got 7",
        "I think my friend got 7",
        "meine Note ist 2",
        "ich bin auf 7",
        "ich warte auf 5",
        "ok so how many of the 3",
        "no",
        "maybe",
        "the answer",
    ] {
        assert_eq!(answer_in(&sum, message), None, "{message}");
    }
}
