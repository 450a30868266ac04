//! Help sessions of procedures.

use std::time::Duration;

use tonic::{Request, Response, Status};
use turnwise_kit::{Fault, ids, time};
use turnwise_proto::session::v1::{
    ChangeOverlayRequest, ChangeOverlayResponse, HelpProcedure, HelpRun, NewOverlay, OverlayChange,
    ReadHelpSessionRequest, ReadHelpSessionResponse, StoreHelpRunRequest, StoreHelpRunResponse,
    ThreadKind,
};

use super::{
    context::reached_to_add,
    session::{open, student},
};
use crate::sessions::{Sessions, help_sessions::ChangeOverlay};

/// The most names that a procedure lists, and the most values that are kept.
const MOST_VARIABLES: usize = 500;
/// The most characters of a name or a word.
const MOST_CHARS: usize = 200;
const MOST_DELTAS: usize = 5;
const MOST_STATE_BYTES: usize = 65_536;
const MOST_PROBLEM_CHARS: usize = 64;
/// For how long an acknowledgement may be waited for.
const ACK_WAIT: std::ops::RangeInclusive<Duration> =
    Duration::from_secs(1)..=Duration::from_secs(60);

/// What a help session is about: there exactly for threads of that kind.
pub(super) fn procedure(
    kind: ThreadKind,
    procedure: Option<HelpProcedure>,
) -> Result<Option<HelpProcedure>, Fault> {
    let Some(about) = &procedure else {
        return match kind {
            ThreadKind::Procedure => Err(Fault::invalid("procedure", "is missing")),
            _ => Ok(None),
        };
    };
    if kind != ThreadKind::Procedure {
        return Err(Fault::invalid("procedure", "is for help sessions alone"));
    }
    ids::check("procedure.procedure_id", &about.procedure_id)?;
    within("procedure.title", &about.title)?;
    let names = &about.raw_names;
    if names.len() > MOST_VARIABLES {
        return Err(Fault::invalid("procedure.raw_names", "must be at most 500"));
    }
    for name in names {
        within("procedure.raw_names", name)?;
    }
    Ok(procedure)
}

/// An overlay to ask for.
pub(super) fn overlay(overlay: Option<NewOverlay>) -> Result<Option<NewOverlay>, Fault> {
    if let Some(new) = &overlay {
        let about = new.overlay.as_ref();
        let about = about.ok_or_else(|| Fault::invalid("overlay.overlay", "is missing"))?;
        for text in [
            &about.target,
            &about.element_id,
            &about.label,
            &about.step_id,
        ] {
            within("overlay.overlay", text)?;
        }
        ack_wait("overlay.ack_wait", new.ack_wait)?;
    }
    Ok(overlay)
}

fn within(field: &str, text: &str) -> Result<(), Fault> {
    match text.chars().count() {
        ..=MOST_CHARS => Ok(()),
        _ => Err(Fault::invalid(field, "must have at most 200 characters")),
    }
}

fn ack_wait(field: &str, wait: Option<prost_types::Duration>) -> Result<Duration, Fault> {
    let wait = wait.and_then(|wait| Duration::try_from(wait).ok());
    wait.filter(|wait| ACK_WAIT.contains(wait))
        .ok_or_else(|| Fault::invalid(field, "must be 1 to 60 seconds"))
}

fn run(run: Option<HelpRun>) -> Result<HelpRun, Fault> {
    let run = run.ok_or_else(|| Fault::invalid("run", "is missing"))?;
    if run.version < 0 || run.stored_sequence < 0 {
        return Err(Fault::invalid("run", "has a number below 0"));
    }
    if run.variables.len() > MOST_VARIABLES {
        return Err(Fault::invalid("run.variables", "must be at most 500"));
    }
    if run.recent_deltas.len() > MOST_DELTAS {
        return Err(Fault::invalid("run.recent_deltas", "must be at most 5"));
    }
    if run.run_state.len() > MOST_STATE_BYTES {
        let problem = "must have at most 65536 bytes";
        return Err(Fault::invalid("run.run_state", problem));
    }
    Ok(run)
}

pub(super) async fn read_help_session(
    sessions: &Sessions,
    request: Request<ReadHelpSessionRequest>,
) -> Result<Response<ReadHelpSessionResponse>, Status> {
    let (caller, message) = open(request)?;
    let student = student(&caller, &message.student_id)?;
    ids::check("thread_id", &message.thread_id)?;
    let (thread, state) = sessions
        .help_session(&student, &message.thread_id)
        .await
        .map_err(Fault::from)?;
    Ok(Response::new(ReadHelpSessionResponse {
        thread: Some(thread),
        state: Some(state),
    }))
}

pub(super) async fn store_help_run(
    sessions: &Sessions,
    request: Request<StoreHelpRunRequest>,
) -> Result<Response<StoreHelpRunResponse>, Status> {
    let (caller, message) = open(request)?;
    let student = student(&caller, &message.student_id)?;
    ids::check("thread_id", &message.thread_id)?;
    let run = run(message.run)?;
    let (version, overlay) = sessions
        .store_help_run(&student, &message.thread_id, run)
        .await
        .map_err(Fault::from)?;
    Ok(Response::new(StoreHelpRunResponse { version, overlay }))
}

pub(super) async fn change_overlay(
    sessions: &Sessions,
    request: Request<ChangeOverlayRequest>,
) -> Result<Response<ChangeOverlayResponse>, Status> {
    let (caller, message) = open(request)?;
    let change = message.change();
    if change == OverlayChange::Unspecified {
        return Err(Fault::invalid("change", "must be one of the changes").into());
    }
    if message.problem.chars().count() > MOST_PROBLEM_CHARS {
        return Err(Fault::invalid("problem", "must have at most 64 characters").into());
    }
    let asked = ChangeOverlay {
        ack_wait: ack_wait("ack_wait", message.ack_wait)?,
        overlay_id: message.overlay_id,
        change,
        attempt: message.attempt,
        client_time: message.client_time.as_ref().and_then(time::from_proto),
        problem: message.problem,
    };
    let (student_id, thread_id) = (&message.student_id, &message.thread_id);
    let student = reached_to_add(sessions, &caller, student_id, thread_id).await?;
    let overlay = sessions
        .change_overlay(&student, thread_id, &asked)
        .await
        .map_err(Fault::from)?;
    Ok(Response::new(ChangeOverlayResponse {
        overlay: Some(overlay),
    }))
}
