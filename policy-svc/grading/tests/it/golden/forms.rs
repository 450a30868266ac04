//! Forms: simpler, expanded, factored, converted.

use super::*;

#[test]
fn simplifying_wants_a_simpler_form() {
    check(
        "Simplify.",
        "5x + 3x",
        &[
            ("8x", R),
            ("8*x", R),
            ("x*8", R),
            ("5x+3x", W),
            ("3x + 5x", W),
            ("x(5+3)", W),
            ("15x", W),
            ("8x^2", W),
        ],
    );
    check(
        "Simplify.",
        "8a - 3b - 5a + 7b",
        &[("3a+4b", R), ("4b+3a", R), ("3a - 3b + 7b", W)],
    );
    check(
        "Write the fraction in lowest terms.",
        "\\frac{20}{28}",
        &[("5/7", R), ("10/14", W), ("20/28", W), ("\\frac57", R)],
    );
    check(
        "Simplify.",
        "6(3n+2)+9",
        &[("18n+21", R), ("3(6n+7)", R), ("18n+12+9", W)],
    );
    check(
        "Simplify",
        "\\frac{x^2-9}{x^2+5x+6}",
        &[
            ("(x-3)/(x+2)", R),
            ("\\frac{x-3}{x+2}", R),
            ("((x-3)(x+3))/((x+2)(x+3))", W),
            ("(x+3)/(x+2)", W),
        ],
    );
    check(
        "Write as a single power.",
        "x^{2} \\cdot x^{6}",
        &[
            ("x^8", R),
            ("x^{8}", R),
            ("x⁸", R),
            ("x^2x^6", W),
            ("x^12", W),
        ],
    );
    check(
        "Simplify",
        "\\sqrt{72}",
        &[("6√2", R), ("2√18", W), ("√72", W), ("8.485", C)],
    );
    check("Simplify", "\\sqrt{p^3}", &[("p√p", R), ("p sqrt(p)", R)]);
}

#[test]
fn expanding_wants_no_brackets() {
    check(
        "Expand the bracket.",
        "-3(2a - 7)",
        &[
            ("-6a + 21", R),
            ("21 - 6a", R),
            ("-3(2a-7)", W),
            ("3(7-2a)", W),
            ("-6a-21", W),
        ],
    );
    check(
        "Expand and simplify.",
        "(x - 5)(x + 2)",
        &[
            ("x^2-3x-10", R),
            ("x²−3x−10", R),
            ("x^2+2x-5x-10", W),
            ("(x+2)(x-5)", W),
        ],
    );
    check("Multiply: (x+3)p", "", &[("xp+3p", R), ("p(x+3)", W)]);
}

#[test]
fn factoring_wants_all_factors() {
    check(
        "Factor the expression.",
        "x^{2} + 8x + 15",
        &[
            ("(x+3)(x+5)", R),
            ("(5+x)(3+x)", R),
            ("(-x-3)(-x-5)", R),
            ("x^2+8x+15", W),
            ("15+8x+x^2", W),
            ("x(x+8)+15", W),
            ("(x+3)(x+4)", W),
        ],
    );
    check(
        "Factor completely.",
        "2x^2 + 8x + 6",
        &[("2(x+1)(x+3)", R), ("(2x+2)(x+3)", W), ("2(x^2+4x+3)", W)],
    );
    check(
        "Factor",
        "x^4 - 16",
        &[("(x-2)(x+2)(x^2+4)", R), ("(x^2-4)(x^2+4)", W)],
    );
    check("Factor", "x^2 - 16y^4", &[("(x-4y^2)(x+4y^2)", R)]);
    check(
        "Factor",
        "xy + 2x + 3y + 6",
        &[("(x+3)(y+2)", R), ("x(y+2)+3(y+2)", W)],
    );
    check(
        "Factor",
        "x^2 + 6x + 9",
        &[("(x+3)^2", R), ("(x+3)(x+3)", R)],
    );
    check(
        "Factor",
        "x^2 + 9",
        &[
            ("prime", R),
            ("cannot be factored", R),
            ("x^2+9", C),
            ("(x+3)^2", W),
        ],
    );
    check(
        "Factor the greatest common factor from each polynomial.",
        "6m + 9",
        &[("3(2m+3)", R), ("6m+9", W)],
    );
    check(
        "Factor 80.",
        "",
        &[("2^4*5", R), ("2*2*2*2*5", R), ("8*10", W), ("80", W)],
    );
}

