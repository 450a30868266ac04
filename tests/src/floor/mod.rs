//! The floor of the turn benchmark: what a turn would cost if nothing were done in it but its calls.
//!
//! A floor makes the calls of a turn (the same sequence, the same bytes in both directions) between bare tonic servers
//! that only echo, and does the bare round trips to the store. It has none of the suite's layers: no identity, no
//! deadline, no trace, no metric. It shares the suite's settings of channels and servers, so that the difference is the
//! suite's own work. A turn's floor makes the calls of one commit, whatever the suite has come to since: fewer calls and
//! fewer bytes are then seen in the ratio.

mod echo;
mod role;
mod store;

use serde::{Deserialize, Serialize};

pub use echo::{front_request, reply_of};
pub use role::{leaf, serve};

/// The bytes of one call's messages, without gRPC's frame.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Bytes {
    /// Of the request.
    pub request: usize,
    /// Of the response.
    pub response: usize,
}

/// Who answers a call.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub enum To {
    /// The store's service, where a turn begins.
    Begin,
    /// The store's service, where a turn is committed.
    Commit,
    /// The policy.
    Policy,
    /// Retrieval.
    Retrieval,
    /// The model gateway.
    Llm,
}

/// What is called behind a message to the homework helper in a conversation that has begun, phase after phase; the
/// methods of one phase at once.
pub const CHAT: &[&[(&str, To)]] = &[
    &[("BeginTurn", To::Begin)],
    &[("DecideChat", To::Policy)],
    &[("GetReference", To::Retrieval), ("Retrieve", To::Retrieval)],
    &[("Complete", To::Llm)],
    &[("ResolveChat", To::Policy)],
    &[("CommitTurn", To::Commit)],
];

/// One call behind the student's own.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Call {
    /// The method of the suite.
    pub method: String,
    /// Who answers it.
    pub to: To,
    /// Its bytes.
    pub bytes: Bytes,
}

/// The calls of a turn.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Calls {
    /// The student's own call.
    pub front: Bytes,
    /// Those behind it, phase after phase.
    pub phases: Vec<Vec<Call>>,
    /// The store's.
    pub store: StoreBytes,
}

/// The bytes that the store is sent and answers, as they are on Redis's wire.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct StoreBytes {
    /// When a turn begins.
    pub begin: Bytes,
    /// When it is committed.
    pub commit: Bytes,
}

/// The calls of a turn at one commit.
#[derive(Debug, Clone, Deserialize)]
pub struct Frozen {
    /// The commit.
    pub commit: String,
    /// Its calls.
    pub calls: Calls,
}

impl Frozen {
    /// The turn of tests/data/floor.json.
    pub fn turn() -> Self {
        serde_json::from_str(include_str!("../../data/floor.json")).unwrap()
    }
}

/// What a process of a floor is. It is the process's only argument, as JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Role {
    /// Echoes: policy, retrieval and models.
    Leaf,
    /// Echoes, with a round trip to Redis for a turn's beginning and its commit.
    Store {
        /// The `redis://` URL.
        redis: String,
        /// The bytes of each round trip.
        bytes: StoreBytes,
    },
    /// Makes the calls of a turn over sockets.
    Gateway {
        /// Where the policy's echo is, as a URL; so on.
        policy: String,
        /// Retrieval's.
        retrieval: String,
        /// The model gateway's.
        llm: String,
        /// The store's.
        session: String,
        /// The bytes of each call.
        calls: Calls,
    },
    /// Makes the calls of a turn inside this process, over a file of redb.
    Suite {
        /// The file.
        file: std::path::PathBuf,
        /// Whether a commit is on disk before it is answered.
        fsync: bool,
        /// The bytes of each call.
        calls: Calls,
    },
}
