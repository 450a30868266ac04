//! What a student has shown decides what is allowed, and nothing else does.

use turnwise_course_pack::{Pack, Question, Tier, load};
use turnwise_proto::{
    exam::v1::QuestionState,
    session::v1::{QuestionRecord, RevisitEntry},
    tutor::v1::{
        ClientEventKind, DegradedReason, MasteryTier, TakeTurnRequest, TutorAction,
        tutor_card::Content,
    },
};
use turnwise_tests::{
    answer::{check_model_answer, shown_action, tutor},
    deployment::Deployment,
    evidence::{Seed, bronze, drilled, stuck},
    options::{Kind, Options},
    process::repository,
    staff::Staff,
    student::{DEMO_COURSE, Student, empty_turn},
};

/// A unit whose only prerequisite cannot be assessed and so counts as met.
const OPEN: &str = "ALG-01";
/// A unit that needs [`OPEN`] first.
const BEHIND: &str = "ALG-02";

in_both_deployments!(
    a_ready_student_gets_an_exam_question_of_the_right_tier,
    a_locked_question_is_not_offered,
    what_waits_is_opened_by_its_own_button,
    a_stuck_student_gets_an_explanation,
    a_missing_prerequisite_comes_first,
);

fn demo() -> Pack {
    load(&repository().join("courses").join(DEMO_COURSE)).unwrap()
}

fn questions(pack: &Pack, unit: &str, tier: Tier) -> Vec<Question> {
    pack.questions
        .iter()
        .filter(|q| q.tier == tier && q.units.iter().any(|u| u == unit))
        .cloned()
        .collect()
}

/// A bronze question of [`OPEN`] to come back to.
fn waiting(question: &Question) -> RevisitEntry {
    RevisitEntry {
        question_id: question.id.clone(),
        unit_id: OPEN.to_owned(),
        tier: MasteryTier::Bronze.into(),
    }
}

async fn a_ready_student_gets_an_exam_question_of_the_right_tier(kind: Kind) {
    let seeds = [("nia", drilled(OPEN)), ("bo", bronze(OPEN))]
        .map(|(student, unit)| Seed::units(student, DEMO_COURSE, vec![unit]));
    let [nia, bo] = seeds;
    let options = Options::new().evidence(nia).evidence(bo);
    let mut suite = Deployment::start(kind, options).await;
    let pack = demo();
    for (id, tier, mastery) in [
        ("nia", Tier::Bronze, MasteryTier::Bronze),
        ("bo", Tier::Silver, MasteryTier::Silver),
    ] {
        let student = suite.student(id);
        let thread = student.open(DEMO_COURSE).await;
        let answer = student
            .press(&thread, ClientEventKind::DrillContinue, OPEN)
            .await;
        let decision = suite.decision(&answer.turn_id);
        check_model_answer(&thread, &answer, &decision);
        assert!(decision.allows(TutorAction::ExamBlock));
        let Some(Content::Exam(exam)) = tutor(&answer).card.clone().and_then(|c| c.content) else {
            panic!("no exam card: {answer:#?}");
        };
        let candidates = questions(&pack, OPEN, tier);
        let question = candidates
            .iter()
            .find(|q| q.id == exam.question_id)
            .unwrap_or_else(|| panic!("{} is no candidate", exam.question_id));
        assert_eq!(exam.tier(), mastery);
        // The card says what the catalogue says, and not what is right.
        assert_eq!(exam.prompt, question.prompt);
        assert_eq!(exam.question_latex, question.question_latex);
        let options: Vec<_> = exam
            .options
            .iter()
            .map(|o| (&o.option_id, &o.text))
            .collect();
        let catalogue: Vec<_> = question.options.iter().map(|o| (&o.id, &o.text)).collect();
        assert_eq!(options, catalogue);

        // The card's button is the answer's primary one.
        let card = tutor(&answer).card.as_ref().unwrap();
        assert!(card.buttons[0].primary);
        let first = &tutor(&answer).buttons[0];
        assert!(!first.primary);
        assert_eq!(first.label_key, "take_exam");
        assert_eq!(
            first.event.as_ref().unwrap().kind(),
            ClientEventKind::RequestExam
        );
        let standing = answer.snapshot_lite.unwrap();
        let focus = standing.focus.unwrap();
        assert_eq!(focus.unit_id, OPEN);
        let progress = standing.progress.unwrap();
        assert_eq!(progress.bronze, i32::from(tier == Tier::Silver));
        // A drill is still a drill when it is asked for.
        let answer = student
            .press(&thread, ClientEventKind::RequestDrill, OPEN)
            .await;
        assert_eq!(shown_action(tutor(&answer)), TutorAction::DrillCard);
        let answer = student
            .press(&thread, ClientEventKind::RequestExam, OPEN)
            .await;
        assert_eq!(shown_action(tutor(&answer)), TutorAction::ExamBlock);
    }
    suite.stop();
}

