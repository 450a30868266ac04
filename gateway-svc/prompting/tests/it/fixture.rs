//! Turns and grades as tests need them.

use turnwise_prompts::{Conversation, GradePrompt, MistakeTag, Prompt, Sheets, TurnPrompt};
use turnwise_proto::{
    exam::v1::QuestionState,
    explain::v1::{ContextAttachment, ContextBundle},
    llm::v1::ChatRole,
    policy::v1::{Constraints, Policy, SnapshotSummary},
    retrieval::v1::{Anchor, Chunk, Citation, ExamCandidate},
    session::v1::GradedDrill,
    tutor::v1::{
        ClientEvent, ClientEventKind, DrillResult, ExamAvailability, MasteryTier, Project, Role,
        StudentInput, TutorAction, TutorCard, TutorMessage,
    },
};

/// A budget that nothing reaches.
pub const AMPLE: usize = 1_000_000;

/// What a turn's prompt is made from, owned.
#[derive(Debug, Clone)]
pub struct Turn {
    pub policy: Policy,
    pub summary: SnapshotSummary,
    pub anchors: Vec<Anchor>,
    pub unit_chunks: Vec<Chunk>,
    pub chunks: Vec<Chunk>,
    pub recent: Vec<TutorMessage>,
    pub input: StudentInput,
    pub context: Option<ContextBundle>,
    pub event: Option<ClientEvent>,
    pub candidates: Vec<ExamCandidate>,
    pub work: Work,
}

/// What the record says of a conversation, owned.
#[derive(Debug, Clone, Default)]
pub struct Work {
    pub open_card: Option<TutorCard>,
    pub hints_given: usize,
    pub last_answer: Option<GradedDrill>,
    pub exam_state: QuestionState,
    pub days_away: u64,
}

impl Turn {
    pub fn prompt(&self, sheets: &Sheets, locale: &str, max_tokens: usize) -> Prompt {
        let input = TurnPrompt {
            policy: &self.policy,
            summary: &self.summary,
            anchors: &self.anchors,
            unit_chunks: &self.unit_chunks,
            chunks: &self.chunks,
            recent: &self.recent,
            input: &self.input,
            clarification: None,
            context: self.context.as_ref(),
            event: self.event.as_ref(),
            candidates: &self.candidates,
            conversation: Conversation {
                open_card: self.work.open_card.as_ref(),
                hints_given: self.work.hints_given,
                last_answer: self.work.last_answer.as_ref(),
                exam_state: self.work.exam_state,
                days_away: self.work.days_away,
            },
        };
        sheets.turn(locale, &input, max_tokens).unwrap()
    }
}

/// A student in the middle of a course asks; an exam question is open.
pub fn turn() -> Turn {
    Turn {
        policy: Policy {
            turn_id: "5a4f1f36-3d0c-4f38-9a52-0d5f3f2f9c11".to_owned(),
            course_id: "algebra-foundations".to_owned(),
            focus_unit_id: "ALG-09".to_owned(),
            primary_target_unit_id: "ALG-10".to_owned(),
            prereq_blocking_unit_id: "ALG-09".to_owned(),
            scoped_unit_ids: vec!["ALG-09".to_owned(), "ALG-10".to_owned()],
            allowed_actions: actions(&[
                TutorAction::SocraticQuestion,
                TutorAction::DrillCard,
                TutorAction::ExamBlock,
            ]),
            exam_ready: true,
            desired_exam_tier: MasteryTier::Bronze.into(),
            exam_availability: ExamAvailability::Available.into(),
            exam_candidate_ids: vec!["ALG-09-B1".to_owned(), "ALG-09-B2".to_owned()],
            constraints: Some(Constraints {
                max_concept_words: 170,
                max_worked_examples: 1,
                drill_max_steps: 2,
                max_key_ideas: 3,
            }),
            ..Policy::default()
        },
        summary: SnapshotSummary {
            focus_unit_id: "ALG-09".to_owned(),
            focus_mastery_tier: MasteryTier::None.into(),
            units_in_progress: vec!["ALG-09".to_owned(), "ALG-07".to_owned()],
            revisit_locked_count: 1,
            revisit_next_eligible_at: Some(prost_types::Timestamp {
                seconds: 1_790_000_000,
                nanos: 0,
            }),
        },
        anchors: vec![
            anchor("ALG-09", "Inverse operations", "Undo what was done."),
            anchor("ALG-10", "Equations in one step", "Keep both sides equal."),
        ],
        unit_chunks: unit_chunks(),
        // The best of them is one of the unit's leading texts.
        chunks: vec![
            unit_chunks().remove(1),
            chunk("ALG-10", "If a < b and c is positive, then ac < bc."),
        ],
        recent: vec![
            said(Role::User, "hello"),
            said(Role::Assistant, "What undoes adding 3?"),
        ],
        input: StudentInput {
            text: "taking away 3? but why on both sides".to_owned(),
            ..StudentInput::default()
        },
        context: None,
        event: None,
        candidates: vec![ExamCandidate {
            question_id: "ALG-09-B1".to_owned(),
            unit_ids: vec!["ALG-09".to_owned(), "ALG-07".to_owned()],
            tags: vec!["two-steps".to_owned()],
            ..ExamCandidate::default()
        }],
        work: Work::default(),
    }
}

