//! Problems from seeds, with their solutions in many spellings, none of them by the code that is tested.

/// Numbers from a seed.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: i64) -> i64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as i64) % end
    }

    pub fn between(&mut self, from: i64, to: i64) -> i64 {
        from + self.below(to - from + 1)
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as i64) as usize]
    }
}

/// A problem as a student types it.
pub struct Case {
    pub message: String,
    pub question: String,
    pub unknown: char,
    /// Whether the solution is what the unknown is.
    pub names_unknown: bool,
    pub solutions: Vec<String>,
    /// The solution, where it is one whole number above zero.
    pub whole: Option<i64>,
}

const ENGLISH: [&str; 30] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
    "twenty-one",
    "twenty-two",
    "twenty-three",
    "twenty-four",
    "twenty-five",
    "twenty-six",
    "twenty-seven",
    "twenty-eight",
    "twenty-nine",
];
const GERMAN: [&str; 30] = [
    "null",
    "eins",
    "zwei",
    "drei",
    "vier",
    "fünf",
    "sechs",
    "sieben",
    "acht",
    "neun",
    "zehn",
    "elf",
    "zwölf",
    "dreizehn",
    "vierzehn",
    "fünfzehn",
    "sechzehn",
    "siebzehn",
    "achtzehn",
    "neunzehn",
    "zwanzig",
    "einundzwanzig",
    "zweiundzwanzig",
    "dreiundzwanzig",
    "vierundzwanzig",
    "fünfundzwanzig",
    "sechsundzwanzig",
    "siebenundzwanzig",
    "achtundzwanzig",
    "neunundzwanzig",
];

/// Spellings of a whole number.
fn whole(number: i64) -> Vec<String> {
    let size = number.unsigned_abs() as usize;
    let sign = if number < 0 { "-" } else { "" };
    let wide: String = size
        .to_string()
        .chars()
        .map(|digit| char::from_u32(digit as u32 - '0' as u32 + '０' as u32).unwrap())
        .collect();
    let mut found = vec![
        format!("{number}"),
        format!("{number}.0"),
        format!("{number},0"),
        format!("{sign}{wide}"),
        format!("\\frac{{{}}}{{2}}", number * 2),
        format!("{}/3", number * 3),
    ];
    // What one means alone is not sure: `It is one.`
    if size < 30 && size != 1 {
        let (en, de) = (ENGLISH[size], GERMAN[size]);
        let minus = if number < 0 { "minus " } else { "" };
        found.push(format!("{minus}{en}"));
        found.push(format!("{minus}{}", en.to_uppercase()));
        found.push(format!("{minus}{de}"));
        let spelled: Vec<String> = en.chars().map(String::from).collect();
        if !en.contains('-') {
            found.push(format!("{minus}{}", spelled.join(" ")));
        }
    }
    found
}

fn fraction(above: i64, below: i64) -> Vec<String> {
    let mut divisor = above.abs().max(1);
    while above % divisor != 0 || below % divisor != 0 {
        divisor -= 1;
    }
    let (above, below) = (above / divisor, below / divisor);
    if below == 1 {
        return whole(above);
    }
    let mut found = vec![
        format!("{above}/{below}"),
        format!("\\frac{{{above}}}{{{below}}}"),
        format!("{}/{}", above * 2, below * 2),
        format!("{above} / {below}"),
    ];
    if above > below {
        found.push(format!("{} {}/{below}", above / below, above % below));
    }
    if (2..=4).contains(&below) && (2..30).contains(&above) {
        let name = ["halves", "thirds", "quarters"][(below - 2) as usize];
        found.push(format!("{} {name}", ENGLISH[above as usize]));
    }
    found
}

/// `+ 3`, `- 3`
fn plus(number: i64) -> String {
    format!("{} {}", if number < 0 { '-' } else { '+' }, number.abs())
}

/// `3x`, `x`, `-x`
fn times(factor: i64, name: &str) -> String {
    match factor {
        1 => name.to_owned(),
        -1 => format!("-{name}"),
        factor => format!("{factor}{name}"),
    }
}

