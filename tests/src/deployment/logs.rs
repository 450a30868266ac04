//! What the processes of a deployment log.

use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::{Deployment, LOG_BOUND};
use crate::{answer::Decision, options::Service};

/// How long one of two logs is watched at a time.
const LOG_PERIOD: Duration = Duration::from_millis(20);

impl Deployment {
    /// The decision of a turn, as the gateway logs it.
    pub fn decision(&self, turn_id: &str) -> Decision {
        let running = &self.processes[&self.public_service()];
        let of_turn = |line: &str| Decision::read(line).filter(|d| d.turn_id == turn_id);
        running
            .earlier_logs
            .iter()
            .find_map(|line| of_turn(line))
            .or_else(|| running.process.log().wait_for(LOG_BOUND, of_turn))
            .unwrap_or_else(|| panic!("the turn {turn_id} is not in the log"))
    }

    /// How long a call was under way in the gateway until its answer left, as the gateway logs it; every call is logged
    /// where LOG_FILTER has `turnwise_kit=debug`.
    pub fn answered_after(&self, request_id: &str) -> Duration {
        let answered = |line: &str| {
            let line: Value = serde_json::from_str(line).ok()?;
            let of_this = line["span"]["request_id"] == request_id;
            let ms = line["ms"].as_f64().filter(|_| of_this)?;
            Some(Duration::from_secs_f64(ms / 1000.0))
        };
        // Either gateway may have taken it, and a log line takes its time.
        let gateways = [
            self.processes.get(&self.public_service()),
            self.seconds.get(&Service::Gateway),
        ];
        let until = Instant::now() + LOG_BOUND;
        std::iter::from_fn(|| (Instant::now() < until).then_some(()))
            .flat_map(|()| gateways.iter().flatten())
            .find_map(|running| running.process.log().wait_for(LOG_PERIOD, answered))
            .unwrap_or_else(|| panic!("the call {request_id} is not in the log"))
    }

    /// Everything that any process has logged so far, each line after its process's name.
    pub fn logs(&self) -> Vec<String> {
        self.processes
            .values()
            .chain(self.seconds.values())
            .flat_map(|running| {
                running
                    .earlier_logs
                    .iter()
                    .cloned()
                    .chain(running.process.log().all())
                    .map(|line| format!("{}: {line}", running.program.name))
            })
            .collect()
    }

    /// Insists that no process has panicked.
    pub fn nothing_panicked(&self) {
        let panics: Vec<_> = self
            .logs()
            .into_iter()
            .filter(|line| line.contains("panicked"))
            .collect();
        assert!(panics.is_empty(), "{}", panics.join("\n"));
    }
}