/// Stuck, in LaTeX, with what a recogniser heard.
pub fn stuck_turn() -> Turn {
    let base = turn();
    Turn {
        policy: Policy {
            allowed_actions: actions(&[
                TutorAction::SocraticQuestion,
                TutorAction::DrillCard,
                TutorAction::ConceptCard,
            ]),
            stuck: true,
            exam_ready: false,
            exam_availability: ExamAvailability::None.into(),
            exam_candidate_ids: Vec::new(),
            ..base.policy.clone()
        },
        input: StudentInput {
            latex: "\\frac{x}{2} < \\frac{3}{4}".to_owned(),
            voice_transcript: "x over two is less than three quarters".to_owned(),
            ..StudentInput::default()
        },
        ..base
    }
}

/// A student who supplied a budget and not the plan.
pub fn supplied_turn() -> Turn {
    Turn {
        context: Some(ContextBundle {
            attachments: vec![ContextAttachment {
                phase: "budget".to_owned(),
                artifact_type: "trip-budget".to_owned(),
                key_path: "costs".to_owned(),
                description: "What the trip costs.".to_owned(),
                body: "[{\"name\":\"Bus\",\"amount\":480.5}]".to_owned(),
                truncated: false,
                message_id: 7,
            }],
            missing: vec!["The plan of the day".to_owned()],
            project: None,
        }),
        ..turn()
    }
}

/// The same in a project, to be answered formally.
pub fn project_turn() -> Turn {
    let mut turn = supplied_turn();
    let context = turn.context.get_or_insert_default();
    context.project = Some(Project {
        batch_id: "trip".to_owned(),
        phase: "budget".to_owned(),
        goal: "A day trip that everybody can pay".to_owned(),
        plan: "Compare bus and train".to_owned(),
        writing_style: "formal".to_owned(),
    });
    turn
}

/// A button alone, at the beginning of a course, where nothing is known yet.
pub fn button_turn() -> Turn {
    Turn {
        policy: Policy {
            turn_id: "00000000-0000-4000-8000-000000000000".to_owned(),
            focus_unit_id: "ENTRY-00".to_owned(),
            primary_target_unit_id: "ENTRY-00".to_owned(),
            scoped_unit_ids: vec!["ENTRY-00".to_owned()],
            allowed_actions: actions(&[TutorAction::SocraticQuestion]),
            desired_exam_tier: MasteryTier::Bronze.into(),
            constraints: turn().policy.constraints,
            ..Policy::default()
        },
        summary: SnapshotSummary {
            focus_unit_id: "ENTRY-00".to_owned(),
            ..SnapshotSummary::default()
        },
        anchors: Vec::new(),
        unit_chunks: Vec::new(),
        chunks: Vec::new(),
        recent: Vec::new(),
        input: StudentInput::default(),
        context: None,
        event: Some(ClientEvent {
            kind: ClientEventKind::DrillContinue.into(),
            unit_id: "ENTRY-00".to_owned(),
            drill_result: DrillResult::Correct.into(),
            question_id: "FORGED-1".to_owned(),
            ..ClientEvent::default()
        }),
        candidates: Vec::new(),
        work: Work::default(),
    }
}

