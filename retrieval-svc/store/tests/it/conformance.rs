//! What every store of sources has to keep.

use std::sync::Arc;

use turnwise_retrieval_index::{Sources, conformance};
use turnwise_retrieval_store::Store;

use crate::bench::open;

#[tokio::test]
async fn the_store_in_memory_keeps_what_every_store_has_to() {
    let make = || async { Ok(Arc::new(Store::in_memory()?) as Arc<dyn Sources>) };
    conformance::sources(make).await.unwrap();
}

#[tokio::test]
async fn the_store_on_disk_keeps_what_every_store_has_to() {
    let folder = tempfile::tempdir().unwrap();
    let make = || async {
        let own = tempfile::tempdir_in(folder.path())?.keep();
        Ok(Arc::new(open(&own)) as Arc<dyn Sources>)
    };
    conformance::sources(make).await.unwrap();
}
