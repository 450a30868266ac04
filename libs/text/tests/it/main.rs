//! Texts and formulas as terms.

mod formula;
mod languages;
mod maths;
mod robustness;
