//! One session that is being observed. What comes is merged at once and stored together with what follows, so that thirty
//! observations a second are two writes. The step is inferred once a second, and a highlight cleared once its step is over.
//! A run ends when nothing comes any more; what it had not stored is lost with its process, and the client, who was not told
//! that it is stored, sends it again.

use std::{
    collections::BTreeSet,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{Mutex as AsyncMutex, Notify, watch},
    time::{Instant, timeout},
};
use turnwise_kit::{CallContext, Caller, Fault, time};
use turnwise_proto::{
    common::v1::ErrorReason,
    policy::v1::PlanProcedureHelpResponse,
    procedure::v1::{Observation, ObservationReceipt, Overlay, OverlayIntent, OverlayState},
    session::v1::{
        ChangeOverlayRequest, HelpProcedure, HelpRun, HelpState, OverlayChange, StoreHelpRunRequest,
    },
    tutor::v1::Thread,
};

use super::{
    learner::{belongs, left_class},
    observe::Observed,
    of_session,
    runs::{Key, Runs, TRIES, Told, WAIT},
};
use crate::error::public;

/// The longest that an observation waits to be stored with others.
const GATHER: Duration = Duration::from_millis(500);
/// How often the step is inferred while values change or something is highlighted, and again after a change.
const LOOK: Duration = Duration::from_secs(1);
/// The last of the doubling intervals after a change: no gate takes longer than a minute to settle.
const LOOK_LAST: Duration = Duration::from_secs(32);
/// A run ends when nothing has come for so long.
const IDLE: Duration = Duration::from_secs(60);

/// One session's run.
pub(super) struct Run {
    runs: Arc<Runs>,
    session_id: String,
    pub(super) thread: Thread,
    pub(super) procedure: HelpProcedure,
    listed: BTreeSet<String>,
    told: watch::Sender<Told>,
    known: Mutex<Known>,
    /// One store at a time.
    storing: AsyncMutex<()>,
    /// Something is due earlier than it was.
    sooner: Notify,
}

/// What is known of a run here.
struct Known {
    /// The last who added to it: what is stored is stored for them.
    caller: Arc<Caller>,
    observed: Observed,
    unlisted: i32,
    overlay: Option<Overlay>,
    /// When what came is stored.
    flush_at: Option<Instant>,
    /// When the step is inferred again.
    look_at: Option<Instant>,
    /// When it was last.
    looked_at: Option<Instant>,
    /// How long after the look before.
    look_after: Duration,
    idle_at: Instant,
    /// Nothing is taken any more.
    is_over: bool,
}

impl Run {
    pub(super) fn new(
        runs: &Arc<Runs>,
        key: &Key,
        caller: &Arc<Caller>,
        thread: Thread,
        state: HelpState,
    ) -> Arc<Self> {
        let procedure = state.procedure.unwrap_or_default();
        let observed = Observed::stored(state.run.unwrap_or_default());
        let run = Self {
            runs: Arc::clone(runs),
            session_id: key.2.clone(),
            thread,
            listed: procedure.raw_names.iter().cloned().collect(),
            procedure,
            told: watch::Sender::new(Ok(receipt(&observed.run, observed.run.stored_sequence))),
            known: Mutex::new(Known {
                caller: Arc::clone(caller),
                observed,
                unlisted: 0,
                overlay: None,
                flush_at: None,
                look_at: None,
                looked_at: None,
                look_after: LOOK,
                idle_at: Instant::now() + IDLE,
                is_over: false,
            }),
            storing: AsyncMutex::default(),
            sooner: Notify::new(),
        };
        run.shows(&mut run.known(), state.overlay);
        Arc::new(run)
    }

    /// Refuses a caller who may not add to the session, and everyone once it is closed.
    pub(super) fn admit(&self, caller: &Arc<Caller>) -> Result<(), Fault> {
        if !belongs(caller, &self.thread.class_id) {
            return Err(left_class());
        }
        if let Err(fault) = &*self.told.borrow() {
            return Err(fault.clone());
        }
        let mut known = self.known();
        known.idle_at = Instant::now() + IDLE;
        if !Arc::ptr_eq(&known.caller, caller) {
            known.caller = Arc::clone(caller);
        }
        Ok(())
    }

    /// Takes an observation that was checked; gives it back if the run is over.
    pub(super) fn observe(
        &self,
        observation: Observation,
    ) -> Result<ObservationReceipt, Observation> {
        let now = self.runs.core.kit.clock.now();
        let mut known = self.known();
        if known.is_over {
            return Err(observation);
        }
        let unlisted = known
            .observed
            .take(observation, |name| self.listed.contains(name), now);
        known.unlisted = known.unlisted.saturating_add(unlisted);
        if known.observed.is_new() && known.flush_at.is_none() {
            let wait = match known.looked_at {
                Some(_) => GATHER,
                None => first_wait(),
            };
            known.flush_at = Some(Instant::now() + wait);
            self.sooner.notify_one();
        }
        let stored = self.told.borrow().as_ref().ok().cloned();
        Ok(ObservationReceipt {
            received_sequence: known.observed.run.stored_sequence,
            unlisted_count: known.unlisted,
            ..stored.unwrap_or_default()
        })
    }

