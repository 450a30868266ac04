//! Ways around the guard that somebody looked for: what a student writes so that a problem is misread, and what a model says
//! so that a solution is.

use crate::{STRICT, answer};

/// What of these answers comes through, for messages whose lines between `|` are one each.
fn through(cases: &[(&str, &[&str])]) -> Vec<String> {
    let mut found = Vec::new();
    for (said, answers) in cases {
        let said: Vec<&str> = said.split('|').collect();
        for text in *answers {
            if answer(&said, text.as_bytes(), &STRICT).violation != "answer_given" {
                found.push(format!("{said:?} <- {text}"));
            }
        }
    }
    found
}

fn all_withheld(cases: &[(&str, &[&str])]) {
    let through = through(cases);
    assert!(through.is_empty(), "{through:#?}");
}

#[test]
fn a_label_does_not_hide_a_problem() {
    for label in [
        "b) ",
        "a)",
        "(b) ",
        "A) ",
        "2c) ",
        "Aufgabe c) ",
        "b: ",
        "b - ",
        "Nr 3b) ",
        "Q3 ",
        "page 12 ex. 3b ",
        "iv) ",
        "3.2 b) ",
        "Übung 4: ",
        "c. ",
        "#5 ",
    ] {
        all_withheld(&[(&format!("{label}5x-1=39"), &["x = 8"])]);
    }
    all_withheld(&[
        ("5x-1=39 (b)", &["x = 8"]),
        (
            "a) 2x+7=15\nb) 3x=18\nc) 5x-1=39",
            &["c) x = 8", "b) x = 6", "a) 4"],
        ),
        ("a) 1/2 + 1/3", &["5/6"]),
        ("a) 2^3*2^4", &["128"]),
        ("a) -8-(-3)", &["-5"]),
        ("b) x^2-5x+6=0", &["x = 2, x = 3"]),
    ]);
}

#[test]
fn stray_letters_and_brackets_do_not_hide_a_problem() {
    for said in [
        "5x-1=39 x?",
        "find x 5x-1=39",
        "x: 5x-1=39",
        "(5x-1=39)",
        "[5x-1=39]",
        "5x-1=39 G=Q",
        "5x—1=39",
        "5x-1=39 x = 9",
        "(5(x-1)+4=39)",
        "5x-1=39 x",
        "5x-1=39 (x in Z)",
        "5x-1=39 (x ∈ Z)",
    ] {
        all_withheld(&[(said, &["x = 8", "It is 8."])]);
    }
    all_withheld(&[
        ("help with (3x+5=20)", &["x = 5"]),
        ("2x+7=15 x=", &["4"]),
        ("2x+7=15 x=?", &["4"]),
    ]);
}

#[test]
fn a_number_that_is_no_claim_frees_nothing() {
    for said in [
        "Aufgabe 7: 4x-3=25",
        "exercise 7: solve 4x-3=25",
        "page 7 nr 2 4x-3=25",
        "7. 4x-3=25",
        "I am in class 7. 4x-3=25",
        "4x-3=25 it took 7 minutes",
        "4x-3=25 due 7th",
        "4x-3=25 x is not 7 i think",
        "equation 7|4x-3=25",
        "4x-3=25|it is not 7",
        "4x-3=25|I have 7 minutes left",
    ] {
        all_withheld(&[(said, &["x = 7"])]);
    }
}

