//! Metadata that the transport itself gives a meaning: how much of it there may be, and how the message is compressed.

use std::future::Future;

use axum::{extract::Request, response::Response};
use http::{HeaderMap, HeaderValue, header::AsHeaderName};
use turnwise_proto::common::v1::ErrorReason;

use super::errors;
use crate::Fault;

/// The most bytes of headers of one call, counted as HTTP/2 does.
const MAX_HEADERS: usize = 16 << 10;
/// What HTTP/2 counts for each header beside its name and its value (RFC 9113, 6.5.2).
const OVERHEAD: usize = 32;
/// How a message may be compressed, as `grpc-accept-encoding` says it.
const ACCEPTED: &str = "identity,gzip";

pub(super) async fn check<F: Future<Output = Response>>(
    request: Request,
    next: impl FnOnce(Request) -> F,
) -> Response {
    let bytes = request.uri().path().len() + size(request.headers());
    if bytes > MAX_HEADERS {
        return errors::respond(
            Fault::new(
                ErrorReason::HeadersTooLarge,
                "the call's metadata is too large; send less",
            )
            .meta("max_bytes", MAX_HEADERS.to_string())
            .meta("bytes", bytes.to_string()),
        );
    }
    let readable = match only(request.headers(), "grpc-encoding") {
        Ok(encoding) => encoding.is_none_or(|name| name == "identity" || name == "gzip"),
        Err(Repeated) => false,
    };
    if !readable {
        let mut response = errors::respond(
            Fault::new(
                ErrorReason::UnsupportedEncoding,
                "messages are read plain or compressed with gzip; send `grpc-encoding` accordingly",
            )
            .meta("accepted", ACCEPTED),
        );
        let accepted = HeaderValue::from_static(ACCEPTED);
        let headers = response.headers_mut();
        headers.insert("grpc-accept-encoding", accepted);
        return response;
    }
    next(request).await
}

fn size(headers: &HeaderMap) -> usize {
    headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + OVERHEAD)
        .sum()
}

/// A header that may come once came more often, so that nobody knows which of them is meant.
#[derive(Debug, Clone, Copy)]
pub struct Repeated;

/// The value of a header that may come once; `None` if it did not come.
pub fn only(
    headers: &HeaderMap,
    name: impl AsHeaderName,
) -> Result<Option<&HeaderValue>, Repeated> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    match values.next() {
        None => Ok(first),
        Some(_) => Err(Repeated),
    }
}