async fn a_locked_question_is_not_offered(kind: Kind) {
    let pack = demo();
    let until = prost_types::Timestamp {
        // Far in the future, to the second.
        seconds: 4_000_000_000,
        nanos: 0,
    };
    let candidates = questions(&pack, OPEN, Tier::Bronze);
    let mut seed = Seed::units("kim", DEMO_COURSE, vec![drilled(OPEN)]);
    seed.question_records = candidates
        .iter()
        .map(|question| QuestionRecord {
            question_id: question.id.clone(),
            state: QuestionState::Locked.into(),
            locked_until: Some(until),
            support_viewed: false,
        })
        .collect();
    seed.evidence.revisit_queue = vec![waiting(&candidates[0])];
    let mut suite = Deployment::start(kind, Options::new().evidence(seed)).await;
    let kim = suite.student("kim");
    let thread = kim.open(DEMO_COURSE).await;
    for kind in [ClientEventKind::DrillContinue, ClientEventKind::RequestExam] {
        let now = kim.thread(&thread.thread_id).await.unwrap();
        let answer = kim.press(&thread, kind, OPEN).await;
        let decision = suite.decision(&answer.turn_id);
        check_model_answer(&now, &answer, &decision);
        assert!(!decision.allows(TutorAction::ExamBlock), "{decision:?}");
        let revisit = answer.snapshot_lite.unwrap().revisit.unwrap();
        assert_eq!(revisit.locked_count, 1);
        assert_eq!(revisit.next_eligible_at, Some(until));
        assert_eq!(revisit.next_question_id, candidates[0].id);
        let [entry] = revisit.entries.as_slice() else {
            panic!("{:?}", revisit.entries);
        };
        assert_eq!(
            (entry.unit_id.as_str(), entry.tier()),
            (OPEN, MasteryTier::Bronze)
        );
        assert_eq!(
            (entry.state(), entry.locked_until),
            (QuestionState::Locked, Some(until))
        );
    }
    // Words that a guardrail stops leave the locks as they are.
    let stopped = kim.say(&thread, "I want to kill myself").await;
    assert_eq!(
        stopped.degraded_reasons().collect::<Vec<_>>(),
        [DegradedReason::Guardrail]
    );
    let revisit = stopped.snapshot_lite.unwrap().revisit.unwrap();
    assert_eq!((revisit.locked_count, revisit.entries.len()), (1, 1));
    assert_eq!(revisit.next_eligible_at, Some(until));
    suite.stop();
}

async fn what_waits_is_opened_by_its_own_button(kind: Kind) {
    let candidates = questions(&demo(), OPEN, Tier::Bronze);
    let mut seed = Seed::units("ivy", DEMO_COURSE, vec![drilled(OPEN)]);
    seed.evidence.revisit_queue = candidates.iter().map(waiting).collect();
    let mut suite = Deployment::start(kind, Options::new().evidence(seed)).await;
    let (ivy, staff) = (suite.student("ivy"), Staff::of(&suite));
    let standing = ivy.standing(DEMO_COURSE).await.unwrap();
    let entries = standing.revisit.unwrap().entries;
    assert!(entries.len() > 1 && entries.len() == candidates.len());
    for entry in entries {
        let event = entry.button.unwrap().event.unwrap();
        let pressed = (event.kind(), event.question_id.as_str());
        assert_eq!(pressed, (ClientEventKind::RequestExam, &*entry.question_id));
        let thread = ivy.open(DEMO_COURSE).await;
        let turn = TakeTurnRequest {
            event: Some(event),
            ..empty_turn(&thread)
        };
        let answer = ivy.turn(turn).await.unwrap();
        let Some(Content::Exam(exam)) = tutor(&answer).card.clone().and_then(|c| c.content) else {
            panic!("no exam card: {answer:#?}");
        };
        assert_eq!(exam.question_id, entry.question_id);
        // The model could have chosen no other.
        let facts = staff.record("ivy", &answer.turn_id).await.facts.unwrap();
        let offered = facts.policy.unwrap().exam_candidate_ids;
        assert_eq!(offered, [entry.question_id]);
    }
    suite.stop();
}