/// One problem; its kind goes round.
pub fn case(random: &mut Random, number: usize) -> Case {
    let unknown = *random.pick(&['x', 'x', 'x', 'y', 'n', 'z']);
    let x = unknown.to_string();
    let solution = match random.between(-12, 25) {
        0 | 1 => 7,
        other => other,
    };
    let mut a = random.between(2, 9);
    let b = random.between(1, 20) * if random.below(2) == 0 { 1 } else { -1 };
    let solve = [
        "{q}",
        "solve {q}",
        "how do I solve {q}?",
        "Löse {q}",
        "solve for {x}: {q}",
        "was ist {x}? {q}",
        "hä {q} ??",
        "$ {q} $",
    ];
    let value = [
        "what is {q}",
        "{q}",
        "was ist {q}?",
        "Berechne {q}.",
        "help me with {q} pls",
        "whats {q}",
    ];
    let (question, frames, solutions, whole_number): (String, &[&str], Vec<String>, Option<i64>) =
        match number % 10 {
            0 => (
                format!("{x} {} = {}", plus(b), solution + b),
                &solve,
                whole(solution),
                Some(solution),
            ),
            1 => (
                format!("{} {} = {}", times(a, &x), plus(b), a * solution + b),
                &solve,
                whole(solution),
                Some(solution),
            ),
            2 => {
                let c = random.between(1, 9);
                a += if a == c { 1 } else { 0 };
                let right = (a - c) * solution + b;
                (
                    format!(
                        "{} {} = {} {}",
                        times(a, &x),
                        plus(b),
                        times(c, &x),
                        plus(right)
                    ),
                    &solve,
                    whole(solution),
                    Some(solution),
                )
            }
            3 => {
                let other = if solution > 5 {
                    solution - 4
                } else {
                    solution + 9
                };
                let (p, q) = (-(solution + other), solution * other);
                let middle = if p == 0 {
                    String::new()
                } else {
                    format!("{} ", plus_term(p, &x))
                };
                let roots = vec![
                    format!("{solution}"),
                    format!("{x} = {solution} or {x} = {other}"),
                    format!("{x} = {other}"),
                    format!("{solution} and {other}"),
                ];
                (
                    format!("{x}^2 {middle}{} = 0", plus(q)),
                    &solve,
                    roots,
                    None,
                )
            }
            4 => {
                let (c, d) = (random.between(1, 7), random.between(2, 9));
                let (e, f) = (random.between(1, 7), random.between(2, 9));
                (
                    format!("{c}/{d} + {e}/{f}"),
                    &value,
                    fraction(c * f + e * d, d * f),
                    None,
                )
            }
            5 => {
                let (c, d) = (random.between(2, 12), random.between(2, 12));
                let result = a * (c + d) + 11;
                (
                    format!("{a} * ({c} + {d}) + 11"),
                    &value,
                    whole(result),
                    Some(result),
                )
            }
            6 => {
                let spellings = vec![
                    format!("{} {}", times(a, &x), plus(a * b)),
                    format!("{a}*{x} {}", plus(a * b)),
                    format!("{} + {}", a * b, times(a, &x)),
                ];
                (
                    format!("{a}({x} {})", plus(b)),
                    &["expand {q}", "Multipliziere aus: {q}", "Expand: {q}"],
                    spellings,
                    None,
                )
            }
            7 => {
                let (p, q) = (random.between(1, 9), random.between(1, 9));
                let spellings = vec![
                    format!("({x} + {p})({x} + {q})"),
                    format!("({x} + {q}) * ({x} + {p})"),
                    format!("({q}+{x})({p}+{x})"),
                ];
                (
                    format!("{x}^2 {} + {}", plus_term(p + q, &x), p * q),
                    &["factor {q}", "Faktorisiere {q}", "factorise {q}"],
                    spellings,
                    None,
                )
            }
            8 => {
                let (share, base) = (random.between(1, 9) * 5, random.between(2, 20) * 20);
                let result = share * base / 100;
                let result = if result < 2 { 2 } else { result };
                let base = result * 100 / share;
                let exact = base * share == result * 100;
                let spellings = if exact {
                    whole(result)
                } else {
                    fraction(base * share, 100)
                };
                (
                    format!("{share}% of {base}"),
                    &["what is {q}?", "{q}", "how much is {q}", "find {q} please"],
                    spellings,
                    exact.then_some(result),
                )
            }
            _ => (
                format!("{} = {}", times(a, &x), a * solution),
                &solve,
                whole(solution),
                Some(solution),
            ),
        };
    let frame = random.pick(frames);
    Case {
        message: frame.replace("{q}", &question).replace("{x}", &x),
        question,
        unknown,
        names_unknown: matches!(number % 10, 0 | 1 | 2 | 9),
        solutions,
        whole: whole_number.filter(|whole| *whole > 0),
    }
}

fn plus_term(factor: i64, name: &str) -> String {
    format!(
        "{} {}",
        if factor < 0 { '-' } else { '+' },
        times(factor.abs(), name)
    )
}
