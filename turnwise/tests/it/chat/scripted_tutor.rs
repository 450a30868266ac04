//! What the tutor of these tests says: one course with one unit, where 4 is always right and `c` always passes.

use jiff::{Timestamp, ToSpan};
use turnwise_proto::{
    exam::v1::{QuestionState, QuestionStatus},
    explain::v1::{
        ExplainTurnResponse, FoundChunk, ModelCall, PhaseTime, PromptIdentity, TurnFacts,
        TurnRecord, TurnTexts, Verdict,
    },
    policy::v1::{
        ActionExplanation, DecisionReason, DecisionReasonCode, Explanation, FocusDrills, Plan,
        Policy, ScoredUnit, UnitExplanation,
    },
    session::v1::{Evidence, MappedUnit, StudentSnapshot, UnitProgress},
    tutor::v1::{
        Button, ButtonCall, ClientEvent, ClientEventKind, ConceptCard, DrillCard, DrillResult,
        ExamAvailability, ExamCard, ExamOption, ExamResult, GradeDrillRequest, GradeDrillResponse,
        GradedBy, MasteryTier, RecordSupportViewRequest, RecordSupportViewResponse, Role,
        SnapshotLite, SubmitExamAnswerRequest, SubmitExamAnswerResponse, TakeTurnRequest,
        TakeTurnResponse, TutorAction, TutorCard, TutorMessage,
        snapshot_lite::{Focus, Progress, Revisit},
        submit_exam_answer_request::Answer,
        tutor_card,
    },
};

/// The unit.
pub(super) const UNIT: &str = "ALG-11";
/// The exam question.
const QUESTION: &str = "ALG-11-B1";

/// What the tutor remembers of the student.
#[derive(Default)]
pub(super) struct World {
    turns: i64,
    right: i32,
    badge: bool,
    locked_until: Option<Timestamp>,
}

/// A button with an event on the unit.
pub(super) fn press(label: &str, kind: ClientEventKind, primary: bool) -> Button {
    Button {
        label_key: label.to_owned(),
        event: Some(ClientEvent {
            kind: kind.into(),
            unit_id: UNIT.to_owned(),
            ..ClientEvent::default()
        }),
        primary,
        call: ButtonCall::Turn.into(),
        ..Button::default()
    }
}

/// A button without an event.
pub(super) fn call(label: &str, call: ButtonCall, primary: bool) -> Button {
    Button {
        label_key: label.to_owned(),
        event: None,
        primary,
        call: call.into(),
        ..Button::default()
    }
}

fn wire(time: Timestamp) -> prost_types::Timestamp {
    prost_types::Timestamp {
        seconds: time.as_second(),
        nanos: time.subsec_nanosecond(),
    }
}

/// A drill.
pub(super) fn drill_card() -> TutorCard {
    TutorCard {
        unit_id: UNIT.to_owned(),
        content: Some(tutor_card::Content::Drill(DrillCard {
            prompt: "Solve for $x$.".to_owned(),
            question_latex: "\\frac{3x}{2} + 6 = 12".to_owned(),
            drill_token: "proof-of-the-drill".to_owned(),
        })),
        buttons: vec![
            call("check_answer", ButtonCall::GradeDrill, true),
            press("ask_hint", ClientEventKind::StuckHint, false),
        ],
    }
}

/// An explanation.
pub(super) fn concept_card() -> TutorCard {
    TutorCard {
        unit_id: UNIT.to_owned(),
        content: Some(tutor_card::Content::Concept(ConceptCard {
            key_ideas: vec!["Undo the last step first.".to_owned()],
            worked_example: None,
        })),
        buttons: vec![
            press("try_drill", ClientEventKind::RequestDrill, true),
            call("ask_follow_up", ButtonCall::Compose, false),
        ],
    }
}

impl World {
    fn lock(&mut self, now: Timestamp) -> Timestamp {
        let until = now + 24.hours() - 10.seconds();
        self.locked_until = Some(until);
        until
    }

