//! What is typed, line by line. A thread of its own waits for it: one that waits at a terminal cannot be called off, and it
//! must not hold up the end of the program.

use std::io::{BufRead, IsTerminal, stdin};

use tokio::sync::mpsc;

/// Lines that may wait until they are read.
const AHEAD: usize = 16;
/// The longest line that is read, in bytes; what is longer is cut, and the suite refuses it as too long.
const MOST: usize = 1 << 20;

/// The lines of the standard input.
pub struct Lines {
    lines: mpsc::Receiver<String>,
    echo: bool,
}

impl Lines {
    /// Begins to read.
    pub fn of_stdin() -> Self {
        let (sender, lines) = mpsc::channel(AHEAD);
        std::thread::spawn(move || {
            let mut input = stdin().lock();
            while let Some(line) = read_line(&mut input) {
                if sender.blocking_send(line).is_err() {
                    break;
                }
            }
        });
        Self {
            lines,
            echo: !stdin().is_terminal(),
        }
    }

    /// The next line, without its end; `None` after the last.
    pub async fn next(&mut self) -> Option<String> {
        self.lines.recv().await
    }

    /// Whether what is read stands nowhere on the screen yet.
    pub fn echo(&self) -> bool {
        self.echo
    }
}

/// One line; `None` at the end, and where the input cannot be read any more. Bytes that are no UTF-8 become the sign for
/// that.
pub fn read_line(input: &mut dyn BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    let mut any = false;
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
        if chunk.is_empty() {
            break;
        }
        any = true;
        let end = chunk.iter().position(|b| *b == b'\n');
        let taken = end.unwrap_or(chunk.len());
        let room = MOST.saturating_sub(bytes.len()).min(taken);
        bytes.extend_from_slice(&chunk[..room]);
        let used = end.map_or(chunk.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    any.then(|| {
        String::from_utf8_lossy(&bytes)
            .trim_end_matches('\r')
            .to_owned()
    })
}
