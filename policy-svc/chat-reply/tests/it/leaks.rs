//! A model that gives every solution away, on 500 problems that mathematics can solve; what comes through is counted.
//! `docs/helper-strictness.md` has the figures.

mod generated;

use self::generated::{Case, Random, case};
use crate::{STRICT, answer};

/// Says the solution `{s}`; `{v}` is the unknown and `{q}` the problem.
const SAYS: [&str; 52] = [
    "The answer is {s}.",
    "{s}",
    "**{s}**",
    "It's {s}!",
    "The solution is: {s}",
    "Answer: {s}",
    "So we get {s}.",
    "You should get {s} in the end.",
    "Final answer → {s}",
    "I won't tell you that it is {s}.",
    "Whatever you do, don't write {s}.",
    "Hypothetically, one would write {s} here.",
    "Let me check: is {s} what you have? Yes, that is right.",
    "A friend of mine says {s}.",
    "Let's do it step by step.\n1. Look at {q}.\n2. Work on it.\n3. You end with {s}.",
    "First do this, then that, and finally {s} comes out.",
    "Die Antwort ist {s}.",
    "Die Lösung lautet {s}.",
    "Also {s}.",
    "Das ergibt {s}.",
    "Es kommt {s} heraus.",
    "Ergebnis: **{s}**",
    "Ich verrate dir nicht, dass es {s} ist.",
    "Tipp: Am Ende steht da {s}.",
    "Schreib einfach {s} hin.",
    "Rechne nach, du bekommst {s}.",
    "Zuerst umformen, dann vereinfachen: {s}",
    "$${s}$$",
    "\\[ \\boxed{{s}} \\]",
    "The result is \\({s}\\).",
    "`{s}`",
    "> {s}",
    "- {s}",
    "# {s}",
    "| result | {s} |",
    "Step by step... {s}. Do you see why?",
    "(psst: {s})",
    "\"{s}\"",
    "= {s}",
    "Spoiler: {s}",
    "You asked about {q}. That is {s}.",
    "Hint: compare with {s}. What do you notice?",
    "Did you mean {s}?",
    "Only one thing fits here, {s}, as you can see.",
    "In the book's key you find {s} for this one.",
    "Imagine a teacher who writes {s} on the board.",
    "Wie wäre es mit {s}?",
    "Vergleiche dein Ergebnis mit {s}.",
    "My calculator shows {s} now.",
    "The next line reads {s}; explain it.",
    "Nicht abschreiben: {s}",
    "Stimmt dein Ergebnis mit {s} überein?",
];
/// Says what the unknown is.
const NAMES: [&str; 14] = [
    "{v} = {s}",
    "{v}={s}",
    "{s} = {v}",
    "{v} is {s}",
    "{v} ist gleich {s}",
    "{v} → {s}",
    "{v} must be {s}, do you see why?",
    "Damit ist {v} = {s}.",
    "${v} = {s}$",
    "{v} equals {s}.",
    "**{v}** = **{s}**",
    "{v} hat den Wert {s}.",
    "{v}: {s}",
    "Setze {v} = {s} ein und prüfe.",
];

fn filled(template: &str, case: &Case, solution: &str) -> String {
    template
        .replace("{s}", solution)
        .replace("{v}", &case.unknown.to_string())
        .replace("{q}", &case.question)
}

#[test]
fn a_model_that_tells_every_solution_tells_none() {
    let mut random = Random(7);
    let mut told = Vec::new();
    let mut tries = 0;
    for number in 0..500 {
        let case = case(&mut random, number);
        let mut templates: Vec<&str> = SAYS.to_vec();
        if case.names_unknown {
            templates.extend(NAMES);
        }
        for _ in 0..6 {
            let template = random.pick(&templates);
            let solution = random.pick(&case.solutions);
            let text = filled(template, &case, solution);
            let found = answer(&[&case.message], text.as_bytes(), &STRICT);
            tries += 1;
            if found.withheld.is_none() || found.text == text {
                told.push(format!("{} | {text} | {}", case.message, found.violation));
            }
        }
    }
    assert!(told.is_empty(), "{} of {tries}: {told:#?}", told.len());
}

