//! ApplyPlacement: what is asked, what counts, and what is placed.

use std::{collections::BTreeSet, fs};

use tonic::{Code, Status};
use turnwise_decisions::exercise;
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    policy::v1::{
        ApplyEvidenceRequest, ApplyPlacementRequest, ApplyPlacementResponse,
        DescribeStandingRequest, DrillGraded, OpenDrill, PlacementAnswered, PlacementBegun,
        PlacementPaused, PlacementQuestion, PlacementShown, ResolveReplyRequest,
        apply_evidence_request::Event, apply_placement_request::Step,
        resolve_reply_request::Outcome,
    },
    session::v1::{
        Evidence, PlacedUnit, Placement, PlacementAnswer, StudentSnapshot, UnitProgress,
    },
    tutor::v1::PlacementState,
};

use crate::{fixture::*, reply_guard::says};

fn record(evidence: Option<Evidence>) -> Option<StudentSnapshot> {
    Some(StudentSnapshot {
        student_id: "ana".to_owned(),
        course_id: COURSE.to_owned(),
        evidence,
        ..StudentSnapshot::default()
    })
}

async fn step(
    service: &Service,
    evidence: Option<Evidence>,
    step: Step,
) -> Result<ApplyPlacementResponse, Status> {
    step_of(service, record(evidence), step).await
}

async fn step_of(
    service: &Service,
    snapshot: Option<StudentSnapshot>,
    step: Step,
) -> Result<ApplyPlacementResponse, Status> {
    let request = ApplyPlacementRequest {
        course_id: COURSE.to_owned(),
        pack_hash: String::new(),
        snapshot,
        now: Some(NOW),
        step: Some(step),
    };
    let mut client = service.client.clone();
    Ok(client.apply_placement(request).await?.into_inner())
}

fn begun() -> Step {
    Step::Begun(PlacementBegun {})
}

fn answered(question: &PlacementQuestion, answer: &str) -> Step {
    Step::Answered(PlacementAnswered {
        unit_id: question.unit_id.clone(),
        drill_id: question.drill_id.clone(),
        prompt: question.prompt.clone(),
        question_latex: question.question_latex.clone(),
        answer: answer.to_owned(),
    })
}

fn placed(unit_id: &str) -> PlacedUnit {
    PlacedUnit {
        unit_id: unit_id.to_owned(),
        ..PlacedUnit::default()
    }
}

fn check_closed(status: &Status) {
    assert_eq!(status.code(), Code::FailedPrecondition);
    let fault = Fault::from_status(status);
    assert_eq!(fault.reason(), ErrorReason::PlacementClosed);
}

#[tokio::test]
async fn a_right_answer_places_the_unit_and_what_it_needs() {
    let service = service().await;
    let first = step(&service, None, begun()).await.unwrap();
    assert_eq!(first.state(), PlacementState::Running);
    assert_eq!((first.answered, first.most), (0, 15));
    let question = first.question.unwrap();
    assert_eq!(question.drill_id, "TWO-D1");
    assert_eq!(question.question_latex, "2 + 3");
    let ended = step(&service, first.evidence, answered(&question, "5"))
        .await
        .unwrap();
    assert_eq!(ended.state(), PlacementState::Ended);
    assert!(ended.counted);
    assert_eq!(ended.question, None);
    let units: Vec<_> = ended.placed.iter().map(|unit| &unit.unit_id).collect();
    assert_eq!(units, ["ONE", "TWO"]);
    let standing = ended.standing.unwrap();
    assert_eq!(standing.placed, ended.placed);
    let progress = standing.progress.unwrap();
    assert_eq!((progress.placed, progress.bronze), (2, 0));
    let evidence = ended.evidence.unwrap();
    assert_eq!(evidence.placed, [placed("ONE"), placed("TWO")]);
    assert_eq!(evidence.unit_progress, []);

    // Begun again it is as it was; nothing else can be done with it.
    let again = step(&service, Some(evidence.clone()), begun()).await;
    let again = again.unwrap();
    assert_eq!(again.state(), PlacementState::Ended);
    assert_eq!(again.placed, ended.placed);
    assert_eq!(again.evidence.as_ref(), Some(&evidence));
    for late in [answered(&question, "5"), Step::Paused(PlacementPaused {})] {
        let late = step(&service, Some(evidence.clone()), late).await;
        check_closed(&late.unwrap_err());
    }
}

