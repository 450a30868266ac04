//! How right the announced waits were: the latest one of each who waited, held against what came.

use turnwise_testing::figure::{Bound, figure};
use turnwise_tests::help_request::HelpOutcome;

use crate::median;

/// Tells how often the announced wait was enough, and how far off it was at the median.
pub fn tell(name: &str, outcome: &[&HelpOutcome]) {
    let mut enough = 0_usize;
    let mut errors = Vec::new();
    for outcome in outcome {
        let Some(started) = outcome.started() else {
            continue;
        };
        // What was announced after the start, while it was on its way, is no announcement.
        let latest = outcome.announced.iter().rfind(|said| said.at < started);
        let Some(said) = latest else { continue };
        let truth = (started - said.at).as_secs_f64();
        let announced = said.wait.as_secs_f64();
        enough += usize::from(announced >= truth);
        errors.push((announced - truth).abs() / truth);
    }
    let told = errors.len();
    figure(
        &format!("{name}_waits_announced"),
        told as f64,
        Bound::Report,
    );
    if told == 0 {
        println!("nobody was told of a wait");
        return;
    }
    figure(
        &format!("{name}_waits_enough"),
        enough as f64 / told as f64,
        Bound::AtLeast(0.95),
    );
    figure(
        &format!("{name}_wait_error_median"),
        median(errors),
        Bound::AtMost(0.25),
    );
    let pieces: usize = outcome.iter().map(|outcome| outcome.announced.len()).sum();
    figure(
        &format!("{name}_announcements_per_student"),
        pieces as f64 / told as f64,
        Bound::Report,
    );
}
