//! Values: worked out, compared, rounded.

use super::*;

#[test]
fn values_are_worked_out() {
    check(
        "Work out the value.",
        "4 + 5 \\times 3",
        &[
            ("19", R),
            ("= 19", R),
            ("4 + 15 = 19", R),
            ("4+5*3", W),
            ("4 + 15", C),
            ("27", W),
            ("38/2", R),
        ],
    );
    check(
        "Work out the sum.",
        "\\frac{1}{5} + \\frac{2}{3}",
        &[
            ("13/15", R),
            ("\\dfrac{13}{15}", R),
            ("26/30", R),
            ("0.8667", C),
            ("0.87", C),
            ("3/8", W),
            ("1/5+2/3", W),
        ],
    );
    check(
        "Work out the value for x = -2.",
        "7 - 4x",
        &[("15", R), ("-1", W), ("7-4x", W)],
    );
    check(
        "Evaluate 3^x when x = 4.",
        "",
        &[("81", R), ("12", W), ("3^4", C)],
    );
    check(
        "Work out y for x = 4.",
        "y = 3x - 7",
        &[("y = 5", R), ("5", R), ("y=19", W)],
    );
    check(
        "Calculate",
        "2\\frac{1}{2} + 1\\frac{1}{4}",
        &[
            ("3 3/4", R),
            ("15/4", R),
            ("3.75", R),
            ("3¾", R),
            ("3.5", W),
        ],
    );
    check(
        "Evaluate",
        "\\sqrt{45}",
        &[("3√5", R), ("3\\sqrt{5}", R), ("5√3", W)],
    );
    check(
        "Evaluate $12/4$",
        "",
        &[("3", R), ("24/8", C), ("6/2", C), ("12/4", C), ("4", W)],
    );
    check("Evaluate", "|-7|", &[("7", R), ("-7", W)]);
    check("Evaluate", "1/0", &[("undefined", R), ("0", C)]);
}

#[test]
fn a_decimal_comma_is_read_where_it_can_be_one() {
    check(
        "Work out the value.",
        "5 \\div 2",
        &[("2,5", R), ("2.5", R), ("2,6", W)],
    );
    check("Solve", "(x-2)(x-5)=0", &[("2,5", R)]);
    check("Work out", "600 \\times 2", &[("1,200", R), ("1200", R)]);
}

#[test]
fn numbers_are_compared_by_sign() {
    check(
        "3 ___ -4",
        "",
        &[
            (">", R),
            ("<", W),
            ("=", W),
            ("3 > -4", R),
            ("greater than", R),
        ],
    );
    check(
        "Compare.",
        "\\frac{2}{3} \\square \\frac{3}{4}",
        &[("<", R), (">", W)],
    );
}

#[test]
fn rounding_is_to_the_place_asked_for() {
    check(
        "Round 3.456 to the nearest tenth.",
        "",
        &[("3.5", R), ("3.4", C), ("3.6", W), ("3.456", C)],
    );
    check(
        "Round $7/2$ to the nearest whole number",
        "",
        &[("4", R), ("3", C), ("5", W)],
    );
    check(
        "Round $-7/2$ to the nearest whole number",
        "",
        &[("-4", C), ("-3", C), ("-5", W)],
    );
}