#[tokio::test]
async fn a_placement_of_the_class_waits_for_who_has_had_none() {
    let service = service().await;
    let run = |state: PlacementState| Evidence {
        placement: Some(Placement {
            state: state.into(),
            answers: Vec::new(),
        }),
        ..Evidence::default()
    };
    for (evidence, of_class, waits) in [
        (None, false, false),
        (None, true, true),
        (Some(Evidence::default()), true, true),
        (Some(run(PlacementState::Paused)), false, true),
        (Some(run(PlacementState::Ended)), true, false),
    ] {
        let mut snapshot = record(evidence.clone());
        snapshot.as_mut().unwrap().class_placement = of_class;
        let request = DescribeStandingRequest {
            course_id: COURSE.to_owned(),
            snapshot,
            statuses: Vec::new(),
            now: Some(NOW),
        };
        let described = service.client.clone().describe_standing(request).await;
        let standing = described.unwrap().into_inner().standing.unwrap();
        assert_eq!(standing.placement_waits, waits, "{of_class} {evidence:?}");
    }
}

#[tokio::test]
async fn who_does_not_know_is_asked_about_what_comes_before() {
    let service = service().await;
    let first = step(&service, None, begun()).await.unwrap();
    let unknown = answered(&first.question.unwrap(), "");
    let second = step(&service, first.evidence, unknown).await.unwrap();
    let question = second.question.unwrap();
    assert_eq!((question.unit_id.as_str(), second.answered), ("ONE", 1));
    let wrong = answered(&question, "6");
    let ended = step(&service, second.evidence, wrong).await.unwrap();
    assert_eq!(ended.state(), PlacementState::Ended);
    assert_eq!(ended.placed, []);
    assert_eq!(ended.evidence.unwrap().placed, []);
}

/// A service whose course has drills with parameters alone.
async fn service_of_templates() -> Service {
    let folder = tempfile::tempdir().unwrap();
    let pack = folder.path().join(COURSE);
    write_pack(&pack, COURSE);
    let units = pack.join("units/units.yaml");
    let written = fs::read_to_string(&units).unwrap();
    let plain = "        question_latex: '2 + 3'\n        answer: '5'\n";
    assert!(written.contains(plain), "{written}");
    let parameters = "        parameters: [a in 3..9, b in 3..9]\n        question_latex: '[[a]] + [[b]]'\n        answer: '[[a + b]]'\n";
    fs::write(&units, written.replace(plain, parameters)).unwrap();
    service_of(folder).await
}

#[tokio::test]
async fn each_student_is_asked_other_questions_and_keeps_them() {
    let service = service_of_templates().await;
    let mut drills = BTreeSet::new();
    for number in 0..12 {
        let mut asked = Vec::new();
        for _ in 0..2 {
            let mut snapshot = record(None);
            snapshot.as_mut().unwrap().student_id = format!("pupil-{number}");
            let begun = step_of(&service, snapshot, begun()).await.unwrap();
            asked.push(begun.question.unwrap().drill_id);
        }
        assert_eq!(asked[0], asked[1]);
        drills.extend(asked);
    }
    assert!(drills.len() >= 6, "{drills:?}");
}

#[tokio::test]
async fn what_counted_as_a_drill_is_not_asked() {
    let service = service().await;
    let counted = UnitProgress {
        unit_id: "TWO".to_owned(),
        counted_exercises: vec![exercise("Work out the value.", "2+3")],
        ..UnitProgress::default()
    };
    let evidence = Evidence {
        unit_progress: vec![counted],
        ..Evidence::default()
    };
    let first = step(&service, Some(evidence), begun()).await.unwrap();
    let question = first.question.unwrap();
    assert_eq!(question.drill_id, "ONE-D1");
    let ended = step(&service, first.evidence, answered(&question, "5")).await;
    let ended = ended.unwrap();
    assert_eq!(ended.state(), PlacementState::Ended);
    let units: Vec<_> = ended.placed.iter().map(|unit| &unit.unit_id).collect();
    assert_eq!(units, ["ONE"]);
}

