//! Help composed: plan, course text, prompt, model, resolve.

use tokio::time::Instant;
use turnwise_kit::{CallContext, Fault};
use turnwise_messages::{keys, text};
use turnwise_prompts::{HELP_PROMPT_ID, HelpPrompt};
use turnwise_proto::{
    common::v1::ErrorReason,
    explain::v1::{ProcedureHelpFacts, TurnFacts, TurnTexts, Verdict},
    llm::v1::{CompleteRequest, Purpose},
    policy::v1::{
        PlanProcedureHelpResponse, ProcedureHelpPlan, ProcedureHelpStatus, ProcedureStepStatus,
        Reply, ResolveProcedureHelpRequest, ResolveProcedureHelpResponse,
        resolve_procedure_help_request::Outcome,
    },
    procedure::v1::{Help, HelpMetadata, HelpStatus, StepStatus},
    retrieval::v1::{Namespace, RetrieveRequest},
    session::v1::HelpState,
    tutor::v1::{DegradedReason, TurnStage},
};

use super::ProcedureHelp;
use crate::{
    conversation::{Completed, Progress, Request, asking, complete, keep_chunks, note_time},
    record,
    turn::readable,
    upstream::{ANSWER_MARGIN, Step},
};

/// The most pieces of course text in a prompt.
const MOST_SNIPPETS: usize = 3;

/// Help that is being composed.
pub(super) struct Composing<'a> {
    pub(super) help: &'a ProcedureHelp,
    pub(super) request: &'a Request<'a>,
    pub(super) progress: &'a Progress,
    pub(super) state: &'a HelpState,
    /// What the policy said of the same state already.
    pub(super) planned: Option<Result<PlanProcedureHelpResponse, Fault>>,
    pub(super) facts: TurnFacts,
    pub(super) texts: TurnTexts,
}

