//! The judgement on a drill: mathematics, then a model where it can add something, then the verdict of both.

use turnwise_kit::{CancellationToken, Fault};
use turnwise_messages::{keys, text};
use turnwise_prompts::{GradePrompt, MistakeTag};
use turnwise_proto::{
    llm::v1::{CompleteRequest, Purpose},
    policy::v1::{
        CheckDrillRequest, CheckDrillResponse, DrillCheck, DrillVerdict, KnownTexts,
        MistakeTag as CourseTag, OpenDrill, ResolveGradeRequest, ResolveGradeResponse,
        resolve_grade_request::Outcome,
    },
    session::v1::GradedDrill,
    tutor::v1::{DegradedReason, DrillResult},
};

use super::{Evidence, store::EvidenceRequest};
use crate::{
    conversation::{Progress, complete},
    upstream::{ANSWER_MARGIN, Step},
};

/// The policy's reason for not judging a drill: it is an exam question.
const EXAM_QUESTION: &str = "exam_question";

/// A drill that was set here, and its answer, redacted.
pub(super) struct Drill<'a> {
    pub(super) unit_id: &'a str,
    pub(super) prompt: &'a str,
    pub(super) question_latex: &'a str,
    /// The card's token.
    pub(super) card_token: &'a str,
    pub(super) answer: &'a str,
    /// The ready-made drill; empty: none.
    pub(super) drill_id: &'a str,
    pub(super) class_id: &'a str,
    /// How many drills of the thread were wrong in a row before it.
    pub(super) wrong_before: i32,
    /// What the tutor said last in the thread.
    pub(super) tutor_said: &'a str,
    /// No model is to be called for the class.
    pub(super) model_off: bool,
    /// Cancelled when nobody waits any more.
    pub(super) disconnected: &'a CancellationToken,
}

/// A drill's grade, and how it came to be.
#[derive(Default)]
pub(super) struct Grade {
    pub(super) pack_hash: String,
    pub(super) resolved: ResolveGradeResponse,
    /// The policy's hash of the exercise; 0 where none was made.
    pub(super) exercise: u64,
    pub(super) model: String,
    pub(super) task: String,
    pub(super) reason: String,
    /// The drill with its answer and verdict, for later turns of the thread; none where nothing was judged now.
    pub(super) told: Option<GradedDrill>,
}

impl Grade {
    /// No grade: the drill was not set here. It is said in the course's language.
    pub(super) fn not_ours(locale: &str) -> Self {
        Self {
            resolved: ResolveGradeResponse {
                verdict: DrillVerdict::CannotTell.into(),
                feedback_text: text(locale, keys::FEEDBACK_NOT_SET_HERE, &[]),
                ..ResolveGradeResponse::default()
            },
            ..Self::default()
        }
    }
}

impl Evidence {
    /// Mathematics, then a model where it can add something, then the verdict of both. Where a platform's exam questions are
    /// not among what is `known`, the drill is judged all the same: its card was held against them when it was set, and then
    /// a model's drill is set only if they are known.
    pub(super) async fn grade(
        &self,
        asked: &EvidenceRequest<'_>,
        drill: &Drill<'_>,
        known: KnownTexts,
    ) -> Result<Grade, Fault> {
        let (context, course_id) = (asked.request.context, asked.request.course_id);
        let step = Step::Policy.of(context);
        let mut policy = self.core.upstreams.policy.clone();
        let request = CheckDrillRequest {
            course_id: course_id.to_owned(),
            pack_hash: String::new(),
            unit_id: drill.unit_id.to_owned(),
            prompt: drill.prompt.to_owned(),
            question_latex: drill.question_latex.to_owned(),
            answer: drill.answer.to_owned(),
            drill_id: drill.drill_id.to_owned(),
            known: Some(KnownTexts {
                exam_runs: known.exam_runs.clone(),
                exam_expressions: known.exam_expressions.clone(),
                ..KnownTexts::default()
            }),
        };
        let checked = policy
            .check_drill(step.request(request))
            .await
            .map_err(|status| step.fault(&status))?
            .into_inner();
        let locales = &self.core.course_locales;
        locales.learn(course_id, &checked.locale);
        let check = checked
            .check
            .clone()
            .ok_or_else(|| Step::Policy.malformed())?;
        // What is right needs no words, what cannot be told of a drill with a key is asked again, and an exam question is
        // not judged.
        let needs_model = match check.verdict() {
            DrillVerdict::Right => false,
            DrillVerdict::CannotTell => !check.has_key,
            DrillVerdict::Wrong | DrillVerdict::Unspecified => true,
        };
        let (outcome, model) = if !needs_model || drill.model_off || check.reason == EXAM_QUESTION {
            (None, String::new())
        } else {
            self.ask_model(asked, drill, &checked).await
        };
        let resolved = self.resolve(asked, &check, outcome, drill, known).await?;
        Ok(Grade {
            told: Some(told(drill, &checked.mistake_tags, &resolved)),
            pack_hash: check.pack_hash,
            resolved,
            exercise: check.exercise,
            model,
            task: check.task,
            reason: check.reason,
        })
    }

