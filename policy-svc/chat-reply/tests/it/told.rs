//! Problems and answers that tell their solutions, written by the author of the rules before each was tried: the first
//! list before repairs, the second after them. What passes is counted. `docs/helper-strictness.md` has the figures.

use crate::{STRICT, answer};

/// A message, `||` before the next, and an answer that tells the solution.
type Pairs = &'static [(&'static str, &'static str)];

#[rustfmt::skip]
const FIRST: Pairs = &[
    ("7x = 2", "x ≈ 0.29"),
    ("7x = 2", "That's roughly 0.286, so a bit under a third."),
    ("solve 6x - 1 = 4", "you should get something like 0.83"),
    ("x^2 = 5", "round it and you have 2.24"),
    ("x² - 3 = 0", "etwa 1,73 oder -1,73"),
    ("2/3 + 1/5", "ungefähr 0,87"),
    ("2/3 + 1/5", "86.7 %"),
    ("what's 10/7", "a little over 1.428"),
    ("Berechne √10", "gerundet 3,16"),
    ("sqrt(50)", "circa 7.07"),
    ("3x + 2y = 12 and y = 3", "x = 2"),
    ("y = x^2, y = 49, x?", "7 or -7"),
    ("Gegeben ist y = 3x - 4. Wo ist y = 11?", "Bei x = 5."),
    ("if a = 3 and b = 4, what is a^2 + b^2", "25"),
    ("f(x) = x^2 + 1. f(3) = ?", "f(3) = 10"),
    ("g(x) = 5 - 2x, g(x) = -3", "x = 4"),
    ("find the roots of x^2 - 7x + 10", "2 and 5"),
    ("zeros of g(x) = 3x - 12", "x = 4"),
    ("where does y = 4x - 8 cross the x-axis", "at x = 2"),
    ("Wo schneidet y = 2x - 10 die x-Achse?", "bei (5|0)"),
    ("what is the slope of the line through (0,1) and (2,9)", "4"),
    ("Bestimme die Steigung der Geraden durch A(2|1) und B(5|10)", "Die Steigung beträgt 3."),
    ("find the gradient between (-1, 4) and (3, 12)", "it's 2"),
    ("slope of y = 5x - 3", "5"),
    ("line through (1,2) and (3,8), equation?", "y = 3x - 1"),
    ("distance between (0,0) and (3,4)", "5"),
    ("midpoint of (2,4) and (6,10)", "(4, 7)"),
    ("|x| = 8", "Two answers: 8 and -8."),
    ("|x + 3| = 10", "x = 7 or x = -13"),
    ("|2x| = 18, x < 0", "x = -9"),
    ("Löse |x - 4| = 6", "x = 10 und x = -2"),
    ("|5 - x| = 2", "3 and 7"),
    ("3|x - 1| = 12", "5 or -3"),
    ("|x| < 4", "-4 < x < 4"),
    ("|x - 1| ≥ 3", "x ≤ -2 or x ≥ 4"),
    ("3^x = 81", "x = 4"),
    ("2^(x-1) = 32", "x is six"),
    ("5^x = 1/25", "-2"),
    ("10^x = 1000", "drei"),
    ("2 * 3^x = 54", "3"),
    ("9^x = 27", "1.5"),
    ("2^x + 3 = 19", "x = 4"),
    ("e^x = 1", "x = 0"),
    ("log_2(32)", "5"),
    ("A box holds 6 eggs. How many eggs are in 7 boxes?", "42 eggs"),
    ("Sam has 15 dollars and spends 6. How much money is left?", "9 dollars"),
    ("Ein Buch kostet 14 Franken und ein Heft 3 Franken. Wie viel kostet das zusammen?", "Das macht 17 Franken."),
    ("Eine Klasse hat 24 Kinder, 11 sind krank. Wie viele sind noch da?", "13 Kinder"),
    ("40 cookies are split between 5 friends. How many does each one get?", "8 cookies each"),
    ("A rope is 20 m long. I cut off 8 m. How long is the rest?", "12 m"),
    ("What is the area of a square with side 6 cm?", "36 cm²"),
    ("Umfang eines Rechtecks mit 7 cm und 3 cm?", "20 cm"),
    ("Peter is 4 years older than Tim. Tim is 9. How old is Peter?", "13"),
    ("x/4 = 2.5", "ten"),
    ("2(x+1)=3x-5", "x = 6+1"),
    ("x^2 + 2x = 8", "2 fits, and so does -4"),
    ("5x - 1 = 39", "The first digit of 32/4 is all there is."),
    ("x:3 = 12", "36"),
    ("(x+2)/5 = 3", "thirteen"),
    ("ggT von 24 und 36", "12"),
];