#[tokio::test]
async fn a_placement_is_shown_as_it_stands() {
    let service = service().await;
    let shown = || Step::Shown(PlacementShown {});
    check_closed(&step(&service, None, shown()).await.unwrap_err());
    let running = step(&service, None, begun()).await.unwrap();
    let same = step(&service, running.evidence.clone(), shown()).await;
    assert_eq!(same.unwrap(), running);
    let pause = Step::Paused(PlacementPaused {});
    let paused = step(&service, running.evidence.clone(), pause).await;
    let paused = paused.unwrap();
    let same = step(&service, paused.evidence.clone(), shown()).await;
    assert_eq!(same.unwrap(), paused);
    assert_eq!(paused.question, None);

    // An answer to what was answered before goes on with nothing either.
    let question = running.question.unwrap();
    let mut evidence = paused.evidence.unwrap();
    evidence
        .placement
        .as_mut()
        .unwrap()
        .answers
        .push(PlacementAnswer {
            unit_id: question.unit_id.clone(),
            drill_id: question.drill_id.clone(),
            correct: false,
        });
    let again = step(&service, Some(evidence.clone()), answered(&question, "5")).await;
    let again = again.unwrap();
    assert!(!again.counted);
    assert_eq!(again.state(), PlacementState::Paused);
    assert_eq!(again.evidence, Some(evidence));
}

#[tokio::test]
async fn drills_with_parameters_are_asked_where_there_are_no_others() {
    let service = service_of_templates().await;
    let first = step(&service, None, begun()).await.unwrap();
    let question = first.question.unwrap();
    assert!(question.drill_id.starts_with("TWO-D1#"), "{question:?}");
    let numbers = question.question_latex.split(" + ");
    let sum: u32 = numbers.map(|number| number.parse::<u32>().unwrap()).sum();
    let right = answered(&question, &sum.to_string());
    let ended = step(&service, first.evidence, right).await.unwrap();
    assert_eq!(ended.placed.len(), 2);
}

#[tokio::test]
async fn what_does_not_count_changes_nothing() {
    let service = service().await;
    let none = step(&service, None, Step::Paused(PlacementPaused {})).await;
    check_closed(&none.unwrap_err());
    let first = step(&service, None, begun()).await.unwrap();
    let question = first.question.clone().unwrap();
    check_closed(
        &step(&service, None, answered(&question, "5"))
            .await
            .unwrap_err(),
    );
    // It cannot be read: nothing is lost.
    let odd = step(
        &service,
        first.evidence.clone(),
        answered(&question, "who knows"),
    )
    .await;
    let odd = odd.unwrap_err();
    assert_eq!(odd.code(), Code::InvalidArgument);
    let fault = Fault::from_status(&odd);
    assert_eq!(fault.fields().collect::<Vec<_>>(), ["answered.answer"]);
    // The drill reads otherwise by now, or left the course.
    let changed = PlacementQuestion {
        question_latex: "2 + 4".to_owned(),
        ..question.clone()
    };
    let gone = PlacementQuestion {
        unit_id: "GONE".to_owned(),
        drill_id: "GONE-D1".to_owned(),
        ..question.clone()
    };
    for other in [changed, gone] {
        let refused = step(&service, first.evidence.clone(), answered(&other, "6")).await;
        let fault = Fault::from_status(&refused.unwrap_err());
        assert_eq!(fault.reason(), ErrorReason::DrillTokenInvalid);
        assert_eq!(fault.fields().collect::<Vec<_>>(), ["question.token"]);
    }
    let paused = step(&service, first.evidence, Step::Paused(PlacementPaused {})).await;
    let paused = paused.unwrap();
    assert_eq!(paused.state(), PlacementState::Paused);
    assert_eq!(paused.question, None);
    let resumed = step(&service, paused.evidence, begun()).await.unwrap();
    assert_eq!(resumed.question, Some(question));
}

#[tokio::test]
async fn answers_about_units_that_left_count_as_questions() {
    let service = service().await;
    let answers = (0..14).map(|n| PlacementAnswer {
        unit_id: "GONE".to_owned(),
        drill_id: format!("GONE-D{n}"),
        correct: true,
    });
    let evidence = Evidence {
        placement: Some(Placement {
            state: PlacementState::Running.into(),
            answers: answers.collect(),
        }),
        placed: vec![placed("GONE")],
        ..Evidence::default()
    };
    let begun = step(&service, Some(evidence), begun()).await.unwrap();
    assert_eq!(begun.answered, 14);
    let question = begun.question.unwrap();
    let ended = step(&service, begun.evidence, answered(&question, "5")).await;
    let ended = ended.unwrap();
    assert_eq!(ended.state(), PlacementState::Ended);
    // What left the course stays in the record, and is not told.
    let kept = ended.evidence.unwrap().placed;
    assert_eq!(kept, [placed("GONE"), placed("ONE"), placed("TWO")]);
    assert_eq!(ended.placed.len(), 2);
}

