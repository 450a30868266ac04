//! What cannot be read, and what makes no instance.

use turnwise_drill_templates::{Fault, Problem, Template};

use crate::fixture::{shown, template};

#[test]
fn parameters_that_cannot_be_read() {
    for (parameter, says) in [
        ("", "it ends where a parameter's name"),
        ("a", "neither a range nor a value"),
        ("A in 1..2", "`A` is no part"),
        ("in in 1..2", "the name `in` is taken"),
        ("gcd in 1..2", "the name `gcd` is taken"),
        ("k in 1..2", "the name `k` is taken"),
        ("a in 3..2", "`3..2` holds no number"),
        ("a in 1..", "it ends where a whole number"),
        ("a in 1..2 3", "`3` stands where an operator or the end"),
        ("a in 1/2", "`/` stands where"),
        ("a in 1..1000000", "more than 6 digits"),
        ("a = b + 1", "`b` is no parameter that stands above"),
        ("a = a", "`a` is no parameter"),
        ("a = gcd(k)", "`)` stands where `,`"),
        ("a = abs(k, k)", "`,` stands where `)`"),
        ("a = (k", "it ends where `)`"),
        ("a = k +", "it ends where a number"),
        ("a = k % 2", "`%` is no part"),
        ("a = 2k", "`k` stands where an operator"),
    ] {
        let mut template = template("T", &["k in 1..9"], &[]);
        let error = template.parameter(parameter).unwrap_err().to_string();
        assert!(error.contains(says), "{parameter}: {error}");
        assert_eq!(
            template.values(0).unwrap().to_string().matches('=').count(),
            1
        );
    }
}

#[test]
fn conditions_and_texts_that_cannot_be_read() {
    let mut own = template("T", &["a in 1..9"], &[]);
    for (condition, says) in [
        ("a", "it ends where `=`, `!=`"),
        ("a == 2", "`=` stands where a number"),
        ("1 < 2", "names no parameter"),
        ("a < b", "`b` is no parameter"),
        ("a < 2 < 3", "`<` stands where an operator or the end"),
    ] {
        let error = own.condition(condition).unwrap_err().to_string();
        assert!(error.contains(says), "{condition}: {error}");
    }
    for (text, says) in [
        ("[[a", "a `[[` has no `]]`"),
        ("[[]]", "it ends where a number"),
        ("[[a : bold]]", "`bold` is no form"),
        ("[[a : ]]", "is no form"),
        ("[[c]]", "`c` is no parameter"),
        ("[[a = 2]]", "`=` stands where an operator"),
    ] {
        let error = own.text(text).unwrap_err().to_string();
        assert!(error.contains(says), "{text}: {error}");
    }
}

#[test]
fn bounds_of_a_template() {
    let mut own = Template::new("T");
    for n in 0..16 {
        own.parameter(&format!("a{n} in 1..2")).unwrap();
    }
    let error = own.parameter("b in 1..2").unwrap_err().to_string();
    assert!(error.contains("more than 16 parameters"), "{error}");
    for (text, says) in [
        (format!("[[{}1]]", "-".repeat(40)), "nests too deep"),
        (format!("[[{}1]]", "(".repeat(40)), "nests too deep"),
        (
            format!("[[1{}]]", " + 1".repeat(60)),
            "more than 200 characters",
        ),
    ] {
        let error = own.text(&text).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn values_that_cannot_be_worked_out_or_shown() {
    for (text, problem) in [
        ("[[1/(a - a)]]", Problem::DividesByZero),
        ("[[mod(a, 0)]]", Problem::DividesByZero),
        ("[[a^21]]", Problem::Exponent),
        ("[[a^(1/2)]]", Problem::Exponent),
        ("[[a^-1]]", Problem::Exponent),
        ("[[999999^3]]", Problem::TooLarge),
        ("[[gcd(a, 1/2)]]", Problem::NotWhole("gcd")),
        ("[[a/2 : coef]]", Problem::NotWhole("coef")),
        ("[[a - a : coef]]", Problem::Zero("coef")),
        ("[[a - a : plus coef]]", Problem::Zero("plus coef")),
        ("[[a - a : plus]]", Problem::Zero("plus")),
        ("[[10000]]", Problem::Unhandy("10000".to_owned())),
        ("[[1/1000]]", Problem::Unhandy("1/1000".to_owned())),
    ] {
        let fault = shown(&["a = 7"], text).unwrap_err();
        let expected = Fault::Broken {
            values: "a = 7".to_owned(),
            piece: text.to_owned(),
            problem,
        };
        assert_eq!(fault, expected);
    }
    assert_eq!(
        shown(&["a = 3", "b = 0", "c = a/b"], "")
            .unwrap_err()
            .to_string(),
        "with a = 3, b = 0, `c = a/b` divides by zero"
    );
}

#[test]
fn conditions_that_nothing_meets() {
    let own = template("T", &["a in 1..9"], &["a > 9"]);
    assert_eq!(own.values(0).unwrap_err(), Fault::NoValues);
    let broken = template("T", &["a in 1..9"], &["1/(a - a) > 9"]);
    let says = broken.values(0).unwrap_err().to_string();
    assert!(says.contains("`1/(a - a) > 9` divides by zero"), "{says}");
}
