//! Help with procedures behind a real socket: it answers each press by the next line of a script, and notes what it is told.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::{Arc, Mutex},
};

use tokio::{
    net::TcpListener,
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
};
use tokio_stream::{
    Stream, StreamExt,
    wrappers::{TcpListenerStream, UnboundedReceiverStream},
};
use tonic::{Request, Response, Status, Streaming};
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    procedure::v1::{
        procedure_help_service_server::{ProcedureHelpService, ProcedureHelpServiceServer},
        *,
    },
};

/// The learner's token.
pub(super) const TOKEN: &str = "token-of-ada";
/// The only session.
pub(super) const SESSION: &str = "11111111-2222-4333-8444-555555555555";

/// An answer to a press, and what is to be shown before it comes.
pub(super) type Press = (Help, Vec<Overlay>);

#[derive(Default)]
struct State {
    presses: VecDeque<Press>,
    opened: Vec<OpenHelpSessionRequest>,
    observed: Vec<Observation>,
    acknowledged: Vec<(String, OverlayState, String)>,
    /// Refuses every observation.
    is_closed: bool,
}

/// The service.
#[derive(Clone)]
pub(super) struct Fake {
    state: Arc<Mutex<State>>,
    overlays: UnboundedSender<WatchOverlaysResponse>,
    watch: Arc<Mutex<Option<UnboundedReceiver<WatchOverlaysResponse>>>>,
    pub(super) endpoint: String,
}

impl Fake {
    /// Starts it on a free port.
    pub(super) async fn start(presses: impl IntoIterator<Item = Press>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (overlays, watch) = unbounded_channel();
        let fake = Self {
            state: Arc::default(),
            overlays,
            watch: Arc::new(Mutex::new(Some(watch))),
            endpoint: format!("http://{}", listener.local_addr().unwrap()),
        };
        fake.state.lock().unwrap().presses.extend(presses);
        tokio::spawn(
            tonic::transport::Server::builder()
                .add_service(ProcedureHelpServiceServer::new(fake.clone()))
                .serve_with_incoming(TcpListenerStream::new(listener)),
        );
        fake
    }

    /// From now on the course has moved on.
    pub(super) fn close(&self) {
        self.state.lock().unwrap().is_closed = true;
    }

    pub(super) fn opened(&self) -> Vec<OpenHelpSessionRequest> {
        self.state.lock().unwrap().opened.clone()
    }

    pub(super) fn observed(&self) -> Vec<Observation> {
        self.state.lock().unwrap().observed.clone()
    }

    pub(super) fn acknowledged(&self) -> Vec<(String, OverlayState, String)> {
        self.state.lock().unwrap().acknowledged.clone()
    }
}

fn check<T>(request: &Request<T>) -> Result<(), Status> {
    let authorization = request.metadata().get("authorization");
    match authorization.is_some_and(|value| value == format!("Bearer {TOKEN}").as_str()) {
        true => Ok(()),
        false => Err(Fault::new(ErrorReason::PermissionDenied, "not for this token").into()),
    }
}

type Streamed<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl ProcedureHelpService for Fake {
    type RecordObservationsStream = Streamed<RecordObservationsResponse>;
    type StreamHelpStream = Streamed<StreamHelpResponse>;
    type WatchOverlaysStream = Streamed<WatchOverlaysResponse>;

    async fn open_help_session(
        &self,
        request: Request<OpenHelpSessionRequest>,
    ) -> Result<Response<OpenHelpSessionResponse>, Status> {
        check(&request)?;
        self.state.lock().unwrap().opened.push(request.into_inner());
        Ok(Response::new(OpenHelpSessionResponse {
            session: Some(HelpSession {
                session_id: SESSION.to_owned(),
                pack_hash: "of another version".to_owned(),
                ..HelpSession::default()
            }),
        }))
    }

    async fn record_observation(
        &self,
        request: Request<RecordObservationRequest>,
    ) -> Result<Response<RecordObservationResponse>, Status> {
        check(&request)?;
        let mut state = self.state.lock().unwrap();
        if state.is_closed {
            return Err(Fault::new(ErrorReason::HelpSessionClosed, "open a new session").into());
        }
        let request = request.into_inner();
        assert_eq!(request.session_id, SESSION);
        state.observed.push(request.observation.unwrap());
        Ok(Response::new(RecordObservationResponse::default()))
    }

    async fn record_observations(
        &self,
        _: Request<Streaming<RecordObservationsRequest>>,
    ) -> Result<Response<Self::RecordObservationsStream>, Status> {
        Err(Status::unimplemented("not asked for"))
    }

    async fn request_help(
        &self,
        request: Request<RequestHelpRequest>,
    ) -> Result<Response<RequestHelpResponse>, Status> {
        check(&request)?;
        let (help, overlays) = self.state.lock().unwrap().presses.pop_front().unwrap();
        for (event_id, overlay) in (1..).zip(overlays) {
            let event = HelpEvent {
                event_id,
                overlay: Some(overlay),
                ..HelpEvent::default()
            };
            let told = WatchOverlaysResponse { event: Some(event) };
            self.overlays.send(told).unwrap();
        }
        Ok(Response::new(RequestHelpResponse { help: Some(help) }))
    }

    async fn stream_help(
        &self,
        _: Request<StreamHelpRequest>,
    ) -> Result<Response<Self::StreamHelpStream>, Status> {
        Err(Status::unimplemented("not asked for"))
    }

    async fn watch_overlays(
        &self,
        request: Request<WatchOverlaysRequest>,
    ) -> Result<Response<Self::WatchOverlaysStream>, Status> {
        check(&request)?;
        let watch = self.watch.lock().unwrap().take().unwrap();
        let watch = UnboundedReceiverStream::new(watch).map(Ok);
        Ok(Response::new(Box::pin(watch)))
    }

    async fn record_overlay_ack(
        &self,
        request: Request<RecordOverlayAckRequest>,
    ) -> Result<Response<RecordOverlayAckResponse>, Status> {
        check(&request)?;
        let said = request.into_inner();
        let outcome = said.outcome();
        let said = (said.overlay_id, outcome, said.problem);
        self.state.lock().unwrap().acknowledged.push(said);
        Ok(Response::new(RecordOverlayAckResponse::default()))
    }

    async fn get_help_session(
        &self,
        _: Request<GetHelpSessionRequest>,
    ) -> Result<Response<GetHelpSessionResponse>, Status> {
        Err(Status::unimplemented("not asked for"))
    }
}
