//! Calls as values: what a press or a line asks of the suite. A call is sent again with the same key when the connection is
//! lost, so that nothing counts twice.

use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval, sleep};
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    tutor::v1::{
        GradeDrillRequest, GradeDrillResponse, RecordSupportViewRequest, RecordSupportViewResponse,
        SnapshotLite, StreamTurnRequest, SubmitExamAnswerRequest, SubmitExamAnswerResponse,
        TakeTurnRequest, TakeTurnResponse, stream_turn_response::News,
    },
};

use super::progress::{Progress, words};
use crate::client::Student;

/// How often a call whose connection was lost is sent again.
const TRIES: u32 = 4;
/// The first wait before a call is sent again; each later one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// How often the line with the progress is drawn again.
const TICK: Duration = Duration::from_secs(1);

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    /// A turn.
    Turn(TakeTurnRequest),
    /// A drill is graded.
    Grade(GradeDrillRequest),
    /// An exam question is answered.
    Submit(SubmitExamAnswerRequest),
    /// Help for an exam question is looked at.
    View(RecordSupportViewRequest),
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The tutor's answer.
    Turn(TakeTurnResponse),
    /// A graded drill.
    Graded(GradeDrillResponse),
    /// An answered exam question.
    Submitted(SubmitExamAnswerResponse),
    /// The help.
    Viewed(RecordSupportViewResponse),
}

impl Answer {
    /// Where the student stands now, where the answer says it.
    pub fn standing(&self) -> Option<&SnapshotLite> {
        match self {
            Self::Turn(answer) => answer.snapshot_lite.as_ref(),
            Self::Graded(graded) => graded.snapshot_lite.as_ref(),
            Self::Submitted(submitted) => submitted.snapshot_lite.as_ref(),
            Self::Viewed(viewed) => viewed.snapshot_lite.as_ref(),
        }
    }

    /// Whether something is gained by sending the same message as a new turn.
    pub fn may_be_repeated(&self) -> bool {
        matches!(self, Self::Turn(answer) if answer.retry_after.is_some())
    }

    /// Whether the same message has a place in line when it is sent as a new turn.
    pub fn keeps_place(&self) -> bool {
        matches!(self, Self::Turn(answer) if !answer.place_ticket.is_empty())
    }
}

/// Sends a call and waits for its answer, over lost connections and for no longer than the student's time-out.
///
/// # Errors
///
/// What the suite refuses, and the last failure of the connection.
pub async fn send(
    student: &mut Student,
    call: &Call,
    progress: &mut Progress<'_>,
) -> Result<Answer, Fault> {
    let until = Instant::now() + student.timeout();
    let mut tries = 0;
    let mut renewed = false;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let fault = match once(student, call, left, progress).await {
            Ok(answer) => {
                progress.clear();
                return Ok(answer);
            }
            Err(fault) => fault,
        };
        progress.clear();
        if fault.reason() == ErrorReason::Unauthenticated && !renewed && student.renew().is_ok() {
            renewed = true;
            continue;
        }
        let Some(wait) = wait_before_again(&fault, tries) else {
            return Err(fault);
        };
        if Instant::now() + wait >= until {
            return Err(fault);
        }
        progress.note(&match fault.reason() {
            ErrorReason::TurnInProgress => {
                "this conversation is still busy with the message before; waiting for it".to_owned()
            }
            _ => format!(
                "no answer ({}); trying the same again in {:.1} s",
                fault.reason().wire_name(),
                wait.as_secs_f64()
            ),
        });
        sleep(wait).await;
        tries += 1;
    }
}

