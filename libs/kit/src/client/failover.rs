//! Failover between addresses: a request that did not get away is sent to another one. A channel over several addresses goes on choosing one that
//! cannot be connected to; nothing was sent then, so the same request can be sent again, whatever it asks for.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::{Bytes, BytesMut};
use futures_util::FutureExt;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use tonic::{body::Body, codegen::StdError, transport::Channel};
use tower::Service;

/// How often a request is sent at the most. Each time chooses between the addresses anew, by chance, so that half of them
/// being dead costs one call in 65,536.
const ATTEMPTS: usize = 16;

/// A channel over several addresses.
#[derive(Clone)]
pub(super) struct Failover(pub(super) Channel);

impl Service<Request<Body>> for Failover {
    type Response = Response<Body>;
    type Error = StdError;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, StdError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), StdError>> {
        // Each attempt waits for the channel itself.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let mut channel = self.0.clone();
        Box::pin(async move {
            let (head, body) = request.into_parts();
            let message = match whole(body) {
                Ok(message) => message,
                // A stream of messages can be sent only once.
                Err(body) => return send(&mut channel, Request::from_parts(head, body)).await,
            };
            let mut attempt = 1;
            loop {
                let body = Body::new(Full::new(message.clone()));
                let sent = send(&mut channel, Request::from_parts(head.clone(), body)).await;
                match sent {
                    Err(error) if attempt < ATTEMPTS && was_not_sent(&error) => attempt += 1,
                    sent => return sent,
                }
            }
        })
    }
}

async fn send(channel: &mut Channel, request: Request<Body>) -> Result<Response<Body>, StdError> {
    std::future::poll_fn(|cx| channel.poll_ready(cx)).await?;
    Ok(channel.call(request).await?)
}

/// The message of a call that sends one, which is there at once; the body itself where it is not.
fn whole(mut body: Body) -> Result<Bytes, Body> {
    let mut message = BytesMut::new();
    loop {
        match body.frame().now_or_never() {
            Some(None) => return Ok(message.freeze()),
            Some(Some(Ok(frame))) => match frame.into_data() {
                Ok(data) => message.extend_from_slice(&data),
                Err(_) => return Ok(message.freeze()),
            },
            Some(Some(Err(_))) | None => {
                let first = Full::new(message.freeze()).map_err(|never| match never {});
                return Err(Body::new(chained(first, body)));
            }
        }
    }
}

/// One body after another.
fn chained(
    first: impl http_body::Body<Data = Bytes, Error = tonic::Status> + Send + Unpin + 'static,
    then: Body,
) -> impl http_body::Body<Data = Bytes, Error = tonic::Status> + Send + 'static {
    http_body_util::StreamBody::new(futures_util::StreamExt::chain(
        http_body_util::BodyStream::new(first),
        http_body_util::BodyStream::new(then),
    ))
}

fn was_not_sent(error: &StdError) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&**error);
    while let Some(error) = cause {
        if error.is::<tonic::ConnectError>() {
            return true;
        }
        cause = error.source();
    }
    false
}