impl Composing<'_> {
    pub(super) async fn run(mut self) -> Result<(TurnFacts, TurnTexts, Help), Fault> {
        self.progress.stage(TurnStage::Reading);
        let context = self.request.context;
        let working = context.keeping_back(self.help.core.reply_reserve);
        let began = Instant::now();
        let plan = match self.plan(&working).await {
            Ok(plan) => plan,
            Err(fault) if fault.reason() == ErrorReason::HelpSessionClosed => return Err(fault),
            Err(_) => return Ok(self.without_policy()),
        };
        note_time(&mut self.facts, "plan", began.elapsed());
        let completed = self.ask_model(&working, &plan).await;
        self.progress.stage(TurnStage::Checking);
        let began = Instant::now();
        let resolved = match completed.is_off {
            // Nothing was written that would have to be validated.
            true => planned(&plan, completed.call.failure()),
            false => self
                .resolve(&plan, &completed)
                .await
                .unwrap_or_else(|fault| {
                    tracing::warn!(reason = fault.reason().wire_name(), "help is not resolved");
                    planned(&plan, DegradedReason::PolicyUnavailable)
                }),
        };
        note_time(&mut self.facts, "resolve", began.elapsed());
        let help = self.help_of(&plan, &completed, &resolved);
        let run = self.state.run.clone().unwrap_or_default();
        let mut said = resolved.help.unwrap_or_default();
        if self.is_text_only() {
            said.highlight = None;
        }
        // The author's words are no fallback where no model is to be called.
        let failed = match completed.is_off {
            true => DegradedReason::Unspecified.into(),
            false => resolved.fallback_reason,
        };
        self.facts.verdict = Some(Verdict {
            fallback_reason: failed,
            violation: resolved.violation,
            ..Verdict::default()
        });
        if failed != 0 {
            self.facts.degraded_reasons.push(failed);
        }
        self.facts.met = resolved.met;
        // Of a finished procedure there is nothing that a model could say.
        self.facts.no_model = completed.is_off && plan.status() != ProcedureStepStatus::Finished;
        self.facts.model_call = (!completed.is_off).then_some(completed.call);
        self.texts.completion = completed.completion;
        self.texts.reply = Some(Reply {
            text: said.message,
            ..Reply::default()
        });
        self.facts.help = Some(Box::new(ProcedureHelpFacts {
            plan: Some(plan),
            observed_sequence: run.stored_sequence,
            status: resolved.status,
            safety_flags: resolved.safety_flags,
            overlay_refused: resolved.overlay_refused,
            overlay: said.highlight,
        }));
        Ok((self.facts, self.texts, help))
    }

    async fn plan(&mut self, working: &CallContext) -> Result<ProcedureHelpPlan, Fault> {
        let planned = match self.planned.take() {
            Some(planned) => planned,
            None => {
                let procedure = self.state.procedure.clone().unwrap_or_default();
                let run = self.state.run.clone().unwrap_or_default();
                let (course_id, now) = (self.request.course_id, self.help.now());
                let runs = &self.help.runs;
                runs.plan(working, course_id, &procedure, run, now).await
            }
        };
        planned?.plan.ok_or_else(|| Step::Policy.malformed())
    }

    async fn ask_model(&mut self, working: &CallContext, plan: &ProcedureHelpPlan) -> Completed {
        let core = &self.help.core;
        if plan.status() == ProcedureStepStatus::Finished
            || core.is_model_off(record::class_policy(&self.facts))
        {
            return Completed::off();
        }
        self.gather(working, plan).await;
        let sheets = core.sheets.current();
        let run = self.state.run.clone().unwrap_or_default();
        let prompt = HelpPrompt {
            plan,
            recent_deltas: &run.recent_deltas,
            chunks: &self.texts.chunks,
        };
        let prompt = match sheets.help(&plan.locale, &prompt, core.prompt_max_tokens) {
            Ok(prompt) => prompt,
            Err(error) => {
                tracing::error!(%error, "a prompt sheet cannot be filled in");
                return Completed::failed(DegradedReason::LlmError);
            }
        };
        let class_id = &self.facts.class_id;
        let (identity, asked) = asking(core, &sheets, prompt, self.request, class_id);
        let asked = CompleteRequest {
            json_schema: plan.output_schema.clone(),
            ..asked
        };
        let began = Instant::now();
        let time = working.keeping_back(ANSWER_MARGIN);
        let completed = complete(core, &time, Purpose::Help, self.progress, asked).await;
        note_time(&mut self.facts, "model", began.elapsed());
        self.facts.prompt = (!completed.is_off).then_some(identity);
        completed
    }

    /// Course text about the step, where the procedure names units. Help goes on without.
    async fn gather(&mut self, working: &CallContext, plan: &ProcedureHelpPlan) {
        let (Some(about), false) = (&plan.step, plan.unit_ids.is_empty()) else {
            return;
        };
        let began = Instant::now();
        let step = Step::Retrieval.of(working);
        let request = RetrieveRequest {
            course_id: plan.course_id.clone(),
            pack_hash: plan.pack_hash.clone(),
            text: format!("{} {}", about.official_step, about.short_explanation),
            scoped_unit_ids: plan.unit_ids.clone(),
            namespaces: vec![Namespace::UnitContentChunks.into()],
            ..RetrieveRequest::default()
        };
        let mut retrieval = self.help.core.upstreams.retrieval.clone();
        match retrieval.retrieve(step.request(request)).await {
            Ok(found) => {
                let found = readable(found.into_inner());
                let mut chunks = found.chunks;
                // A row with score 0 only fills up.
                chunks.retain(|chunk| chunk.score > 0.0);
                chunks.truncate(MOST_SNIPPETS);
                keep_chunks(&mut self.facts, &mut self.texts, found.index_id, chunks);
            }
            Err(status) => {
                let reason = step.fault(&status).reason().wire_name();
                tracing::warn!(reason, "help goes on without course text");
            }
        }
        note_time(&mut self.facts, "gather", began.elapsed());
    }

    /// What the model wrote, or did not, as help that the plan allows.
    async fn resolve(
        &self,
        plan: &ProcedureHelpPlan,
        completed: &Completed,
    ) -> Result<ResolveProcedureHelpResponse, Fault> {
        let failure = completed.call.failure();
        let request = ResolveProcedureHelpRequest {
            plan: Some(plan.clone()),
            outcome: Some(match failure {
                DegradedReason::Unspecified => Outcome::Completion(completed.completion.clone()),
                failure => Outcome::Failure(failure.into()),
            }),
            known: Some(self.help.core.known_texts()),
        };
        let step = Step::Policy.of(self.request.context);
        let mut policy = self.help.core.upstreams.policy.clone();
        let resolved = policy.resolve_procedure_help(step.request(request)).await;
        let resolved = resolved.map_err(|status| step.fault(&status))?.into_inner();
        match &resolved.help {
            Some(help) if !help.message.trim().is_empty() => Ok(resolved),
            _ => Err(Step::Policy.malformed()),
        }
    }

    fn help_of(
        &self,
        plan: &ProcedureHelpPlan,
        completed: &Completed,
        resolved: &ResolveProcedureHelpResponse,
    ) -> Help {
        let said = resolved.help.clone().unwrap_or_default();
        let call = &completed.call;
        let prompt_version = self.facts.prompt.clone().unwrap_or_default().sheets_hash;
        Help {
            help_id: self.facts.turn_id.clone(),
            status: match resolved.status() {
                ProcedureHelpStatus::Ok => HelpStatus::Ok,
                ProcedureHelpStatus::Fallback | ProcedureHelpStatus::Unspecified => {
                    HelpStatus::Fallback
                }
            }
            .into(),
            message: said.message,
            step_id: resolved.step_id.clone(),
            step_status: match plan.status() {
                ProcedureStepStatus::Pending => StepStatus::Pending,
                ProcedureStepStatus::Finished => StepStatus::Finished,
                ProcedureStepStatus::Active | ProcedureStepStatus::Unspecified => {
                    StepStatus::Active
                }
            }
            .into(),
            explanations: said.explanations,
            blocked_by: plan.blocked_by.clone(),
            unknown: plan.unknown.clone(),
            stepped_back_from: plan.stepped_back_from.clone(),
            metadata: Some(HelpMetadata {
                model: call.model.clone(),
                prompt_id: HELP_PROMPT_ID.to_owned(),
                prompt_version,
                safety_flags: resolved.safety_flags.clone(),
                fallback_reason: resolved.fallback_reason,
                input_tokens: call.input_tokens,
                output_tokens: call.output_tokens,
                attempts: call.attempts,
                pack_hash: plan.pack_hash.clone(),
            }),
            ..self.help_about()
        }
    }

    /// What every answer says of itself.
    fn help_about(&self) -> Help {
        let run = self.state.run.as_ref();
        Help {
            help_id: self.facts.turn_id.clone(),
            observed_sequence: run.map_or(0, |run| run.stored_sequence),
            request_id: self
                .request
                .context
                .request_id()
                .unwrap_or_default()
                .to_owned(),
            ..Help::default()
        }
    }

    /// The fixed text where not even the author's words can be had.
    fn without_policy(mut self) -> (TurnFacts, TurnTexts, Help) {
        let procedure = self.state.procedure.clone().unwrap_or_default();
        let reason = DegradedReason::PolicyUnavailable;
        let help = Help {
            status: HelpStatus::Error.into(),
            message: text(&procedure.locale, keys::PROCEDURE_CHECKLIST, &[]),
            metadata: Some(HelpMetadata {
                prompt_id: HELP_PROMPT_ID.to_owned(),
                fallback_reason: reason.into(),
                pack_hash: procedure.pack_hash,
                ..HelpMetadata::default()
            }),
            ..self.help_about()
        };
        self.facts.degraded_reasons.push(reason.into());
        self.facts.help = Some(Box::new(ProcedureHelpFacts {
            observed_sequence: help.observed_sequence,
            ..ProcedureHelpFacts::default()
        }));
        self.texts.reply = Some(Reply {
            text: help.message.clone(),
            ..Reply::default()
        });
        (self.facts, self.texts, help)
    }

    fn is_text_only(&self) -> bool {
        let procedure = self.state.procedure.as_ref();
        procedure.is_some_and(|procedure| procedure.text_only)
    }
}

/// The plan's own help, and why it is given; of a finished procedure nothing else is to be said.
fn planned(plan: &ProcedureHelpPlan, reason: DegradedReason) -> ResolveProcedureHelpResponse {
    let (status, reason) = match plan.status() {
        ProcedureStepStatus::Finished => (ProcedureHelpStatus::Ok, DegradedReason::Unspecified),
        _ => (ProcedureHelpStatus::Fallback, reason),
    };
    ResolveProcedureHelpResponse {
        status: status.into(),
        step_id: plan.step.clone().unwrap_or_default().step_id,
        help: plan.fallback.clone(),
        fallback_reason: reason.into(),
        ..ResolveProcedureHelpResponse::default()
    }
}
