//! Which drills may be set, and what stands for those that may not.

use turnwise_decisions::{
    Action, Course, DrillTerms, EventKind, FallbackReason, Observation, Outcome, Policy,
    Resolution, Situation, exercise, resolve, resolve::Card, with_drill_on_terms,
};

use crate::fixtures::*;

const COUNTED: (&str, &str) = ("Solve for x.", "x + 20 = 31");
const WORDS: (&str, &str) = ("Explain why this is true.", "x + 20 = 31");

fn policy(course: &Course) -> Policy {
    let plan = plan_event(course, snapshot("B", &[]), EventKind::RequestDrill, "B");
    decide_available(course, plan, &[]).policy
}

/// What becomes of a model's drill on B.
fn set(course: &Course, terms: &DrillTerms, drill: (&str, &str)) -> Resolution {
    let policy = policy(course);
    let mut reply = reply(&policy, Action::DrillCard);
    reply["drill_card"]["prompt"] = drill.0.into();
    reply["drill_card"]["question_latex"] = drill.1.into();
    let bytes = serde_json::to_vec(&reply).unwrap();
    let resolution = resolve(course, &policy, Outcome::Completion(&bytes)).unwrap();
    assert_eq!(resolution.fallback_reason, None);
    with_drill_on_terms(course, &policy, terms, &Situation::default(), resolution)
}

fn counted(drills: &[(&str, &str)]) -> DrillTerms {
    let numbers: Vec<u64> = drills.iter().map(|(p, q)| exercise(p, q)).collect();
    DrillTerms {
        counted: [("B".to_owned(), numbers)].into(),
        ..DrillTerms::default()
    }
}

/// The ready-made drills of B.
fn ready_made(course: &Course) -> Vec<(String, String)> {
    let unit = course.unit(course.find("B").unwrap());
    let texts = |d: &turnwise_decisions::Drill| (d.prompt.clone(), d.question_latex.clone());
    unit.drills.iter().map(texts).collect()
}

fn shown(resolution: &Resolution) -> (String, String) {
    match &resolution.card {
        Some(Card::Drill(drill)) => (drill.prompt.clone(), drill.question_latex.clone()),
        other => panic!("no drill, but {other:?}"),
    }
}

#[test]
fn without_terms_a_models_drill_is_set() {
    let course = course();
    let resolution = set(&course, &DrillTerms::default(), WORDS);
    assert_eq!(shown(&resolution).0, WORDS.0);
    assert_eq!(resolution.drill_id, None);
}

#[test]
fn a_drill_that_mathematics_cannot_grade_gives_way_to_the_courses() {
    let course = course();
    let terms = DrillTerms {
        checkable: true,
        ..DrillTerms::default()
    };
    let kept = set(&course, &terms, COUNTED);
    assert_eq!(shown(&kept).1, COUNTED.1);
    assert_eq!(kept.observations, []);
    let replaced = set(&course, &terms, WORDS);
    assert!(ready_made(&course).contains(&shown(&replaced)));
    assert!(replaced.drill_id.is_some());
    assert_eq!(replaced.observations, [Observation::DrillNotCheckable]);
    assert_eq!(replaced.fallback_reason, None);
    assert!(replaced.analysis.is_some());
}

#[test]
fn where_the_course_has_no_drill_words_ask_for_an_example() {
    let course = course_with(|spec| spec.units[2].drills.clear());
    let terms = DrillTerms {
        checkable: true,
        ..DrillTerms::default()
    };
    let resolution = set(&course, &terms, WORDS);
    assert_eq!(resolution.card, None);
    assert_eq!(resolution.card_buttons, []);
    assert!(resolution.text.starts_with("Write down a small example"));
}

#[test]
fn a_drill_that_counted_gives_way_while_another_is_at_hand() {
    let course = course();
    let again = ("Solve the equation.", "31 = 20+x");
    let replaced = set(&course, &counted(&[COUNTED]), again);
    assert!(ready_made(&course).contains(&shown(&replaced)));
    assert_eq!(replaced.observations, [Observation::DrillRepeated]);
    let of_other_unit = DrillTerms {
        counted: [("A".to_owned(), vec![exercise(COUNTED.0, COUNTED.1)])].into(),
        ..DrillTerms::default()
    };
    assert_eq!(shown(&set(&course, &of_other_unit, again)).1, again.1);

    let own = ready_made(&course);
    let mut all: Vec<_> = own.iter().map(|(p, q)| (p.as_str(), q.as_str())).collect();
    all.push(COUNTED);
    let kept = set(&course, &counted(&all), again);
    assert_eq!(shown(&kept).1, again.1, "nothing else is at hand");
    assert_eq!(kept.observations, []);
}

