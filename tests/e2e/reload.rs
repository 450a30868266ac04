//! Courses that change while the suite runs.

use std::{cell::Cell, fs, path::Path, time::Duration};

use tonic::Code;
use turnwise_proto::{
    common::v1::ErrorReason, session::v1::PlacedUnit, tutor::v1::ClientEventKind,
};
use turnwise_tests::{
    answer::check_answer,
    deployment::Deployment,
    eventually::eventually,
    evidence::Seed,
    options::{Kind, Options, Service},
    process::repository,
    refusal::check_refusal,
    staff::Staff,
    student::{DEMO_COURSE, Student, pressing},
};

use crate::course_check::copy;

/// How long a change may take to be served: a few looks, a second apart, and the loading.
pub const SERVED: Duration = Duration::from_secs(60);
const ENTRY: &str = "    title: Welcome\n";

/// Slope, which four units come before.
const SLOPE: &str = "ALG-14";
/// The unit that takes its place.
const ANOTHER: &str = "ALG-98";

in_both_deployments!(
    a_changed_course_is_served_and_a_broken_one_is_not,
    nothing_is_lost_with_a_unit_that_leaves,
);

async fn a_changed_course_is_served_and_a_broken_one_is_not(kind: Kind) {
    let courses = tempfile::tempdir().unwrap();
    let pack = courses.path().join(DEMO_COURSE);
    copy(&repository().join("courses").join(DEMO_COURSE), &pack);
    let units = pack.join("units/00-entry.yaml");
    let original = fs::read_to_string(&units).unwrap();
    assert!(original.contains(ENTRY));
    let options = Options::new()
        .courses(courses.path())
        .env("COURSES_RELOAD_SECONDS", "1");
    let mut suite = Deployment::start(kind, options).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    assert_eq!(focus(&ada).await, "Welcome");

    write(&units, &original.replace(ENTRY, "    title: Hello\n"));
    serves(&ada, "Hello").await;
    is_searched(&mut suite);
    let answer = ada.say(&thread, "where do I start?").await;
    assert_eq!(answer.degraded_reasons().count(), 0, "{answer:#?}");
    assert_eq!(answer.snapshot_lite.unwrap().focus.unwrap().title, "Hello");

    write(&units, "units: [");
    for service in [Service::Policy, Service::Retrieval] {
        let process = suite.or_suite(service);
        let refused = |line: &str| {
            let names = line.contains("course pack refused") && line.contains("00-entry.yaml:");
            names.then_some(())
        };
        suite
            .process(process)
            .log()
            .wait_for(SERVED, refused)
            .expect("the refusal is not in the log");
    }
    let answer = ada.say(&thread, "and then?").await;
    assert_eq!(answer.degraded_reasons().count(), 0, "{answer:#?}");
    assert_eq!(focus(&ada).await, "Hello");

    write(
        &units,
        &original.replace(ENTRY, "    title: Good morning\n"),
    );
    serves(&ada, "Good morning").await;
    suite.stop();
}

