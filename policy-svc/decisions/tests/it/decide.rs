//! Availability, allowed actions, what an event narrows them to, and the buttons.

use turnwise_decisions::{
    Action::{self, ConceptCard, DrillCard, ExamBlock, SocraticQuestion},
    Announcement, Availability, DecideInput, Event, EventKind, Label, Plan,
    QuestionState::{Available, Locked, Passed},
    Snapshot, Tier, decide,
};

use crate::fixtures::*;

const B1: &str = "B-bronze-1";
const B2: &str = "B-bronze-2";

fn actions(plan: Plan) -> Vec<Action> {
    decide_available(&course(), plan, &[B1])
        .policy
        .allowed_actions
}

#[test]
fn actions_follow_evidence_and_availability() {
    let course = course();
    let at = |record| plan_for(&course, record, &[]);
    assert_eq!(
        actions(at(snapshot("B", &[]))),
        [SocraticQuestion, DrillCard]
    );
    assert_eq!(
        actions(at(stuck_on_b())),
        [SocraticQuestion, DrillCard, ConceptCard]
    );
    assert_eq!(
        actions(at(ready_on_b())),
        [SocraticQuestion, DrillCard, ExamBlock]
    );
    assert_eq!(actions(at(snapshot("ENTRY", &[]))), [SocraticQuestion]);
}

#[test]
fn a_clamped_turn_only_asks() {
    let cold = Turn {
        target_locked: false,
        ..input(Snapshot::default(), &[("B", 0.5)])
    };
    assert_eq!(actions(plan(&course(), &cold).unwrap()), [SocraticQuestion]);
}

#[test]
fn a_button_does_what_it_says_where_that_is_possible() {
    let course = course();
    let ready = ready_on_b;
    let all = [SocraticQuestion, DrillCard, ExamBlock];
    for (record, kind, unit, expected) in [
        (ready(), EventKind::RequestDrill, "B", &[DrillCard][..]),
        (ready(), EventKind::RequestExam, "B", &[ExamBlock]),
        (ready(), EventKind::StuckHint, "B", &[SocraticQuestion]),
        (ready(), EventKind::DrillContinue, "B", &all),
        (ready(), EventKind::ExamContinue, "B", &all),
        // Not ready: the exam button goes on like after a drill.
        (
            snapshot("B", &[]),
            EventKind::RequestExam,
            "B",
            &[SocraticQuestion, DrillCard],
        ),
        // C is blocked by A: its buttons work on A, and its exam stays shut.
        (ready(), EventKind::RequestDrill, "C", &[DrillCard]),
        (
            ready(),
            EventKind::RequestExam,
            "C",
            &[SocraticQuestion, DrillCard],
        ),
        // The entry unit carries no drills.
        (
            ready(),
            EventKind::RequestDrill,
            "ENTRY",
            &[SocraticQuestion],
        ),
    ] {
        let plan = plan_event(&course, record, kind, unit);
        assert_eq!(actions(plan), expected, "{kind:?} {unit}");
    }
}

#[test]
fn a_requested_drill_stays_on_the_focus() {
    let course = course();
    let plan = plan_event(&course, snapshot("F", &[]), EventKind::RequestDrill, "C");
    let policy = decide_available(&course, plan, &[]).policy;
    assert_eq!(policy.focus_unit_id, "A");
    let targets: Vec<_> = policy.targets(&course, DrillCard).collect();
    assert_eq!(targets, ["A"]);
}

