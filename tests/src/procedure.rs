//! A simulator that observes a procedure and asks for help, over the public face.

use prost_types::Timestamp;
use tonic::{Request, Status, Streaming, transport::Channel};
use turnwise_proto::procedure::v1::{
    GetHelpSessionRequest, GetHelpSessionResponse, Help, HelpEvent, HelpSession, Observation,
    ObservationReceipt, OpenHelpSessionRequest, Overlay, OverlayState, RecordObservationRequest,
    RecordOverlayAckRequest, RequestHelpRequest, Variable, WatchOverlaysRequest,
    WatchOverlaysResponse, procedure_help_service_client::ProcedureHelpServiceClient,
    variable::Value,
};

use crate::student::{DEMO_COURSE, Student, fresh_key};

/// The demo course's titration.
pub const TITRATION: &str = "titration";

/// A run of a procedure.
pub struct Run {
    /// Who calls: the learner, or a program that speaks for one.
    pub caller: Student,
    /// The session.
    pub session: HelpSession,
    sequence: i64,
}

/// Now, as observations say it.
pub fn client_now() -> Timestamp {
    later_by(0)
}

/// Now and some seconds, as observations say it.
pub fn later_by(seconds: i64) -> Timestamp {
    let now = jiff::Timestamp::now();
    Timestamp {
        seconds: now.as_second() + seconds,
        nanos: now.subsec_nanosecond(),
    }
}

/// A value of a simulator.
pub fn variable(name: &str, value: Value) -> Variable {
    Variable {
        name: name.to_owned(),
        value: Some(value),
    }
}

/// A true value.
pub fn on(name: &str) -> Variable {
    variable(name, Value::Truth(true))
}

/// A request for a session of the demo course's titration.
pub fn opening() -> OpenHelpSessionRequest {
    OpenHelpSessionRequest {
        course_id: DEMO_COURSE.to_owned(),
        class_id: Student::CLASS.to_owned(),
        procedure_id: TITRATION.to_owned(),
        idempotency_key: fresh_key(),
        ..OpenHelpSessionRequest::default()
    }
}

/// The typed client.
pub fn client(caller: &Student) -> ProcedureHelpServiceClient<Channel> {
    ProcedureHelpServiceClient::new(caller.channel.clone())
}

/// Opens a session.
pub async fn open(
    caller: &Student,
    request: OpenHelpSessionRequest,
) -> Result<HelpSession, Status> {
    let opened = client(caller)
        .open_help_session(caller.request(request))
        .await?;
    Ok(opened.into_inner().session.unwrap())
}

impl Run {
    /// A new titration.
    pub async fn titration(caller: &Student) -> Self {
        Self::of(caller, opening()).await
    }

    /// A new run.
    pub async fn of(caller: &Student, request: OpenHelpSessionRequest) -> Self {
        Self {
            session: open(caller, request).await.unwrap(),
            caller: caller.clone(),
            sequence: 0,
        }
    }

    /// The same run, seen by another caller.
    pub fn seen_by(&self, caller: &Student) -> Self {
        Self {
            caller: caller.clone(),
            session: self.session.clone(),
            sequence: self.sequence,
        }
    }

    /// The session's id.
    pub fn id(&self) -> String {
        self.session.session_id.clone()
    }

    fn client(&self) -> ProcedureHelpServiceClient<Channel> {
        client(&self.caller)
    }

    fn request<T>(&self, message: T) -> Request<T> {
        self.caller.request(message)
    }

    /// The next observation, made now.
    pub fn next(&mut self, variables: Vec<Variable>) -> Observation {
        self.sequence += 1;
        Observation {
            sequence: self.sequence,
            client_time: Some(client_now()),
            variables,
        }
    }

    /// Sends an observation.
    pub async fn send(&self, observation: Observation) -> Result<ObservationReceipt, Status> {
        let message = RecordObservationRequest {
            session_id: self.id(),
            observation: Some(observation),
            ..RecordObservationRequest::default()
        };
        let mut client = self.client();
        let taken = client.record_observation(self.request(message));
        Ok(taken.await?.into_inner().receipt.unwrap())
    }

    /// Observes these values now.
    pub async fn observe(&mut self, variables: Vec<Variable>) -> ObservationReceipt {
        let observation = self.next(variables);
        self.send(observation).await.unwrap()
    }

    /// Presses *help*.
    pub async fn help(&self) -> Help {
        self.try_help(&fresh_key()).await.unwrap()
    }

    /// Presses *help* with this key.
    pub async fn try_help(&self, key: &str) -> Result<Help, Status> {
        let message = RequestHelpRequest {
            session_id: self.id(),
            idempotency_key: key.to_owned(),
            ..RequestHelpRequest::default()
        };
        let helped = self.client().request_help(self.request(message)).await?;
        Ok(helped.into_inner().help.unwrap())
    }

    /// The session and the first page of its timeline.
    pub async fn read(&self) -> GetHelpSessionResponse {
        let message = GetHelpSessionRequest {
            session_id: self.id(),
            page_size: 200,
            ..GetHelpSessionRequest::default()
        };
        let read = self.client().get_help_session(self.request(message)).await;
        read.unwrap().into_inner()
    }

    /// The kinds of the timeline, with a word about each where there is one.
    pub async fn kinds(&self) -> Vec<String> {
        let events = self.read().await.events;
        let kind = |event: &HelpEvent| match event.detail.as_str() {
            "" => event.kind.clone(),
            detail => format!("{} {detail}", event.kind),
        };
        events.iter().map(kind).collect()
    }

    /// Follows what is to be shown.
    pub async fn watch(&self, after_event_id: i64) -> Streaming<WatchOverlaysResponse> {
        let message = WatchOverlaysRequest {
            session_id: self.id(),
            after_event_id,
            ..WatchOverlaysRequest::default()
        };
        let watched = self.client().watch_overlays(self.request(message)).await;
        watched.unwrap().into_inner()
    }

    /// Says what became of an overlay.
    pub async fn acknowledge(
        &self,
        overlay_id: &str,
        outcome: OverlayState,
        problem: &str,
    ) -> Result<Overlay, Status> {
        let message = RecordOverlayAckRequest {
            session_id: self.id(),
            overlay_id: overlay_id.to_owned(),
            outcome: outcome.into(),
            client_time: Some(client_now()),
            problem: problem.to_owned(),
            ..RecordOverlayAckRequest::default()
        };
        let mut client = self.client();
        let noted = client.record_overlay_ack(self.request(message));
        Ok(noted.await?.into_inner().overlay.unwrap())
    }
}

/// The next overlay of a watch.
pub async fn next_overlay(watched: &mut Streaming<WatchOverlaysResponse>) -> (HelpEvent, Overlay) {
    let next = watched.message().await.unwrap().expect("the watch ended");
    let event = next.event.unwrap();
    let overlay = event.overlay.clone().unwrap();
    (event, overlay)
}
