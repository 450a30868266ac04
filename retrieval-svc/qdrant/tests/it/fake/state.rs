//! What the fake holds, what it was asked, and how it is told to fail.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
};

use qdrant_client::qdrant::{GetResponse, QueryBatchResponse};
use tonic::{Code, Status, metadata::MetadataMap};

use super::store::Collection;

/// A way to fail.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// Answers so for the next few calls.
    Code(Code, u32),
    /// Never answers.
    Hang,
    /// Searches find points without a payload.
    NoPayload,
    /// Searches answer too few lists.
    NoLists,
    /// Scores are no numbers.
    NoNumbers,
    /// Rows are said to belong to another tenant's course.
    Elsewhere,
    /// Writes are acknowledged, but not applied.
    NotApplied,
    /// The next write is applied, but its answer is lost.
    AnswerLost,
}

#[derive(Default)]
pub struct State {
    data: Mutex<Data>,
    log: Mutex<Vec<String>>,
    fault: Mutex<Option<Fault>>,
    keys: Mutex<Vec<String>>,
    deletions_lost: AtomicBool,
}

#[derive(Default)]
pub struct Data {
    pub collections: BTreeMap<String, Collection>,
    pub aliases: BTreeMap<String, String>,
}

impl Data {
    /// A collection by its name or alias.
    pub fn collection(&mut self, name: &str) -> Result<&mut Collection, Status> {
        let name = self.aliases.get(name).map_or(name, String::as_str);
        let missing = || Status::not_found(format!("Collection `{name}` doesn't exist!"));
        self.collections.get_mut(name).ok_or_else(missing)
    }
}

impl State {
    pub fn data(&self) -> MutexGuard<'_, Data> {
        self.data.lock().unwrap()
    }

    pub fn fail(&self, fault: Option<Fault>) {
        *self.fault.lock().unwrap() = fault;
    }

    pub fn fault(&self) -> Option<Fault> {
        *self.fault.lock().unwrap()
    }

    /// From now on nothing is deleted, although it is said to be.
    pub fn lose_deletions(&self, lost: bool) {
        self.deletions_lost.store(lost, Ordering::Relaxed);
    }

    pub fn loses_deletions(&self) -> bool {
        self.deletions_lost.load(Ordering::Relaxed)
    }

    /// From now on every call has to show one of these keys.
    pub fn demand_keys(&self, keys: &[&str]) {
        *self.keys.lock().unwrap() = keys.iter().map(|key| (*key).to_owned()).collect();
    }

    pub fn check_key(&self, metadata: &MetadataMap) -> Result<(), Status> {
        let demanded = self.keys.lock().unwrap();
        let shown = metadata.get("api-key");
        let opens = |key: &String| shown.is_some_and(|shown| shown == key.as_str());
        match demanded.is_empty() || demanded.iter().any(opens) {
            true => Ok(()),
            false => Err(Status::unauthenticated("Must provide an API key")),
        }
    }

    /// The calls so far, by name and collection; forgets them.
    pub fn calls(&self) -> Vec<String> {
        std::mem::take(&mut *self.log.lock().unwrap())
    }

    /// Notes a call, and fails it if it is to fail.
    pub async fn note(&self, call: &str, collection: &str) -> Result<(), Status> {
        self.log
            .lock()
            .unwrap()
            .push(format!("{call} {collection}"));
        let fault = self.fault();
        match fault {
            Some(Fault::Hang) => std::future::pending().await,
            Some(Fault::Code(code, times)) => {
                let left = times.checked_sub(1).filter(|left| *left > 0);
                self.fail(left.map(|left| Fault::Code(code, left)));
                Err(Status::new(code, "the fake was told to fail"))
            }
            _ => Ok(()),
        }
    }

    pub fn spoil_search(&self, response: &mut QueryBatchResponse) {
        let fault = self.fault();
        if fault == Some(Fault::NoLists) {
            response.result.clear();
        }
        for point in response.result.iter_mut().flat_map(|list| &mut list.result) {
            match fault {
                Some(Fault::NoPayload) => point.payload.clear(),
                Some(Fault::NoNumbers) => point.score = f32::NAN,
                _ => {}
            }
        }
    }

    pub fn spoil_rows(&self, response: &mut GetResponse) {
        if self.fault() == Some(Fault::Elsewhere) {
            for point in &mut response.result {
                point
                    .payload
                    .insert("course".to_owned(), "another/course".into());
            }
        }
    }
}