#[test]
fn what_a_student_claims_is_free() {
    let mut withheld = Vec::new();
    for said in [
        "4x-3=25|7",
        "4x-3=25|7?",
        "4x-3=25|is it 7?",
        "4x-3=25|I got 7",
        "4x-3=25|x = 7",
        "4x-3=25. I think it's 7",
        "4x-3=25|my answer is 7, right?",
        "4x-3=25|ich habe 7 raus",
        "4x-3=25|ist die Lösung 7?",
        "4x-3=25|x ist 7",
        "4x-3=25 is it 6 or 7",
        "4x-3=25|6|7",
        "4x-3=25. 7?",
        "Aufgabe 3: 4x-3=25, x=7?",
        "4x-3=25|kommt 7 raus?",
        "4x-3=25|25+3=28 and 28/4=7",
        "2x=8|x=4|4x-3=25|5|x=7",
        "y=2x+7 and y=21|x = 7?",
        "4^x = 4^7|I think x = 7",
    ] {
        let said: Vec<&str> = said.split('|').collect();
        if answer(&said, b"Yes, x = 7.", &STRICT).withheld.is_some() {
            withheld.push(format!("{said:?}"));
        }
    }
    for (said, text) in [
        (["y=2x+7 and y=15", "x = 4?"], "Right: 2 · 4 + 7 = 15."),
        (["3x = 1", "x = 1/3"], "Yes, x = 1/3, about 0.33."),
        (
            ["3x = 1", "I got 0.33"],
            "0.33 is close: what is it exactly?",
        ),
        (
            ["3 apples and 5 more, how many altogether?", "8?"],
            "Yes, 8.",
        ),
    ] {
        if answer(&said, text.as_bytes(), &STRICT).withheld.is_some() {
            withheld.push(format!("{said:?}"));
        }
    }
    assert!(withheld.is_empty(), "{withheld:#?}");
}

#[test]
fn guessing_frees_nothing() {
    for said in [
        "4x - 3 = 25 is it 5, 6, 7, 8?",
        "4x - 3 = 25|x=1\nx=2\nx=3\nx=4\nx=5\nx=6\nx=7\nx=8",
        "4x - 3 = 25|is it 1, 2, 3, 4?|is it 5, 6, 7, 8?",
        "4x - 3 = 25|5|6|7",
        "4x-3=25|is it 5\nis it 6\nis it 7",
    ] {
        all_withheld(&[(said, &["x = 7"])]);
    }
}

#[test]
fn no_problem_is_forgotten() {
    all_withheld(&[
        (
            "solve 4x - 3 = 25|solve 4x - 3 = 26|and in the first one? x?",
            &["x = 7"],
        ),
        (
            "solve 4x - 3 = 25|2x = 10|3x = 12|5x = 40|now the first",
            &["x = 7"],
        ),
    ]);
}

#[test]
fn a_solution_that_is_a_number_of_the_problem_is_one() {
    all_withheld(&[(
        "solve 3x + 5 = 20",
        &[
            "Set x to 5.",
            "Dividing 15 by 3 gives 5.",
            "Put 5 in the box.",
            "You end with 5.",
            "Für x kommt die 5 heraus",
            "x ∈ {5}",
            "Check: 3 · 5 + 5 = 20. Right!",
            "print(5)",
        ],
    )]);
}

#[test]
fn fractions_in_words_and_signs_are_read() {
    all_withheld(&[
        ("add 3/4 to 1/6", &["11/12"]),
        ("Addiere 3/4 und 1/6", &["11/12"]),
        ("sum of 3/4 and 1/6", &["11/12"]),
        ("subtract 1/6 from 3/4", &["7/12"]),
        ("½x+1=3", &["x=4"]),
        ("1/2x+1=3 equation", &["x=4"]),
        ("50% of x = 2", &["x=4"]),
    ]);
}

#[test]
fn spellings_of_a_solution_are_the_solution() {
    all_withheld(&[
        ("2x=5", &["2 and a half"]),
        ("4x-3=25", &["x = ٧", "x=七", "Ⅶ", "❼", "x = |−7|", "x ~ 7"]),
    ]);
}

#[test]
fn programs_write_equations_too() {
    all_withheld(&[("2x+7=\n15", &["x = 4"]), ("solve(2*x+7==15)", &["x = 4"])]);
}

