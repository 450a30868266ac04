//! Checks of fields that several calls share.

use turnwise_kit::{Caller, Fault, ids};
use turnwise_proto::{
    common::v1::ErrorReason, retrieval::v1::Namespace as NamespaceNumber, tutor::v1::MasteryTier,
};
use turnwise_retrieval_index::{Namespace, Tier};

use crate::{course::CourseVersion, error::RetrievalError};

/// The most characters of a text to search for or to map.
const MAX_TEXT_CHARS: usize = 16_000;
/// The most bytes of all earlier messages together; those that count are shorter by far.
const MAX_RECENT_BYTES: usize = 1_000_000;

/// The tenant of a caller; a call of the service's own, without one, sees what all tenants see.
pub(super) fn tenant(caller: Option<&Caller>) -> &str {
    caller.map_or("", |caller| caller.tenant.as_str())
}

pub(super) fn course_ids(course_id: &str, pack_hash: &str) -> Result<(), Fault> {
    ids::check("course_id", course_id)?;
    if !pack_hash.is_empty() {
        ids::check("pack_hash", pack_hash)?;
    }
    Ok(())
}

pub(super) fn texts(text: &str, recent: &[String]) -> Result<(), Fault> {
    let chars = text.chars().count();
    if chars > MAX_TEXT_CHARS {
        return Err(Fault::invalid(
            "text",
            format!("has {chars} characters; at most {MAX_TEXT_CHARS} are read"),
        ));
    }
    let bytes: usize = recent.iter().map(String::len).sum();
    if bytes > MAX_RECENT_BYTES {
        return Err(Fault::invalid(
            "recent_texts",
            format!("have {bytes} bytes together; send at most {MAX_RECENT_BYTES}"),
        ));
    }
    Ok(())
}

pub(super) fn namespace(field: &str, number: i32) -> Result<Namespace, Fault> {
    match NamespaceNumber::try_from(number) {
        Ok(NamespaceNumber::UnitAnchors) => Ok(Namespace::Anchors),
        Ok(NamespaceNumber::UnitContentChunks) => Ok(Namespace::Chunks),
        Ok(NamespaceNumber::ExamCandidates) => Ok(Namespace::ExamCandidates),
        Ok(NamespaceNumber::ExamSupportChunks) => Ok(Namespace::ExamSupport),
        Ok(NamespaceNumber::Unspecified) | Err(_) => Err(Fault::new(
            ErrorReason::UnknownNamespace,
            format!("there is no namespace {number}; the proto lists them"),
        )
        .field(field, "is no namespace")
        .meta("namespace", number.to_string())),
    }
}

/// A tier that exam questions can have; `None` if none is named.
pub(super) fn tier(field: &str, number: i32) -> Result<Option<Tier>, Fault> {
    match MasteryTier::try_from(number) {
        Ok(MasteryTier::Bronze) => Ok(Some(Tier::Bronze)),
        Ok(MasteryTier::Silver) => Ok(Some(Tier::Silver)),
        Ok(MasteryTier::Gold) => Ok(Some(Tier::Gold)),
        Ok(MasteryTier::Unspecified) => Ok(None),
        Ok(MasteryTier::None) | Err(_) => {
            Err(Fault::invalid(field, "must be bronze, silver or gold"))
        }
    }
}

pub(super) fn unit<'a>(
    course: &'a CourseVersion,
    field: &'static str,
    id: &str,
) -> Result<&'a str, Fault> {
    ids::check(field, id)?;
    let unit = course.unit(id).ok_or_else(|| RetrievalError::UnknownUnit {
        field,
        unit_id: id.to_owned(),
    })?;
    Ok(&unit.id)
}

/// The id of the one question that is asked for, if one is named; the course need not have it.
pub(super) fn question<'a>(field: &str, id: &'a str) -> Result<Option<&'a str>, Fault> {
    if id.is_empty() {
        return Ok(None);
    }
    ids::check(field, id)?;
    Ok(Some(id))
}

/// The units of a scope, each once, in the course's order.
pub(super) fn units<'a>(
    course: &'a CourseVersion,
    field: &'static str,
    ids: &[String],
    bounds: std::ops::RangeInclusive<usize>,
) -> Result<Vec<&'a str>, Fault> {
    if !bounds.contains(&ids.len()) {
        return Err(Fault::invalid(
            field,
            format!(
                "names {} units; name {} to {}",
                ids.len(),
                bounds.start(),
                bounds.end()
            ),
        ));
    }
    for id in ids {
        unit(course, field, id)?;
    }
    Ok(course.in_order(ids))
}