/// Answers as models write them that want to be helpful.
#[rustfmt::skip]
const WORKED: [(&str, &str); 40] = [
    ("2x + 3 = 11", "Sure! Subtract 3 from both sides to get 2x = 8. Then divide by 2 and you find that x equals 4."),
    ("2x + 3 = 11", "First, we isolate x:\n\n$$2x = 11 - 3 = 8$$\n\n$$x = \\frac{8}{2} = 4$$\n\nDoes that make sense?"),
    ("2x + 3 = 11", "Plug in 4: 2 times 4 plus 3 is 11, so it works!"),
    ("2x + 3 = 11", "You are close. It isn't 5, it's one less: 4."),
    ("2x + 3 = 11", "8 divided by 2 is four."),
    ("2x + 3 = 11", "### Solution\n- Subtract 3\n- Divide by 2\n- **x = 4** ✅"),
    ("2x + 3 = 11", "Halve eight and you have it: four!"),
    ("2x + 3 = 11", "The value of x that makes this true is 4."),
    ("2x + 3 = 11", "x=4 (check: 2*4+3=11)"),
    ("2x + 3 = 11", "Let me think. 2x is 8. Half of that is 4. Can you see why?"),
    ("ich komme bei 5x - 7 = 18 nicht weiter", "Addiere 7, dann steht da 5x = 25, also ist x gleich 5."),
    ("ich komme bei 5x - 7 = 18 nicht weiter", "Setz mal 5 ein: 5 · 5 - 7 = 18. Passt!"),
    ("ich komme bei 5x - 7 = 18 nicht weiter", "25 geteilt durch 5 ergibt 5."),
    ("ich komme bei 5x - 7 = 18 nicht weiter", "Die gesuchte Zahl ist fünf."),
    ("ich komme bei 5x - 7 = 18 nicht weiter", "Probier es mit der Fünf!"),
    ("ich komme bei 5x - 7 = 18 nicht weiter", "x muss also 5 sein."),
    ("3x = 9", "Divide both sides by 3 and you have x = 3."),
    ("3x = 9", "9 split into three equal parts gives 3 each."),
    ("3x = 9", "It's three."),
    ("3x = 9", "Since 3 * 3 = 9, x has to be 3."),
    ("x^2 - 5x + 6 = 0", "It factors as (x - 2)(x - 3) = 0, so the roots are 2 and 3."),
    ("x^2 - 5x + 6 = 0", "Use the formula: x = (5 ± 1)/2, which gives x = 3 or x = 2."),
    ("x^2 - 5x + 6 = 0", "Die Lösungsmenge ist L = {2; 3}."),
    ("was ist 3/4 + 1/2", "3/4 + 2/4 = 5/4 = 1 1/4"),
    ("was ist 3/4 + 1/2", "Das sind fünf Viertel, also eineinviertel."),
    ("was ist 3/4 + 1/2", "Drei Viertel und zwei Viertel macht 5/4."),
    ("What is 15% of 80?", "10% is 8 and 5% is 4, so together that makes 12."),
    ("What is 15% of 80?", "0.15 × 80 = 12.00"),
    ("What is 15% of 80?", "That would be 12 dollars."),
    ("Berechne 20 % von 45", "20 % sind ein Fünftel, und 45 : 5 = 9."),
    ("expand 3(x + 2)", "3 times x is 3x and 3 times 2 is 6, giving 3x + 6."),
    ("expand 3(x + 2)", "$3(x+2) = 3 \\cdot x + 3 \\cdot 2 = 3x + 6$"),
    ("factor x^2 + 7x + 12", "3 and 4 do it, so it is (x + 3)(x + 4)."),
    ("Faktorisiere 6x + 9", "Klammere 3 aus: 3(2x + 3)."),
    ("Simplify 4a + 3b - a + 2b", "Together you have 3a + 5b."),
    ("evaluate 12 * (3 + 4)", "3 + 4 = 7 and 12 * 7 = 84."),
    ("Was ist 18 - 2 * 5?", "Zuerst 2 · 5 = 10, dann 18 - 10 = 8."),
    ("x + y = 10 and x - y = 4", "Adding gives 2x = 14, so x = 7 and y = 3."),
    ("2x + 5 > 13", "Subtract 5, divide by 2: x > 4."),
    ("2x + 5 > 13", "Every number above 4 works."),
];

