//! Scores and orders: what ranks before what, and how ties end.

use turnwise_decisions::{
    MappedUnit, Snapshot, Tier,
    score::{ScoreParts, intent_value},
};

use super::{
    course::{algebra, algebra_with},
    golden,
    page::{Page, number, scored},
    story::Story,
    turns::{ago, before, on_one_step, ready_for_equations, turn},
};
use crate::fixtures::*;

#[test]
fn score_of_all_ones_is_one() {
    let zero = ScoreParts::default();
    let mut page = Page::default();
    page.section("parts");
    for (name, parts) in [
        ("nothing", zero),
        (
            "intent alone",
            ScoreParts {
                intent: 1.0,
                ..zero
            },
        ),
        (
            "recency alone",
            ScoreParts {
                recency: 1.0,
                ..zero
            },
        ),
        (
            "in progress alone",
            ScoreParts {
                in_progress: 1.0,
                ..zero
            },
        ),
        (
            "need alone",
            ScoreParts {
                tier_need: 1.0,
                ..zero
            },
        ),
        (
            "drills alone",
            ScoreParts {
                drill_evidence: 1.0,
                ..zero
            },
        ),
        (
            "everything",
            ScoreParts {
                intent: intent_value(1.0, true),
                recency: 1.0,
                in_progress: 1.0,
                tier_need: 1.0,
                drill_evidence: 1.0,
            },
        ),
    ] {
        page.line(name, number(parts.total()));
    }
    page.section("intent");
    page.line("mapped alone", number(intent_value(1.0, false)));
    page.line("focus alone", number(intent_value(0.0, true)));
    page.line("both", number(intent_value(1.0, true)));
    golden!("The weights, and that they sum to one.", page);
}

#[test]
fn score_of_a_unit_part_by_part() {
    let course = algebra();
    let mut page = Page::default();
    page.section("one-step, by badge, right drills in a row and hours since");
    for (tier, streak, hours) in [
        (Tier::None, 0, 0),
        (Tier::None, 1, 18),
        (Tier::Bronze, 2, 36),
        (Tier::Silver, 3, 72),
        (Tier::Gold, 9, 500),
    ] {
        let record = snapshot(
            "welcome",
            &[("one-step", ago(hours, progress(tier, streak, streak)))],
        );
        let turn = Turn {
            mapped_units: mapped(&[("one-step", 0.4)]),
            ..turn(record)
        };
        let plan = Story::new(&course, turn).plan();
        let unit = plan
            .candidates
            .iter()
            .find(|unit| unit.unit_id == "one-step");
        page.line(
            &format!("{}, {streak}, {hours} h", tier.as_str()),
            scored("one-step", &unit.unwrap().parts),
        );
    }
    golden!(
        "What badges, streaks and time make of a score, at a confidence of 0.4.",
        page
    );
}

/// The plan's page; the same comes of the same units in any order.
fn in_any_order(story: &Story<'_>) -> Page {
    let plan = story.plan();
    let mut turned: Vec<MappedUnit> = story.turn.mapped_units.clone();
    turned.reverse();
    let given = Turn {
        mapped_units: turned,
        ..story.turn.clone()
    };
    assert_eq!(Story::new(story.course, given).plan(), plan);
    story.plan_page()
}

#[test]
fn equal_confidence_goes_by_score_then_by_id() {
    let course = algebra();
    let mapping = || mapped(&[("two-step", 0.7), ("lines", 0.7)]);
    let equal = Turn {
        mapped_units: mapping(),
        ..turn(snapshot("welcome", &[]))
    };
    let drilled = Turn {
        mapped_units: mapping(),
        ..turn(snapshot(
            "welcome",
            &[("two-step", progress(Tier::None, 1, 1))],
        ))
    };
    golden!(
        "A message is about two units alike. Without a record the id decides, though two-step equations come first in \
         the file; a right drill decides before the id does. The order of the mapping does not matter.",
        Page::chapters([
            ("no record", in_any_order(&Story::new(&course, equal))),
            ("a right drill", in_any_order(&Story::new(&course, drilled))),
        ]),
    );
}

#[test]
fn units_in_progress_are_ranked_before_they_are_cut() {
    let course = algebra();
    let mut record = Snapshot {
        units_in_progress: ["integers", "inverse", "puzzles", "lines", "two-step"]
            .map(str::to_owned)
            .into(),
        ..snapshot("calculator", &[])
    };
    for (id, tier, streak) in [
        ("integers", Tier::Silver, 0),
        ("inverse", Tier::None, 1),
        ("puzzles", Tier::Bronze, 0),
        ("lines", Tier::None, 2),
        ("two-step", Tier::None, 1),
    ] {
        record
            .progress
            .insert(id.to_owned(), ago(72, progress(tier, streak, streak)));
    }
    golden!(
        "Five units in progress, most recent first: integers, inverse, puzzles, lines, two-step. By score the first three \
         are lines, inverse and two-step (a tie that the id ends): these are candidates, with what they need. The first \
         two are in scope.",
        Story::new(&course, turn(record)).plan_page(),
    );
}

