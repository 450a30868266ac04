//! A student who asks for what is too far ahead: told what comes first, and led there, badge by badge.

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
    simulated_student::{Came, SimulatedStudent},
};

/// The last unit of the demo course, and what a student says who wants it.
const AHEAD: &str = "ALG-19";
/// Presses until the unit is open: twelve units come before it at the most, each with two drills and an exam question.
const MOST_PRESSES: usize = 200;

in_both_deployments!(the_way_leads_to_what_was_asked_for);

async fn ask(simulated: &mut SimulatedStudent, kind: ClientEventKind, unit: &str) -> TutorAction {
    let turn = TakeTurnRequest {
        event: Some(ClientEvent {
            kind: kind.into(),
            unit_id: unit.to_owned(),
            ..ClientEvent::default()
        }),
        ..empty_turn(&simulated.thread)
    };
    shown_action(tutor(&simulated.take(turn).await))
}

async fn the_way_leads_to_what_was_asked_for(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let answers = Answers::of_demo_course();
    let staff = Staff::of(&suite);
    let mut knows = Knows(&answers);
    let mut simulated = SimulatedStudent::start(&suite, "eager").await;
    let units = &answers.pack.units;
    let unit = |id: &str| units.iter().find(|unit| unit.id == id).unwrap();

    // In words, and by whatever button a client may make up.
    let anchor = unit(AHEAD).anchors[0].clone();
    let answer = simulated.say(&anchor).await;
    let facts = staff.record(&simulated.student.id, &answer.turn_id).await;
    let plan = facts.facts.unwrap().plan.unwrap();
    assert_eq!(plan.primary_target_unit_id, AHEAD, "{anchor}");
    for kind in [
        ClientEventKind::RequestExam,
        ClientEventKind::RequestDrill,
        ClientEventKind::DrillContinue,
        ClientEventKind::ExamContinue,
        ClientEventKind::StuckHint,
    ] {
        let shown = ask(&mut simulated, kind, AHEAD).await;
        assert_ne!(shown, TutorAction::ExamBlock);
        let blocker = simulated
            .standing
            .prereq_nudge
            .clone()
            .expect("something comes first");
        assert_ne!(blocker.unit_id, AHEAD);
        assert_eq!(simulated.focus(), blocker.unit_id);
        assert_eq!(blocker.title, unit(&blocker.unit_id).title);
        let met = unit(&blocker.unit_id).prerequisites.iter();
        assert!(
            met.clone().all(|id| !unit(id).assessable),
            "it can be begun"
        );
        assert!(
            simulated.button("check_prerequisite").is_none(),
            "not drilled yet"
        );
    }

    let mut presses = 0;
    let mut checked = Vec::new();
    while ask(&mut simulated, ClientEventKind::DrillContinue, AHEAD).await != TutorAction::ExamBlock
    {
        presses += 1;
        assert!(
            presses <= MOST_PRESSES,
            "{checked:?}, {:?}",
            simulated.standing
        );
        // The student names nothing but what they want, and presses what comes.
        let Some(blocker) = simulated.standing.prereq_nudge.clone() else {
            assert_eq!(simulated.focus(), AHEAD);
            drill(&mut simulated, &mut knows).await;
            continue;
        };
        assert_eq!(simulated.focus(), blocker.unit_id);
        if simulated.button("check_prerequisite").is_none() {
            drill(&mut simulated, &mut knows).await;
            continue;
        }
        assert!(simulated.button("check_prerequisite").unwrap().primary);
        simulated
            .press_labelled("check_prerequisite", &mut knows)
            .await;
        assert_eq!(simulated.unit_id(), blocker.unit_id);
        let Came::Result(result) = simulated.press_labelled("submit_answer", &mut knows).await
        else {
            panic!("no result");
        };
        assert_eq!(result.result(), ExamResult::Passed);
        assert_eq!(result.mastery_tier(), MasteryTier::Bronze);
        checked.push(blocker.unit_id);
    }
    // What was asked for is open, and everything before it has been shown once.
    assert_eq!(simulated.unit_id(), AHEAD);
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

async fn drill(simulated: &mut SimulatedStudent, knows: &mut Knows<'_>) {
    simulated.press_labelled("try_drill", knows).await;
    let Came::Grade(grade) = simulated.press_labelled("check_answer", knows).await else {
        panic!("no grade");
    };
    assert!(grade.evidence_recorded);
}
