//! One request from end to end: limits, the queue, the breaker, the model and its retries, and the next backend where one
//! fails.

use std::{pin::pin, sync::Arc, time::Duration};

use async_stream::try_stream;
use futures_util::{FutureExt, Stream, StreamExt};
use tokio::time::{Instant, sleep};
use tracing::Span;
use turnwise_breaker::{Breakers, Permit, State};
use turnwise_kit::TaskTracker;
use turnwise_llm_backends::{Embeddings, End, Failure, Finish, Targets, failure::Problem};
use turnwise_llm_queue::{Place, Refusal, SlotRequest};

use crate::{
    admission::Admission,
    answer::{Answer, AnswerItem, answer},
    clip::Clip,
    error::Error,
    job::{Job, Work},
    metrics::{Attempt, CallMetrics},
    retry::Retries,
    telemetry::{Parts, RequestTelemetry, SpanName},
    upstreams::{Upstream, Upstreams},
    usage::Usage,
};

/// What comes of a request, in this order: places while it waits; deltas; an end.
#[derive(Debug, Clone)]
pub enum Part {
    /// Its place in the queue.
    Place(Place),
    /// The next piece of text.
    Delta(String),
    /// The vectors.
    Vectors(Arc<Embeddings>),
    /// How it went.
    End(Summary),
}

/// How a request went.
#[derive(Debug, Clone)]
pub struct Summary {
    /// What the backend says; for embeddings, the model and the tokens of the texts.
    pub end: End,
    /// Which backend it was.
    pub backend: &'static str,
    /// What the request took.
    pub spent: Spent,
    /// Whether the text was clipped.
    pub truncated: bool,
}

/// What a request took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    /// In queues.
    pub waited: Duration,
    /// While a slot was held.
    pub model: Duration,
    /// Calls to models; 0: it shares another request's completion.
    pub attempts: u32,
}

/// Works on requests.
pub struct Calls {
    pub(crate) targets: Targets,
    pub(crate) upstreams: Upstreams,
    pub(crate) breakers: Breakers,
    pub(crate) admission: Admission,
    pub(crate) retries: Retries,
    pub(crate) metrics: Arc<CallMetrics>,
    pub(crate) max_entries: usize,
    pub(crate) tasks: TaskTracker,
}

/// A call whose answer has begun.
struct Begun {
    first: AnswerItem,
    rest: Answer,
    permit: Permit,
    /// The attempt that succeeded.
    attempt: Attempt,
}

impl Calls {
    /// Works on a request. Nothing happens before the stream is first polled. Dropping it leaves the queue, cancels the
    /// call at the model and frees its slot.
    pub fn run(self: Arc<Self>, job: Job) -> Parts {
        let telemetry = RequestTelemetry::new(&job, Arc::clone(&self.metrics));
        let span = telemetry.span().clone();
        telemetry.around(self.work(job, span, false))
    }

    /// Counts a request against the limits; where no model is called, there is nothing to limit.
    pub(crate) async fn admit(&self, job: &Job) -> Result<(), Error> {
        if self.targets.has_model() {
            self.admission.admit(&job.requester).await?;
        }
        Ok(())
    }

