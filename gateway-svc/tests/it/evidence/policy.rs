//! A policy that counts, in a course of one unit and one bronze question: enough to see what was asked of it.

use std::sync::{Arc, Mutex};

use tonic::Status;
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::{QuestionState, SupportKind},
    policy::v1::{
        ApplyEvidenceRequest, ApplyEvidenceResponse, CheckDrillRequest, CheckDrillResponse,
        CheckExamAnswerRequest, CheckExamAnswerResponse, DescribeStandingRequest,
        DescribeStandingResponse, DrillCheck, DrillVerdict, FindPortQuestionsRequest,
        FindPortQuestionsResponse, GetExamQuestionRequest, GetExamQuestionResponse, MistakeTag,
        ResolveGradeRequest, ResolveGradeResponse, apply_evidence_request::Event,
        check_exam_answer_request::Answer, resolve_grade_request::Outcome,
    },
    session::v1::{DrillCounters, Evidence, RevisitEntry, UnitProgress},
    tutor::v1::{
        Button, ButtonCall, ExamCard, ExamOption, GradedBy, MasteryTier, SnapshotLite,
        snapshot_lite::Revisit,
    },
};

use super::fake::Fake;

pub const UNIT: &str = "ALG-02";
pub const QUESTION: &str = "ALG-02-B1";
/// The hash of every exercise.
pub const EXERCISE: u64 = 9;
/// What is said without a model.
pub const FIXED_WORDS: &str = "Fixed words.";

/// The policy. The clones are the same.
#[derive(Clone, Default)]
pub struct Policy {
    pub fake: Fake,
    checked: Arc<Mutex<Vec<CheckDrillRequest>>>,
    compared: Arc<Mutex<Vec<CheckExamAnswerRequest>>>,
}

impl Policy {
    pub fn start() -> Self {
        let policy = Self::default();
        policy.counting_llm(true);
        let fake = &policy.fake;
        let on = |method: &str| format!("turnwise.policy.v1.PolicyService/{method}");
        fake.on(&on("ResolveGrade"), |request| async {
            Ok(resolve(request))
        });
        fake.on(&on("ApplyEvidence"), |request| async { apply(request) });
        fake.on(&on("DescribeStanding"), |request| async {
            Ok(describe(request))
        });
        fake.on(&on("GetExamQuestion"), |request| async {
            question(request)
        });
        fake.on(
            &on("FindPortQuestions"),
            |_: FindPortQuestionsRequest| async { Ok(FindPortQuestionsResponse::default()) },
        );
        let seen = Arc::clone(&policy.compared);
        fake.on(
            &on("CheckExamAnswer"),
            move |request: CheckExamAnswerRequest| {
                seen.lock().unwrap().push(request.clone());
                async { compare(request) }
            },
        );
        policy
    }

    /// Whether a model's verdict counts.
    pub fn counting_llm(&self, counts_llm: bool) {
        let seen = Arc::clone(&self.checked);
        self.fake.on(
            "turnwise.policy.v1.PolicyService/CheckDrill",
            move |request: CheckDrillRequest| {
                seen.lock().unwrap().push(request.clone());
                async move { check(request, counts_llm) }
            },
        );
    }

    /// From now on every exercise counted before.
    pub fn repeats(&self) {
        self.fake.on(
            "turnwise.policy.v1.PolicyService/ApplyEvidence",
            |request: ApplyEvidenceRequest| async move {
                if let Some(Event::DrillGraded(graded)) = &request.event {
                    assert_eq!(graded.exercise, EXERCISE);
                }
                let snapshot = request.snapshot.clone().unwrap_or_default();
                Ok::<_, Status>(ApplyEvidenceResponse {
                    evidence: Some(snapshot.evidence.unwrap_or_default()),
                    exercise_repeated: true,
                    ..apply(request)?
                })
            },
        );
    }

    /// The drills that were checked since the last look.
    pub fn checked(&self) -> Vec<CheckDrillRequest> {
        std::mem::take(&mut self.checked.lock().unwrap())
    }

    /// The exam answers that were compared since the last look.
    pub fn compared(&self) -> Vec<CheckExamAnswerRequest> {
        std::mem::take(&mut self.compared.lock().unwrap())
    }
}

