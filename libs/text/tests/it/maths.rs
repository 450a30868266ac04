//! The spellings of mathematics, one by one.

use turnwise_text::{Analyser, TermKind, normalise, normalise_signs};

fn terms(text: &str) -> Vec<String> {
    let analysis = Analyser::new("en").analyse(text);
    analysis.terms.into_iter().map(|term| term.text).collect()
}

#[test]
fn signs_are_typed_as_a_person_would() {
    for (text, typed) in [
        ("−3 − 5", "-3 - 5"),
        ("2 × 3 ÷ 4 · 5 ∙ 6", "2 * 3 / 4 * 5 * 6"),
        ("“It’s” Anna’s", "\"It's\" Anna's"),
        ("ＡＢＣ １２", "ABC 12"),
        ("a ≠ 0, b ≤ 1", "a != 0, b <= 1"),
        ("x² + y³", "x^2 + y^3"),
        ("x⁻¹ and 2ⁿ⁺¹", "x^(-1) and 2^(n+1)"),
        ("the 1ˢᵗ", "the 1st"),
        ("x₁ + x₁₂", "x_1 + x_12"),
        ("H₂O", "H_2O"),
        ("2½ cups, ¾", "2 1/2 cups, 3/4"),
        ("√9, √(x+1), 5√3", "sqrt(9), sqrt(x+1), 5 sqrt(3)"),
        ("∛8", "root3(8)"),
        ("C = 2πr", "C = 2 pi r"),
        ("λόγος π", "λόγος pi"),
        ("90° turn", "90 degrees turn"),
        ("n° 5", "n  5"),
        ("frac\u{AD}tions", "fractions"),
        ("It costs $5 and $.50.", "It costs $5 and $.50."),
        ("don´t", "don't"),
        ("Q&A: 5 % of 20", "Q&A: 5 % of 20"),
    ] {
        assert_eq!(normalise_signs(text), typed, "{text}");
    }
    assert_eq!(normalise("Ünder ＡＢＣ"), "ünder abc");
}

#[test]
fn latex_is_typed_as_a_person_would() {
    for (latex, typed) in [
        (r"\frac{3}{4}", "3/4"),
        (r"\dfrac{x+1}{2}", "(x+1)/2"),
        (r"\frac34 and \frac{1}2", "3/4 and 1/2"),
        (r"\frac{\frac{1}{2}}{3}", "(1/2)/3"),
        (r"2\frac{1}{2}", "2 1/2"),
        (r"x^{2} + x^{n+1}", "x^2 + x^(n+1)"),
        (r"x^\frac{1}{2}", "x^(1/2)"),
        (r"\sqrt{9} + \sqrt[3]{x}", "sqrt(9) + root3(x)"),
        (r"\sqrt 25 + \sqrt\frac{1}{2}", "sqrt(25) + sqrt(1/2)"),
        (r"5\sqrt{3} x\sqrt{y}", "5 sqrt(3) x sqrt(y)"),
        (r"\left(x+1\right)", "(x+1)"),
        (r"\left.x\right|", "x|"),
        (r"$x$ and \(y\) and \[z\]", " x  and y  and z "),
        (r"$5x+3$", " 5x+3 "),
        (r"costs \$5", "costs $5"),
        (r"0.\overline{3}", "0.3"),
        (r"5\text{ cm}", "5 cm"),
        (r"5\mathrm{cm}", "5 cm"),
        (r"90^\circ + 30^{\circ}", "90 degrees + 30 degrees"),
        (r"2\pi r", "2 pi r"),
        (r"\sin\theta", "sin theta"),
        (r"2\cdot 3 \neq 5", "2* 3 != 5"),
        (r"1{,}200", "1,200"),
        (r"\begin{cases}x+y=2\\x-y=0\end{cases}", "x+y=2; x-y=0"),
        (r"\begin{pmatrix}1 & 2\\3 & 4\end{pmatrix}", "[1, 2; 3, 4]"),
        (r"\begin{array}{cc}1&2\\3&4\end{array}", "[1, 2; 3, 4]"),
        (r"\textcolor{red}{x}+1", "x+1"),
        (r"\\frac{1}{2}", "1/2"),
        (r"\binom{n}{k}", "(n) choose (k)"),
        (r"\{1, 2\}", "(1, 2)"),
        ("no latex, 5 % of it", "no latex, 5 % of it"),
    ] {
        assert_eq!(normalise_signs(latex), typed, "{latex}");
    }
}

#[test]
fn one_formula_has_the_same_terms_however_it_is_written() {
    for same in [
        &[
            r"$\frac{3}{4}$",
            r"\tfrac34",
            "¾",
            "(3)/(4)",
            "3⁄4",
            "3/4",
            "3 ÷ 4",
        ] as &[&str],
        &[r"2\frac{1}{2}", "2½", "2 1/2", "2 ½", "2(1)/(2)"],
        &["x^{2}-4", "x²−4", "x^2-4", "x^(2) – 4"],
        &[r"a^{2}b", "a²b", "a^2b", "a^(2)b"],
        &["x^{-1}", "x⁻¹", "x^(-1)", "x^-1"],
        &[r"\sqrt{a}", "√a", "√(a)", "sqrt(a)"],
        &[r"\sqrt[3]{27}", "∛27", "³√27", "root3(27)", "root(3)(27)"],
        &[r"\sqrt[n]{x+1}", "ⁿ√(x+1)", "rootn(x+1)"],
        &[
            r"\sqrt[2]{5}\div\frac{1}{2}",
            "²√5÷½",
            "root2(5)/(1)/(2)",
            "root2(5)/1/2",
        ],
        &["x_{1}+x_{2}", "x₁+x₂", "x_1+x_2", "x1+x2"],
        &[r"A=\pi r^{2}", "A=πr²", "A=pi r^2"],
        &[r"x \neq 3", r"x \ne 3", r"x \not= 3", "x ≠ 3", "x != 3"],
        &[r"x \geq 3", "x ≥ 3", "x >= 3", "x ⩾ 3"],
        &[r"30^\circ", "30°", r"30\degree", "30 degrees"],
        &[r"\left|x-1\right|", "|x-1|", r"\lvert x-1\rvert"],
        &[
            r"\begin{bmatrix}1&2\\3&4\end{bmatrix}",
            "[1, 2; 3, 4]",
            "[[1, 2], [3, 4]]",
        ],
        &[
            r"\frac{\text{rise}}{\text{run}}",
            "(rise)/(run)",
            "rise/run",
        ],
    ] {
        for other in same {
            assert_eq!(terms(other), terms(same[0]), "{other}");
        }
    }
}

#[test]
fn formulas_that_differ_have_different_terms() {
    for (one, other) in [
        ("x^2", "x_2"),
        (r"\sqrt[3]{x}", r"\sqrt{x}"),
        ("x ≠ 3", "x = 3"),
        (r"\frac{x+1}{2}", "x+1/2"),
        ("2½", "21/2"),
        ("2^{n+1}", "2^n+1"),
    ] {
        assert_ne!(terms(one), terms(other), "{one} {other}");
    }
}

#[test]
fn a_named_letter_is_a_word_and_a_part_of_its_formula() {
    let analysis = Analyser::new("en").analyse("2πr");
    let found: Vec<(TermKind, &str)> = analysis
        .terms
        .iter()
        .map(|term| (term.kind, term.text.as_str()))
        .collect();
    assert!(found.contains(&(TermKind::Word, "pi")));
    assert!(found.contains(&(TermKind::Shape, "§nvv")));
}
