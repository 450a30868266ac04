//! What becomes of a model's reply: taken, taken and observed, or refused with the reason that says most.

use serde_json::{Value, json};
use turnwise_decisions::{Action, Policy};

use super::{
    course::{algebra, algebra_with},
    golden,
    page::Page,
    story::Story,
    turns::{ago, on_one_step, ready_for_equations, turn},
};
use crate::fixtures::*;

const ONE: &str = "one-step-bronze-1";
const TWO: &str = "one-step-bronze-2";

/// Stuck on one-step equations.
pub fn stuck(course: &turnwise_decisions::Course) -> Story<'_> {
    Story::new(course, turn(on_one_step(3, 0)))
}

/// Ready for an exam question on one-step equations, one of two.
pub fn ready(course: &turnwise_decisions::Course) -> Story<'_> {
    Story::new(course, turn(on_one_step(3, 2))).available(&[ONE, TWO])
}

/// Asks about one-step equations, blocked by inverse operations.
pub fn blocked(course: &turnwise_decisions::Course) -> Story<'_> {
    let mut record = ready_for_equations();
    let missing = ago(3, progress(turnwise_decisions::Tier::None, 2, 1));
    record.progress.insert("inverse".to_owned(), missing);
    let turn = Turn {
        mapped_units: mapped(&[("one-step", 0.82)]),
        ..turn(record)
    };
    Story::new(course, turn)
}

pub fn with(mut reply: Value, changes: &[(&str, Value)]) -> Value {
    for (pointer, value) in changes {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        reply.pointer_mut(parent).unwrap()[key] = value.clone();
    }
    reply
}

pub fn words(count: usize) -> String {
    vec!["word"; count].join(" ")
}

#[test]
fn whole_replies_of_every_kind() {
    let course = algebra();
    let page = |story: &Story<'_>, action| {
        let mut page = Page::default();
        page.section("resolved");
        page.resolution(&story.answer(&story.typical(action)));
        page
    };
    golden!(
        "What a student gets of a valid reply. An exam question comes from the catalogue, not from the model. Suggested \
         units that the course does not have are dropped.",
        Page::chapters([
            ("question", page(&ready(&course), Action::SocraticQuestion)),
            ("drill", page(&ready(&course), Action::DrillCard)),
            ("concept card", page(&stuck(&course), Action::ConceptCard)),
            ("exam question", page(&ready(&course), Action::ExamBlock)),
        ]),
    );
}

#[test]
fn target_that_is_not_the_blocking_unit_is_observed() {
    let course = algebra();
    let story = blocked(&course);
    let reply = |target: &str| {
        with(
            story.typical(Action::SocraticQuestion),
            &[("/target_unit_id", json!(target))],
        )
    };
    let page = |target| {
        let mut page = Page::default();
        page.section("resolved");
        page.resolution(&story.answer(&reply(target)));
        page
    };
    golden!(
        "Inverse operations should come first. A reply about the target instead is in scope: taken, and counted.",
        Page::chapters([
            ("about the blocking unit", page("inverse")),
            ("about the target", page("one-step")),
        ]),
    );
}

#[test]
fn questions_are_counted() {
    let course = algebra();
    let story = ready(&course);
    let page = |text: &str| {
        let mut page = Page::default();
        page.section("resolved");
        let reply = with(
            story.typical(Action::SocraticQuestion),
            &[("/tutor_text", json!(text))],
        );
        page.resolution(&story.answer(&reply));
        page
    };
    golden!(
        "A reply should ask one question. Two are taken and counted, three are not taken.",
        Page::chapters([
            ("one", page("What undoes adding 6?")),
            ("two", page("What undoes adding 6? And on which side?")),
            (
                "three",
                page("What undoes adding 6? On which side? And why?")
            ),
        ]),
    );
}

#[test]
fn explanation_without_being_stuck() {
    let course = algebra();
    let story = ready(&course);
    let explains = with(
        story.typical(Action::SocraticQuestion),
        &[
            (
                "/tutor_text",
                json!(
                    "An equation stays true if both sides change alike. What would you do to both sides here?"
                ),
            ),
            ("/turn_analysis/student_intent", json!("explain")),
        ],
    );
    let card = with(
        story.typical(Action::ConceptCard),
        &[("/turn_analysis/student_intent", json!("explain"))],
    );
    let page = |reply: &Value| {
        let mut page = Page::default();
        page.section("resolved");
        page.resolution(&story.answer(reply));
        page
    };
    golden!(
        "A student who is not stuck asks for an explanation: a question that carries one explaining sentence is taken, a \
         concept card is not.",
        Page::chapters([
            ("a sentence and a question", page(&explains)),
            ("a concept card", page(&card)),
        ]),
    );
}

#[test]
fn models_mapping_widens_nothing() {
    let course = algebra();
    let story = ready(&course);
    let mapping = json!([
        {"unit_id": "lines", "confidence": 1.0},
        {"unit_id": "geometry", "confidence": 0.9},
        {"unit_id": "lines", "confidence": 0.2},
    ]);
    let analysis = |reply: Value| {
        with(
            reply,
            &[
                ("/mapped_units", mapping.clone()),
                (
                    "/turn_analysis/suggested_prereq_units",
                    json!(["two-step", "geometry", "two-step"]),
                ),
            ],
        )
    };
    let focus = analysis(story.typical(Action::SocraticQuestion));
    let elsewhere = with(focus.clone(), &[("/target_unit_id", json!("lines"))]);
    let page = |reply: &Value| {
        let mut page = Page::default();
        page.section("resolved");
        page.resolution(&story.answer(reply));
        page
    };
    golden!(
        "The model maps the message to straight lines, for certain. Known units are kept for later, each once, and this \
         turn's scope stays what it was.",
        Page::chapters([
            ("about the focus", page(&focus)),
            ("about the unit that it mapped", page(&elsewhere)),
        ]),
    );
}

#[test]
fn course_may_set_its_own_bounds() {
    let course = algebra_with(|spec| {
        spec.rules.max_key_ideas = 1;
        spec.rules.max_concept_words = 6;
        spec.rules.max_worked_examples = 0;
        spec.rules.drill_max_steps = 1;
    });
    let story = stuck(&course);
    let policy: Policy = story.policy();
    let concept = |card: Value| {
        with(
            reply(&policy, Action::ConceptCard),
            &[("/concept_card", card)],
        )
    };
    let drill = |latex: &str| {
        with(
            reply(&policy, Action::DrillCard),
            &[("/drill_card/question_latex", json!(latex))],
        )
    };
    let mut page = Page::default();
    page.section("verdicts");
    page.verdict(
        "six words",
        &story.answer(&concept(json!({"key_ideas": [words(6)]}))),
    );
    page.verdict(
        "seven words",
        &story.answer(&concept(json!({"key_ideas": [words(7)]}))),
    );
    page.verdict(
        "two key ideas",
        &story.answer(&concept(json!({"key_ideas": ["a", "b"]}))),
    );
    page.verdict(
        "a worked example",
        &story.answer(&concept(
            json!({"key_ideas": ["a"], "worked_example": {"problem_latex": "b", "final_answer_latex": "c"}}),
        )),
    );
    page.verdict("four operators", &story.answer(&drill("1+2+3+4+5")));
    page.verdict("five operators", &story.answer(&drill("1+2+3+4+5+6")));
    golden!(
        "A course that allows one key idea, six words, no worked example and drills of one step.",
        page,
    );
}
