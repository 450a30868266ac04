//! What a student reads after a drill, and what becomes of a model's grade.

use serde_json::{Value, json};
use turnwise_decisions::{
    DrillCheck, Grade, Outcome, Verdict, grade::feedback, grade_schema, resolve_grade,
};
use turnwise_messages::Texts;

use super::{
    course::algebra,
    golden,
    page::{Page, list, maybe},
};

const TASKS: [&str; 8] = [
    "solve", "evaluate", "simplify", "expand", "factor", "convert", "compare", "unknown",
];

const REASONS: [(Verdict, &[&str]); 3] = [
    (
        Verdict::Right,
        &["equal_to_solution", "equal_in_form", "matches_key"],
    ),
    (
        Verdict::Wrong,
        &[
            "incomplete_solution_set",
            "not_a_solution",
            "not_equal",
            "differs_from_key",
            "copied_question",
            "not_factored",
            "not_expanded",
            "not_simplified",
            "not_converted",
            "wrong_unit",
        ],
    ),
    (
        Verdict::CannotTell,
        &[
            "unreadable_answer",
            "unreadable_task",
            "unreadable_question",
            "undecided",
            "copied_question",
            "differs_from_key",
            "not_evaluated",
            "not_factored",
            "not_expanded",
            "not_simplified",
            "not_converted",
            "unclear_steps",
        ],
    ),
];

#[test]
fn feedback_without_a_model() {
    let mut page = Page::default();
    let texts = Texts::default();
    for (verdict, reasons) in REASONS {
        page.section(verdict.as_str());
        for reason in reasons {
            let text = |task: &str| feedback::text(&texts, verdict, task, reason);
            // A line for each text that is another than the unknown task's.
            for task in TASKS.iter().filter(|task| text(task) != text("unknown")) {
                page.line(&format!("{reason}, {task}"), text(task));
            }
            page.line(reason, text("unknown"));
        }
    }
    golden!(
        "What a student reads after a drill where no model words it: by verdict, by why, and by task where that matters.",
        page
    );
}

fn graded(page: &mut Page, grade: &Grade) {
    let Grade {
        verdict,
        graded_by,
        feedback_text,
        mistake_tag,
        is_evidence,
        fallback_reason,
        violation,
        observations,
    } = grade;
    let by = graded_by.map_or("nobody", turnwise_decisions::GradedBy::as_str);
    let counts = if *is_evidence {
        "counts"
    } else {
        "does not count"
    };
    page.line(
        "verdict",
        format!("{}, by {by}, {counts}", verdict.as_str()),
    );
    page.line("feedback", feedback_text);
    page.line("mistake", maybe(mistake_tag.as_ref()));
    page.line(
        "fallback",
        maybe(fallback_reason.map(|reason| reason.as_str())),
    );
    page.line("violation", maybe(violation.as_ref()));
    page.line("observed", list(observations.iter().map(|o| o.as_str())));
}

#[test]
fn grades_of_every_kind() {
    let course = algebra();
    let unit = course.unit(course.find("one-step").unwrap());
    let check = |verdict, counts_llm| DrillCheck {
        verdict,
        task: "solve".to_owned(),
        reason: match verdict {
            Verdict::Right => "equal_to_solution",
            Verdict::Wrong => "not_a_solution",
            Verdict::CannotTell => "undecided",
        }
        .to_owned(),
        counts_llm,
        has_key: false,
    };
    let said = |correct: bool, tag: Value| {
        json!({
            "isCorrect": correct,
            "feedbackText": "Whatever you do on one side, do it on the other.",
            "commonMistakeTag": tag,
        })
        .to_string()
        .into_bytes()
    };
    let (right, wrong, unsure) = (
        check(Verdict::Right, true),
        check(Verdict::Wrong, true),
        check(Verdict::CannotTell, true),
    );
    let feedback_only = check(Verdict::CannotTell, false);
    let mut keyed = check(Verdict::CannotTell, true);
    keyed.has_key = true;
    let rows = [
        (
            "mathematics: right; model: right",
            &right,
            said(true, json!(null)),
        ),
        (
            "mathematics: right; model: wrong",
            &right,
            said(false, json!("sign_error")),
        ),
        (
            "mathematics: wrong; model: wrong",
            &wrong,
            said(false, json!("sign_error")),
        ),
        (
            "mathematics: wrong; model: right",
            &wrong,
            said(true, json!(null)),
        ),
        (
            "mathematics: wrong; model: a tag of its own",
            &wrong,
            said(false, json!("lazy")),
        ),
        (
            "mathematics: cannot tell; model: right",
            &unsure,
            said(true, json!(null)),
        ),
        (
            "mathematics: cannot tell; model: wrong",
            &unsure,
            said(false, json!("wrong_inverse")),
        ),
        (
            "the same, where models do not count",
            &feedback_only,
            said(false, json!("wrong_inverse")),
        ),
        (
            "the same, where the course gives the answer",
            &keyed,
            said(false, json!("wrong_inverse")),
        ),
        (
            "mathematics: cannot tell; model: prose",
            &unsure,
            b"Well done!".to_vec(),
        ),
    ];
    let page = |check: &DrillCheck, outcome| {
        let mut page = Page::default();
        graded(
            &mut page,
            &resolve_grade(course.texts(), unit, check, outcome),
        );
        page
    };
    let mut chapters = vec![("mathematics: cannot tell; no model", page(&unsure, None))];
    for (name, check, bytes) in &rows {
        chapters.push((*name, page(check, Some(Outcome::Completion(bytes)))));
    }
    golden!(
        "Mathematics has the last word where it had one; where it cannot tell, a model's grade decides.",
        Page::chapters(chapters),
    );
}

#[test]
fn schema_of_a_grade() {
    let course = algebra();
    let unit = course.unit(course.find("one-step").unwrap());
    golden!(
        "What a model's grade of a drill must be.",
        serde_json::to_string_pretty(&grade_schema(unit)).unwrap(),
    );
}
