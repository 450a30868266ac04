//! The answer to a press of *help*: the session is stored, the policy plans, a model may word it, the policy resolves, and
//! the session, its events and the overlay are committed together.

use std::{collections::BTreeMap, net::IpAddr, pin::pin, sync::Arc};

use turnwise_kit::{CallContext, Caller, Fault, ids, time};
use turnwise_proto::{
    explain::v1::{TurnFacts, TurnTexts},
    procedure::v1::{Help, HelpStatus, Overlay, OverlayIntent, OverlayState, RequestHelpRequest},
    session::v1::{
        BeginTurnRequest, CommitTurnRequest, HelpState, NewEvent, NewOverlay, ThreadKind, TurnStart,
    },
    tutor::v1::{Role, TutorMessage},
};
use uuid::Uuid;

use super::{ProcedureHelp, compose::Composing, learner::closed, of_session};
use crate::{
    conversation::{Begun, Progress, Request, body_hash, turn_log},
    record,
};

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
        // The help is about the latest observation that came here, and infers the step itself.
        let run = self.runs.run(learner, &asked.session_id).await?;
        run.flush().await?;
        let thread = &run.thread;
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
        // Planned while the turn begins: what it begins with is mostly what is known here.
        let working = context.keeping_back(core.reply_reserve);
        let (known, course_id) = (run.observed(), &thread.course_id);
        let version = known.version;
        let planning = self
            .runs
            .plan(&working, course_id, &run.procedure, known, self.now());
        let beginning = core.begin_turn(&request, BeginTurnRequest::default());
        let (begun, planned) = tokio::join!(beginning, planning);
        let turn = match begun? {
            Begun::Stored(help) => return Ok(help),
            Begun::Start(turn) => turn,
        };
        let start = &turn.start;
        let state = start.help.as_ref().ok_or_else(closed)?;
        run.adopt(HelpState::clone(state));
        let is_same = state.run.as_ref().is_some_and(|run| run.version == version);
        if let (true, Ok(planned)) = (is_same, &planned) {
            run.found(planned);
        }
        let composed = turn
            .during(pin!(async {
                let composing = Composing {
                    help: self,
                    request: &request,
                    progress,
                    state,
                    planned: is_same.then_some(planned),
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
                Box::pin(composing.run()).await
            }))
            .await;
        let (facts, texts, help) = match composed {
            Ok(composed) => composed,
            Err(fault) => {
                turn.give_back().await;
                return Err(fault);
            }
        };
        log(&facts);
        let made = self.made(start, &facts, texts, &help);
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
        texts: TurnTexts,
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