#[test]
fn a_fallback_passes_over_what_counted() {
    let course = course();
    let own = ready_made(&course);
    let mut policy = policy(&course);
    for left in &own {
        let rest: Vec<_> = own
            .iter()
            .filter(|drill| *drill != left)
            .map(|(p, q)| (p.as_str(), q.as_str()))
            .collect();
        let terms = counted(&rest);
        for turn in 0..16 {
            policy.turn_id = format!("turn-{turn}");
            let set = set_without_a_model(&course, &policy, &terms);
            assert_eq!(shown(&set), *left);
            assert_eq!(set.fallback_reason, Some(FallbackReason::LlmTimeout));
            assert_eq!(set.observations, []);
        }
    }
}

/// What is set where the model did not answer.
fn set_without_a_model(course: &Course, policy: &Policy, terms: &DrillTerms) -> Resolution {
    let failure = Outcome::Failure(FallbackReason::LlmTimeout);
    let resolution = resolve(course, policy, failure).unwrap();
    with_drill_on_terms(course, policy, terms, &Situation::default(), resolution)
}

#[test]
fn a_drill_that_a_platform_asks_is_passed_over() {
    let course = course();
    let own = ready_made(&course);
    let unit = course.unit(course.find("B").unwrap());
    let mut policy = policy(&course);
    for (left, drill) in own.iter().zip(&unit.drills) {
        let ids = unit.drills.iter().map(|other| other.id.clone());
        let terms = DrillTerms {
            exams: ids.filter(|id| *id != drill.id).collect(),
            ..DrillTerms::default()
        };
        for (prompt, question) in &own {
            let set = set(&course, &terms, (prompt.as_str(), question.as_str()));
            assert_eq!(shown(&set), *left);
            assert_eq!(set.drill_id.as_ref(), Some(&drill.id));
        }
        for turn in 0..16 {
            policy.turn_id = format!("turn-{turn}");
            let set = set_without_a_model(&course, &policy, &terms);
            assert_eq!(shown(&set), *left);
        }
    }
    let all = DrillTerms {
        exams: unit.drills.iter().map(|drill| drill.id.clone()).collect(),
        ..DrillTerms::default()
    };
    let (prompt, question) = &own[0];
    let set = set(&course, &all, (prompt.as_str(), question.as_str()));
    assert_eq!(set.card, None);
    assert!(set.text.starts_with("Write down a small example"));
}

/// They stand in students' records, so they must not change.
#[test]
fn numbers_of_exercises_stay_as_they_are() {
    for (prompt, question, number) in [
        ("Solve for x.", "x + 7 = 12", 0x886a_2db0_a95d_50dd),
        ("Solve for x.", "x + 7 > 12", 0xe78f_55a8_5269_3a1a),
        ("Solve for x.", "12 \\ge x + 7", 0xacf0_09d1_0f8f_f109),
        ("Factor.", "x^2 + 3x", 0xe604_bcbd_db44_0305),
        ("Expand.", "x(x + 3)", 0x3ce5_ed3f_c763_7d61),
        ("Write as a decimal.", "\\frac{3}{4}", 0xa8d7_9a3b_f44a_8506),
        ("Solve for y.", "x + 2y = 8", 0xb0a6_512d_692b_41a4),
        (
            "Find the larger solution.",
            "(x - 4)(x + 9) = 0",
            0xf588_b065_3387_afbf,
        ),
        (
            "Work out the value for x = -2.",
            "7 - 4x",
            0x65bd_d4fd_cc2d_aeac,
        ),
        ("Convert to kilometers.", "3 m", 0x8abe_5cef_2484_5f6c),
        ("Draw a line of 4 cm.", "", 0xbcf6_c129_d6f6_c129),
    ] {
        assert_eq!(exercise(prompt, question), number, "{prompt} {question}");
    }
}
