//! Drills made at random: no right answer is called wrong however it is written, no wrong one right, and no copy right.

use proptest::prelude::*;
use turnwise_grading::{Drill, Verdict, grade};

fn verdict(prompt: &str, question: &str, answer: &str) -> Verdict {
    let drill = Drill {
        prompt,
        question_latex: question,
        key: None,
    };
    grade(&drill, answer).verdict
}

/// Ways to type the same formula.
fn dressed(formula: &str, style: u8) -> String {
    match style % 10 {
        0 => formula.to_owned(),
        1 => formula.replace('-', "−"),
        2 => formula
            .replace(['+', '='], " + ")
            .replace(" + ", if formula.contains('=') { " = " } else { " + " }),
        3 => format!("${formula}$"),
        4 => format!("\\({}\\)", formula.replace('*', "\\cdot ")),
        5 => format!("  {formula} ."),
        6 => formula.replace('*', " × "),
        7 => formula.replace('(', "\\left(").replace(')', "\\right)"),
        8 => formula
            .chars()
            .map(|character| match character {
                '!'..='~' if character != '*' => {
                    char::from_u32(u32::from(character) + 0xfee0).unwrap_or(character)
                }
                other => other,
            })
            .collect(),
        _ => formula.replace('*', ""),
    }
}

/// Signs between summands as people write them: `2x - 3`, not `2x + -3`.
fn signed(number: i64) -> String {
    if number < 0 {
        format!("-{}", -number)
    } else {
        format!("+{number}")
    }
}

fn term(factor: i64, letter: &str) -> String {
    format!("{factor}{letter}")
}

/// A rational number in many spellings.
fn number(above: i64, below: i64, style: u8, scale: i64) -> String {
    let whole = above % below == 0;
    match style % 6 {
        0 if whole => (above / below).to_string(),
        1 => format!("\\frac{{{above}}}{{{below}}}"),
        2 => format!("\\frac{{{}}}{{{}}}", above * scale, below * scale),
        3 if whole => format!("{}.0", above / below),
        4 => format!("({above})/({below})"),
        5 => format!("-\\dfrac{{{}}}{{{below}}}", -above),
        _ => format!("{above}/{below}"),
    }
}

fn nonzero(range: std::ops::RangeInclusive<i64>) -> impl Strategy<Value = i64> {
    range.prop_filter("not zero", |number| *number != 0)
}

