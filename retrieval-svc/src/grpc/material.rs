//! Reference texts and artifacts: what is taken from files and from students' work.

use turnwise_course_pack::Pack;
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    retrieval::v1::{
        ArtifactSlice, ExtractArtifactRequest, ExtractArtifactResponse, GetReferenceResponse,
        ReferenceSource, get_reference_request::Name,
    },
};

use crate::{
    artifacts::{self, ArtifactError},
    references::{Origin, ReferenceError, References},
};

/// The reference text of this name.
pub(super) fn reference(
    references: &References,
    pack: &Pack,
    name: Option<Name>,
) -> Result<GetReferenceResponse, Fault> {
    let (field, given, found) = match &name {
        Some(Name::Key(key)) => ("key", key, references.get(pack, key)),
        Some(Name::Lesson(lesson)) => ("lesson", lesson, references.for_lesson(pack, lesson)),
        None => return Err(Fault::invalid("name", "is required: a key or a lesson")),
    };
    let found = found.map_err(|error| fault(field, given, &error))?;
    let source = match found.origin {
        Origin::Map => ReferenceSource::Map,
        Origin::Directory => ReferenceSource::Directory,
        Origin::Pack => ReferenceSource::Pack,
        Origin::File => ReferenceSource::File,
    };
    Ok(GetReferenceResponse {
        key: found.key,
        text: found.text,
        source: source.into(),
    })
}

fn fault(field: &str, given: &str, error: &ReferenceError) -> Fault {
    let message = error.to_string();
    match error {
        ReferenceError::BadName => Fault::invalid(field, message),
        ReferenceError::Unknown(_) => Fault::new(ErrorReason::UnknownReference, message)
            .field(field, "names no reference")
            .meta("key", given),
        ReferenceError::TooLarge(_) => {
            Fault::new(ErrorReason::PayloadTooLarge, message).field(field, "its text is too long")
        }
        ReferenceError::NotText(_) | ReferenceError::Refused(_) | ReferenceError::Unreadable(_) => {
            Fault::invalid(field, message)
        }
    }
}

/// The parts of an artifact.
pub(super) fn artifact(request: ExtractArtifactRequest) -> Result<ExtractArtifactResponse, Fault> {
    let extracted = artifacts::extract(&artifacts::Request {
        artifact_type: &request.artifact_type,
        content: &request.content,
        key_paths: &request.key_paths,
        size_limit: request.size_limit,
        suggest: &request.suggest,
        names: &request.names,
    });
    let extracted = extracted.map_err(|error| {
        let message = error.to_string();
        match error {
            ArtifactError::Invalid { field, .. } => Fault::invalid(&field, message),
            ArtifactError::TooLarge(_) => {
                Fault::new(ErrorReason::PayloadTooLarge, message).field("content", "is too long")
            }
            ArtifactError::Unsupported { field, .. } => {
                Fault::new(ErrorReason::UnsupportedPayload, message)
                    .field(field, "cannot be read")
                    .meta(
                        "expected",
                        request.artifact_type.chars().take(60).collect::<String>(),
                    )
            }
        }
    })?;
    let slices = extracted.slices.into_iter().map(|slice| ArtifactSlice {
        key_path: slice.key_path,
        text: slice.text,
        start: long(slice.start),
        end: long(slice.end),
        truncated: slice.truncated,
        redactions: i32::try_from(slice.redactions).unwrap_or(i32::MAX),
        suggested: slice.suggested,
    });
    Ok(ExtractArtifactResponse {
        slices: slices.collect(),
        missing: extracted.missing,
    })
}

fn long(offset: usize) -> i64 {
    i64::try_from(offset).unwrap_or(i64::MAX)
}
