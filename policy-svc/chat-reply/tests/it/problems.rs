//! What is read as the student's own problem.

use turnwise_chat_reply::{Conversation, Kind, OwnProblems};

fn read(said: &[&str]) -> OwnProblems {
    let (message, before) = said.split_last().unwrap();
    OwnProblems::read(&Conversation {
        message,
        before,
        summary: "",
    })
}

#[test]
fn problems_are_read_as_students_type_them() {
    let mut wrong = Vec::new();
    for (said, kind, solution) in [
        ("2x+3=11", Kind::Equation, "x = 4"),
        ("solve for x: 3*(x-2) = 12", Kind::Equation, "6"),
        ("how do i solve 2x + 3 = 11??", Kind::Equation, "four"),
        ("Löse 5y - 4 = 3y + 10 nach y auf.", Kind::Equation, "y = 7"),
        ("ich verstehe x/3+1=5 nicht", Kind::Equation, "12"),
        (r"Solve \(\frac{x}{2} = 7\)", Kind::Equation, "14"),
        ("$2(x+1)=10$ plz help", Kind::Equation, "x=4"),
        ("x^2 - 5x + 6 = 0", Kind::Equation, "x = 2"),
        ("x²=49", Kind::Equation, "7 or -7"),
        ("2x + 3 > 11", Kind::Inequality, "x > 4"),
        ("x + y = 5\nx - y = 1", Kind::System, "x = 3"),
        ("x+y=5 and x-y=1", Kind::System, "y = 2"),
        ("was ist 3/4 + 1/2", Kind::Fraction, "5/4"),
        ("What's 3/4 + 1/2?", Kind::Fraction, "1.25"),
        (r"\frac{3}{4} - \frac{1}{8}", Kind::Fraction, "5/8"),
        ("berechne 12 * (3 + 4)", Kind::Calculation, "84"),
        ("whats 17 x 3 + 2^3", Kind::Calculation, "59"),
        ("12 : 4 + 5", Kind::Calculation, "8"),
        ("evaluate 2x + 3 for x = 4", Kind::Calculation, "11"),
        ("Berechne 3a - 2 für a = 5.", Kind::Calculation, "13"),
        ("Simplify 3x + 2x - 4", Kind::Simplify, "5x - 4"),
        ("vereinfache: 4a + 3b - a", Kind::Simplify, "3a + 3b"),
        ("expand 3(x + 2)", Kind::Expand, "3x + 6"),
        (
            "Multipliziere aus: (x+1)(x+4)",
            Kind::Expand,
            "x^2 + 5x + 4",
        ),
        ("factor x^2 + 5x + 6", Kind::Factor, "(x+2)(x+3)"),
        ("Faktorisiere x^2 - 9", Kind::Factor, "(x-3)(x+3)"),
        ("What is 15% of 80?", Kind::Percent, "12"),
        ("wie viel sind 15 % von 80", Kind::Percent, "zwölf"),
        ("20 prozent von 45", Kind::Percent, "9"),
        ("increase 80 by 15%", Kind::Percent, "92"),
        (
            "A jacket costs 80 dollars. It is 25% off 80.",
            Kind::Percent,
            "60",
        ),
        ("what percent of 80 is 12", Kind::Percent, "15"),
        ("Wie viel Prozent sind 12 von 80?", Kind::Percent, "15%"),
        ("3/4 of 20", Kind::Fraction, "15"),
        ("Was ist die Hälfte von 18?", Kind::Fraction, "9"),
        ("Round 3.456 to two decimal places.", Kind::Other, "3.46"),
        ("schreibe 3/4 als Prozent", Kind::Other, "75%"),
        ("zwei x plus drei gleich elf", Kind::Equation, "x = 4"),
    ] {
        let own = read(&[said]);
        let found = own.all().iter().any(|problem| problem.kind == kind);
        if !found || !own.solved_by(solution) || own.solved_by("Well, what do you think?") {
            wrong.push(format!("{said}: {:?}", own.all()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_no_problem_is_none() {
    for said in [
        "why do we need the common denominator?",
        "Ich verstehe Brüche nicht.",
        "I got x = 4, is that ok?",
        "please write my essay about Rome",
        "step 3 is hard",
        "Ada has twice as many apples as Ben.",
        "",
    ] {
        assert!(read(&[said]).all().is_empty(), "{said}");
    }
}

#[test]
fn a_new_problem_does_not_set_the_older_one_free() {
    let own = read(&["2x+3=11", "what is 1+1"]);
    assert!(own.solved_by("x = 4"));
    assert!(own.solved_by("It is 2."));
    let own = read(&["2x+3=11", "I don't get it", "ok", "just tell me"]);
    assert!(own.solved_by("x = 4"));
    assert!(read(&["5x = 35", "2x+3=11", "now this"]).solved_by("7"));
}

#[test]
fn what_the_student_said_is_no_news() {
    assert!(!read(&["2x+3=11", "is it 4?"]).solved_by("Yes, x = 4."));
    assert!(!read(&["2x+3=11, i think x=4"]).solved_by("Yes, x = 4."));
    assert!(read(&["2x+3=11, i think x=5"]).solved_by("No, x = 4."));
    assert!(!read(&["2x+3=11, i think x=5"]).solved_by("No, x = 5 is not it."));
    assert!(read(&["solve 2x+3=11 and work out 4 + 5"]).solved_by("x = 4"));
    assert!(read(&["is it 1, 2, 3, 4, 5 or 6? 2x+3=11"]).solved_by("x = 4"));
}

#[test]
fn a_summary_holds_a_problem_and_no_word_of_the_student() {
    let own = OwnProblems::read(&Conversation {
        message: "and now?",
        before: &["ok"],
        summary: "The student works on 2x+3=11. The helper said that x = 4.",
    });
    assert!(own.solved_by("x = 4"));
}

#[test]
fn several_problems_of_a_message_are_all_read() {
    let own = read(&["1) 2x+3=11\n2) 3x = 21\n3) 1/2 + 1/3"]);
    for solution in ["x = 4", "7", "5/6"] {
        assert!(own.solved_by(solution), "{solution}: {:?}", own.all());
    }
}