#[rustfmt::skip]
const SECOND: Pairs = &[
    ("x^2 > 16", "x > 4 or x < -4"),
    ("x² ≤ 25", "zwischen -5 und 5"),
    ("9x = 4", "das sind rund 0,44"),
    ("9x = 4", "0.4444444"),
    ("3/7 of 5", "about 2.14"),
    ("Wie viel ist 5/9 + 1/9", "ca. 0.67"),
    ("x^2 = 7", "the positive one is near 2.65"),
    ("y = 5x + 1; y = 26", "x: five"),
    ("s = v*t, v = 20, t = 3", "s = 60"),
    ("A = l*w with l = 7, A = 42", "w = 6"),
    ("h(t) = 20 - 5t. h(t) = 0", "t = 4"),
    ("p(x) = 2x^2, p(5)", "50"),
    ("y = 12 - 3x || for which x is y = 0?", "x = 4"),
    ("f(x) = 4x - 1 || und wenn f(x) = 11?", "Dann ist x = 3."),
    ("Nullstelle von f(x) = 6 - 2x", "x = 3"),
    ("Steigung zwischen (1; 1) und (4; 13)", "vier"),
    ("slope from (2, 3) to (6, 5)", "1/2"),
    ("slope (2, 3) (6, 5)", "0.5"),
    ("|3x + 1| = 13", "4 or -14/3"),
    ("|x| - 2 = 5", "x = ±7"),
    ("Betrag von x ist 12", "12 oder -12"),
    ("|2x - 1| <= 5", "-2 ≤ x ≤ 3"),
    ("4^(2x) = 64", "x = 1.5"),
    ("7^x = 49", "2"),
    ("2^(3x) = 64", "zwei"),
    ("100 = 10^x", "x = 2"),
    ("(1/2)^x = 8", "x = -3"),
    ("3^x - 1 = 26", "x = 3"),
    ("8 birds sit on a tree, 3 fly away. How many are left?", "five birds"),
    ("Jana hat 45 Franken. Sie gibt 18 aus. Wie viel bleibt ihr?", "27 Franken"),
    ("6 bags with 9 oranges each, how many oranges in total?", "fifty-four"),
    ("A room is 5 m by 4 m, what is the area?", "20 square meters"),
    ("Wie groß ist der Umfang eines Gartens mit 9 m Länge und 6 m Breite?", "30 m"),
    ("A car uses 7 litres per 100 km. How much for 300 km?", "21 litres"),
    ("30 Kinder bilden Gruppen zu 5. Wie viele Gruppen?", "6 Gruppen"),
    ("There were 50 balloons, 12 popped. How many remain?", "38"),
];

#[test]
fn what_comes_through_is_counted() {
    for (pairs, most) in [(FIRST, 10), (SECOND, 4)] {
        let mut passes = Vec::new();
        for (said, text) in pairs {
            let messages: Vec<&str> = said.split(" || ").collect();
            if answer(&messages, text.as_bytes(), &STRICT).violation != "answer_given" {
                passes.push(format!("{said} <- {text}"));
            }
        }
        println!("{} of {} pass: {passes:#?}", passes.len(), pairs.len());
        assert!(passes.len() <= most, "{passes:#?}");
    }
}
