//! The answers of the demo courses' exercises in words, worked out from the numbers that stand in them.

use turnwise_course_pack::Drill;

/// The answer of an instance of a template, without spaces; `None` for a template that is not known here.
pub fn answer(template: &str, drill: &Drill) -> Option<String> {
    let said = numbers(&drill.prompt);
    let shown = numbers(&drill.question_latex);
    let line = || line(&drill.question_latex);
    Some(match (template, said.as_slice(), shown.as_slice()) {
        // A part of an amount.
        ("ALG-03-D7" | "TG-02-D7", _, &[above, below, amount]) => whole(above * amount, below),
        // The smaller share.
        ("ALG-05-D5", &[amount, a, b], _) => whole(amount * a.min(b), a + b),
        // So many cost so much, how much do so many cost; so far in so much time.
        ("ALG-05-D6" | "TG-06-D5" | "TG-06-D6", &[many, much, others], _) => {
            whole(much * others, many)
        }
        // So many people take so long.
        ("TG-06-D7", &[people, hours, others], _) => whole(people * hours, others),
        // Multiplied; multiplied and added to; subtracted from and multiplied.
        ("ALG-09-D4", &[factor, result], _) => whole(result, factor),
        ("ALG-09-D5", &[factor, added, result], _) => whole(result - added, factor),
        ("ALG-09-D6", &[subtracted, factor, result], _) => {
            whole(result + subtracted * factor, factor)
        }
        // From one point to another, a step down, the middle.
        ("ALG-13-D4", &[to, _, from, _], _) => (to - from).to_string(),
        ("ALG-13-D5", &[_, height, down], _) => (height - down).to_string(),
        ("ALG-13-D6", &[from, to], _) => whole(from + to, 2),
        // A line's slope, its equation from slope and point, its root.
        ("ALG-15-D6", ..) => line().0.to_string(),
        ("ALG-15-D7", &[slope, x, y], _) => equation(slope, y - slope * x),
        ("ALG-15-D8", ..) => {
            let (slope, height) = line();
            format!("x={}", whole(-height, slope))
        }
        _ => return None,
    })
}

/// A quotient that comes out even.
fn whole(above: i64, below: i64) -> String {
    assert_eq!(above % below, 0, "{above}/{below}");
    (above / below).to_string()
}

/// The whole numbers of a text, each with the minus that stands right before it.
fn numbers(text: &str) -> Vec<i64> {
    let text = text.replace('−', "-");
    let mut numbers = Vec::new();
    for part in text.split(|c: char| !(c.is_ascii_digit() || c == '-')) {
        numbers.extend(part.parse::<i64>());
    }
    numbers
}

/// Slope and height of a line's equation, whichever comes first: `y = 5 - 3x`.
fn line(equation: &str) -> (i64, i64) {
    let (_, side) = equation.split_once('=').unwrap();
    let side = side.replace(' ', "").replace('-', "+-");
    let (mut slope, mut height) = (0, 0);
    for term in side.split('+').filter(|term| !term.is_empty()) {
        match term.strip_suffix('x') {
            Some("") => slope += 1,
            Some("-") => slope -= 1,
            Some(factor) => slope += factor.parse::<i64>().unwrap(),
            None => height += term.parse::<i64>().unwrap(),
        }
    }
    (slope, height)
}

fn equation(slope: i64, height: i64) -> String {
    let slope = match slope {
        1 => String::new(),
        -1 => "-".to_owned(),
        other => other.to_string(),
    };
    match height {
        0 => format!("y={slope}x"),
        height => format!("y={slope}x{height:+}"),
    }
}
