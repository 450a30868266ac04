//! ProcedureHelpService.

use std::{sync::Arc, time::Duration};

use async_stream::try_stream;
use futures_util::StreamExt;
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};
use turnwise_kit::{CallContext, Caller, Fault};
use turnwise_proto::{
    common::v1::ErrorReason,
    procedure::v1::{
        GetHelpSessionRequest, GetHelpSessionResponse, ObservationReceipt, OpenHelpSessionRequest,
        OpenHelpSessionResponse, RecordObservationRequest, RecordObservationResponse,
        RecordObservationsRequest, RecordObservationsResponse, RecordOverlayAckRequest,
        RecordOverlayAckResponse, RequestHelpRequest, RequestHelpResponse, StreamHelpRequest,
        StreamHelpResponse, WatchOverlaysRequest, WatchOverlaysResponse,
        procedure_help_service_server::ProcedureHelpService, stream_help_response::News,
    },
};

use super::{Answers, told};
use crate::{
    access::{PROCEDURES, STUDENT},
    address::address_of,
    conversation::Progress,
    limits::{CallLimit, Kind},
    procedure::{ProcedureHelp, learner::learner},
    upstream::check_time,
};

/// Serves `turnwise.procedure.v1.ProcedureHelpService`.
pub(crate) struct ProcedureFace {
    pub(crate) help: Arc<ProcedureHelp>,
    pub(crate) limits: Arc<CallLimit>,
    pub(crate) trusted_proxies: usize,
}

impl ProcedureFace {
    /// The context of a call and its learner, if the caller may speak for them and has calls of this kind left. Observations
    /// and acknowledgements are a program's, and not counted.
    async fn admit<T: Sync>(
        &self,
        request: &Request<T>,
        student_id: &str,
        kind: Option<Kind>,
        reserve: Duration,
    ) -> Result<(CallContext, Arc<Caller>), Fault> {
        let context = PROCEDURES.admit(request)?;
        check_time(&context, reserve)?;
        let caller = context.caller()?;
        if let Some(kind) = kind.filter(|_| caller.is(STUDENT)) {
            self.limits.check(caller, kind).await?;
        }
        let learner = learner(&context, student_id)?;
        Ok((context, learner))
    }
}

#[tonic::async_trait]
impl ProcedureHelpService for ProcedureFace {
    async fn open_help_session(
        &self,
        request: Request<OpenHelpSessionRequest>,
    ) -> Result<Response<OpenHelpSessionResponse>, Status> {
        let student_id = &request.get_ref().student_id;
        let (context, learner) = self
            .admit(&request, student_id, Some(Kind::Act), Duration::ZERO)
            .await?;
        let opened = self.help.open(&context, &learner, request.into_inner());
        Ok(Response::new(OpenHelpSessionResponse {
            session: Some(opened.await?),
        }))
    }

    async fn record_observation(
        &self,
        request: Request<RecordObservationRequest>,
    ) -> Result<Response<RecordObservationResponse>, Status> {
        let student_id = &request.get_ref().student_id;
        let (_, learner) = self
            .admit(&request, student_id, None, Duration::ZERO)
            .await?;
        let RecordObservationRequest {
            session_id,
            observation,
            ..
        } = request.into_inner();
        let taken = self.help.observe(&learner, &session_id, observation);
        Ok(Response::new(RecordObservationResponse {
            receipt: Some(taken.await?),
        }))
    }

    type RecordObservationsStream = Answers<RecordObservationsResponse>;

    async fn record_observations(
        &self,
        request: Request<Streaming<RecordObservationsRequest>>,
    ) -> Result<Response<Self::RecordObservationsStream>, Status> {
        let context = PROCEDURES.admit(&request)?;
        let receipts = receipts(Arc::clone(&self.help), context, request.into_inner());
        Ok(Response::new(Box::pin(receipts.map(|next| {
            next.map(|receipt| RecordObservationsResponse {
                receipt: Some(receipt),
            })
        }))))
    }

    async fn request_help(
        &self,
        request: Request<RequestHelpRequest>,
    ) -> Result<Response<RequestHelpResponse>, Status> {
        let (student_id, reserve) = (&request.get_ref().student_id, self.help.reply_reserve());
        let (context, learner) = self
            .admit(&request, student_id, Some(Kind::Act), reserve)
            .await?;
        let address = address_of(&request, self.trusted_proxies);
        let (asked, nobody) = (request.into_inner(), Progress::default());
        let help = self.help.help(&context, &learner, asked, address, &nobody);
        Ok(Response::new(RequestHelpResponse {
            help: Some(help.await?),
        }))
    }

    type StreamHelpStream = ReceiverStream<Result<StreamHelpResponse, Status>>;

    async fn stream_help(
        &self,
        request: Request<StreamHelpRequest>,
    ) -> Result<Response<Self::StreamHelpStream>, Status> {
        let (student_id, reserve) = (&request.get_ref().student_id, self.help.reply_reserve());
        let (context, learner) = self
            .admit(&request, student_id, Some(Kind::Act), reserve)
            .await?;
        let address = address_of(&request, self.trusted_proxies);
        let StreamHelpRequest {
            session_id,
            idempotency_key,
            ..
        } = request.into_inner();
        let asked = RequestHelpRequest {
            session_id,
            idempotency_key,
            ..RequestHelpRequest::default()
        };
        let help = Arc::clone(&self.help);
        let kit = help.kit().clone();
        let progressed = |progress| StreamHelpResponse {
            news: Some(News::Progress(progress)),
        };
        let answered = |help| StreamHelpResponse {
            news: Some(News::Help(help)),
        };
        let stream = told(&kit, progressed, answered, |progress| async move {
            let helped = help.help(&context, &learner, asked, address, &progress);
            Box::pin(helped).await.map_err(Status::from)
        });
        Ok(Response::new(stream))
    }

