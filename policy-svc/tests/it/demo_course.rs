//! The course that comes with the project.

use std::path::Path;

use turnwise_decisions::{Rules, limits::drill_fault};
use turnwise_kit::Kit;
use turnwise_policy_svc::courses;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../courses");

#[test]
fn every_drill_of_the_demo_course_can_be_a_fallback() {
    let library = courses::open(Path::new(FOLDER), &Kit::for_tests()).unwrap();
    let demo = library.catalog().get("algebra-foundations").unwrap();
    let demo = &demo.course;
    let steps = Rules::default().drill_max_steps;
    for &unit in demo.path() {
        let unit = demo.unit(unit);
        assert!(!unit.drills.is_empty(), "{} has no drill", unit.id);
        for drill in &unit.drills {
            let fault = drill_fault(&drill.prompt, &drill.question_latex, steps);
            assert_eq!(fault, None, "{}: {}", unit.id, drill.question_latex);
        }
    }
}