#[test]
fn availability_follows_the_exam_system() {
    let course = course();
    let early = "2026-03-03T08:00:00Z";
    let late = "2026-03-03T08:30:00+00:15";
    for (answer, availability, candidates, next) in [
        (vec![], Availability::None, vec![], None),
        (
            vec![(B1, Available, None), (B2, Locked, Some(early))],
            Availability::Available,
            vec![B1],
            None,
        ),
        (
            vec![(B1, Locked, Some(late)), (B2, Locked, Some(early))],
            Availability::Locked,
            vec![],
            Some(early),
        ),
        (
            vec![(B1, Locked, None), (B2, Passed, None)],
            Availability::Locked,
            vec![],
            None,
        ),
        (
            vec![(B1, Passed, None), (B2, Passed, None)],
            Availability::None,
            vec![],
            None,
        ),
    ] {
        let plan = plan_for(&course, ready_on_b(), &[]);
        let policy = decide(&course, &decide_input(plan, &[B1, B2], statuses(&answer)))
            .unwrap()
            .policy;
        assert_eq!(policy.exam_availability, availability, "{answer:?}");
        assert_eq!(policy.exam_candidate_ids, candidates);
        assert_eq!(
            policy.exam_next_eligible_at,
            next.map(|t: &str| t.parse().unwrap())
        );
        assert_eq!(
            policy.allows(ExamBlock),
            availability == Availability::Available
        );
    }
}

#[test]
fn only_questions_of_the_focus_and_tier_are_offered() {
    let course = course();
    let plan = plan_for(&course, ready_on_b(), &[]);
    let named = ["A-bronze-1", "B-silver-1", "nowhere", B2, B2, B1];
    let policy = decide_available(&course, plan, &named).policy;
    assert_eq!(policy.exam_candidate_ids, [B2, B1]);
}

#[test]
fn what_the_exam_system_did_not_speak_of_is_not_offered() {
    let course = course();
    let plan = plan_for(&course, ready_on_b(), &[]);
    let input = decide_input(plan, &[B1, B2], statuses(&[(B2, Available, None)]));
    assert_eq!(
        decide(&course, &input).unwrap().policy.exam_candidate_ids,
        [B2]
    );
}

#[test]
fn questions_to_revisit_come_first_oldest_first() {
    let course = course();
    let mut record = ready_on_b();
    record.revisit_question_ids = ["A-bronze-1", B2, "gone", B1, B2].map(str::to_owned).into();
    let plan = plan_for(&course, record, &[]);
    assert_eq!(plan.revisit_question_ids, ["A-bronze-1", B2, B1]);
    assert_eq!(plan.focus_revisit_question_ids, [B2, B1]);
    let policy = decide_available(&course, plan, &[B1, B2]).policy;
    assert_eq!(policy.exam_candidate_ids, [B2, B1]);
}

#[test]
fn the_button_of_an_entry_opens_that_question_alone() {
    let course = course();
    let mut record = ready_on_b();
    record.revisit_question_ids = vec![B2.to_owned(), B1.to_owned()];
    for (asked, state, candidates) in [
        (B1, Available, &[B1][..]),
        (B1, Locked, &[]),
        // Not of the queue, nor any more.
        ("B-bronze-9", Available, &[]),
        ("B-silver-1", Available, &[]),
    ] {
        let mut input = input(record.clone(), &[]);
        input.event = event(EventKind::RequestExam, "B").map(|event| Event {
            question_id: asked.to_owned(),
            ..event
        });
        let plan = plan(&course, &input).unwrap();
        let known = statuses(&[(B1, state, None), (B2, Available, None)]);
        let decision = decide(&course, &decide_input(plan, &[B2, B1], known)).unwrap();
        assert_eq!(decision.policy.exam_candidate_ids, candidates, "{asked}");
        assert_eq!(decision.policy.allows(ExamBlock), !candidates.is_empty());
    }
}

#[test]
fn candidates_are_bounded() {
    let course = course_with(|spec| spec.rules.max_exam_candidates = 1);
    let plan = plan_for(&course, ready_on_b(), &[]);
    let policy = decide_available(&course, plan, &[B1, B2]).policy;
    assert_eq!(policy.exam_candidate_ids, [B1]);
}

#[test]
fn without_the_exam_system_nothing_is_available() {
    let course = course();
    let mut record = ready_on_b();
    record.revisit_question_ids = vec![B1.to_owned()];
    let plan = plan_for(&course, record, &[]);
    let mut input = decide_input(plan, &[B1], statuses(&[(B1, Available, None)]));
    input.exam_system_unavailable = true;
    let decision = decide(&course, &input).unwrap();
    assert_eq!(decision.policy.exam_availability, Availability::None);
    assert!(!decision.policy.allows(ExamBlock));
    assert_eq!(decision.standing.revisit.locked_count, 0);
}

