//! The worked turns once more: why each is as it is, in words.

use turnwise_decisions::{
    EventKind, Explanation,
    QuestionState::Locked,
    Tier, explain,
    explain::{ActionExplanation, UnitExplanation},
};

use super::{
    course::algebra,
    golden,
    page::{Page, maybe},
    story::Story,
    turns::{ago, on_one_step, ready_for_equations, turn},
};
use crate::fixtures::*;

fn why(story: &Story<'_>) -> Page {
    let Explanation {
        actions,
        target,
        focus,
        next_unit,
        prereq_nudge,
    } = explain(story.course, &story.input()).unwrap();
    let mut page = Page::default();
    page.section("actions");
    for ActionExplanation {
        action,
        allowed,
        reasons: _,
        text,
    } in &actions
    {
        let allowed = if *allowed { "allowed" } else { "not allowed" };
        page.line(action.as_str(), format!("{allowed}. {text}"));
    }
    page.section("units");
    for (name, unit) in [
        ("target", target),
        ("focus", focus),
        ("next", next_unit),
        ("first do", prereq_nudge),
    ] {
        let UnitExplanation {
            unit_id,
            reasons: _,
            text,
        } = unit;
        page.line(name, format!("{}. {text}", maybe(unit_id)));
    }
    page
}

#[test]
fn reasons_of_the_worked_turns() {
    let course = algebra();
    let about = |record| Turn {
        mapped_units: mapped(&[("one-step", 0.82)]),
        ..turn(record)
    };
    let missing = |streak| {
        let mut record = ready_for_equations();
        let inverse = ago(3, progress(Tier::None, 3, streak));
        record.progress.insert("inverse".to_owned(), inverse);
        record
    };
    let unclear = Turn {
        mapped_units: mapped(&[("one-step", 0.54)]),
        ..turn(snapshot("welcome", &[]))
    };
    let pressed = Turn {
        event: event(EventKind::RequestDrill, "one-step"),
        ..turn(on_one_step(3, 2))
    };
    let story = |turn| Story::new(&course, turn);
    let exam = "one-step-bronze-1";
    golden!(
        "Why each action is allowed or is not, and why each unit has its part, in the worked turns.",
        Page::chapters([
            (
                "prerequisites met",
                why(&story(about(ready_for_equations())))
            ),
            ("a prerequisite missing", why(&story(about(missing(1))))),
            (
                "a prerequisite missing, well drilled",
                why(&story(about(missing(3))))
            ),
            ("an unclear first message", why(&story(unclear))),
            ("stuck", why(&story(about(on_one_step(3, 0))))),
            (
                "ready, with an open question",
                why(&story(about(on_one_step(3, 2))).available(&[exam]))
            ),
            (
                "ready, with a locked question",
                why(&story(about(on_one_step(3, 2))).exams(&[(
                    exam,
                    Locked,
                    Some("2026-03-03T08:00:00Z")
                )]))
            ),
            (
                "a drill was asked for",
                why(&story(pressed).available(&[exam]))
            ),
        ]),
    );
}
