//! `turnwise.retrieval.v1.RetrievalService`.

use std::{collections::HashSet, sync::Arc};

use tonic::{Request, Response, Status};
use turnwise_course_pack::ClarifyingDocument;
use turnwise_kit::{CallContext, Fault};
use turnwise_proto::{
    retrieval::v1::{
        Chunk, ExtractArtifactRequest, ExtractArtifactResponse, GetReferenceRequest,
        GetReferenceResponse, MapMessageRequest, MapMessageResponse, RetrieveRequest,
        RetrieveResponse, retrieval_service_server::RetrievalService,
    },
    session::v1::MappedUnit,
};
use turnwise_retrieval_index::{Hit, Namespace, Passage, Tier};

use super::{Served, check, convert, material};
use crate::{
    course::{CourseVersion, Order, View},
    error::RetrievalError,
    search::{Asked, TOP_K_EXAM_SUPPORT, in_units, is_about},
};

/// The most units of a scope.
const MAX_SCOPED_UNITS: usize = 6;
/// How many of a unit's first texts are given.
const LEADING_CHUNKS: usize = 4;
/// The most documents that are read as answered.
const MAX_CLARIFIED: usize = 1_000;

/// The service.
#[derive(Clone)]
pub struct RetrievalGrpc(pub Arc<Served>);

#[tonic::async_trait]
impl RetrievalService for RetrievalGrpc {
    async fn map_message(
        &self,
        request: Request<MapMessageRequest>,
    ) -> Result<Response<MapMessageResponse>, Status> {
        let call = CallContext::of(&request);
        let request = request.into_inner();
        check::course_ids(&request.course_id, &request.pack_hash)?;
        check::texts(&request.text, &request.recent_texts)?;
        let course = self.0.course(&request.course_id, &request.pack_hash)?;
        // Without the search engine, words alone decide.
        let view = course.view(check::tenant(call.caller_opt()));
        let said = (request.text.as_str(), request.recent_texts.as_slice());
        let queries = Some(&*self.0.queries);
        let mut asked = Asked::new(&course, view.as_deref(), said, queries, &call).await;
        let mapped = asked.map(&course.mapping, view.as_deref()).await;
        let mapped_units = mapped
            .into_iter()
            .map(|mapped| MappedUnit {
                unit_id: mapped.unit.to_owned(),
                confidence: mapped.confidence,
            })
            .collect();
        Ok(Response::new(MapMessageResponse {
            mapped_units,
            index_id: view.map_or_else(String::new, |view| view.id().to_owned()),
            dense: asked.dense.into(),
        }))
    }

    async fn retrieve(
        &self,
        request: Request<RetrieveRequest>,
    ) -> Result<Response<RetrieveResponse>, Status> {
        let call = CallContext::of(&request);
        let request = request.into_inner();
        check::course_ids(&request.course_id, &request.pack_hash)?;
        check::texts(&request.text, &request.recent_texts)?;
        let course = self.0.course(&request.course_id, &request.pack_hash)?;
        let plan = Plan::of(&course, &request)?;
        let view = Served::view(&course, check::tenant(call.caller_opt()))?;
        // A blank text asks for the rows in their own order, whatever was said before.
        let recent = match request.text.trim() {
            "" => &[],
            _ => request.recent_texts.as_slice(),
        };
        let said = (request.text.as_str(), recent);
        // Chunks alone have vectors.
        let by_meaning = plan.chunks.is_some().then_some(&*self.0.queries);
        let asked = Asked::new(&course, Some(&view), said, by_meaning, &call).await;
        let found = plan.run(&course, &view, &asked).await;
        Ok(Response::new(found.map_err(RetrievalError::from)?))
    }

    async fn get_reference(
        &self,
        request: Request<GetReferenceRequest>,
    ) -> Result<Response<GetReferenceResponse>, Status> {
        let request = request.into_inner();
        check::course_ids(&request.course_id, &request.pack_hash)?;
        let course = self.0.course(&request.course_id, &request.pack_hash)?;
        let served = Arc::clone(&self.0);
        // A file is read, and a disk may be slow.
        let found = tokio::task::spawn_blocking(move || {
            material::reference(&served.references, course.pack(), request.name)
        });
        let found = found
            .await
            .map_err(|error| Status::internal(error.to_string()))?;
        Ok(Response::new(found?))
    }

