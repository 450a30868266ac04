//! Archives for the tests.

use std::{fs, path::PathBuf};

use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;
use turnwise_session_archive::{
    About, ArchiveDir, ArchiveKind, ConversationKind, ConversationRecord, Sealed,
};

/// An archive directory that goes with the test.
pub struct Home {
    pub temp: TempDir,
    pub dir: ArchiveDir,
}

impl Home {
    pub fn new() -> Self {
        let temp = TempDir::new().unwrap();
        let dir = ArchiveDir::open(&temp.path().join("archives")).unwrap();
        Self { temp, dir }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.root().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Names of all files but the lock.
    pub fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.dir.root())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != ".lock")
            .collect();
        names.sort();
        names
    }

    pub fn write(&self, about: &About, records: &[ConversationRecord]) -> Sealed {
        let mut writer = self.dir.create(about, 120).unwrap();
        for record in records {
            writer.append(record.clone()).unwrap();
        }
        writer.finish().unwrap()
    }
}

pub fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub fn about(tenant: &str, class_id: &str) -> About {
    About {
        kind: ArchiveKind::ClassReset,
        tenant: tenant.into(),
        class_id: class_id.into(),
        create_time: time("2026-11-22T06:10:00Z"),
        actor_id: "teacher-1".into(),
    }
}

pub fn record(student_id: &str, thread_id: &str) -> ConversationRecord {
    ConversationRecord {
        student_id: student_id.into(),
        thread_id: thread_id.into(),
        kind: ConversationKind::Helper,
        course_id: "calculus".into(),
        title: "Homework".into(),
        memories: vec![json!({
            "summary": format!("Student: {student_id} asked about limits"),
            "turns": [{"text": format!("what of \"h → 0\"? ({student_id})")}],
        })],
        messages: vec![message(1, "what is a limit?\nreally")],
        ..ConversationRecord::default()
    }
}

pub fn message(id: i64, text: &str) -> Value {
    json!({"id": id, "text": text, "createTime": "2026-11-22T06:00:00.5Z"})
}

pub fn event(id: i64) -> Value {
    json!({"id": id, "kind": "turn", "facts": {"unit_id": "U-1"}})
}

/// Conversations of a few students.
pub fn any_records() -> impl Strategy<Value = Vec<ConversationRecord>> {
    let one = (0..4_u8, "\\PC{0,12}", any::<String>()).prop_map(|(student, thread, text)| {
        let mut record = record(&format!("s{student}"), &thread);
        record.messages.push(message(2, &text));
        record
    });
    prop::collection::vec(one, 0..6)
}
