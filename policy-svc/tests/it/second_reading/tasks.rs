//! What a task asks for, and whether the key is that.

use turnwise_course_pack::Drill;

use super::{
    formula::{Formula, Values},
    number::{Number, gcd},
};

type Task = fn(&Drill) -> Option<bool>;

/// Words of the prompt; the first that stand in it tell the task.
const TASKS: [(&str, Task); 44] = [
    ("Work out the value.", number),
    ("Work out the sum.", number),
    ("Work out the difference.", number),
    ("Work out the amount.", number),
    ("Write the result as a single fraction.", number),
    ("Write the fraction in lowest terms.", number),
    ("Berechne.", number),
    ("Berechne den Anteil.", number),
    ("Schreibe das Ergebnis als einen Bruch.", number),
    ("Kürze so weit wie möglich.", number),
    ("Work out the value for ", number_for),
    ("Berechne den Wert des Terms für ", number_for),
    ("Work out y for ", height_for),
    ("Find the missing number.", solution),
    ("Bestimme die fehlende Zahl n.", solution),
    ("Solve the equation.", solution),
    ("Löse die Gleichung.", solution),
    ("Find the larger solution.", |drill| {
        root(drill, |own, other| other.is_less_than(own))
    }),
    ("Find the smaller solution.", |drill| {
        root(drill, Number::is_less_than)
    }),
    ("Find the positive solution.", |drill| {
        root(drill, |own, other| own.above > 0 && other.above <= 0)
    }),
    ("Find the solution that is not zero.", |drill| {
        root(drill, |own, other| own.above != 0 && other.above == 0)
    }),
    ("Simplify.", collected),
    ("Expand the bracket.", collected),
    ("Expand and simplify.", collected),
    ("Fasse zusammen.", collected),
    ("Löse die Klammer auf", collected),
    ("Write as a single power.", single_power),
    ("Take out the greatest common factor.", common_factor),
    (
        "Klammere den größten gemeinsamen Faktor aus.",
        common_factor,
    ),
    ("Factor the expression.", two_factors),
    ("Work out the slope of the line through ", slope_of_points),
    ("Work out the slope of the line.", slope_of_line),
    ("Work out the x-coordinate where the line meets", zero),
    ("A line has slope ", line),
    ("is to the right of the point", distance),
    ("units down. Work out the new y-coordinate.", down),
    ("Work out the x-coordinate of its midpoint.", midpoint),
    ("Work out the smaller share.", smaller_share),
    (" brauchen ", the_less),
    ("Work out the number.", undone),
    (" cost ", the_more),
    (" kosten ", the_more),
    (" fährt ", the_more),
    (" fördert ", the_more),
];

/// Whether the key is what the exercise asks for; `None` for an exercise that is not read here.
pub fn holds(drill: &Drill) -> Option<bool> {
    let mut tasks = TASKS.iter();
    let (_, task) = tasks.find(|(words, _)| drill.prompt.contains(words))?;
    task(drill)
}

fn value(formula: &Formula) -> Option<Number> {
    formula.value(&Values::new())
}

/// The two sides of an equation.
fn sides(text: &str) -> Option<(Formula, Formula)> {
    let (left, right) = text.split_once('=')?;
    Some((Formula::read(left)?, Formula::read(right)?))
}

/// The formula that a letter is set equal to, as in `y = 3x + 4`.
fn of_letter(text: &str, letter: char) -> Option<Formula> {
    let (left, right) = sides(text)?;
    (left == Formula::Letter(letter)).then_some(right)
}

/// The key's number, with the letter of an equation before it or without.
fn key_number(drill: &Drill, letter: char) -> Option<Number> {
    let key = &drill.answer;
    let formula = match key.contains('=') {
        true => of_letter(key, letter)?,
        false => Formula::read(key)?,
    };
    value(&formula)
}

/// What a formula in one letter comes to.
fn at(formula: &Formula, letter: char, number: Number) -> Option<Number> {
    formula.value(&[(letter, number)].into())
}

/// The whole numbers of a text, each with the minus right before it.
fn numbers(text: &str) -> Vec<Number> {
    let text = text.replace('−', "-");
    let parts = text.split(|c: char| !(c.is_ascii_digit() || c == '-' || c == ','));
    // `1,60 €` are 160 cents.
    let parts = parts.map(|part| part.trim_end_matches(',').replace(',', ""));
    let parsed = parts.filter_map(|part| part.parse().ok());
    parsed.map(Number::whole).collect()
}

/// The numbers of an exercise in words.
fn said<const MANY: usize>(drill: &Drill) -> Option<[Number; MANY]> {
    let shown = numbers(&drill.question_latex);
    says_no_others(drill).then_some(())?;
    shown.try_into().ok()
}

