//! Numbers, fractions, ratios, points, and stories.

use super::{Written, one_of, with};

const VALUE: [&str; 4] = [
    "Work out the value.",
    "Evaluate.",
    "Calculate.",
    "Evaluate the expression.",
];

pub fn integers(n: i64) -> Written {
    let (a, b) = (n % 9 - 12, n % 7 + 2);
    let prompt = one_of(n, &VALUE);
    match n % 5 {
        0 => with(prompt, format!("{a} + {b}"), a + b, a - b),
        1 => with(prompt, format!("{b} - ({a})"), b - a, b + a),
        2 => with(prompt, format!("{a} \\times {b}"), a * b, -a * b),
        3 => with(prompt, format!("{} \\div ({b})", a * b), a, -a),
        _ if n % 2 == 0 => {
            let (right, wrong) = if a < -b { ("<", ">") } else { (">", "<") };
            let question = format!("{a} \\square {}", -b);
            with("Fill in <, > or =.", question, right, wrong)
        }
        _ => with(
            &format!("Which number is greater, {a} or {b}?"),
            String::new(),
            b,
            a,
        ),
    }
}

pub fn order_of_operations(n: i64) -> Written {
    let (a, b, c) = (n % 11 + 8, n % 5 + 2, n % 7 + 3);
    let prompt = one_of(n, &VALUE);
    match n % 4 {
        0 => with(
            prompt,
            format!("{a} + {b} \\times {c}"),
            a + b * c,
            (a + b) * c,
        ),
        1 => with(
            prompt,
            format!("({a} - {b}) \\times {c}"),
            (a - b) * c,
            a - b * c,
        ),
        2 => with(
            prompt,
            format!("{a} - {b}^{{2}}"),
            a - b * b,
            (a - b) * (a - b) + 1,
        ),
        _ => with(
            prompt,
            format!("{} \\div {b} \\times {c}", a * b),
            a * c,
            a * c + 1,
        ),
    }
}

pub fn fractions(n: i64) -> Written {
    let (p, k) = (n % 7 + 1, n % 5 + 2);
    let q = p + 1;
    match n % 8 {
        2 | 6 => with(
            one_of(n, &["Find the missing number.", "Solve for n.", "Find n."]),
            format!("\\frac{{{p}}}{{{q}}} = \\frac{{n}}{{{}}}", q * k),
            p * k,
            p * k + 1,
        ),
        3 => with(
            one_of(n, &["Write as a decimal.", "Convert to a decimal."]),
            format!("\\frac{{{}}}{{20}}", 2 * p + 1),
            format!("0.{:02}", 5 * (2 * p + 1)),
            format!("0.{:02}", 5 * (2 * p + 1) + 1),
        ),
        7 => with(
            "Work out the amount.",
            format!("\\frac{{{p}}}{{{q}}} \\times {}", q * k),
            p * k,
            q * k,
        ),
        _ => with(
            one_of(
                n,
                &[
                    "Write the fraction in lowest terms.",
                    "Simplify.",
                    "Simplify the fraction.",
                ],
            ),
            format!("\\frac{{{}}}{{{}}}", p * k, q * k),
            format!("{p}/{q}"),
            format!("{p}/{}", q + 1),
        ),
    }
}

/// In lowest terms.
fn lowest(above: i64, below: i64) -> String {
    let divisor = (1..=below).rev().find(|d| above % d == 0 && below % d == 0);
    let divisor = divisor.unwrap();
    match below / divisor {
        1 => format!("{}", above / divisor),
        below => format!("{}/{below}", above / divisor),
    }
}

pub fn sums_of_fractions(n: i64) -> Written {
    let (b, d) = (n % 5 + 2, n % 4 + 7);
    match n % 3 {
        0 => with(
            one_of(n, &["Work out the sum.", "Add.", "Calculate."]),
            format!("\\frac{{1}}{{{b}}} + \\frac{{2}}{{{d}}}"),
            lowest(d + 2 * b, b * d),
            lowest(3, b + d),
        ),
        1 => with(
            one_of(n, &["Work out the difference.", "Subtract.", "Evaluate."]),
            format!("\\frac{{{}}}{{{b}}} - \\frac{{1}}{{{d}}}", b - 1),
            lowest((b - 1) * d - b, b * d),
            lowest((b - 1) * d + b, b * d),
        ),
        _ => with(
            one_of(
                n,
                &[
                    "Write the result as a single fraction.",
                    "Write as a single fraction.",
                ],
            ),
            format!("{} - \\frac{{1}}{{{b}}}", n % 4 + 1),
            lowest((n % 4 + 1) * b - 1, b),
            lowest((n % 4 + 1) * b + 1, b),
        ),
    }
}