proptest! {
    #[test]
    fn linear_equations(
        slope in nonzero(-9..=9), above in -20_i64..=20, below in 1_i64..=6, gap in nonzero(-9..=9), shift in -20_i64..=20,
        style in any::<u8>(), dress in any::<u8>(), scale in 2_i64..5, prefix in 0_u8..4, off in nonzero(-5..=5),
    ) {
        let other = slope + gap;
        // slope*x + shift = other*x + rest, both sides times below, so that all coefficients are whole.
        let rest = (slope - other) * above + shift * below;
        let question = format!(
            "{}{} = {}{}",
            term(slope * below, "x"), signed(shift * below), term(other * below, "x"), signed(rest),
        );
        let value = number(above, below, style, scale);
        let answer = match prefix {
            0 => value,
            1 => format!("x={value}"),
            2 => format!("{value}=x"),
            _ => format!("{{{value}}}"),
        };
        let answer = if style % 6 == 5 && above >= 0 { number(above, below, 1, scale) } else { answer };
        prop_assert_eq!(verdict("Solve the equation.", &question, &dressed(&answer, dress % 8)), Verdict::Right, "{} | {}", question, answer);
        let wrong = number(above + off, below, 6, scale);
        prop_assert_eq!(verdict("Solve the equation.", &question, &wrong), Verdict::Wrong);
        prop_assert_ne!(verdict("Solve the equation.", &question, &dressed(&question, dress)), Verdict::Right);
    }

    #[test]
    fn quadratic_equations(
        lead in nonzero(-4..=4), first in -9_i64..=9, second in -9_i64..=9, style in 0_u8..7, dress in 0_u8..8, off in nonzero(-4..=4),
    ) {
        let question = format!("{}x^{{2}}{}x{} = 0", lead, signed(-lead * (first + second)), signed(lead * first * second));
        let middle = format!("({})/2", first + second);
        let answer = match style {
            0 => format!("x={first} or x={second}"),
            1 => format!("{second}, {first}"),
            2 => format!("{{{first},{second}}}"),
            3 => format!("{first} and {second}"),
            4 => format!("x={first}, x={second}"),
            5 => format!("x = {middle} ± {}/2", (first - second).abs()),
            _ => format!("x=\\frac{{{}\\pm\\sqrt{{{}}}}}{{2}}", first + second, (first - second).pow(2)),
        };
        // What is still to be worked out is not decided.
        let expected = if style < 5 { Verdict::Right } else { Verdict::CannotTell };
        prop_assert_eq!(verdict("Solve.", &question, &dressed(&answer, dress)), expected, "{} | {}", question, answer);
        let wrong = first + off;
        if wrong != second {
            prop_assert_eq!(verdict("Solve.", &question, &format!("{wrong}, {second}")), Verdict::Wrong);
        }
        if first != second {
            prop_assert_eq!(verdict("Solve.", &question, &first.to_string()), Verdict::Wrong);
        }
        prop_assert_ne!(verdict("Solve.", &question, &question), Verdict::Right);
    }

    #[test]
    fn systems(
        x in -9_i64..=9, y in -9_i64..=9, a in nonzero(-5..=5), b in nonzero(-5..=5), c in nonzero(-5..=5), d in nonzero(-5..=5),
        style in 0_u8..4, off in nonzero(-3..=3),
    ) {
        if a * d == b * c {
            return Ok(());
        }
        let question = format!(
            "\\begin{{cases}} {a}x{}y = {} \\\\ {c}x{}y = {} \\end{{cases}}",
            signed(b), a * x + b * y, signed(d), c * x + d * y,
        );
        let answer = match style {
            0 => format!("({x}, {y})"),
            1 => format!("x = {x}, y = {y}"),
            2 => format!("y={y} and x={x}"),
            _ => format!("\\left({x},{y}\\right)"),
        };
        prop_assert_eq!(verdict("Solve the system of equations.", &question, &answer), Verdict::Right, "{} | {}", question, answer);
        prop_assert_eq!(verdict("Solve the system of equations.", &question, &format!("({x}, {})", y + off)), Verdict::Wrong);
    }

    #[test]
    fn inequalities(slope in nonzero(-9..=9), bound in -9_i64..=9, shift in -9_i64..=9, sign in 0_usize..4, style in 0_u8..4) {
        let signs = ["<", ">", "\\le", "\\ge"];
        let plain = ["<", ">", "<=", ">="];
        let question = format!("{slope}x{} {} {}", signed(shift), signs[sign], slope * bound + shift);
        let turned = if slope < 0 { [1, 0, 3, 2][sign] } else { sign };
        let swapped = [1, 0, 3, 2][turned];
        let interval = match turned {
            0 => format!("(-\\infty, {bound})"),
            1 => format!("({bound}, inf)"),
            2 => format!("(-∞, {bound}]"),
            _ => format!("[{bound}, \\infty)"),
        };
        let answer = match style {
            0 => format!("x {} {bound}", plain[turned]),
            1 => format!("{bound} {} x", plain[swapped]),
            2 => interval,
            _ => format!("x {} {bound}", signs[turned]),
        };
        prop_assert_eq!(verdict("Solve the inequality.", &question, &answer), Verdict::Right, "{} | {}", question, answer);
        prop_assert_eq!(verdict("Solve the inequality.", &question, &format!("x {} {bound}", plain[swapped])), Verdict::Wrong);
        prop_assert_eq!(verdict("Solve the inequality.", &question, &format!("x {} {}", plain[turned], bound + 1)), Verdict::Wrong);
    }

    #[test]
    fn products_are_expanded_and_factored(
        a in 1_i64..=5, b in nonzero(-9..=9), c in 1_i64..=5, d in nonzero(-9..=9), style in 0_u8..4, dress in 0_u8..8, off in nonzero(-3..=3),
    ) {
        let product = format!("({a}x{})({c}x{})", signed(b), signed(d));
        let (square, slope, constant) = (a * c, a * d + b * c, b * d);
        let terms = [format!("{square}x^2"), format!("{slope}x"), format!("{constant}")];
        let sum = |order: [usize; 3]| {
            let parts: Vec<&str> = order
                .iter()
                .map(|at| terms[*at].as_str())
                .filter(|part| *part != "0x")
                .collect();
            parts.join("+").replace("+-", "-")
        };
        let expanded = match style {
            0 => sum([0, 1, 2]),
            1 => sum([2, 1, 0]),
            2 => sum([1, 0, 2]),
            _ => sum([0, 2, 1]).replace("x^2", "x^{2}"),
        };
        let answer = dressed(&expanded, dress);
        // A factor of one in front is no mistake in the value, so such an answer may stay open.
        prop_assert_ne!(verdict("Expand.", &product, &answer), Verdict::Wrong, "{} | {}", product, answer);
        let tidy = expanded.replace("1x", "x");
        if square > 1 && slope.abs() > 1 && tidy == expanded {
            prop_assert_eq!(verdict("Expand.", &product, &answer), Verdict::Right, "{} | {}", product, answer);
        }
        let wrong = format!("{square}x^2{}x{}", signed(slope + off), signed(constant));
        prop_assert_ne!(verdict("Expand.", &product, &wrong), Verdict::Right);
        prop_assert_ne!(verdict("Expand.", &product, &dressed(&product, dress)), Verdict::Right);

        // The same the other way round.
        let question = sum([0, 1, 2]);
        let primitive = gcd(a, b) == 1 && gcd(c, d) == 1;
        let factored = match style {
            0 => product.clone(),
            1 => format!("({c}x{})({a}x{})", signed(d), signed(b)),
            2 => format!("({d}+{c}x)*({b}+{a}x)"),
            _ => format!("(-{a}x{})(-{c}x{})", signed(-b), signed(-d)),
        };
        let own = verdict("Factor.", &question, &dressed(&factored, dress));
        if primitive {
            prop_assert_eq!(own, Verdict::Right, "{} | {}", question, factored);
        } else {
            prop_assert_ne!(own, Verdict::Right, "{} | {}", question, factored);
        }
        let wrong = format!("({a}x{})({c}x{})", signed(b + off), signed(d));
        prop_assert_ne!(verdict("Factor.", &question, &wrong), Verdict::Right);
        prop_assert_ne!(verdict("Factor.", &question, &dressed(&question, dress)), Verdict::Right);
    }

    #[test]
    fn rational_expressions_are_simplified(
        a in 1_i64..=30, b in -30_i64..=-1, c in -60_i64..=60, style in 0_u8..3, dress in 0_u8..8, off in nonzero(-3..=3),
    ) {
        if c == 0 || a == c || b == c {
            return Ok(());
        }
        let question = format!(
            "\\frac{{x^2{}x{}}}{{x^2{}x{}}}",
            signed(a + c), signed(a * c), signed(b + c), signed(b * c),
        );
        let answer = match style {
            0 => format!("(x{})/(x{})", signed(a), signed(b)),
            1 => format!("\\frac{{x{}}}{{x{}}}", signed(a), signed(b)),
            _ => format!("({a}+x)/({b}+x)"),
        };
        prop_assert_ne!(verdict("Simplify.", &question, &dressed(&answer, dress)), Verdict::Wrong, "{} | {}", question, answer);
        if a != 0 && b != 0 {
            prop_assert_eq!(verdict("Simplify.", &question, &answer), Verdict::Right, "{} | {}", question, answer);
        }
        let wrong = format!("(x{})/(x{})", signed(a + off), signed(b));
        prop_assert_ne!(verdict("Simplify.", &question, &wrong), Verdict::Right);
        let uncancelled = format!("((x{0})(x{1}))/((x{2})(x{1}))", signed(a), signed(c), signed(b));
        prop_assert_ne!(verdict("Simplify.", &question, &uncancelled), Verdict::Right);
        prop_assert_ne!(verdict("Simplify.", &question, &question), Verdict::Right);
    }

    #[test]
    fn fractions_are_worked_out(
        a in -20_i64..=20, b in 1_i64..=12, c in -20_i64..=20, d in 1_i64..=12, style in any::<u8>(), scale in 2_i64..5, off in nonzero(-3..=3),
    ) {
        let question = format!("\\frac{{{a}}}{{{b}}} + \\frac{{{c}}}{{{d}}}");
        let (above, below) = (a * d + b * c, b * d);
        let answer = if style % 6 == 5 && above >= 0 { number(above, below, 1, scale) } else { number(above, below, style, scale) };
        prop_assert_ne!(verdict("Work out the sum.", &question, &answer), Verdict::Wrong, "{} | {}", question, answer);
        if style % 6 != 3 || above % below == 0 {
            prop_assert_eq!(verdict("Work out the sum.", &question, &answer), Verdict::Right, "{} | {}", question, answer);
        }
        prop_assert_ne!(verdict("Work out the sum.", &question, &number(above + off, below, 6, scale)), Verdict::Right);
        prop_assert_ne!(verdict("Work out the sum.", &question, &question), Verdict::Right);
    }

    #[test]
    fn like_terms_are_collected(
        a in nonzero(-9..=9), b in nonzero(-9..=9), c in nonzero(-90..=90), d in nonzero(-90..=90), style in 0_u8..4, dress in 0_u8..8, off in nonzero(-3..=3),
    ) {
        let question = format!("{a}x{}y{}x{}y", signed(b), signed(c), signed(d));
        let (x, y) = (a + c, b + d);
        // What remains of a term must be more than one of it.
        if x.abs() <= 1 || y.abs() <= 1 {
            return Ok(());
        }
        let answer = match style {
            0 => format!("{x}x{}y", signed(y)),
            1 => format!("{y}y{}x", signed(x)),
            2 => format!("{x}*x{}*y", signed(y)),
            _ => format!("x*{}{}y", if x < 0 { format!("({x})") } else { x.to_string() }, signed(y)),
        };
        prop_assert_ne!(verdict("Simplify.", &question, &dressed(&answer, dress)), Verdict::Wrong, "{} | {}", question, answer);
        if style < 3 {
            prop_assert_eq!(verdict("Simplify.", &question, &dressed(&answer, dress)), Verdict::Right, "{} | {}", question, answer);
        }
        prop_assert_ne!(verdict("Simplify.", &question, &format!("{}x{}y", x + off, signed(y))), Verdict::Right);
        prop_assert_ne!(verdict("Simplify.", &question, &format!("{c}x{}y{}x{}y", signed(d), signed(a), signed(b))), Verdict::Right);
    }
}

fn gcd(left: i64, right: i64) -> i64 {
    let (mut left, mut right) = (left.abs(), right.abs());
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}