async fn nothing_is_lost_with_a_unit_that_leaves(kind: Kind) {
    let courses = tempfile::tempdir().unwrap();
    let pack = courses.path().join(DEMO_COURSE);
    copy(&repository().join("courses").join(DEMO_COURSE), &pack);
    let mut seed = Seed::units("bob", DEMO_COURSE, Vec::new());
    seed.evidence.placed = vec![PlacedUnit {
        unit_id: SLOPE.to_owned(),
        ..PlacedUnit::default()
    }];
    let recorded = seed.evidence.placed.clone();
    let options = Options::new()
        .courses(courses.path())
        .env("COURSES_RELOAD_SECONDS", "1")
        .evidence(seed);
    let mut suite = Deployment::start(kind, options).await;
    let [ada, eve, bob] = ["ada", "eve", "bob"].map(|id| suite.student(id));
    let (hers, eves) = (ada.open(DEMO_COURSE).await, eve.open(DEMO_COURSE).await);
    for (student, thread) in [(&ada, &hers), (&eve, &eves)] {
        student.say(thread, "rise over run").await;
        assert_eq!(target(student).await, SLOPE);
    }
    assert_eq!(placed(&bob).await, [SLOPE]);
    let on = focus(&ada).await;

    rename(&pack, SLOPE, ANOTHER);
    eventually("it left", SERVED, async || {
        placed(&bob).await.is_empty().then_some(())
    })
    .await;
    is_searched(&mut suite);
    for student in [&ada, &eve] {
        assert_eq!(target(student).await, "");
        assert_eq!(focus(student).await, on);
    }
    let now = ada.thread(&hers.thread_id).await.unwrap();
    let answer = ada.say(&now, "I don't get it.").await;
    check_answer(&now, &answer);
    assert_eq!(answer.degraded_reasons().count(), 0, "{answer:#?}");
    let standing = answer.snapshot_lite.unwrap();
    assert_eq!(standing.focus.unwrap().title, on);
    assert_eq!(standing.target, None);
    let his = bob.open(DEMO_COURSE).await;
    let pressed = ClientEventKind::RequestDrill;
    let answer = bob.press(&his, pressed, "ALG-01").await;
    check_answer(&his, &answer);
    assert_eq!(answer.degraded_reasons().count(), 0, "{answer:#?}");
    // The pressed button is about what is no unit any more.
    let refused = bob.turn(pressing(&his, pressed, SLOPE)).await;
    check_refusal(
        &refused.unwrap_err(),
        Code::NotFound,
        ErrorReason::UnknownUnit,
        "event.unit_id",
    );
    let kept = Staff::of(&suite).recorded(&bob).await.evidence.placed;
    assert_eq!(kept, recorded);

    // It comes back to whoever was not led elsewhere.
    rename(&pack, ANOTHER, SLOPE);
    eventually("it is back", SERVED, async || {
        (placed(&bob).await == [SLOPE]).then_some(())
    })
    .await;
    assert_eq!(target(&eve).await, SLOPE);
    suite.stop();
}

/// The units that a student sees as placed.
async fn placed(student: &Student) -> Vec<String> {
    let standing = student.standing(DEMO_COURSE).await.unwrap();
    let placed = standing.placed.into_iter();
    placed.map(|unit| unit.unit_id).collect()
}

/// The unit that a student asked for; empty: none that is still to be reached.
async fn target(student: &Student) -> String {
    let standing = student.standing(DEMO_COURSE).await.unwrap();
    standing.target.map_or_else(String::new, |at| at.unit_id)
}

/// Gives a unit of a course, and all that belongs to it, another id. What is not done yet makes no course.
fn rename(folder: &Path, from: &str, to: &str) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rename(&path, from, to);
        } else if let Ok(text) = fs::read_to_string(&path)
            && text.contains(from)
        {
            write(&path, &text.replace(from, to));
        }
    }
}

/// Waits until a first change of a course is served by the search, too, which may be a moment behind.
pub fn is_searched(suite: &mut Deployment) {
    let one_process = suite.or_suite(Service::Policy) == suite.or_suite(Service::Retrieval);
    let (served, wanted) = (Cell::new(0), if one_process { 2 } else { 1 });
    let is_served = |line: &str| {
        let again = line.contains("course served") && line.contains("earlier");
        served.set(served.get() + i32::from(again));
        (served.get() == wanted).then_some(())
    };
    let log = suite.process(suite.or_suite(Service::Retrieval)).log();
    log.wait_for(SERVED, is_served).expect("it is not served");
}

pub async fn focus(student: &Student) -> String {
    let standing = student.standing(DEMO_COURSE).await.unwrap();
    standing.focus.unwrap().title
}

async fn serves(student: &Student, title: &str) {
    eventually(title, SERVED, async || {
        (focus(student).await == title).then_some(())
    })
    .await;
}

/// Replaces a file in one step, as an editor does.
pub fn write(file: &Path, text: &str) {
    let fresh = file.with_file_name(".fresh");
    fs::write(&fresh, text).unwrap();
    fs::rename(fresh, file).unwrap();
}
