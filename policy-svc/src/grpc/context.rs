//! What to ask for before a message is answered, and whether what was supplied is that.

use turnwise_context_needs::{self as needs, Input, Present, artifact::Refusal};
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    policy::v1::{
        AnalyzeContextRequest, AnalyzeContextResponse, CheckArtifactRequest, CheckArtifactResponse,
        PresentArtifact,
    },
    session::v1::ContextSlot,
};

use super::read::Read;
use crate::{courses::LoadedCourse, error::PolicyError};

const MOST_MESSAGE_CHARS: usize = 16_000;
const MOST_NOTE_CHARS: usize = 500;
/// Far more than any thread has.
const MOST_PRESENT: usize = 10_000;

/// What to ask for. Nothing while the hand-off is off.
pub(super) fn analyze(
    loaded: &LoadedCourse,
    on: bool,
    request: &AnalyzeContextRequest,
) -> Read<AnalyzeContextResponse> {
    let project = request.project.as_ref();
    let (phase, goal, plan) = project.map_or(("", "", ""), |project| {
        (&*project.phase, &*project.goal, &*project.plan)
    });
    for (field, text, most) in [
        ("message", &*request.message, MOST_MESSAGE_CHARS),
        ("project.goal", goal, MOST_NOTE_CHARS),
        ("project.plan", plan, MOST_NOTE_CHARS),
    ] {
        if text.chars().count() > most {
            let problem = format!("must have at most {most} characters");
            return Err(PolicyError::invalid(field, problem));
        }
    }
    if request.present.len() > MOST_PRESENT {
        let problem = format!("must have at most {MOST_PRESENT} items");
        return Err(PolicyError::invalid("present", problem));
    }
    let course = &loaded.context;
    if on && !phase.is_empty() && course.phases.iter().all(|known| known.id != phase) {
        let problem = "must be a phase of the course's context.yaml, or be left out";
        return Err(PolicyError::invalid("project.phase", problem));
    }
    let present: Vec<Present> = request
        .present
        .iter()
        .map(|there| Present {
            artifact: there.artifact_type.clone(),
            key_paths: vec![there.key_path.clone()],
        })
        .collect();
    let count = |field: &str, count: i32| {
        u32::try_from(count).map_err(|_| PolicyError::invalid(field, "must not be below 0"))
    };
    let since = request.messages_since_request;
    let input = Input {
        on,
        in_project: project.is_some(),
        phase: (!phase.is_empty()).then_some(phase),
        unit: (!request.unit_id.is_empty()).then_some(request.unit_id.as_str()),
        message: &request.message,
        locale: &loaded.locale,
        goal,
        plan,
        present: &present,
        flagged: &[],
        messages_since_request: since
            .map(|since| count("messages_since_request", since))
            .transpose()?,
        requests: count("requests", request.requests)?,
        refusals: count("refusals", request.refusals)?,
    };
    let asked = needs::analyze(course, &input);
    let mut missing: Vec<String> = Vec::new();
    for id in needs::missing_must_have(course, &input) {
        let need = course.needs.iter().find(|need| need.id == id);
        let artifact = need.and_then(|need| course.artifact(&need.artifact));
        missing.extend(artifact.map(|artifact| artifact.title.clone()));
    }
    missing.dedup();
    let relevant = needs::relevant(course, &input)
        .into_iter()
        .map(|there| PresentArtifact {
            artifact_type: there.artifact,
            key_path: there.key_paths.into_iter().next().unwrap_or_default(),
        });
    Ok(AnalyzeContextResponse {
        must_have: asked.as_ref().is_some_and(|asked| asked.must_have),
        intent: asked
            .as_ref()
            .map_or_else(String::new, |asked| asked.intent.as_str().to_owned()),
        slots: asked.map_or_else(Vec::new, |asked| {
            let slots = asked.slots.into_iter();
            slots.map(|slot| written(loaded, slot)).collect()
        }),
        missing,
        relevant: relevant.collect(),
    })
}

fn written(loaded: &LoadedCourse, slot: needs::Slot) -> ContextSlot {
    let artifact = loaded.context.artifact(&slot.artifact);
    let (title, description, format) = artifact.map_or_else(Default::default, |artifact| {
        (
            artifact.title.clone(),
            artifact.description.clone(),
            artifact.format.as_str().to_owned(),
        )
    });
    ContextSlot {
        phase: slot.phase.unwrap_or_default(),
        artifact_type: slot.artifact,
        key_path: slot.key_path.unwrap_or_default(),
        size_limit: i32::try_from(slot.size_limit).unwrap_or(i32::MAX),
        urgency: slot.urgency.as_str().to_owned(),
        optional: slot.optional,
        suppliers: slot
            .suppliers
            .into_iter()
            .map(|role| role.as_str().to_owned())
            .collect(),
        title,
        description,
        why: slot.why,
        format,
    }
}

/// What was supplied, cut to what was asked for.
pub(super) fn check(
    loaded: &LoadedCourse,
    request: &CheckArtifactRequest,
) -> Result<CheckArtifactResponse, Fault> {
    let artifact = loaded.context.artifact(&request.artifact_type);
    let artifact = artifact.ok_or_else(|| {
        Fault::invalid(
            "artifact_type",
            "must be an artifact of the course's context.yaml",
        )
    })?;
    let content = needs::artifact::check(artifact, &request.key_path, &request.content)
        .map_err(|refusal| refused(refusal, artifact.format.as_str()))?;
    Ok(CheckArtifactResponse {
        content,
        title: artifact.title.clone(),
        suppliers: artifact
            .suppliers
            .iter()
            .map(|role| role.as_str().to_owned())
            .collect(),
        format: artifact.format.as_str().to_owned(),
    })
}

/// Says what to do, and nothing of the content.
fn refused(refusal: Refusal, format: &'static str) -> Fault {
    let problem = match refusal {
        Refusal::Empty => "is empty; supply the artifact or the part that is asked for".to_owned(),
        Refusal::TooLarge(most) => {
            format!("has more than {most} bytes; supply the part that is asked for")
        }
        Refusal::Json => "is no JSON; supply the artifact as JSON".to_owned(),
        Refusal::Depth => "is nested too deeply; at most 32 levels are taken".to_owned(),
        Refusal::Schema => "is not what the course's schema of it describes".to_owned(),
        Refusal::KeyPath => "has not the part that is asked for".to_owned(),
        Refusal::Script => "holds a script; supply plain text".to_owned(),
        Refusal::Control => "holds control characters; supply plain text".to_owned(),
    };
    let reason = match refusal {
        Refusal::TooLarge(_) => ErrorReason::PayloadTooLarge,
        _ => ErrorReason::UnsupportedPayload,
    };
    Fault::new(reason, format!("`content` {problem}"))
        .meta("cause", refusal.cause())
        .meta("expected", format)
        .field("content", problem)
}