#[test]
fn mixed_numbers_marks_of_thousands_and_named_parts_are_numbers() {
    all_withheld(&[
        ("3 1/4 + 1 1/6", &["4 5/12", "53/12"]),
        ("x - 1000 = 500", &["1,500", "x = 1,500", "x = 1.500"]),
        (
            "1/2+1/3",
            &[
                "Numerator 5, denominator 6.",
                "Zähler 5 und Nenner 6",
                "5 in the numerator and 6 in the denominator",
            ],
        ),
    ]);
}

#[test]
fn a_rounded_solution_is_the_solution() {
    all_withheld(&[
        (
            "3x=1",
            &["x ≈ 0.33", "about 0.33", "x is roughly 0.333", "x = 0,3333"],
        ),
        ("1/2+1/3", &["0.83", "5/6 ≈ 0,83", "0.833…"]),
        ("x^2=2", &["1.41", "x = ±1.414", "x ≈ -1.41"]),
        ("3x+3y=5, x-y=1", &["x = 1.33", "y ist etwa 0,33"]),
    ]);
    // Not near enough, too few digits, or no solution is rounded at all.
    for (said, hint) in [
        ("3x=1", "Try 0.43: is that too big?"),
        ("3x=1", "Is 0.5 too big?"),
        ("3x+1=10", "Why is 2.99 too small?"),
        ("2x > 5", "Would 2.51 do?"),
    ] {
        let found = answer(&[said], hint.as_bytes(), &STRICT);
        assert_eq!(found.withheld, None, "{said}: {hint}");
    }
}

#[test]
fn what_a_problem_gives_is_put_in() {
    for said in [
        "y=2x+7 and y=15",
        "y = 2x + 7, y = 15; what is x?",
        "wenn y = 2x+7 und y = 15",
        "f(x) = 2x+7, f(x) = 15",
        "y = 2x + b, b = 7, y = 15",
        "y=2x+7 and y=15 x=1",
        "x=1 y=2x+7 and y=15",
    ] {
        all_withheld(&[(said, &["x = 4", "4", "It is four."])]);
    }
    all_withheld(&[
        ("y = 2x+7|y=15", &["x = 4"]),
        ("wenn f(x)=3x-2, für welches x ist f(x)=10", &["Für x = 4."]),
        ("f(x) = 2x+7, find f(4)", &["15", "f(4) = 15"]),
        ("where does y = 4x - 8 cross the x-axis", &["at x = 2"]),
        ("zeros of f(x) = x^2 - 9", &["x = 3 or x = -3"]),
        ("Nullstellen von x^2-9", &["3 und -3"]),
        ("y-intercept of y = 2x+3", &["y = 3", "It is 3."]),
        ("slope through (1,2) and (3,8)", &["3", "m = 3"]),
        ("Steigung durch P(1; 2) und Q(3; 8)", &["Sie ist 3."]),
    ]);
}

#[test]
fn unknowns_between_bars_and_as_powers_are_read() {
    // With bars that the helper does not split at.
    all_withheld(&[
        ("∣x∣ = 5", &["x = 5 or x = -5", "5 und -5", "x = ±5"]),
        ("∣2x-3∣ = 7", &["x = 5", "-2 und 5"]),
        (r"$\lvert x-1\rvert = 4$", &["x = 5"]),
        ("2∣x∣+1 = 7", &["x = 3"]),
        ("∣x-2∣ < 5", &["-3 < x < 7"]),
        ("absolute value of x is 5", &["-5"]),
        ("2^x = 8", &["x = 3", "3"]),
        ("2^{x+1} = 16", &["x = 3"]),
        ("8 = 2^x", &["3"]),
        ("3·2^x=24", &["3"]),
        ("4^x = 8", &["3/2", "1.5"]),
        ("2^x = 1/8", &["-3"]),
        ("2^x + 3 = 19", &["x = 4"]),
        ("∣x - 1∣ ≥ 3", &["x ≤ -2 or x ≥ 4"]),
        ("x^2 > 9", &["x < -3 oder x > 3"]),
    ]);
}

