//! The platform under every service: settings, telemetry, the server stack, clients, deadlines, identity, errors,
//! health, drain and clocks. It holds no word of the suite's domain.
//!
//! | module | is about |
//! | --- | --- |
//! | [`settings`] | defaults < file < environment < flag, and the settings that every server has |
//! | [`telemetry`], [`metrics`], [`admin`] | logs, traces, RED metrics and the port that shows them |
//! | [`stack`] | the one ordered chain of layers around every service |
//! | [`client`] | connections: local, one address, a list, a name in DNS |
//! | [`server`], [`run`], [`drain`] | listening, health, reflection; the frame of a main; its end |
//! | [`connections`], [`tls`] | who may hold a connection, and for how long; certificates |
//! | [`files`] | secrets and certificates in files: what is refused, and what is read again |
//! | [`context`], [`caller`], [`error`] | what travels with a call: deadline, identity, failure |
//! | [`clock`], [`time`], [`ids`], [`page`], [`sizes`] | small things that must be the same everywhere |

pub mod admin;
pub mod caller;
pub mod client;
pub mod clock;
pub mod connections;
pub mod context;
pub mod drain;
pub mod error;
pub mod files;
pub mod ids;
pub mod metrics;
pub mod outcome;
pub mod page;
pub mod run;
pub mod server;
pub mod settings;
pub mod sizes;
pub mod stack;
pub mod telemetry;
pub mod time;
pub mod tls;

use std::sync::{Arc, OnceLock};

pub use caller::Caller;
pub use clock::Clock;
pub use context::CallContext;
pub use drain::Drain;
pub use error::Fault;
pub use metrics::Metrics;
pub use page::PageTokens;
pub use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// What every server accepts a message to be compressed with; the limit of its size holds for what comes out. Answers stay
/// plain, which every client reads: they are a few KiB, and compressing them would cost more time than it saves.
pub use tonic::codec::CompressionEncoding::Gzip;

/// What a service gets from its process.
#[derive(Clone)]
pub struct Kit {
    /// Tells the time; tests inject their own.
    pub clock: Arc<dyn Clock>,
    /// Where metrics are registered.
    pub metrics: Metrics,
    /// Every background task is spawned here, so that none outlives the drain.
    pub tasks: TaskTracker,
    /// Cancelled when the process starts to drain: streams end, background tasks stop.
    pub shutdown: CancellationToken,
    /// Cancelled when the last call has its answer: what calls need ends then, and not when the drain starts.
    pub served: CancellationToken,
    /// What `shutdown` is to calls: it begins then, and tells when they are cut off.
    pub drain: Drain,
    /// Makes and checks page tokens.
    pub pages: PageTokens,
    /// What the process is known by, read once and followed.
    pub(crate) own: Arc<Own>,
}

/// What a process is known by to others of the suite.
#[derive(Default)]
pub(crate) struct Own {
    pub(crate) token: OnceLock<Option<caller::InternalToken>>,
    pub(crate) tls: OnceLock<Option<tls::Tls>>,
}

impl Kit {
    /// A kit with the given clock, fresh metrics and nothing running; its page tokens are good in this process alone.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let shutdown = CancellationToken::new();
        Self {
            clock,
            metrics: Metrics::default(),
            tasks: TaskTracker::new(),
            drain: Drain::new(shutdown.clone()),
            shutdown,
            served: CancellationToken::new(),
            pages: PageTokens::of_this_process(),
            own: Arc::default(),
        }
    }

    /// A kit on the system's clock, for tests and benchmarks.
    pub fn for_tests() -> Self {
        Self::new(Arc::new(clock::SystemClock))
    }
}
