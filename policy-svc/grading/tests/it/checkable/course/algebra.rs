//! Terms, equations, lines, powers.

use super::{Written, one_of, plus, with};

pub fn substitution(n: i64) -> Written {
    let (a, b, x) = (n % 7 + 2, n % 9 + 1, n % 5 + 2);
    if n % 4 == 3 {
        let prompt = format!("Write an expression for {b} less than a number n.");
        return with(
            &prompt,
            String::new(),
            format!("n - {b}"),
            format!("{b} - n"),
        );
    }
    let prompt = match n % 3 {
        0 => format!("Work out the value for x = {x}."),
        1 => format!("Evaluate the expression for x = {x}."),
        _ => format!("Evaluate when x = {x}."),
    };
    with(&prompt, format!("{a}x {}", plus(-b)), a * x - b, a * x + b)
}

pub fn like_terms(n: i64) -> Written {
    let (a, b, c) = (n % 7 + 9, n % 5 + 2, n % 9 + 1);
    let prompt = one_of(
        n,
        &[
            "Simplify.",
            "Simplify the expression.",
            "Combine like terms.",
        ],
    );
    match n % 3 {
        0 => with(
            prompt,
            format!("{a}x + {b}x"),
            format!("{}x", a + b),
            format!("{}x", a * b + 1),
        ),
        1 => with(
            prompt,
            format!("{a}n + {c} - {b}n"),
            format!("{}n + {c}", a - b),
            format!("{}n + {c}", a + b),
        ),
        _ => with(
            prompt,
            format!("{a}a + {b}b + {b}a + {c}b"),
            format!("{}a + {}b", a + b, b + c),
            format!("{}a + {}b", a + b, b + c + 1),
        ),
    }
}

pub fn brackets(n: i64) -> Written {
    let (a, b, c) = (n % 6 + 2, n % 4 + 2, n % 9 + 1);
    match n % 3 {
        0 => with(
            one_of(
                n,
                &["Expand the bracket.", "Expand.", "Expand the brackets."],
            ),
            format!("{a}(x {})", plus(-c)),
            format!("{a}x {}", plus(-a * c)),
            format!("{a}x {}", plus(-c)),
        ),
        1 => with(
            one_of(
                n,
                &[
                    "Take out the greatest common factor.",
                    "Factor out the greatest common factor.",
                ],
            ),
            format!("{}n + {a}", a * b),
            format!("{a}({b}n + 1)"),
            format!("{a}({b}n + {a})"),
        ),
        _ => with(
            one_of(n, &["Expand and simplify.", "Simplify."]),
            format!("{a}(y + {c}) + {b}y"),
            format!("{}y + {}", a + b, a * c),
            format!("{}y + {c}", a + b),
        ),
    }
}

const SOLVE: [&str; 4] = ["Solve the equation.", "Solve for x.", "Solve.", "Find x."];

pub fn one_step_equations(n: i64) -> Written {
    let (a, b, x) = (n % 8 + 2, n % 11 + 3, n % 13 + 1);
    let prompt = one_of(n, &SOLVE);
    match n % 3 {
        0 => with(
            prompt,
            format!("x {} = {}", plus(-b), x - b),
            format!("x = {x}"),
            x - 2 * b,
        ),
        1 => with(prompt, format!("{a}x = {}", a * x), x, a * x + 1),
        _ => with(
            prompt,
            format!("\\frac{{x}}{{{a}}} = {b}"),
            format!("x = {}", a * b),
            a + b,
        ),
    }
}

pub fn two_step_equations(n: i64) -> Written {
    let (a, b, x) = (n % 7 + 2, n % 9 + 1, n % 11 - 5);
    let prompt = one_of(n, &SOLVE);
    if n % 3 == 2 {
        return with(
            prompt,
            format!("{b} - {a}x = {}", b - a * x),
            format!("x = {x}"),
            x + 1,
        );
    }
    with(
        prompt,
        format!("{a}x {} = {}", plus(b), a * x + b),
        format!("x = {x}"),
        x + 1,
    )
}

pub fn both_sides(n: i64) -> Written {
    let (a, b, x) = (n % 5 + 3, n % 9 + 1, n % 11 - 5);
    let prompt = one_of(n, &SOLVE);
    if n % 4 == 3 {
        let inequality = one_of(n / 4, &["Solve the inequality.", "Solve for x."]);
        let question = format!("{a}x {} > {}", plus(b), a * x + b);
        return with(inequality, question, format!("x > {x}"), format!("x < {x}"));
    }
    if n % 2 == 0 {
        let question = format!("{a}x {} = 2x {}", plus(b), plus((a - 2) * x + b));
        return with(prompt, question, format!("x = {x}"), x + 1);
    }
    let question = format!("{a}(x {}) = x {}", plus(b), plus((a - 1) * x + a * b));
    with(prompt, question, format!("x = {x}"), x - 1)
}

