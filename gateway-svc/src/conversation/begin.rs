//! What beginning a request comes to: what it is worked on, or the answer that its idempotency key stored before.

use bytes::Bytes;
use prost::Message;
use sha2::{Digest, Sha256};
use turnwise_kit::Fault;
use turnwise_proto::common::v1::ErrorReason;

/// What a beginning came to.
pub(crate) enum Begun<A, S> {
    /// It was done before under this key; this was its answer.
    Stored(A),
    /// It begins.
    Start(S),
}

/// An answer as it was stored; empty: it was erased. The call's name is in its [`body_hash`], so it answers this call and
/// no other.
pub(crate) fn stored<A: Message + Default>(bytes: Bytes) -> Result<A, Fault> {
    if bytes.is_empty() {
        return Err(Fault::new(
            ErrorReason::TurnErased,
            "the answer to this request was erased; what it counted for still counts",
        ));
    }
    A::decode(bytes).map_err(|_| {
        Fault::new(
            ErrorReason::RecordCorrupted,
            "the stored answer cannot be read; send the request again with a new key",
        )
        .meta("record", "answer")
    })
}

/// SHA-256 of a call's name and of what the client asked for, without the key that names the asking.
pub(crate) fn body_hash(call: &str, body: &impl Message) -> Bytes {
    let mut hash = Sha256::new();
    hash.update((call.len() as u64).to_be_bytes());
    hash.update(call);
    hash.update(body.encode_to_vec());
    hash.finalize().to_vec().into()
}

/// The same of a request whose only key is this.
pub(crate) fn request_hash<M: Message>(
    call: &str,
    mut request: M,
    key: impl FnOnce(&mut M) -> &mut String,
) -> Bytes {
    key(&mut request).clear();
    body_hash(call, &request)
}