/// How long to wait before the same call is sent again; `None` if that is pointless, or for the student to decide.
pub fn wait_before_again(fault: &Fault, tries: u32) -> Option<Duration> {
    let told = fault.retry_delay();
    match fault.reason() {
        ErrorReason::DependencyUnavailable
        | ErrorReason::Draining
        | ErrorReason::StorageUnavailable
        | ErrorReason::VersionConflict
            if tries < TRIES =>
        {
            let own = FIRST_WAIT * 2u32.pow(tries);
            Some(told.map_or(own, |told| told.max(own)))
        }
        // After a lost connection the turn may be on its way still; then the same key waits for its answer.
        ErrorReason::TurnInProgress => Some(told.unwrap_or(TICK).max(FIRST_WAIT)),
        _ => None,
    }
}

/// Whether a call that failed so may be sent again as it is, when the student wants it.
pub fn may_be_sent_again(reason: ErrorReason) -> bool {
    matches!(
        reason,
        ErrorReason::DependencyUnavailable
            | ErrorReason::Draining
            | ErrorReason::StorageUnavailable
            | ErrorReason::VersionConflict
            | ErrorReason::TurnInProgress
            | ErrorReason::DeadlineExceeded
            | ErrorReason::RateLimited
            | ErrorReason::Busy
            | ErrorReason::QueueFull
            | ErrorReason::Unauthenticated
            | ErrorReason::Internal
    )
}

async fn once(
    student: &mut Student,
    call: &Call,
    left: Duration,
    progress: &mut Progress<'_>,
) -> Result<Answer, Fault> {
    match call {
        Call::Turn(turn) => turned(student, turn.clone(), left, progress)
            .await
            .map(Answer::Turn),
        Call::Grade(grade) => {
            let request = student.request(grade.clone(), left);
            let mut client = student.client.clone();
            ticking(
                progress,
                "checking your answer",
                client.grade_drill(request),
            )
            .await
            .map(Answer::Graded)
        }
        Call::Submit(answer) => {
            let request = student.request(answer.clone(), left);
            let mut client = student.client.clone();
            ticking(
                progress,
                "handing it in",
                client.submit_exam_answer(request),
            )
            .await
            .map(Answer::Submitted)
        }
        Call::View(view) => {
            let request = student.request(view.clone(), left);
            let mut client = student.client.clone();
            ticking(progress, "fetching it", client.record_support_view(request))
                .await
                .map(Answer::Viewed)
        }
    }
}

/// A turn, with its progress on the way.
async fn turned(
    student: &mut Student,
    turn: TakeTurnRequest,
    left: Duration,
    progress: &mut Progress<'_>,
) -> Result<TakeTurnResponse, Fault> {
    let begin = Instant::now();
    let request = student.request(StreamTurnRequest { turn: Some(turn) }, left);
    let fault = |status| Fault::from_status(&status);
    let mut stream = student
        .client
        .stream_turn(request)
        .await
        .map_err(fault)?
        .into_inner();
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last = None;
    loop {
        tokio::select! {
            biased;
            news = stream.message() => match news.map_err(fault)?.map(|news| news.news) {
                Some(Some(News::Answer(answer))) => return Ok(answer),
                Some(Some(News::Progress(now))) => {
                    progress.stage(&now, begin.elapsed());
                    last = Some(now);
                }
                // News of a kind that this client does not know.
                Some(None) => {}
                None => {
                    return Err(Fault::new(
                        ErrorReason::DependencyUnavailable,
                        "the stream ended before the tutor's answer",
                    ));
                }
            },
            _ = ticks.tick() => if let Some(last) = &last {
                progress.draw(&words(last), begin.elapsed());
            },
        }
    }
}

/// A call without news of its own.
async fn ticking<T>(
    progress: &mut Progress<'_>,
    doing: &str,
    call: impl Future<Output = Result<tonic::Response<T>, tonic::Status>>,
) -> Result<T, Fault> {
    let begin = Instant::now();
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut call = std::pin::pin!(call);
    loop {
        tokio::select! {
            biased;
            answer = &mut call => {
                return answer
                    .map(tonic::Response::into_inner)
                    .map_err(|status| Fault::from_status(&status));
            }
            _ = ticks.tick() => progress.draw(doing, begin.elapsed()),
        }
    }
}