pub fn lines(n: i64) -> Written {
    let (m, b, x) = (n % 5 + 2, n % 9 + 1, n % 7 - 3);
    match n % 5 {
        0 => with(
            &format!("Work out y for x = {x}."),
            format!("y = {m}x {}", plus(b)),
            format!("y = {}", m * x + b),
            format!("y = {}", m * x - b),
        ),
        1 => with(
            one_of(
                n,
                &[
                    "Work out the slope of the line.",
                    "What is the slope of this line?",
                ],
            ),
            format!("y = {b} {}x", plus(-m)),
            -m,
            b,
        ),
        2 => with(
            &format!(
                "A line has slope {m} and passes through ({x}, {}). Write its equation.",
                m * x + b
            ),
            String::new(),
            format!("y = {m}x + {b}"),
            format!("y = {b}x + {m}"),
        ),
        3 => with(
            one_of(
                n,
                &[
                    "Work out the x-coordinate where the line meets the x-axis.",
                    "Find the y-intercept.",
                ],
            ),
            format!("y = {m}x {}", plus(-m * b)),
            String::new(),
            String::new(),
        ),
        _ => with(
            one_of(
                n,
                &[
                    "Solve the system of equations.",
                    "Solve the system.",
                    "Solve for x and y.",
                ],
            ),
            format!("x + y = {}, x - y = {}", x + b, x - b),
            format!("x = {x}, y = {b}"),
            format!("x = {}, y = {b}", x + 1),
        ),
    }
}

pub fn powers(n: i64) -> Written {
    let (a, b) = (n % 6 + 4, n % 3 + 2);
    let prompt = one_of(
        n,
        &[
            "Write as a single power.",
            "Simplify.",
            "Simplify the expression.",
        ],
    );
    match n % 4 {
        0 => with(
            prompt,
            format!("x^{{{a}}} \\cdot x^{{{b}}}"),
            format!("x^{}", a + b),
            format!("x^{}", a * b),
        ),
        1 => with(
            prompt,
            format!("\\frac{{a^{{{a}}}}}{{a^{{{b}}}}}"),
            format!("a^{}", a - b),
            format!("a^{}", a + b),
        ),
        2 => with(
            prompt,
            format!("(n^{{{a}}})^{{{b}}}"),
            format!("n^{}", a * b),
            format!("n^{}", a + b),
        ),
        _ => with(
            "Simplify.",
            format!("({b}x)^{{2}}"),
            format!("{}x^2", b * b),
            format!("{b}x^2"),
        ),
    }
}

pub fn products(n: i64) -> Written {
    let (a, b) = (n % 5 + 1, n % 7 + 8);
    let prompt = one_of(n, &["Expand and simplify.", "Multiply.", "Expand."]);
    if n % 4 == 3 {
        let right = format!("n^2 + {}n + {}", 2 * b, b * b);
        return with(
            prompt,
            format!("(n + {b})^{{2}}"),
            right,
            format!("n^2 + {}", b * b),
        );
    }
    with(
        prompt,
        format!("(x + {a})(x - {b})"),
        format!("x^2 {}x {}", plus(a - b), plus(-a * b)),
        format!("x^2 {}x {}", plus(a + b), plus(-a * b)),
    )
}

pub fn factors(n: i64) -> Written {
    let (a, b) = (n % 5 + 1, n % 4 + 6);
    let prompt = one_of(
        n,
        &["Factor the expression.", "Factor.", "Factor completely."],
    );
    if n % 4 == 3 {
        let question = format!("n^{{2}} - {}", b * b);
        return with(
            prompt,
            question,
            format!("(n - {b})(n + {b})"),
            format!("(n - {b})^2"),
        );
    }
    with(
        prompt,
        format!("x^{{2}} + {}x + {}", a + b, a * b),
        format!("(x + {a})(x + {b})"),
        format!("(x - {a})(x + {b})"),
    )
}

pub fn quadratics(n: i64) -> Written {
    let (a, b) = (n % 5 + 1, n % 4 + 6);
    let question = format!("x^{{2}} - {}x + {} = 0", a + b, a * b);
    match n % 4 {
        0 => with(
            "Find the larger solution.",
            question,
            format!("x = {b}"),
            format!("x = {a}"),
        ),
        1 => with(
            "Find the smaller solution.",
            question,
            format!("x = {a}"),
            format!("x = {b}"),
        ),
        2 => with(
            "Find the solution that is not zero.",
            format!("x^{{2}} = {b}x"),
            format!("x = {b}"),
            format!("x = {}", b + 1),
        ),
        _ => with(
            one_of(
                n,
                &["Solve the equation.", "Solve by factoring.", "Solve for x."],
            ),
            question,
            format!("x = {a} or x = {b}"),
            format!("x = {a}"),
        ),
    }
}