#[test]
fn availability_is_not_looked_at_before_the_student_is_ready() {
    let course = course();
    let plan = plan_for(&course, snapshot("B", &[]), &[]);
    let policy = decide_available(&course, plan, &[B1]).policy;
    assert_eq!(policy.exam_availability, Availability::None);
    assert!(policy.exam_candidate_ids.is_empty());
}

fn labels(plan: Plan, available: &[&str]) -> Vec<(Label, String, bool)> {
    decide_available(&course(), plan, available)
        .buttons
        .into_iter()
        .map(|b| (b.label, b.event().unwrap().unit_id.clone(), b.primary))
        .collect()
}

fn b(label: Label, unit: &str, primary: bool) -> (Label, String, bool) {
    (label, unit.to_owned(), primary)
}

#[test]
fn buttons_say_what_can_be_done_next() {
    let course = course();
    let plain = plan_for(&course, snapshot("B", &[]), &[]);
    assert_eq!(
        labels(plain, &[]),
        [b(Label::TryDrill, "B", true), b(Label::AskHint, "B", false)]
    );
    let ready = plan_for(&course, ready_on_b(), &[]);
    assert_eq!(
        labels(ready.clone(), &[B1]),
        [
            b(Label::TakeExam, "B", true),
            b(Label::TryDrill, "B", false),
            b(Label::AskHint, "B", false)
        ]
    );
    assert_eq!(labels(ready, &[])[0], b(Label::TryDrill, "B", true));
    let entry = plan_for(&course, Snapshot::default(), &[]);
    assert_eq!(
        labels(entry, &[]),
        [
            b(Label::NextUnit, "A", true),
            b(Label::AskHint, "ENTRY", false)
        ]
    );
}

#[test]
fn on_an_open_drill_a_hint_comes_before_another_drill() {
    let course = course();
    let labels = |record, open: &str| {
        let plan = plan_for(&course, record, &[]);
        let input = DecideInput {
            open_drill_unit_id: open.to_owned(),
            ..decide_input(plan, &[B1], statuses(&[(B1, Available, None)]))
        };
        let buttons = decide(&course, &input).unwrap().buttons;
        assert!(buttons[0].primary && buttons[1..].iter().all(|button| !button.primary));
        buttons
            .iter()
            .map(|button| button.label)
            .collect::<Vec<_>>()
    };
    let (hint, drill) = (Label::AskHint, Label::TryDrill);
    assert_eq!(labels(snapshot("B", &[]), "B"), [hint, drill]);
    for other in ["", "A", "GONE"] {
        assert_eq!(labels(snapshot("B", &[]), other), [drill, hint]);
    }
    assert_eq!(labels(ready_on_b(), "B"), [Label::TakeExam, hint, drill]);
    // Nothing but the buttons goes by it.
    let decided = |open: &str| {
        let mut input = decide_input(plan_for(&course, ready_on_b(), &[]), &[], statuses(&[]));
        input.open_drill_unit_id = open.to_owned();
        let decision = decide(&course, &input).unwrap();
        (decision.policy, decision.standing, decision.summary)
    };
    assert_eq!(decided("B"), decided(""));
}

#[test]
fn a_drilled_blocker_opens_its_check() {
    let course = course();
    let record = snapshot("ENTRY", &[("A", progress(Tier::None, 2, 2))]);
    let plan = plan_for(&course, record.clone(), &[("C", 0.9)]);
    let buttons = decide_available(&course, plan, &[]).buttons;
    assert_eq!(buttons[0].label, Label::CheckPrerequisite);
    assert_eq!(buttons[0].event().unwrap().kind, EventKind::RequestExam);
    assert_eq!(buttons[0].event().unwrap().unit_id, "A");
    assert!(buttons[0].primary);
    // Pressed, it opens the blocker's exam and nothing else.
    let plan = plan_event(&course, record, EventKind::RequestExam, "A");
    let policy = decide_available(&course, plan, &["A-bronze-1"]).policy;
    assert_eq!(policy.allowed_actions, [ExamBlock]);
}

