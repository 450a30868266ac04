//! The engine in memory keeps what every engine has to keep.

use std::sync::Arc;

use turnwise_retrieval_index::{
    EmbeddedEngine, Engine, ModelId, Precision,
    conformance::{self, Failure},
};

async fn embedded(model: Option<ModelId>) -> Result<Arc<dyn Engine>, Failure> {
    Ok(Arc::new(EmbeddedEngine::new(model, Precision::F32)))
}

#[tokio::test]
async fn the_engine_in_memory_conforms() {
    if let Err(failed) = conformance::engine(embedded).await {
        panic!("{failed}");
    }
}
