//! What must hold for every history and for every record, tidy or not.

use std::collections::{BTreeMap, BTreeSet};

use proptest::{collection::vec, prelude::*};
use turnwise_decisions::{
    Course, Evidence, EvidenceEvent, EvidenceObservation, PassedByTier, Placed, QuestionRef, Tier,
    UnitProgress, UnitStatus, buttons,
    evidence::{Applied, apply},
};

use super::{
    strategies::{MOST, UNITS, any_event, any_record, course, courses, id},
    *,
};

fn is_mark(event: &EvidenceEvent) -> bool {
    matches!(event, EvidenceEvent::PrerequisiteMarked { .. })
}

/// The mistake that an event counts.
fn counted(event: &EvidenceEvent) -> Option<&str> {
    match event {
        EvidenceEvent::DrillGraded {
            correct: false,
            mistake_tag: Some(tag),
            ..
        } => Some(tag.as_str()).filter(|tag| ["sign", "slip"].contains(tag)),
        _ => None,
    }
}

/// The badge rises only over passes at each tier that it gains, and never falls.
fn check_badge(course: &Course, applied: &Applied, event: &EvidenceEvent) {
    let progress = applied.evidence.progress.get(&applied.unit_id);
    let now = progress.cloned().unwrap_or_default();
    assert_eq!(now.tier, applied.tier_after);
    assert!(applied.tier_after >= applied.tier_before);
    assert_eq!(applied.status_after, UnitStatus::of(&now));
    if applied.tier_after == applied.tier_before {
        return;
    }
    for (gained, passes) in [
        (Tier::Bronze, now.passed.bronze),
        (Tier::Silver, now.passed.silver),
        (Tier::Gold, now.passed.gold),
    ] {
        if applied.tier_before < gained && gained <= applied.tier_after {
            assert!(passes > 0, "{gained:?} without a pass");
        }
    }
    if applied.tier_before == Tier::None {
        assert!(now.streak_correct >= course.rules().ready_streak);
    }
    let unit = course.find(&applied.unit_id).unwrap();
    assert!(course.unit(unit).assessable);
    assert!(matches!(
        event,
        EvidenceEvent::DrillGraded { .. } | EvidenceEvent::ExamResult { .. }
    ));
}

/// A mistake is counted once, by a wrong drill that names a listed one; nothing else touches the counts.
fn check_mistakes(before: &Evidence, applied: &Applied, event: &EvidenceEvent) {
    let tags = |evidence: &Evidence| {
        let progress = evidence.progress.get(event.unit_id());
        progress.map_or_else(BTreeMap::new, |p| p.confusion_tags.clone())
    };
    let mut expected = tags(before);
    if let Some(tag) = counted(event) {
        let count = expected.entry(tag.to_owned()).or_default();
        *count = if *count < MOST { *count + 1 } else { *count };
    }
    assert_eq!(tags(&applied.evidence), expected);
    let unlisted = matches!(
        event,
        EvidenceEvent::DrillGraded {
            correct: false,
            mistake_tag: Some(tag),
            ..
        } if tag == "made-up"
    );
    assert_eq!(
        applied
            .observations
            .contains(&EvidenceObservation::UnknownTag),
        unlisted
    );
}

/// Whether the event is a result or a lock of its question.
fn touches(event: &EvidenceEvent) -> bool {
    event.question().is_some()
        && !matches!(event, EvidenceEvent::SupportViewed { locked: false, .. })
}

/// Whatever the event is not about stays as it was.
fn check_the_rest(before: &Evidence, after: &Evidence, event: &EvidenceEvent) {
    let others = |evidence: &Evidence| {
        let mut progress = evidence.progress.clone();
        progress.remove(event.unit_id());
        progress
    };
    assert_eq!(others(before), others(after));
    let asked = event.question().map(|q| q.question_id.as_str());
    let waiting = |evidence: &Evidence| -> Vec<QuestionRef> {
        let queue = evidence.revisit_queue.iter();
        queue
            .filter(|q| Some(q.question_id.as_str()) != asked)
            .cloned()
            .collect()
    };
    assert_eq!(waiting(before), waiting(after));
    let known = before.exam_touched.len();
    assert_eq!(after.exam_touched[..known], before.exam_touched);
    assert!(after.exam_touched.len() <= known + 1);
    if touches(event) {
        assert!(asked.is_none_or(|q| after.exam_touched.iter().any(|id| id == q)));
    } else {
        assert_eq!(after.exam_touched, before.exam_touched);
    }
    let mut overrides = before.prerequisite_overrides.clone();
    if let EvidenceEvent::PrerequisiteMarked { unit_id, met } = event {
        if *met {
            overrides.insert(unit_id.clone());
        } else {
            overrides.remove(unit_id);
        }
        assert_eq!(before.progress, after.progress);
        assert_eq!(before.units_in_progress, after.units_in_progress);
    }
    assert_eq!(after.prerequisite_overrides, overrides);
}