/// Stories with two numbers, written before the rules for them were tried. The rules hold no problem of three numbers, and
/// none whose question does not say what to do.
const STORIES: [(&str, &str); 20] = [
    (
        "Tom has 3 apples and gets 5 more. How many apples does he have altogether?",
        "He has 8 apples.",
    ),
    (
        "There are 12 red and 9 blue marbles in a bag. How many marbles are there in total?",
        "There are 21 marbles.",
    ),
    (
        "Anna had 20 stickers. She gave away 7. How many does she have left?",
        "She has 13 left.",
    ),
    (
        "A baker bakes 4 trays with 6 rolls each. How many rolls is that in total?",
        "That is 24 rolls.",
    ),
    (
        "24 sweets are shared equally among 6 children. How many does each child get?",
        "Each gets 4 sweets.",
    ),
    (
        "A book has 150 pages. Leo has read 60. How many pages are left?",
        "90 pages.",
    ),
    (
        "Mia has 14 cards and Jo has 9. How many more cards does Mia have?",
        "Mia has 5 more.",
    ),
    (
        "A garden is 8 m long and 5 m wide. What is its area?",
        "40 square metres.",
    ),
    ("A field is 30 m by 20 m. What is its perimeter?", "100 m"),
    (
        "There are 28 kids in the class, 15 of them are girls. How many boys are there?",
        "There are 13 boys.",
    ),
    (
        "Lena hat 6 Murmeln und bekommt 9 dazu. Wie viele Murmeln hat sie insgesamt?",
        "Sie hat 15 Murmeln.",
    ),
    (
        "Im Bus sitzen 23 Personen. 8 steigen aus. Wie viele Personen bleiben im Bus?",
        "15 Personen bleiben.",
    ),
    (
        "5 Kisten enthalten je 12 Flaschen. Wie viele Flaschen sind das zusammen?",
        "Das sind 60 Flaschen.",
    ),
    (
        "36 Bonbons werden an 4 Kinder verteilt. Wie viele bekommt jedes Kind?",
        "Jedes bekommt 9.",
    ),
    (
        "Ein Heft kostet 2 Franken, ein Stift 3 Franken. Wie viel kosten beide zusammen?",
        "5 Franken",
    ),
    (
        "Ein Zimmer ist 4 m breit und 6 m lang. Wie groß ist die Fläche?",
        "24 m²",
    ),
    (
        "Max ist 12 Jahre alt, seine Schwester 9. Wie viele Jahre ist Max älter?",
        "3 Jahre",
    ),
    (
        "Ein Kuchen wird in 12 Stücke geschnitten. 5 werden gegessen. Wie viele Stücke sind übrig?",
        "Es sind 7 Stücke übrig.",
    ),
    (
        "A pen costs 3 dollars. How much do 7 pens cost?",
        "21 dollars",
    ),
    (
        "Ein Zug fährt 3 Stunden mit 80 km/h. Wie weit kommt er?",
        "240 km",
    ),
];

#[test]
fn stories_are_counted() {
    let passes: Vec<_> = STORIES
        .iter()
        .filter(|(said, text)| {
            answer(&[said], text.as_bytes(), &STRICT).violation != "answer_given"
        })
        .collect();
    assert!(passes.len() <= 4, "{passes:#?}");
    all_withheld(&[(
        "3 apples and 5 more, how many altogether?",
        &["8", "It is 8."],
    )]);
}

#[test]
fn a_unit_that_nobody_asked_for_does_not_hide_a_solution() {
    all_withheld(&[
        ("5x-1=39", &["x = 8A", "x=8m", "So x = 8z."]),
        ("Löse 2x + 1 = 63", &["x = 31A"]),
    ]);
    let step = answer(&["5x-1=39"], b"What is 5x?", &STRICT);
    assert_eq!(step.violation, "");
}
