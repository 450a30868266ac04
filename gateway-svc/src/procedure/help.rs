//! The answer to a press of *help*: the session is stored, the policy plans, a model may word it, the policy resolves, and
//! the session, its events and the overlay are committed together.

use std::{collections::BTreeMap, net::IpAddr, sync::Arc};

use tokio::time::Instant;
use turnwise_kit::{CallContext, Caller, Fault, ids, time};
use turnwise_messages::{keys, text};
use turnwise_prompts::{HELP_PROMPT_ID, HelpPrompt};
use turnwise_proto::{
    classes::v1::ModelUse,
    common::v1::ErrorReason,
    explain::v1::{PhaseTime, ProcedureHelpFacts, PromptIdentity, TurnFacts, TurnTexts, Verdict},
    llm::v1::{CompleteRequest, Purpose},
    policy::v1::{
        ProcedureHelpPlan, ProcedureHelpStatus, ProcedureStepStatus, Reply,
        ResolveProcedureHelpRequest, ResolveProcedureHelpResponse,
        resolve_procedure_help_request::Outcome,
    },
    procedure::v1::{
        Help, HelpMetadata, HelpStatus, Overlay, OverlayIntent, OverlayState, RequestHelpRequest,
        StepStatus,
    },
    session::v1::{
        BeginTurnRequest, CommitTurnRequest, HelpState, NewEvent, NewOverlay, ThreadKind, TurnStart,
    },
    tutor::v1::{DegradedReason, Role, TurnStage, TutorMessage},
};
use uuid::Uuid;

use super::{ProcedureHelp, learner::closed, of_session};
use crate::{
    conversation::{Begun, Completed, Progress, Request, body_hash, complete, turn_log},
    record,
    upstream::{ANSWER_MARGIN, Step},
};

/// Help that is being composed.
struct Composing<'a> {
    help: &'a ProcedureHelp,
    request: &'a Request<'a>,
    progress: &'a Progress,
    state: &'a HelpState,
    facts: TurnFacts,
    texts: TurnTexts,
}

impl ProcedureHelp {
    /// Answers a press of *help*, or gives the stored answer of the same key.
    pub(crate) async fn help(
        &self,
        context: &CallContext,
        learner: &Arc<Caller>,
        asked: RequestHelpRequest,
        address: Option<IpAddr>,
        progress: &Progress,
    ) -> Result<Help, Fault> {
        let answered = self
            .answer(context, learner, asked, address, progress)
            .await
            .map_err(of_session);
        self.metrics.helped(&answered);
        answered
    }

    async fn answer(
        &self,
        context: &CallContext,
        learner: &Arc<Caller>,
        asked: RequestHelpRequest,
        address: Option<IpAddr>,
        progress: &Progress,
    ) -> Result<Help, Fault> {
        ids::check("session_id", &asked.session_id)?;
        let context = &context.on_behalf_of(Caller::clone(learner));
        // The help is about the latest observation that came here.
        let thread = self.runs.flush(learner, &asked.session_id).await?;
        let request = Request {
            context,
            caller: learner,
            address,
            kind: ThreadKind::Procedure,
            thread_id: &asked.session_id,
            course_id: &thread.course_id,
            idempotency_key: &asked.idempotency_key,
            body_hash: body_hash(
                "RequestHelp",
                &RequestHelpRequest {
                    session_id: asked.session_id.clone(),
                    ..RequestHelpRequest::default()
                },
            ),
        };
        let core = &*self.core;
        let turn = match core
            .begin_turn(&request, BeginTurnRequest::default())
            .await?
        {
            Begun::Stored(help) => return Ok(help),
            Begun::Start(turn) => turn,
        };
        let start = &turn.start;
        let state = start.help.as_ref().ok_or_else(closed)?;
        let composed = turn
            .during(async {
                let composing = Composing {
                    help: self,
                    request: &request,
                    progress,
                    state,
                    facts: TurnFacts {
                        format: record::FORMAT,
                        turn_id: Uuid::new_v4().to_string(),
                        thread_id: asked.session_id.clone(),
                        student_id: learner.subject.clone(),
                        class_id: thread.class_id.clone(),
                        course_id: thread.course_id.clone(),
                        class_policy: start.class_policy,
                        ..TurnFacts::default()
                    },
                    texts: TurnTexts::default(),
                };
                composing.run().await
            })
            .await;
        let (facts, texts, help) = match composed {
            Ok(composed) => composed,
            Err(fault) => {
                turn.give_back().await;
                return Err(fault);
            }
        };
        log(&facts);
        let made = self.made(start, &facts, &texts, &help);
        let overlay = made.overlay.clone().and_then(|new| new.overlay);
        let number = start.fencing_token;
        let help = Help {
            overlay: overlay.map(|overlay| Overlay {
                overlay_id: format!("{}.{number}", asked.session_id),
                attempt: 1,
                state: OverlayState::Requested.into(),
                ..overlay
            }),
            ..help
        };
        let help = turn.commit(help, made).await?;
        if let Some(overlay) = &help.overlay {
            let shown = self.runs.shown(learner, &asked.session_id, overlay.clone());
            shown.await;
        }
        Ok(help)
    }

