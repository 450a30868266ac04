//! Equations, systems, inequalities: the whole set of solutions.

use super::*;

#[test]
fn linear_equations_want_the_solution() {
    check(
        "Solve the equation.",
        "4x + 3 = 27",
        &[
            ("x = 6", R),
            ("6", R),
            ("6 = x", R),
            ("x=12/2", R),
            ("x = 6.0", R),
            ("$x = 6$", R),
            ("\\(x=6\\)", R),
            ("the answer is 6", R),
            ("x is 6", R),
            ("{6}", R),
            ("x = \\frac{12}{2}", R),
            ("x ＝ ６", R),
            ("x = 7", W),
            ("-6", W),
            ("6 or 7", W),
            ("no solution", W),
            ("all real numbers", W),
            ("4x + 3 = 27", W),
            ("27 = 3 + 4x", W),
            ("4x = 24", C),
            ("y = 6", C),
            ("six", R),
            ("", C),
            ("idk", C),
        ],
    );
}

#[test]
fn quadratic_equations_want_every_solution() {
    check(
        "Solve the equation.",
        "x^{2} + x - 6 = 0",
        &[
            ("x = 2 or x = -3", R),
            ("x=2, x=-3", R),
            ("x = -3, 2", R),
            ("{2, -3}", R),
            ("\\{-3, 2\\}", R),
            ("2 and -3", R),
            ("x = 2 \\text{ or } x = −3", R),
            ("x_1 = 2, x_2 = -3", R),
            ("x = -1/2 ± 5/2", C),
            ("x = \\frac{-1 \\pm \\sqrt{25}}{2}", C),
            ("2", W),
            ("x = 2", W),
            ("2, 3", W),
            ("2, -3, 4", W),
            ("(x - 2)(x + 3) = 0", C),
            ("x^2 + x - 6 = 0", W),
            ("-6 + x + x^2 = 0", W),
        ],
    );
    check(
        "Solve by completing the square.",
        "y^2+8y=11",
        &[
            ("-4±3√3", R),
            ("y = -4 \\pm 3\\sqrt{3}", R),
            ("-4+3sqrt(3), -4-3sqrt(3)", R),
            ("-4 ± sqrt(27)", R),
            ("-4+3sqrt(3)", W),
            ("-4±2√3", W),
            ("1.196, -9.196", C),
            ("1.2, -9.2", C),
            ("1.3, -9.2", W),
        ],
    );
}

#[test]
fn some_equations_have_no_or_all_solutions() {
    check(
        "Solve",
        "x^2 + 4 = 0",
        &[
            ("no real solution", R),
            ("no solution", R),
            ("∅", R),
            ("x = 2", W),
            ("2, -2", W),
        ],
    );
    check(
        "Solve",
        "2(x+1) = 2x + 2",
        &[
            ("all real numbers", R),
            ("infinitely many solutions", R),
            ("ℝ", R),
            ("0", W),
            ("no solution", W),
        ],
    );
    check(
        "Solve",
        "x + 1 = x + 2",
        &[("no solution", R), ("0", W), ("all real numbers", W)],
    );
}

#[test]
fn what_reduces_to_polynomials_is_solved() {
    check(
        "Solve",
        "\\frac{3}{x+1} = \\frac{6}{x+4}",
        &[("2", R), ("x=-1", W)],
    );
    check(
        "Solve",
        "\\frac{x^2-1}{x-1} = 2",
        &[("no solution", R), ("1", W)],
    );
    check("Solve", "|2x - 3| = 5", &[("4, -1", R), ("4", W)]);
    check("Solve", "|x| = -1", &[("no solution", R), ("1", W)]);
    check(
        "Solve",
        "\\sqrt{x+2} = x",
        &[("2", R), ("2, -1", W), ("-1", W)],
    );
    check(
        "Solve",
        "\\sqrt{x} + 3 = \\sqrt{x+5}",
        &[("no solution", R), ("4/9", W)],
    );
    check("Solve", "x^4 - 5x^2 + 4 = 0", &[("±1, ±2", R), ("1, 2", W)]);
    check("Solve", "x^3 = 8", &[("2", R), ("±2", W)]);
}

#[test]
fn one_of_several_solutions_can_be_asked_for() {
    check(
        "Find the larger solution.",
        "(x - 4)(x + 9) = 0",
        &[("x = 4", R), ("-9", W), ("4, -9", W)],
    );
    check(
        "Find the smaller solution.",
        "x^{2} - 6x + 8 = 0",
        &[("2", R), ("4", W)],
    );
    check(
        "Find the solution that is not zero.",
        "x^2 = 6x",
        &[("6", R), ("0", W), ("0, 6", W)],
    );
    check(
        "Find the positive solution.",
        "x^2 = 5",
        &[("√5", R), ("-√5", W), ("±√5", W)],
    );
}