/// The prompt says no number that the formula does not have, signs left out.
fn says_no_others(drill: &Drill) -> bool {
    let sizes = |text| numbers(text).into_iter().map(|n| n.above.abs());
    let shown: Vec<i128> = sizes(&drill.question_latex).collect();
    sizes(&drill.prompt).all(|size| shown.contains(&size))
}

/// A number, and where it is a fraction, one in lowest terms.
fn number(drill: &Drill) -> Option<bool> {
    let key = Formula::read(&drill.answer)?;
    let is_lowest = match &key {
        Formula::Quotient(above, below) => {
            let (above, below) = (value(above)?, value(below)?);
            let is_whole = above.below == 1 && below.below == 1;
            is_whole && below.above > 1 && gcd(above.above, below.above) == 1
        }
        _ => value(&key)?.below == 1,
    };
    let question = Formula::read(&drill.question_latex)?;
    Some(is_lowest && value(&question)? == value(&key)?)
}

/// The value that a prompt gives a letter: `for x = -2.`
fn given(drill: &Drill) -> Option<(char, Number)> {
    let (before, number) = drill.prompt.split_once('=')?;
    let number = Formula::read(number.trim_end_matches('.'))?;
    Some((before.trim_end().chars().last()?, value(&number)?))
}

fn number_for(drill: &Drill) -> Option<bool> {
    let (letter, number) = given(drill)?;
    let question = Formula::read(&drill.question_latex)?;
    let key = Formula::read(&drill.answer)?;
    Some(at(&question, letter, number)? == value(&key)?)
}

fn height_for(drill: &Drill) -> Option<bool> {
    let (letter, number) = given(drill)?;
    let line = of_letter(&drill.question_latex, 'y')?;
    Some(at(&line, letter, number)? == key_number(drill, 'y')?)
}

/// What is left of an equation in one letter when one side is taken from the other, and the letter.
fn difference(drill: &Drill) -> Option<(Formula, char)> {
    let (left, right) = sides(&drill.question_latex)?;
    let difference = Formula::Sum(left.into(), Formula::Minus(right.into()).into());
    let letter = *difference.letters().first()?;
    (difference.letters().len() == 1).then_some((difference, letter))
}

/// The one solution of a linear equation.
fn solution(drill: &Drill) -> Option<bool> {
    let (difference, letter) = difference(drill)?;
    let at = |number| at(&difference, letter, number);
    let has_one = difference.degree() == 1 && at(Number::ZERO)? != at(Number::ONE)?;
    Some(has_one && at(key_number(drill, letter)?)? == Number::ZERO)
}

/// One of the two solutions of a quadratic equation, told by how it stands to the other.
fn root(drill: &Drill, is_meant: impl Fn(Number, Number) -> bool) -> Option<bool> {
    let (difference, letter) = difference(drill)?;
    let at = |number: i128| at(&difference, letter, Number::whole(number));
    // ax² + bx + c, by three of its points.
    let half = |number: Number| number.over(Number::whole(2));
    let c = at(0)?;
    let a = half(at(1)? + at(-1)?)? - c;
    let b = half(at(1)? - at(-1)?)?;
    if difference.degree() != 2 || a == Number::ZERO {
        return None;
    }
    let key = key_number(drill, letter)?;
    let other = (-b).over(a)? - key;
    let is_root = a * key * other == c && self::at(&difference, letter, key)? == Number::ZERO;
    Some(is_root && is_meant(key, other))
}

/// Both are the same for all numbers, as they are for more numbers than a difference of this degree has zeros.
fn is_same(question: &Formula, key: &Formula) -> Option<bool> {
    let letters = &question.letters() | &key.letters();
    let zeros = i128::from(question.degree() + key.degree());
    let mut points = vec![Values::new()];
    for letter in letters {
        let numbers = (1..=zeros + 1).map(|n| if n % 2 == 0 { n / 2 } else { -(n + 1) / 2 });
        let with = |number: i128| {
            let more = points.iter().cloned();
            more.map(move |mut point| {
                point.insert(letter, Number::whole(number));
                point
            })
        };
        points = numbers.flat_map(with).collect();
    }
    for point in &points {
        if question.value(point)? != key.value(point)? {
            return Some(false);
        }
    }
    Some(true)
}

/// The same, in the form that is asked for.
fn rewritten(drill: &Drill, has_form: impl Fn(&Formula) -> Option<bool>) -> Option<bool> {
    let question = Formula::read(&drill.question_latex)?;
    let key = Formula::read(&drill.answer)?;
    Some(is_same(&question, &key)? && has_form(&key)?)
}

