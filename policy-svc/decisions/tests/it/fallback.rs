//! The reply that needs no model.

use turnwise_decisions::{
    Action, Drill, EventKind, FallbackReason, Outcome, Policy, Resolution, Situation,
    fallback::fallback, limits::question_marks, resolve, resolve::Card, validate::validate,
};
use turnwise_reply_guard::{Form, form_fault};

use crate::fixtures::*;

fn failed(course: &turnwise_decisions::Course, policy: &Policy) -> Resolution {
    resolve(course, policy, Outcome::Failure(FallbackReason::LlmTimeout)).unwrap()
}

#[test]
fn a_failure_of_the_model_is_answered_and_named() {
    let course = course();
    let resolution = failed(&course, &plain_policy(&course));
    assert_eq!(resolution.fallback_reason, Some(FallbackReason::LlmTimeout));
    assert_eq!(resolution.violation, None);
    assert_eq!(resolution.analysis, None);
    assert_eq!(resolution.action, Action::SocraticQuestion);
}

#[test]
fn the_question_is_made_of_title_and_misconception() {
    let course = course_with(|spec| {
        spec.units[2].title = "Is zero\na number?".to_owned();
        spec.units[2].misconceptions = vec!["Zero? It is nothing.".to_owned()];
    });
    let text = failed(&course, &plain_policy(&course)).text;
    assert!(text.contains("Is zero a number"), "{text}");
    assert!(text.contains("Zero It is nothing."), "{text}");
    assert!(text.ends_with('?'), "{text}");
    assert_eq!(question_marks(&text), 1, "{text}");
}

#[test]
fn long_and_empty_course_texts_still_make_a_valid_question() {
    for (title, misconceptions) in [
        ("x ".repeat(5_000), vec!["y".repeat(9_000)]),
        ("???".to_owned(), vec![]),
        ("T".to_owned(), vec!["?".to_owned()]),
    ] {
        let course = course_with(|spec| {
            spec.units[2].title = title;
            spec.units[2].misconceptions = misconceptions;
        });
        let policy = plain_policy(&course);
        let bytes = serde_json::to_vec(&fallback(&course, &policy, &Situation::default())).unwrap();
        let reply = validate(&course, &policy, &bytes).unwrap();
        assert_eq!(question_marks(&reply.tutor_text), 1);
        assert!(reply.tutor_text.ends_with('?'));
    }
}

fn drill_policy(course: &turnwise_decisions::Course) -> Policy {
    let plan = plan_event(course, snapshot("B", &[]), EventKind::RequestDrill, "B");
    decide_available(course, plan, &[]).policy
}

#[test]
fn a_drill_comes_from_the_course_and_the_turn_chooses_which() {
    let course = course();
    let mut policy = drill_policy(&course);
    assert_eq!(policy.allowed_actions, [Action::DrillCard]);
    let mut seen = std::collections::BTreeSet::new();
    for turn in 0..32 {
        policy.turn_id = format!("turn-{turn}");
        let first = failed(&course, &policy);
        assert_eq!(first, failed(&course, &policy));
        let Some(Card::Drill(card)) = first.card else {
            panic!("no drill");
        };
        seen.insert(card.question_latex);
    }
    assert_eq!(seen.len(), 2);
}

#[test]
fn drills_that_are_too_long_are_passed_over_for_words_without_a_card() {
    let long = Drill {
        id: "B-d3".to_owned(),
        prompt: "Solve.".to_owned(),
        question_latex: "x = 1 \\\\ y = 2".to_owned(),
    };
    let course = course_with(|spec| spec.units[2].drills = vec![long]);
    let resolution = failed(&course, &drill_policy(&course));
    assert_eq!(resolution.action, Action::DrillCard);
    assert_eq!((resolution.card, resolution.card_buttons), (None, vec![]));
    let asked = "Write down a small example of your own for Title of B, and solve it.";
    assert_eq!(resolution.text, asked);
}

