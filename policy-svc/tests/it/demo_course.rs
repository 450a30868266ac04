//! The course that comes with the project.

use std::path::Path;

use turnwise_decisions::{Rules, limits::drill_fault};
use turnwise_kit::Kit;
use turnwise_policy_svc::courses;
use turnwise_proto::policy::v1::{CheckDrillRequest, DrillVerdict};

use crate::fixture::start;

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

#[tokio::test]
async fn every_drill_of_the_demo_course_takes_its_own_answer() {
    let mut client = start(Path::new(FOLDER), &Kit::for_tests()).await;
    let pack = turnwise_course_pack::load(&Path::new(FOLDER).join("algebra-foundations")).unwrap();
    for unit in pack.units {
        for drill in unit.drills {
            let request = CheckDrillRequest {
                course_id: pack.course.id.clone(),
                unit_id: unit.id.clone(),
                prompt: drill.prompt,
                question_latex: drill.question_latex,
                answer: drill.answer.clone(),
                drill_id: drill.id.clone(),
                ..CheckDrillRequest::default()
            };
            let checked = client.check_drill(request).await.unwrap().into_inner();
            assert_eq!(checked.key, drill.answer);
            let verdict = checked.check.unwrap().verdict();
            assert_eq!(verdict, DrillVerdict::Right, "{}", drill.id);
        }
    }
}