/// At most six units, each once, none that is finished, the latest first and the others in the order they had.
fn check_in_progress(course: &Course, before: &Evidence, after: &Evidence, event: &EvidenceEvent) {
    if is_mark(event) {
        return;
    }
    let list = &after.units_in_progress;
    let tier = |id: &String| after.progress.get(id).map_or(Tier::None, |p| p.tier);
    assert!(list.len() <= 6);
    assert_eq!(list.iter().collect::<BTreeSet<_>>().len(), list.len());
    // Where no badge can be earned, good drills are all there is to show.
    let is_finished = |id: &String| {
        let unit = course.find(id).map(|at| course.unit(at));
        let no_badge = unit.is_some_and(|unit| !unit.assessable);
        let streak = after.progress.get(id).map_or(0, |p| p.streak_correct);
        tier(id) == Tier::Gold || no_badge && streak >= course.rules().ready_streak
    };
    assert!(!list.iter().any(is_finished));
    let unit = event.unit_id().to_owned();
    assert_eq!(list.first() == Some(&unit), !is_finished(&unit));
    let mut earlier = before.units_in_progress.iter();
    for id in list.iter().filter(|id| **id != unit) {
        assert!(earlier.any(|other| other == id), "{id} came from nowhere");
    }
}

fn check(course: &Course, before: &Evidence, event: &EvidenceEvent, at: Timestamp) -> Evidence {
    let applied = apply(course, before, event, at).unwrap();
    assert_eq!(apply(course, before, event, at).unwrap(), applied);
    check_badge(course, &applied, event);
    check_mistakes(before, &applied, event);
    check_the_rest(before, &applied.evidence, event);
    check_in_progress(course, before, &applied.evidence, event);
    let touched = applied.evidence.progress.get(event.unit_id());
    if !is_mark(event) {
        assert_eq!(touched.unwrap().last_touched_at, Some(at));
    }
    // Each result but a teacher's mark has one primary button, the first, and it goes on with the event's unit.
    let buttons = buttons::after(event);
    assert_eq!(buttons.is_empty(), is_mark(event));
    for (n, button) in buttons.iter().enumerate() {
        assert_eq!(button.primary, n == 0);
        assert_eq!(button.event().unwrap().unit_id, event.unit_id());
    }
    applied.evidence
}

/// How many of the latest answers are the same as the last one, if that is `right`.
fn run(answers: &[bool], right: bool) -> u32 {
    let run = answers.iter().rev().take_while(|a| **a == right).count();
    u32::try_from(run).unwrap()
}

/// One unit's progress, counted out of a whole history at once.
fn progress_of(course: &Course, history: &[EvidenceEvent], unit: &str) -> Option<UnitProgress> {
    let own: Vec<_> = history
        .iter()
        .enumerate()
        .filter(|(_, event)| event.unit_id() == unit && !is_mark(event))
        .collect();
    let last = own.last()?.0;
    let mut answers = Vec::new();
    let mut passed = PassedByTier::default();
    let mut confusion_tags = BTreeMap::new();
    let mut was_ready = false;
    for (_, event) in own {
        match event {
            EvidenceEvent::DrillGraded { correct, .. } => answers.push(*correct),
            EvidenceEvent::ExamResult {
                question,
                passed: true,
            } => match question.tier {
                Tier::None => unreachable!("no question has this tier"),
                Tier::Bronze => passed.bronze += 1,
                Tier::Silver => passed.silver += 1,
                Tier::Gold => passed.gold += 1,
            },
            _ => {}
        }
        if let Some(tag) = counted(event) {
            *confusion_tags.entry(tag.to_owned()).or_default() += 1;
        }
        let streak = run(&answers, true);
        was_ready |= streak >= course.rules().ready_streak && passed.bronze > 0;
    }
    let is_assessable = course.unit(course.find(unit).unwrap()).assessable;
    let tier = match (was_ready && is_assessable, passed.silver, passed.gold) {
        (false, _, _) => Tier::None,
        (true, 0, _) => Tier::Bronze,
        (true, _, 0) => Tier::Silver,
        (true, _, _) => Tier::Gold,
    };
    Some(UnitProgress {
        tier,
        last_touched_at: Some(minute(last)),
        attempts: u32::try_from(answers.len()).unwrap(),
        correct: u32::try_from(answers.iter().filter(|right| **right).count()).unwrap(),
        streak_correct: run(&answers, true),
        streak_wrong: run(&answers, false),
        passed,
        confusion_tags,
        counted_exercises: Vec::new(),
    })
}

/// The questions that wait, counted out of a whole history: those not passed since they first failed or were locked.
fn waiting_after(history: &[EvidenceEvent]) -> Vec<QuestionRef> {
    let mut since: BTreeMap<&QuestionRef, usize> = BTreeMap::new();
    for (n, event) in history.iter().enumerate() {
        match event {
            EvidenceEvent::ExamResult {
                question,
                passed: true,
            } => {
                since.remove(question);
            }
            EvidenceEvent::ExamResult { question, .. }
            | EvidenceEvent::SupportViewed {
                question,
                locked: true,
            } => {
                since.entry(question).or_insert(n);
            }
            _ => {}
        }
    }
    let mut waiting: Vec<_> = since.into_iter().collect();
    waiting.sort_by_key(|(_, n)| *n);
    waiting.into_iter().map(|(q, _)| q.clone()).collect()
}

