//! What a text says of numbers in words, and what it says to follow.

use turnwise_grading::check_text;

fn are_told_apart(wrong: &[&str], right: &[&str]) {
    let passed = wrong.iter().filter(|text| check_text(text, &[]).holds());
    assert_eq!(passed.collect::<Vec<_>>(), [&""; 0]);
    let withheld = right.iter().filter(|text| !check_text(text, &[]).holds());
    assert_eq!(withheld.collect::<Vec<_>>(), [&""; 0]);
}

#[test]
fn sums_are_said_in_words() {
    let wrong = [
        "6 times 7 gives 41.",
        "So 6 times 7 is 41, and now go on.",
        "6 plus 7 is 12, so what comes next?",
        "Two plus two equals five.",
        "Six times seven is forty-one.",
        "Minus 2 plus 5 is minus 7.",
        "-2 + 5 gives -3.",
        "$12 \\div 3$ is 3.",
        "12 divided by 3 makes 3.",
        "25% of 80 is 25.",
        "20 percent of 50 is 5.",
        "Half of 14 is 8.",
        "1/2 of 14 is 8.",
        "Two thirds of 12 is 9.",
        "Double 6 is 13.",
        "The sum of 3 and 4 is 8.",
        "Half of the sum of 3 and 5 is 5.",
        "The square root of 16 is 8.",
        "2 to the power of 3 is 6.",
        "6 mal 7 ist 41.",
        "12 geteilt durch 3 ergibt 3.",
        "Zwei plus zwei ist fünf.",
        "25 Prozent von 80 sind 25.",
        "Die Hälfte von 14 ist 8.",
        "Die Wurzel aus 16 ist 8.",
        "4 + 5 × 3 is 27.",
        "7 - (-4) is 3.",
        "(2 + 3) · 4 gives 14.",
        "2^3 is 6.",
        r"$\frac{1}{2} + \frac{1}{3}$ is $\frac{2}{5}$.",
        "-35 ÷ (-5) is -7.",
        "1/2 is 0.2.",
        "7 - (-4) ergibt 3.",
        "The difference between 9 and 4 is 6.",
        "The quotient of 12 and 4 is 4.",
        "20/28 simplifies to 5/8.",
        "Die Differenz von 9 und 4 ist 6.",
        "- 6 times 7 is 41.",
        "Remember:\n\n- Half of 14 is 8.\n- 6 times 7 is 42.",
        "• Twice 6 is 13.",
        "a) Twice 6 is 13.",
        "(1) Die Hälfte von 14 ist 8.",
        "3 cubed is 9.",
        "The square of 5 is 10.",
        "Das Quadrat von 5 ist 10.",
        "Zweimal 6 ist 13.",
    ];
    let right = [
        "6 times 7 is 42.",
        "- 6 times 7 is 42.\n- 3 cubed is 27.\na) The square of 5 is 25.",
        "6 times 7 is not 41.",
        "6 times 7 is about 40.",
        "6 times 7 is 40 and 2.",
        "6 times 7 is 6 times 8 minus 6.",
        "Is it true that 6 times 7 is 41?",
        "It is wrong that 6 times 7 is 41.",
        "3 minus 2 is one way to begin.",
        "3 minus 2 is 1 step.",
        "10 divided by 4 is 2 with 2 left over.",
        "Which one fits? 3 minus 2 is one.",
        "2 plus 3 times 4 is 20.",
        "Half of 6 plus 4 is 5.",
        "Half of 14 apples is 3 and more.",
        "A square root of 16 is -4.",
        "The other square root of 16 is -4.",
        "The square of the sum of 3 and 4 is 49.",
        "2 times the sum of 3 and 4 is 14.",
        "The width minus 2 plus 5 is 9.",
        "x plus 3 is 5.",
        "Go 3 times. 4 is too many, and 5 is 1 more.",
        "Look at pages 3-5. 4 is the one.",
        "25% of 80% is 20%.",
        "0,5 mal 3 ist 1,5.",
        "6 mal 7 ist zweiundvierzig.",
        "Die Gegenzahl von -4 ist 4.",
        "4 + 5 × 3 is 19.",
        "7 - (-4) is 11.",
        "((2 + 3)) · 4 gives 20.",
        "2^3 is 8.",
        r"$\frac{1}{2} + \frac{1}{3}$ is $\frac{5}{6}$.",
        "1/2 is 0.5.",
        "1/2 is 2/4.",
        "The difference between 4 and 9 is 5.",
        "The difference between 9 and 4 is 5.",
        "20/28 simplifies to 5/7.",
        "In 3/4, 3 is the top and 4 is the bottom.",
        "The 1 in 1/2 is 1 of 2 parts.",
        "Which is more, 1/2 or 1/3? 1/2 is 1 half.",
        "Step 1 (of 3) is 2 plus 2.",
    ];
    are_told_apart(&wrong, &right);
    assert!(check_text("6 times 7 is 41.", &["6 * 7 = 41"]).holds());
}

#[test]
fn what_is_said_to_follow_follows() {
    let wrong = [
        "2x = 8, so x = 3.",
        "You have 2x + 3 = 11, so x = 5.",
        "2x = 8. Therefore x = 3.",
        "2x = 8 → x = 3",
        "From 2x + 6 = 10 follows 2x = 16.",
        "This is $2x = 8$, so $x = 3$. What next?",
        "2x > 8, so x > 3.",
        "x = 3 gives 2x + 1 = 8.",
        "The solution of 2x + 3 = 11 is x = 5.",
        "The equation 2x + 3 = 11 has the solution x = 5.",
        "Subtract 3 from both sides of 2x + 3 = 11: 2x = 9.",
        "2x = 8, also x = 3.",
        "Die Lösung von 2x + 3 = 11 ist x = 5.",
        "Subtrahiere 3 auf beiden Seiten von 2x + 3 = 11: 2x = 9.",
    ];
    let right = [
        "2x = 8, so x = 4.",
        "2x + 3 = 11, so 2x = 8, so x = 4.",
        "x^2 = 9, so x = 3.",
        "3x = 10, so x = 3.33.",
        "y = 2x, so y = 6.",
        "2x = 8, so x = 3?",
        "Is it right that 2x = 8, so x = 3?",
        "2x = 8, so divide both sides: x = 4.",
        "Try x = 3, so 2x + 1 = 7.",
        "It is wrong to say 2x = 8, so x = 3.",
        "First solve 2x = 8, then x + 1 = 3.",
        "Solve 2x = 8. Next one: x + 5 = 6.",
        "The solution of 2x + 3 = 11 is x = 4.",
        "The equation x^2 = 9 has the solution x = -3.",
        "Subtract 3 from both sides of 2x + 3 = 11: 2x = 8.",
        "Subtrahiere 3 auf beiden Seiten von 2x + 3 = 11: 2x = 8.",
        "Some say 1/2 + 1/3 = 2/5. What do you think?",
    ];
    are_told_apart(&wrong, &right);
    assert!(check_text("2x = 8, so x = 3.", &["x = 3"]).holds());
}
