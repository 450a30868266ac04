//! One session that is being observed: what comes is merged, stored, and the step inferred.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use tokio::{
    sync::{mpsc, watch},
    time::Instant,
};
use turnwise_kit::{CallContext, Caller, Fault, time};
use turnwise_proto::{
    common::v1::ErrorReason,
    procedure::v1::{ObservationReceipt, Overlay, OverlayIntent, OverlayState},
    session::v1::{
        ChangeOverlayRequest, HelpProcedure, HelpRun, HelpState, OverlayChange, StoreHelpRunRequest,
    },
    tutor::v1::Thread,
};

use super::{
    learner::{belongs, left_class},
    observe::Observed,
    of_session,
    runs::{Command, Key, Runs, TRIES, Told, WAIT},
};
use crate::error::public;

/// The longest that an observation waits to be stored with others.
const GATHER: Duration = Duration::from_millis(500);
/// When the step is inferred again after a change, and how often while something is highlighted.
const LOOK: Duration = Duration::from_secs(1);
/// The last of the doubling intervals after a change: no gate takes longer than a minute to settle.
const LOOK_LAST: Duration = Duration::from_secs(32);
/// A task ends when nothing has come for so long.
const IDLE: Duration = Duration::from_secs(60);

/// One session's task.
pub(super) struct Task {
    runs: Arc<Runs>,
    key: Key,
    caller: Arc<Caller>,
    thread: Thread,
    procedure: HelpProcedure,
    listed: BTreeSet<String>,
    observed: Observed,
    overlay: Option<Overlay>,
    unlisted: i32,
    told: watch::Sender<Told>,
    /// When what came is stored.
    flush_at: Option<Instant>,
    /// When the step is inferred again.
    look_at: Option<Instant>,
    /// How long after the look before.
    look_after: Duration,
    idle_at: Instant,
}

impl Task {
    pub(super) fn new(
        runs: Arc<Runs>,
        key: Key,
        caller: Arc<Caller>,
        thread: Thread,
        state: HelpState,
    ) -> Self {
        let procedure = state.procedure.unwrap_or_default();
        let observed = Observed::stored(state.run.unwrap_or_default());
        let mut task = Self {
            listed: procedure.raw_names.iter().cloned().collect(),
            told: watch::Sender::new(Ok(receipt(&observed.run, observed.run.stored_sequence))),
            runs,
            key,
            caller,
            thread,
            procedure,
            observed,
            overlay: None,
            unlisted: 0,
            flush_at: None,
            look_at: None,
            look_after: LOOK,
            idle_at: Instant::now() + IDLE,
        };
        task.shows(state.overlay);
        task
    }

    pub(super) async fn work(mut self, commands: &mut mpsc::Receiver<Command>) {
        let end = self.runs.core.kit.shutdown.clone();
        loop {
            let wake = [self.flush_at, self.look_at].into_iter().flatten().min();
            let wake = wake.unwrap_or(self.idle_at);
            tokio::select! {
                biased;
                () = tokio::time::sleep_until(wake) => {
                    let now = Instant::now();
                    if self.flush_at.is_some_and(|at| at <= now) {
                        // What failed is tried again.
                        let _ = self.flush().await;
                    } else if self.look_at.is_some_and(|at| at <= now) {
                        self.look().await;
                    } else {
                        break;
                    }
                }
                command = commands.recv() => match command {
                    Some(command) => self.take(command).await,
                    None => break,
                },
                () = end.cancelled() => break,
            }
        }
        commands.close();
        while let Some(command) = commands.recv().await {
            self.take(command).await;
        }
        if self.observed.is_new() {
            // Whoever sent it was not told that it is stored.
            let _ = self.flush().await;
        }
    }

