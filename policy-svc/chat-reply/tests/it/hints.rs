//! Honest hints, as a good teacher writes them for these problems: how many are withheld. `docs/helper-strictness.md` has
//! the figures.

use std::{fs, path::Path};

use turnwise_chat_reply::handed_over;

use crate::{STRICT, answer};

/// A problem and hints on it.
#[rustfmt::skip]
const HINTS: &[(&str, &[&str])] = &[
    ("2x + 3 = 11", &[
        "What could you do to both sides so that only the term with x is left?",
        "Start by undoing the + 3. What operation undoes adding 3?",
        "If you subtract 3 on the left, what must you do on the right to keep the balance?",
        "Subtract 3 from both sides: 2x = 8. What is the next step?",
        "You are nearly there: 2x = 8. What does 2x mean?",
        "2x means two times x. Which operation undoes a multiplication?",
        "Think of a balance: on one side lie two equal boxes and 3 marbles, on the other side 11 marbles.",
        "Before you calculate: will x be bigger or smaller than 11? Why?",
        "When you have a value, put it into 2x + 3 and see whether you get 11.",
        "Which of the two operations, times 2 or plus 3, would you undo first, and why?",
        "Dividing by 2 first is possible too, but then every term has to be divided. Do you see why that is more work?",
        "Let's take a similar one: 3x + 1 = 7. First I take away 1, so 3x = 6. Then I divide by 3, so x = 2. Can you do the same with yours?",
        "Try x = 1: the left side is 2 + 3 = 5. That is too small. What would you try next?",
        "1. Undo the addition.\n2. Undo the multiplication.\n3. Check.",
        "Step 1: get rid of the 3.\nStep 2: look at what is left of x.",
    ]),
    ("ich komme bei 5x - 7 = 18 nicht weiter", &[
        "Was stört dich auf der linken Seite am meisten?",
        "Welche Rechnung macht das Minus 7 rückgängig?",
        "Addiere auf beiden Seiten 7: 5x = 25. Was kommt als Nächstes?",
        "5x bedeutet 5 mal x. Wie wird man einen Faktor los?",
        "Stell dir eine Waage vor: Was du links tust, musst du auch rechts tun.",
        "Hast du schon versucht, die 7 auf die andere Seite zu bringen? Was passiert dabei mit dem Vorzeichen?",
        "Mach am Schluss die Probe: Setze deinen Wert für x ein und schau, ob 18 herauskommt.",
        "Was ergibt 18 + 7?",
        "Schätze zuerst: Ist x eher größer oder kleiner als 10?",
        "Ein ähnliches Beispiel: Aus 2x - 4 = 6 wird 2x = 10. Was wurde da auf beiden Seiten gemacht?",
        "Zwei Schritte reichen: erst das Minus, dann das Mal.",
        "Schreib in jede Zeile, was du auf beiden Seiten machst.",
    ]),
    ("how do I solve 7x - 4 = 3x + 20", &[
        "There are x's on both sides. How could you collect them on one side?",
        "Take 3x away from both sides. What is left on the right?",
        "7x minus 3x: how many x's are left?",
        "After that you have 4x - 4 = 20. Which number would you move next?",
        "Why is it easier to move the smaller number of x's?",
        "Add 4 on both sides, then look at what the x is multiplied by.",
        "You subtracted 3x on the left only. What has to happen on the right?",
        "Good start! The signs need a second look: does the 4 get added or subtracted?",
        "4x = 24 is right. What now?",
        "Write down what you do to both sides at the end of each line.",
    ]),
    ("3x = 9", &[
        "Divide both sides by 3. What do you get?",
        "3 times which number makes 9?",
        "What undoes multiplying by 3?",
        "What is 9 divided by 3?",
        "The 3 in front of x is called the coefficient.",
        "Share 9 things among 3 people: how many does each of them get?",
        "x is multiplied by 3 here. Which operation is the opposite?",
        "Draw three equal boxes that are worth 9 together. How much is in each?",
    ]),
    ("x^2 - 5x + 6 = 0", &[
        "Can you find two numbers whose product is 6 and whose sum is 5?",
        "Does the left side factor? Look at the pairs that multiply to 6.",
        "When is a product zero?",
        "You could use the quadratic formula with a = 1, b = -5 and c = 6.",
        "First work out what is under the root: b^2 - 4ac.",
        "25 - 24 is what is under the root. What does that tell you about the number of solutions?",
        "How many solutions do you expect, and why?",
        "Completing the square works too: what is half of 5?",
        "Both factors have the form (x - ?). What goes in?",
        "Once you have both, put them into the equation to check.",
        "A quadratic equation can have none, one or two solutions.",
        "Look at the signs: the product is positive and the sum is negative. So which signs do both numbers have?",
    ]),
    ("Löse x² - 9 = 0", &[
        "Kennst du eine Formel für die Differenz zweier Quadrate?",
        "Bring die 9 auf die andere Seite. Was steht dann da?",
        "x² = 9: Welche Zahlen ergeben beim Quadrieren 9?",
        "Vergiss nicht, dass auch eine negative Zahl ein positives Quadrat hat.",
        "Wie viele Lösungen erwartest du?",
        "Wie sieht der Graph von x² - 9 aus, und wo schneidet er die x-Achse?",
        "Was ist das Gegenteil vom Quadrieren?",
    ]),
    ("was ist 3/4 + 1/2", &[
        "Kannst du beide Brüche auf denselben Nenner bringen?",
        "Der Hauptnenner ist 4. Wie erweitert man 1/2?",
        "Welcher der beiden Brüche ist schon in Vierteln?",
        "Male einen Kreis und teile ihn in vier gleiche Teile.",
        "1/2 ist dasselbe wie 2/4. Und jetzt?",
        "Beim Addieren bleibt der Nenner gleich. Was passiert mit dem Zähler?",
        "Ist die Summe größer oder kleiner als 1? Warum?",
        "Zähler plus Zähler, Nenner plus Nenner ist ein häufiger Fehler. Warum stimmt das nicht?",
        "Rechne zuerst 1/4 + 1/2 als kleinere Übung.",
        "3/4 + 2/4: Wie viele Viertel sind das zusammen?",
    ]),
    ("What is 2/3 * 3/5?", &[
        "How do you multiply two fractions?",
        "Multiply the numerators, then the denominators.",
        "Is there a factor that you can cancel before you multiply?",
        "There is a 3 above and a 3 below. What does that let you do?",
        "Will the result be bigger or smaller than 2/3? Why?",
        "Of what is it a part: take 3/5 of something, and then 2/3 of that.",
        "You don't need a common denominator for multiplying. Why not?",
    ]),
    ("5/6 - 1/4 ???", &[
        "What is the least common multiple of 6 and 4?",
        "Both denominators divide 12. How do you write 5/6 with that denominator?",
        "5/6 = 10/12. Now do the same with 1/4.",
        "10/12 - 3/12: what stays the same?",
        "Estimate first: is it more or less than 1/2?",
        "Write both fractions over 12 before you subtract.",
    ]),
    ("What is 15% of 80?", &[
        "What does percent mean?",
        "Find 10% of 80 first. How does that help?",
        "10% of 80 is 8. What is 5% of it?",
        "15% is 10% and 5%. Can you find each part?",
        "Write 15% as a fraction with 100 below.",
        "Which number here is the whole?",
        "You can multiply 80 by 0.15.",
        "Will it be more or less than half of 80?",
        "One percent of 80 is 0.8.",
    ]),
    ("Berechne 20 % von 45", &[
        "Was bedeutet Prozent?",
        "Wie viel sind 10 % von 45?",
        "10 % von 45 sind 4,5. Wie kommst du von dort auf 20 %?",
        "20 % ist ein Fünftel. Wie teilt man durch 5?",
        "Was ist hier der Grundwert, was der Prozentsatz?",
        "Schreibe 20 % als Bruch.",
        "Schätze: Ist es mehr oder weniger als die Hälfte von 45?",
        "Rechne 45 · 20 und teile dann durch 100.",
    ]),
    ("expand 3(x + 2)", &[
        "What does the 3 in front of the bracket mean?",
        "Each term in the bracket is multiplied by 3.",
        "What is 3 times x? And 3 times 2?",
        "Don't forget the second term in the bracket.",
        "Draw a rectangle with sides 3 and x + 2. What are the two areas?",
        "Check with x = 1: both forms must have the same value.",
        "It is called the distributive law: a(b + c) = ab + ac.",
        "You multiplied only the x. What about the 2?",
    ]),
    ("Multipliziere (x + 3)(x - 5) aus", &[
        "Jedes Glied der ersten Klammer wird mit jedem der zweiten multipliziert.",
        "Wie viele Produkte entstehen dabei?",
        "Beginne mit x mal x. Was kommt danach?",
        "Was ist 3 mal -5?",
        "Fasse am Schluss die Glieder mit x zusammen.",
        "x mal -5 und 3 mal x: Welche Vorzeichen haben sie?",
        "Die vier Produkte sind x·x, x·(-5), 3·x und 3·(-5). Was ist jedes davon?",
    ]),
    ("factor x^2 + 7x + 12", &[
        "Which two numbers multiply to 12?",
        "Of all pairs with product 12, which one has the sum 7?",
        "List the pairs: 1 and 12, 2 and 6, 3 and 4. Which one adds up to 7?",
        "The result has the form (x + ?)(x + ?).",
        "When you are done, multiply it out to check.",
        "Is there a common factor of all three terms?",
        "Both numbers are positive here. How can you tell?",
    ]),
    ("Faktorisiere 6x + 9", &[
        "Welche Zahl teilt sowohl 6 als auch 9?",
        "Was ist der größte gemeinsame Teiler von 6 und 9?",
        "Schreib beide Glieder als Produkt mit 3.",
        "6x ist 3 mal was?",
        "Klammere den gemeinsamen Faktor aus. Was bleibt in der Klammer?",
        "Mach die Probe, indem du wieder ausmultiplizierst.",
    ]),
    ("Simplify 4a + 3b - a + 2b", &[
        "Which terms have the same letter?",
        "Collect the a's first. How many are there?",
        "Remember that -a means minus one a.",
        "4a - a: what is left?",
        "You can't put a and b together. Why not?",
        "How many b's are there, 3 and 2 more?",
        "Sort the terms, then put like terms together.",
    ]),
    ("evaluate 12 * (3 + 4)", &[
        "What do the brackets tell you?",
        "Which operation has to be done first?",
        "First 3 + 4, then the multiplication.",
        "In the brackets you get 7. What is left to do?",
        "12 times 7: split it into 10 times 7 and 2 times 7.",
        "You could also multiply 12 by each number and add: 36 + 48.",
        "Without the brackets it would be a different task: 12 * 3 + 4 = 40.",
    ]),
    ("Was ist 18 - 2 * 5?", &[
        "Punkt vor Strich: Welche Rechnung kommt zuerst?",
        "Rechne zuerst 2 mal 5.",
        "2 * 5 = 10. Was ziehst du wovon ab?",
        "Wenn du von links nach rechts rechnest, kommt 80 heraus. Warum ist das falsch?",
        "Warum rechnet man hier nicht von links nach rechts?",
        "Setze in Gedanken eine Klammer um das Produkt.",
    ]),
    ("x + y = 10 and x - y = 4", &[
        "What happens if you add the two equations?",
        "Which unknown disappears when you add them?",
        "You get 2x = 14. What now?",
        "Once you know one of them, put it into either equation.",
        "You could also solve the first for y: y = 10 - x. Put that into the second.",
        "Where do the two lines meet?",
        "Check your pair in both equations.",
    ]),
    ("2x + 5 > 13", &[
        "Treat it like an equation first. What would you subtract?",
        "When does the sign turn around?",
        "Subtract 5 on both sides: 2x > 8. And then?",
        "Are you dividing by a positive or by a negative number?",
        "How do you draw the solutions on a number line?",
        "Is the boundary itself part of it? Look at the sign.",
        "Test a number, such as 10: is 2 * 10 + 5 greater than 13?",
    ]),
    ("x/3 - 2 = 5", &[
        "What happened to x, in order: first divided by 3, then 2 was taken away. How do you undo that?",
        "Which one do you undo first?",
        "Add 2 on both sides: x/3 = 7. What is next?",
        "A third of x is 7. How do you find the whole?",
        "What is the opposite of dividing by 3?",
        "Careful: multiply both sides by 3, not only the left one.",
    ]),
    ("4(x - 1) = 20", &[
        "You could multiply out or divide first. Which one looks shorter?",
        "Divide both sides by 4: x - 1 = 5. What now?",
        "If you multiply out, you get 4x - 4 = 20.",
        "What is in the bracket must be 5. Why?",
        "What undoes subtracting 1?",
        "Put your value into the bracket and see whether 4 times it is 20.",
    ]),
    ("Wie löse ich 2(x+4) = 3x - 1?", &[
        "Löse zuerst die Klammer auf.",
        "Aus 2(x+4) wird 2x + 8. Und dann?",
        "Bring alle x auf eine Seite.",
        "Auf welcher Seite stehen mehr x? Dort bleiben sie positiv.",
        "Subtrahiere 2x auf beiden Seiten: 8 = x - 1. Was fehlt noch?",
        "Prüfe mit der Probe beide Seiten einzeln.",
        "Achte darauf, dass die 2 mit beiden Gliedern in der Klammer multipliziert wird.",
    ]),
    ("Kürze 18/24", &[
        "Welche Zahlen teilen 18 und 24?",
        "Beide sind gerade. Was heißt das für den Bruch?",
        "Teile oben und unten durch 2: 9/12. Geht es noch weiter?",
        "Was ist der größte gemeinsame Teiler?",
        "Der Wert ändert sich nicht, wenn du oben und unten durch dieselbe Zahl teilst.",
        "Zerlege beide in Primfaktoren: 18 = 2 · 3 · 3.",
    ]),
    ("what is 0.4 * 0.7", &[
        "First multiply as if there were no points: 4 times 7.",
        "How many digits stand behind the points altogether?",
        "Is it more or less than 0.7?",
        "4/10 times 7/10: how many hundredths is that?",
        "Why does the result get smaller when you multiply by 0.4?",
        "Compare with half of 0.7.",
    ]),
    ("√49 + 2^3", &[
        "Which number times itself is 49?",
        "2^3 means 2 * 2 * 2, not 2 * 3.",
        "Work out the root and the power before you add.",
        "What does the little 3 tell you?",
        "The root undoes squaring.",
    ]),
    ("|x| = 5", &[
        "What does the absolute value measure?",
        "How far from zero is x?",
        "Which numbers are 5 away from 0?",
        "There are two cases.",
        "Draw a number line and mark the distance 5.",
        "Could x be negative?",
    ]),
    ("|2x-3| = 7", &[
        "Split it into two cases.",
        "Either 2x - 3 = 7 or 2x - 3 = -7.",
        "What can be between the bars if its absolute value is 7?",
        "Solve each equation for itself.",
    ]),
    ("2^x = 8", &[
        "Write 8 as a power of 2.",
        "How often do you multiply 2 by itself to get 8?",
        "What does the exponent tell you?",
        "2 · 2 = 4. How does it go on?",
        "List the powers: 2, 4, and the next one.",
    ]),
    ("slope through (1,2) and (3,8)", &[
        "What is the difference of the y values?",
        "How much does x change?",
        "Slope means rise over run.",
        "Draw the two points.",
        "Subtract 2 from 8.",
        "The rise is 6. What is the run?",
        "Which point do you take first?",
    ]),
    ("y=2x+7 and y=15", &[
        "Put 15 in for y.",
        "What does it mean that both are y?",
        "Then 2x + 7 = 15. What next?",
        "2x = 8",
        "Subtract 7 on both sides.",
    ]),
    ("f(x) = 2x+7, find f(4)", &[
        "Put 4 in for x.",
        "What does f(4) mean?",
        "2 · 4 is 8. What is left?",
        "The 7 is added at the end.",
    ]),
    ("zeros of f(x) = x^2 - 9", &[
        "Set f(x) = 0.",
        "x^2 = 9",
        "Which numbers give 9 when squared?",
        "Do you know the difference of squares?",
        "Where does the graph cross the x-axis?",
    ]),
    ("3x=1", &[
        "Divide both sides by 3.",
        "Will x be bigger than 1?",
        "3 · 0.5 = 1.5 is too big.",
        "A fraction is fine as an answer.",
    ]),
    ("x^2=2", &[
        "What undoes squaring?",
        "Is it between 1 and 2?",
        "1.5 squared is 2.25, too big.",
        "Don't forget the negative one.",
    ]),
    ("1/2+1/3", &[
        "Find a common denominator.",
        "1/2 is 0.5.",
        "1/2 = 3/6. And 1/3?",
        "What is the least common multiple of 2 and 3?",
    ]),
    ("y-intercept of y = 2x+3", &[
        "What is x where the line crosses the y-axis?",
        "Set x = 0.",
        "Look at the form y = mx + b.",
    ]),
    ("Tom has 3 apples and gets 5 more. How many apples does he have altogether?", &[
        "What happens to the number of apples: more or fewer?",
        "Which operation fits the word \"altogether\"?",
        "Start at 3 and count on.",
        "Draw the apples.",
        "Which two numbers do you need?",
        "Add the 5 to the 3.",
    ]),
    ("24 sweets are shared equally among 6 children. How many does each child get?", &[
        "Sharing equally: which operation is that?",
        "6 times which number makes 24?",
        "Give one sweet to each child first. How many are left?",
        "How many sweets are there in all?",
        "There are 6 children.",
        "Draw 6 plates.",
    ]),
    ("A garden is 8 m long and 5 m wide. What is its area?", &[
        "How do you find the area of a rectangle?",
        "How many rows of 1 m squares fit in?",
        "Is it length plus width, or length times width?",
        "8 squares fit in one row. How many rows?",
    ]),
    ("Im Bus sitzen 23 Personen. 8 steigen aus. Wie viele Personen bleiben im Bus?", &[
        "Werden es mehr oder weniger?",
        "Welche Rechnung passt zu \"aussteigen\"?",
        "Ziehe erst 3 ab, dann noch 5.",
        "Wie viele sind es, wenn nur 3 aussteigen?",
    ]),
    ("5 Kisten enthalten je 12 Flaschen. Wie viele Flaschen sind das zusammen?", &[
        "Was bedeutet \"je\"?",
        "Wie viele Flaschen sind in 2 Kisten?",
        "Rechne zuerst 5 mal 10.",
        "Zeichne eine Kiste mit 12 Flaschen.",
    ]),
    ("Mia has 14 cards and Jo has 9. How many more cards does Mia have?", &[
        "Who has more?",
        "Line the cards up in two rows.",
        "What must you add to 9 to get 14?",
        "Which word tells you to compare?",
    ]),
    ("What is the difference between 3/4 and 0.75 in words?", &[
        "Both name the same number.",
    ]),
    ("I have 2 sisters and 3 brothers and no idea how all of this works", &[
        "No problem. Which part is hard for you?",
        "Let's go in 5 small steps.",
    ]),
    ("We read 2 chapters with 40 pages. What is the book about in all?", &[
        "Who are the main characters?",
        "Chapter 2 begins with a letter.",
        "Read page 42 again.",
    ]),
    ("How do I write an essay with 3 paragraphs and 500 words in total?", &[
        "Start with an introduction.",
        "Plan about 150 words for the opening.",
        "Use 3 arguments at most.",
        "Write the topic sentence of each paragraph first.",
    ]),
    ("In 1291 three cantons made an alliance. What remained of it?", &[
        "Which cantons were they?",
        "Look at the year 1848 in your book.",
        "How did the alliance grow to 8 members?",
    ]),
    ("Der Zweite Weltkrieg dauerte 6 Jahre, der Erste 4. Was war der Unterschied?", &[
        "Denk an die Ursachen.",
        "Welche Länder waren beteiligt?",
        "Vergleiche zwei Punkte: Technik und Ziele.",
    ]),
    ("explain the roots of the French revolution of 1789", &[
        "What did the third estate want?",
        "Look at taxes.",
        "Which three estates were there?",
    ]),
    ("what does the x-axis show in a graph of y = 2x", &[
        "It shows the values of x.",
        "One axis is for x, one for y.",
        "Where do both axes meet?",
    ]),
];