    /// The exam question as it is now.
    pub(super) fn exam_card(&self, _: Timestamp) -> TutorCard {
        let state = match self.locked_until {
            Some(_) => QuestionState::Locked,
            None => QuestionState::Available,
        };
        TutorCard {
            unit_id: UNIT.to_owned(),
            content: Some(tutor_card::Content::Exam(ExamCard {
                question_id: QUESTION.to_owned(),
                tier: MasteryTier::Bronze.into(),
                prompt: "Which number makes it true?".to_owned(),
                question_latex: "5x - 3 = 12".to_owned(),
                options: [("a", "1"), ("b", "2"), ("c", "3"), ("d", "x^{2}")]
                    .map(|(id, text)| ExamOption {
                        option_id: id.to_owned(),
                        text: text.to_owned(),
                    })
                    .to_vec(),
                state: state.into(),
                locked_until: self.locked_until.map(wire),
                offer_token: "proof-of-the-offer".to_owned(),
            })),
            buttons: vec![
                call("submit_answer", ButtonCall::SubmitExam, true),
                call("view_memo", ButtonCall::ViewMemo, false),
                call("view_video", ButtonCall::ViewVideo, false),
            ],
        }
    }

    /// Where the student stands.
    pub(super) fn standing(&self, _: Timestamp) -> SnapshotLite {
        SnapshotLite {
            focus: Some(Focus {
                unit_id: UNIT.to_owned(),
                title: "Two-step equations".to_owned(),
                mastery_tier: self.tier().into(),
                needs_review: false,
            }),
            target: None,
            prereq_nudge: None,
            revisit: Some(Revisit {
                locked_count: i32::from(self.locked_until.is_some()),
                next_eligible_at: self.locked_until.map(wire),
                next_question_id: self
                    .locked_until
                    .map_or_else(String::new, |_| QUESTION.to_owned()),
                ..Revisit::default()
            }),
            progress: Some(Progress {
                bronze: i32::from(self.badge),
                silver: 0,
                gold: 0,
                total: 24,
                placed: 0,
            }),
            placement_waits: false,
            placed: Vec::new(),
        }
    }

    fn tier(&self) -> MasteryTier {
        if self.badge {
            MasteryTier::Bronze
        } else {
            MasteryTier::None
        }
    }

    /// A turn: buttons do what they say, and words get a question; `explain` gets an explanation. For `busy` and
    /// `spent` no model is free, and for `busy` there is a place in line.
    pub(super) fn turn(&mut self, turn: &TakeTurnRequest) -> TakeTurnResponse {
        let now = Timestamp::now();
        self.turns += 1;
        let kind = turn
            .event
            .as_ref()
            .map_or(ClientEventKind::Unspecified, ClientEvent::kind);
        let input = turn.input.clone().unwrap_or_default();
        let (text, card) = match kind {
            ClientEventKind::Unspecified if input.text == "explain" => {
                ("Read this first.", Some(concept_card()))
            }
            ClientEventKind::RequestDrill => ("Try this one.", Some(drill_card())),
            ClientEventKind::DrillContinue | ClientEventKind::RequestExam if self.right >= 2 => {
                ("You are ready for the check.", Some(self.exam_card(now)))
            }
            ClientEventKind::DrillContinue => ("One more, then.", Some(drill_card())),
            ClientEventKind::ExamContinue => ("Good work today. What shall we look at next?", None),
            ClientEventKind::StuckHint => ("Which step undoes the $+ 6$?", None),
            _ => ("What would you do to both sides first?", None),
        };
        let message = |role: Role, text: &str| TutorMessage {
            id: self.turns * 2 - i64::from(role == Role::User),
            thread_id: turn.thread_id.clone(),
            role: role.into(),
            text: text.to_owned(),
            ..TutorMessage::default()
        };
        let student = TutorMessage {
            latex: input.latex.clone(),
            event: turn.event.clone(),
            ..message(Role::User, &input.text)
        };
        let tutor = TutorMessage {
            card,
            buttons: vec![
                press("try_drill", ClientEventKind::RequestDrill, true),
                press("ask_hint", ClientEventKind::StuckHint, false),
            ],
            ..message(Role::Assistant, text)
        };
        let busy = input.text == "busy";
        TakeTurnResponse {
            turn_id: format!("turn-{}", self.turns),
            thread_id: turn.thread_id.clone(),
            messages: vec![student, tutor],
            snapshot_lite: Some(self.standing(now)),
            model: "real-model".to_owned(),
            retry_after: (busy || input.text == "spent").then_some(prost_types::Duration {
                seconds: 4,
                nanos: 0,
            }),
            place_ticket: if busy { "ticket" } else { "" }.to_owned(),
            ..TakeTurnResponse::default()
        }
    }

