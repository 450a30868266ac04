//! All pupils of the school press *help* within ten seconds.

use std::time::Duration;

use tokio::{
    task::JoinSet,
    time::{Instant, sleep, sleep_until},
};
use turnwise_proto::common::v1::ErrorReason;
use turnwise_testing::{
    choices::Choices,
    figure::{Bound, figure},
};
use turnwise_tests::press::Pressed;

use super::{
    accuracy,
    probe::Probe,
    school::{SLOTS, School, press},
};
use crate::Args;

/// The classes of the school.
const CLASSES: usize = 10;
/// Within so many seconds, unscaled, all have pressed.
const RUSH_SECONDS: f64 = 10.0;
/// What patient callers ask for, seconds, unscaled.
const PATIENT_SECONDS: f64 = 400.0;
/// The default wait, seconds, unscaled. Callers name it, because the setting knows only whole seconds.
const DEFAULT_SECONDS: f64 = 10.0;
/// A refusal that takes longer did not come at once, milliseconds.
const AT_ONCE_MS: f64 = 50.0;
/// Who would come back only after so many times the ideal gives up; the case has failed.
const PATIENCE: u32 = 3;

/// What came of a pupil's presses, the last one last.
struct Pupil {
    presses: Vec<Pressed>,
}

impl Pupil {
    fn answered(&self) -> Option<&Pressed> {
        self.presses.last().filter(|pressed| pressed.result.is_ok())
    }
}

/// What a rush came to.
struct Rush {
    pupils: Vec<Pupil>,
    took: Duration,
}

/// Callers ask for a wait that is long enough for all.
pub async fn patient(name: &str, school: &School, args: &Args) {
    let name = format!("{name}_patient");
    let rush = measured(&name, school, args, PATIENT_SECONDS, 1.1, false).await;
    let pressed: Vec<&Pressed> = rush.pupils.iter().filter_map(Pupil::answered).collect();
    accuracy::tell(&name, &pressed);
}

/// Callers ask for the default wait, and come back when and as they are told.
pub async fn obedient(name: &str, school: &School, args: &Args) {
    let name = format!("{name}_default");
    let rush = measured(&name, school, args, DEFAULT_SECONDS, 1.15, true).await;
    let refusals: Vec<(usize, &Pressed)> = rush
        .pupils
        .iter()
        .flat_map(|pupil| pupil.presses.iter().enumerate())
        .filter(|(_, pressed)| pressed.result.is_err())
        .collect();
    let incomplete = refusals.iter().filter(|(_, pressed)| {
        let fault = pressed.refusal().unwrap();
        fault.reason() != ErrorReason::Busy
            || fault.retry_delay().is_none()
            || fault.metadata("place_ticket").is_none()
    });
    let slowest = refusals
        .iter()
        .map(|(_, pressed)| pressed.took.as_secs_f64() * 1000.0)
        .fold(0.0, f64::max);
    let most = rush.pupils.iter().map(|pupil| {
        pupil
            .presses
            .iter()
            .filter(|pressed| pressed.result.is_err())
            .count()
    });
    let tell = |what: &str, value: f64, bound| figure(&format!("{name}_{what}"), value, bound);
    tell("refusals", refusals.len() as f64, Bound::Report);
    tell(
        "refusals_incomplete",
        incomplete.count() as f64,
        Bound::AtMost(0.0),
    );
    let late = refusals
        .iter()
        .filter(|(_, pressed)| pressed.took.as_secs_f64() * 1000.0 > AT_ONCE_MS)
        .count();
    tell("refusals_late", late as f64, Bound::AtMost(0.0));
    tell("refusal_slowest_ms", slowest, Bound::Report);
    // Once, and at most once more.
    tell(
        "refusals_of_one_pupil",
        most.max().unwrap_or(0) as f64,
        Bound::AtMost(2.0),
    );
}

/// A rush, with the figures that all rushes have.
async fn measured(
    name: &str,
    school: &School,
    args: &Args,
    wait_seconds: f64,
    over_ideal: f64,
    again: bool,
) -> Rush {
    let probe = Probe::start(school);
    let before = school.spent();
    let rush = rush(school, args, wait_seconds, again).await;
    let after = school.spent();
    probe.tell(name).await;
    let seen = school.seen_by_model().await.completions;

    let tell = |what: &str, value: f64, bound| figure(&format!("{name}_{what}"), value, bound);
    let answered = rush.pupils.iter().filter_map(Pupil::answered).count();
    let each = answered.max(1) as f64;
    let ideal = school.scale.ideal(args.pupils());
    let busy = seen.busy_between_begins(SLOTS).unwrap_or(0.0);
    tell(
        "answered",
        answered as f64,
        Bound::AtLeast(args.pupils() as f64),
    );
    tell(
        "calls_at_model",
        seen.max_in_flight as f64,
        Bound::AtMost(SLOTS as f64),
    );
    tell(
        "over_ideal",
        rush.took.as_secs_f64() / ideal.as_secs_f64(),
        Bound::AtMost(over_ideal),
    );
    // Where all wait, the line is never empty from the first start to the last.
    let bound = if again {
        Bound::Report
    } else {
        Bound::AtLeast(0.97)
    };
    tell("model_busy", busy, bound);
    tell(
        "cpu_ms_per_answer",
        (after.ours - before.ours) / each,
        Bound::AtMost(1.0),
    );
    tell(
        "redis_cpu_ms_per_answer",
        (after.redis - before.redis) / each,
        Bound::Report,
    );
    if let Some(failed) = rush.pupils.iter().find(|pupil| pupil.answered().is_none()) {
        let why = failed.presses.last().and_then(Pressed::refusal);
        println!("one without an answer: {why:?}");
    }
    rush
}

async fn rush(school: &School, args: &Args, wait_seconds: f64, again: bool) -> Rush {
    let pupils = args.pupils();
    let wait = school.scale.seconds(wait_seconds);
    let mut choices = Choices::new(args.seed);
    let mut tasks = JoinSet::new();
    let begun = Instant::now();
    let until = begun + school.scale.ideal(pupils) * PATIENCE;
    for (n, client) in school.clients(pupils).into_iter().enumerate() {
        let at = begun + school.scale.seconds(RUSH_SECONDS).mul_f64(choices.share());
        let class = format!("class-{}", n % CLASSES);
        let mut press = press(&class, &format!("pupil-{n}"), wait);
        tasks.spawn(async move {
            sleep_until(at).await;
            let mut presses = Vec::new();
            loop {
                // Who asks for no long wait is one who shows nobody a place.
                let pressed = if again {
                    press.send_plain(&client).await
                } else {
                    press.send(&client).await
                };
                let refusal = pressed.refusal();
                presses.push(pressed);
                let Some(fault) = refusal.filter(|_| again) else {
                    return Pupil { presses };
                };
                let delay = fault.retry_delay().unwrap_or(until - begun);
                if Instant::now() + delay > until {
                    return Pupil { presses };
                }
                press.ticket = fault
                    .metadata("place_ticket")
                    .unwrap_or_default()
                    .to_owned();
                sleep(delay).await;
            }
        });
    }
    let pupils = tasks.join_all().await;
    Rush {
        pupils,
        took: begun.elapsed(),
    }
}
