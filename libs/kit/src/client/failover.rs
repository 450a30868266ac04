//! Failover: a request that no server began to work on is sent again, whatever it asks for. With several addresses one that
//! cannot be connected to does not count; with any number of them, nor does a server that ends while requests are on their
//! way to it: it closes its connections, and says which requests it will not look at.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::FutureExt;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use tonic::{body::Body, codegen::StdError, transport::Channel};
use tower::Service;

/// How often a request is sent at the most. Each time chooses between the addresses anew, by chance, so that half of them
/// being dead costs one call in four billion.
const ATTEMPTS: usize = 32;

/// A channel over one address or several.
#[derive(Clone)]
pub(super) struct Failover {
    pub(super) channel: Channel,
    /// There are others where one address cannot be connected to.
    pub(super) has_several: bool,
}

impl Service<Request<Body>> for Failover {
    type Response = Response<Body>;
    type Error = StdError;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, StdError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), StdError>> {
        // Each attempt waits for the channel itself.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let (mut channel, has_several) = (self.channel.clone(), self.has_several);
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
                    Err(error)
                        if attempt < ATTEMPTS
                            && (has_several
                                && is_about::<tonic::ConnectError>(&error, |_| true)
                                || is_untouched(&error)) =>
                    {
                        attempt += 1;
                    }
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
    let mut message = Bytes::new();
    loop {
        match body.frame().now_or_never() {
            Some(None) => return Ok(message),
            Some(Some(Ok(frame))) => match frame.into_data() {
                Ok(data) if message.is_empty() => message = data,
                Ok(data) => message = Bytes::from([message, data].concat()),
                Err(_) => return Ok(message),
            },
            Some(Some(Err(_))) | None => {
                let first = Full::new(message).map_err(|never| match never {});
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

/// Whether the connection ended before the request was sent, or the server said that it had not begun with it: it is ending,
/// and the request came after the last that it works on (RFC 9113, 6.8), or it refused the stream (8.7).
fn is_untouched(error: &StdError) -> bool {
    is_about(error, hyper::Error::is_canceled)
        || is_about(error, |error: &h2::Error| {
            error.is_remote()
                && match error.reason() {
                    Some(h2::Reason::NO_ERROR) => error.is_go_away(),
                    Some(h2::Reason::REFUSED_STREAM) => error.is_reset(),
                    _ => false,
                }
        })
}

/// Whether an error or one of its causes is of this kind, and so.
fn is_about<E: std::error::Error + 'static>(error: &StdError, is_so: impl Fn(&E) -> bool) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&**error);
    while let Some(error) = cause {
        if error.downcast_ref::<E>().is_some_and(&is_so) {
            return true;
        }
        cause = error.source();
    }
    false
}
