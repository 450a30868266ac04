//! Failures that tonic makes by itself get a reason here, so that every failure carries one.

use std::future::Future;

use axum::{
    extract::Request,
    response::{IntoResponse, Response},
};
use http::HeaderValue;
use tonic::{Code, Status};
use turnwise_proto::common::v1::ErrorReason;

use super::auth::OpenMethods;
use crate::Fault;

/// Answers with a failure.
pub(super) fn respond(fault: Fault) -> Response {
    Status::from(fault)
        .into_http::<tonic::body::Body>()
        .into_response()
}

pub(super) async fn explain<F: Future<Output = Response>>(
    request: Request,
    next: impl FnOnce(Request) -> F,
) -> Response {
    // Health and reflection are others' contracts, with codes of their own.
    if OpenMethods::contains(request.uri().path()) {
        return next(request).await;
    }
    let response = next(request).await;
    // A failure that is known before the first message stands in the headers; those are the ones tonic makes.
    match response.headers().get("grpc-status") {
        Some(code) if needs_reason(code, &response) => {}
        _ => return response,
    }
    match Status::from_header_map(response.headers()) {
        Some(status) => respond(reason_for(&status)),
        None => response,
    }
}

/// How tonic begins to complain about a message that it cannot take out of its frame.
const UNREADABLE: [&str; 3] = [
    "Error decompressing",
    "protocol error: received message with",
    "Unexpected EOF decoding stream",
];

fn needs_reason(code: &HeaderValue, response: &Response) -> bool {
    code.as_bytes() != b"0" && !response.headers().contains_key("grpc-status-details-bin")
}

fn reason_for(status: &Status) -> Fault {
    let text = status.message();
    match status.code() {
        Code::Internal if text.starts_with("failed to decode Protobuf message") => Fault::new(
            ErrorReason::MalformedMessage,
            "the bytes are no valid message of this method; check the proto and that strings are UTF-8",
        ),
        Code::Internal if UNREADABLE.iter().any(|start| text.starts_with(start)) => Fault::new(
            ErrorReason::MalformedMessage,
            "the bytes are no message as gRPC frames it; check its length, its compressed flag and `grpc-encoding`",
        ),
        Code::ResourceExhausted if text.starts_with("Error decompressing") => Fault::new(
            ErrorReason::PayloadTooLarge,
            "the message is larger than is read once it is decompressed; send less",
        ),
        Code::OutOfRange => Fault::new(
            ErrorReason::PayloadTooLarge,
            "the message is larger than is read; send less",
        ),
        Code::Unimplemented => Fault::new(
            ErrorReason::UnknownMethod,
            "this listener has no such method; ask its reflection service what it has",
        ),
        Code::Internal if text.contains("Missing request message") => {
            Fault::new(ErrorReason::MalformedMessage, "the call carries no message")
        }
        _ => Fault::from_status(status),
    }
}