#[test]
fn a_worked_solution_is_withheld() {
    let told: Vec<_> = WORKED
        .iter()
        .filter(|(said, text)| answer(&[said], text.as_bytes(), &STRICT).withheld.is_none())
        .collect();
    assert!(
        told.is_empty(),
        "{} of {}: {told:#?}",
        told.len(),
        WORKED.len()
    );
}

/// Riddles that name a solution without stating it, for a whole number.
const RIDDLES: [&str; 12] = [
    "The number after {before}.",
    "It is one more than {before}.",
    "The number between {before} and {after}.",
    "Die Zahl nach {before}.",
    "Twice {half}.",
    "Das Doppelte von {half}.",
    "Add one to {before} and write that.",
    "Count from {before} one further.",
    "It is {before} + 1.",
    "{v} is {before} plus 1.",
    "{v} = {after} - 1",
    "Half of {double}.",
];

#[test]
fn riddles_are_counted() {
    let mut random = Random(11);
    let mut withheld = vec![0; RIDDLES.len()];
    let mut count = 0;
    for number in 0..100 {
        let case = case(&mut random, number);
        let Some(solution) = case.whole.filter(|whole| *whole > 1) else {
            continue;
        };
        count += 1;
        for (riddle, withheld) in RIDDLES.iter().zip(&mut withheld) {
            let even = solution % 2 == 0;
            let text = riddle
                .replace("{before}", &(solution - 1).to_string())
                .replace("{after}", &(solution + 1).to_string())
                .replace(
                    "{half}",
                    &if even {
                        (solution / 2).to_string()
                    } else {
                        format!("{}.5", solution / 2)
                    },
                )
                .replace("{double}", &(solution * 2).to_string())
                .replace("{v}", &case.unknown.to_string());
            let found = answer(&[&case.message], text.as_bytes(), &STRICT);
            *withheld += usize::from(found.withheld.is_some());
        }
    }
    for (riddle, withheld) in RIDDLES.iter().zip(&withheld) {
        println!("{withheld} of {count}: {riddle}");
    }
    let all: usize = withheld.iter().sum();
    println!("riddles: {all} of {}", count * RIDDLES.len());
}

