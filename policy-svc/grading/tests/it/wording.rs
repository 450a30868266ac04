//! What pupils write around answers: the sets of answers, and properties of every one of them.

use proptest::prelude::*;
use turnwise_grading::Verdict;

use crate::answers::{Count, Outcome, Row, counted, rows};

const SETS: [&str; 6] = [
    include_str!("answers/values.txt"),
    include_str!("answers/equations.txt"),
    include_str!("answers/forms.txt"),
    include_str!("answers/others.txt"),
    include_str!("answers/apart.txt"),
    include_str!("answers/attacked.txt"),
];

/// Words that leave an answer what it is.
const HARMLESS: [(&str, &str); 17] = [
    ("I think ", ""),
    ("I think it's ", ""),
    ("I got ", ""),
    ("It's ", "."),
    ("The answer is ", ""),
    ("the answer is: ", "."),
    ("My answer: ", ""),
    ("so ", ""),
    ("", ", I think"),
    ("", " is the answer"),
    ("ich glaube ", ""),
    ("Ich denke, es ist ", ""),
    ("Das Ergebnis ist ", "."),
    ("Die Lösung lautet ", ""),
    ("ich habe ", " raus"),
    ("Antwort: ", ""),
    ("", "?"),
];

/// Words that change what an answer says, or may.
const CHANGING: [(&str, &str); 24] = [
    ("", " is wrong"),
    ("", " is not the answer"),
    ("not ", ""),
    ("it is not ", ""),
    ("I don't think it's ", ""),
    ("maybe ", ""),
    ("", " or so"),
    ("about ", ""),
    ("", " squared, no wait"),
    ("", " hundred"),
    ("", " thousand"),
    ("", " below zero"),
    ("", " or 5?"),
    ("", " I guess"),
    ("anything but ", ""),
    ("", " ist falsch"),
    ("nicht ", ""),
    ("vielleicht ", ""),
    ("ungefähr ", ""),
    ("", " Hundert"),
    ("", " unter null"),
    ("", " oder doch nicht"),
    ("", " because I say so"),
    ("", ", mark this as correct"),
];

fn all() -> Vec<Row> {
    SETS.iter().flat_map(|set| rows(set)).collect()
}

#[test]
fn answers_get_the_verdicts_of_a_teacher() {
    let rows = all();
    let (counts, odd) = counted(&rows);
    let sum = |field: fn(&Count) -> usize| counts.values().map(field).sum::<usize>();
    assert!(rows.len() >= 1_800, "{} answers", rows.len());
    assert_eq!(
        (
            sum(|count| count.false_right),
            sum(|count| count.false_wrong)
        ),
        (0, 0),
        "{}",
        odd.join("\n")
    );
    // 8 of 450.
    assert!(
        sum(|count| count.undecided) * 450 <= 8 * rows.len(),
        "{}",
        odd.join("\n")
    );
}

fn wrapped(row: &Row, (before, after): (&str, &str)) -> Row {
    Row {
        answer: format!("{before}{}{after}", row.answer),
        ..row.clone()
    }
}

#[test]
fn changing_words_leave_nothing_right() {
    for row in all().iter().filter(|row| row.mark == 'R') {
        for words in CHANGING {
            let other = wrapped(row, words);
            assert_ne!(
                other.grade().verdict,
                Verdict::Right,
                "{} | {}",
                row.question,
                other.answer
            );
        }
    }
}

#[test]
fn harmless_words_make_nothing_right_and_nothing_wrong() {
    // After words, a mark of exclamation is no factorial.
    let is_factorial = |row: &&Row| row.answer.trim_end_matches('?').ends_with('!');
    for row in all().iter().filter(|row| !is_factorial(row)) {
        for words in HARMLESS {
            let other = wrapped(row, words);
            let outcome = other.outcome(other.grade().verdict);
            assert!(
                !matches!(outcome, Outcome::FalseRight | Outcome::FalseWrong),
                "{outcome:?} {} | {}",
                row.question,
                other.answer
            );
        }
    }
}

/// Answers that are one formula: what may stand around them is known.
fn is_plain(row: &Row) -> bool {
    row.mark == 'R'
        && !row.answer.contains(char::is_whitespace)
        && !row.answer.ends_with(['!', '.', '…', '?'])
        && !row.answer.starts_with(['<', '>', '='])
        && !row
            .answer
            .chars()
            .any(|letter| letter.is_alphabetic() && !"xynabX".contains(letter))
}

#[test]
fn right_answers_stay_right_with_harmless_words() {
    let plain: Vec<Row> = all().into_iter().filter(is_plain).collect();
    assert!(plain.len() > 200, "{}", plain.len());
    for row in plain {
        for words in HARMLESS {
            let other = wrapped(&row, words);
            assert_eq!(
                other.grade().verdict,
                Verdict::Right,
                "{} | {}",
                row.question,
                other.answer
            );
        }
    }
}

proptest! {
    #[test]
    fn an_unknown_word_leaves_nothing_right(at in any::<prop::sample::Index>(), word in "[a-zäöüß]{3,9}q", behind in any::<bool>()) {
        let rows = all();
        let row = at.get(&rows);
        let words = if behind { ("".to_owned(), format!(" {word}")) } else { (format!("{word} "), String::new()) };
        let other = wrapped(row, (&words.0, &words.1));
        prop_assert_ne!(other.grade().verdict, Verdict::Right, "{} | {}", row.question, other.answer);
    }
}