    /// What is stored, now and whenever it is more.
    pub(super) fn watch(&self) -> watch::Receiver<Told> {
        self.told.subscribe()
    }

    /// What was observed.
    pub(super) fn observed(&self) -> HelpRun {
        self.known().observed.run.clone()
    }

    /// A press found the learner there: it is told, so it is stored.
    pub(super) fn found(&self, planned: &PlanProcedureHelpResponse) {
        let mut known = self.known();
        if known.infer(planned) {
            known.observed.renew();
            known.flush_at.get_or_insert(Instant::now() + GATHER);
            self.sooner.notify_one();
        }
    }

    /// An overlay was asked for.
    pub(super) fn show(&self, overlay: Overlay) {
        self.shows(&mut self.known(), Some(overlay));
    }

    pub(super) fn is_over(&self) -> bool {
        self.known().is_over
    }

    /// Stores what came, as it becomes due, until nothing comes any more or the process ends.
    pub(super) async fn work(&self) {
        let end = self.runs.core.kit.shutdown.clone();
        loop {
            let (flush_at, look_at, idle_at) = {
                let known = self.known();
                (known.flush_at, known.look_at, known.idle_at)
            };
            let wake = [flush_at, look_at].into_iter().flatten().min();
            tokio::select! {
                biased;
                () = end.cancelled() => break,
                () = self.sooner.notified() => {}
                () = tokio::time::sleep_until(wake.unwrap_or(idle_at)) => {
                    let now = Instant::now();
                    let is_due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
                    let looks = self.known().looked_at.is_none_or(|at| at + LOOK <= now);
                    // What failed is tried again.
                    if is_due(look_at) || is_due(flush_at) && looks {
                        let _ = self.look().await;
                    } else if is_due(flush_at) {
                        let _ = self.flush().await;
                    } else if self.ends() {
                        return;
                    }
                }
            }
        }
        // Whoever sent what cannot be stored was not told that it is.
        for _ in 0..TRIES {
            let _ = self.flush().await;
            let mut known = self.known();
            known.is_over = !known.observed.is_new();
            if known.is_over {
                return;
            }
        }
        self.known().is_over = true;
    }

    /// Ends the run if nothing has come for long and all is stored.
    fn ends(&self) -> bool {
        let mut known = self.known();
        let is_idle = known.flush_at.is_none() && known.look_at.is_none();
        known.is_over = is_idle && known.idle_at <= Instant::now();
        known.is_over
    }

    /// Stores what came, if anything did since the last time.
    pub(super) async fn flush(&self) -> Result<(), Fault> {
        let _storing = self.storing.lock().await;
        {
            let mut known = self.known();
            if !known.observed.is_new() {
                known.flush_at = None;
                return Ok(());
            }
        }
        self.store().await
    }

    /// Goes on from what is stored, if somebody else stored it.
    pub(super) fn adopt(&self, state: HelpState) {
        let mut known = self.known();
        let stored = state.run.unwrap_or_default();
        if stored.version <= known.observed.run.version {
            return;
        }
        let observed = std::mem::take(&mut known.observed);
        known.observed = observed.over(stored);
        self.shows(&mut known, state.overlay);
        if !known.observed.is_new() {
            let run = &known.observed.run;
            self.tell(Ok(receipt(run, run.stored_sequence)));
        }
    }

    /// Stores all that is known. What could not be stored is tried again.
    async fn store(&self) -> Result<(), Fault> {
        let mut failed = contended();
        for _ in 0..TRIES {
            let Err(fault) = self.try_to_store().await else {
                return Ok(());
            };
            match fault.reason() {
                ErrorReason::VersionConflict => {
                    let caller = self.caller();
                    if let Ok((_, state)) = self.runs.read(&caller, &self.session_id).await {
                        self.adopt(state);
                    }
                }
                ErrorReason::UnknownThread | ErrorReason::TurnErased => {
                    return Err(self.close(fault));
                }
                reason => {
                    let reason = reason.wire_name();
                    tracing::warn!(reason, "observations are not stored yet");
                    failed = fault;
                    break;
                }
            }
        }
        self.known().flush_at = Some(Instant::now() + GATHER);
        Err(failed)
    }

    async fn try_to_store(&self) -> Result<(), Fault> {
        let context = CallContext::background(Some(Caller::clone(&self.caller())), WAIT);
        let (run, news, has_changed) = {
            let observed = &self.known().observed;
            (
                observed.run.clone(),
                observed.news(),
                observed.has_changed(),
            )
        };
        let told = receipt(&run, run.stored_sequence);
        let request = StoreHelpRunRequest {
            student_id: context.caller()?.subject.clone(),
            thread_id: self.session_id.clone(),
            run: Some(run),
        };
        let mut session = self.runs.core.upstreams.session.clone();
        let stored = session
            .store_help_run(context.request(request))
            .await
            .map_err(|status| public(&status))?
            .into_inner();
        let unlisted_count = {
            let mut known = self.known();
            known.observed.settle(stored.version, news);
            let (is_new, now) = (known.observed.is_new(), Instant::now());
            known.flush_at = is_new.then(|| now + GATHER);
            if has_changed {
                let again = known.looked_at.map_or(now, |at| at + LOOK);
                known.look_at = Some(again.max(now));
                known.look_after = LOOK;
            }
            self.shows(&mut known, stored.overlay);
            std::mem::take(&mut known.unlisted)
        };
        self.tell(Ok(ObservationReceipt {
            unlisted_count,
            ..told
        }));
        Ok(())
    }