#[tokio::test]
async fn drills_undo_what_was_placed_and_keep_the_placement() {
    let service = service().await;
    let before = Evidence {
        placement: Some(Placement {
            state: PlacementState::Ended.into(),
            answers: Vec::new(),
        }),
        placed: vec![placed("GONE"), placed("ONE")],
        ..Evidence::default()
    };
    let mut evidence = Some(before.clone());
    for _ in 0..2 {
        let request = ApplyEvidenceRequest {
            course_id: COURSE.to_owned(),
            pack_hash: String::new(),
            snapshot: record(evidence),
            now: Some(NOW),
            event: Some(Event::DrillGraded(DrillGraded {
                unit_id: "ONE".to_owned(),
                correct: false,
                mistake_tag: String::new(),
                exercise: 0,
            })),
        };
        let applied = service.client.clone().apply_evidence(request).await;
        evidence = applied.unwrap().into_inner().evidence;
    }
    let after = evidence.unwrap();
    let undone = PlacedUnit {
        wrong_drills: 2,
        undone: true,
        ..placed("ONE")
    };
    assert_eq!(after.placed, [placed("GONE"), undone]);
    assert_eq!(after.placement, before.placement);
}

/// A card of a placement that a teacher took back shows another question than the one that waits.
#[tokio::test]
async fn an_earlier_placements_card_answers_no_question_of_the_next() {
    let service = service().await;
    let first = step(&service, None, begun()).await.unwrap();
    let unknown = answered(&first.question.unwrap(), "");
    let second = step(&service, first.evidence, unknown).await.unwrap();
    let earlier = second.question.unwrap();
    let anew = step(&service, None, begun()).await.unwrap();
    let evidence = anew.evidence.clone();
    let refused = step(&service, evidence.clone(), answered(&earlier, "5")).await;
    let fault = Fault::from_status(&refused.unwrap_err());
    assert_eq!(fault.reason(), ErrorReason::DrillTokenInvalid);
    assert_eq!(fault.fields().collect::<Vec<_>>(), ["question.token"]);
    let again = step(&service, evidence, begun()).await.unwrap();
    assert_eq!(again, anew);
}

#[tokio::test]
async fn a_question_that_waits_is_not_solved_in_a_turn() {
    let service = service().await;
    let begun = step(&service, None, begun()).await.unwrap();
    let paused = step(
        &service,
        begun.evidence.clone(),
        Step::Paused(PlacementPaused {}),
    );
    let paused = paused.await.unwrap().evidence;
    for evidence in [begun.evidence.clone(), paused] {
        let mut request = plan_request(snapshot("ONE", &[]));
        request.snapshot.as_mut().unwrap().evidence = evidence;
        let plan = service.plan(request).await.unwrap();
        assert_eq!(plan.placement_question, begun.question);
    }
    let plan = service.plan(plan_request(snapshot("ONE", &[]))).await;
    let plan = plan.unwrap();
    assert_eq!(plan.placement_question, None);

    let question = begun.question.unwrap();
    let policy = service.decide(decide_request(plan)).await.unwrap().policy;
    for (said, violation) in [
        ("What is 2 + 3?", "answer_given"),
        ("Please work out 3+2 for me.\nPlease!", "answer_given"),
        ("what is two plus three", "answer_given"),
        // Who asks about something else may be told a number.
        ("How old is the oldest tree?", ""),
        ("", ""),
    ] {
        let reply = says("That is 5.").to_string().into_bytes();
        let request = ResolveReplyRequest {
            policy: policy.clone(),
            outcome: Some(Outcome::Completion(reply.into())),
            placement_question: Some(OpenDrill {
                unit_id: question.unit_id.clone(),
                prompt: question.prompt.clone(),
                question_latex: question.question_latex.clone(),
                said: said.to_owned(),
            }),
            ..ResolveReplyRequest::default()
        };
        let resolved = service.client.clone().resolve_reply(request).await;
        let resolved = resolved.unwrap().into_inner();
        assert_eq!(resolved.violation, violation, "{said}");
    }
}
