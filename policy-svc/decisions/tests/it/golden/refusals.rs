//! Replies that are refused, each with the reason that says most, and those that just keep a rule.

use serde_json::{Value, json};
use turnwise_decisions::{Action, Outcome, resolve};

use super::{
    course::algebra,
    golden,
    page::Page,
    replies::{blocked, ready, stuck, with, words},
};

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
