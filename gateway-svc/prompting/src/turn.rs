//! The prompt of a turn, in the order of how long its parts stay the same: rules in the system role; the unit, the student's
//! record and the conversation as data in the user role; POLICY in the system role; the student's words in the user role.

use minijinja::{Value, context};
use serde::Serialize;
use turnwise_proto::{
    explain::v1::ContextBundle,
    policy::v1::{Constraints, Policy, SnapshotSummary},
    retrieval::v1::{Anchor, Chunk, ExamCandidate},
    session::v1::Clarification,
    tutor::v1::{ClientEvent, Project, StudentInput, TutorMessage},
};

use crate::{
    attachments::AttachmentsPart,
    block::block,
    budget::BudgetedParts,
    conversation::Conversation,
    fault::RenderError,
    words::{action, availability, non_empty, tier},
};

/// What the prompt of a turn is made from.
#[derive(Debug, Clone, Copy)]
pub struct TurnPrompt<'a> {
    /// The turn's policy.
    pub policy: &'a Policy,
    /// What the model sees of the student's record.
    pub summary: &'a SnapshotSummary,
    /// Descriptions of the units in scope, best first.
    pub anchors: &'a [Anchor],
    /// The first texts of the focus, in the course's order.
    pub unit_chunks: &'a [Chunk],
    /// Lesson text for the message, best first.
    pub chunks: &'a [Chunk],
    /// The latest messages, oldest first.
    pub recent: &'a [TutorMessage],
    /// What the student says, redacted. Empty: only a button was pressed.
    pub input: &'a StudentInput,
    /// The document and the student's answers that the reply is to use.
    pub clarification: Option<&'a Clarification>,
    /// What was supplied for the message, and what was not.
    pub context: Option<&'a ContextBundle>,
    /// The button that was pressed. What a client says there about results is not believed and not shown to the model.
    pub event: Option<&'a ClientEvent>,
    /// What was found of the exam questions that may be offered.
    pub candidates: &'a [ExamCandidate],
    /// What the record says of the conversation.
    pub conversation: Conversation<'a>,
}

/// The variables of a turn's system sheet: none that differs between students of a course.
pub(crate) fn system_variables(bounds: &Constraints, locale: &str) -> Value {
    context! {
        locale,
        max_concept_words => bounds.max_concept_words,
        max_key_ideas => bounds.max_key_ideas,
        max_worked_examples => bounds.max_worked_examples,
        drill_max_steps => bounds.drill_max_steps,
    }
}

/// The variables of a turn's policy sheet.
pub(crate) fn policy_variables(policy: &Policy, locale: &str) -> Result<Value, RenderError> {
    Ok(context! {
        locale,
        allowed_actions => allowed_actions(policy),
        policy => block("POLICY", &PolicyView::of(policy))?,
    })
}

/// The variables of a turn's input sheet.
pub(crate) fn input_variables(input: &TurnPrompt<'_>, locale: &str) -> Result<Value, RenderError> {
    let said = StudentInputView::of(input.input);
    Ok(context! {
        locale,
        allowed_actions => allowed_actions(input.policy),
        has_clarification => input.clarification.is_some(),
        is_pressed => said.is_empty(),
        // Of a project it stands first.
        student_input => if project(input).is_some() { String::new() } else { said.block()? },
    })
}

fn project<'a>(input: &TurnPrompt<'a>) -> Option<&'a Project> {
    input.context?.project.as_ref()
}

/// The writing style that was asked for.
pub(crate) fn style<'a>(input: &TurnPrompt<'a>) -> Option<&'a str> {
    let style = project(input)?.writing_style.as_str();
    (!style.is_empty()).then_some(style)
}

/// The variables of a turn's user sheet. `style` is how the reply is to be written, filled in.
pub(crate) fn user_variables(
    input: &TurnPrompt<'_>,
    parts: &BudgetedParts<'_>,
    style: &str,
    locale: &str,
) -> Result<Value, RenderError> {
    let project = project(input).map(ProjectView::of);
    Ok(context! {
        locale,
        unit_context => parts.unit.block()?,
        context => block("CONTEXT", &parts.context)?,
        earlier_turns => if parts.earlier().is_empty() {
            String::new()
        } else {
            block("EARLIER_TURNS", &parts.earlier())?
        },
        clarification => match &parts.clarification {
            Some(clarification) => block("CLARIFICATION", clarification)?,
            None => String::new(),
        },
        external_context => match &parts.attachments {
            Some(attachments) => block("EXTERNAL_CONTEXT", attachments)?,
            None => String::new(),
        },
        student_input => match project {
            Some(_) => StudentInputView::of(input.input).block()?,
            None => String::new(),
        },
        project => match project {
            Some(project) => block("PROJECT", &project)?,
            None => String::new(),
        },
        style,
        not_supplied => parts.attachments.as_ref().is_some_and(AttachmentsPart::lacks_something),
    })
}

/// PROJECT: what the client said of the project.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProjectView<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<&'a str>,
}

impl<'a> ProjectView<'a> {
    fn of(project: &'a Project) -> Self {
        Self {
            phase: non_empty(&project.phase),
            goal: non_empty(&project.goal),
            plan: non_empty(&project.plan),
        }
    }
}

fn allowed_actions(policy: &Policy) -> Vec<&'static str> {
    policy.allowed_actions().map(action).collect()
}

/// POLICY. When the first lock ends is for staff and no part of it, bounds of texts are the same for all and stand in the
/// rules, and what is not so is left out.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PolicyView<'a> {
    focus_unit_id: &'a str,
    /// What the student asked about; none where it is the focus.
    #[serde(skip_serializing_if = "Option::is_none")]
    primary_target_unit_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prereq_blocking_unit_id: Option<&'a str>,
    scoped_unit_ids: &'a [String],
    allowed_actions: Vec<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stuck: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    exam_ready: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    desired_exam_tier: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exam_availability: Option<&'static str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    choice_unit_ids: &'a [String],
}

impl<'a> PolicyView<'a> {
    fn of(policy: &'a Policy) -> Self {
        let exam_ready = policy.exam_ready;
        Self {
            focus_unit_id: &policy.focus_unit_id,
            primary_target_unit_id: non_empty(&policy.primary_target_unit_id)
                .filter(|target| *target != policy.focus_unit_id),
            prereq_blocking_unit_id: non_empty(&policy.prereq_blocking_unit_id),
            scoped_unit_ids: &policy.scoped_unit_ids,
            allowed_actions: allowed_actions(policy),
            stuck: policy.stuck,
            exam_ready,
            desired_exam_tier: exam_ready.then(|| tier(policy.desired_exam_tier())),
            exam_availability: exam_ready.then(|| availability(policy.exam_availability())),
            choice_unit_ids: &policy.choice_unit_ids,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StudentInputView<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    message_text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_latex: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    voice_transcript: Option<&'a str>,
}

impl<'a> StudentInputView<'a> {
    fn of(input: &'a StudentInput) -> Self {
        Self {
            message_text: non_empty(&input.text),
            message_latex: non_empty(&input.latex),
            voice_transcript: non_empty(&input.voice_transcript),
        }
    }

    fn is_empty(&self) -> bool {
        self.message_text.is_none()
            && self.message_latex.is_none()
            && self.voice_transcript.is_none()
    }

    /// STUDENT_INPUT; empty where nothing was said.
    fn block(&self) -> Result<String, RenderError> {
        match self.is_empty() {
            true => Ok(String::new()),
            false => block("STUDENT_INPUT", self),
        }
    }
}
