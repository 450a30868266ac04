//! What expressions are worth and how values are shown.

use crate::fixture::{shown, template};

#[test]
fn expressions_are_exact() {
    for (expression, value) in [
        ("2 + 3*4", "14"),
        ("(2 + 3)*4", "20"),
        ("10 - 2 - 3", "5"),
        ("24/4*3", "18"),
        ("1/3 + 1/6", "1/2"),
        ("3/4/(3/2)", "1/2"),
        ("-2^2", "-4"),
        ("(-2)^2", "4"),
        ("2^3^2", "512"),
        ("2*-3", "-6"),
        ("--3", "3"),
        ("2/-4", "-1/2"),
        ("0^0", "1"),
        ("abs(-3/2)", "3/2"),
        ("min(2, -3) + max(1/2, 1/3)", "-5/2"),
        ("gcd(12, -18)", "6"),
        ("gcd(0, 0)", "0"),
        ("lcm(4, 6)", "12"),
        ("lcm(0, 6)", "0"),
        ("mod(-7, 3)", "2"),
        ("num(6/-8)", "-3"),
        ("den(6/-8)", "4"),
        ("a*a", "49"),
        ("999999*999999 - 999998*1000000", "1"),
    ] {
        let text = format!("[[{expression}]]");
        let shown = shown(&["a = 7"], &text.replace("1000000", "(999999 + 1)"));
        assert_eq!(shown.as_deref(), Ok(value), "{expression}");
    }
}

#[test]
fn every_form_of_every_kind_of_number() {
    for (number, plain, brackets, frac, plus) in [
        ("3", "3", "3", "3", "+ 3"),
        ("-3", "-3", "(-3)", "-3", "- 3"),
        ("3/4", "3/4", "3/4", r"\frac{3}{4}", "+ 3/4"),
        ("-3/4", "-3/4", "(-3/4)", r"-\frac{3}{4}", "- 3/4"),
    ] {
        let text =
            format!("[[{number}]] [[{number} : brackets]] [[{number}:frac]] [[ {number} : plus ]]");
        let expected = format!("{plain} {brackets} {frac} {plus}");
        assert_eq!(shown(&["a = 1"], &text), Ok(expected));
    }
    for (number, coefficient, plus) in [
        ("3", "3x", "+ 3x"),
        ("-3", "-3x", "- 3x"),
        ("1", "x", "+ x"),
        ("-1", "-x", "- x"),
    ] {
        let text = format!("[[{number} : coef]]x, [[{number} : plus coef]]x");
        let expected = format!("{coefficient}, {plus}");
        assert_eq!(shown(&["a = 1"], &text), Ok(expected));
    }
}

#[test]
fn latex_keeps_its_own_brackets() {
    let text = r"x^{[[a]]} + \frac{[[a]]}{2} [1, [[a]]]";
    let expected = r"x^{7} + \frac{7}{2} [1, 7]";
    assert_eq!(shown(&["a = 7"], text).as_deref(), Ok(expected));
}

#[test]
fn a_condition_guards_what_stands_below_its_parameter() {
    let template = template("T", &["a in 0..3", "b = 6/a"], &["a != 0", "den(b) = 1"]);
    for seed in 0..50 {
        let values = template.values(seed).unwrap().to_string();
        assert!(
            ["a = 1, b = 6", "a = 2, b = 3", "a = 3, b = 2"].contains(&values.as_str()),
            "{values}"
        );
    }
}

#[test]
fn every_comparison() {
    for (condition, kept) in [
        ("a = 2", "2"),
        ("a != 2", "13"),
        ("a < 2", "1"),
        ("a <= 2", "12"),
        ("a > 2", "3"),
        ("a >= 2", "23"),
        ("1/a > 1/3", "12"),
    ] {
        let template = template("T", &["a in 1..3"], &[condition]);
        let text = template.text("[[a]]").unwrap();
        let mut seen: Vec<String> = (0..60)
            .map(|seed| text.write(&template.values(seed).unwrap()).unwrap())
            .collect();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.concat(), kept, "{condition}");
    }
}
