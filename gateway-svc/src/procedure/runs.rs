//! Runs that are being observed. What comes for a session is gathered by one task and stored together, so that thirty
//! observations a second are two writes. The task infers the step with what it stores, and has a highlight cleared once its
//! step is complete. It ends when nothing comes any more; what it had not stored is lost with its process, and the client, who
//! was not told that it is stored, sends it again.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use tokio::sync::{mpsc, oneshot, watch};
use turnwise_kit::{CallContext, Caller, Fault, time};
use turnwise_proto::{
    common::v1::ErrorReason,
    policy::v1::{PlanProcedureHelpRequest, PlanProcedureHelpResponse},
    procedure::v1::{Observation, ObservationReceipt, Overlay},
    session::v1::{HelpProcedure, HelpRun, HelpState, ReadHelpSessionRequest},
    tutor::v1::Thread,
};

use super::{HelpSettings, learner::closed, observe::client_now, task::Task};
use crate::{conversation::Core, error::public, upstream::Step};

/// How long a call to a service may take.
pub(super) const WAIT: Duration = Duration::from_secs(5);
/// Commands that wait for a task. With more, whoever sends is read more slowly.
const QUEUE: usize = 64;
/// A write is tried so often against others that come between.
pub(super) const TRIES: usize = 4;

/// What is being observed, by all callers of this process.
pub(super) struct Runs {
    pub(super) core: Arc<Core>,
    pub(super) settings: HelpSettings,
    open: Mutex<HashMap<Key, mpsc::Sender<Command>>>,
}

/// Tenant, learner, session.
pub(super) type Key = (String, String, String);
pub(super) type Reply<T> = oneshot::Sender<Result<T, Fault>>;

/// What is told of a run: what is stored, or why it goes no further.
pub(super) type Told = Result<ObservationReceipt, Fault>;

/// What is asked of a session's task.
pub(super) enum Command {
    Observe(Arc<Caller>, Observation, Reply<ObservationReceipt>),
    Watch(Arc<Caller>, Reply<watch::Receiver<Told>>),
    /// Stores what came; answers the session.
    Flush(Arc<Caller>, Reply<Thread>),
    /// An overlay was asked for.
    Shown(Overlay),
}

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
        observation: Observation,
    ) -> Result<ObservationReceipt, Fault> {
        let command = |reply| Command::Observe(Arc::clone(caller), observation.clone(), reply);
        self.ask(caller, session_id, command).await
    }

    /// What is stored, now and whenever it is more.
    pub(super) async fn watch(
        self: &Arc<Self>,
        caller: &Arc<Caller>,
        session_id: &str,
    ) -> Result<watch::Receiver<Told>, Fault> {
        let command = |reply| Command::Watch(Arc::clone(caller), reply);
        self.ask(caller, session_id, command).await
    }

    /// Stores what came for a session here; answers the session.
    pub(super) async fn flush(
        self: &Arc<Self>,
        caller: &Arc<Caller>,
        session_id: &str,
    ) -> Result<Thread, Fault> {
        let command = |reply| Command::Flush(Arc::clone(caller), reply);
        self.ask(caller, session_id, command).await
    }

    /// Has the step of a new highlight looked after.
    pub(super) async fn shown(
        self: &Arc<Self>,
        caller: &Arc<Caller>,
        session_id: &str,
        overlay: Overlay,
    ) {
        let sender = self.task(caller, session_id);
        // A task that ends in this moment is not needed: the highlight ends by itself.
        let _ = sender.send(Command::Shown(overlay)).await;
    }

    async fn ask<T>(
        self: &Arc<Self>,
        caller: &Arc<Caller>,
        session_id: &str,
        command: impl Fn(Reply<T>) -> Command,
    ) -> Result<T, Fault> {
        // A task that ends in this moment answers no more; the next one does.
        for _ in 0..TRIES {
            let (reply, answer) = oneshot::channel();
            let sender = self.task(caller, session_id);
            if sender.send(command(reply)).await.is_ok()
                && let Ok(answer) = answer.await
            {
                return answer;
            }
        }
        Err(Step::Session.malformed())
    }

    /// The way to a session's task, which is started where there is none.
    fn task(self: &Arc<Self>, caller: &Arc<Caller>, session_id: &str) -> mpsc::Sender<Command> {
        let key = (
            caller.tenant.clone(),
            caller.subject.clone(),
            session_id.to_owned(),
        );
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = open.get(&key).filter(|sender| !sender.is_closed()) {
            return sender.clone();
        }
        let (sender, commands) = mpsc::channel(QUEUE);
        open.insert(key.clone(), sender.clone());
        let (runs, caller) = (Arc::clone(self), Arc::clone(caller));
        self.core.kit.tasks.spawn(async move {
            runs.run(key, caller, commands).await;
        });
        sender
    }

    async fn run(
        self: Arc<Self>,
        key: Key,
        caller: Arc<Caller>,
        mut commands: mpsc::Receiver<Command>,
    ) {
        match self.read(&caller, &key.2).await {
            Ok((thread, state)) => {
                let task = Task::new(Arc::clone(&self), key.clone(), caller, thread, state);
                task.work(&mut commands).await;
            }
            Err(fault) => {
                commands.close();
                while let Some(command) = commands.recv().await {
                    command.refuse(fault.clone());
                }
            }
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.get(&key).is_some_and(mpsc::Sender::is_closed) {
            open.remove(&key);
        }
    }

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
        run: &HelpRun,
        now: Timestamp,
    ) -> Result<PlanProcedureHelpResponse, Fault> {
        let step = Step::Policy.of(context);
        let request = PlanProcedureHelpRequest {
            course_id: course_id.to_owned(),
            pack_hash: procedure.pack_hash.clone(),
            procedure_id: procedure.procedure_id.clone(),
            run_state: run.run_state.clone(),
            variables: run.variables.clone(),
            now: Some(time::to_proto(client_now(run, now))),
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

impl Command {
    pub(super) fn refuse(self, fault: Fault) {
        // Nobody waits any more where the caller has gone.
        match self {
            Self::Observe(_, _, reply) => drop(reply.send(Err(fault))),
            Self::Watch(_, reply) => drop(reply.send(Err(fault))),
            Self::Flush(_, reply) => drop(reply.send(Err(fault))),
            Self::Shown(_) => {}
        }
    }
}
