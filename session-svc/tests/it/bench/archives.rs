//! What lies in the archives of a bench.

use std::fs;

use serde_json::Value;
use turnwise_session_archive::verify_dir;

use super::Bench;

impl Bench {
    /// The bodies of all records of all archives, in their order; null where one was erased. All archives must be what
    /// was written.
    pub fn archived(&self) -> Vec<Value> {
        let root = self.archives().root().to_owned();
        let report = verify_dir(&root).unwrap();
        assert_eq!((report.unfinished, report.others), (vec![], vec![]));
        let mut bodies = Vec::new();
        for (name, verified) in report.archives {
            let verified = verified.unwrap();
            assert!(verified.is_intact(), "{name}: {verified:?}");
            let text = fs::read_to_string(root.join(&name)).unwrap();
            let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
            bodies.extend(lines.filter_map(|line: Value| line.get("body").cloned()));
        }
        bodies
    }

    /// The texts of all messages in the archives.
    pub fn archived_texts(&self) -> Vec<String> {
        let bodies = self.archived();
        let messages = bodies
            .iter()
            .filter_map(|body| body.get("messages")?.as_array());
        let texts = messages
            .flatten()
            .filter_map(|message| message["text"].as_str());
        texts.map(str::to_owned).collect()
    }
}
