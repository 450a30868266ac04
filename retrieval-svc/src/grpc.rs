//! The service's face: checks requests and converts answers.

use std::sync::Arc;

use tonic::{Request, Response, Status};
use turnwise_course_pack as pack;
use turnwise_kit::{Fault, ids};
use turnwise_proto::{
    retrieval::v1::{
        Anchor, Chunk, ExamCandidate, ExamSupportChunk, MapMessageRequest, MapMessageResponse,
        Namespace, RetrieveRequest, RetrieveResponse, retrieval_service_server::RetrievalService,
    },
    session::v1::MappedUnit,
    tutor::v1::MasteryTier,
};

use crate::{
    Courses,
    error::RetrievalError,
    index::{CourseIndex, Hit, UnitIndex},
};

/// The most characters of a text to search for or to map.
const MAX_TEXT_CHARS: usize = 16_000;
/// The most units of a scope.
const MAX_SCOPED_UNITS: usize = 6;

/// The gRPC service.
pub struct Retrieval {
    courses: Arc<Courses>,
}

impl Retrieval {
    /// Serves these courses.
    pub fn new(courses: Arc<Courses>) -> Self {
        Self { courses }
    }

    /// The course as new turns have it.
    fn course(&self, id: &str) -> Result<Arc<CourseIndex>, RetrievalError> {
        let course = self.courses.get(id);
        course.ok_or_else(|| RetrievalError::UnknownCourse(id.to_owned()))
    }

    /// The course in this version, which need not be the one that new turns have.
    fn version(&self, id: &str, pack_hash: &str) -> Result<Arc<CourseIndex>, RetrievalError> {
        if !self.courses.holds(id) {
            return Err(RetrievalError::UnknownCourse(id.to_owned()));
        }
        let course = self.courses.version(id, pack_hash);
        course.ok_or_else(|| RetrievalError::UnknownPackVersion {
            course_id: id.to_owned(),
            pack_hash: pack_hash.to_owned(),
        })
    }
}

#[tonic::async_trait]
impl RetrievalService for Retrieval {
    async fn map_message(
        &self,
        request: Request<MapMessageRequest>,
    ) -> Result<Response<MapMessageResponse>, Status> {
        let request = request.into_inner();
        ids::check("course_id", &request.course_id)?;
        check_text(&request.text)?;
        let course = self.course(&request.course_id)?;
        let mapped_units = course
            .map_message(&request.text, &request.recent_texts)
            .into_iter()
            .map(|mapped| MappedUnit {
                unit_id: mapped.unit.id.clone(),
                confidence: mapped.confidence,
            })
            .collect();
        Ok(Response::new(MapMessageResponse {
            mapped_units,
            index_id: course.id().to_owned(),
        }))
    }

    async fn retrieve(
        &self,
        request: Request<RetrieveRequest>,
    ) -> Result<Response<RetrieveResponse>, Status> {
        let request = request.into_inner();
        ids::check("course_id", &request.course_id)?;
        check_text(&request.text)?;
        let course = if request.pack_hash.is_empty() {
            self.course(&request.course_id)?
        } else {
            ids::check("pack_hash", &request.pack_hash)?;
            self.version(&request.course_id, &request.pack_hash)?
        };
        let search = Search::check(&course, &request)?;
        Ok(Response::new(search.run(&course, &request.text)))
    }
}

fn check_text(text: &str) -> Result<(), Fault> {
    let chars = text.chars().count();
    if chars > MAX_TEXT_CHARS {
        return Err(Fault::invalid(
            "text",
            format!("has {chars} characters; at most {MAX_TEXT_CHARS} are read"),
        ));
    }
    Ok(())
}

/// A checked search: what is asked of each namespace, `None` where it is not asked.
#[derive(Default)]
struct Search {
    anchors: Option<Vec<UnitIndex>>,
    chunks: Option<Vec<UnitIndex>>,
    exam_candidates: Option<(UnitIndex, pack::Tier)>,
    exam_support: Option<UnitIndex>,
}

impl Search {
    fn check(course: &CourseIndex, request: &RetrieveRequest) -> Result<Self, Fault> {
        if request.namespaces.is_empty() {
            return Err(Fault::invalid(
                "namespaces",
                "names none; ask for at least one",
            ));
        }
        let scope = || scope(course, &request.scoped_unit_ids);
        let focus = || unit(course, "focus_unit_id", &request.focus_unit_id);
        let mut search = Self::default();
        for number in &request.namespaces {
            let asked_before = match Namespace::try_from(*number) {
                Ok(Namespace::UnitAnchors) => search.anchors.replace(scope()?).is_some(),
                Ok(Namespace::UnitContentChunks) => search.chunks.replace(scope()?).is_some(),
                Ok(Namespace::ExamCandidates) => {
                    let asked = (focus()?, tier(request.desired_exam_tier)?);
                    search.exam_candidates.replace(asked).is_some()
                }
                Ok(Namespace::ExamSupportChunks) => search.exam_support.replace(focus()?).is_some(),
                Ok(Namespace::Unspecified) | Err(_) => {
                    return Err(Fault::invalid(
                        "namespaces",
                        format!("holds {number}, which is no namespace"),
                    ));
                }
            };
            if asked_before {
                return Err(Fault::invalid(
                    "namespaces",
                    "names one twice; name each at most once",
                ));
            }
        }
        Ok(search)
    }