    /// The work on a request, which neither records it nor ends at its deadline. `admitted`: limits are behind it.
    pub(crate) fn work(
        self: Arc<Self>,
        job: Job,
        span: Span,
        admitted: bool,
    ) -> impl Stream<Item = Result<Part, Error>> + Send {
        try_stream! {
            if !admitted {
                self.admit(&job).await?;
            }
            let mut span_name = SpanName::new(span);
            let mut spent = Spent::default();
            let mut failed = None;
            for route in self.routes(&job)? {
                let operation = job.work.operation();
                match (route.backend.admit(&route.model, operation.of_backend()), &failed) {
                    (Ok(()), _) => {}
                    // It stands in for another, whose failure says more.
                    (Err(_), Some(_)) => continue,
                    (Err(refusal), None) => Err(refusal)?,
                }
                let upstream = self.upstreams.get(operation, &route.backend, &route.model)?;
                span_name.called(&upstream.metrics);
                if let Some(retry_after) = open_for(self.breakers.state(&upstream.breaker)) {
                    failed = Some(upstream.circuit_open(retry_after));
                    continue;
                }
                let entered = Instant::now();
                let waiting = upstream.queue.enter(job.ask(spent.waited)).await;
                let waiting = waiting.map_err(|refusal| self.refused(&upstream, refusal))?;
                let mut places = job.work.shows_places().then(|| waiting.place());
                if let Some(place) = places.as_mut().and_then(|p| *p.borrow_and_update()) {
                    yield Part::Place(place);
                }
                let mut slot = pin!(waiting.slot());
                let slot = loop {
                    let place = tokio::select! {
                        biased;
                        slot = &mut slot => break slot,
                        Some(place) = next_place(&mut places) => place,
                    };
                    yield Part::Place(place);
                };
                spent.waited += entered.elapsed();
                self.metrics.waited(entered.elapsed());
                let slot = slot.map_err(|refusal| self.refused(&upstream, refusal))?;

                let held = Instant::now();
                let mut lost = pin!(slot.lost().cancelled_owned());
                let mut usage = Usage::new(&self.admission, &job, &self.tasks);
                let begun = self.begin(&job, &upstream, &mut lost, &mut spent);
                let Begun { first, mut rest, permit, attempt } = match begun.await {
                    Ok(begun) => begun,
                    Err(error) => {
                        if error.cost_nothing() {
                            usage.forgive();
                        }
                        if !error.is_about_the_server() {
                            Err(error)?;
                            return;
                        }
                        spent.model += held.elapsed();
                        failed = Some(error);
                        continue;
                    }
                };
                let mut clip = Clip::new(job.max_chars);
                let mut item = Some(Ok(first));
                let end = loop {
                    match item {
                        Some(Ok(AnswerItem::Delta(text))) => {
                            usage.wrote(text.len());
                            let (text, full) = clip.take(text);
                            if !text.is_empty() {
                                yield Part::Delta(text);
                            }
                            if full {
                                break clipped(&mut rest, &upstream);
                            }
                        }
                        Some(Ok(AnswerItem::Vectors(vectors))) => {
                            let end = End {
                                model: vectors.model.clone(),
                                finish: Finish::Stop,
                                input_tokens: vectors.input_tokens,
                                cached_input_tokens: 0,
                                output_tokens: 0,
                            };
                            yield Part::Vectors(Arc::new(vectors));
                            break end;
                        }
                        Some(Ok(AnswerItem::End(end))) => break end,
                        failure => {
                            let failure = failure
                                .and_then(Result::err)
                                .unwrap_or_else(|| broke_off(upstream.backend.name()));
                            attempt.failed(&failure);
                            settle(permit, &failure).await;
                            Err(failure)?;
                            return;
                        }
                    }
                    item = next_item(&mut rest, &mut lost).await?;
                };
                drop(rest);
                permit.succeeded().await;
                spent.model += held.elapsed();
                slot.done(Some(held.elapsed()));
                attempt.succeeded(&end);
                usage.counted(end.input_tokens, end.output_tokens);
                yield Part::End(Summary {
                    end,
                    backend: upstream.backend.name(),
                    spent,
                    truncated: clip.clipped(),
                });
                return;
            }
            // There is at least one backend, and each either ended the stream or failed.
            Err(failed.unwrap_or(Error::DeadlineExceeded))?;
        }
    }