proptest! {
    #![proptest_config(turnwise_testing::properties::pure())]

    #[test]
    fn a_history_counts_for_what_it_holds(
        course in courses(),
        history in vec(any_event(), 0..60),
    ) {
        let mut evidence = Evidence::default();
        for (n, event) in history.iter().enumerate() {
            evidence = check(&course, &evidence, event, minute(n));
        }
        let progress: BTreeMap<_, _> = (0..UNITS)
            .filter_map(|n| Some((id(n), progress_of(&course, &history, &id(n))?)))
            .collect();
        prop_assert_eq!(&evidence.progress, &progress);
        for p in progress.values().filter(|p| p.tier == Tier::Gold) {
            prop_assert!(p.passed.bronze > 0 && p.passed.silver > 0 && p.passed.gold > 0);
        }
        prop_assert_eq!(&evidence.revisit_queue, &waiting_after(&history));
        let mut touched: Vec<&str> = Vec::new();
        let touching = history.iter().filter(|event| touches(event));
        for question in touching.filter_map(EvidenceEvent::question) {
            if !touched.contains(&question.question_id.as_str()) {
                touched.push(&question.question_id);
            }
        }
        prop_assert_eq!(&evidence.exam_touched, &touched);
        if progress.len() <= 6 {
            // Nobody was pushed out: all that is not gold, the latest first.
            let no_badge = |id: &String| !course.unit(course.find(id).unwrap()).assessable;
            let is_drilled = |p: &UnitProgress| p.streak_correct >= course.rules().ready_streak;
            let is_open = |id: &String, p: &UnitProgress| {
                p.tier < Tier::Gold && !(no_badge(id) && is_drilled(p))
            };
            let mut open: Vec<_> = progress.iter().filter(|(id, p)| is_open(id, p)).collect();
            open.sort_by_key(|(_, p)| std::cmp::Reverse(p.last_touched_at));
            let open: Vec<_> = open.into_iter().map(|(id, _)| id.clone()).collect();
            prop_assert_eq!(&evidence.units_in_progress, &open);
        }
    }

    #[test]
    fn any_record_keeps_its_badges_and_whatever_the_event_is_not_about(
        course in courses(),
        record in any_record(),
        events in vec(any_event(), 1..4),
    ) {
        let mut evidence = record.clone();
        for (n, event) in events.iter().enumerate() {
            evidence = check(&course, &evidence, event, minute(n));
        }
        for (unit, before) in &record.progress {
            prop_assert!(evidence.progress[unit].tier >= before.tier);
        }
    }

    /// With more exercises than are remembered, so that some are forgotten and count again.
    #[test]
    fn an_exercise_counts_once_and_two_that_are_wrong_undo_a_placement(
        answers in vec((1..80_u64, any::<bool>()), 0..200),
    ) {
        let course = course(2);
        let mut evidence = Evidence::default();
        evidence.placed.insert(id(0), Placed::default());
        let mut remembered: Vec<u64> = Vec::new();
        let (mut counted, mut wrong) = (0, 0);
        for (n, (number, right)) in answers.iter().enumerate() {
            let event = exercise(&id(0), *right, *number);
            let applied = apply(&course, &evidence, &event, minute(n)).unwrap();
            let is_repeat = remembered.contains(number);
            prop_assert_eq!(applied.exercise_repeated, is_repeat);
            if is_repeat {
                prop_assert_eq!(&applied.evidence, &evidence);
            } else {
                remembered.push(*number);
                remembered.drain(..remembered.len().saturating_sub(64));
                counted += 1;
                wrong += u32::from(!right);
            }
            evidence = applied.evidence;
            prop_assert_eq!(evidence.placed[&id(0)].undone, wrong >= 2);
        }
        let attempts = evidence.progress.get(&id(0)).map_or(0, |unit| unit.attempts);
        prop_assert_eq!(attempts, counted);
    }

    #[test]
    fn the_order_of_what_was_touched_changes_nothing_else(
        course in courses(),
        record in any_record(),
        event in any_event(),
    ) {
        let mut turned = record.clone();
        turned.exam_touched.reverse();
        let mut once = apply(&course, &record, &event, now()).unwrap();
        let mut again = apply(&course, &turned, &event, now()).unwrap();
        once.evidence.exam_touched.sort();
        again.evidence.exam_touched.sort();
        prop_assert_eq!(once, again);
    }

    #[test]
    fn the_order_of_the_queue_changes_nothing_else(
        course in courses(),
        record in any_record(),
        event in any_event(),
    ) {
        let mut turned = record.clone();
        turned.revisit_queue.reverse();
        let mut once = apply(&course, &record, &event, now()).unwrap();
        let mut again = apply(&course, &turned, &event, now()).unwrap();
        once.evidence.revisit_queue.sort();
        again.evidence.revisit_queue.sort();
        prop_assert_eq!(once, again);
    }
}
