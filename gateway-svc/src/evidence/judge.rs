//! The judgement on a drill: mathematics, then a model unless the answer is right, then the verdict of both.

use std::{borrow::Cow, net::IpAddr};

use turnwise_kit::Fault;
use turnwise_prompts::{GradePrompt, MistakeTag};
use turnwise_proto::{
    llm::v1::{CompleteRequest, Purpose},
    policy::v1::{
        CheckDrillRequest, CheckDrillResponse, DrillVerdict, ResolveGradeRequest,
        ResolveGradeResponse, resolve_grade_request::Outcome,
    },
    tutor::v1::DegradedReason,
};

use super::{Evidence, store::Asked};
use crate::{error::internal, turn, upstream::Step};

/// A drill and its answer, redacted.
pub(super) struct Drill<'a> {
    pub(super) unit_id: &'a str,
    pub(super) prompt: Cow<'a, str>,
    pub(super) question_latex: Cow<'a, str>,
    pub(super) answer: &'a str,
    /// The ready-made drill; empty: none.
    pub(super) drill_id: &'a str,
    pub(super) class_id: &'a str,
    pub(super) address: Option<IpAddr>,
}

/// A drill's grade, and how it came to be.
pub(super) struct Grade {
    pub(super) pack_hash: String,
    pub(super) resolved: ResolveGradeResponse,
    pub(super) model: String,
    pub(super) task: String,
    pub(super) reason: String,
}

impl Evidence {
    /// Mathematics, then a model unless the answer is right, then the verdict of both.
    pub(super) async fn grade(&self, asked: &Asked<'_>, drill: &Drill<'_>) -> Result<Grade, Fault> {
        let context = asked.context;
        let mut policy = self.upstreams.policy.clone();
        let request = CheckDrillRequest {
            course_id: asked.course_id.to_owned(),
            pack_hash: String::new(),
            unit_id: drill.unit_id.to_owned(),
            prompt: drill.prompt.to_string(),
            question_latex: drill.question_latex.to_string(),
            answer: drill.answer.to_owned(),
            drill_id: drill.drill_id.to_owned(),
        };
        let checked = policy
            .check_drill(Step::Policy.of(context).request(request))
            .await
            .map_err(|status| Step::Policy.fault(context, &status))?
            .into_inner();
        let check = checked.check.clone().ok_or_else(internal)?;
        let (outcome, model) = if check.verdict() == DrillVerdict::Right {
            (None, String::new())
        } else {
            let (outcome, model) = self.ask_model(asked, drill, &checked).await?;
            (Some(outcome), model)
        };
        let resolved = policy
            .resolve_grade(Step::Policy.of(context).request(ResolveGradeRequest {
                check: Some(check.clone()),
                outcome,
            }))
            .await
            .map_err(|status| Step::Policy.fault(context, &status))?
            .into_inner();
        Ok(Grade {
            pack_hash: check.pack_hash,
            resolved,
            model,
            task: check.task,
            reason: check.reason,
        })
    }

    /// The one call of a model.
    async fn ask_model(
        &self,
        asked: &Asked<'_>,
        drill: &Drill<'_>,
        checked: &CheckDrillResponse,
    ) -> Result<(Outcome, String), Fault> {
        let tags: Vec<_> = checked
            .mistake_tags
            .iter()
            .map(|tag| MistakeTag {
                tag: &tag.tag,
                meaning: &tag.meaning,
            })
            .collect();
        let verdict = match checked.check.as_ref().map(|check| check.verdict()) {
            Some(DrillVerdict::Right) => Some(true),
            Some(DrillVerdict::Wrong) => Some(false),
            _ => None,
        };
        let prompt = self
            .sheets
            .current()
            .grade(
                &checked.locale,
                &GradePrompt {
                    unit_title: &checked.unit_title,
                    prompt: &drill.prompt,
                    question_latex: &drill.question_latex,
                    answer: drill.answer,
                    verdict,
                    mistake_tags: &tags,
                    key: Some(checked.key.as_str()).filter(|key| !key.is_empty()),
                },
                self.prompt_max_tokens,
            )
            .map_err(|error| {
                tracing::error!(%error, "a prompt sheet cannot be filled in");
                internal()
            })?;
        let completed = turn::complete(
            &self.upstreams,
            &asked.context.keeping_back(self.reply_reserve),
            Purpose::Grade,
            &turn::Progress::default(),
            CompleteRequest {
                messages: prompt.messages,
                json_schema: checked.grade_schema.clone(),
                class_id: drill.class_id.to_owned(),
                thread_id: asked.thread_id.to_owned(),
                client_address: drill
                    .address
                    .map_or_else(String::new, |address| address.to_string()),
                ..CompleteRequest::default()
            },
        )
        .await;
        let outcome = match completed.call.failure() {
            DegradedReason::Unspecified => Outcome::Completion(completed.completion),
            reason => Outcome::Failure(reason.into()),
        };
        Ok((outcome, completed.call.model))
    }
}
