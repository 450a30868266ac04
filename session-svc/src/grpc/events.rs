//! The event log and the logs of turns.

use std::pin::Pin;

use futures_util::{Stream, StreamExt};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};
use turnwise_kit::{Fault, ids, page};
use turnwise_proto::session::v1::{
    AppendEventsRequest, AppendEventsResponse, GetTurnLogRequest, GetTurnLogResponse,
    ListEventsRequest, ListEventsResponse, WatchEventsRequest, WatchEventsResponse,
};

use super::{
    check,
    session::{open, student},
};
use crate::{
    access,
    error::SessionError,
    sessions::{
        Sessions,
        events::{AppendEvents, Page},
    },
};

/// Pages of events: the usual and the largest size.
const EVENTS_PAGE: (usize, usize) = (50, 200);

pub(super) type WatchStream =
    Pin<Box<dyn Stream<Item = Result<WatchEventsResponse, Status>> + Send>>;

pub(super) async fn append_events(
    sessions: &Sessions,
    request: Request<AppendEventsRequest>,
) -> Result<Response<AppendEventsResponse>, Status> {
    let (caller, message) = open(request)?;
    let student = student(&caller, &message.student_id)?;
    ids::check("thread_id", &message.thread_id)?;
    if message.events.is_empty() {
        return Err(Fault::invalid("events", "must be 1 to 32").into());
    }
    check::events(&message.events)?;
    let append = AppendEvents {
        idempotency: check::idempotency(message.idempotency_key, message.body_hash)?,
        thread_id: message.thread_id,
        events: message.events,
        alert: check::alert(message.alert)?,
    };
    sessions
        .append_events(&student, append)
        .await
        .map_err(Fault::from)?;
    Ok(Response::new(AppendEventsResponse {}))
}

pub(super) async fn list_events(
    sessions: &Sessions,
    request: Request<ListEventsRequest>,
) -> Result<Response<ListEventsResponse>, Status> {
    let (caller, message) = open(request)?;
    let student = student(&caller, &message.student_id)?;
    ids::check("thread_id", &message.thread_id)?;
    let limit = page::size(message.page_size, EVENTS_PAGE.0, EVENTS_PAGE.1)?;
    let wanted = match (message.after_id, message.before_id) {
        (0, 0) if message.newest_first => Page::Before(i64::MAX),
        (after @ 0.., 0) if !message.newest_first => Page::After(after),
        (0, before @ 1..) => Page::Before(before),
        (_, 0) => {
            let problem = "must be 0 or more, and not set together with newest_first";
            return Err(Fault::invalid("after_id", problem).into());
        }
        _ => {
            let problem = "must be 0 or more, and not set together with after_id";
            return Err(Fault::invalid("before_id", problem).into());
        }
    };
    let page = sessions
        .list_events(&student, &message.thread_id, wanted, limit)
        .await
        .map_err(Fault::from)?;
    Ok(Response::new(ListEventsResponse {
        events: page.events,
        more: page.more,
    }))
}

pub(super) async fn watch_events(
    sessions: &Sessions,
    request: Request<WatchEventsRequest>,
) -> Result<Response<WatchStream>, Status> {
    let (caller, message) = open(request)?;
    let student = student(&caller, &message.student_id)?;
    ids::check("thread_id", &message.thread_id)?;
    if message.after_id < 0 {
        return Err(Fault::invalid("after_id", "must be 0 or more").into());
    }
    let receiver = sessions
        .watch_events(student, message.thread_id, message.after_id)
        .await
        .map_err(Fault::from)?;
    let events = ReceiverStream::new(receiver).map(|next| match next {
        Ok(event) => Ok(WatchEventsResponse { event: Some(event) }),
        Err(error) => Err(Fault::from(error).into()),
    });
    Ok(Response::new(Box::pin(events)))
}

pub(super) async fn get_turn_log(
    sessions: &Sessions,
    request: Request<GetTurnLogRequest>,
) -> Result<Response<GetTurnLogResponse>, Status> {
    let (caller, message) = open(request)?;
    caller.require(&["service", "staff", "teacher"])?;
    ids::check("student_id", &message.student_id)?;
    ids::check("turn_id", &message.turn_id)?;
    let student = access::supplier(&caller, &message.student_id)?;
    let turn_log = sessions
        .turn_log(&student, &message.turn_id)
        .await
        .map_err(Fault::from)?;
    if caller.is("teacher") {
        // A teacher learns nothing of other classes, not even that there is such a turn.
        let class_id = sessions.class_of(&student, &turn_log.thread_id).await;
        if !class_id.is_ok_and(|class_id| caller.groups.contains(&class_id)) {
            return Err(Fault::from(SessionError::UnknownTurn {
                turn_id: message.turn_id,
            })
            .into());
        }
    }
    Ok(Response::new(GetTurnLogResponse {
        turn_log: Some(turn_log),
    }))
}