    type WatchOverlaysStream = Answers<WatchOverlaysResponse>;

    async fn watch_overlays(
        &self,
        request: Request<WatchOverlaysRequest>,
    ) -> Result<Response<Self::WatchOverlaysStream>, Status> {
        let student_id = &request.get_ref().student_id;
        let (context, learner) = self
            .admit(&request, student_id, Some(Kind::Read), Duration::ZERO)
            .await?;
        let watched = self
            .help
            .watch_overlays(&context, &learner, request.into_inner());
        Ok(Response::new(watched.await?))
    }

    async fn record_overlay_ack(
        &self,
        request: Request<RecordOverlayAckRequest>,
    ) -> Result<Response<RecordOverlayAckResponse>, Status> {
        let student_id = &request.get_ref().student_id;
        let (context, learner) = self
            .admit(&request, student_id, None, Duration::ZERO)
            .await?;
        let noted = self
            .help
            .acknowledge(&context, &learner, request.into_inner());
        Ok(Response::new(RecordOverlayAckResponse {
            overlay: Some(noted.await?),
        }))
    }

    async fn get_help_session(
        &self,
        request: Request<GetHelpSessionRequest>,
    ) -> Result<Response<GetHelpSessionResponse>, Status> {
        let student_id = &request.get_ref().student_id;
        let (context, learner) = self
            .admit(&request, student_id, Some(Kind::Read), Duration::ZERO)
            .await?;
        let read = self.help.session(&context, &learner, request.into_inner());
        Ok(Response::new(read.await?))
    }
}

/// What a stream of observations waits for.
enum Came {
    /// Something was stored; or the run has ended.
    Stored(bool),
    /// A request, or that no more come.
    Request(Result<Option<RecordObservationsRequest>, Status>),
    /// The process is to end, or the call's time is up.
    End(Fault),
}

/// Takes a session's observations as they come, and tells what is stored: at once, then each time that something was. The first
/// request names the session; all of a stream are of one. When no more come, the rest is stored and told.
fn receipts(
    help: Arc<ProcedureHelp>,
    context: CallContext,
    mut requests: Streaming<RecordObservationsRequest>,
) -> impl futures_util::Stream<Item = Result<ObservationReceipt, Status>> {
    try_stream! {
        let Some(first) = requests.message().await? else { return };
        let learner = learner(&context, &first.student_id)?;
        let session_id = first.session_id.clone();
        let mut stored = help.watch_receipts(&learner, &session_id).await?;
        let told = stored.borrow_and_update().clone();
        let mut last = told?;
        let mut received = last.stored_sequence;
        yield last.clone();
        let end = help.kit().shutdown.clone();
        let mut time_up = Box::pin(time_up(context.deadline()));
        let mut next = Some(first);
        loop {
            if let Some(request) = next.take() {
                if !request.session_id.is_empty() && request.session_id != session_id {
                    Err(Fault::invalid("session_id", "must be the stream's; open a stream for each session"))?;
                }
                if request.observation.is_some() {
                    match help.observe(&learner, &session_id, request.observation).await {
                        Ok(taken) => received = received.max(taken.received_sequence),
                        Err(fault) => {
                            // What came before is stored at once, or by itself a moment later.
                            let _ = help.store_now(&learner, &session_id).await;
                            Err(fault)?;
                        }
                    }
                }
            }
            let came = tokio::select! {
                biased;
                () = end.cancelled() => Came::End(ended()),
                fault = &mut time_up => Came::End(fault),
                changed = stored.changed() => Came::Stored(changed.is_ok()),
                message = requests.message() => Came::Request(message),
            };
            match came {
                Came::Request(request) => match request? {
                    Some(request) => next = Some(request),
                    None => break,
                },
                Came::Stored(is_watched) => {
                    // A run that nobody observes any more ends; with the next observation it begins again.
                    if !is_watched {
                        stored = help.watch_receipts(&learner, &session_id).await?;
                    }
                    let told = stored.borrow_and_update().clone();
                    let receipt = told?;
                    received = received.max(receipt.received_sequence);
                    let is_news = receipt.stored_sequence != last.stored_sequence || receipt.step_id != last.step_id;
                    last = ObservationReceipt { received_sequence: received, ..receipt };
                    if is_news {
                        yield last.clone();
                    }
                }
                Came::End(fault) => {
                    yield help.store_now(&learner, &session_id).await?;
                    Err(fault)?;
                }
            }
        }
        yield help.store_now(&learner, &session_id).await?;
    }
}

/// Waits until the call's time is up.
async fn time_up(deadline: Option<Instant>) -> Fault {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
    Fault::new(
        ErrorReason::DeadlineExceeded,
        "the call's time is up; open the stream again, with a longer deadline, and send what lies behind the last receipt",
    )
}

/// An orderly stop: all that came here is stored.
fn ended() -> Fault {
    Fault::new(
        ErrorReason::Draining,
        "this server is being stopped; open the stream again and send what lies behind the last receipt",
    )
    .retry_after(Duration::from_secs(1))
}
