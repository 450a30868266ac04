//! Tables of drills and answers with the verdict that a teacher would give.

use turnwise_grading::{Drill, Grade, Reason, Task, Verdict, grade};

const R: Verdict = Verdict::Right;
const W: Verdict = Verdict::Wrong;
const C: Verdict = Verdict::CannotTell;

fn graded(prompt: &str, question: &str, answer: &str) -> Grade {
    let drill = Drill {
        prompt,
        question_latex: question,
        key: None,
    };
    grade(&drill, answer)
}

#[track_caller]
fn check(prompt: &str, question: &str, table: &[(&str, Verdict)]) {
    let failed: Vec<String> = table
        .iter()
        .filter_map(|(answer, expected)| {
            let grade = graded(prompt, question, answer);
            (grade.verdict != *expected)
                .then(|| format!("{answer}: {grade:?}, expected {expected:?}"))
        })
        .collect();
    assert!(
        failed.is_empty(),
        "{prompt} {question}\n{}",
        failed.join("\n")
    );
}

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
            ("six", C),
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
            ("x = -1/2 ± 5/2", R),
            ("x = \\frac{-1 \\pm \\sqrt{25}}{2}", R),
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
fn values_are_worked_out() {
    check(
        "Work out the value.",
        "4 + 5 \\times 3",
        &[
            ("19", R),
            ("= 19", R),
            ("4 + 15 = 19", R),
            ("4+5*3", W),
            ("4 + 15", W),
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
        &[("81", R), ("12", W), ("3^4", W)],
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
    check("Evaluate", "|-7|", &[("7", R), ("-7", W)]);
    check("Evaluate", "1/0", &[("undefined", R), ("0", C)]);
}

#[test]
fn a_decimal_comma_is_read_where_it_can_be_one() {
    check(
        "Work out the value.",
        "5 \\div 2",
        &[("2,5", R), ("2.5", R), ("2,6", C)],
    );
    check("Solve", "(x-2)(x-5)=0", &[("2,5", R)]);
    check("Work out", "600 \\times 2", &[("1,200", R), ("1200", R)]);
}

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
fn rounding_is_to_the_place_asked_for() {
    check(
        "Round 3.456 to the nearest tenth.",
        "",
        &[("3.5", R), ("3.4", C), ("3.6", W), ("3.456", C)],
    );
}

#[test]
fn what_is_not_understood_is_never_decided() {
    for (prompt, question, answer) in [
        ("Determine the degree of each polynomial.", "4x^2+1", "2"),
        ("Find the number of terms in 3x+5.", "", "2"),
        ("Find the negative of 5.", "", "-5"),
        ("Find the greatest common factor of 12x and 18.", "", "6"),
        ("Find the sum of the solutions.", "x^2-5x+6=0", "5"),
        ("Is x=-1 a solution? sqrt(x+2)=x", "", "no"),
        (
            "Six pens cost 9 euros. Work out the price of 10 pens in euros.",
            "",
            "15",
        ),
        ("Löse die Gleichung.", "x + 1 = 3", "2"),
        ("Solve.", "\\int_0^1 x dx = 1", "2"),
        ("Solve.", "", "2"),
        ("", "", "2"),
        ("Simplify.", "1/2x", "x/2"),
        ("", "4a - 9a", "4"),
    ] {
        assert_eq!(
            graded(prompt, question, answer).verdict,
            C,
            "{prompt} {question}"
        );
    }
}

#[test]
fn reasons_say_what_is_missing() {
    for (prompt, question, answer, task, reason) in [
        (
            "Solve.",
            "x^2 = 4",
            "2",
            Task::Solve,
            Reason::IncompleteSolutionSet,
        ),
        ("Solve.", "x^2 = 4", "3", Task::Solve, Reason::NotASolution),
        (
            "Solve.",
            "x^2 = 4",
            "x^2=4",
            Task::Solve,
            Reason::CopiedQuestion,
        ),
        (
            "Solve.",
            "x^2 = 4",
            "±2",
            Task::Solve,
            Reason::EqualToSolution,
        ),
        (
            "Solve.",
            "x^2 = 4",
            "because I said so",
            Task::Solve,
            Reason::UnreadableAnswer,
        ),
        (
            "Factor.",
            "2x^2-8",
            "2(x^2-4)",
            Task::Factor,
            Reason::NotFactored,
        ),
        (
            "Expand.",
            "2x(x+1)(x-1)",
            "2x(x^2-1)",
            Task::Expand,
            Reason::NotExpanded,
        ),
        (
            "Simplify.",
            "2x+3x+x",
            "5x+x",
            Task::Simplify,
            Reason::NotSimplified,
        ),
        (
            "Evaluate.",
            "2+3*4",
            "2+12",
            Task::Evaluate,
            Reason::NotEvaluated,
        ),
        ("Evaluate.", "2+3*4", "20", Task::Evaluate, Reason::NotEqual),
        (
            "Write 1/2 as a decimal.",
            "",
            "2/4",
            Task::Convert,
            Reason::NotConverted,
        ),
        (
            "Name the shape.",
            "",
            "x",
            Task::Unknown,
            Reason::UnreadableTask,
        ),
    ] {
        let grade = graded(prompt, question, answer);
        assert_eq!(
            (grade.task, grade.reason),
            (task, reason),
            "{prompt} {question} {answer}"
        );
    }
}