    /// What help leaves: the message, the events, the overlay, the record.
    fn made(
        &self,
        start: &TurnStart,
        facts: &TurnFacts,
        texts: &TurnTexts,
        help: &Help,
    ) -> CommitTurnRequest {
        let now = self.now();
        let thread = start.thread.clone().unwrap_or_default();
        let run = start
            .help
            .clone()
            .unwrap_or_default()
            .run
            .unwrap_or_default();
        let observed = run.observed_time.as_ref().and_then(time::from_proto);
        let told = |kind: &str, in_reply_to: &str, more: &[(&str, String)]| NewEvent {
            kind: kind.to_owned(),
            related_id: help.help_id.clone(),
            in_reply_to: in_reply_to.to_owned(),
            facts: [
                ("step_id", help.step_id.clone()),
                ("observed_sequence", help.observed_sequence.to_string()),
            ]
            .into_iter()
            .chain(more.iter().cloned())
            .map(|(name, value)| (name.to_owned(), value))
            .collect::<BTreeMap<_, _>>(),
            ..NewEvent::default()
        };
        let mut events = Vec::new();
        if let Some(observed) = observed {
            let at = ("client_time", observed.to_string());
            events.push(told("observation", "", &[at]));
        }
        events.push(told("tutor_request", "", &[]));
        let status = match help.status() {
            HelpStatus::Ok => "ok",
            HelpStatus::Fallback => "fallback",
            HelpStatus::Error | HelpStatus::Unspecified => "error",
        };
        events.push(NewEvent {
            text: help.message.clone(),
            ..told(
                "tutor_response",
                &help.help_id,
                &[("detail", status.to_owned())],
            )
        });
        let refused = facts.help.as_ref().is_some_and(|help| help.overlay_refused);
        if refused {
            let detail = ("detail", "refused".to_owned());
            events.push(told("overlay_failed", &help.help_id, &[detail]));
        }
        let message = TutorMessage {
            id: thread.message_count + 1,
            thread_id: thread.thread_id,
            role: Role::Assistant.into(),
            text: help.message.clone(),
            create_time: Some(time::to_proto(now)),
            ..TutorMessage::default()
        };
        let target = facts.help.as_ref().and_then(|help| help.overlay.clone());
        let overlay = target.map(|target| NewOverlay {
            overlay: Some(Overlay {
                intent: OverlayIntent::Highlight.into(),
                target: target.target,
                element_id: target.element_id,
                label: target.label,
                step_id: help.step_id.clone(),
                expire_time: Some(time::to_proto(now + self.settings.highlight)),
                help_id: help.help_id.clone(),
                ..Overlay::default()
            }),
            ack_wait: self.settings.ack_wait.try_into().ok(),
        });
        CommitTurnRequest {
            messages: vec![message],
            events,
            overlay,
            turn_log: Some(turn_log(facts, texts)),
            ..CommitTurnRequest::default()
        }
    }
}

