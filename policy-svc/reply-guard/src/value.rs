//! The value of a formula modulo a prime: formulas of one value have one, whatever their form. A hash of what they say, not of
//! how they are written, and much cheaper than reading them as the grader does.

use turnwise_grading::residue::{
    MOST_POWER, add, inverse, multiply, negative, of_variable, raised,
};

/// How deep brackets may be.
const MOST_BRACKETS: usize = 24;

/// The value of a formula as it is typed, with `put_in` for its variables. `None` where it may be read in two ways, such as
/// `1/2x` and `1 1/2`, and where it has other signs than those of plain arithmetic.
pub(crate) fn value(typed: &str, put_in: &impl Fn(char) -> u64) -> Option<u64> {
    let mut reader = Reader {
        rest: typed.as_bytes(),
        put_in,
        depth: 0,
    };
    let value = reader.sum()?;
    reader.rest.is_empty().then_some(value)
}

/// A value for each variable that no formula has by accident.
pub(crate) fn any(letter: char) -> u64 {
    of_variable(letter.encode_utf8(&mut [0; 4]))
}

/// The solution of a linear equation in one variable; `None` where it is not linear, or has none or all.
pub(crate) fn linear_root(left: &str, right: &str) -> Option<u64> {
    let difference = |at: u64| Some(add(value(left, &|_| at)?, negative(value(right, &|_| at)?)));
    let (at_zero, at_one, at_two) = (difference(0)?, difference(1)?, difference(2)?);
    let slope = add(at_one, negative(at_zero));
    let is_linear = add(at_one, slope) == at_two;
    is_linear
        .then(|| inverse(slope))
        .flatten()
        .map(|inverse| multiply(negative(at_zero), inverse))
}

struct Reader<'a, F> {
    rest: &'a [u8],
    put_in: &'a F,
    depth: usize,
}

impl<F: Fn(char) -> u64> Reader<'_, F> {
    fn sum(&mut self) -> Option<u64> {
        let mut sum = self.product()?;
        while let Some(sign @ (b'+' | b'-')) = self.rest.first().copied() {
            self.rest = &self.rest[1..];
            let next = self.product()?;
            sum = add(sum, if sign == b'-' { negative(next) } else { next });
        }
        Some(sum)
    }

    fn product(&mut self) -> Option<u64> {
        let mut product = self.power()?;
        let mut divided = false;
        loop {
            match self.rest.first() {
                Some(b'*') => {
                    self.rest = &self.rest[1..];
                    product = multiply(product, self.power()?);
                }
                Some(b'/') => {
                    self.rest = &self.rest[1..];
                    product = multiply(product, inverse(self.power()?)?);
                    divided = true;
                }
                // How far a slash reaches is not certain.
                Some(b'(' | b'a'..=b'z' | b'A'..=b'Z') if !divided => {
                    product = multiply(product, self.power()?);
                }
                Some(b')' | b'+' | b'-') | None => return Some(product),
                _ => return None,
            }
        }
    }

    /// A sign reaches over the power behind it.
    fn power(&mut self) -> Option<u64> {
        if let Some(rest) = self.rest.strip_prefix(b"-") {
            self.rest = rest;
            return Some(negative(self.power()?));
        }
        let base = self.atom()?;
        let Some(rest) = self.rest.strip_prefix(b"^") else {
            return Some(base);
        };
        self.rest = rest;
        let exponent = self.number()?;
        (exponent <= MOST_POWER && !self.rest.starts_with(b"^")).then(|| raised(base, exponent))
    }

    fn atom(&mut self) -> Option<u64> {
        match self.rest.first()? {
            b'0'..=b'9' => self.number(),
            letter @ (b'a'..=b'z' | b'A'..=b'Z') => {
                let value = (self.put_in)(char::from(*letter));
                self.rest = &self.rest[1..];
                Some(value)
            }
            b'(' if self.depth < MOST_BRACKETS => {
                self.rest = &self.rest[1..];
                self.depth += 1;
                let value = self.sum()?;
                self.depth -= 1;
                self.rest = self.rest.strip_prefix(b")")?;
                Some(value)
            }
            _ => None,
        }
    }

    /// A whole number; what is a decimal may be rounded.
    fn number(&mut self) -> Option<u64> {
        let digits = self.rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        (digits > 0 && !rest.starts_with(b".")).then(|| {
            let digit = |value, digit: &u8| add(multiply(value, 10), u64::from(digit - b'0'));
            number.iter().fold(0, digit)
        })
    }
}