pub fn ratios(n: i64) -> Written {
    let (a, k) = (n % 5 + 2, n % 6 + 2);
    let b = a + 1;
    match n % 3 {
        0 => with(
            one_of(n, &["Find the missing number.", "Solve the proportion."]),
            format!("\\frac{{n}}{{{}}} = \\frac{{{a}}}{{{b}}}", b * k),
            a * k,
            b * k,
        ),
        1 => with(
            &format!(
                "Share {} in the ratio {a} : {b}. Work out the smaller share.",
                (a + b) * k
            ),
            String::new(),
            a * k,
            b * k,
        ),
        _ => with(
            &format!(
                "{a} pens cost {} euros. Work out the price of {b} pens in euros.",
                a * k
            ),
            String::new(),
            b * k,
            a * k,
        ),
    }
}

pub fn unknown_numbers(n: i64) -> Written {
    let (a, b, x) = (n % 6 + 2, n % 9 + 2, n % 11 + 2);
    match n % 4 {
        0 => with(
            &format!(
                "A number is multiplied by {a} and the result is {}. Work out the number.",
                a * x
            ),
            String::new(),
            x,
            x + 1,
        ),
        1 => with(
            &format!(
                "A number is multiplied by {a}, then {b} is added. The result is {}. Find the number.",
                a * x + b
            ),
            String::new(),
            x,
            x + 1,
        ),
        2 => with(
            &format!(
                "I think of a number and subtract {b}. I get {}. What is my number?",
                x - b
            ),
            String::new(),
            x,
            x - 2 * b,
        ),
        _ => with(
            "Find the missing number.",
            format!("\\square \\times {a} = {}", a * x),
            x,
            a * x,
        ),
    }
}

pub fn coordinates(n: i64) -> Written {
    let (x, y, k) = (n % 9 - 4, n % 7 - 3, n % 6 + 2);
    let (prompt, right, wrong) = match n % 3 {
        0 => (
            format!(
                "Work out how many units the point ({}, {y}) is to the right of the point ({x}, {y}).",
                x + k
            ),
            k,
            2 * x + k,
        ),
        1 => (
            format!("Start at ({x}, {y}) and move {k} units down. Work out the new y-coordinate."),
            y - k,
            y + k,
        ),
        _ => (
            format!(
                "Find the x-coordinate of the midpoint between ({}, 0) and ({}, 0).",
                x - k,
                x + k
            ),
            x,
            k,
        ),
    };
    with(&prompt, String::new(), right, wrong)
}

pub fn slope(n: i64) -> Written {
    let (x, y, h, m) = (n % 7 - 3, n % 9 - 4, n % 4 + 1, n % 5 + 2);
    let points = [format!("({x}, {y})"), format!("({}, {})", x + h, y + m * h)];
    let [one, other] = &points;
    let (prompt, question) = match n % 3 {
        0 => (
            format!("Work out the slope of the line through {one} and {other}."),
            format!("{one},\\ {other}"),
        ),
        1 => (
            format!("Find the slope of the line that passes through the points {one} and {other}."),
            String::new(),
        ),
        _ => (
            "Calculate the slope of the line through the two points.".to_owned(),
            format!("{one}, {other}"),
        ),
    };
    with(&prompt, question, m, -m)
}

/// Drills that only a reader of words could grade.
pub fn in_words(n: i64) -> Written {
    let prompt = match n % 6 {
        0 => format!("Explain why {n}x + {n} is not the same as {n}x."),
        1 => format!(
            "A shop sells {n} apples for 3 euros. Which offer is better for a family of four, and why?"
        ),
        2 => format!("Draw the graph of a line with slope {n}."),
        3 => format!(
            "Describe in your own words what happens to {n} when it is divided by a fraction."
        ),
        4 => format!("Anna is {n} years older than Ben. Write down a story that fits."),
        _ => format!("Is {n} a solution of 2x + 3 = {}? Say how you know.", n + 4),
    };
    with(&prompt, String::new(), String::new(), String::new())
}