#[test]
fn conversions_want_the_form() {
    check(
        "Write 3/8 as a decimal.",
        "",
        &[
            ("0.375", R),
            ("3/8", W),
            ("6/16", W),
            ("0.38", C),
            ("0.36", W),
        ],
    );
    check(
        "Write 0.375 as a fraction.",
        "",
        &[("3/8", R), ("0.375", W), ("375/1000", C)],
    );
    check(
        "Convert 0.45 to a percent.",
        "",
        &[("45%", R), ("45 \\%", R), ("0.45", W), ("4.5%", W)],
    );
    check(
        "Write 7/3 as a mixed number.",
        "",
        &[("2 1/3", R), ("7/3", W), ("2 2/3", W)],
    );
    check(
        "Write 2\\frac{1}{3} as an improper fraction.",
        "",
        &[("7/3", R), ("2 1/3", W)],
    );
    check(
        "Convert: 350 L to kiloliters",
        "",
        &[
            ("0.35", R),
            ("0.35 kL", R),
            ("350 L", W),
            ("3.5", W),
            ("350", W),
        ],
    );
    check(
        "Write 45000 in scientific notation.",
        "",
        &[
            ("4.5 * 10^4", R),
            ("4.5 \\times 10^{4}", R),
            ("45000", W),
            ("45*10^3", C),
        ],
    );
}

#[test]
fn conversions_of_units_want_the_number_in_the_unit() {
    check(
        "Convert 3 feet to inches.",
        "",
        &[
            ("36", R),
            ("36 inches", R),
            ("3 feet", W),
            ("1 yard", W),
            ("3", W),
            ("30", W),
        ],
    );
    check("Express 2 hours in minutes.", "", &[("120", R), ("2", W)]);
    check(
        "Convert 50 mm to cm",
        "",
        &[("5", R), ("5 cm", R), ("500", W)],
    );
    check(
        "Convert 3 feet 2 inches to inches.",
        "",
        &[("38", C), ("3", C)],
    );
    check("Convert 3 in to cm.", "", &[("7.62", C), ("3", C)]);
    check("Find the value of 3 dollars in cents.", "", &[("300", C)]);
    check(
        "Convert 40 inches to feet and inches.",
        "",
        &[("3 feet and 4 inches", C), ("40", C)],
    );
    check(
        "Write 45 minutes as a fraction of an hour in simplest form.",
        "",
        &[("3/4", C)],
    );
    check(
        "Convert 1234 m to km. Round to the nearest tenth.",
        "",
        &[("1.2", C), ("1.234", C)],
    );
}

#[test]
fn the_target_is_the_form_that_is_named() {
    check(
        "Write $7/2$ as a mixed number in simplest form.",
        "",
        &[("3 1/2", R), ("3.5", W), ("3 2/4", W)],
    );
    check(
        "Write $0.75$ as a fraction in lowest terms.",
        "",
        &[("3/4", R), ("75%", W), ("75/100", W)],
    );
    check(
        "Write $60\\%$ as a fraction in simplest form.",
        "",
        &[("3/5", R), ("0.6", W)],
    );
    check(
        "Write $2.5$ as an improper fraction in lowest terms.",
        "",
        &[("5/2", R), ("2 1/2", W), ("10/4", W)],
    );
    check(
        "Simplify. Write the answer as a fraction in lowest terms.",
        "1/2+1/4",
        &[("3/4", R), ("0.75", C), ("6/8", W)],
    );
    check(
        "Convert $3 1/2$ to an improper fraction",
        "",
        &[("7/2", R), ("14/4", C)],
    );
    check(
        "Write as a single fraction in simplest form.",
        "\\frac{1}{x} + \\frac{2}{x}",
        &[("3/x", R), ("4/x", W)],
    );
    check(
        "Convert 2/3 to a decimal. Round to the nearest hundredth.",
        "",
        &[("0.67", R), ("0.5", W)],
    );
    check(
        "Convert 2/3 to a percent. Round to the nearest tenth.",
        "",
        &[("66.7%", C), ("66.7", C)],
    );
    check(
        "Write $3/4$ as a percent.",
        "",
        &[("75%", R), ("75", C), ("7.5", W)],
    );
}

#[test]
fn what_only_looks_factored_is_not() {
    check(
        "Factor completely. First factor out the greatest common factor.",
        "4x^2-16",
        &[("4(x-2)(x+2)", R), ("4(x^2-4)", W)],
    );
    check("Factor", "x^2+1", &[("1(x^2+1)", C), ("-1(-x^2-1)", C)]);
    check(
        "Factor out the greatest common factor.",
        "2x+3",
        &[("1(2x+3)", C)],
    );
    check("Factor $7$", "", &[("prime", R)]);
    check("Factor $8$", "", &[("prime", W)]);
}
