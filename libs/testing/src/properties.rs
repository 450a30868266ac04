//! How much a property test tries. Counterexamples are kept beside the tests, in `proptest-regressions`, and tried first.

use proptest::test_runner::Config;

/// For properties of pure functions, which are quick: PURE_PROPTEST_CASES, or 2,000 cases.
pub fn pure() -> Config {
    counted_by("PURE_PROPTEST_CASES")
}

/// For a property that has a number of its own, by the name of its variable; 2,000 cases where it is unset.
pub fn counted_by(variable: &str) -> Config {
    let cases = std::env::var(variable).ok();
    let cases = cases.and_then(|cases| cases.parse().ok());
    Config::with_cases(cases.unwrap_or(2_000))
}
