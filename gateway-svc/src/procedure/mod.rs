//! Help with procedures: a learner presses *help* in a simulator, a laboratory or a tool and gets a sentence or two and at
//! most one highlight. The policy infers the step and says what is allowed, a model may word it, and the policy resolves.
//!
//! | module | is about |
//! | --- | --- |
//! | `learner` | whom a call speaks for |
//! | `observe`, `run`, `runs` | observations: merged, gathered for each session, stored, the step inferred |
//! | `help`, `compose` | the answer to a press of *help*, and the phases between begin and commit |
//! | `overlays` | what is shown: watched, acknowledged |
//! | `timeline` | a session and its events, as clients see them |
//! | `metrics` | what became of presses and observations |

mod compose;
mod help;
pub(crate) mod learner;
mod metrics;
pub(crate) mod observe;
mod overlays;
mod run;
mod runs;
mod timeline;

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use tokio::sync::watch;
use turnwise_kit::{CallContext, Caller, Fault, Kit, ids, time};
use turnwise_proto::{
    common::v1::ErrorReason,
    policy::v1::PlanProcedureHelpRequest,
    procedure::v1::{HelpSession, Observation, ObservationReceipt, OpenHelpSessionRequest},
    session::v1::{CreateThreadRequest, HelpProcedure, HelpState, ThreadKind},
};

pub(crate) use metrics::ProcedureMetrics;

use crate::{
    conversation::{Core, body_hash},
    upstream::Step,
};
use runs::{Runs, Told};

/// The settings of help.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HelpSettings {
    /// How long an acknowledgement is waited for.
    pub(crate) ack_wait: Duration,
    /// How long a highlight lasts.
    pub(crate) highlight: Duration,
    /// The most variables of an observation.
    pub(crate) max_vars: usize,
}

/// Help with procedures.
pub(crate) struct ProcedureHelp {
    core: Arc<Core>,
    settings: HelpSettings,
    runs: Arc<Runs>,
    metrics: ProcedureMetrics,
}

impl ProcedureHelp {
    pub(crate) fn new(core: &Arc<Core>, settings: HelpSettings) -> Self {
        Self {
            core: Arc::clone(core),
            settings,
            runs: Runs::new(core, settings),
            metrics: ProcedureMetrics::register(&core.kit.metrics),
        }
    }

    /// What a press of *help* keeps back of its deadline.
    pub(crate) fn reply_reserve(&self) -> Duration {
        self.core.reply_reserve
    }

    pub(crate) fn kit(&self) -> &Kit {
        &self.core.kit
    }

    fn now(&self) -> Timestamp {
        self.core.kit.clock.now()
    }

    /// Opens a session for the version of the course that is served now; the same key opens the same.
    pub(crate) async fn open(
        &self,
        context: &CallContext,
        learner: &Caller,
        request: OpenHelpSessionRequest,
    ) -> Result<HelpSession, Fault> {
        ids::check("course_id", &request.course_id)?;
        ids::check("class_id", &request.class_id)?;
        ids::check("procedure_id", &request.procedure_id)?;
        ids::check_key("idempotency_key", &request.idempotency_key)?;
        let context = &context.on_behalf_of(learner.clone());
        let step = Step::Policy.of(context);
        let mut policy = self.core.upstreams.policy.clone();
        let planned = policy
            .plan_procedure_help(step.request(PlanProcedureHelpRequest {
                course_id: request.course_id.clone(),
                procedure_id: request.procedure_id.clone(),
                now: Some(time::to_proto(self.now())),
                ..PlanProcedureHelpRequest::default()
            }))
            .await
            .map_err(|status| step.fault(&status))?
            .into_inner();
        let plan = planned.plan.ok_or_else(|| Step::Policy.malformed())?;
        let procedure = HelpProcedure {
            procedure_id: plan.procedure_id,
            title: plan.title,
            locale: plan.locale,
            pack_hash: plan.pack_hash,
            contract_version: plan.contract_version,
            text_only: request.text_only,
            raw_names: planned.raw_names,
        };
        let asked = OpenHelpSessionRequest {
            idempotency_key: String::new(),
            student_id: String::new(),
            ..request.clone()
        };
        let step = Step::Session.of(context);
        let mut session = self.core.upstreams.session.clone();
        let opened = session
            .create_thread(step.request(CreateThreadRequest {
                student_id: learner.subject.clone(),
                course_id: request.course_id,
                class_id: request.class_id,
                title: procedure.title.clone(),
                idempotency_key: request.idempotency_key,
                body_hash: body_hash("OpenHelpSession", &asked),
                kind: ThreadKind::Procedure.into(),
                procedure: Some(procedure.clone()),
            }))
            .await
            .map_err(|status| step.fault(&status))?;
        let thread = opened.into_inner().thread;
        let thread = thread.ok_or_else(|| Step::Session.malformed())?;
        // An earlier session of the same key may keep to an earlier version.
        let (thread, state) = self.read(context, learner, &thread.thread_id).await?;
        Ok(timeline::session(&learner.subject, &thread, &state))
    }

    /// Takes an observation; answers what is stored.
    pub(crate) async fn observe(
        &self,
        learner: &Arc<Caller>,
        session_id: &str,
        observation: Option<Observation>,
    ) -> Result<ObservationReceipt, Fault> {
        ids::check("session_id", session_id)?;
        let observation = observation.ok_or_else(|| Fault::invalid("observation", "is missing"))?;
        let taken = match observe::check(&observation, self.settings.max_vars, self.now()) {
            Ok(()) => {
                let taken = self.runs.observe(learner, session_id, observation);
                taken.await.map_err(of_session)
            }
            Err(fault) => Err(fault),
        };
        self.metrics.observed(&taken);
        taken
    }

    /// What is stored of a session, now and whenever it is more.
    pub(crate) async fn watch_receipts(
        &self,
        learner: &Arc<Caller>,
        session_id: &str,
    ) -> Result<watch::Receiver<Told>, Fault> {
        ids::check("session_id", session_id)?;
        let watched = self.runs.watch(learner, session_id).await;
        watched.map_err(of_session)
    }

    /// Stores what came for a session and the step that it is at; answers what is stored then.
    pub(crate) async fn store_now(
        &self,
        learner: &Arc<Caller>,
        session_id: &str,
    ) -> Result<ObservationReceipt, Fault> {
        let run = self.runs.run(learner, session_id).await?;
        run.look().await?;
        run.watch().borrow().clone()
    }
}

/// A thread is called a session here.
fn of_session(fault: Fault) -> Fault {
    match fault.reason() {
        ErrorReason::UnknownThread => {
            let problem = "is no session of this learner; open one";
            Fault::new(
                ErrorReason::UnknownThread,
                format!("`session_id` {problem}"),
            )
            .field("session_id", problem)
        }
        _ => fault,
    }
}

/// All that is kept of a help session.
type Kept = (turnwise_proto::tutor::v1::Thread, HelpState);