#[test]
fn an_honest_hint_is_read() {
    let mut withheld = Vec::new();
    let mut count = 0;
    for (problem, hints) in HINTS {
        for hint in *hints {
            count += 1;
            let found = answer(&[problem], hint.as_bytes(), &STRICT);
            if found.withheld.is_some() {
                withheld.push(format!("{} | {problem} | {hint}", found.violation));
            }
        }
    }
    for line in &withheld {
        println!("{line}");
    }
    println!("{} of {count} withheld", withheld.len());
    assert!(count >= 200, "{count}");
    assert!(
        withheld.len() * 50 <= count,
        "{} of {count}: {withheld:#?}",
        withheld.len()
    );
}

/// What the demo course's lessons say, sentence by sentence: written by others, for no problem of these.
#[test]
fn a_lesson_is_read() {
    let content =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../courses/algebra-foundations/content");
    let mut lines = Vec::new();
    for file in fs::read_dir(content).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        let kept = text
            .lines()
            .map(str::trim)
            .filter(|line| line.contains(' ') && !line.contains("://"));
        lines.extend(kept.map(str::to_owned));
    }
    let (mut count, mut withheld, mut handed) = (0, 0, 0);
    for (number, line) in lines.iter().enumerate() {
        if handed_over(line) {
            println!("handed over: {line}");
            handed += 1;
        }
        for (problem, _) in HINTS.iter().skip(number % 5).step_by(5) {
            count += 1;
            let found = answer(&[problem], line.as_bytes(), &STRICT);
            if found.violation == "answer_given" {
                withheld += 1;
                if withheld % 10 == 0 {
                    println!("{problem} | {line}");
                }
            }
        }
    }
    println!(
        "{withheld} of {count} withheld; {handed} of {} handed over",
        lines.len()
    );
    assert!(
        withheld * 10 <= count && handed * 50 <= lines.len(),
        "{withheld} of {count}, {handed}"
    );
}
