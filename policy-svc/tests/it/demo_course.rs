//! The courses that come with the project.

use std::{collections::BTreeSet, path::Path};

use turnwise_course_pack::{Drill as CourseDrill, LibrarySettings, Pack, load};
use turnwise_decisions::{Rules, limits::drill_fault};
use turnwise_grading::{Drill, Verdict, WorkedExample, check_example, check_text, grade};
use turnwise_kit::Kit;
use turnwise_policy_svc::{courses, drill_keys};
use turnwise_proto::policy::v1::{CheckDrillRequest, DrillVerdict};
use turnwise_reply_guard::{Form, form_fault};
use turnwise_testing::figure::{Bound, figure};

use crate::{by_numbers, fixture::start};

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
    let library =
        courses::open(&LibrarySettings::new(FOLDER.into(), 0), &Kit::for_tests()).unwrap();
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

/// Without a model every unit teaches in words of its own.
#[test]
fn every_unit_of_the_courses_is_written() {
    for (course, taught) in [(DEMO, 19), (GERMAN, 6)] {
        let pack = pack(course);
        for unit in &pack.units {
            let mut asked = unit.misconceptions.iter();
            assert!(asked.len() > 1, "{}", unit.id);
            assert!(asked.all(|wrong| !wrong.question.is_empty()), "{}", unit.id);
            let mut named = unit.mistake_tags.iter();
            assert!(named.all(|tag| !tag.feedback.is_empty()), "{}", unit.id);
            for drill in unit.all_drills() {
                let is_written = !drill.hints.is_empty() && drill.solution.len() > 1;
                assert!(is_written, "{}", drill.id);
            }
        }
        let taught_units = pack.units.iter().filter(|unit| unit.assessable);
        let written = taught_units.filter(|unit| {
            let is_explained = unit.key_idea.is_some() && !unit.mistake_tags.is_empty();
            is_explained && unit.templates.len() > 1
        });
        assert_eq!(written.count(), taught, "{course}");
    }
}

#[tokio::test]
async fn every_drill_of_the_courses_takes_its_own_answer() {
    for course in [DEMO, GERMAN] {
        every_drill_takes_its_own_answer(course).await;
    }
}

async fn every_drill_takes_its_own_answer(course: &str) {
    let library =
        courses::open(&LibrarySettings::new(FOLDER.into(), 0), &Kit::for_tests()).unwrap();
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

/// How the key of a drill is known to be right by a second reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SecondReading {
    /// Grading works the exercise out.
    Exercise,
    /// Arithmetic with the numbers that stand in the exercise comes to it, as in the last line of the solution.
    Numbers,
    /// It is not.
    None,
}

fn second_reading(template: &str, drill: &CourseDrill) -> SecondReading {
    let alone = Drill {
        prompt: &drill.prompt,
        question_latex: &drill.question_latex,
        key: None,
    };
    let worked_out = grade(&alone, &drill.answer).verdict;
    assert_ne!(worked_out, Verdict::Wrong, "{drill:?}");
    if worked_out == Verdict::Right {
        return SecondReading::Exercise;
    }
    let Some(answer) = by_numbers::answer(template, drill) else {
        return SecondReading::None;
    };
    assert_eq!(drill.answer.replace(' ', ""), answer, "{drill:?}");
    let line = drill.solution.last().unwrap();
    // `So the slope is $\frac{9}{3} = 3$`
    let formula = line.rsplit('$').nth(1).unwrap();
    let value = formula.rsplit('=').next().unwrap_or(formula);
    let with_key = Drill {
        key: Some(&drill.answer),
        ..alone
    };
    let is_key = [formula, value].map(|said| grade(&with_key, said.trim()).verdict);
    assert!(is_key.contains(&Verdict::Right), "{drill:?}: {is_key:?}");
    let statements = check_text(formula, &[]);
    let example = check_example(&WorkedExample {
        prompt: &drill.prompt,
        problem: &drill.question_latex,
        steps: &[],
        answer: formula,
    });
    assert!(statements.holds() && example.holds(), "{drill:?}");
    SecondReading::Numbers
}

#[test]
fn keys_are_read_a_second_time() {
    let (mut all, mut undecided) = (0_u32, 0_u32);
    for course in [DEMO, GERMAN] {
        let pack = load(&Path::new(FOLDER).join(course)).unwrap();
        for template in pack.units.iter().flat_map(|unit| &unit.templates) {
            let readings = template
                .instances
                .iter()
                .map(|made| second_reading(&template.id, &made.drill));
            let readings: Vec<_> = readings.collect();
            let count = |reading| readings.iter().filter(|own| **own == reading).count();
            let by_numbers = count(SecondReading::Numbers);
            let made = readings.len();
            assert_eq!(count(SecondReading::None), 0, "{}", template.id);
            if by_numbers > 0 {
                println!(
                    "{}: {by_numbers} of {made} keys by their numbers",
                    template.id
                );
            }
            let small = |count: usize| u32::try_from(count).unwrap();
            all += small(made);
            undecided += small(by_numbers);
        }
    }
    println!("{all} keys");
    let undecided = f64::from(undecided) / f64::from(all);
    figure("drill_keys_undecided_share", undecided, Bound::Report);
    assert!(all > 5_000, "{all}");
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
