//! A pupil who asks for what is too far ahead: told what comes first, and led there, badge by badge.

use turnwise_proto::tutor::v1::{
    ClientEvent, ClientEventKind, ExamResult, MasteryTier, TakeTurnRequest, TutorAction,
};
use turnwise_tests::{
    answer::{shown_action, tutor},
    deployment::Deployment,
    options::{Kind, Options},
    staff::Staff,
    student::empty_turn,
};

use super::{
    always_right::Knows,
    answers::Answers,
    pupil::{Came, Pupil},
};

/// The last unit of the demo course, and what a pupil says who wants it.
const AHEAD: &str = "ALG-19";
/// Presses until the unit is open: twelve units come before it at the most, each with two drills and an exam question.
const MOST_PRESSES: usize = 200;

in_both_deployments!(the_way_leads_to_what_was_asked_for);

async fn ask(pupil: &mut Pupil, kind: ClientEventKind, unit: &str) -> TutorAction {
    let turn = TakeTurnRequest {
        event: Some(ClientEvent {
            kind: kind.into(),
            unit_id: unit.to_owned(),
            ..ClientEvent::default()
        }),
        ..empty_turn(&pupil.thread)
    };
    shown_action(tutor(&pupil.take(turn).await))
}

async fn the_way_leads_to_what_was_asked_for(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let answers = Answers::of_demo_course();
    let staff = Staff::of(&suite);
    let mut knows = Knows(&answers);
    let mut pupil = Pupil::start(&suite, "eager").await;
    let units = &answers.pack.units;
    let unit = |id: &str| units.iter().find(|unit| unit.id == id).unwrap();

    // In words, and by whatever button a client may make up.
    let anchor = unit(AHEAD).anchors[0].clone();
    let answer = pupil.say(&anchor).await;
    let facts = staff.record(&pupil.student.id, &answer.turn_id).await;
    let plan = facts.facts.unwrap().plan.unwrap();
    assert_eq!(plan.primary_target_unit_id, AHEAD, "{anchor}");
    for kind in [
        ClientEventKind::RequestExam,
        ClientEventKind::RequestDrill,
        ClientEventKind::DrillContinue,
        ClientEventKind::ExamContinue,
        ClientEventKind::StuckHint,
    ] {
        let shown = ask(&mut pupil, kind, AHEAD).await;
        assert_ne!(shown, TutorAction::ExamBlock);
        let blocker = pupil
            .standing
            .prereq_nudge
            .clone()
            .expect("something comes first");
        assert_ne!(blocker.unit_id, AHEAD);
        assert_eq!(pupil.focus(), blocker.unit_id);
        assert_eq!(blocker.title, unit(&blocker.unit_id).title);
        let met = unit(&blocker.unit_id).prerequisites.iter();
        assert!(
            met.clone().all(|id| !unit(id).assessable),
            "it can be begun"
        );
        assert!(
            pupil.button("check_prerequisite").is_none(),
            "not drilled yet"
        );
    }

    let mut presses = 0;
    let mut checked = Vec::new();
    while ask(&mut pupil, ClientEventKind::DrillContinue, AHEAD).await != TutorAction::ExamBlock {
        presses += 1;
        assert!(presses <= MOST_PRESSES, "{checked:?}, {:?}", pupil.standing);
        // The pupil names nothing but what they want, and presses what comes.
        let Some(blocker) = pupil.standing.prereq_nudge.clone() else {
            assert_eq!(pupil.focus(), AHEAD);
            drill(&mut pupil, &mut knows).await;
            continue;
        };
        assert_eq!(pupil.focus(), blocker.unit_id);
        if pupil.button("check_prerequisite").is_none() {
            drill(&mut pupil, &mut knows).await;
            continue;
        }
        assert!(pupil.button("check_prerequisite").unwrap().primary);
        pupil.press_labelled("check_prerequisite", &mut knows).await;
        assert_eq!(pupil.unit_id(), blocker.unit_id);
        let Came::Result(result) = pupil.press_labelled("submit_answer", &mut knows).await else {
            panic!("no result");
        };
        assert_eq!(result.result(), ExamResult::Passed);
        assert_eq!(result.mastery_tier(), MasteryTier::Bronze);
        checked.push(blocker.unit_id);
    }
    // What was asked for is open, and everything before it has been shown once.
    assert_eq!(pupil.unit_id(), AHEAD);
    let mut before = Vec::new();
    let mut open = unit(AHEAD).prerequisites.clone();
    while let Some(id) = open.pop() {
        if unit(&id).assessable && !before.contains(&id) {
            open.extend(unit(&id).prerequisites.clone());
            before.push(id);
        }
    }
    before.sort();
    checked.sort();
    assert_eq!(checked, before);
    suite.stop();
}

async fn drill(pupil: &mut Pupil, knows: &mut Knows<'_>) {
    pupil.press_labelled("try_drill", knows).await;
    let Came::Grade(grade) = pupil.press_labelled("check_answer", knows).await else {
        panic!("no grade");
    };
    assert!(grade.evidence_recorded);
}
