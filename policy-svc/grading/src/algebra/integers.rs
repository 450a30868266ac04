//! Factors whole numbers.

use num_bigint::BigInt;
use num_integer::Roots;
use num_traits::{Signed, ToPrimitive};

/// Largest divisor tried when a number is factored.
const TRIAL_LIMIT: u64 = 1 << 14;

/// The prime factors of a whole number with their powers, ascending; nothing for numbers too large to factor in time.
pub(crate) fn integer_factors(number: &BigInt) -> Option<Vec<(u64, u32)>> {
    let mut rest = number.abs().to_u64().filter(|rest| *rest != 0)?;
    let mut factors = Vec::new();
    let mut divisor = 2;
    while divisor < TRIAL_LIMIT && divisor * divisor <= rest {
        let mut power = 0;
        while rest.is_multiple_of(divisor) {
            rest /= divisor;
            power += 1;
        }
        if power > 0 {
            factors.push((divisor, power));
        }
        divisor += if divisor == 2 { 1 } else { 2 };
    }
    if rest > 1 {
        if rest < TRIAL_LIMIT * TRIAL_LIMIT {
            factors.push((rest, 1));
        } else {
            let root = rest.sqrt();
            // The rest has no divisor below the limit; as a square of something below the limit's square it is that
            // prime's square.
            if root * root == rest && root < TRIAL_LIMIT * TRIAL_LIMIT {
                factors.push((root, 2));
            } else {
                return None;
            }
        }
    }
    Some(factors)
}
