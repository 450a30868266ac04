//! A platform's exam system as a process of its own: it keeps its records over its own death, answers the same key with
//! the same answer, and behaves as a file beside it says.
//!
//! | module | is about |
//! | --- | --- |
//! | `records` | what it knows of students and keys |
//! | `serve` | its calls, good and bad |

mod records;
mod serve;

use std::{collections::BTreeMap, fs, net::SocketAddr, path::Path};

use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use turnwise_testing::ReservedPort;

use crate::process::{Process, Program};

pub use serve::serve_for_ever;

/// How it behaves, in its working directory.
const BEHAVIOUR: &str = "behaviour.json";
/// How it words a question, before the question's id.
pub const WORDS: &str = "In the platform's own words, say what this question is about:";
/// What every question of its own wording asks, which no course has.
pub const EXERCISE: &str = "3x + 41 = 56";
/// Where it keeps its records, in its working directory.
const RECORDS: &str = "records.json";

/// How an exam system behaves.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Behaviour {
    /// In which way it answers.
    pub manner: Manner,
    /// The right answers, by question.
    pub right: BTreeMap<String, String>,
    /// The tokens of which every call shows one; none: it needs no token.
    pub tokens: Vec<String>,
}

/// A way to answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Manner {
    /// As the port says.
    #[default]
    Well,
    /// As the port says, and so many milliseconds after all is recorded.
    Slow(u64),
    /// UNAVAILABLE, with nothing recorded.
    Unavailable,
    /// Statuses in another order than asked for; on a change, the status of another question.
    WrongOrder,
    /// No status at all.
    Missing,
    /// A state that no version of the port has.
    UnknownState,
    /// Everything locked, and no time at which that ends.
    LockWithoutTime,
    /// An answer of many megabytes.
    Oversized,
    /// Only other questions than asked for, all of them available; on a change as [`Self::WrongOrder`].
    Strangers,
}

/// The running process. It ends with the value.
pub struct ExamSystem {
    program: Program,
    process: Process,
    address: SocketAddr,
    behaviour: Behaviour,
    home: TempDir,
    /// Nobody else takes it while the process is down.
    _port: ReservedPort,
}

impl ExamSystem {
    /// Starts one which behaves well and knows these right answers.
    pub fn start(right: BTreeMap<String, String>) -> Self {
        let home = tempfile::tempdir().unwrap();
        let behaviour = Behaviour {
            right,
            ..Behaviour::default()
        };
        write_behaviour(home.path(), &behaviour);
        let port = ReservedPort::new().unwrap();
        let program = Program {
            name: "exam-system",
            folder: None,
            args: vec![format!("127.0.0.1:{}", port.number()).into()],
            env: Vec::new(),
            home: home.path().to_owned(),
        };
        let process = Process::spawn(&program);
        let address = process.listening().address;
        Self {
            program,
            process,
            address,
            behaviour,
            home,
            _port: port,
        }
    }

    /// Where it takes calls, as `EXAM_ENDPOINT` names it.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Behaves so from the next call on.
    pub fn behave(&self, manner: Manner) {
        let behaviour = Behaviour {
            manner,
            ..self.behaviour.clone()
        };
        write_behaviour(self.home.path(), &behaviour);
    }

    /// Takes from now on calls with these tokens alone.
    pub fn accept(&mut self, tokens: &[&str]) {
        self.behaviour.tokens = tokens.iter().map(|token| (*token).to_owned()).collect();
        write_behaviour(self.home.path(), &self.behaviour);
    }

    /// The process.
    pub fn process(&mut self) -> &mut Process {
        &mut self.process
    }

    /// Starts it again at the same address, with the records that it had.
    pub fn start_again(&mut self) {
        self.process.kill();
        self.process = Process::spawn(&self.program);
        self.process.listening();
    }

    /// How often it recorded a change of this student's question.
    pub fn recorded(&self, student_id: &str, question_id: &str) -> usize {
        records::Records::read(&self.home.path().join(RECORDS)).changes(student_id, question_id)
    }

    /// How often this life of it was called.
    pub fn calls(&self, method: &str) -> usize {
        let lines = self.process.stdout().all();
        let call = format!("call {method}");
        lines.iter().filter(|line| **line == call).count()
    }
}

/// Writes how it behaves, in one step.
fn write_behaviour(home: &Path, behaviour: &Behaviour) {
    let written = home.join("behaviour.new");
    fs::write(&written, serde_json::to_vec(behaviour).unwrap()).unwrap();
    fs::rename(written, home.join(BEHAVIOUR)).unwrap();
}
