//! How long a model works on a call.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::choices::Choices;

/// How long a model works on a call, from the last byte of the request to the last byte of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServiceTime {
    /// Always as long.
    Constant {
        /// Milliseconds.
        ms: f64,
    },
    /// Any time between two with the same probability.
    Uniform {
        /// Milliseconds.
        from_ms: f64,
        /// Milliseconds.
        to_ms: f64,
    },
    /// Exponentially distributed.
    Exponential {
        /// Milliseconds.
        mean_ms: f64,
    },
}

impl ServiceTime {
    /// No time at all.
    pub const NONE: Self = Self::Constant { ms: 0.0 };

    /// Always as long.
    pub fn constant(time: Duration) -> Self {
        Self::Constant {
            ms: time.as_secs_f64() * 1000.0,
        }
    }

    /// One service time. What is no time at all, such as a negative one, is zero.
    pub fn draw(self, choices: &mut Choices) -> Duration {
        let ms = match self {
            Self::Constant { ms } => ms,
            Self::Uniform { from_ms, to_ms } => from_ms + (to_ms - from_ms) * choices.share(),
            // The inverse of the distribution function; the share is never 1.
            Self::Exponential { mean_ms } => -mean_ms * (1.0 - choices.share()).ln(),
        };
        Duration::try_from_secs_f64(ms / 1000.0).unwrap_or_default()
    }
}