#[test]
fn candidates_bring_their_prerequisites() {
    let course = algebra();
    let record = Snapshot {
        units_in_progress: vec!["lines".to_owned()],
        ..snapshot("two-step", &[])
    };
    let turn = Turn {
        mapped_units: mapped(&[
            ("puzzles", 0.5),
            ("inverse", 0.4),
            ("calculator", 0.3),
            ("integers", 0.2),
        ]),
        ..turn(record)
    };
    golden!(
        "Three of four mapped units, the focus and the one in progress are candidates, and so are the direct prerequisites \
         of each of these: welcome of the mapped ones, one-step of the focus, two-step and calculator of lines. The \
         fourth mapped unit and what one-step needs are not.",
        Story::new(&course, turn).plan_page(),
    );
}

#[test]
fn previous_turns_mapping_counts_half() {
    let course = algebra();
    let low_bar = algebra_with(|spec| spec.rules.target_confidence = 0.4);
    let mut record = on_one_step(1, 1);
    record.last_mapped_units = mapped(&[("lines", 1.0), ("two-step", 0.6), ("gone", 1.0)]);
    let alone = || turn(record.clone());
    let raised = Turn {
        mapped_units: mapped(&[("two-step", 0.28), ("lines", 0.52)]),
        ..turn(record.clone())
    };
    golden!(
        "What the model saw in the turn before counts half and never decides by itself, not even in a course where 0.4 is \
         enough; of two confidences in one unit the higher counts. Units that are gone are dropped.",
        Page::chapters([
            (
                "the message says nothing",
                Story::new(&course, alone()).plan_page()
            ),
            (
                "the message says a little",
                Story::new(&course, raised).plan_page()
            ),
            (
                "the message says nothing, and 0.4 is enough",
                Story::new(&low_bar, alone()).plan_page()
            ),
        ]),
    );
}

#[test]
fn button_counts_as_certain() {
    let course = algebra();
    let turn = Turn {
        mapped_units: mapped(&[("one-step", 1.0)]),
        event: event(turnwise_decisions::EventKind::DrillContinue, "puzzles"),
        ..turn(ready_for_equations())
    };
    golden!(
        "A button's unit counts 1.0 and goes before a message that is as certain and about a unit with a higher score. It \
         makes the thread one about a unit.",
        Story::new(&course, turn).plan_page(),
    );
}

#[test]
fn scope_never_drops_focus_blocker_and_target() {
    let narrow = algebra_with(|spec| spec.rules.max_scoped_units = 1);
    let course = algebra();
    let record = || Snapshot {
        units_in_progress: ["variables", "inverse"].map(str::to_owned).into(),
        ..snapshot("puzzles", &[])
    };
    let turn = || Turn {
        mapped_units: mapped(&[("lines", 0.9), ("puzzles", 0.5), ("inverse", 0.4)]),
        ..turn(record())
    };
    golden!(
        "Seven units belong to the scope: inverse (focus and blocker), lines (target), puzzles (mapped), two-step and \
         calculator (of the target), variables (in progress), welcome (of the blocker). The first six stay; a course that \
         asks for one unit still gets three, so that focus, blocker and target fit.",
        Page::chapters([
            ("six units", Story::new(&course, turn()).plan_page()),
            (
                "as few as possible",
                Story::new(&narrow, turn()).plan_page()
            ),
        ]),
    );
}

#[test]
fn time_in_the_future_counts_as_now() {
    let course = algebra();
    let mut record = on_one_step(1, 1);
    record.last_turn_at = Some(before(-100));
    let touched = record.progress.get_mut("inverse").unwrap();
    touched.last_touched_at = Some(before(-1));
    golden!(
        "A clock that ran ahead: units touched in the future are as recent as can be, and no more.",
        Story::new(&course, turn(record)).plan_page(),
    );
}

#[test]
fn next_unit_is_the_best_by_score() {
    let course = algebra();
    let page = |in_progress: &[(&str, u32)]| {
        let mut record = ready_for_equations();
        let gold = ago(3, progress(Tier::Gold, 9, 9));
        record.progress.insert("inverse".to_owned(), gold);
        record.progress.remove("one-step");
        record.units_in_progress.clear();
        for (unit, streak) in in_progress {
            let drilled = ago(18, progress(Tier::None, 1, *streak));
            record.progress.insert((*unit).to_owned(), drilled);
            record.units_in_progress.push((*unit).to_owned());
        }
        Story::new(&course, turn(record)).plan_page()
    };
    golden!(
        "After gold on inverse operations: of the open units in progress and the first open one of the path, one-step \
         equations, the best by score. A unit that is blocked is not suggested, whatever its score.",
        Page::chapters([
            ("nothing in progress", page(&[])),
            ("puzzles in progress", page(&[("puzzles", 0)])),
            (
                "both in progress, one-step better",
                page(&[("puzzles", 0), ("one-step", 1)])
            ),
            ("a blocked unit in progress", page(&[("two-step", 1)])),
        ]),
    );
}
