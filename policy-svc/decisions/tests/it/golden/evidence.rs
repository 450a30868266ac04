//! What drills, exam results, looks at support material and teachers' marks make of a record.

use turnwise_decisions::{
    EventKind, Evidence, EvidenceEvent, Placed,
    QuestionState::{Available, Locked},
    Tier, UnitProgress, UnitStatus,
    evidence::apply,
};

use super::{
    course::{algebra, algebra_with},
    golden,
    page::{Page, list},
    story::Story,
    timeline::{
        described, drill, exam, goes_on, mark, right, right_exercise, support, the, timeline,
        timeline_from, wrong,
    },
};
use crate::fixtures::now;

/// Both prerequisites of one-step equations are marked as met, so that the pages stay short.
fn open() -> [EvidenceEvent; 2] {
    [mark("variables", true), mark("inverse", true)]
}

fn with_open_way(events: &[EvidenceEvent]) -> Vec<EvidenceEvent> {
    open().into_iter().chain(events.iter().cloned()).collect()
}

#[test]
fn drill_graded_right() {
    let course = algebra();
    let events = with_open_way(&[right("one-step"), right("one-step")]);
    let (page, evidence) = timeline(&course, &events);
    let next = Story::new(
        &course,
        goes_on(&evidence, EventKind::DrillContinue, "one-step"),
    )
    .available(&["one-step-bronze-1"]);
    golden!(
        "Two right drills: counted, in a row, no mistake, no badge. The turn after allows the exam.",
        Page::chapters([("evidence", page), ("the turn after", next.policy_page())]),
    );
}

#[test]
fn drill_graded_wrong_with_a_tag() {
    let course = algebra();
    let events = with_open_way(&[
        right("one-step"),
        drill("one-step", false, Some("sign_error")),
        drill("one-step", false, Some("sign_error")),
        drill("one-step", false, Some("made_up")),
        drill("one-step", false, None),
        drill("one-step", true, Some("sign_error")),
    ]);
    let (page, _) = timeline(&course, &events);
    // The two marks, the right drill and the first wrong one.
    let (_, evidence) = timeline(&course, &events[..4]);
    let next = Story::new(
        &course,
        goes_on(&evidence, EventKind::DrillContinue, "one-step"),
    );
    golden!(
        "A wrong drill ends the streak and counts its mistake by one, if the unit lists it. A tag that is not listed is \
         observed and counts as none, and a right drill counts no mistake. With two attempts and none right in a row the \
         student is stuck.",
        Page::chapters([
            ("evidence", page),
            ("the turn after the first wrong one", next.policy_page())
        ]),
    );
}

#[test]
fn repeated_exercise_counts_once() {
    let course = algebra();
    let events = with_open_way(&[
        right_exercise("one-step", 7),
        right_exercise("one-step", 7),
        right_exercise("one-step", 8),
    ]);
    let next = |events: &[EvidenceEvent]| {
        let (_, evidence) = timeline(&course, events);
        let turn = goes_on(&evidence, EventKind::DrillContinue, "one-step");
        let story = Story::new(&course, turn);
        story.available(&["one-step-bronze-1"]).policy_page()
    };
    golden!(
        "The same exercise right twice: the second time is said to be a repeat and leaves the record as it was, so that \
         no exam opens. Another exercise opens it.",
        Page::chapters([
            ("evidence", timeline(&course, &events).0),
            ("the turn after the repeat", next(&events[..4])),
            ("the turn after the other", next(&events)),
        ]),
    );
}

#[test]
fn two_wrong_drills_undo_a_placement() {
    let course = algebra();
    let placed = ["inverse", "variables"].map(|unit| (unit.to_owned(), Placed::default()));
    let before = Evidence {
        placed: placed.into(),
        ..Evidence::default()
    };
    let events = [wrong("inverse"), right("inverse"), wrong("inverse")];
    let begun = [right("one-step"), wrong("inverse"), wrong("inverse")];
    let next = |events: &[EvidenceEvent]| {
        let (_, evidence) = timeline_from(&course, before.clone(), events);
        let turn = goes_on(&evidence, EventKind::RequestDrill, "one-step");
        Story::new(&course, turn).plan_page()
    };
    golden!(
        "A placement showed inverse operations and variables to be known. One wrong drill on inverse operations leaves \
         that, a second one undoes it, right ones between or not. Then they block one-step equations, unless these were \
         begun before.",
        Page::chapters([
            (
                "evidence",
                timeline_from(&course, before.clone(), &events).0
            ),
            (
                "a drill on one-step equations after one wrong",
                next(&events[..2])
            ),
            (
                "a drill on one-step equations after two wrong",
                next(&events)
            ),
            ("the same where these were begun", next(&begun)),
        ]),
    );
}

