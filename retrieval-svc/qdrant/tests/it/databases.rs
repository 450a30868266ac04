//! Databases to test against.

use std::{future::Future, time::Duration};

use qdrant_client::qdrant::{
    DeleteCollection, ListCollectionsRequest, collections_client::CollectionsClient,
};
use turnwise_kit::Kit;
use turnwise_retrieval_index::ModelId;
use turnwise_retrieval_qdrant::{Options, Qdrant};

use crate::fake::Fake;

/// The normaliser that tests name.
pub const NORMALISER: &str = "test";

/// A database with a prefix that nobody else uses.
#[derive(Debug, Clone)]
pub struct Place {
    pub url: String,
    prefix: String,
}

impl Place {
    pub fn new(url: String) -> Self {
        let prefix = format!("turnwise-test-{}", uuid::Uuid::new_v4().simple());
        Self { url, prefix }
    }

    pub fn options(&self, part: &str, model: Option<ModelId>) -> Options {
        Options {
            prefix: format!("{}-{part}", self.prefix),
            model,
            read_timeout: Duration::from_secs(10),
            ..Options::new(&*self.url, NORMALISER)
        }
    }

    /// An engine of one part of this place; engines of one part see the same.
    pub fn engine(&self, part: &str, model: Option<ModelId>) -> Qdrant {
        Qdrant::new(&self.options(part, model), &Kit::for_tests()).unwrap()
    }

    async fn clear(&self) {
        let mut client = CollectionsClient::connect(self.url.clone()).await.unwrap();
        let all = client.list(ListCollectionsRequest {}).await.unwrap();
        for collection in all.into_inner().collections {
            if collection.name.starts_with(&self.prefix) {
                let request = DeleteCollection {
                    collection_name: collection.name,
                    timeout: None,
                };
                client.delete(request).await.unwrap();
            }
        }
    }
}

/// Runs a test against the server in this process, and against a real database if there is one.
pub async fn everywhere<F>(test: impl Fn(Place) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let fake = Fake::start().await;
    test(Place::new(fake.url())).await;
    match std::env::var("QDRANT_URL") {
        Ok(url) => {
            let place = Place::new(url);
            // In a task, so that what it leaves is cleared even if it fails.
            let outcome = tokio::spawn(test(place.clone())).await;
            place.clear().await;
            outcome.unwrap();
        }
        Err(_) => eprintln!("QDRANT_URL is not set: not tried against a real database"),
    }
}
