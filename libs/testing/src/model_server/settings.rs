//! How a model server answers.

use serde::{Deserialize, Serialize};

use super::{Fault, ServiceTime};

/// How a model server answers. As JSON, whatever is left out is as in the default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How long it works on a call, embeddings included.
    pub service_time: ServiceTime,
    /// What it says.
    pub text: String,
    /// In how many pieces a stream brings the text, evenly over the service time; at least 1.
    pub pieces: usize,
    /// How many values a vector has.
    pub dimensions: usize,
    /// The pause between the bytes of [`Fault::Trickle`], milliseconds.
    pub trickle_ms: u64,
    /// How the next calls fail, one after another. A call to a model `fault:…` takes none of it.
    pub script: Vec<Fault>,
    /// How calls fail once the script is over.
    pub mix: Option<Mix>,
    /// The keys that it takes from its callers; none: it asks for no key.
    pub keys: Vec<String>,
    /// Repeats the choices of service times and faults.
    pub seed: u64,
}

/// A share of calls that fail, each in a way that a seed chooses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mix {
    /// The share of calls that fail, from 0 to 1.
    pub share: f64,
    /// In one of these ways, all with the same probability; none: no call fails.
    pub faults: Vec<Fault>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            service_time: ServiceTime::NONE,
            text: "Take 7 from both sides of the equation: what is left of x + 7, and what of 12?"
                .to_owned(),
            pieces: 8,
            dimensions: 8,
            trickle_ms: 10,
            script: Vec::new(),
            mix: None,
            keys: Vec::new(),
            seed: 1,
        }
    }
}
