//! Which answers are plain numbers, and wrong answers that are safe beside them.
//!
//! A distractor is safe if it cannot be right by another reading: it differs in value from the answer
//! and from the other distractors. So only answers that are one plain number take part.

use std::collections::BTreeMap;

/// How many wrong answers stand beside the right one.
const DISTRACTORS: usize = 3;

/// A multiple-choice question's option texts, and which of them is right.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) texts: Vec<String>,
    pub(super) right: usize,
}

/// Makes a choice of four out of the answer, or `None` if no safe one can be made. The same id and
/// answer always give the same choice.
pub(super) fn choice(id: &str, answer: &str) -> Option<Choice> {
    let answer = answer.trim();
    let plain = Plain::read(answer)?;
    // Ranked by a hash of the question's id, so that the pattern of wrong answers does not give the
    // right one away.
    let mut ranked: BTreeMap<(u64, String), Number> = BTreeMap::new();
    for number in plain.number.neighbours() {
        let text = plain.print(number);
        ranked.insert((hash(&[id, &text]), text), number);
    }
    let mut values = vec![plain.number];
    let mut texts: Vec<String> = Vec::new();
    for ((_, text), number) in ranked {
        if texts.len() < DISTRACTORS && !values.iter().any(|v| v.same_value(number)) {
            values.push(number);
            texts.push(text);
        }
    }
    if texts.len() < DISTRACTORS {
        return None;
    }
    let right = usize::try_from(hash(&[id]) % (DISTRACTORS as u64 + 1)).ok()?;
    texts.insert(right, answer.to_owned());
    Some(Choice { texts, right })
}

/// The text with typographic signs replaced by plain ones.
pub(super) fn normalise(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\u{2212}' | '\u{2013}' => '-',
            '×' => '*',
            '÷' => '/',
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{201c}' | '\u{201d}' => '"',
            c if c.is_whitespace() => ' ',
            c => c,
        })
        .collect()
}

/// An answer that is one plain number, perhaps as `x = number`, with the way it is printed.
#[derive(Debug)]
struct Plain {
    /// What stands before the number, such as `x = `.
    lead: String,
    /// How a minus is printed.
    minus: String,
    number: Number,
}

impl Plain {
    fn read(answer: &str) -> Option<Self> {
        // `normalise` goes character by character, so counts of characters fit both texts.
        let plain = normalise(answer);
        let lead = match plain.split_once('=') {
            Some((variable, _)) => {
                let name = variable.trim();
                if name.len() != 1 || !name.bytes().all(|b| b.is_ascii_alphabetic()) {
                    return None;
                }
                let after = plain[variable.len() + 1..].chars();
                variable.chars().count() + 1 + after.take_while(|c| *c == ' ').count()
            }
            None => 0,
        };
        let rest: String = plain.chars().skip(lead).collect();
        let digits = rest.trim_start_matches('-').trim_start_matches(' ');
        let sign = rest.chars().count() - digits.chars().count();
        let negative = rest.starts_with('-');
        if sign > 0 && !negative || rest.matches('-').count() > usize::from(negative) {
            return None;
        }
        let minus = if negative {
            answer.chars().skip(lead).take(sign).collect()
        } else {
            "-".to_owned()
        };
        Some(Self {
            lead: answer.chars().take(lead).collect(),
            minus,
            number: Number::read(digits, negative)?,
        })
    }

    fn print(&self, number: Number) -> String {
        let minus = if number.top < 0 {
            self.minus.as_str()
        } else {
            ""
        };
        format!("{}{minus}{}", self.lead, number.unsigned_text())
    }
}

/// A whole number, a decimal or a fraction: `top / bottom`, and how it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Number {
    top: i64,
    bottom: i64,
    form: Form,
}

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Whole,
    /// With this many digits behind the point.
    Decimal(u32),
    Fraction,
}

/// Longer numbers are no exercise for the head.
const MAX_DIGITS: usize = 9;

impl Number {
    /// Reads digits with at most one `.` or `/` among them.
    fn read(text: &str, negative: bool) -> Option<Self> {
        let sign = if negative { -1 } else { 1 };
        let number = if let Some((top, bottom)) = text.split_once('/') {
            let (above, below) = (digits(top)?, digits(bottom)?);
            // Printed mixed numbers lost their space: `12/3` may be 1 2/3. Whatever can be read so
            // is no plain number.
            let mixed = (1..top.len()).any(|at| {
                top[at..]
                    .parse()
                    .is_ok_and(|part: i64| part > 0 && part < below)
                    && !top[at..].starts_with('0')
            });
            if below < 2 || above == 0 || mixed {
                return None;
            }
            Self {
                top: above,
                bottom: below,
                form: Form::Fraction,
            }
        } else if let Some((whole, part)) = text.split_once('.') {
            digits(whole)?;
            let places = u32::try_from(part.len()).ok()?;
            if part.is_empty() || whole.len() + part.len() > MAX_DIGITS {
                return None;
            }
            let all = format!("{whole}{part}");
            if !all.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            Self {
                top: all.parse().ok()?,
                bottom: 10i64.pow(places),
                form: Form::Decimal(places),
            }
        } else {
            Self {
                top: digits(text)?,
                bottom: 1,
                form: Form::Whole,
            }
        };
        Some(Self {
            top: sign * number.top,
            ..number
        })
    }

    fn same_value(self, other: Self) -> bool {
        i128::from(self.top) * i128::from(other.bottom)
            == i128::from(other.top) * i128::from(self.bottom)
    }