    async fn extract_artifact(
        &self,
        request: Request<ExtractArtifactRequest>,
    ) -> Result<Response<ExtractArtifactResponse>, Status> {
        let request = request.into_inner();
        // Up to a quarter of a megabyte is read and redacted.
        let extracted = tokio::task::spawn_blocking(move || material::artifact(request)).await;
        let extracted = extracted.map_err(|error| Status::internal(error.to_string()))?;
        Ok(Response::new(extracted?))
    }
}

/// A checked search: what is asked of each namespace, `None` where it is not asked.
#[derive(Default)]
struct Plan<'a> {
    anchors: Option<Vec<&'a str>>,
    chunks: Option<Vec<&'a str>>,
    /// The unit whose first texts come with the chunks; empty: none.
    focus: &'a str,
    exam_candidates: Option<(&'a str, Tier)>,
    /// Of a unit, or of one question of it.
    exam_support: Option<(&'a str, Option<&'a str>)>,
    text: &'a str,
    /// Documents whose questions were answered.
    clarified: &'a [String],
}

impl<'a> Plan<'a> {
    fn of(course: &'a CourseVersion, request: &'a RetrieveRequest) -> Result<Self, Fault> {
        if request.namespaces.is_empty() {
            return Err(Fault::invalid(
                "namespaces",
                "names none; ask for at least one",
            ));
        }
        let scope = || {
            let ids = &request.scoped_unit_ids;
            check::units(course, "scoped_unit_ids", ids, 1..=MAX_SCOPED_UNITS)
        };
        let focus = || check::unit(course, "focus_unit_id", &request.focus_unit_id);
        let clarified = &request.clarified_document_ids;
        let mut plan = Self {
            text: &request.text,
            focus: &request.focus_unit_id,
            clarified: &clarified[..clarified.len().min(MAX_CLARIFIED)],
            ..Self::default()
        };
        for number in &request.namespaces {
            let asked_before = match check::namespace("namespaces", *number)? {
                Namespace::Anchors => plan.anchors.replace(scope()?).is_some(),
                Namespace::Chunks => plan.chunks.replace(scope()?).is_some(),
                Namespace::ExamCandidates => {
                    let tier = check::tier("desired_exam_tier", request.desired_exam_tier)?;
                    let tier = tier.ok_or_else(|| {
                        Fault::invalid("desired_exam_tier", "is required with exam candidates")
                    })?;
                    plan.exam_candidates.replace((focus()?, tier)).is_some()
                }
                Namespace::ExamSupport => {
                    let question = check::question("question_id", &request.question_id)?;
                    plan.exam_support.replace((focus()?, question)).is_some()
                }
            };
            if asked_before {
                return Err(Fault::invalid(
                    "namespaces",
                    "names one twice; name each at most once",
                ));
            }
        }
        Ok(plan)
    }

