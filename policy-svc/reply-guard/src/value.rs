//! The value of a formula modulo a prime: formulas of one value have one, whatever their form. A hash of what they say, not of
//! how they are written, and much cheaper than reading them as the grader does.

/// The prime 2^61 - 1.
const PRIME: u64 = (1 << 61) - 1;
/// The highest power that is worked out.
const MOST_POWER: u64 = 64;
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
    let mixed = (u64::from(letter) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)) % PRIME
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

fn add(left: u64, right: u64) -> u64 {
    (left + right) % PRIME
}

fn negative(value: u64) -> u64 {
    (PRIME - value) % PRIME
}

fn multiply(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right) % u128::from(PRIME);
    // It is less than the prime.
    product as u64
}

fn raised(base: u64, exponent: u64) -> u64 {
    let (mut result, mut square, mut left) = (1, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result = multiply(result, square);
        }
        square = multiply(square, square);
        left >>= 1;
    }
    result
}

/// By Fermat's little theorem; zero has none.
fn inverse(value: u64) -> Option<u64> {
    (value != 0).then(|| raised(value, PRIME - 2))
}