impl Composing<'_> {
    async fn run(mut self) -> Result<(TurnFacts, TurnTexts, Help), Fault> {
        self.progress.stage(TurnStage::Reading);
        let context = self.request.context;
        let working = context.keeping_back(self.help.core.reply_reserve);
        let began = Instant::now();
        let plan = match self.plan(&working).await {
            Ok(plan) => plan,
            Err(fault) if fault.reason() == ErrorReason::HelpSessionClosed => return Err(fault),
            Err(_) => return Ok(self.without_policy()),
        };
        self.took("plan", began);
        let completed = self.ask_model(&working, &plan).await;
        self.progress.stage(TurnStage::Checking);
        let began = Instant::now();
        let resolved = self.resolve(&plan, &completed).await;
        self.took("resolve", began);
        let resolved = resolved.unwrap_or_else(|fault| {
            tracing::warn!(reason = fault.reason().wire_name(), "help is not resolved");
            planned(&plan)
        });
        let help = self.help_of(&plan, &completed, &resolved);
        let run = self.state.run.clone().unwrap_or_default();
        let mut said = resolved.help.unwrap_or_default();
        if self.is_text_only() {
            said.highlight = None;
        }
        self.facts.verdict = Some(Verdict {
            fallback_reason: resolved.fallback_reason,
            violation: resolved.violation,
            ..Verdict::default()
        });
        if resolved.fallback_reason != 0 && !completed.is_off {
            self.facts.degraded_reasons.push(resolved.fallback_reason);
        }
        self.facts.met = resolved.met;
        self.facts.model_call = (!completed.is_off).then_some(completed.call);
        self.texts.completion = completed.completion;
        self.texts.reply = Some(Reply {
            text: said.message,
            ..Reply::default()
        });
        self.facts.help = Some(ProcedureHelpFacts {
            plan: Some(plan),
            observed_sequence: run.stored_sequence,
            status: resolved.status,
            safety_flags: resolved.safety_flags,
            overlay_refused: resolved.overlay_refused,
            overlay: said.highlight,
        });
        Ok((self.facts, self.texts, help))
    }

    async fn plan(&self, working: &CallContext) -> Result<ProcedureHelpPlan, Fault> {
        let procedure = self.state.procedure.clone().unwrap_or_default();
        let run = self.state.run.clone().unwrap_or_default();
        let now = self.help.now();
        let course_id = self.request.course_id;
        let planned = self
            .help
            .runs
            .plan(working, course_id, &procedure, &run, now)
            .await?;
        planned.plan.ok_or_else(|| Step::Policy.malformed())
    }

    async fn ask_model(&mut self, working: &CallContext, plan: &ProcedureHelpPlan) -> Completed {
        let class_policy = self.facts.class_policy.unwrap_or_default();
        if plan.status() == ProcedureStepStatus::Finished
            || class_policy.model_use() == ModelUse::Off
        {
            return Completed::off();
        }
        let core = &self.help.core;
        let sheets = core.sheets.current();
        let run = self.state.run.clone().unwrap_or_default();
        let prompt = HelpPrompt {
            plan,
            recent_deltas: &run.recent_deltas,
            chunks: &self.texts.chunks,
            session_id: self.request.thread_id,
        };
        let prompt = match sheets.help(&plan.locale, &prompt, core.prompt_max_tokens) {
            Ok(prompt) => prompt,
            Err(error) => {
                tracing::error!(%error, "a prompt sheet cannot be filled in");
                return Completed::failed(DegradedReason::LlmError);
            }
        };
        self.facts.prompt = Some(PromptIdentity {
            hash: prompt.hash,
            sheets_hash: sheets.hash().to_owned(),
            max_tokens: i32::try_from(core.prompt_max_tokens).unwrap_or(i32::MAX),
            tokens: i32::try_from(prompt.tokens).unwrap_or(i32::MAX),
        });
        let asked = CompleteRequest {
            messages: prompt.messages,
            json_schema: plan.output_schema.clone(),
            class_id: self.facts.class_id.clone(),
            thread_id: self.facts.thread_id.clone(),
            client_address: self
                .request
                .address
                .map_or_else(String::new, |address| address.to_string()),
            ..CompleteRequest::default()
        };
        let began = Instant::now();
        let time = working.keeping_back(ANSWER_MARGIN);
        let completed = complete(core, &time, Purpose::Help, self.progress, asked).await;
        self.took("model", began);
        completed
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
        self.facts.help = Some(ProcedureHelpFacts {
            observed_sequence: help.observed_sequence,
            ..ProcedureHelpFacts::default()
        });
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

    fn took(&mut self, phase: &str, began: Instant) {
        self.facts.times.push(PhaseTime {
            phase: phase.to_owned(),
            took: began.elapsed().try_into().ok(),
        });
    }
}

/// The plan's own fallback, where the policy does not resolve.
fn planned(plan: &ProcedureHelpPlan) -> ResolveProcedureHelpResponse {
    ResolveProcedureHelpResponse {
        status: ProcedureHelpStatus::Fallback.into(),
        step_id: plan.step.clone().unwrap_or_default().step_id,
        help: plan.fallback.clone(),
        fallback_reason: DegradedReason::PolicyUnavailable.into(),
        ..ResolveProcedureHelpResponse::default()
    }
}

/// The press in the process's log: ids and codes, no text.
fn log(facts: &TurnFacts) {
    let help = facts.help.clone().unwrap_or_default();
    let plan = help.plan.unwrap_or_default();
    let call = facts.model_call.clone().unwrap_or_default();
    tracing::info!(
        help_id = facts.turn_id,
        course_id = facts.course_id,
        procedure_id = plan.procedure_id,
        pack_hash = plan.pack_hash,
        step_id = plan.step.map(|step| step.step_id),
        observed_sequence = help.observed_sequence,
        violation = facts.verdict.as_ref().map(|verdict| verdict.violation.as_str()),
        safety_flags = ?help.safety_flags,
        highlighted = help.overlay.is_some(),
        model = call.model,
        attempts = call.attempts,
        "help"
    );
}