    async fn run(
        self,
        course: &CourseVersion,
        view: &View,
        asked: &Asked,
    ) -> Result<RetrieveResponse, turnwise_retrieval_index::EngineError> {
        let mut response = RetrieveResponse {
            index_id: view.id().to_owned(),
            dense: asked.dense.into(),
            ..RetrieveResponse::default()
        };
        let policy = &course.pack().course.policy;
        if let Some(units) = self.anchors {
            let top = top_k(policy.top_k_anchors, 6);
            let filter = in_units(units.iter().copied(), None);
            let hits = asked.search(view, Namespace::Anchors, &filter, top).await?;
            let rest = asked.order().of(units);
            response.anchors = filled(&hits, rest, top)
                .filter_map(|(id, score)| Some(convert::anchor(course.unit(id)?, score)))
                .collect();
        }
        if let Some(units) = self.chunks {
            response.unit_chunks = leading(course, self.focus);
            let top = top_k(policy.top_k_chunks, 8);
            let filter = in_units(units.iter().copied(), None);
            let mut hits = asked.search(view, Namespace::Chunks, &filter, top).await?;
            hits.sort_by_key(|hit| hit.units.iter().all(|unit| course.only_greets(unit)));
            // A document that asks is no text to use before it was answered.
            let asks = |hit: &Hit| {
                let document = asking(course, hit.passage.as_ref()?)?;
                (!self.clarified.contains(&document.id)).then_some(document)
            };
            let best = hits.first().filter(|best| best.lexical.is_some());
            if let Some((best, document)) = best.and_then(|best| Some((best, asks(best)?)))
                && is_about(course, view, self.text, best).await?
            {
                let locale = &course.pack().course.locale;
                response.clarification_task = Some(convert::clarification(document, locale));
            }
            response.chunks = hits
                .iter()
                .filter(|hit| asks(hit).is_none())
                .filter_map(|hit| {
                    let unit = hit.units.first()?;
                    Some(convert::chunk(
                        &hit.id,
                        unit,
                        hit.passage.as_ref()?,
                        hit.score,
                    ))
                })
                .collect();
            let missing = top - response.chunks.len();
            let found: HashSet<&str> = hits.iter().map(|hit| &*hit.id).collect();
            // Seldom needed, and a scope may have many.
            let rest = match missing {
                0 => Vec::new(),
                _ => course.chunks_of(&units, asked.order()),
            };
            let rest = rest.into_iter();
            let rest = rest.filter(|chunk| !found.contains(chunk.id.as_str()));
            response.chunks.extend(
                rest.take(missing).map(|chunk| {
                    convert::chunk(&chunk.id, &chunk.unit, &course.passage(chunk), 0.0)
                }),
            );
        }
        if let Some((unit, tier)) = self.exam_candidates {
            let top = top_k(policy.top_k_exam_candidates, 10);
            let filter = in_units([unit], Some(tier));
            let hits = asked
                .search(view, Namespace::ExamCandidates, &filter, top)
                .await?;
            let rest = course.questions_of(unit, tier, asked.order());
            response.exam_candidates = filled(&hits, rest, top)
                .filter_map(|(id, score)| {
                    Some(convert::exam_candidate(course.question(id)?, score))
                })
                .collect();
        }
        match self.exam_support {
            // Another question's may match better, so nothing is searched.
            Some((unit, Some(question))) => {
                let support = course.support_on(unit, question).into_iter();
                response.exam_support = support
                    .take(TOP_K_EXAM_SUPPORT)
                    .map(|support| convert::exam_support(support, 0.0))
                    .collect();
            }
            Some((unit, None)) => {
                let filter = in_units([unit], None);
                let hits = asked
                    .search(view, Namespace::ExamSupport, &filter, TOP_K_EXAM_SUPPORT)
                    .await?;
                let rest = course.support_of(unit, asked.order());
                response.exam_support = filled(&hits, rest, TOP_K_EXAM_SUPPORT)
                    .filter_map(|(id, score)| {
                        Some(convert::exam_support(course.support(id)?, score))
                    })
                    .collect();
            }
            None => {}
        }
        Ok(response)
    }
}

fn top_k(of_course: Option<u32>, default: usize) -> usize {
    of_course.map_or(default, |top| top as usize)
}

/// What matched, then what fills up, each id once, at most `top`.
fn filled<'a>(
    hits: &'a [Hit],
    rest: Vec<&'a str>,
    top: usize,
) -> impl Iterator<Item = (&'a str, f64)> {
    let found: HashSet<&str> = hits.iter().map(|hit| &*hit.id).collect();
    let rest = rest.into_iter().filter(move |id| !found.contains(id));
    let hits = hits.iter().map(|hit| (&*hit.id, hit.score));
    hits.chain(rest.map(|id| (id, 0.0))).take(top)
}

/// The first texts of a unit in the pack's order, without documents that ask.
fn leading(course: &CourseVersion, unit: &str) -> Vec<Chunk> {
    course
        .chunks_of(&[unit], Order::Course)
        .into_iter()
        .map(|chunk| (chunk, course.passage(chunk)))
        .filter(|(_, passage)| asking(course, passage).is_none())
        .take(LEADING_CHUNKS)
        .map(|(chunk, passage)| convert::chunk(&chunk.id, &chunk.unit, &passage, 0.0))
        .collect()
}

/// The document that a text is a piece of, if it has questions.
fn asking<'a>(course: &'a CourseVersion, passage: &Passage) -> Option<&'a ClarifyingDocument> {
    let document = course.document_of(passage)?;
    (!document.questions.is_empty()).then_some(document)
}
