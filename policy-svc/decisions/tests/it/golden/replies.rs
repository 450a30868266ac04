//! What becomes of a model's reply: taken, taken and observed, or refused with the reason that says most.

use serde_json::{Value, json};
use turnwise_decisions::{Action, Outcome, Policy, resolve};

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
fn stuck(course: &turnwise_decisions::Course) -> Story<'_> {
    Story::new(course, turn(on_one_step(3, 0)))
}

/// Ready for an exam question on one-step equations, one of two.
fn ready(course: &turnwise_decisions::Course) -> Story<'_> {
    Story::new(course, turn(on_one_step(3, 2))).available(&[ONE, TWO])
}

/// Asks about one-step equations, blocked by inverse operations.
fn blocked(course: &turnwise_decisions::Course) -> Story<'_> {
    let mut record = ready_for_equations();
    let missing = ago(3, progress(turnwise_decisions::Tier::None, 2, 1));
    record.progress.insert("inverse".to_owned(), missing);
    let turn = Turn {
        mapped_units: mapped(&[("one-step", 0.82)]),
        ..turn(record)
    };
    Story::new(course, turn)
}

fn with(mut reply: Value, changes: &[(&str, Value)]) -> Value {
    for (pointer, value) in changes {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        reply.pointer_mut(parent).unwrap()[key] = value.clone();
    }
    reply
}

