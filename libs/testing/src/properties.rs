//! How much a property test tries. Counterexamples are kept beside the tests, in `proptest-regressions`, and tried first.

use proptest::test_runner::Config;

/// For properties of pure functions, which are quick: PURE_PROPTEST_CASES, or 2,000 cases.
pub fn pure() -> Config {
    let cases = std::env::var("PURE_PROPTEST_CASES").ok();
    let cases = cases.and_then(|cases| cases.parse().ok());
    Config::with_cases(cases.unwrap_or(2_000))
}