#[test]
fn systems_want_a_value_for_each_variable() {
    check(
        "Solve the system.",
        "\\begin{cases} x + y = 5 \\\\ x - y = 1 \\end{cases}",
        &[
            ("(3, 2)", R),
            ("x = 3, y = 2", R),
            ("y=2 and x=3", R),
            ("3, 2", R),
            ("(2, 3)", W),
            ("x = 3", W),
            ("x=3, y=1", W),
            ("no solution", W),
        ],
    );
    check(
        "Solve the system of equations. x+y=5, 2x+2y=10",
        "",
        &[("infinitely many solutions", R), ("no solution", W)],
    );
    check(
        "Solve the system x+y=5 and x+y=6.",
        "",
        &[("no solution", R), ("(1, 4)", W)],
    );
    check(
        "Solve the system 2x+y=7 x-2y=6",
        "",
        &[("(4,-1)", R), ("(4,1)", W)],
    );
}

#[test]
fn formulas_are_solved_for_a_letter() {
    check(
        "Solve for y.",
        "-4x + y = -6",
        &[
            ("y = 4x - 6", R),
            ("y=-6+4x", R),
            ("4x-6", R),
            ("y = -4x - 6", W),
            ("-4x+y=-6", W),
        ],
    );
    check(
        "Solve A = \\frac{1}{2}bh for h.",
        "",
        &[("h = \\frac{2A}{b}", R), ("h=A/(2b)", W)],
    );
}

#[test]
fn inequalities_want_the_whole_set() {
    check(
        "Solve the inequality.",
        "2x + 1 > 7",
        &[
            ("x > 3", R),
            ("3 < x", R),
            ("(3, inf)", R),
            ("(3, \\infty)", R),
            ("{x | x > 3}", R),
            ("x > 6/2", R),
            ("x >= 3", W),
            ("x < 3", W),
            ("[3, ∞)", W),
            ("2x + 1 > 7", W),
            ("3", W),
        ],
    );
    check(
        "Solve",
        "-3 < x + 1 \\le 5",
        &[
            ("-4 < x <= 4", R),
            ("(-4, 4]", R),
            ("x > -4 and x <= 4", R),
            ("(-4,4)", W),
        ],
    );
    check("Solve", "-2x \\geq 6", &[("x <= -3", R), ("x ≥ -3", W)]);
    check(
        "Solve",
        "|x| > 2",
        &[("x < -2 or x > 2", R), ("(-∞,-2) ∪ (2,∞)", R), ("x > 2", W)],
    );
    check(
        "Solve",
        "x^2 - 4 < 0",
        &[("-2 < x < 2", R), ("(-2, 2)", R), ("x < 2", W)],
    );
    check(
        "Solve the inequality and write the solution in interval notation.",
        "x - 2 > 1",
        &[("(3, inf)", R), ("x > 3", C)],
    );
}

#[test]
fn a_missing_number_is_solved_for() {
    check(
        "Find the missing number.",
        "\\frac{3}{8} = \\frac{n}{40}",
        &[("15", R), ("n = 15", R), ("3/8", W), ("14", W)],
    );
    check(
        "Find the missing number.",
        "5 + \\square = 12",
        &[("7", R), ("17", W)],
    );
}

#[test]
fn words_about_solutions_ask_for_all_of_them_or_are_not_decided() {
    check(
        "Solve $x^2=9$. Enter the smaller solution first.",
        "",
        &[("-3, 3", R), ("-3", W)],
    );
    check(
        "Give both the positive and the negative solution.",
        "x^2=9",
        &[("±3", R), ("3", W)],
    );
    for (prompt, question, answer) in [
        ("Solve $x^2=9$ for positive $x$.", "", "3"),
        (
            "Solve. Assume that all variables represent positive real numbers.",
            "x^2=9",
            "3",
        ),
        ("Find the integer solutions of $2x^2-5x+2=0$", "", "2"),
        ("Find the whole number solution: $x^2-x-6=0$", "", "3"),
        ("First factor. Find the larger solution.", "x^2=9", "3"),
        (
            "Find the larger solution. Add 9 to both sides.",
            "x^2-9=0",
            "3",
        ),
    ] {
        check(prompt, question, &[(answer, C)]);
    }
}

#[test]
fn what_is_solved_but_for_arithmetic_is_worked_out() {
    check(
        "Find the missing number: $6 \\cdot 7 = ___$",
        "",
        &[
            ("42", R),
            ("6*7=42", R),
            ("6*7", C),
            ("7*6", C),
            ("2*21", C),
            ("43", W),
        ],
    );
    check(
        "Solve $x=3+4$",
        "",
        &[("7", R), ("x=7", R), ("3+4", C), ("4+3", C)],
    );
    check(
        "Find the value of $y$: $y=2x+1$ when $x=3$",
        "",
        &[("7", R), ("2*3+1", C), ("y=2*3+1", W), ("6+1", C)],
    );
    check("Solve $x=2^3\\cdot 2^5$", "", &[("256", R), ("2^8", C)]);
    check("Solve $y=2x+1$ for $y$.", "", &[("2x+1", C)]);
}