    async fn take(&mut self, command: Command) {
        let caller = match &command {
            Command::Observe(caller, ..)
            | Command::Watch(caller, _)
            | Command::Flush(caller, _) => Some(caller),
            Command::Shown(_) => None,
        };
        if let Some(caller) = caller {
            if !belongs(caller, &self.thread.class_id) {
                return command.refuse(left_class());
            }
            self.caller = Arc::clone(caller);
        }
        let ended = self.told.borrow().as_ref().err().cloned();
        if let Some(fault) = ended {
            return command.refuse(fault);
        }
        self.idle_at = Instant::now() + IDLE;
        match command {
            Command::Observe(_, observation, reply) => {
                let now = self.runs.core.kit.clock.now();
                let listed = &self.listed;
                let unlisted = self
                    .observed
                    .take(observation, |name| listed.contains(name), now);
                self.unlisted = self.unlisted.saturating_add(unlisted);
                if self.observed.is_new() && self.flush_at.is_none() {
                    self.flush_at = Some(Instant::now() + GATHER);
                }
                let _ = reply.send(Ok(self.receipt()));
            }
            Command::Watch(_, reply) => drop(reply.send(Ok(self.told.subscribe()))),
            Command::Flush(_, reply) => {
                let stored = match self.observed.is_new() {
                    true => self.flush().await,
                    false => Ok(()),
                };
                let _ = reply.send(stored.map(|()| self.thread.clone()));
            }
            Command::Shown(overlay) => self.shows(Some(overlay)),
        }
    }

    /// What is stored, with what was received since.
    fn receipt(&self) -> ObservationReceipt {
        let stored = self.told.borrow().as_ref().ok().cloned();
        ObservationReceipt {
            received_sequence: self.observed.run.stored_sequence,
            unlisted_count: self.unlisted,
            ..stored.unwrap_or_default()
        }
    }

    /// Infers the step and stores what came. What could not be stored is tried again.
    async fn flush(&mut self) -> Result<(), Fault> {
        self.flush_at = None;
        let has_changed = self.observed.has_changed();
        for _ in 0..TRIES {
            let Err(fault) = self.store().await else {
                if has_changed {
                    self.look_again(LOOK);
                }
                return Ok(());
            };
            match fault.reason() {
                ErrorReason::VersionConflict => {
                    let read = self.runs.read(&self.caller, &self.key.2).await;
                    if let Ok((_, state)) = read {
                        let observed = std::mem::take(&mut self.observed);
                        self.observed = observed.over(state.run.unwrap_or_default());
                        self.shows(state.overlay);
                    }
                }
                ErrorReason::UnknownThread
                | ErrorReason::TurnErased
                | ErrorReason::HelpSessionClosed => {
                    let fault = of_session(fault);
                    self.tell(Err(fault.clone()));
                    return Err(fault);
                }
                reason => {
                    let reason = reason.wire_name();
                    tracing::warn!(reason, "observations are not stored yet");
                    self.flush_at = Some(Instant::now() + GATHER);
                    return Err(fault);
                }
            }
        }
        self.flush_at = Some(Instant::now() + GATHER);
        Err(contended())
    }

    async fn store(&mut self) -> Result<(), Fault> {
        let context = CallContext::background(Some(Caller::clone(&self.caller)), WAIT);
        let inferred = self.infer(&context).await?;
        let request = StoreHelpRunRequest {
            student_id: self.caller.subject.clone(),
            thread_id: self.key.2.clone(),
            run: Some(self.observed.run.clone()),
        };
        let mut session = self.runs.core.upstreams.session.clone();
        let stored = session
            .store_help_run(context.request(request))
            .await
            .map_err(|status| public(&status))?
            .into_inner();
        self.observed.settle(stored.version);
        let unlisted_count = std::mem::take(&mut self.unlisted);
        self.tell(Ok(ObservationReceipt {
            unlisted_count,
            ..receipt(&self.observed.run, self.observed.run.stored_sequence)
        }));
        self.shows(stored.overlay);
        if inferred.is_some() {
            self.clear_if_over().await;
        }
        Ok(())
    }