/// A first message that may be about three units: below the confidence, so that the tutor only asks.
pub fn unclear_first_message() -> Turn {
    let choices = ["ALG-19", "ALG-18", "ALG-17"].map(str::to_owned);
    let base = button_turn();
    Turn {
        policy: Policy {
            course_id: "algebra-foundations".to_owned(),
            scoped_unit_ids: [&["ENTRY-00".to_owned()], choices.as_slice()].concat(),
            choice_unit_ids: choices.to_vec(),
            ..base.policy
        },
        anchors: vec![
            anchor("ALG-19", "Solving quadratics", "Make a product zero."),
            anchor(
                "ALG-18",
                "Factoring quadratics",
                "Write a sum as a product.",
            ),
            anchor("ALG-17", "Multiplying binomials", "Each by each."),
        ],
        chunks: vec![chunk("ALG-19", "A product is zero where a factor is.")],
        input: StudentInput {
            text: "quadratics".to_owned(),
            ..StudentInput::default()
        },
        event: None,
        ..base
    }
}

pub fn actions(actions: &[TutorAction]) -> Vec<i32> {
    actions.iter().map(|action| i32::from(*action)).collect()
}

pub fn anchor(unit_id: &str, title: &str, summary: &str) -> Anchor {
    Anchor {
        unit_id: unit_id.to_owned(),
        title: title.to_owned(),
        summary: summary.to_owned(),
        tags: vec!["inverse".to_owned(), "equation".to_owned()],
        misconceptions: vec!["Undo in the same order.".to_owned()],
        score: 1.0,
    }
}

/// The first texts of the unit in focus.
pub fn unit_chunks() -> Vec<Chunk> {
    let texts = [
        "Undo the last step first. Adding 3 is undone by subtracting 3.",
        "Example: x + 3 = 7. Subtract 3 on both sides: x = 4.",
    ];
    texts.map(|text| chunk("ALG-09", text)).to_vec()
}

/// A chunk, named by its text.
pub fn chunk(unit_id: &str, text: &str) -> Chunk {
    Chunk {
        chunk_id: format!("{unit_id}: {text}"),
        unit_id: unit_id.to_owned(),
        chunk_type: "text".to_owned(),
        source_id: "lesson".to_owned(),
        section: "Undoing".to_owned(),
        text: text.to_owned(),
        citation: Some(Citation {
            source_id: "lesson".to_owned(),
            title: "Algebra step by step".to_owned(),
            section: "Undoing".to_owned(),
            url: "https://example.org/algebra".to_owned(),
            page: 12,
            ..Citation::default()
        }),
        ..Chunk::default()
    }
}

pub fn said(role: Role, text: &str) -> TutorMessage {
    TutorMessage {
        role: role.into(),
        text: text.to_owned(),
        ..TutorMessage::default()
    }
}

/// The tags of a small course.
pub const TAGS: [MistakeTag<'static>; 3] = [
    MistakeTag {
        tag: "sign_error",
        meaning: "A sign was lost or turned round.",
    },
    MistakeTag {
        tag: "one_side_only",
        meaning: "Something was done to one side of an equation only.",
    },
    MistakeTag {
        tag: "other",
        meaning: "",
    },
];

/// A drill, answered wrongly, that mathematics did not decide.
pub fn grade() -> GradePrompt<'static> {
    GradePrompt {
        unit_title: "Inverse operations",
        prompt: "Solve for x.",
        question_latex: "2x + 3 < 11",
        answer: "x is smaller than 7, or so",
        verdict: None,
        mistake_tags: &TAGS,
        key: Some("x < 4"),
    }
}

/// The messages as people read them.
pub fn shown(prompt: &Prompt) -> String {
    let mut shown = String::new();
    for message in &prompt.messages {
        let role = message.role().as_str_name();
        shown += &format!("=== {role}\n{}\n", message.content);
    }
    shown + &format!("=== about {} tokens\n", prompt.tokens)
}

/// What the system role says, and what the user role says: their messages, one below the other.
pub fn contents(prompt: &Prompt) -> (String, String) {
    let said = |role: ChatRole| {
        let messages = prompt.messages.iter().filter(|m| m.role() == role);
        let contents: Vec<&str> = messages.map(|m| m.content.as_str()).collect();
        contents.join("\n")
    };
    (said(ChatRole::System), said(ChatRole::User))
}

/// What stands in a block, read as JSON.
pub fn block(content: impl AsRef<str>, name: &str) -> Option<serde_json::Value> {
    let (_, rest) = content.as_ref().split_once(&format!("<{name}>\n"))?;
    let (json, _) = rest.split_once(&format!("\n</{name}>")).unwrap();
    Some(serde_json::from_str(json).unwrap())
}
