//! The suites that every engine and every store of sources has to pass.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use turnwise_retrieval_index::{Engine, Sources, conformance};

use crate::databases::everywhere;

#[tokio::test]
async fn an_engine_like_any_other() {
    everywhere(|place| async move {
        let made = AtomicU32::new(0);
        let outcome = conformance::engine(|model| {
            let part = made.fetch_add(1, Ordering::Relaxed).to_string();
            let engine: Arc<dyn Engine> = Arc::new(place.engine(&part, model));
            async { Ok(engine) }
        });
        if let Err(failed) = outcome.await {
            panic!("{failed}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_store_of_sources_like_any_other() {
    everywhere(|place| async move {
        let made = AtomicU32::new(0);
        let outcome = conformance::sources(|| {
            let part = made.fetch_add(1, Ordering::Relaxed).to_string();
            let store: Arc<dyn Sources> = Arc::new(place.engine(&part, None));
            async { Ok(store) }
        });
        if let Err(failed) = outcome.await {
            panic!("{failed}");
        }
    })
    .await;
}
