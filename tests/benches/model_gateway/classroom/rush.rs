//! All students of the school press *help* within ten seconds.

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
use turnwise_tests::help_request::HelpOutcome;

use super::{
    accuracy,
    probe::Probe,
    school::{SLOTS, School, help_request},
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

/// What came of a student's requests, the last one last.
struct Student {
    outcomes: Vec<HelpOutcome>,
}

impl Student {
    fn answered(&self) -> Option<&HelpOutcome> {
        self.outcomes
            .last()
            .filter(|outcome| outcome.result.is_ok())
    }
}

/// What a rush came to.
struct Rush {
    students: Vec<Student>,
    took: Duration,
}

/// Callers ask for a wait that is long enough for all.
pub async fn patient(name: &str, school: &School, args: &Args) {
    let name = format!("{name}_patient");
    let rush = measured(&name, school, args, PATIENT_SECONDS, 1.1, false).await;
    let outcome: Vec<&HelpOutcome> = rush.students.iter().filter_map(Student::answered).collect();
    accuracy::tell(&name, &outcome);
}

/// Callers ask for the default wait, and come back when and as they are told.
pub async fn obedient(name: &str, school: &School, args: &Args) {
    let name = format!("{name}_default");
    let rush = measured(&name, school, args, DEFAULT_SECONDS, 1.15, true).await;
    let refusals: Vec<(usize, &HelpOutcome)> = rush
        .students
        .iter()
        .flat_map(|student| student.outcomes.iter().enumerate())
        .filter(|(_, outcome)| outcome.result.is_err())
        .collect();
    let incomplete = refusals.iter().filter(|(_, outcome)| {
        let fault = outcome.refusal().unwrap();
        fault.reason() != ErrorReason::Busy
            || fault.retry_delay().is_none()
            || fault.metadata("place_ticket").is_none()
    });
    let slowest = refusals
        .iter()
        .map(|(_, outcome)| outcome.took.as_secs_f64() * 1000.0)
        .fold(0.0, f64::max);
    let most = rush.students.iter().map(|student| {
        student
            .outcomes
            .iter()
            .filter(|outcome| outcome.result.is_err())
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
        .filter(|(_, outcome)| outcome.took.as_secs_f64() * 1000.0 > AT_ONCE_MS)
        .count();
    tell("refusals_late", late as f64, Bound::AtMost(0.0));
    tell("refusal_slowest_ms", slowest, Bound::Report);
    // Once, and at most once more.
    tell(
        "refusals_of_one_student",
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
    let answered = rush.students.iter().filter_map(Student::answered).count();
    let each = answered.max(1) as f64;
    let ideal = school.scale.ideal(args.students());
    let busy = seen.busy_between_begins(SLOTS).unwrap_or(0.0);
    tell(
        "answered",
        answered as f64,
        Bound::AtLeast(args.students() as f64),
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
    // Where all wait, the queue is never empty from the first start to the last.
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
    if let Some(failed) = rush
        .students
        .iter()
        .find(|student| student.answered().is_none())
    {
        let why = failed.outcomes.last().and_then(HelpOutcome::refusal);
        println!("one without an answer: {why:?}");
    }
    rush
}

async fn rush(school: &School, args: &Args, wait_seconds: f64, again: bool) -> Rush {
    let students = args.students();
    let wait = school.scale.seconds(wait_seconds);
    let mut choices = Choices::new(args.seed);
    let mut tasks = JoinSet::new();
    let begun = Instant::now();
    let until = begun + school.scale.ideal(students) * PATIENCE;
    for (n, client) in school.clients(students).into_iter().enumerate() {
        let at = begun + school.scale.seconds(RUSH_SECONDS).mul_f64(choices.share());
        let class = format!("class-{}", n % CLASSES);
        let mut request = help_request(&class, &format!("student-{n}"), wait);
        tasks.spawn(async move {
            sleep_until(at).await;
            let mut outcomes = Vec::new();
            loop {
                // Who asks for no long wait is one who shows nobody a place.
                let outcome = if again {
                    request.send_plain(&client).await
                } else {
                    request.send(&client).await
                };
                let refusal = outcome.refusal();
                outcomes.push(outcome);
                let Some(fault) = refusal.filter(|_| again) else {
                    return Student { outcomes };
                };
                let delay = fault.retry_delay().unwrap_or(until - begun);
                if Instant::now() + delay > until {
                    return Student { outcomes };
                }
                request.ticket = fault
                    .metadata("place_ticket")
                    .unwrap_or_default()
                    .to_owned();
                sleep(delay).await;
            }
        });
    }
    let students = tasks.join_all().await;
    Rush {
        students,
        took: begun.elapsed(),
    }
}
