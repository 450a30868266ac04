//! What tells an exercise from others: one number, however it is worded, spaced or ordered.

/// The most exercises of a unit that are remembered, the latest that counted.
pub const MOST_REMEMBERED: usize = 64;

/// The number of an exercise; the same on every machine. Never 0, which stands for an exercise that is not known.
#[must_use]
pub fn exercise(prompt: &str, question_latex: &str) -> u64 {
    fnv1a(&turnwise_grading::exercise_form(prompt, question_latex)).max(1)
}

/// FNV-1a, 64 bit: a small hash that is the same on every machine and in every release.
#[must_use]
pub fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