    /// A drill: 4 is right, `hm` cannot be checked, all else is wrong.
    pub(super) fn grade(&mut self, grade: &GradeDrillRequest) -> GradeDrillResponse {
        let input = grade.answer.clone().unwrap_or_default();
        let answer = format!("{}{}", input.text, input.latex);
        let (result, feedback, tag) = match answer.as_str() {
            "4" | "x = 4" | "x=4" => (
                DrillResult::Correct,
                "Yes: $x = 4$ makes both sides 12.",
                "",
            ),
            "hm" => (
                DrillResult::Unspecified,
                "I could not check that, try again.",
                "",
            ),
            _ => (
                DrillResult::Incorrect,
                "Not quite. Take the 6 away before you divide.",
                "order_of_undoing",
            ),
        };
        let done = result != DrillResult::Unspecified;
        self.right = match result {
            DrillResult::Correct => self.right + 1,
            DrillResult::Incorrect => 0,
            DrillResult::Unspecified => self.right,
        };
        let mut go_on = press("continue", ClientEventKind::DrillContinue, true);
        if let Some(event) = &mut go_on.event {
            event.drill_result = result.into();
        }
        GradeDrillResponse {
            result: result.into(),
            feedback_text: feedback.to_owned(),
            common_mistake_tag: tag.to_owned(),
            graded_by: GradedBy::Rules.into(),
            evidence_recorded: done,
            snapshot_lite: Some(self.standing(Timestamp::now())),
            buttons: if done {
                vec![
                    go_on,
                    press("try_another", ClientEventKind::RequestDrill, false),
                ]
            } else {
                Vec::new()
            },
            mastery_tier: self.tier().into(),
            ..GradeDrillResponse::default()
        }
    }

    /// The exam question: `c` passes.
    pub(super) fn submit(
        &mut self,
        submit: &SubmitExamAnswerRequest,
        now: Timestamp,
    ) -> SubmitExamAnswerResponse {
        let passed = submit.answer == Some(Answer::OptionId("c".to_owned()));
        let before = self.tier();
        let result = if passed {
            self.badge = true;
            ExamResult::Passed
        } else {
            self.lock(now);
            ExamResult::Locked
        };
        let mut go_on = press("continue", ClientEventKind::ExamContinue, true);
        if let Some(event) = &mut go_on.event {
            event.question_id = QUESTION.to_owned();
            event.exam_result = result.into();
        }
        SubmitExamAnswerResponse {
            result: result.into(),
            recorded: true,
            locked_until: self.locked_until.map(wire),
            mastery_tier: self.tier().into(),
            mastery_tier_before: before.into(),
            snapshot_lite: Some(self.standing(now)),
            buttons: vec![go_on],
            ..SubmitExamAnswerResponse::default()
        }
    }

    /// The memo.
    pub(super) fn view(
        &mut self,
        _: &RecordSupportViewRequest,
        now: Timestamp,
    ) -> RecordSupportViewResponse {
        let until = self.lock(now);
        RecordSupportViewResponse {
            text: "Add 3 to both sides, then divide by 5.".to_owned(),
            locked: true,
            locked_until: Some(wire(until)),
            snapshot_lite: Some(self.standing(now)),
            buttons: vec![press("continue", ClientEventKind::ExamContinue, true)],
            ..RecordSupportViewResponse::default()
        }
    }
}

