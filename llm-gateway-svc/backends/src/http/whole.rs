//! An answer that is read whole.

use futures_util::{FutureExt, future::BoxFuture};
use tokio::time::Instant;

use super::{Request, Server, TEXT_MAX_BYTES};
use crate::failure::{Failure, Problem};

/// Sends `request`, reads the whole answer, at most `most` bytes, and makes of it what `read` does. One attempt.
pub(crate) fn whole<T: Send + 'static>(
    server: Server,
    request: Request,
    model: String,
    most: usize,
    read: impl FnOnce(String, &[u8]) -> Result<T, Problem> + Send + 'static,
) -> BoxFuture<'static, Result<T, Failure>> {
    async move {
        let silence = server.timeouts.first_byte;
        let mut answer = server.send(request, &model, most).await?;
        let result = async {
            let first = answer.chunk(answer.total).await?.unwrap_or_default();
            let Some(second) = answer.chunk(Instant::now() + silence).await? else {
                return read(model, &first);
            };
            let mut bytes = Vec::with_capacity(2 * (first.len() + second.len()));
            bytes.extend_from_slice(&first);
            bytes.extend_from_slice(&second);
            while let Some(chunk) = answer.chunk(Instant::now() + silence).await? {
                bytes.extend_from_slice(&chunk);
            }
            read(model, &bytes)
        }
        .await;
        result.map_err(|problem| answer.server.broken(problem))
    }
    .boxed()
}

/// A text that is no longer than a completion may be.
pub(crate) fn bounded(text: String) -> Result<String, Problem> {
    if text.len() > TEXT_MAX_BYTES {
        return Err(Problem::TooLong);
    }
    Ok(text)
}
