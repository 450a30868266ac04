//! The courses that come with the project.

use std::{collections::BTreeSet, path::Path};

use turnwise_course_pack::{Pack, load};
use turnwise_decisions::{Rules, limits::drill_fault};
use turnwise_grading::{Drill, Verdict, grade};
use turnwise_kit::Kit;
use turnwise_policy_svc::{courses, drill_keys};
use turnwise_proto::policy::v1::{CheckDrillRequest, DrillVerdict};
use turnwise_reply_guard::{Form, form_fault};

use crate::fixture::start;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../courses");
const DEMO: &str = "algebra-foundations";
const GERMAN: &str = "terme-und-gleichungen";

/// So many exercises that counted are not set again.
const NOT_AGAIN: usize = 64;

fn pack(course: &str) -> Pack {
    load(&Path::new(FOLDER).join(course)).unwrap()
}

#[test]
fn every_drill_of_the_courses_can_be_a_fallback() {
    for course in [DEMO, GERMAN] {
        every_drill_can_be_a_fallback(course);
    }
}

fn every_drill_can_be_a_fallback(course: &str) {
    let library = courses::open(Path::new(FOLDER), &Kit::for_tests()).unwrap();
    let loaded = library.catalog().get(course).unwrap();
    let course = &loaded.course;
    let steps = Rules::default().drill_max_steps;
    for &unit in course.path() {
        let unit = course.unit(unit);
        let mut exercises = BTreeSet::new();
        for drill in &unit.drills {
            let fault = drill_fault(&drill.prompt, &drill.question_latex, steps);
            assert_eq!(fault, None, "{}: {}", drill.id, drill.question_latex);
            assert_eq!(form_fault(&drill.prompt, Form::Prose), None, "{}", drill.id);
            let formula = form_fault(&drill.question_latex, Form::Formula);
            assert_eq!(formula, None, "{}", drill.id);
            exercises.insert((&drill.prompt, &drill.question_latex));
            let is_exam = loaded
                .exams
                .is_exercise(&drill.prompt, &drill.question_latex);
            assert!(!is_exam, "{}: {drill:?}", unit.id);
        }
        // A unit never runs out.
        assert!(
            exercises.len() > 2 * NOT_AGAIN,
            "{}: {}",
            unit.id,
            exercises.len()
        );
    }
}

#[tokio::test]
async fn every_drill_of_the_courses_takes_its_own_answer() {
    for course in [DEMO, GERMAN] {
        every_drill_takes_its_own_answer(course).await;
    }
}

async fn every_drill_takes_its_own_answer(course: &str) {
    let library = courses::open(Path::new(FOLDER), &Kit::for_tests()).unwrap();
    let loaded = library.catalog().get(course).unwrap();
    let served = loaded.course.path().iter();
    let served = served.flat_map(|unit| &loaded.course.unit(*unit).drills);
    let served: BTreeSet<&str> = served.map(|drill| drill.id.as_str()).collect();
    let mut client = start(Path::new(FOLDER), &Kit::for_tests()).await;
    let pack = pack(course);
    for unit in &pack.units {
        let templates = unit.templates.iter();
        let some = templates.flat_map(|template| template.instances.iter().take(5));
        let some = some.map(|instance| &instance.drill);
        let some = some.filter(|drill| served.contains(drill.id.as_str()));
        for drill in unit.drills.iter().chain(some) {
            let request = CheckDrillRequest {
                course_id: pack.course.id.clone(),
                unit_id: unit.id.clone(),
                prompt: drill.prompt.clone(),
                question_latex: drill.question_latex.clone(),
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

#[test]
fn every_instance_of_every_seed_has_the_right_key() {
    for course in [DEMO, GERMAN] {
        let pack = pack(course);
        let faults = drill_keys::faults(&pack, usize::MAX);
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(faults, [""; 0], "{course}");
        let assessable = pack.units.iter().filter(|unit| unit.assessable);
        for unit in assessable {
            assert!(unit.templates.len() >= 2, "{}", unit.id);
        }
    }
}

#[test]
fn most_exercises_are_worked_out_without_their_key() {
    // In the language whose tasks are read.
    let pack = pack(DEMO);
    let templates = pack.units.iter().flat_map(|unit| &unit.templates);
    let (mut all, mut alone) = (0, 0);
    for instance in templates.flat_map(|template| template.instances.iter().step_by(10)) {
        let drill = Drill {
            prompt: &instance.drill.prompt,
            question_latex: &instance.drill.question_latex,
            key: None,
        };
        let verdict = grade(&drill, &instance.drill.answer).verdict;
        all += 1;
        alone += usize::from(verdict == Verdict::Right);
    }
    assert!(alone * 5 >= all * 3, "{alone} of {all}");
}
