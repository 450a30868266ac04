//! Watches the scripts that a server runs: which keys they declare, and which they touch.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    thread::{self, JoinHandle},
};

use super::{
    client::{Connection, Value},
    server::RedisServer,
};

/// What ends a watch.
const END: &str = "the watch ends here";

/// Hears every command of a server, those that scripts call too.
#[derive(Debug)]
pub struct ScriptWatch {
    port: u16,
    heard: JoinHandle<io::Result<Scripts>>,
}

/// What scripts did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Scripts {
    /// How often which script was called, by its hash and its first argument.
    pub calls: BTreeMap<(String, String), usize>,
    /// Commands on keys that the script that called them had not declared: the command's name and the key.
    pub undeclared: BTreeSet<(String, String)>,
}

impl ScriptWatch {
    /// Watches from now on a server that has no password.
    ///
    /// # Errors
    ///
    /// If the server does not answer.
    pub fn start(server: &RedisServer) -> io::Result<Self> {
        let port = server.port();
        let mut monitor = Connection::open(port)?;
        monitor.command(&["MONITOR"])?;
        let asked = Connection::open(port)?;
        let heard = thread::spawn(move || listen(&mut monitor, asked));
        Ok(Self { port, heard })
    }

    /// What the scripts did until now.
    ///
    /// # Errors
    ///
    /// If the server does not answer, or said something that no server says.
    pub fn finish(self) -> io::Result<Scripts> {
        Connection::open(self.port)?.command(&["ECHO", END])?;
        let heard = self.heard.join();
        heard.unwrap_or_else(|_| Err(io::Error::other("the watch has panicked")))
    }
}

fn listen(monitor: &mut Connection, mut asked: Connection) -> io::Result<Scripts> {
    let mut scripts = Scripts::default();
    let mut declared = BTreeSet::new();
    loop {
        let line = monitor.read()?.text();
        let unread = || io::Error::other(format!("no command: {line}"));
        let (from, command) = line.split_once("] ").ok_or_else(unread)?;
        let words = words(command).ok_or_else(unread)?;
        let name = words.first().ok_or_else(unread)?.to_ascii_uppercase();
        if name == "ECHO" && words.get(1).is_some_and(|word| word == END) {
            return Ok(scripts);
        }
        if name == "EVALSHA" || name == "EVAL" {
            let [_, script, count, rest @ ..] = words.as_slice() else {
                return Err(unread());
            };
            let count = count.parse().map_err(|_| unread())?;
            let (keys, arguments) = rest.split_at_checked(count).ok_or_else(unread)?;
            declared = keys.iter().cloned().collect();
            let first = arguments.first().cloned().unwrap_or_default();
            *scripts.calls.entry((script.clone(), first)).or_default() += 1;
        } else if from.ends_with(" lua") {
            for key in keys(&mut asked, &words)? {
                if !declared.contains(&key) {
                    scripts.undeclared.insert((name.clone(), key));
                }
            }
        }
    }
}

/// The keys of a command, as the server itself knows them.
fn keys(asked: &mut Connection, words: &[String]) -> io::Result<Vec<String>> {
    if words.len() == 1 {
        return Ok(Vec::new());
    }
    let mut question = vec!["COMMAND", "GETKEYS"];
    question.extend(words.iter().map(String::as_str));
    match asked.command(&question) {
        Ok(keys) => Ok(keys.items().iter().map(Value::text).collect()),
        Err(error) if error.to_string().contains("no key arguments") => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// The words of a command, each in quotes, with what is no plain text escaped. What is no UTF-8 is replaced, which no key is.
fn words(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut bytes = command.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'"' {
            continue;
        }
        let mut word = Vec::new();
        loop {
            match bytes.next()? {
                b'"' => break,
                b'\\' => word.push(match bytes.next()? {
                    b'x' => {
                        let digits = [bytes.next()?, bytes.next()?];
                        u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
                    }
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'a' => 0x07,
                    b'b' => 0x08,
                    other => other,
                }),
                other => word.push(other),
            }
        }
        words.push(String::from_utf8_lossy(&word).into_owned());
    }
    Some(words)
}
