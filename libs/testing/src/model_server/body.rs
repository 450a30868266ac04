//! The body of an answer: what is sent when, and how it ends.

use std::{
    collections::VecDeque,
    convert::Infallible,
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use super::{socket::Reset, statistics::Running};

/// A step of an answer.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// Sends bytes.
    Send(Bytes),
    /// Waits until then.
    Until(Instant),
    /// Waits until the caller is gone.
    Stall,
    /// Resets the connection.
    Reset,
    /// Closes the connection, although more was promised.
    Close,
}

/// An answer on its way. Dropped before its last step, it counts as cancelled.
pub(super) struct Answer {
    steps: VecDeque<Step>,
    /// All the bytes that it will have, if they are to be announced.
    length: Option<u64>,
    sleep: Option<Pin<Box<Sleep>>>,
    running: Option<Running>,
    reset: Reset,
}

/// The answer ends before its time, as it was told to.
#[derive(Debug)]
pub(super) struct BrokenOff;

impl fmt::Display for BrokenOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the answer breaks off on purpose")
    }
}

impl std::error::Error for BrokenOff {}

impl From<Infallible> for BrokenOff {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

impl Answer {
    pub(super) fn new(
        steps: VecDeque<Step>,
        length: Option<u64>,
        running: Option<Running>,
        reset: Reset,
    ) -> Self {
        let mut answer = Self {
            steps,
            length,
            sleep: None,
            running,
            reset,
        };
        answer.end_if_done();
        answer
    }

    /// The call has ended once nothing is left to do.
    fn end_if_done(&mut self) {
        if self.steps.is_empty()
            && let Some(running) = self.running.take()
        {
            running.end();
        }
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        loop {
            if let Some(sleep) = &mut self.sleep {
                if sleep.as_mut().poll(cx).is_pending() {
                    return Poll::Pending;
                }
                self.sleep = None;
            }
            match self.steps.pop_front() {
                None => {
                    self.end_if_done();
                    return Poll::Ready(None);
                }
                Some(Step::Send(bytes)) => {
                    self.end_if_done();
                    return Poll::Ready(Some(Ok(Frame::data(bytes))));
                }
                Some(Step::Until(then)) => self.sleep = Some(Box::pin(sleep_until(then))),
                Some(Step::Stall) => {
                    self.steps.push_front(Step::Stall);
                    return Poll::Pending;
                }
                Some(step @ (Step::Reset | Step::Close)) => {
                    if matches!(step, Step::Reset) {
                        self.reset.now();
                    }
                    self.steps.clear();
                    self.end_if_done();
                    return Poll::Ready(Some(Err(BrokenOff)));
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.steps.is_empty() && self.sleep.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        self.length
            .map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