    /// Infers the step; answers whether it is a new one, and none where the policy does not answer now: what was observed is
    /// stored all the same, and help infers it again.
    async fn infer(&mut self, context: &CallContext) -> Result<Option<bool>, Fault> {
        let (course_id, run) = (&self.thread.course_id, &self.observed.run);
        let now = self.runs.core.kit.clock.now();
        let planned = self
            .runs
            .plan(context, course_id, &self.procedure, run, now)
            .await;
        match planned {
            Ok(planned) => {
                let step = planned.plan.and_then(|plan| plan.step);
                let step_id = step.map_or_else(String::new, |step| step.step_id);
                Ok(Some(self.observed.infer(step_id, planned.run_state)))
            }
            Err(fault) if fault.reason() == ErrorReason::HelpSessionClosed => Err(fault),
            Err(fault) => {
                tracing::warn!(reason = fault.reason().wire_name(), "no step is inferred");
                Ok(None)
            }
        }
    }

    /// Infers the step again, since a gate settles though nothing is observed, and stores one that is new: each second while
    /// something is highlighted, and after a change at intervals that double.
    async fn look(&mut self) {
        let next = self.look_after * 2;
        self.look_at = None;
        if self.is_showing() {
            self.look_again(LOOK);
        } else if next <= LOOK_LAST {
            self.look_again(next);
        }
        let context = CallContext::background(Some(Caller::clone(&self.caller)), WAIT);
        if let Ok(Some(true)) = self.infer(&context).await {
            // It is stored, or tried again.
            let _ = self.flush().await;
        }
    }

    fn look_again(&mut self, after: Duration) {
        self.look_after = after;
        self.look_at = Some(Instant::now() + after);
    }

    /// Has a highlight cleared whose step is no longer the one to do.
    async fn clear_if_over(&mut self) {
        let run = &self.observed.run;
        let Some(overlay) = self.overlay.as_ref().filter(|_| self.is_showing()) else {
            return;
        };
        if overlay.step_id == run.step_id {
            return;
        }
        let context = CallContext::background(Some(Caller::clone(&self.caller)), WAIT);
        let request = ChangeOverlayRequest {
            student_id: self.caller.subject.clone(),
            thread_id: self.key.2.clone(),
            overlay_id: overlay.overlay_id.clone(),
            change: OverlayChange::Clear.into(),
            ack_wait: self.runs.settings.ack_wait.try_into().ok(),
            ..ChangeOverlayRequest::default()
        };
        let mut session = self.runs.core.upstreams.session.clone();
        match session.change_overlay(context.request(request)).await {
            Ok(changed) => self.shows(changed.into_inner().overlay),
            Err(status) => {
                // It is tried with the next look, and the highlight ends by itself.
                tracing::warn!(code = ?status.code(), "a highlight is not cleared yet");
            }
        }
    }

    /// Tells whoever watches, and whoever will.
    fn tell(&self, told: Told) {
        drop(self.told.send_replace(told));
    }

    fn shows(&mut self, overlay: Option<Overlay>) {
        self.overlay = overlay;
        if self.is_showing() {
            self.look_at.get_or_insert(Instant::now() + LOOK);
        }
    }

    fn is_showing(&self) -> bool {
        let now = self.runs.core.kit.clock.now();
        self.overlay.as_ref().is_some_and(|overlay| {
            let end = overlay.expire_time.as_ref().and_then(time::from_proto);
            overlay.intent() == OverlayIntent::Highlight
                && overlay.state() != OverlayState::Failed
                && end.is_none_or(|end| end > now)
        })
    }
}

fn receipt(run: &HelpRun, received_sequence: i64) -> ObservationReceipt {
    ObservationReceipt {
        stored_sequence: run.stored_sequence,
        received_sequence,
        unlisted_count: 0,
        step_id: run.step_id.clone(),
    }
}

/// Others wrote first, again and again.
fn contended() -> Fault {
    Fault::new(
        ErrorReason::VersionConflict,
        "the session was changed in between, again and again; send it again",
    )
    .retry_after(GATHER)
}
