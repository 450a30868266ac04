//! What is asked for before a message is answered, and what was supplied.

use turnwise_context_needs::{self as needs, Input, Present, Slot};
use turnwise_course_pack::{ArtifactType, Supplier};
use turnwise_proto::{
    policy::v1::{
        AnalyzeContextRequest, AnalyzeContextResponse, CheckArtifactRequest, CheckArtifactResponse,
        PresentArtifact,
    },
    session::v1::ContextSlot,
};

use super::{
    chat::{MOST_MESSAGE_CHARS, bounded},
    read::Read,
};
use crate::{courses::LoadedCourse, error::PolicyError};

const MOST_PROJECT_CHARS: usize = 500;
/// Far more than a course has artifacts, each with some parts.
const MOST_PRESENT: usize = 1000;

/// What to ask for. With the hand-off off nothing is, whatever was sent.
pub(super) fn analyze(
    on: bool,
    loaded: &LoadedCourse,
    request: AnalyzeContextRequest,
) -> Read<AnalyzeContextResponse> {
    if !on {
        return Ok(AnalyzeContextResponse::default());
    }
    bounded("message", &request.message, 0..=MOST_MESSAGE_CHARS)?;
    if request.present.len() > MOST_PRESENT {
        let problem = format!("must have at most {MOST_PRESENT} items");
        return Err(PolicyError::invalid("present", problem));
    }
    let course = &loaded.context.course;
    let project = request.project.as_ref();
    if let Some(project) = project {
        bounded("project.goal", &project.goal, 0..=MOST_PROJECT_CHARS)?;
        bounded("project.plan", &project.plan, 0..=MOST_PROJECT_CHARS)?;
        let phase = &project.phase;
        if !phase.is_empty() && !course.phases.iter().any(|known| known.id == *phase) {
            let problem = "must be a phase of the course's context.yaml";
            return Err(PolicyError::invalid("project.phase", problem));
        }
    }
    let present: Vec<Present> = request.present.into_iter().map(present).collect();
    let input = Input {
        on,
        in_project: project.is_some(),
        phase: project
            .map(|project| project.phase.as_str())
            .filter(|phase| !phase.is_empty()),
        unit: Some(request.unit_id.as_str()).filter(|unit| !unit.is_empty()),
        message: &request.message,
        locale: &loaded.locale,
        goal: project.map_or("", |project| &project.goal),
        plan: project.map_or("", |project| &project.plan),
        present: &present,
        flagged: &[],
        messages_since_request: request
            .messages_since_request
            .map(|count| counted("messages_since_request", count))
            .transpose()?,
        requests: counted("requests", request.requests)?,
        refusals: counted("refusals", request.refusals)?,
    };
    let asked = needs::analyze(course, &input);
    let mut missing: Vec<String> = Vec::new();
    let lacking = needs::missing_must_have(course, &input);
    for need in course
        .needs
        .iter()
        .filter(|need| lacking.contains(&need.id.as_str()))
    {
        if let Some(artifact) = course.artifact(&need.artifact)
            && !missing.contains(&artifact.title)
        {
            missing.push(artifact.title.clone());
        }
    }
    let slots = asked.iter().flat_map(|asked| &asked.slots);
    let slots = slots.filter_map(|asked| Some(slot(course.artifact(&asked.artifact)?, asked)));
    Ok(AnalyzeContextResponse {
        slots: slots.collect(),
        must_have: asked.as_ref().is_some_and(|asked| asked.must_have),
        intent: needs::intent_of(&input).as_str().to_owned(),
        missing,
        relevant: needs::relevant(course, &input)
            .into_iter()
            .map(written)
            .collect(),
    })
}

fn counted(field: &str, count: i32) -> Read<u32> {
    u32::try_from(count).map_err(|_| PolicyError::invalid(field, "must not be negative"))
}

fn present(artifact: PresentArtifact) -> Present {
    Present {
        artifact: artifact.artifact_type,
        key_paths: vec![artifact.key_path],
    }
}

fn written(present: Present) -> PresentArtifact {
    PresentArtifact {
        artifact_type: present.artifact,
        key_path: present.key_paths.concat(),
    }
}

fn slot(artifact: &ArtifactType, asked: &Slot) -> ContextSlot {
    ContextSlot {
        phase: asked.phase.clone().unwrap_or_default(),
        artifact_type: asked.artifact.clone(),
        key_path: asked.key_path.clone().unwrap_or_default(),
        size_limit: i32::try_from(asked.size_limit).unwrap_or(i32::MAX),
        urgency: asked.urgency.as_str().to_owned(),
        optional: asked.optional,
        suppliers: suppliers(&asked.suppliers),
        title: artifact.title.clone(),
        description: artifact.description.clone(),
        why: asked.why.clone(),
        format: artifact.format.as_str().to_owned(),
    }
}

fn suppliers(suppliers: &[Supplier]) -> Vec<String> {
    suppliers
        .iter()
        .map(|supplier| supplier.as_str().to_owned())
        .collect()
}

/// What to keep of what was supplied.
pub(super) fn check(
    loaded: &LoadedCourse,
    request: &CheckArtifactRequest,
) -> Read<CheckArtifactResponse> {
    let artifact = loaded
        .context
        .course
        .artifact(&request.artifact_type)
        .ok_or_else(|| {
            PolicyError::invalid(
                "artifact_type",
                "must be an artifact of the course's context.yaml",
            )
        })?;
    if request.content.is_empty() {
        return Err(PolicyError::missing("content"));
    }
    let checked = loaded
        .context
        .check(artifact, &request.key_path, &request.content);
    let content = checked.map_err(|refusal| PolicyError::artifact(refusal, artifact.format))?;
    Ok(CheckArtifactResponse {
        content: content.into_owned(),
        title: artifact.title.clone(),
        suppliers: suppliers(&artifact.suppliers),
        format: artifact.format.as_str().to_owned(),
    })
}
