//! What is answered to a call, and when: the usual answer, bent by a fault.

use std::{collections::VecDeque, time::Duration};

use bytes::Bytes;
use hyper::StatusCode;
use tokio::time::Instant;

use super::{
    Fault, Settings,
    body::Step,
    statistics::Kind,
    wire::{Api, Ask},
};

/// The text of [`Fault::Large`], bytes.
const LARGE_BYTES: usize = 1_000_000;
/// The most text in one piece of a stream, bytes.
const PIECE_MAX_BYTES: usize = 16 * 1024;
/// The bytes that [`Fault::Trickle`] sends at once.
const TRICKLE_BYTES: usize = 16;
/// Long enough for what was sent to be on its way before a connection breaks.
const ON_ITS_WAY: Duration = Duration::from_millis(1);

/// An answer before it is sent.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) head: Head,
    pub(super) status: StatusCode,
    /// Seconds, for the header of this name.
    pub(super) retry_after: Option<u32>,
    pub(super) content_type: &'static str,
    pub(super) steps: VecDeque<Step>,
    /// Bytes, if they are announced.
    pub(super) length: Option<u64>,
}

/// When the head of an answer is sent.
#[derive(Debug, PartialEq)]
pub(super) enum Head {
    At(Instant),
    Never,
    /// The connection is reset instead.
    Reset,
}

/// A call, and how it is to be answered.
pub(super) struct Call<'a> {
    pub(super) api: Api,
    pub(super) ask: &'a Ask,
    pub(super) settings: &'a Settings,
    pub(super) fault: Fault,
    /// When its request was there.
    pub(super) begun: Instant,
    pub(super) service_time: Duration,
}