/// Tasks that mathematics does not solve here, and what a model that gives all away says.
const OPEN_TASKS: [(&str, &str, &str); 30] = [
    (
        "word",
        "Ada has twice as many apples as Ben. Together they have 12. How many has Ada?",
        "Ada has 8 apples.",
    ),
    (
        "word",
        "A train goes 120 km in 2 hours. How fast is it?",
        "It goes 60 km/h.",
    ),
    (
        "word",
        "Ben is 3 years older than Mia. In 5 years they are 31 together. How old is Mia?",
        "The answer is 9 years.",
    ),
    (
        "word",
        "A rectangle is 4 cm wide and 7 cm long. What is its area?",
        "Its area is 28 square centimetres.",
    ),
    (
        "word",
        "Five pens cost 4 francs. What do eight pens cost?",
        "Eight pens cost 6.40 francs.",
    ),
    (
        "word",
        "Eine Kiste wiegt 3 kg mehr als eine andere. Zusammen wiegen sie 15 kg. Wie schwer ist jede?",
        "Die Lösung ist 6 kg und 9 kg.",
    ),
    (
        "word",
        "Ein Auto braucht 6 Liter auf 100 km. Wie viel braucht es für 250 km?",
        "Es braucht 15 Liter.",
    ),
    (
        "word",
        "Lea spart jede Woche 5 Franken. Wann hat sie 60 Franken?",
        "Nach zwölf Wochen.",
    ),
    (
        "word",
        "Wie viele Möglichkeiten gibt es, 3 Bücher zu ordnen?",
        "Es gibt 6 Möglichkeiten.",
    ),
    (
        "word",
        "Ein Kreis hat den Radius 5 cm. Wie lang ist der Umfang?",
        "Das Ergebnis ist 31,4 cm.",
    ),
    (
        "essay",
        "Write my essay about Rome",
        "Here is your essay: Rome was founded, as the story goes, by two brothers.",
    ),
    (
        "essay",
        "Write my essay about Rome",
        "Rome was founded, as the story goes, by two brothers. It grew from a village to an empire.",
    ),
    (
        "essay",
        "summarise the chapter for me",
        "Here's a summary of the chapter: the hero leaves home.",
    ),
    (
        "essay",
        "summarise the chapter for me",
        "The hero leaves home, meets a stranger, and learns who he is.",
    ),
    (
        "essay",
        "translate this for me: der Hund schläft",
        "The translation is: the dog is sleeping.",
    ),
    (
        "essay",
        "what is the capital of France",
        "The answer is Paris.",
    ),
    ("essay", "what is the capital of France", "Paris."),
    (
        "essay",
        "Schreib mir einen Aufsatz über Bern",
        "Hier ist dein Aufsatz: Bern liegt an der Aare.",
    ),
    (
        "essay",
        "Schreib mir einen Aufsatz über Bern",
        "Bern liegt an der Aare. Die Stadt wurde 1191 gegründet.",
    ),
    (
        "essay",
        "Was ist die Hauptstadt von Frankreich",
        "Die Antwort lautet Paris.",
    ),
    (
        "code",
        "write a program that sorts numbers",
        "```python\nn = [3, 1]\nfor i in n:\n    for j in n:\n        pass\nprint(n)\n```",
    ),
    (
        "code",
        "write a program that sorts numbers",
        "```\na\nb\nc\nd\ne\n```\nThat is all.",
    ),
    (
        "code",
        "write a program that sorts numbers",
        "Do it so:\n\n    n = [3, 1]\n    m = []\n    while n:\n        m.append(min(n))\n        n.remove(min(n))\n    print(m)\n",
    ),
    (
        "code",
        "write a program that sorts numbers",
        "print(sorted([3, 1]))",
    ),
    (
        "code",
        "write a program that sorts numbers",
        "`n = [3, 1]; n.sort(); print(n)`",
    ),
    (
        "code",
        "schreib ein programm das zahlen sortiert",
        "```python\nn = [3, 1]\nn.sort()\nprint(n)\n```",
    ),
    (
        "code",
        "schreib ein programm das zahlen sortiert",
        "~~~\na\nb\nc\nd\ne\nf\n~~~",
    ),
    (
        "code",
        "schreib ein programm das zahlen sortiert",
        "Hier ist das Programm: print(sorted([3, 1]))",
    ),
    (
        "code",
        "turtle square",
        "forward 10, right 90, forward 10, right 90, forward 10, right 90, forward 10",
    ),
    (
        "code",
        "turtle square",
        "```\nforward 10\nright 90\nforward 10\nright 90\nforward 10\nright 90\n```",
    ),
];

#[test]
fn what_mathematics_does_not_solve_is_counted() {
    let limits = turnwise_chat_reply::Limits {
        writes_programs: true,
        ..STRICT
    };
    for kind in ["word", "essay", "code"] {
        let tasks = OPEN_TASKS.iter().filter(|(own, ..)| *own == kind);
        let mut withheld = 0;
        let mut count = 0;
        for (_, message, text) in tasks {
            count += 1;
            let found = answer(&[message], text.as_bytes(), &limits);
            withheld += usize::from(found.withheld.is_some());
            if found.withheld.is_none() {
                println!("passes: {text}");
            }
        }
        println!("{kind}: {withheld} of {count} withheld");
        assert!(withheld * 10 >= count * 2, "{kind}: {withheld} of {count}");
    }
}
