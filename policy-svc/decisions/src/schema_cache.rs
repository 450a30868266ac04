//! The schema cache: schemas, compiled and as text. To make one costs more than all other work on a reply, and the same
//! few come again and again, as students of a course move through the same units. An entry depends on its key alone, so
//! the cache changes no answer.

use std::{
    collections::HashMap,
    fmt::Write as _,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use jsonschema::{Draft, ValidationError, Validator};
use sha2::{Digest, Sha256};

use crate::{
    course::Course,
    policy::Policy,
    schema::{SchemaText, accepted_schema, reply_schema},
    words::Action,
};

/// The most entries of each kind; then all are forgotten, so that memory stays bounded.
const MOST: usize = 512;

/// Values by key.
struct Cache<T>(Mutex<HashMap<String, T>>);

impl<T: Clone> Cache<T> {
    const fn new(map: HashMap<String, T>) -> Self {
        Self(Mutex::new(map))
    }

    /// The value of a key, made by `make` if it is not there yet. The lock is not held meanwhile.
    fn get<E>(&self, key: String, make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = known().get(&key) {
            return Ok(value.clone());
        }
        let value = make()?;
        let mut known = known();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(key, value.clone());
        Ok(value)
    }
}

static VALIDATORS: LazyLock<Cache<Arc<Validator>>> = LazyLock::new(|| Cache::new(HashMap::new()));
static TEXTS: LazyLock<Cache<SchemaText>> = LazyLock::new(|| Cache::new(HashMap::new()));

/// The validator of the replies with one action.
pub(crate) fn validator(
    course: &Course,
    policy: &Policy,
    action: Action,
) -> Result<Arc<Validator>, ValidationError<'static>> {
    VALIDATORS.get(key(course, policy, &[action]), || {
        jsonschema::options()
            .with_draft(Draft::Draft202012)
            .build(&accepted_schema(course, policy, action))
            .map(Arc::new)
    })
}

/// The schema of the replies that a policy allows, as text.
pub(crate) fn schema_text(course: &Course, policy: &Policy) -> SchemaText {
    let key = key(course, policy, &policy.allowed_actions);
    let made = TEXTS.get(key, || {
        let text = reply_schema(course, policy).to_string();
        Ok::<_, std::convert::Infallible>(SchemaText {
            name: format!("sha256:{}", hex::encode(Sha256::digest(&text))).into(),
            text: text.into(),
        })
    });
    match made {
        Ok(text) => text,
    }
}

/// Everything that the schema of these actions depends on, each part with its length before it, so that two policies
/// never share a key by chance.
fn key(course: &Course, policy: &Policy, actions: &[Action]) -> String {
    let mut key = String::with_capacity(256);
    let mut part = |text: &str| part(&mut key, text);
    for &action in actions {
        part(action.as_str());
        part(&policy.targets(course, action).count().to_string());
        policy.targets(course, action).for_each(&mut part);
        if let Some(card) = action.facts().card {
            let parts = (card.depends_on)(course, policy);
            parts.iter().for_each(|text| part(text));
        }
    }
    key
}

fn part(key: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = write!(key, "{}:{text}", text.len());
}