    /// The policy's verdict.
    async fn resolve(
        &self,
        asked: &EvidenceRequest<'_>,
        check: &DrillCheck,
        outcome: Option<Outcome>,
        drill: &Drill<'_>,
        known: KnownTexts,
    ) -> Result<ResolveGradeResponse, Fault> {
        let step = Step::Policy.of(asked.request.context);
        let mut policy = self.core.upstreams.policy.clone();
        let resolved = policy
            .resolve_grade(step.request(ResolveGradeRequest {
                check: Some(check.clone()),
                outcome,
                known: Some(known),
                drill: Some(OpenDrill {
                    unit_id: drill.unit_id.to_owned(),
                    prompt: drill.prompt.to_string(),
                    question_latex: drill.question_latex.to_string(),
                    said: drill.answer.to_owned(),
                }),
                wrong_before: drill.wrong_before,
                said: drill.tutor_said.to_owned(),
            }))
            .await
            .map_err(|status| step.fault(&status))?
            .into_inner();
        if resolved.verdict() == DrillVerdict::Unspecified {
            return Err(Step::Policy.malformed());
        }
        Ok(resolved)
    }

    /// The one call of a model, given up where nobody waits for what it says; without an outcome where no model is called.
    async fn ask_model(
        &self,
        asked: &EvidenceRequest<'_>,
        drill: &Drill<'_>,
        checked: &CheckDrillResponse,
    ) -> (Option<Outcome>, String) {
        let failure =
            |reason: DegradedReason| (Some(Outcome::Failure(reason.into())), String::new());
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
        let rendered = self.core.sheets.current().grade(
            &checked.locale,
            &GradePrompt {
                unit_title: &checked.unit_title,
                prompt: drill.prompt,
                question_latex: drill.question_latex,
                answer: drill.answer,
                verdict,
                mistake_tags: &tags,
                key: Some(checked.key.as_str()).filter(|key| !key.is_empty()),
            },
            self.core.prompt_max_tokens,
        );
        let prompt = match rendered {
            Ok(prompt) => prompt,
            Err(error) => {
                tracing::error!(%error, "a prompt sheet cannot be filled in");
                return failure(DegradedReason::LlmError);
            }
        };
        let context = asked
            .request
            .context
            .keeping_back(ANSWER_MARGIN + self.core.reply_reserve);
        let request = CompleteRequest {
            messages: prompt.messages,
            json_schema: checked.grade_schema.clone(),
            class_id: drill.class_id.to_owned(),
            thread_id: asked.request.thread_id.to_owned(),
            client_address: asked
                .request
                .address
                .map_or_else(String::new, |address| address.to_string()),
            ..CompleteRequest::default()
        };
        let progress = Progress::default();
        let completed = tokio::select! {
            biased;
            completed = complete(&self.core, &context, Purpose::Grade, &progress, request) => completed,
            () = drill.disconnected.cancelled() => return failure(DegradedReason::Deadline),
        };
        if completed.is_off {
            return (None, String::new());
        }
        let outcome = match completed.call.failure() {
            DegradedReason::Unspecified => Outcome::Completion(completed.completion),
            reason => Outcome::Failure(reason.into()),
        };
        (Some(outcome), completed.call.model)
    }
}

/// What later turns of the thread are told of the drill.
fn told(drill: &Drill<'_>, tags: &[CourseTag], resolved: &ResolveGradeResponse) -> GradedDrill {
    let tag = tags.iter().find(|tag| tag.tag == resolved.mistake_tag);
    GradedDrill {
        unit_id: drill.unit_id.to_owned(),
        prompt: drill.prompt.to_owned(),
        question_latex: drill.question_latex.to_owned(),
        answer: drill.answer.to_owned(),
        result: match resolved.verdict() {
            DrillVerdict::Right => DrillResult::Correct,
            DrillVerdict::Wrong => DrillResult::Incorrect,
            DrillVerdict::CannotTell | DrillVerdict::Unspecified => DrillResult::Unspecified,
        }
        .into(),
        mistake_tag: resolved.mistake_tag.clone(),
        mistake_meaning: tag.map_or_else(String::new, |tag| tag.meaning.clone()),
        card_token: drill.card_token.to_owned(),
        wrong_before: drill.wrong_before,
        // Known when it is written: others may be graded meanwhile.
        graded_before: Vec::new(),
    }
}
