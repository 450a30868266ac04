//! Courses that change while the suite runs.

use std::{cell::Cell, fs, path::Path, time::Duration};

use turnwise_tests::{
    deployment::Deployment,
    eventually::eventually,
    options::{Kind, Options, Service},
    process::repository,
    student::{DEMO_COURSE, Student},
};

use crate::course_check::copy;

/// How long a change may take to be served: a few looks, a second apart, and the loading.
pub const SERVED: Duration = Duration::from_secs(60);
const ENTRY: &str = "    title: Welcome\n";

in_both_deployments!(a_changed_course_is_served_and_a_broken_one_is_not);

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