    /// Calls the model until its answer begins, with as many attempts as there may be.
    async fn begin(
        &self,
        job: &Job,
        upstream: &Arc<Upstream>,
        mut lost: &mut (impl Future<Output = ()> + Unpin),
        spent: &mut Spent,
    ) -> Result<Begun, Error> {
        let permit = self.breakers.admit(&upstream.breaker).await;
        let permit = permit.map_err(|open| upstream.circuit_open(open.retry_after))?;
        self.retries.begun();
        let mut number = 1;
        loop {
            let attempt = upstream.metrics.attempt();
            spent.attempts += 1;
            let mut rest = answer(&*upstream.backend, &upstream.model, &job.work);
            let failure = match next_item(&mut rest, &mut lost).await? {
                Some(Ok(first)) => {
                    return Ok(Begun {
                        first,
                        rest,
                        permit,
                        attempt,
                    });
                }
                Some(Err(failure)) => failure,
                None => broke_off(upstream.backend.name()),
            };
            attempt.failed(&failure);
            let Some(pause) = self.retries.pause(number, &failure, &job.time_limits) else {
                if matches!(failure, Failure::UnknownModel { .. }) {
                    self.upstreams.forget(upstream);
                }
                settle(permit, &failure).await;
                return Err(failure.into());
            };
            upstream.metrics.retried();
            tokio::select! {
                () = &mut lost => return Err(Error::SlotLost),
                () = sleep(pause) => {}
            }
            number += 1;
        }
    }

    fn refused(&self, upstream: &Upstream, refusal: Refusal) -> Error {
        Error::Queue {
            refusal,
            slots: upstream.slots,
            max_entries: self.max_entries,
        }
    }
}

impl Upstream {
    fn circuit_open(&self, retry_after: Duration) -> Error {
        Error::CircuitOpen {
            backend: self.backend.name(),
            model: self.model.clone(),
            retry_after,
        }
    }
}

impl Job {
    /// What a queue is asked for by a request that has waited so long in others.
    fn ask(&self, waited: Duration) -> SlotRequest {
        SlotRequest {
            owner: self.requester.owner(),
            band: self.requester.band,
            bytes: self.work.bytes(),
            max_wait: self.time_limits.max_wait.saturating_sub(waited),
            deadline: self.time_limits.deadline,
            ticket: self.requester.ticket.clone(),
        }
    }
}

impl Work {
    /// Whether its caller follows its place in the queue.
    fn shows_places(&self) -> bool {
        matches!(self, Self::Stream(_))
    }
}

/// The next place that is announced; never, if none is.
async fn next_place(places: &mut Option<turnwise_llm_queue::PlaceWatch>) -> Option<Place> {
    let Some(watch) = places else {
        return std::future::pending().await;
    };
    if watch.changed().await.is_err() {
        // The wait is over; the slot says how.
        *places = None;
        return std::future::pending().await;
    }
    *watch.borrow_and_update()
}

/// The next item, unless the slot has to be given up.
async fn next_item(
    items: &mut Answer,
    lost: &mut (impl Future<Output = ()> + Unpin),
) -> Result<Option<Result<AnswerItem, Failure>>, Error> {
    tokio::select! {
        biased;
        item = items.next() => Ok(item),
        () = lost => Err(Error::SlotLost),
    }
}

/// The end of a completion that was clipped. Where the answer is whole already, its own end is here; else it is cut off
/// at the model, and nobody knows what it has counted.
fn clipped(rest: &mut Answer, upstream: &Upstream) -> End {
    let end = match rest.next().now_or_never() {
        Some(Some(Ok(AnswerItem::End(end)))) => end,
        _ => End {
            model: upstream.model.clone(),
            finish: Finish::Length,
            input_tokens: 0,
            cached_input_tokens: 0,
            output_tokens: 0,
        },
    };
    End {
        finish: Finish::Length,
        ..end
    }
}

/// Tells the breaker of a failed request.
async fn settle(permit: Permit, failure: &Failure) {
    if failure.counts_against_breaker() {
        permit.failed().await;
    }
}

/// For how long the breaker keeps calls from a model, if it does. While a probe is under way, nobody else needs to wait for a slot.
pub(crate) fn open_for(breaker: State) -> Option<Duration> {
    match breaker {
        State::Closed { .. } | State::HalfOpen { probing: None } => None,
        State::Open { retry_after } => Some(retry_after),
        State::HalfOpen {
            probing: Some(remaining),
        } => Some(remaining),
    }
}

fn broke_off(backend: &'static str) -> Failure {
    Failure::Answer {
        backend,
        status: None,
        problem: Problem::BrokeOff,
    }
}
