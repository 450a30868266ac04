//! A pupil who writes again while a message waits for a model wants the newer one answered: it takes over the place in the
//! queue, and the older fails with SUPERSEDED. A message that a model works on is never replaced.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    helper::v1::ChatResponse,
    llm::v1::{Purpose, TakeOverPlaceRequest},
    session::v1::BeginTurnRequest,
};

use super::Helper;
use crate::conversation::{Begun, Request, Turn};

/// How long an older message that was superseded may take to give its conversation back.
const HAND_OVER: Duration = Duration::from_millis(500);
/// The first pause between two tries to begin; the next ones are twice as long each.
const FIRST_PAUSE: Duration = Duration::from_millis(10);

impl Helper {
    /// Begins the turn of a message, and the ticket of the place that it took over; empty if there was none to take over.
    pub(super) async fn begin<'a>(
        &'a self,
        request: &'a Request<'a>,
        class_id: &str,
        wanted: BeginTurnRequest,
    ) -> (Result<Begun<ChatResponse, Turn<'a>>, Fault>, String) {
        let begun = self.core.begin_turn(request, wanted.clone()).await;
        match &begun {
            Err(fault) if is_another_request(fault) => {}
            _ => return (begun, String::new()),
        }
        let until = Instant::now() + HAND_OVER;
        let own = request.context.until(until);
        let place = TakeOverPlaceRequest {
            purpose: Purpose::Chat.into(),
            class_id: class_id.to_owned(),
            thread_id: request.thread_id.to_owned(),
        };
        let mut llm = self.core.upstreams.llm.clone();
        let Ok(place) = llm.take_over_place(own.request(place)).await else {
            return (begun, String::new());
        };
        let mut pause = FIRST_PAUSE;
        loop {
            sleep(pause).await;
            pause *= 2;
            let begun = self.core.begin_turn(request, wanted.clone()).await;
            match &begun {
                Err(fault) if is_another_request(fault) && Instant::now() + pause < until => {}
                _ => return (begun, place.into_inner().place_ticket),
            }
        }
    }
}

fn is_another_request(fault: &Fault) -> bool {
    fault.reason() == ErrorReason::TurnInProgress
        && fault.metadata("cause") == Some("other_request")
}