    /// Tells that nothing more can be stored.
    fn close(&self, fault: Fault) -> Fault {
        let fault = of_session(fault);
        let mut known = self.known();
        (known.flush_at, known.look_at) = (None, None);
        drop(known);
        self.tell(Err(fault.clone()));
        fault
    }

    /// Infers the step; answers whether it is a new one, and none where the policy does not answer now: what was observed is
    /// stored all the same, and help infers it again.
    async fn infer(&self, context: &CallContext) -> Result<Option<bool>, Fault> {
        let now = self.runs.core.kit.clock.now();
        self.known().looked_at = Some(Instant::now());
        let run = self.observed();
        let (course_id, procedure) = (&self.thread.course_id, &self.procedure);
        let planned = self
            .runs
            .plan(context, course_id, procedure, run, now)
            .await;
        match planned {
            Ok(planned) => Ok(Some(self.known().infer(&planned))),
            Err(fault) if fault.reason() == ErrorReason::HelpSessionClosed => Err(fault),
            Err(fault) => {
                tracing::warn!(reason = fault.reason().wire_name(), "no step is inferred");
                Ok(None)
            }
        }
    }

    /// Infers the step and stores what came with it. It is inferred again though nothing is observed, since a gate settles:
    /// each second while something is highlighted, and after a change at intervals that double.
    pub(super) async fn look(&self) -> Result<(), Fault> {
        {
            let mut known = self.known();
            let next = known.look_after * 2;
            known.look_at = None;
            if self.is_showing(&known) {
                known.look_again(LOOK);
            } else if next <= LOOK_LAST {
                known.look_again(next);
            }
        }
        let context = CallContext::background(Some(Caller::clone(&self.caller())), WAIT);
        // A policy that does not answer holds up no store for long.
        let inferred = match timeout(GATHER, self.infer(&context)).await {
            Ok(inferred) => inferred.map_err(|fault| self.close(fault))?,
            Err(_) => None,
        };
        if inferred == Some(true) {
            let _storing = self.storing.lock().await;
            self.store().await?;
        } else {
            self.flush().await?;
        }
        if inferred.is_some() {
            self.clear_if_over(&context).await;
        }
        Ok(())
    }

    /// Has a highlight cleared whose step is no longer the one to do.
    async fn clear_if_over(&self, context: &CallContext) {
        let overlay_id = {
            let known = self.known();
            let overlay = known.overlay.as_ref().filter(|_| self.is_showing(&known));
            match overlay.filter(|overlay| overlay.step_id != known.observed.run.step_id) {
                Some(overlay) => overlay.overlay_id.clone(),
                None => return,
            }
        };
        let request = ChangeOverlayRequest {
            student_id: self.caller().subject.clone(),
            thread_id: self.session_id.clone(),
            overlay_id,
            change: OverlayChange::Clear.into(),
            ack_wait: self.runs.settings.ack_wait.try_into().ok(),
            ..ChangeOverlayRequest::default()
        };
        let mut session = self.runs.core.upstreams.session.clone();
        match session.change_overlay(context.request(request)).await {
            Ok(changed) => self.shows(&mut self.known(), changed.into_inner().overlay),
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

    fn shows(&self, known: &mut Known, overlay: Option<Overlay>) {
        known.overlay = overlay;
        if self.is_showing(known) && known.look_at.is_none() {
            known.look_at = Some(Instant::now() + LOOK);
            self.sooner.notify_one();
        }
    }

    fn is_showing(&self, known: &Known) -> bool {
        let now = self.runs.core.kit.clock.now();
        known.overlay.as_ref().is_some_and(|overlay| {
            let end = overlay.expire_time.as_ref().and_then(time::from_proto);
            overlay.intent() == OverlayIntent::Highlight
                && overlay.state() != OverlayState::Failed
                && end.is_none_or(|end| end > now)
        })
    }

    fn caller(&self) -> Arc<Caller> {
        Arc::clone(&self.known().caller)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// Notes the step of a plan; whether it is a new one.
    fn infer(&mut self, planned: &PlanProcedureHelpResponse) -> bool {
        let step = planned.plan.as_ref().and_then(|plan| plan.step.as_ref());
        let step_id = step.map_or_else(String::new, |step| step.step_id.clone());
        self.observed.infer(step_id, planned.run_state.clone())
    }

    fn look_again(&mut self, after: Duration) {
        self.look_after = after;
        self.look_at = Some(Instant::now() + after);
    }
}

/// How long the first observation of a run waits: the runs of a class that begins together are not all stored in one moment.
fn first_wait() -> Duration {
    let share = RandomState::new().hash_one(0) as f64 / u64::MAX as f64;
    GATHER.mul_f64(share)
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