/// Without brackets, and no two summands alike.
fn collected(drill: &Drill) -> Option<bool> {
    rewritten(drill, |key| {
        let mut seen = Vec::new();
        for summand in key.summands() {
            let Some(letters) = summand.monomial() else {
                return Some(false);
            };
            if seen.contains(&letters) {
                return Some(false);
            }
            seen.push(letters);
        }
        Some(true)
    })
}

fn single_power(drill: &Drill) -> Option<bool> {
    rewritten(drill, |key| {
        let of_letter = |key: &Formula| match key {
            Formula::Power(of, _) => matches!(**of, Formula::Letter(_)),
            _ => false,
        };
        Some(of_letter(key))
    })
}

/// A number times a bracket in which no number is left to take out.
fn common_factor(drill: &Drill) -> Option<bool> {
    rewritten(drill, |key| {
        let [Formula::Number(_), bracket] = key.factors()[..] else {
            return Some(false);
        };
        let letter = *key.letters().first()?;
        let constant = at(bracket, letter, Number::ZERO)?;
        let slope = at(bracket, letter, Number::ONE)? - constant;
        let is_whole = constant.below == 1 && slope.below == 1;
        let is_sum = constant != Number::ZERO && bracket.degree() == 1;
        Some(is_whole && is_sum && gcd(constant.above, slope.above) == 1)
    })
}

/// Two brackets with the letter in each.
fn two_factors(drill: &Drill) -> Option<bool> {
    rewritten(drill, |key| {
        let factors = key.factors();
        let are_linear = factors.iter().all(|factor| factor.degree() == 1);
        Some(factors.len() == 2 && are_linear)
    })
}

fn slope_of_points(drill: &Drill) -> Option<bool> {
    let [x, y, to_x, to_y] = said(drill)?;
    let key = Formula::read(&drill.answer)?;
    let is_lowest = number(&Drill {
        question_latex: drill.answer.clone(),
        ..drill.clone()
    });
    Some(is_lowest? && (to_y - y).over(to_x - x)? == value(&key)?)
}

/// How steep a line's formula is.
fn slope(line: &Formula) -> Option<Number> {
    let steps = at(line, 'x', Number::ONE)? - at(line, 'x', Number::ZERO)?;
    (line.degree() == 1).then_some(steps)
}

fn slope_of_line(drill: &Drill) -> Option<bool> {
    let line = of_letter(&drill.question_latex, 'y')?;
    Some(slope(&line)? == key_number(drill, 'x')?)
}

fn zero(drill: &Drill) -> Option<bool> {
    let line = of_letter(&drill.question_latex, 'y')?;
    let is_zero = at(&line, 'x', key_number(drill, 'x')?)? == Number::ZERO;
    Some(is_zero && slope(&line)? != Number::ZERO)
}

fn line(drill: &Drill) -> Option<bool> {
    let [steep, x, y] = said(drill)?;
    let key = of_letter(&drill.answer, 'y')?;
    Some(slope(&key)? == steep && at(&key, 'x', x)? == y)
}

fn distance(drill: &Drill) -> Option<bool> {
    let [x, y, to_x, to_y] = said(drill)?;
    Some(y == to_y && x + key_number(drill, 'x')? == to_x)
}

fn down(drill: &Drill) -> Option<bool> {
    let [_, y, steps] = said(drill)?;
    Some(key_number(drill, 'y')? + steps == y)
}

fn midpoint(drill: &Drill) -> Option<bool> {
    let [from, _, to, _] = said(drill)?;
    let key = key_number(drill, 'x')?;
    Some(key - from == to - key)
}

fn smaller_share(drill: &Drill) -> Option<bool> {
    let [amount, a, b] = said(drill)?;
    let smaller = if a.is_less_than(b) { a } else { b };
    Some(key_number(drill, 'x')? * (a + b) == amount * smaller)
}

/// The more of one, the more of the other.
fn the_more(drill: &Drill) -> Option<bool> {
    let [many, much, others] = said(drill)?;
    Some(key_number(drill, 'x')? * many == much * others)
}

/// The more of one, the less of the other.
fn the_less(drill: &Drill) -> Option<bool> {
    let [people, hours, others] = said(drill)?;
    Some(key_number(drill, 'x')? * others == people * hours)
}

/// What was done to the number, done to the key: `\square \to \times 2 \to +5 \to 17`.
fn undone(drill: &Drill) -> Option<bool> {
    let steps: Vec<&str> = drill.question_latex.split("\\to").collect();
    let ["\\square ", done @ .., result] = steps.as_slice() else {
        return None;
    };
    let mut number = drill.answer.clone();
    for step in done {
        number = format!("({number}){step}");
    }
    let result = Formula::read(result)?;
    let comes_to_it = value(&Formula::read(&number)?)? == value(&result)?;
    Some(comes_to_it && says_no_others(drill))
}