    fn unsigned_text(self) -> String {
        let top = self.top.unsigned_abs();
        match self.form {
            Form::Whole => top.to_string(),
            Form::Fraction => format!("{top}/{}", self.bottom),
            Form::Decimal(places) => {
                let text = format!("{top:0>width$}", width = places as usize + 1);
                let (whole, part) = text.split_at(text.len() - places as usize);
                format!("{whole}.{part}")
            }
        }
    }

    /// Numbers that typical mistakes lead to.
    fn neighbours(self) -> Vec<Self> {
        let with = |top: i64| Self { top, ..self };
        let sign = self.top.signum();
        match self.form {
            Form::Fraction => {
                let below = |bottom: i64| Self { bottom, ..self };
                let mut found = vec![
                    with(-self.top),
                    with(self.top + sign),
                    below(self.bottom + 1),
                    // Twice and half: a common factor kept, or cancelled once too often.
                    below(self.bottom * 2),
                ];
                if self.top.abs() > 1 {
                    found.push(with(self.top - sign));
                    // Numerator and denominator swapped.
                    found.push(Self {
                        top: sign * self.bottom,
                        bottom: self.top.abs(),
                        form: Form::Fraction,
                    });
                }
                found
            }
            Form::Whole | Form::Decimal(_) => {
                let mut found = vec![
                    with(-self.top),
                    with(self.top + 1),
                    with(self.top - 1),
                    with(self.top + 10),
                    with(self.top - 10),
                    with(swap_last_digits(self.top)),
                ];
                if let Form::Decimal(_) = self.form {
                    // The point one place off.
                    found.push(with(self.top * 10));
                } else {
                    found.push(with(self.top * 2));
                }
                found
            }
        }
    }
}

/// A number of plain digits, without a leading zero but for `0` itself.
fn digits(text: &str) -> Option<i64> {
    let plain = (1..=MAX_DIGITS).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_digit())
        && (text.len() == 1 || !text.starts_with('0'));
    if plain { text.parse().ok() } else { None }
}

fn swap_last_digits(number: i64) -> i64 {
    let (ones, tens) = (number % 10, number / 10 % 10);
    number - ones - 10 * tens + 10 * ones + tens
}

/// FNV-1a over the parts: stable across machines and releases, which std's hasher is not.
fn hash(parts: &[&str]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in parts.iter().flat_map(|part| part.bytes().chain([0])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    // FNV's low bits are weak; fold the high ones in before a modulus is taken.
    hash ^ (hash >> 32)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn only_one_plain_number_is_taken() {
        for answer in [
            "7",
            "−7",
            "- 7",
            "0",
            "3.25",
            "0.5",
            "2/15",
            "− 3/8",
            "x = 4",
            "y=−2",
            "n = - 1/6",
            "3/5",
        ] {
            let choice = choice("q", answer).expect(answer);
            assert_eq!(choice.texts.len(), 4, "{answer}");
            assert_eq!(choice.texts[choice.right], answer);
        }
        for answer in [
            "",
            "x",
            "1,150",
            "12/3",
            "27/40",
            "4/1",
            "0/5",
            "5, 7",
            "$5",
            "45%",
            "x = 2, y = 3",
            "x = 2 y = 3",
            "x^2",
            "3x",
            "007",
            "1.",
            ".5",
            "1.2.3",
            "1/2/3",
            "--7",
            "7-",
            "- -7",
            "x = y",
            "xy = 3",
            "(3,3)",
            "12345678901",
            "5 cm",
            "= 5",
            "1e5",
            "1/-2",
            "٣",
        ] {
            assert_eq!(choice("q", answer), None, "{answer}");
        }
    }

    #[test]
    fn options_differ_in_value_and_keep_the_answers_print() {
        for id in 0..200 {
            for answer in ["11", "- 5/4", "x = −3", "0", "0.50", "10", "1/2", "k = 100"] {
                let choice = choice(&format!("q{id}"), answer).expect(answer);
                let numbers: Vec<Number> = choice
                    .texts
                    .iter()
                    .map(|t| {
                        let p = Plain::read(t);
                        p.map(|p| p.number).unwrap_or_else(|| fraction(t))
                    })
                    .collect();
                for (n, number) in numbers.iter().enumerate() {
                    assert!(
                        numbers[..n]
                            .iter()
                            .all(|earlier| !earlier.same_value(*number)),
                        "{:?}",
                        choice.texts
                    );
                }
            }
        }
        let choice = choice("q", "x = − 3/8").unwrap();
        assert!(
            choice.texts.iter().all(|t| t.starts_with("x = ")),
            "{:?}",
            choice.texts
        );
        assert!(
            choice.texts.iter().all(|t| !t.contains('-')),
            "{:?}",
            choice.texts
        );
    }

    /// A distractor may be a fraction that an answer could not be, such as 12/7.
    fn fraction(text: &str) -> Number {
        let text = normalise(text).replace(' ', "");
        let (top, bottom) = text.split_once('/').unwrap_or_else(|| panic!("{text}"));
        Number {
            top: top.parse().unwrap(),
            bottom: bottom.parse().unwrap(),
            form: Form::Fraction,
        }
    }

    #[test]
    fn the_right_one_stands_anywhere_and_always_in_the_same_place() {
        let mut places = [0; 4];
        for id in 0..400 {
            let id = format!("pa-1.{}-x{id:04}", id % 9);
            let first = choice(&id, "12").unwrap();
            assert_eq!(choice(&id, "12").unwrap(), first);
            places[first.right] += 1;
        }
        assert!(places.iter().all(|count| *count > 60), "{places:?}");
    }
}
