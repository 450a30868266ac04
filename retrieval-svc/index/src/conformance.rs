//! What every engine and every store of sources has to keep, as suites of named cases.
//!
//! A suite makes a fresh engine (or store) for each case and reports every case that fails, by name. Values that a database
//! may keep as `f32` are compared with a tolerance; fixtures have no near-ties except exact ones.

use std::{fmt, sync::Arc};

use crate::{
    engine::{BoxFuture, Engine, ModelId},
    sources::Sources,
};

mod corpus;
mod engine_cases;
mod isolation_cases;
mod lifecycle_cases;
mod ranking_cases;
mod source_cases;
mod upload_cases;

/// Why a case failed.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// One case: its name and what it does with a fresh subject.
pub struct Case<T: ?Sized> {
    /// Its name.
    pub name: &'static str,
    /// What is tried.
    pub run: for<'a> fn(&'a T) -> BoxFuture<'a, Result<(), Failure>>,
}

/// The cases that failed, with the reason of each.
#[derive(Debug)]
pub struct Failed(pub Vec<(&'static str, String)>);

impl fmt::Display for Failed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, why) in &self.0 {
            writeln!(out, "{name}: {why}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Failed {}

/// The model of the engines that the suite asks for.
pub fn model() -> ModelId {
    ModelId {
        name: "conformance".into(),
        digest: "0123456789abcdef".into(),
        dimension: corpus::DIMENSION,
    }
}

/// Runs all cases for engines. `make` makes an engine without any part, for vectors of a model or for none.
///
/// # Errors
/// The cases that failed.
pub async fn engine<F>(make: impl Fn(Option<ModelId>) -> F) -> Result<(), Failed>
where
    F: Future<Output = Result<Arc<dyn Engine>, Failure>>,
{
    let mut failed = Vec::new();
    for (cases, model) in [
        (engine_cases(), Some(model())),
        (engine_cases_without_model(), None),
    ] {
        for case in cases {
            let outcome = match make(model.clone()).await {
                Ok(engine) => (case.run)(&*engine).await,
                Err(failure) => Err(failure),
            };
            failed.extend(outcome.err().map(|why| (case.name, why.to_string())));
        }
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Failed(failed))
    }
}

/// The cases for engines with [`model`].
pub fn engine_cases() -> Vec<Case<dyn Engine>> {
    let mut cases = engine_cases::all();
    cases.extend(ranking_cases::all());
    cases.extend(isolation_cases::all());
    cases.extend(lifecycle_cases::all());
    cases
}

/// The cases for engines without a model.
pub fn engine_cases_without_model() -> Vec<Case<dyn Engine>> {
    ranking_cases::without_model()
}

/// Runs all cases for stores of sources. `make` makes an empty store.
///
/// # Errors
/// The cases that failed.
pub async fn sources<F>(make: impl Fn() -> F) -> Result<(), Failed>
where
    F: Future<Output = Result<Arc<dyn Sources>, Failure>>,
{
    let mut failed = Vec::new();
    for case in source_cases() {
        let outcome = match make().await {
            Ok(store) => (case.run)(&*store).await,
            Err(failure) => Err(failure),
        };
        failed.extend(outcome.err().map(|why| (case.name, why.to_string())));
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Failed(failed))
    }
}

/// The cases for stores of sources.
pub fn source_cases() -> Vec<Case<dyn Sources>> {
    let mut cases = upload_cases::all();
    cases.extend(source_cases::all());
    cases
}

/// Lists functions as cases under their own names.
macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        vec![$(Case {
            name: stringify!($name),
            run: |subject| Box::pin($name(subject)),
        }),*]
    };
}
use cases;

/// Fails unless both are equal.
fn same<T: PartialEq + fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), Failure> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}: found {found:?}, expected {expected:?}").into())
}

/// Fails unless this is so.
fn ensure(what: &str, so: bool) -> Result<(), Failure> {
    if so { Ok(()) } else { Err(what.into()) }
}