#[test]
fn exam_passed() {
    let course = algebra();
    let events = with_open_way(&[
        right("one-step"),
        right("one-step"),
        exam("one-step", Tier::Bronze, false),
        exam("one-step", Tier::Bronze, true),
        support("one-step-bronze-1", false),
    ]);
    let (page, evidence) = timeline(&course, &events);
    let next = Story::new(
        &course,
        goes_on(&evidence, EventKind::ExamContinue, "one-step"),
    )
    .exams(&[("one-step-silver-1", Available, None)]);
    golden!(
        "A bronze question passed with two right drills in a row: bronze, and the question leaves the queue, where a \
         look at its support does not bring it back. The turn after asks for silver.",
        Page::chapters([("evidence", page), ("the turn after", next.policy_page())]),
    );
}

#[test]
fn exam_not_passed_and_support_viewed() {
    let course = algebra();
    let events = with_open_way(&[
        right("one-step"),
        right("one-step"),
        exam("one-step", Tier::Bronze, false),
        support("one-step-bronze-2", true),
        exam("one-step", Tier::Bronze, false),
    ]);
    let (page, evidence) = timeline(&course, &events);
    let until = "2026-03-03T10:00:00Z";
    let next = Story::new(
        &course,
        goes_on(&evidence, EventKind::ExamContinue, "one-step"),
    )
    .exams(&[
        ("one-step-bronze-1", Locked, Some(until)),
        ("one-step-bronze-2", Locked, Some(until)),
    ]);
    golden!(
        "A question that was not passed, and one whose support was looked at, wait in the queue, each once, in the order \
         of the first time. Neither changes a drill's counters nor the badge. The turn after offers no exam.",
        Page::chapters([("evidence", page), ("the turn after", next.policy_page())]),
    );
}

#[test]
fn badge_outlasts_a_lost_streak() {
    let course = algebra();
    let events = with_open_way(&[
        right("one-step"),
        right("one-step"),
        exam("one-step", Tier::Bronze, true),
        wrong("one-step"),
        exam("one-step", Tier::Silver, true),
        wrong("one-step"),
    ]);
    let (page, evidence) = timeline(&course, &events);
    let next = Story::new(
        &course,
        goes_on(&evidence, EventKind::DrillContinue, "one-step"),
    )
    .exams(&[("one-step-gold-1", Available, None)]);
    golden!(
        "A wrong drill after bronze ends the streak and takes no badge, and silver passed with no streak counts. What is \
         lost shows in the turn after: stuck, and not ready for gold.",
        Page::chapters([("evidence", page), ("the turn after", next.policy_page())]),
    );
}

#[test]
fn badge_of_an_older_record_is_kept() {
    let course = algebra();
    let mut older = Evidence::default();
    let silver = UnitProgress {
        tier: Tier::Silver,
        ..UnitProgress::default()
    };
    older.progress.insert("one-step".to_owned(), silver);
    let events = [
        wrong("one-step"),
        exam("one-step", Tier::Bronze, true),
        exam("one-step", Tier::Gold, true),
        exam("one-step", Tier::Silver, true),
    ];
    golden!(
        "A record has silver and no passes, as an older system may have left it. What is worked out anew is lower and takes \
         nothing away; gold needs a silver pass as well as its own.",
        timeline_from(&course, older, &events).0,
    );
}

#[test]
fn passes_before_their_time_count_once_bronze_is_reached() {
    let course = algebra();
    let events = [
        exam("one-step", Tier::Gold, true),
        exam("one-step", Tier::Silver, true),
        right("one-step"),
        exam("one-step", Tier::Bronze, true),
        right("one-step"),
    ];
    golden!(
        "Gold, silver and bronze are passed before the drills are there. Each is counted and none gives a badge; the \
         second right drill brings bronze, and with it silver and gold in the same moment.",
        timeline(&course, &events).0,
    );
}

#[test]
fn each_tier_needs_its_own_pass() {
    let course = algebra();
    let events = [
        right("one-step"),
        right("one-step"),
        exam("one-step", Tier::Silver, true),
        exam("one-step", Tier::Gold, true),
        exam("one-step", Tier::Bronze, true),
    ];
    golden!(
        "Drilled well, silver and gold passed: no badge before a bronze question is passed.",
        timeline(&course, &events).0,
    );
}

