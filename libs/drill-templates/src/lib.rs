//! Drills with parameters: an exercise is written once, and each seed makes an instance of it with its own numbers.
//!
//! ```
//! use turnwise_drill_templates::Template;
//!
//! let mut template = Template::new("EQ-1");
//! template.parameter("a in 2..9")?;
//! template.parameter("x in -9..-1, 2..9")?;
//! template.parameter("b in -20..20")?;
//! template.condition("b != 0")?;
//! let question = template.text("[[a : coef]]x [[b : plus]] = [[a*x + b]]")?;
//! let key = template.text("x = [[x]]")?;
//!
//! let values = template.values(0)?;
//! assert_eq!(question.write(&values)?, question.write(&template.values(0)?)?);
//! assert!(key.write(&values)?.starts_with("x = "));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Parameters
//!
//! `a in 2..9` draws a whole number; ranges and single numbers may be listed, as in `a in -9..-2, 1, 3..5`, and each of
//! their numbers is equally likely. `c = a*b` computes a value from parameters that stand above it. At most 16 parameters;
//! a name has lower-case letters, digits and `_`, and begins with a letter.
//!
//! # Expressions
//!
//! Whole numbers, names, `+`, `-`, `*`, `/`, `^` with exponents from 0 to 20, parentheses, and the functions `abs(a)`,
//! `min(a, b)`, `max(a, b)`, `gcd(a, b)`, `lcm(a, b)`, `mod(a, b)` (never negative), `num(a)` and `den(a)` (numerator and
//! denominator in lowest terms). Values are fractions and always exact. One whose numerator or denominator gets beyond
//! 10^12 is a fault, and so is a division by zero.
//!
//! # Conditions
//!
//! Two expressions with `=`, `!=`, `<`, `<=`, `>` or `>=` between them. A condition is looked at as soon as its last
//! parameter has a value, so `b != 0` guards `c = a/b` below it. Values that miss a condition are drawn again, at most
//! 1,000 times.
//!
//! # Texts
//!
//! `[[expression]]` shows a value, and `[[expression : form]]` shows it in a form:
//!
//! | form | 3 | -3 | 1 | -1 | 3/4 | -3/4 |
//! | --- | --- | --- | --- | --- | --- | --- |
//! | none | `3` | `-3` | `1` | `-1` | `3/4` | `-3/4` |
//! | `brackets` | `3` | `(-3)` | `1` | `(-1)` | `3/4` | `(-3/4)` |
//! | `frac` | `3` | `-3` | `1` | `-1` | `\frac{3}{4}` | `-\frac{3}{4}` |
//! | `plus` | `+ 3` | `- 3` | `+ 1` | `- 1` | `+ 3/4` | `- 3/4` |
//! | `coef` | `3` | `-3` | nothing | `-` | a fault | a fault |
//! | `plus coef` | `+ 3` | `- 3` | `+ ` | `- ` | a fault | a fault |
//!
//! `plus`, `coef` and `plus coef` refuse 0: write a condition. A number that is shown is one that a pupil can handle: its
//! numerator has at most four digits and its denominator at most three, or it is a fault.
//!
//! # Seeds
//!
//! The numbers of an instance come of the template's id and the seed, through FNV-1a of the id's bytes (64 bits), xor the
//! seed, as the state of SplitMix64 (Steele, Lea and Flood, 2014). A number below n is the upper half of the 128-bit
//! product of n and the generator's next number. So an instance is the same on every machine and in every release.

mod choices;
mod expr;
mod fault;
mod form;
mod parse;
mod rational;
mod seeds;
mod template;
mod text;
mod tokens;

pub use fault::{Fault, Problem, SyntaxError};
pub use template::{Template, Values};
pub use text::Text;

/// How many instances a template has at most: those of the seeds from 0 to one less than this.
pub const SEEDS: u32 = 200;