/// `right` is right, `wrong` is wrong, and mathematics can tell of nothing else. The course gives the answer where it is
/// `banana`.
fn check(request: CheckDrillRequest, counts_llm: bool) -> Result<CheckDrillResponse, Status> {
    if request.unit_id != UNIT {
        return Err(Fault::new(ErrorReason::UnknownUnit, "no such unit").into());
    }
    let has_key = request.answer == "banana";
    let verdict = match request.answer.as_str() {
        "right" => DrillVerdict::Right,
        "wrong" => DrillVerdict::Wrong,
        _ => DrillVerdict::CannotTell,
    };
    Ok(CheckDrillResponse {
        check: Some(DrillCheck {
            course_id: request.course_id,
            pack_hash: "pack-1".to_owned(),
            unit_id: request.unit_id,
            verdict: verdict.into(),
            task: "solve".to_owned(),
            reason: "compared".to_owned(),
            grader: "1".to_owned(),
            counts_llm,
            has_key,
            exercise: EXERCISE,
        }),
        unit_title: "Equations".to_owned(),
        mistake_tags: vec![MistakeTag {
            tag: "sign".to_owned(),
            meaning: "a sign is lost".to_owned(),
        }],
        key: String::new(),
        grade_schema: r#"{"type":"object"}"#.to_owned(),
        locale: "en".to_owned(),
    })
}

fn resolve(request: ResolveGradeRequest) -> ResolveGradeResponse {
    let check = request.check.unwrap();
    assert_eq!(check.pack_hash, "pack-1");
    let words = match &request.outcome {
        Some(Outcome::Completion(bytes)) => Some(String::from_utf8(bytes.to_vec()).unwrap()),
        _ => None,
    };
    let fallback_reason = match request.outcome {
        Some(Outcome::Failure(reason)) => reason,
        _ => 0,
    };
    let by_llm = match words.as_deref() {
        Some("right") => DrillVerdict::Right,
        Some("wrong") => DrillVerdict::Wrong,
        _ => DrillVerdict::CannotTell,
    };
    let (verdict, graded_by) = match check.verdict() {
        DrillVerdict::CannotTell if by_llm == DrillVerdict::CannotTell => {
            (by_llm, GradedBy::Unspecified)
        }
        DrillVerdict::CannotTell => (by_llm, GradedBy::Llm),
        by_rules => (by_rules, GradedBy::Rules),
    };
    ResolveGradeResponse {
        verdict: verdict.into(),
        graded_by: graded_by.into(),
        feedback_text: words.unwrap_or_else(|| FIXED_WORDS.to_owned()),
        mistake_tag: match verdict {
            DrillVerdict::Wrong => "sign".to_owned(),
            _ => String::new(),
        },
        is_evidence: match graded_by {
            GradedBy::Rules => true,
            GradedBy::Llm => check.counts_llm,
            GradedBy::Unspecified => false,
        },
        fallback_reason,
        observations: Vec::new(),
        violation: String::new(),
    }
}

fn apply(request: ApplyEvidenceRequest) -> Result<ApplyEvidenceResponse, Status> {
    let mut evidence = request.snapshot.unwrap().evidence.unwrap_or_default();
    let refused = |field: &str, problem: &str| Err(Fault::invalid(field, problem).into());
    let event = request.event.unwrap();
    let (unit_id, tier) = match &event {
        Event::DrillGraded(drill) => (&drill.unit_id, MasteryTier::Bronze),
        Event::ExamResult(exam) => (&exam.unit_id, exam.tier()),
        Event::SupportViewed(view) => (&view.unit_id, view.tier()),
        Event::PrerequisiteMarked(_) => return refused("event", "is not used here"),
    };
    if unit_id != UNIT {
        return refused(
            "exam_result.unit_id",
            "must be a unit that the question tests",
        );
    }
    if tier != MasteryTier::Bronze {
        return refused("exam_result.tier", "must be the question's own: bronze");
    }
    let before = evidence.unit_progress.pop();
    let mut progress = before.clone().unwrap_or_else(|| UnitProgress {
        unit_id: UNIT.to_owned(),
        mastery_tier: MasteryTier::None.into(),
        drill: Some(DrillCounters::default()),
        ..UnitProgress::default()
    });
    let before = before.map_or(MasteryTier::None.into(), |unit| unit.mastery_tier);
    match event {
        Event::DrillGraded(graded) => {
            let drill = progress.drill.as_mut().unwrap();
            drill.attempts += 1;
            drill.correct += i32::from(graded.correct);
        }
        Event::ExamResult(result) => {
            if result.passed {
                progress.mastery_tier = MasteryTier::Bronze.into();
                evidence
                    .revisit_queue
                    .retain(|entry| entry.question_id != result.question_id);
            } else {
                revisit(&mut evidence, &result.question_id);
            }
            evidence.exam_touched.push(result.question_id);
        }
        Event::SupportViewed(view) => {
            if view.locked {
                revisit(&mut evidence, &view.question_id);
                evidence.exam_touched.push(view.question_id);
            }
        }
        Event::PrerequisiteMarked(_) => {}
    }
    let after = progress.mastery_tier;
    evidence.unit_progress.push(progress);
    Ok(ApplyEvidenceResponse {
        unit_id: UNIT.to_owned(),
        tier_before: before,
        tier_after: after,
        standing: Some(standing(&evidence, 0, None)),
        buttons: vec![Button {
            label_key: "continue".to_owned(),
            primary: true,
            ..Button::default()
        }],
        evidence: Some(evidence),
        ..ApplyEvidenceResponse::default()
    })
}