    fn run(self, course: &CourseIndex, text: &str) -> RetrieveResponse {
        let text = course.query(text);
        RetrieveResponse {
            anchors: self.anchors.map_or_else(Vec::new, |scope| {
                converted(course.anchors(&text, &scope), anchor)
            }),
            chunks: self.chunks.map_or_else(Vec::new, |scope| {
                converted(course.chunks(&text, &scope), chunk)
            }),
            exam_candidates: self.exam_candidates.map_or_else(Vec::new, |(focus, tier)| {
                converted(course.exam_candidates(&text, focus, tier), exam_candidate)
            }),
            exam_support: self.exam_support.map_or_else(Vec::new, |focus| {
                converted(course.exam_support(&text, focus), exam_support)
            }),
            index_id: course.id().to_owned(),
        }
    }
}

fn scope(course: &CourseIndex, ids: &[String]) -> Result<Vec<UnitIndex>, Fault> {
    if !(1..=MAX_SCOPED_UNITS).contains(&ids.len()) {
        return Err(Fault::invalid(
            "scoped_unit_ids",
            format!("names {} units; name 1 to {MAX_SCOPED_UNITS}", ids.len()),
        ));
    }
    ids.iter()
        .map(|id| unit(course, "scoped_unit_ids", id))
        .collect()
}

fn unit(course: &CourseIndex, field: &'static str, id: &str) -> Result<UnitIndex, Fault> {
    ids::check(field, id)?;
    let unit = course.unit(id).ok_or_else(|| RetrievalError::UnknownUnit {
        field,
        unit_id: id.to_owned(),
    })?;
    Ok(unit)
}

fn tier(number: i32) -> Result<pack::Tier, Fault> {
    match MasteryTier::try_from(number) {
        Ok(MasteryTier::Bronze) => Ok(pack::Tier::Bronze),
        Ok(MasteryTier::Silver) => Ok(pack::Tier::Silver),
        Ok(MasteryTier::Gold) => Ok(pack::Tier::Gold),
        Ok(MasteryTier::Unspecified | MasteryTier::None) | Err(_) => Err(Fault::invalid(
            "desired_exam_tier",
            "must be bronze, silver or gold with exam candidates",
        )),
    }
}

fn converted<T, M>(hits: Vec<Hit<'_, T>>, convert: impl Fn(&T, f64) -> M) -> Vec<M> {
    hits.into_iter()
        .map(|hit| convert(hit.item, hit.score))
        .collect()
}

fn anchor(unit: &pack::Unit, score: f64) -> Anchor {
    Anchor {
        unit_id: unit.id.clone(),
        title: unit.title.clone(),
        summary: unit.summary.clone(),
        tags: unit.tags.clone(),
        misconceptions: unit.misconceptions.clone(),
        score,
    }
}

fn chunk(chunk: &pack::Chunk, score: f64) -> Chunk {
    Chunk {
        chunk_id: chunk.id.clone(),
        unit_id: chunk.unit.clone(),
        chunk_type: chunk.chunk_type.as_str().to_owned(),
        section_kind: chunk.section_kind.clone(),
        source_id: chunk.source.clone(),
        section: chunk.section.clone(),
        url: chunk.url.clone(),
        text: chunk.text.clone(),
        score,
    }
}

fn exam_candidate(question: &pack::Question, score: f64) -> ExamCandidate {
    let tier = match question.tier {
        pack::Tier::Bronze => MasteryTier::Bronze,
        pack::Tier::Silver => MasteryTier::Silver,
        pack::Tier::Gold => MasteryTier::Gold,
    };
    ExamCandidate {
        question_id: question.id.clone(),
        unit_ids: question.units.clone(),
        tier: tier.into(),
        tags: question.tags.clone(),
        score,
    }
}

fn exam_support(support: &pack::Support, score: f64) -> ExamSupportChunk {
    ExamSupportChunk {
        chunk_id: support.id.clone(),
        question_id: support.question.clone(),
        support_kind: support.kind.as_str().to_owned(),
        text: support.text.clone(),
        score,
    }
}
