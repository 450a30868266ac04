//! The output of a process, kept line by line as it comes: a test can search it, and wait for a line.

use std::{
    io::{BufRead, BufReader, Read},
    sync::{Arc, Condvar, Mutex},
    thread,
    time::Duration,
};

use tokio::time::Instant;

/// The lines of one stream.
#[derive(Default)]
pub struct Output {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    lines: Vec<String>,
    ended: bool,
}

impl Output {
    /// Reads the stream to its end in a thread of its own, so that the writer never waits for a reader.
    pub fn follow(stream: impl Read + Send + 'static) -> Arc<Self> {
        let lines = Arc::new(Self::default());
        let kept = Arc::clone(&lines);
        thread::spawn(move || {
            for line in BufReader::new(stream).split(b'\n') {
                let Ok(line) = line else { break };
                let line = String::from_utf8_lossy(&line).into_owned();
                kept.state.lock().unwrap().lines.push(line);
                kept.changed.notify_all();
            }
            kept.state.lock().unwrap().ended = true;
            kept.changed.notify_all();
        });
        lines
    }

    /// All lines so far.
    pub fn all(&self) -> Vec<String> {
        self.state.lock().unwrap().lines.clone()
    }

    /// What `find` makes of the first line that it knows; `None` if the stream ends, or `bound` passes, without one.
    pub fn wait_for<T>(&self, bound: Duration, find: impl Fn(&str) -> Option<T>) -> Option<T> {
        let until = Instant::now() + bound;
        let mut state = self.state.lock().unwrap();
        let mut seen = 0;
        loop {
            if let Some(found) = state.lines[seen..].iter().find_map(|line| find(line)) {
                return Some(found);
            }
            seen = state.lines.len();
            let left = until.saturating_duration_since(Instant::now());
            if state.ended || left.is_zero() {
                return None;
            }
            state = self.changed.wait_timeout(state, left).unwrap().0;
        }
    }

    /// Waits for the end of the stream; false if `bound` passes first.
    pub fn wait_for_end(&self, bound: Duration) -> bool {
        self.wait_for(bound, |_| None::<()>);
        self.state.lock().unwrap().ended
    }
}
