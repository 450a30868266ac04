//! The exam questions that a platform words, as hashes: no drill asks them, and no reply repeats them.

use std::{sync::Arc, time::Duration};

use futures_util::future::try_join_all;
use moka::future::Cache;
use turnwise_kit::{CallContext, Fault};
use turnwise_proto::{
    common::v1::ErrorReason,
    policy::v1::{
        FindPortQuestionsRequest, FingerprintQuestionRequest, FingerprintQuestionResponse,
    },
};

use super::ExamPort;
use crate::upstream::{Step, Upstreams};

/// How long the hashes of a question are kept.
const FRESH: Duration = Duration::from_secs(600);
/// The most questions whose hashes are kept.
const MOST_KEPT: u64 = 5_000;
/// The most questions that are read for one answer: more than the units of a scope have.
const MOST_QUESTIONS: usize = 2_000;
/// So many questions are asked for at a time.
const AT_ONCE: usize = 8;
/// The most hashes of a kind that the policy takes.
const MOST_HASHES: usize = 100_000;

/// A platform's exam questions as hashes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuestionHashes {
    /// Their runs of letters.
    pub runs: Vec<u64>,
    /// Their expressions.
    pub expressions: Vec<u64>,
    /// Whether some of them could not be read.
    pub incomplete: bool,
}

/// Tenant, course and question.
type Key = (String, String, String);

/// The questions of a platform's exam system, read through a cache. The text itself is not kept.
pub struct PortQuestions {
    port: ExamPort,
    upstreams: Upstreams,
    kept: Cache<Key, Arc<FingerprintQuestionResponse>>,
}

impl PortQuestions {
    /// The questions of this exam system.
    pub fn new(port: ExamPort, upstreams: Upstreams) -> Self {
        Self {
            port,
            upstreams,
            kept: Cache::builder()
                .max_capacity(MOST_KEPT)
                .time_to_live(FRESH)
                .build(),
        }
    }

    /// The hashes of those questions on some units whose text the course pack leaves out. With the built-in exam system
    /// there are none: the pack has them all. It takes as long as one call to the exam system may.
    pub async fn of_units(
        &self,
        context: &CallContext,
        course_id: &str,
        pack_hash: &str,
        unit_ids: &[String],
    ) -> QuestionHashes {
        if !self.port.needs_call() {
            return QuestionHashes::default();
        }
        let wait = Step::Exam.of(context).wait();
        let reading = self.read(context, course_id, pack_hash, unit_ids);
        let why = match tokio::time::timeout(wait, reading).await {
            Ok(Ok(hashes)) => return hashes,
            Ok(Err(fault)) => fault.reason().wire_name(),
            Err(_) => ErrorReason::DeadlineExceeded.wire_name(),
        };
        tracing::warn!(
            course_id,
            reason = why,
            "the exam questions cannot be read: no drill of a model is set"
        );
        QuestionHashes {
            incomplete: true,
            ..QuestionHashes::default()
        }
    }

    async fn read(
        &self,
        context: &CallContext,
        course_id: &str,
        pack_hash: &str,
        unit_ids: &[String],
    ) -> Result<QuestionHashes, Arc<Fault>> {
        let step = Step::Policy.of(context);
        let mut question_ids = self
            .upstreams
            .policy
            .clone()
            .find_port_questions(step.request(FindPortQuestionsRequest {
                course_id: course_id.to_owned(),
                pack_hash: pack_hash.to_owned(),
                unit_ids: unit_ids.to_vec(),
            }))
            .await
            .map_err(|status| Arc::new(step.fault(&status)))?
            .into_inner()
            .question_ids;
        let mut found = QuestionHashes {
            incomplete: question_ids.len() > MOST_QUESTIONS,
            ..QuestionHashes::default()
        };
        if found.incomplete {
            tracing::warn!(
                course_id,
                questions = question_ids.len(),
                most = MOST_QUESTIONS,
                "so many exam questions are not read: no drill of a model is set"
            );
        }
        question_ids.truncate(MOST_QUESTIONS);
        for some in question_ids.chunks(AT_ONCE) {
            let reading = some
                .iter()
                .map(|question_id| self.hashes(context, course_id, question_id));
            for hashes in try_join_all(reading).await? {
                found.runs.extend(&hashes.exam_runs);
                found.expressions.extend(&hashes.exam_expressions);
            }
        }
        for list in [&mut found.runs, &mut found.expressions] {
            list.sort_unstable();
            list.dedup();
            found.incomplete |= list.len() > MOST_HASHES;
            list.truncate(MOST_HASHES);
        }
        Ok(found)
    }

    /// The hashes of one question. Those who want the same one at the same time ask once, and a failure is not kept.
    async fn hashes(
        &self,
        context: &CallContext,
        course_id: &str,
        question_id: &str,
    ) -> Result<Arc<FingerprintQuestionResponse>, Arc<Fault>> {
        let tenant = context
            .caller_opt()
            .map_or_else(String::new, |caller| caller.tenant.clone());
        let key = (tenant, course_id.to_owned(), question_id.to_owned());
        let making = self.make(context, course_id, question_id);
        self.kept.try_get_with(key, making).await
    }

    async fn make(
        &self,
        context: &CallContext,
        course_id: &str,
        question_id: &str,
    ) -> Result<Arc<FingerprintQuestionResponse>, Fault> {
        let worded = match self.port.question(context, course_id, question_id).await {
            Ok(Some(worded)) => worded,
            Ok(None) => return Ok(Arc::default()),
            // Nobody is examined by it.
            Err(fault) if fault.reason() == ErrorReason::UnknownQuestion => {
                tracing::warn!(
                    course_id,
                    question_id,
                    "the exam system does not have this question"
                );
                return Ok(Arc::default());
            }
            Err(fault) => return Err(fault),
        };
        let step = Step::Policy.of(context);
        self.upstreams
            .policy
            .clone()
            .fingerprint_question(step.request(FingerprintQuestionRequest {
                course_id: course_id.to_owned(),
                prompt: worded.prompt,
                question_latex: worded.question_latex,
            }))
            .await
            .map(|response| Arc::new(response.into_inner()))
            .map_err(|status| step.fault(&status))
    }
}
