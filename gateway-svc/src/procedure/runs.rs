//! Runs that are being observed by callers of this process, each found by its session.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use tokio::sync::watch;
use turnwise_kit::{CallContext, Caller, Fault, time};
use turnwise_proto::{
    common::v1::ErrorReason,
    policy::v1::{PlanProcedureHelpRequest, PlanProcedureHelpResponse},
    procedure::v1::{Observation, ObservationReceipt, Overlay},
    session::v1::{HelpProcedure, HelpRun, HelpState, ReadHelpSessionRequest},
    tutor::v1::Thread,
};

use super::{HelpSettings, learner::closed, observe::client_now, run::Run};
use crate::{conversation::Core, error::public, upstream::Step};

/// How long a call to a service may take.
pub(super) const WAIT: Duration = Duration::from_secs(5);
/// A write is tried so often against others that come between, and a run that ends in this moment is begun again.
pub(super) const TRIES: usize = 4;

/// What is being observed, by all callers of this process.
pub(super) struct Runs {
    pub(super) core: Arc<Core>,
    pub(super) settings: HelpSettings,
    open: Mutex<HashMap<Key, Arc<Run>>>,
}

/// Tenant, learner, session.
pub(super) type Key = (String, String, String);

/// What is told of a run: what is stored, or why it goes no further.
pub(super) type Told = Result<ObservationReceipt, Fault>;

impl Runs {
    pub(super) fn new(core: &Arc<Core>, settings: HelpSettings) -> Arc<Self> {
        Arc::new(Self {
            core: Arc::clone(core),
            settings,
            open: Mutex::default(),
        })
    }

    /// Takes an observation that was checked; answers what is stored.
    pub(super) async fn observe(
        self: &Arc<Self>,
        caller: &Arc<Caller>,
        session_id: &str,
        mut observation: Observation,
    ) -> Result<ObservationReceipt, Fault> {
        for _ in 0..TRIES {
            let run = self.run(caller, session_id).await?;
            match run.observe(observation) {
                Ok(receipt) => return Ok(receipt),
                Err(not_taken) => observation = not_taken,
            }
        }
        Err(Step::Session.malformed())
    }

    /// What is stored, now and whenever it is more. Another gateway may have stored since this one last did.
    pub(super) async fn watch(
        self: &Arc<Self>,
        caller: &Arc<Caller>,
        session_id: &str,
    ) -> Result<watch::Receiver<Told>, Fault> {
        let run = self.run(caller, session_id).await?;
        let (_, state) = self.read(caller, session_id).await?;
        run.adopt(state);
        Ok(run.watch())
    }

    /// Has the step of a new highlight looked after.
    pub(super) async fn shown(
        self: &Arc<Self>,
        caller: &Arc<Caller>,
        session_id: &str,
        overlay: Overlay,
    ) {
        // Where the run cannot be had, the highlight ends by itself.
        if let Ok(run) = self.run(caller, session_id).await {
            run.show(overlay);
        }
    }

    /// A session's run, begun where there is none, for a caller who may add to it.
    pub(super) async fn run(
        self: &Arc<Self>,
        caller: &Arc<Caller>,
        session_id: &str,
    ) -> Result<Arc<Run>, Fault> {
        let key = (
            caller.tenant.clone(),
            caller.subject.clone(),
            session_id.to_owned(),
        );
        let found = self.lock().get(&key).filter(|run| !run.is_over()).cloned();
        let run = match found {
            Some(run) => run,
            None => self.begin(caller, key).await?,
        };
        run.admit(caller)?;
        Ok(run)
    }

    async fn begin(self: &Arc<Self>, caller: &Arc<Caller>, key: Key) -> Result<Arc<Run>, Fault> {
        let (thread, state) = self.read(caller, &key.2).await?;
        let mut open = self.lock();
        // Another call may have begun it meanwhile.
        if let Some(run) = open.get(&key).filter(|run| !run.is_over()) {
            return Ok(Arc::clone(run));
        }
        let run = Run::new(self, &key, caller, thread, state);
        open.insert(key.clone(), Arc::clone(&run));
        drop(open);
        let (runs, working) = (Arc::clone(self), Arc::clone(&run));
        self.core.kit.tasks.spawn(async move {
            working.work().await;
            let mut open = runs.lock();
            if open.get(&key).is_some_and(|run| Arc::ptr_eq(run, &working)) {
                open.remove(&key);
            }
        });
        Ok(run)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Arc<Run>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A session as it is stored.
    pub(super) async fn read(
        &self,
        caller: &Caller,
        session_id: &str,
    ) -> Result<(Thread, HelpState), Fault> {
        let context = CallContext::background(Some(caller.clone()), WAIT);
        let read = self
            .core
            .upstreams
            .session
            .clone()
            .read_help_session(context.request(ReadHelpSessionRequest {
                student_id: caller.subject.clone(),
                thread_id: session_id.to_owned(),
            }))
            .await
            .map_err(|status| public(&status))?
            .into_inner();
        match (read.thread, read.state) {
            (Some(thread), Some(state)) => Ok((thread, state)),
            _ => Err(Step::Session.malformed()),
        }
    }

    /// Where the learner is, by what was observed.
    pub(super) async fn plan(
        &self,
        context: &CallContext,
        course_id: &str,
        procedure: &HelpProcedure,
        run: HelpRun,
        now: Timestamp,
    ) -> Result<PlanProcedureHelpResponse, Fault> {
        let step = Step::Policy.of(context);
        let now = client_now(&run, now);
        let request = PlanProcedureHelpRequest {
            course_id: course_id.to_owned(),
            pack_hash: procedure.pack_hash.clone(),
            procedure_id: procedure.procedure_id.clone(),
            run_state: run.run_state,
            variables: run.variables,
            now: Some(time::to_proto(now)),
        };
        let mut policy = self.core.upstreams.policy.clone();
        let planned = policy.plan_procedure_help(step.request(request)).await;
        planned.map(tonic::Response::into_inner).map_err(|status| {
            let fault = step.fault(&status);
            match fault.reason() {
                // The version that the session keeps to is served no more.
                ErrorReason::UnknownPackVersion
                | ErrorReason::UnknownCourse
                | ErrorReason::InvalidArgument => closed(),
                _ => fault,
            }
        })
    }
}