#[test]
fn status_follows_the_evidence() {
    let course = algebra();
    let status = |evidence: &Evidence| {
        let unit = evidence
            .progress
            .get("one-step")
            .cloned()
            .unwrap_or_default();
        format!("{:?}", UnitStatus::of(&unit))
    };
    let mut page = Page::default();
    page.section("one-step equations");
    for (name, events) in [
        ("no evidence", vec![]),
        ("a teacher's mark", vec![mark("one-step", true)]),
        ("evidence on another unit", vec![right("inverse")]),
        ("a wrong drill", vec![wrong("one-step")]),
        (
            "an exam not passed",
            vec![exam("one-step", Tier::Bronze, false)],
        ),
        ("support viewed", vec![support("one-step-bronze-1", true)]),
        (
            "bronze",
            vec![
                right("one-step"),
                right("one-step"),
                exam("one-step", Tier::Bronze, true),
            ],
        ),
        (
            "gold",
            vec![
                right("one-step"),
                right("one-step"),
                exam("one-step", Tier::Bronze, true),
                exam("one-step", Tier::Silver, true),
                exam("one-step", Tier::Gold, true),
            ],
        ),
    ] {
        page.line(name, status(&timeline(&course, &events).1));
    }
    golden!(
        "Not started without evidence, in progress with any, mastered at gold.",
        page
    );
}

#[test]
fn units_in_progress_are_the_six_latest() {
    let course = algebra();
    let mut page = Page::default();
    let mut events = Vec::new();
    page.section("after");
    for event in [
        right("integers"),
        wrong("inverse"),
        right("variables"),
        exam("one-step", Tier::Bronze, false),
        support("one-step-bronze-2", true),
        right("two-step"),
        right("lines"),
        right("puzzles"),
        right("inverse"),
        mark("integers", true),
        right("puzzles"),
        exam("puzzles", Tier::Bronze, true),
        exam("puzzles", Tier::Silver, true),
        exam("puzzles", Tier::Gold, true),
        wrong("puzzles"),
    ] {
        events.push(event.clone());
        let (_, evidence) = timeline(&course, &events);
        page.line(&described(&event), list(&evidence.units_in_progress));
    }
    golden!(
        "A unit joins with its first evidence and moves to the front with each more; the seventh pushes the oldest out; \
         gold leaves, and stays away. A teacher's mark is no evidence.",
        page,
    );
}

#[test]
fn teachers_mark_is_no_badge() {
    let course = algebra();
    let events = [
        mark("inverse", true),
        mark("variables", true),
        mark("inverse", false),
    ];
    golden!(
        "A teacher marks prerequisites as met and takes one mark back. Nothing else changes.",
        timeline(&course, &events).0,
    );
}

#[test]
fn streak_of_the_course_decides_for_bronze() {
    let course = algebra_with(|spec| spec.rules.ready_streak = 3);
    let events = [
        exam("one-step", Tier::Bronze, true),
        right("one-step"),
        right("one-step"),
        right("one-step"),
    ];
    golden!(
        "A course that asks for three right drills in a row.",
        timeline(&course, &events).0,
    );
}

#[test]
fn evidence_that_is_refused() {
    let course = algebra();
    let mut page = Page::default();
    page.section("refused");
    for (name, event) in [
        ("a unit of another course", right("geometry")),
        ("a drill on the entry unit", right("welcome")),
        (
            "a question of another course",
            EvidenceEvent::ExamResult {
                question: the("geometry-bronze-1", "one-step", Tier::Bronze),
                passed: true,
            },
        ),
        (
            "a question of another unit",
            EvidenceEvent::ExamResult {
                question: the("inverse-bronze-1", "one-step", Tier::Bronze),
                passed: true,
            },
        ),
        (
            "another tier than the catalogue's",
            EvidenceEvent::ExamResult {
                question: the("one-step-bronze-1", "one-step", Tier::Gold),
                passed: true,
            },
        ),
        (
            "support of a question of another unit",
            EvidenceEvent::SupportViewed {
                question: the("inverse-bronze-1", "one-step", Tier::Bronze),
                locked: true,
            },
        ),
        ("a mark on a unit of another course", mark("geometry", true)),
    ] {
        let fault = apply(&course, &Evidence::default(), &event, now()).unwrap_err();
        page.line(name, fault);
    }
    golden!(
        "Unit and tier are checked against the catalogue, whoever sends them.",
        page
    );
}