/// A whole chain with its reasons.
pub(super) fn explained(turn_id: &str) -> ExplainTurnResponse {
    let reason = |code: DecisionReasonCode| DecisionReason {
        code: code.into(),
        ..DecisionReason::default()
    };
    let action = |action: TutorAction, allowed, code, text: &str| ActionExplanation {
        action: action.into(),
        allowed,
        reasons: vec![reason(code)],
        text: text.to_owned(),
    };
    let unit = |code, text: &str| UnitExplanation {
        unit_id: UNIT.to_owned(),
        reasons: vec![reason(code)],
        text: text.to_owned(),
    };
    let millis = |nanos| Some(prost_types::Duration { seconds: 0, nanos });
    let facts = TurnFacts {
        format: 1,
        turn_id: turn_id.to_owned(),
        student_id: "ada".to_owned(),
        snapshot: Some(StudentSnapshot {
            evidence: Some(Evidence {
                unit_progress: vec![UnitProgress {
                    unit_id: UNIT.to_owned(),
                    mastery_tier: MasteryTier::Bronze.into(),
                    ..UnitProgress::default()
                }],
                ..Evidence::default()
            }),
            ..StudentSnapshot::default()
        }),
        mapped_units: vec![MappedUnit {
            unit_id: UNIT.to_owned(),
            confidence: 0.873,
        }],
        plan: Some(Plan {
            candidates: vec![ScoredUnit {
                unit_id: UNIT.to_owned(),
                score: 0.612_34,
                intent: 0.9,
                recency: 1.0,
                in_progress: 1.0,
                tier_need: 0.7,
                drill_evidence: 0.5,
            }],
            scoped_unit_ids: vec![UNIT.to_owned(), "ALG-10".to_owned()],
            revisit_question_ids: vec![QUESTION.to_owned()],
            focus_drills: Some(FocusDrills {
                attempts: 5,
                streak_correct: 1,
                streak_wrong: 0,
            }),
            ..Plan::default()
        }),
        chunks: vec![FoundChunk {
            chunk_id: "ALG-11#2".to_owned(),
            score: 12.5,
        }],
        statuses: vec![QuestionStatus {
            question_id: QUESTION.to_owned(),
            state: QuestionState::Available.into(),
            locked_until: None,
        }],
        policy: Some(Policy {
            turn_id: turn_id.to_owned(),
            course_id: "algebra".to_owned(),
            focus_unit_id: UNIT.to_owned(),
            scoped_unit_ids: vec![UNIT.to_owned(), "ALG-10".to_owned()],
            allowed_actions: vec![
                TutorAction::SocraticQuestion.into(),
                TutorAction::DrillCard.into(),
            ],
            desired_exam_tier: MasteryTier::Silver.into(),
            exam_availability: ExamAvailability::Available.into(),
            ..Policy::default()
        }),
        prompt: Some(PromptIdentity {
            hash: "0123456789abcdef0123".to_owned(),
            sheets_hash: "fedcba9876543210fedc".to_owned(),
            max_tokens: 3500,
            tokens: 812,
        }),
        model_call: Some(ModelCall {
            model: "real-model".to_owned(),
            backend: "ollama".to_owned(),
            input_tokens: 640,
            output_tokens: 71,
            attempts: 1,
            queue_wait: millis(1_500_000),
            total: Some(prost_types::Duration {
                seconds: 2,
                nanos: 340_000_000,
            }),
            ..ModelCall::default()
        }),
        verdict: Some(Verdict {
            action: TutorAction::DrillCard.into(),
            target_unit_id: UNIT.to_owned(),
            drill_id: "ALG-11-D3".to_owned(),
            ..Verdict::default()
        }),
        times: vec![PhaseTime {
            phase: "plan".to_owned(),
            took: millis(420_000),
        }],
        ..TurnFacts::default()
    };
    ExplainTurnResponse {
        record: Some(TurnRecord {
            facts: Some(facts),
            texts: Some(TurnTexts::default()),
            ..TurnRecord::default()
        }),
        explanation: Some(Explanation {
            actions: vec![
                action(
                    TutorAction::SocraticQuestion,
                    true,
                    DecisionReasonCode::NoEvidenceNeeded,
                    "A question takes no evidence.",
                ),
                action(
                    TutorAction::ExamBlock,
                    false,
                    DecisionReasonCode::StreakShort,
                    "One of two drills in a row was right.",
                ),
            ],
            target: Some(unit(
                DecisionReasonCode::TargetMapped,
                "The message is about it with confidence 0.87.",
            )),
            focus: Some(unit(
                DecisionReasonCode::FocusIsTarget,
                "Nothing comes before it.",
            )),
            ..Explanation::default()
        }),
    }
}
