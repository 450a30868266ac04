//! Events that are refused, each with its reason.

use turnwise_decisions::{Course, EvidenceFault, Tier, evidence::apply};

use super::*;
use crate::fixtures::course;

use Tier::{Bronze, Silver};

fn refused(course: &Course, event: &EvidenceEvent) -> EvidenceFault {
    apply(course, &Evidence::default(), event, now()).unwrap_err()
}

/// B's first bronze question, as if it counted for this unit at this tier.
fn misplaced(unit: &str, tier: Tier) -> QuestionRef {
    QuestionRef {
        question_id: "B-bronze-1".to_owned(),
        unit_id: unit.to_owned(),
        tier,
    }
}

#[test]
fn units_outside_the_course_and_the_entry_unit() {
    let course = course();
    let gone = || question("gone", Bronze, 1);
    for event in [
        drill("gone", true),
        passed(gone()),
        failed(misplaced("gone", Bronze)),
        viewed(gone(), false),
        marked("gone", true),
        marked("gone", false),
    ] {
        let fault = EvidenceFault::UnknownUnit("gone".to_owned());
        assert_eq!(refused(&course, &event), fault, "{event:?}");
    }
    for event in [
        drill("ENTRY", true),
        passed(misplaced("ENTRY", Bronze)),
        viewed(question("ENTRY", Bronze, 1), true),
    ] {
        let fault = EvidenceFault::EntryUnit("ENTRY".to_owned());
        assert_eq!(refused(&course, &event), fault, "{event:?}");
    }
    assert_eq!(
        refused(&course, &drill("", true)),
        EvidenceFault::UnknownUnit(String::new())
    );
}

#[test]
fn questions_that_do_not_fit() {
    let course = course();
    let foreign_unit = EvidenceFault::ForeignUnit {
        question_id: "B-bronze-1".to_owned(),
        unit_id: "C".to_owned(),
    };
    let foreign_tier = EvidenceFault::ForeignTier {
        question_id: "B-bronze-1".to_owned(),
        tier: Bronze,
    };
    for (asked, fault) in [
        (
            question("B", Bronze, 9),
            EvidenceFault::UnknownQuestion("B-bronze-9".to_owned()),
        ),
        (misplaced("C", Bronze), foreign_unit.clone()),
        (misplaced("C", Silver), foreign_unit),
        (misplaced("B", Silver), foreign_tier.clone()),
        (misplaced("B", Tier::None), foreign_tier),
    ] {
        for event in [
            passed(asked.clone()),
            failed(asked.clone()),
            viewed(asked.clone(), true),
            viewed(asked.clone(), false),
        ] {
            assert_eq!(refused(&course, &event), fault, "{event:?}");
        }
    }
}

/// The entry unit is always met; a mark there says nothing new and is taken back like any other.
#[test]
fn a_mark_on_the_entry_unit_is_kept() {
    let course = course();
    let kept = after(&course, &[marked("ENTRY", true)]);
    assert_eq!(kept.prerequisite_overrides, ["ENTRY".to_owned()].into());
    let events = [marked("ENTRY", true), marked("ENTRY", false)];
    assert_eq!(after(&course, &events), Evidence::default());
}
