//! What else an answer could mean: it is wrong only if no reading of it is right.

use super::*;

#[test]
fn commas_and_points_part_places_thousands_and_values() {
    check(
        "Evaluate.",
        "9/8",
        &[("1,125", R), ("1.125", R), ("1,126", W)],
    );
    check(
        "Solve",
        "(x-1)(x-200)=0",
        &[("1,200", C), ("1, 200", R), ("1,201", W)],
    );
    check(
        "Solve",
        "x/2=600",
        &[
            ("1.200,00", C),
            ("1.200", C),
            ("1,200", R),
            ("1,200.00", R),
            ("1.300,00", W),
            ("1,300", W),
        ],
    );
    check("Solve", "2x=1", &[(",5", R), ("x=,5", R), (".5", R)]);
}

#[test]
fn each_side_of_an_equality_counts() {
    check(
        "Factor",
        "x^2-5x+6",
        &[
            ("(x-2)(x-3)=x^2-5x+6", C),
            ("x^2-5x+6=(x-2)(x-3)", R),
            ("x^2-5x+6=x^2-5x+6", W),
        ],
    );
    check(
        "Evaluate",
        "3+4*2",
        &[
            ("11 = 3+4*2", C),
            ("3+4*2 = 11", R),
            ("14 = 7*2", W),
            ("3+8 = 3+4*2", C),
        ],
    );
    check(
        "Find the missing number: 5 + ___ = 9",
        "",
        &[("5+4=9", C), ("4", R), ("5", W)],
    );
    check(
        "Solve",
        "5x=20",
        &[("x=4, 5*4=20", C), ("x=4 because 5*4=20", R), ("x=5", W)],
    );
}

#[test]
fn signs_and_letters_have_more_than_one_spelling() {
    check(
        "Solve",
        "x^2=9",
        &[("+-3", C), ("x = +/-3", C), ("±3", R), ("+-4", W)],
    );
    check("Simplify.", "5x - 3x", &[("2X", R), ("3X", W)]);
    check(
        "Factor",
        "x^2-9",
        &[("(X-3)(X+3)", R), ("X^2-9", W), ("(X-3)(X+4)", W)],
    );
    check("Solve A = \\frac{1}{2}bh for h.", "", &[("2a/b", R)]);
    check(
        "Simplify",
        "\\sqrt{8x}",
        &[("2√2x", C), ("2sqrt2x", C), ("2√(2x)", R), ("3√2x", W)],
    );
    check(
        "Write 0.005 as a percent.",
        "",
        &[("1/2%", C), ("0.5%", R), ("1/3%", W)],
    );
    check("Evaluate", "14/4", &[("7/2 (3.5)", C), ("9/2 (4.5)", W)]);
    check("Solve", "2x=3", &[("1 and 1/2", C), ("1 and 1/3", W)]);
    check(
        "Solve",
        "|x| > 2",
        &[
            ("(-∞,-2) and (2,∞)", C),
            ("x < -2 and x > 2", W),
            ("(-∞,-3) and (2,∞)", W),
        ],
    );
}

#[test]
fn a_rounded_decimal_is_not_wrong() {
    check(
        "Convert $2/3$ to a percent.",
        "",
        &[("66.7%", C), ("67%", C), ("66.7", C), ("65.7%", W)],
    );
    check(
        "Solve",
        "x^2+2x-1=0",
        &[("-1 ± 1.41", C), ("-1 ± √2", R), ("0.9, -2.4", W)],
    );
    check(
        "Solve",
        "3x>2",
        &[("x>0.67", C), ("x > 2/3", R), ("x > 1", W)],
    );
    check("Solve", "2x>3", &[("x>1.6", W), ("x>1.5", R)]);
    check(
        "Simplify",
        "x/3+x/3",
        &[("0.67x", C), ("2x/3", R), ("x/3", W)],
    );
    check("Simplify", "0.5x+0.3x", &[("0.8x", R), ("0.9x", W)]);
    check("Solve $3x = 2y$ for $x$.", "", &[("0.67y", C), ("3y/2", W)]);
}
