//! How good the announced waits are.

use std::time::Duration;

use tokio::time::Instant;
use turnwise_llm_queue::{Place, QueueOptions};

use super::{
    paused,
    schedule::{Habits, Law, Outcome, run},
    seeds,
    world::{Ended, Started, World, ask},
};

/// Everybody stays, and returns after a retry hint.
const STEADY: Habits = Habits {
    leave: 0,
    hasty: 0,
    return_: 100,
    nobody: 0,
    threads: 1,
    classes: 1,
};

/// Which of the places that were announced to a request are looked at.
type Which = fn(&[Place]) -> &[Place];

/// The starts whose announcement no later arrival of another class has overtaken.
fn counted<'a>(outcome: &'a Outcome, which: Which) -> impl Iterator<Item = (Place, &'a Started)> {
    let overtaken = |place: Place, started: &Started| {
        let other = |(at, class): &(Instant, String)| {
            (place.at..=started.at).contains(at) && *class != started.student.0
        };
        outcome.arrivals.iter().any(other)
    };
    let announced = move |started: &'a Started| {
        which(&started.announced)
            .iter()
            .map(move |place| (*place, started))
    };
    let starts = outcome.started.iter().flat_map(announced);
    starts.filter(move |(place, started)| !overtaken(*place, started))
}

fn last(announced: &[Place]) -> &[Place] {
    &announced[announced.len().saturating_sub(1)..]
}

fn first(announced: &[Place]) -> &[Place] {
    &announced[..announced.len().min(1)]
}

fn each(announced: &[Place]) -> &[Place] {
    announced
}

fn outcomes(law: Law, habits: Habits) -> Vec<Outcome> {
    (0..seeds())
        .map(|seed| paused(run(seed, law, habits)))
        .collect()
}

/// The part of the announcements that the start kept to.
fn kept(outcomes: &[Outcome], which: Which) -> f64 {
    let (mut kept, mut all) = (0, 0);
    for (place, started) in outcomes.iter().flat_map(|outcome| counted(outcome, which)) {
        all += 1;
        kept += u64::from(started.at <= place.at + place.wait);
    }
    assert!(all > 5 * seeds());
    let kept = kept as f64 / all as f64;
    println!("{kept:.4} of {all} kept");
    kept
}

/// The median of the errors of the announcements, each as a part of the truth.
fn median_error(outcomes: &[Outcome], which: Which) -> f64 {
    let announced = outcomes.iter().flat_map(|outcome| counted(outcome, which));
    let errors = announced.filter_map(|(place, started)| {
        let truth = started.at - place.at;
        (!truth.is_zero()).then(|| place.wait.abs_diff(truth).as_secs_f64() / truth.as_secs_f64())
    });
    let mut errors: Vec<_> = errors.collect();
    errors.sort_by(f64::total_cmp);
    let median = errors[errors.len() / 2];
    println!("median error {median:.4} of {}", errors.len());
    median
}

/// That the first holds is more than that the last does, and later ones put earlier ones right.
fn announced_waits_are_bounds(outcomes: &[Outcome]) {
    for which in [last as Which, first, each] {
        assert!(kept(outcomes, which) >= 0.95);
    }
}

#[test]
fn constant_service_times() {
    let outcomes = outcomes(Law::Constant, STEADY);
    announced_waits_are_bounds(&outcomes);
    for which in [last as Which, first, each] {
        assert!(median_error(&outcomes, which) <= 0.25);
    }
}

#[test]
fn uniform_service_times() {
    announced_waits_are_bounds(&outcomes(Law::Uniform, STEADY));
}

#[test]
fn exponential_service_times() {
    announced_waits_are_bounds(&outcomes(Law::Exponential, STEADY));
}

#[test]
fn lively_schedules() {
    let lively = Habits {
        leave: 10,
        hasty: 20,
        return_: 80,
        nobody: 5,
        threads: 3,
        classes: 3,
    };
    for law in [Law::Constant, Law::Uniform, Law::Exponential] {
        assert!(kept(&outcomes(law, lively), last) >= 0.95, "{law:?}");
    }
}

/// To who waits long each halving of those before it is announced, and the last steps, and little else: it counts down
/// by itself.
#[test]
fn news_is_worth_telling() {
    let announced = paused(async {
        let mut world = World::new(QueueOptions::with_slots(1));
        let (mut running, _) = world.enter(ask("class", "first", 0), true).await;
        for student in 0..200 {
            world
                .enter(ask("class", &student.to_string(), 0), true)
                .await;
        }
        loop {
            world.advance(Instant::now() + Duration::from_secs(2)).await;
            let mut ended = world.finish(running, true);
            match ended.pop() {
                Some(Ended::Started(started)) if started.student.1 == "199" => {
                    break started.announced.len();
                }
                Some(Ended::Started(started)) => running = started.request,
                other => panic!("{other:?}"),
            }
        }
    });
    assert!((8..=12).contains(&announced), "{announced}");
}