#[test]
fn a_narrowed_reply_still_shows_every_button() {
    let plan = plan_event(&course(), ready_on_b(), EventKind::RequestDrill, "B");
    assert_eq!(labels(plan, &[B1])[0], b(Label::TakeExam, "B", true));
}

#[test]
fn a_gold_unit_leads_to_the_next_one() {
    let record = snapshot("B", &[("B", progress(Tier::Gold, 9, 9))]);
    for open in [&[][..], &["B-gold-1"]] {
        let plan = plan_event(&course(), record.clone(), EventKind::ExamContinue, "B");
        assert_eq!(labels(plan.clone(), open)[0], b(Label::NextUnit, "A", true));
        let decision = decide_available(&course(), plan, open);
        assert_eq!(decision.policy.allowed_actions, [SocraticQuestion]);
        assert_eq!(
            decision.announcement,
            Some(Announcement::UnitGold {
                unit_id: "B".into(),
                next_unit_id: "A".into()
            })
        );
    }
}

#[test]
fn a_locked_first_question_leads_to_another_unit() {
    let course = course();
    let plan = plan_event(&course, ready_on_b(), EventKind::ExamContinue, "B");
    let end = "2026-03-03T10:00:00Z";
    let locked = statuses(&[(B1, Locked, Some(end))]);
    let decision = decide(&course, &decide_input(plan.clone(), &[B1], locked)).unwrap();
    assert_eq!(decision.buttons[0].label, Label::NextUnit);
    let next_unit_id = plan.next_unit_id.clone();
    assert!(next_unit_id.is_some());
    assert_eq!(
        decision.announcement,
        Some(Announcement::ExamLocked {
            unit_id: "B".into(),
            tier: Tier::Bronze,
            until: Some(end.parse().unwrap()),
            next_unit_id
        })
    );
    // Not where nobody knows whether it is locked.
    assert_eq!(labels(plan, &[])[0], b(Label::TryDrill, "B", true));
}

#[test]
fn after_gold_on_every_unit_the_course_is_done() {
    let course = course();
    let all: Vec<_> = course
        .path()
        .iter()
        .map(|&at| (course.id(at), progress(Tier::Gold, 9, 9)))
        .collect();
    let on = |kind| plan_event(&course, snapshot("B", &all), kind, "B");
    let decision = decide_available(&course, on(EventKind::ExamContinue), &[]);
    assert_eq!(
        decision.announcement,
        Some(Announcement::CourseGold { units: all.len() })
    );
    assert_eq!(decision.buttons[0].label, Label::TryDrill);
    assert!(decision.buttons[0].primary);
    assert_eq!(
        decide_available(&course, on(EventKind::RequestDrill), &[]).announcement,
        None
    );
}

#[test]
fn a_plan_that_could_not_have_been_made_is_refused() {
    let course = course();
    let good = || plan_for(&course, ready_on_b(), &[]);
    let field = |change: fn(&mut Plan)| {
        let mut plan = good();
        change(&mut plan);
        decide(&course, &decide_input(plan, &[], statuses(&[])))
            .unwrap_err()
            .field
    };
    assert_eq!(field(|p| p.focus_unit_id = "Z".into()), "focus_unit_id");
    assert_eq!(
        field(|p| p.primary_target_unit_id = "Z".into()),
        "primary_target_unit_id"
    );
    assert_eq!(
        field(|p| p.prereq_blocking_unit_id = Some("A".into())),
        "prereq_blocking_unit_id"
    );
    assert_eq!(field(|p| p.scoped_unit_ids.clear()), "scoped_unit_ids");
    assert_eq!(
        field(|p| p.scoped_unit_ids.push("Z".into())),
        "scoped_unit_ids"
    );
    assert_eq!(
        field(|p| p.scoped_unit_ids.push("B".into())),
        "scoped_unit_ids"
    );
    assert_eq!(
        field(|p| p.desired_exam_tier = Tier::None),
        "desired_exam_tier"
    );
}
