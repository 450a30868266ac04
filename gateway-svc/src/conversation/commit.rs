//! Writing what was made, once.

use std::future::Future;

use tonic::{Response, Status};
use turnwise_kit::{CallContext, Fault};
use turnwise_proto::common::v1::ErrorReason;

use crate::upstream::Step;

/// Sends a commit to session-svc, once more where its outcome is unknown: sent again it changes nothing.
pub(crate) async fn send_once_more<Q, A, W>(
    context: &CallContext,
    commit: Q,
    send: impl Fn(tonic::Request<Q>) -> W,
) -> Result<A, Fault>
where
    Q: Clone,
    W: Future<Output = Result<Response<A>, Status>>,
{
    let once = async || {
        let step = Step::Session.of(context);
        send(step.request(commit.clone()))
            .await
            .map(Response::into_inner)
            .map_err(|status| step.fault(&status))
    };
    match once().await {
        Err(first) if is_outcome_unknown(&first) => once().await.map_err(|second| {
            // The first had the time; that there is none left says nothing of the store.
            match second.reason() {
                ErrorReason::DeadlineExceeded => first,
                _ => second,
            }
        }),
        sent => sent,
    }
}

fn is_outcome_unknown(fault: &Fault) -> bool {
    matches!(
        fault.reason(),
        ErrorReason::DependencyUnavailable | ErrorReason::StorageUnavailable
    )
}
