//! Reading that goes on beside other work and holds it up by nothing.

use std::{
    future::Future,
    pin::{Pin, pin},
};

use futures_util::future::MaybeDone;

/// Does the work, and reads on while it is waited for. What was read by then is in `reading`.
pub(super) async fn beside<T, R: Future>(
    mut reading: Pin<&mut MaybeDone<R>>,
    work: impl Future<Output = T>,
) -> T {
    let mut work = pin!(work);
    let mut is_read = matches!(*reading, MaybeDone::Done(_) | MaybeDone::Gone);
    loop {
        tokio::select! {
            biased;
            done = &mut work => return done,
            () = &mut reading, if !is_read => is_read = true,
        }
    }
}