fn revisit(evidence: &mut Evidence, question_id: &str) {
    if !evidence
        .revisit_queue
        .iter()
        .any(|entry| entry.question_id == question_id)
    {
        evidence.revisit_queue.push(RevisitEntry {
            question_id: question_id.to_owned(),
            unit_id: UNIT.to_owned(),
            tier: MasteryTier::Bronze.into(),
        });
    }
}

fn standing(
    evidence: &Evidence,
    locked: i32,
    until: Option<prost_types::Timestamp>,
) -> SnapshotLite {
    SnapshotLite {
        revisit: Some(Revisit {
            locked_count: locked,
            next_eligible_at: until,
            next_question_id: evidence
                .revisit_queue
                .first()
                .map_or_else(String::new, |entry| entry.question_id.clone()),
            ..Revisit::default()
        }),
        ..SnapshotLite::default()
    }
}

fn describe(request: DescribeStandingRequest) -> DescribeStandingResponse {
    let locked: Vec<_> = request
        .statuses
        .iter()
        .filter(|status| status.state() == QuestionState::Locked)
        .collect();
    let evidence = request.snapshot.unwrap().evidence.unwrap_or_default();
    DescribeStandingResponse {
        standing: Some(standing(
            &evidence,
            locked.len() as i32,
            locked.first().and_then(|status| status.locked_until),
        )),
    }
}

fn question(request: GetExamQuestionRequest) -> Result<GetExamQuestionResponse, Status> {
    if request.question_id != QUESTION {
        return Err(Fault::new(ErrorReason::UnknownQuestion, "no such question").into());
    }
    let button = |label_key: &str, call: ButtonCall| Button {
        label_key: label_key.to_owned(),
        call: call.into(),
        ..Button::default()
    };
    let option = |id: &str| ExamOption {
        option_id: id.to_owned(),
        text: id.to_owned(),
    };
    Ok(GetExamQuestionResponse {
        card: Some(ExamCard {
            question_id: QUESTION.to_owned(),
            tier: MasteryTier::Bronze.into(),
            prompt: "Which is it?".to_owned(),
            options: vec![option("a"), option("b")],
            ..ExamCard::default()
        }),
        unit_ids: vec![UNIT.to_owned()],
        support_kinds: vec![SupportKind::Memo.into(), SupportKind::Video.into()],
        buttons: vec![
            button("submit_answer", ButtonCall::SubmitExam),
            button("view_memo", ButtonCall::ViewMemo),
        ],
    })
}

/// `b` is right, and so is the text `4`.
fn compare(request: CheckExamAnswerRequest) -> Result<CheckExamAnswerResponse, Status> {
    let correct = match request.answer.unwrap() {
        Answer::OptionId(id) if id == "a" || id == "b" => id == "b",
        Answer::OptionId(_) => {
            return Err(Fault::invalid("option_id", "must be an option").into());
        }
        Answer::Text(text) if text == "?" => {
            return Err(Fault::invalid("text", "cannot be read").into());
        }
        Answer::Text(text) => text == "4",
    };
    Ok(CheckExamAnswerResponse { correct })
}
