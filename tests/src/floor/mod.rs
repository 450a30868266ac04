//! The floor of the turn benchmark: what a turn would cost if nothing were done in it but its calls.
//!
//! A floor makes the calls of a turn (the same sequence, the same bytes in both directions) between bare tonic servers
//! that only echo, and does the bare round trips to the store. It has none of the suite's layers: no identity, no
//! deadline, no trace, no metric. It shares the suite's settings of channels and servers, so that the difference is the
//! suite's own work.

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

/// The calls of a turn.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Calls {
    /// The student's own call.
    pub turn: Bytes,
    /// To the store's service.
    pub begin_turn: Bytes,
    /// To retrieval.
    pub map_message: Bytes,
    /// To the policy.
    pub plan: Bytes,
    /// To retrieval. The exam system is asked beside it only for a student who is ready for an exam; see the benchmark.
    pub retrieve: Bytes,
    /// To the policy.
    pub decide: Bytes,
    /// To the model gateway.
    pub complete: Bytes,
    /// To the policy.
    pub resolve_reply: Bytes,
    /// To the store's service.
    pub commit_turn: Bytes,
}

/// The bytes that the store is sent and answers, as they are on Redis's wire.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct StoreBytes {
    /// When a turn begins.
    pub begin: Bytes,
    /// When it is committed.
    pub commit: Bytes,
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
        /// The bytes of the store.
        bytes: StoreBytes,
    },
}