#[test]
fn the_row_of_drills_goes_on_behind_one_that_is_too_long() {
    let drill = |n: usize, question: &str| Drill {
        id: format!("B-d{n}"),
        prompt: "Solve.".to_owned(),
        question_latex: question.to_owned(),
    };
    let course = course_with(|spec| {
        spec.units[2].drills = vec![
            drill(1, "x = 1 \\\\ y = 2"),
            drill(2, "x = 1"),
            drill(3, "x = 2"),
        ];
    });
    let mut policy = drill_policy(&course);
    let mut seen = std::collections::BTreeSet::new();
    for turn in 0..32 {
        policy.turn_id = format!("turn-{turn}");
        seen.insert(failed(&course, &policy).drill_id);
    }
    let ids = ["B-d2", "B-d3"].map(|id| Some(id.to_owned()));
    assert_eq!(seen, ids.into());
}

#[test]
fn an_exam_falls_back_to_the_first_candidate() {
    let course = course();
    let plan = plan_event(&course, ready_on_b(), EventKind::RequestExam, "B");
    let policy = decide_available(&course, plan, &["B-bronze-2", "B-bronze-1"]).policy;
    assert_eq!(policy.allowed_actions, [Action::ExamBlock]);
    let Some(Card::Exam(card)) = failed(&course, &policy).card else {
        panic!("no exam");
    };
    assert_eq!(card.id, "B-bronze-2");
}

#[test]
fn a_policy_that_no_decision_makes_is_refused() {
    let course = course();
    let field = |change: fn(&mut Policy)| {
        let mut policy = exam_policy(&course);
        change(&mut policy);
        resolve(&course, &policy, Outcome::Completion(b"{}"))
            .unwrap_err()
            .field
    };
    assert_eq!(field(|p| p.allowed_actions.clear()), "allowed_actions");
    assert_eq!(
        field(|p| p.allowed_actions = vec![Action::ConceptCard]),
        "allowed_actions"
    );
    assert_eq!(
        field(|p| p.allowed_actions.push(Action::ConceptCard)),
        "allowed_actions"
    );
    assert_eq!(field(|p| p.exam_ready = false), "allowed_actions");
    assert_eq!(field(|p| p.exam_candidate_ids.clear()), "allowed_actions");
    assert_eq!(
        field(|p| p.exam_candidate_ids.push("B-gold-1".into())),
        "exam_candidate_ids"
    );
    assert_eq!(field(|p| p.focus_unit_id = "Z".into()), "focus_unit_id");
    assert_eq!(field(|p| p.scoped_unit_ids.clear()), "scoped_unit_ids");
}

/// Texts of a course are its author's. A fallback leaves out what a model may not say.
#[test]
fn an_address_in_the_course_stays_out_of_the_reply() {
    for title in ["See https://example.org", "www", "<b>B</b>"] {
        let course = course_with(|spec| {
            let unit = &mut spec.units[2];
            unit.title = title.to_owned();
            unit.misconceptions = vec!["It is on www.example.org.".to_owned()];
            for drill in &mut unit.drills {
                drill.prompt = "Solve <script>this</script>.".to_owned();
            }
        });
        let exam = decide_available(
            &course,
            plan_event(&course, ready_on_b(), EventKind::RequestExam, "B"),
            &["B-bronze-1"],
        );
        for policy in [plain_policy(&course), drill_policy(&course), exam.policy] {
            let reply = fallback(&course, &policy, &Situation::default());
            let bytes = serde_json::to_vec(&reply).unwrap();
            assert_eq!(form_fault(&reply.tutor_text, Form::Prose), None);
            if policy.allowed_actions == [Action::DrillCard] {
                assert_eq!(reply.drill_card, None, "every drill holds markup");
            } else {
                assert_eq!(validate(&course, &policy, &bytes), Ok(reply));
            }
        }
    }
}

#[test]
fn a_misconception_with_an_address_gives_way_to_the_title() {
    let course = course_with(|spec| {
        spec.units[2].misconceptions = vec!["It is on www.example.org.".to_owned()];
    });
    let text = failed(&course, &plain_policy(&course)).text;
    assert!(
        text.starts_with("What do you already know about Title of B"),
        "{text}"
    );
}
