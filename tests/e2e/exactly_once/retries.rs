//! Sending a call until it is acknowledged, over all lives of the service.

use std::{error::Error, time::Duration};

use tokio::{sync::watch, time::timeout};
use turnwise_kit::client::GrpcClient;
use turnwise_proto::common::v1::ErrorReason;

use super::calls::{Call, reason};

/// How long a call may take in all.
const BOUND: Duration = Duration::from_secs(60);
/// How long to wait for a thread that somebody else holds, or for a store that is away.
const PAUSE: Duration = Duration::from_millis(5);

/// Somebody who sends calls to a replica of the service, whichever life it is in.
#[derive(Clone)]
pub struct Sender {
    lives: watch::Receiver<GrpcClient>,
}

/// Tells senders where the replica is now.
pub struct Lives(watch::Sender<GrpcClient>);

impl Lives {
    /// The first life.
    pub fn begin(client: GrpcClient) -> Self {
        Self(watch::Sender::new(client))
    }

    /// The next life: calls that failed are sent again.
    pub fn go_on(&self, client: GrpcClient) {
        self.0.send_replace(client);
    }

    /// Somebody who calls the replica.
    pub fn sender(&self) -> Sender {
        Sender {
            lives: self.0.subscribe(),
        }
    }
}

impl Sender {
    /// To a replica that has one life only.
    pub fn to(client: GrpcClient) -> Self {
        Self {
            lives: watch::Sender::new(client).subscribe(),
        }
    }

    /// Sends a call until it is acknowledged.
    pub async fn deliver(&mut self, call: &mut Call) {
        let mut last = None;
        let delivered = timeout(BOUND, async {
            loop {
                let client = self.lives.borrow_and_update().clone();
                let Err(status) = call.send(&client).await else {
                    return;
                };
                match reason(&status) {
                    ErrorReason::TurnInProgress
                    | ErrorReason::StorageUnavailable
                    | ErrorReason::DeadlineExceeded => tokio::time::sleep(PAUSE).await,
                    // A status with a source was made on our side: the connection broke while the answer was read.
                    _ if status.source().is_some() => self.next_life().await,
                    ErrorReason::DependencyUnavailable => self.next_life().await,
                    _ => panic!("{status:?}"),
                }
                last = Some(status);
            }
        });
        assert!(
            delivered.await.is_ok(),
            "not acknowledged; the last answer: {last:?}"
        );
    }

    /// Nobody answers before the next life, if there is one.
    async fn next_life(&mut self) {
        if self.lives.changed().await.is_err() {
            tokio::time::sleep(PAUSE).await;
        }
    }
}
