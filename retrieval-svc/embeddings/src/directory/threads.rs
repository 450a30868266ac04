//! Who computes when: on so many threads, queries before documents.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use tokio::sync::{Semaphore, oneshot};

use crate::{EmbedError, Purpose};

/// Threads of a model's own, so that it neither blocks the runtime nor takes more of the machine than it may.
pub struct Threads {
    shared: Arc<Shared>,
    free: Arc<Semaphore>,
    /// As many documents as threads are worked on or in line for one, so a query that comes waits for the work that runs
    /// and never for documents in line.
    documents: Semaphore,
}

struct Shared {
    /// Pools of one thread each: what the network would spread over all cores stays on that thread.
    pools: Vec<ThreadPool>,
    /// Places of the pools that do nothing.
    idle: Mutex<Vec<usize>>,
}

impl Threads {
    /// Starts so many threads, at least one.
    ///
    /// # Errors
    /// What the system says if it has no more of them.
    pub fn start(threads: usize) -> Result<Self, ThreadPoolBuildError> {
        let threads = threads.max(1);
        let pools = (0..threads)
            .map(|at| {
                ThreadPoolBuilder::new()
                    .num_threads(1)
                    .thread_name(move |_| format!("embed-{at}"))
                    .build()
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            shared: Arc::new(Shared {
                pools,
                idle: Mutex::new((0..threads).collect()),
            }),
            free: Arc::new(Semaphore::new(threads)),
            documents: Semaphore::new(threads),
        })
    }

    /// Runs `work` on the next thread that is free. If the caller goes away before it has begun, it never begins.
    ///
    /// # Errors
    /// [`EmbedError::Unusable`] if it panics.
    pub async fn run<T: Send + 'static>(
        &self,
        purpose: Purpose,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, EmbedError> {
        let _turn = match purpose {
            Purpose::Query => None,
            Purpose::Document => Some(self.documents.acquire().await.map_err(|_| closed())?),
        };
        let permit = Arc::clone(&self.free)
            .acquire_owned()
            .await
            .map_err(|_| closed())?;
        let at = self.shared.take().ok_or_else(closed)?;
        let pool = self.shared.pools.get(at).ok_or_else(closed)?;
        let shared = Arc::clone(&self.shared);
        let (sender, receiver) = oneshot::channel();
        pool.spawn(move || {
            // A panic here would end the process.
            let result = catch_unwind(AssertUnwindSafe(work));
            shared.give_back(at);
            drop(permit);
            // Nobody listens any more if the caller has gone away.
            let _ = sender.send(result);
        });
        match receiver.await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(_)) | Err(_) => {
                Err(EmbedError::Unusable("its computation broke off".to_owned()))
            }
        }
    }
}

impl Shared {
    fn take(&self) -> Option<usize> {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
    }

    fn give_back(&self, at: usize) {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(at);
    }
}

fn closed() -> EmbedError {
    EmbedError::unavailable("it is being shut down")
}