fn words(count: usize) -> String {
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
fn bytes_that_are_no_reply() {
    let course = algebra();
    let story = ready(&course);
    let policy = story.policy();
    let good = story.typical(Action::SocraticQuestion).to_string();
    let mut page = Page::default();
    page.section("verdicts");
    for (name, bytes) in [
        ("nothing", Vec::new()),
        ("prose", b"Sure! Here is a question.".to_vec()),
        ("prose around it", format!("Sure! {good}").into_bytes()),
        (
            "a code fence around it",
            format!("```json\n{good}\n```").into_bytes(),
        ),
        ("cut off", good.as_bytes()[..good.len() - 1].to_vec()),
        ("two documents", format!("{good}{good}").into_bytes()),
        ("a list", format!("[{good}]").into_bytes()),
        ("no UTF-8", vec![0xff, 0xfe]),
        (
            "a key twice",
            good.replacen('{', "{\"action\":\"DRILL_CARD\",", 1)
                .into_bytes(),
        ),
        (
            "nested nine deep",
            format!("{{\"a\":{}1{}}}", "[".repeat(8), "]".repeat(8)).into_bytes(),
        ),
        ("64 KiB and a byte", vec![b' '; 64 * 1024 + 1]),
        ("itself, and white space", format!(" {good}\n").into_bytes()),
    ] {
        let outcome = Outcome::Completion(&bytes);
        page.verdict(name, &resolve(&course, &policy, outcome).unwrap());
    }
    golden!(
        "Bytes that are not one JSON object as the contract has it.",
        page
    );
}

#[test]
fn replies_that_break_a_rule() {
    let course = algebra();
    let (ready, stuck, blocked) = (ready(&course), stuck(&course), blocked(&course));
    let question = || ready.typical(Action::SocraticQuestion);
    let drill = || ready.typical(Action::DrillCard);
    let exam = || ready.typical(Action::ExamBlock);
    let concept = || stuck.typical(Action::ConceptCard);
    let mut page = Page::default();

    page.section("what it does");
    page.verdict(
        "an action of its own",
        &ready.answer(&with(question(), &[("/action", json!("GIVE_ANSWER"))])),
    );
    page.verdict(
        "no action",
        &ready.answer(&with(question(), &[("/action", Value::Null)])),
    );
    page.verdict(
        "an explanation, not stuck",
        &ready.answer(&ready.typical(Action::ConceptCard)),
    );
    page.verdict(
        "an exam, not ready",
        &stuck.answer(&stuck.typical(Action::ExamBlock)),
    );
    page.verdict(
        "an exam on the blocking unit",
        &blocked.answer(&blocked.typical(Action::ExamBlock)),
    );

    page.section("what it is about");
    page.verdict(
        "a unit outside the scope",
        &ready.answer(&with(question(), &[("/target_unit_id", json!("lines"))])),
    );
    page.verdict(
        "a unit outside the course",
        &ready.answer(&with(question(), &[("/target_unit_id", json!("geometry"))])),
    );
    page.verdict(
        "a drill on a unit in scope",
        &ready.answer(&with(drill(), &[("/target_unit_id", json!("inverse"))])),
    );
    page.verdict(
        "an exam on another unit in scope",
        &ready.answer(&with(exam(), &[("/target_unit_id", json!("inverse"))])),
    );
    page.verdict(
        "a question no candidate",
        &ready.answer(&with(
            exam(),
            &[("/exam_suggestion/question_id", json!("one-step-silver-1"))],
        )),
    );
    page.verdict(
        "another tier",
        &ready.answer(&with(
            exam(),
            &[("/exam_suggestion/difficultyTier", json!("silver"))],
        )),
    );

    page.section("its parts");
    page.verdict(
        "a question with a card",
        &ready.answer(&with(
            question(),
            &[("/drill_card", drill()["drill_card"].clone())],
        )),
    );
    page.verdict(
        "a drill without its card",
        &ready.answer(&with(question(), &[("/action", json!("DRILL_CARD"))])),
    );
    page.verdict(
        "tags of mistakes",
        &ready.answer(&with(
            question(),
            &[("/confusion_tags", json!(["sign_error"]))],
        )),
    );
    page.verdict(
        "a word for intent of its own",
        &ready.answer(&with(
            question(),
            &[("/turn_analysis/student_intent", json!("bored"))],
        )),
    );
    page.verdict(
        "a confidence above 1",
        &ready.answer(&with(
            question(),
            &[("/mapped_units/0/confidence", json!(1.5))],
        )),
    );
    page.verdict(
        "blank text",
        &ready.answer(&with(question(), &[("/tutor_text", json!(" \n"))])),
    );
    page.verdict(
        "empty text",
        &ready.answer(&with(question(), &[("/tutor_text", json!(""))])),
    );

    page.section("how much");
    page.verdict("one question", &ready.answer(&question()));
    page.verdict(
        "two questions",
        &ready.answer(&with(
            question(),
            &[("/tutor_text", json!("What? And why?"))],
        )),
    );
    page.verdict(
        "three questions",
        &ready.answer(&with(
            question(),
            &[("/tutor_text", json!("What? Why? How?"))],
        )),
    );
    page.verdict(
        "2200 characters",
        &ready.answer(&with(
            question(),
            &[("/tutor_text", json!("a".repeat(2200)))],
        )),
    );
    page.verdict(
        "2201 characters",
        &ready.answer(&with(
            question(),
            &[("/tutor_text", json!("a".repeat(2201)))],
        )),
    );
    page.verdict(
        "three key ideas",
        &stuck.answer(&with(
            concept(),
            &[("/concept_card/key_ideas", json!(["a", "b", "c"]))],
        )),
    );
    page.verdict(
        "four key ideas",
        &stuck.answer(&with(
            concept(),
            &[("/concept_card/key_ideas", json!(["a", "b", "c", "d"]))],
        )),
    );
    page.verdict(
        "no key idea",
        &stuck.answer(&with(concept(), &[("/concept_card/key_ideas", json!([]))])),
    );
    // The example has three words.
    let alone = |ideas: &[usize]| {
        let ideas: Vec<_> = ideas.iter().map(|n| words(*n)).collect();
        with(
            concept(),
            &[(
                "/concept_card",
                json!({"key_ideas": ideas, "worked_example": {"problem_latex": "a b", "final_answer_latex": "c"}}),
            )],
        )
    };
    page.verdict(
        "170 words with the example",
        &stuck.answer(&alone(&[100, 67])),
    );
    page.verdict(
        "171 words with the example",
        &stuck.answer(&alone(&[100, 68])),
    );
    page.verdict(
        "two worked examples",
        &stuck.answer(&with(
            concept(),
            &[("/concept_card/worked_example", json!([1, 2]))],
        )),
    );
    page.verdict(
        "a drill of two equations",
        &ready.answer(&with(
            drill(),
            &[("/drill_card/question_latex", json!("x = 1 \\\\ y = 2"))],
        )),
    );
    page.verdict(
        "a drill of many operations",
        &ready.answer(&with(
            drill(),
            &[("/drill_card/question_latex", json!("1+2+3+4+5+6+7+8+9+10"))],
        )),
    );
    page.verdict(
        "a drill in parts",
        &ready.answer(&with(
            drill(),
            &[("/drill_card/prompt", json!("a) Expand. b) Simplify."))],
        )),
    );
    golden!(
        "Replies that break one rule each, and some that just keep it.",
        page
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