async fn a_stuck_student_gets_an_explanation(kind: Kind) {
    // The model always tries to explain: it may for one of the two.
    let options = Options::new()
        .model("mock:break:concept_not_stuck")
        .evidence(Seed::units("sam", DEMO_COURSE, vec![stuck(OPEN)]));
    let mut suite = Deployment::start(kind, options).await;
    let sam = suite.student("sam");
    let thread = sam.open(DEMO_COURSE).await;
    let answer = sam
        .press(&thread, ClientEventKind::DrillContinue, OPEN)
        .await;
    let decision = suite.decision(&answer.turn_id);
    check_model_answer(&thread, &answer, &decision);
    assert!(decision.allows(TutorAction::ConceptCard));
    assert_eq!(shown_action(tutor(&answer)), TutorAction::ConceptCard);

    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let answer = ada
        .press(&thread, ClientEventKind::DrillContinue, OPEN)
        .await;
    assert!(
        !suite
            .decision(&answer.turn_id)
            .allows(TutorAction::ConceptCard)
    );
    assert_eq!(shown_action(tutor(&answer)), TutorAction::SocraticQuestion);
    suite.stop();
}

async fn a_missing_prerequisite_comes_first(kind: Kind) {
    // Ready in the unit behind, and ready in the one before it: the one before comes first all the same.
    let options = Options::new()
        .evidence(Seed::units("lee", DEMO_COURSE, vec![drilled(BEHIND)]))
        .evidence(Seed::units(
            "max",
            DEMO_COURSE,
            vec![drilled(OPEN), drilled(BEHIND)],
        ))
        .evidence(Seed::units(
            "zoe",
            DEMO_COURSE,
            vec![bronze(OPEN), drilled(BEHIND)],
        ));
    let mut suite = Deployment::start(kind, options).await;
    let press = async |student: &Student, kind| {
        let thread = student.open(DEMO_COURSE).await;
        let answer = student.press(&thread, kind, BEHIND).await;
        let decision = suite.decision(&answer.turn_id);
        check_model_answer(&thread, &answer, &decision);
        (answer, decision)
    };
    let title = |unit: &str| {
        let pack = demo();
        let unit = pack.units.iter().find(|u| u.id == unit).unwrap();
        unit.title.clone()
    };

    for id in ["lee", "max", "nobody-yet"] {
        let student = suite.student(id);
        for kind in [ClientEventKind::RequestDrill, ClientEventKind::RequestExam] {
            let (answer, decision) = press(&student, kind).await;
            assert_eq!((&*decision.focus, &*decision.blocker), (OPEN, OPEN));
            assert!(!decision.allows(TutorAction::ExamBlock));
            let standing = answer.snapshot_lite.as_ref().unwrap();
            assert_eq!(standing.focus.as_ref().unwrap().unit_id, OPEN);
            let nudge = standing.prereq_nudge.as_ref().expect("a nudge");
            assert_eq!((&*nudge.unit_id, &nudge.title), (OPEN, &title(OPEN)));
            if let Some(card) = &tutor(&answer).card {
                assert_eq!(card.unit_id, OPEN);
            }
            let labels: Vec<_> = tutor(&answer)
                .buttons
                .iter()
                .map(|b| &*b.label_key)
                .collect();
            assert_eq!(
                labels.contains(&"check_prerequisite"),
                id == "max",
                "{labels:?}"
            );
        }
    }
    // The button of the nudge opens the check.
    let max = suite.student("max");
    let thread = max.open(DEMO_COURSE).await;
    let answer = max.press(&thread, ClientEventKind::RequestExam, OPEN).await;
    assert_eq!(shown_action(tutor(&answer)), TutorAction::ExamBlock);

    // With the prerequisite met, the unit itself is open.
    let (answer, decision) = press(&suite.student("zoe"), ClientEventKind::RequestExam).await;
    assert_eq!((&*decision.focus, &*decision.blocker), (BEHIND, ""));
    assert!(
        answer
            .snapshot_lite
            .as_ref()
            .unwrap()
            .prereq_nudge
            .is_none()
    );
    assert_eq!(shown_action(tutor(&answer)), TutorAction::ExamBlock);
    suite.stop();
}