impl Call<'_> {
    pub(super) fn plan(&self) -> Plan {
        let failure = |status, retry_after, message| {
            let body = self.api.failure(message);
            Plan {
                head: Head::At(self.begun),
                status,
                retry_after,
                ..self.all_at_once(body.into_bytes())
            }
        };
        match self.fault {
            Fault::Reset => Plan {
                head: Head::Reset,
                ..self.all_at_once(Vec::new())
            },
            Fault::Stall => Plan {
                head: Head::Never,
                ..self.all_at_once(Vec::new())
            },
            Fault::TooManyRequests(retry_after) => failure(
                StatusCode::TOO_MANY_REQUESTS,
                retry_after,
                "too many requests",
            ),
            Fault::InternalError => {
                failure(StatusCode::INTERNAL_SERVER_ERROR, None, "out of memory")
            }
            _ if self.api.streams(self.ask) => self.stream(),
            _ => self.unary(),
        }
    }

    /// The times of a stream's pieces, evenly over the service time.
    fn piece_time(&self, piece: usize, pieces: usize) -> Instant {
        self.begun
            + self
                .service_time
                .mul_f64((piece + 1) as f64 / pieces as f64)
    }

    fn end_time(&self) -> Instant {
        self.begun + self.service_time
    }

    fn stream(&self) -> Plan {
        let model = &self.ask.model;
        let text = self.text();
        let pieces = match self.fault {
            Fault::Large => text.len().div_ceil(PIECE_MAX_BYTES),
            _ => self.settings.pieces.max(1),
        };
        let texts = split(&text, pieces);
        let broken_after = match self.fault {
            Fault::ResetMidway | Fault::StallMidway | Fault::EarlyClose | Fault::Malformed => {
                pieces.div_ceil(2)
            }
            _ => pieces,
        };
        let mut sending = Sending::default();
        sending.send(self.api.opening(model));
        for (n, text) in texts.iter().take(broken_after).enumerate() {
            sending.at(self.piece_time(n, pieces), self.begun);
            sending.send(self.api.piece(model, text));
        }
        let broken_at = self.piece_time(broken_after.saturating_sub(1), pieces) + ON_ITS_WAY;
        match self.fault {
            Fault::ResetMidway => sending.finish(&[Step::Until(broken_at), Step::Reset]),
            Fault::EarlyClose => sending.finish(&[Step::Until(broken_at), Step::Close]),
            Fault::StallMidway => sending.finish(&[Step::Stall]),
            Fault::Malformed => {
                sending.send(self.api.malformed().to_owned());
                sending.send(self.api.closing(model, &text, pieces));
            }
            _ => sending.send(self.api.closing(model, &text, pieces)),
        }
        let mut plan = Plan {
            head: Head::At(self.piece_time(0, pieces)),
            status: StatusCode::OK,
            retry_after: None,
            content_type: self.api.content_type(true),
            steps: sending.steps(),
            length: None,
        };
        if self.fault == Fault::Trickle {
            plan.steps = self.trickle(&plan.steps);
        }
        plan
    }

    fn unary(&self) -> Plan {
        let model = &self.ask.model;
        let whole = match self.api.kind() {
            Kind::Embedding => {
                let dimensions = self.settings.dimensions.max(1);
                let inputs = self.ask.inputs();
                self.api.vectors(model, inputs, dimensions, self.fault)
            }
            Kind::Completion => {
                let pieces = self.settings.pieces.max(1);
                self.api.whole(model, &self.text(), pieces)
            }
        };
        let mut whole = whole.into_bytes();
        let half = whole.len() / 2;
        let broken_at = self.end_time() + ON_ITS_WAY;
        let last = match self.fault {
            Fault::ResetMidway => vec![Step::Until(broken_at), Step::Reset],
            Fault::EarlyClose => vec![Step::Until(broken_at), Step::Close],
            Fault::StallMidway => vec![Step::Stall],
            Fault::Malformed => {
                whole.truncate(half);
                return self.all_at_once(whole);
            }
            Fault::Trickle => {
                let plan = self.all_at_once(whole);
                return Plan {
                    steps: self.trickle(&plan.steps),
                    ..plan
                };
            }
            _ => return self.all_at_once(whole),
        };
        let length = Some(whole.len() as u64);
        whole.truncate(half);
        let mut plan = self.all_at_once(whole);
        plan.steps.extend(last);
        Plan { length, ..plan }
    }

    fn all_at_once(&self, bytes: Vec<u8>) -> Plan {
        Plan {
            head: Head::At(self.end_time()),
            status: StatusCode::OK,
            retry_after: None,
            content_type: self.api.content_type(false),
            length: Some(bytes.len() as u64),
            steps: VecDeque::from([Step::Send(bytes.into())]),
        }
    }

    /// The same bytes, a few at a time.
    fn trickle(&self, steps: &VecDeque<Step>) -> VecDeque<Step> {
        let mut bytes = Vec::new();
        for step in steps {
            if let Step::Send(part) = step {
                bytes.extend_from_slice(part);
            }
        }
        let bytes = Bytes::from(bytes);
        let pause = Duration::from_millis(self.settings.trickle_ms);
        let mut then = self.end_time();
        let mut slow = VecDeque::new();
        for from in (0..bytes.len()).step_by(TRICKLE_BYTES) {
            let to = bytes.len().min(from + TRICKLE_BYTES);
            slow.push_back(Step::Send(bytes.slice(from..to)));
            if to < bytes.len() {
                then += pause;
                slow.push_back(Step::Until(then));
            }
        }
        slow
    }

    fn text(&self) -> String {
        let text = &self.settings.text;
        match self.fault {
            Fault::Large if !text.is_empty() => {
                let mut large = text.repeat(LARGE_BYTES.div_ceil(text.len()));
                large.truncate(large.floor_char_boundary(LARGE_BYTES));
                large
            }
            _ => text.clone(),
        }
    }
}

/// Collects what is sent; what is sent at the same time is one piece.
#[derive(Default)]
struct Sending {
    steps: VecDeque<Step>,
    now: Vec<u8>,
}

impl Sending {
    fn send(&mut self, text: String) {
        self.now.extend_from_slice(text.as_bytes());
    }

    /// What follows is sent at this time, which is `begun` if there is nothing to wait for.
    fn at(&mut self, then: Instant, begun: Instant) {
        if then > begun {
            self.flush();
            self.steps.push_back(Step::Until(then));
        }
    }

    fn finish(&mut self, last: &[Step]) {
        self.flush();
        self.steps.extend(last.iter().cloned());
    }

    fn flush(&mut self) {
        if !self.now.is_empty() {
            let bytes = std::mem::take(&mut self.now);
            self.steps.push_back(Step::Send(bytes.into()));
        }
    }

    fn steps(mut self) -> VecDeque<Step> {
        self.flush();
        self.steps
    }
}

/// The text in so many pieces of about the same length; some are empty if it is short.
fn split(text: &str, pieces: usize) -> Vec<&str> {
    let mut rest = text;
    (0..pieces)
        .map(|n| {
            let length = rest.len() / (pieces - n);
            let length = if n + 1 == pieces {
                rest.len()
            } else {
                rest.floor_char_boundary(length)
            };
            let (piece, after) = rest.split_at(length);
            rest = after;
            piece
        })
        .collect()
}
