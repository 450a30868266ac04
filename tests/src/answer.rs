//! What must hold for every answer, and a turn's decision as the gateway logs it.

use serde_json::Value;
use turnwise_proto::tutor::v1::{
    ClientEventKind, DegradedReason, Role, TakeTurnResponse, Thread, TutorAction, TutorMessage,
    tutor_card::Content,
};
use uuid::Uuid;

/// The decision of one turn, from the gateway's log.
#[derive(Debug, Clone)]
pub struct Decision {
    /// The turn.
    pub turn_id: String,
    /// The actions that were allowed.
    pub allowed: Vec<String>,
    /// What the reply does.
    pub action: String,
    /// The unit that is worked on.
    pub focus: String,
    /// The missing prerequisite.
    pub blocker: String,
    /// Why the reply is a fallback; the unspecified reason where it is none.
    pub fallback: String,
    /// What was wrong with the model's reply.
    pub violation: String,
}

impl Decision {
    /// Reads a line of the log; `None` if it is about something else.
    pub fn read(line: &str) -> Option<Self> {
        let line: Value = serde_json::from_str(line).ok()?;
        if line["message"] != "turn" {
            return None;
        }
        let text = |key: &str| {
            line[key]
                .as_str()
                .unwrap_or_else(|| panic!("the turn's log line has no `{key}`: {line}"))
                .to_owned()
        };
        Some(Self {
            turn_id: text("turn_id"),
            allowed: serde_json::from_str(&text("allowed")).unwrap(),
            action: text("action"),
            focus: text("focus"),
            blocker: text("blocker"),
            fallback: text("fallback"),
            violation: text("violation"),
        })
    }

    /// Whether an action was allowed.
    pub fn allows(&self, action: TutorAction) -> bool {
        self.allowed.iter().any(|name| name == action.as_str_name())
    }
}

/// The tutor's message of an answer.
pub fn tutor(answer: &TakeTurnResponse) -> &TutorMessage {
    answer.messages.last().unwrap()
}

/// What a message does, as its card shows.
pub fn shown_action(message: &TutorMessage) -> TutorAction {
    match message
        .card
        .as_ref()
        .map(|card| card.content.as_ref().unwrap())
    {
        None => TutorAction::SocraticQuestion,
        Some(Content::Concept(_)) => TutorAction::ConceptCard,
        Some(Content::Drill(_)) => TutorAction::DrillCard,
        Some(Content::Exam(_)) => TutorAction::ExamBlock,
    }
}

/// Insists on all that holds for every answer, whoever made its reply. `thread` is as it was before the turn.
pub fn check_shape(thread: &Thread, answer: &TakeTurnResponse) {
    Uuid::parse_str(&answer.turn_id).expect("a turn's id is a UUID");
    assert_eq!(answer.thread_id, thread.thread_id);
    let [user, tutor] = answer.messages.as_slice() else {
        panic!("an answer has two messages: {answer:#?}");
    };
    assert_eq!(user.id, thread.message_count + 1);
    assert_eq!(tutor.id, thread.message_count + 2);
    assert_eq!(user.role(), Role::User);
    assert_eq!(tutor.role(), Role::Assistant);
    for message in [user, tutor] {
        assert_eq!(message.thread_id, thread.thread_id);
        assert!(message.create_time.is_some());
    }
    assert!(user.card.is_none() && user.buttons.is_empty());
    assert!(!tutor.text.trim().is_empty());
    assert!(tutor.latex.is_empty() && tutor.event.is_none());
    if let Some(card) = &tutor.card {
        assert!(!card.unit_id.is_empty());
        match card.content.as_ref().unwrap() {
            Content::Concept(concept) => assert!((1..=3).contains(&concept.key_ideas.len())),
            Content::Drill(drill) => assert!(!drill.prompt.trim().is_empty()),
            Content::Exam(exam) => assert!(!exam.question_id.is_empty()),
        }
    }
}

/// Insists on all that holds for an answer while the policy can be asked.
pub fn check_answer(thread: &Thread, answer: &TakeTurnResponse) {
    check_shape(thread, answer);
    let standing = answer.snapshot_lite.as_ref().expect("a standing");
    let focus = standing.focus.as_ref().expect("a focus");
    assert!(!focus.unit_id.is_empty() && !focus.title.is_empty());
    assert!(standing.revisit.is_some());
    let progress = standing.progress.as_ref().expect("a progress");
    assert!(progress.total > 0);
    let tutor = tutor(answer);
    assert!(!tutor.buttons.is_empty());
    for button in &tutor.buttons {
        assert!(!button.label_key.is_empty());
        if button.label_key == "check_typed" {
            assert!(button.typed_answer.is_some() && !button.card_token.is_empty());
            continue;
        }
        let event = button.event.as_ref().expect("a button sends an event");
        assert_ne!(event.kind(), ClientEventKind::Unspecified);
        // A button below a question is about no unit.
        assert_eq!(event.unit_id.is_empty(), answer.clarification.is_some());
    }
    let primary = tutor.buttons.iter().filter(|b| b.primary).count();
    assert!(primary <= 1);
    assert!(primary == 0 || tutor.buttons[0].primary);
}

/// Insists that an answer is the model's own and that the decision allowed it.
pub fn check_model_answer(thread: &Thread, answer: &TakeTurnResponse, decision: &Decision) {
    check_answer(thread, answer);
    let degraded: Vec<_> = answer.degraded_reasons().collect();
    assert!(degraded.is_empty(), "{degraded:?} {decision:?}");
    assert_eq!(answer.model, "mock");
    assert_eq!(
        decision.fallback,
        DegradedReason::Unspecified.as_str_name(),
        "{decision:?}"
    );
    assert_eq!(decision.violation, "");
    check_allowed(answer, decision);
}

/// Insists that an answer is a fallback for this reason alone, and that the decision allowed what it does.
pub fn check_fallback(
    thread: &Thread,
    answer: &TakeTurnResponse,
    decision: &Decision,
    reason: DegradedReason,
) {
    check_answer(thread, answer);
    let degraded: Vec<_> = answer.degraded_reasons().collect();
    assert_eq!(degraded, [reason], "{decision:?}");
    assert_eq!(decision.fallback, reason.as_str_name());
    check_allowed(answer, decision);
}

/// Insists that a reply does what the log says, and that this was allowed.
pub fn check_allowed(answer: &TakeTurnResponse, decision: &Decision) {
    let shown = shown_action(tutor(answer));
    assert_eq!(decision.turn_id, answer.turn_id);
    assert_eq!(decision.action, shown.as_str_name());
    assert!(decision.allows(shown), "{shown:?} is not in {decision:?}");
    assert!(
        !decision.allows(TutorAction::ExamBlock) || decision.blocker.is_empty(),
        "an exam behind a missing prerequisite: {decision:?}"
    );
}
