//! Work that no call waits for: every gateway claims some of it from session-svc, again and again, and does it side by side.

use std::{future::Future, time::Duration};

use tokio::task::JoinSet;
use turnwise_kit::{CallContext, Caller, CancellationToken};

use crate::access::{DEFAULT_TENANT, SERVICE};

/// How often it is asked whether there is something to do.
const POLL: Duration = Duration::from_secs(1);
/// How long session-svc is waited for.
const WAIT: Duration = Duration::from_secs(5);

/// Claims work and does it until the process ends, at most so much at a time. Answers what is unfinished then.
pub(crate) async fn work_until<T, C, W>(
    end: &CancellationToken,
    at_a_time: usize,
    claim: impl Fn(usize) -> C,
    work: impl Fn(T) -> W,
) -> JoinSet<()>
where
    C: Future<Output = Vec<T>>,
    W: Future<Output = ()> + Send + 'static,
{
    let mut running = JoinSet::new();
    while !end.is_cancelled() {
        let free = at_a_time - running.len();
        let claimed = match free {
            0 => Vec::new(),
            free => claim(free).await,
        };
        // With as many as were asked for there may be more at once.
        let pause = if claimed.len() < free {
            POLL
        } else {
            Duration::ZERO
        };
        for claimed in claimed {
            running.spawn(work(claimed));
        }
        let next = async {
            tokio::time::sleep(pause).await;
            if running.len() == at_a_time {
                running.join_next().await;
            }
        };
        end.run_until_cancelled(next).await;
        while running.try_join_next().is_some() {}
    }
    running
}

/// A request of the gateway's own in a tenant; none: the default one's.
pub(crate) fn request_in<T>(tenant: Option<&str>, message: T) -> tonic::Request<T> {
    let service = Caller {
        tenant: tenant.unwrap_or(DEFAULT_TENANT).to_owned(),
        subject: "gateway-svc".to_owned(),
        role: SERVICE.to_owned(),
        groups: Vec::new(),
    };
    CallContext::background(Some(service), WAIT).request(message)
}
