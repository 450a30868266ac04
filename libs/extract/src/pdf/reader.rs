//! The parent: starts the child, feeds it, bounds it, and makes sense of how it ends.

use std::{
    io,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::{Child, Command},
};

use super::{
    MAX_PAGES, SUBCOMMAND,
    protocol::{Failure, Message, Page},
    sections,
};
use crate::{
    ExtractError, MAX_INPUT, Reason, Section,
    plain::{check_size, too_much_text},
};

/// How long the child may take, whatever it does.
const MAX_TIME: Duration = Duration::from_secs(30);
/// The most bytes of the child's messages: [`crate::MAX_TEXT`] and what JSON adds.
const MAX_OUTPUT: u64 = 40_000_000;
/// So much of what the child says of its death is kept.
const MAX_STDERR: usize = 8_192;
/// The allocator of our programs reserves a gigabyte of address space at once unless it is told not to.
const NO_RESERVE: (&str, &str) = ("MIMALLOC_ARENA_RESERVE", "0");
/// The signal of the limit on processor time.
const SIGXCPU: i32 = rustix::process::Signal::XCPU.as_raw();

/// Reads PDFs with a child process.
#[derive(Debug, Clone)]
pub struct Reader {
    program: PathBuf,
    max_time: Duration,
}

impl Reader {
    /// A reader whose child is this program, which must know [`SUBCOMMAND`]. A child is waited for 30 s.
    #[must_use]
    pub fn new(program: &Path) -> Self {
        Self {
            program: program.to_owned(),
            max_time: MAX_TIME,
        }
    }

    /// The same reader with less time.
    #[must_use]
    pub fn within(self, max_time: Duration) -> Self {
        Self { max_time, ..self }
    }

    /// A reader whose child is the running program.
    ///
    /// # Errors
    /// The system does not tell where the program is.
    pub fn this_program() -> io::Result<Self> {
        Ok(Self::new(&std::env::current_exe()?))
    }

    /// Reads a PDF to sections, and tells which pages could not be read.
    ///
    /// # Errors
    /// `NOT_A_PDF`, `ENCRYPTED`, `TOO_LARGE`, `TIMEOUT` or `CRASHED`, each with what to do. The child is gone by then.
    /// `NOT_BUILT` from a program without the feature `pdf`.
    pub async fn read(
        &self,
        name: &str,
        bytes: Vec<u8>,
    ) -> Result<(Vec<Section>, Vec<u32>), ExtractError> {
        if cfg!(not(feature = "pdf")) {
            return Err(ExtractError::new(
                name,
                Reason::NotBuilt,
                "this program was built without reading PDFs",
                "use one of a release or an image, or build it with `cargo build --release -p turnwise`",
            ));
        }
        check_size(name, bytes.len())?;
        let ended = match self.run(bytes).await {
            Ok(Some(ended)) => ended,
            Ok(None) => return Err(too_slow(name)),
            Err(error) => return Err(crashed(name, &error.to_string())),
        };
        let (pages, unreadable) = ended.understand(name)?;
        Ok((sections::sections(&pages), unreadable))
    }

    /// Runs the child to its end; `None` if it had to be killed for taking too long.
    async fn run(&self, bytes: Vec<u8>) -> io::Result<Option<Ended>> {
        let mut child = Command::new(&self.program)
            .arg(SUBCOMMAND)
            // Nothing that we know is of use to a file that takes the child over.
            .env_clear()
            .env(NO_RESERVE.0, NO_RESERVE.1)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let talk = tokio::time::timeout(self.max_time, talk(&mut child, &bytes)).await;
        let Ok(ended) = talk else {
            child.kill().await?;
            return Ok(None);
        };
        ended.map(Some)
    }
}

/// Feeds the child, hears it out and sees it end.
async fn talk(child: &mut Child, bytes: &[u8]) -> io::Result<Ended> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let feed = async move {
        if let Some(mut stdin) = stdin {
            // A child that does not want the rest says why on its standard output.
            let _ = stdin.write_all(bytes).await;
        }
    };
    let listen = async move {
        let mut output = Vec::new();
        if let Some(stdout) = stdout {
            stdout.take(MAX_OUTPUT + 1).read_to_end(&mut output).await?;
        }
        Ok::<_, io::Error>(output)
    };
    // Both pipes at once, so that a full one never stops the child. One that talks on finds its pipe closed.
    let (output, (), complaint) = tokio::join!(listen, feed, beginning(stderr));
    Ok(Ended {
        output: output?,
        complaint: complaint?,
        status: child.wait().await?,
    })
}

/// Reads to the end and keeps the beginning.
async fn beginning(source: Option<impl AsyncRead + Unpin>) -> io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    let Some(mut source) = source else {
        return Ok(kept);
    };
    let mut buffer = [0; 1024];
    loop {
        let read = source.read(&mut buffer).await?;
        if read == 0 {
            return Ok(kept);
        }
        let room = MAX_STDERR.saturating_sub(kept.len());
        kept.extend_from_slice(buffer.get(..read.min(room)).unwrap_or_default());
    }
}

/// How the child ended.
struct Ended {
    status: ExitStatus,
    output: Vec<u8>,
    complaint: Vec<u8>,
}

impl Ended {
    fn understand(&self, name: &str) -> Result<(Vec<Page>, Vec<u32>), ExtractError> {
        if self.output.len() as u64 > MAX_OUTPUT {
            return Err(too_much_text(name));
        }
        let (mut pages, mut unreadable, mut done) = (Vec::new(), Vec::new(), false);
        for line in self.output.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(Message::Page(page)) => pages.push(page),
                Ok(Message::Unreadable(page)) => unreadable.push(page),
                Ok(Message::Failed(failure)) => return Err(failed(name, failure)),
                Ok(Message::Done) => done = true,
                // The child died within a message.
                Err(_) => break,
            }
        }
        if !done || !self.status.success() {
            let reached = pages.len() + unreadable.len() + 1;
            let error = self.death(name);
            return Err(if reached > 1 {
                error.at(format!("page {reached}"))
            } else {
                error
            });
        }
        if pages.is_empty() {
            return Err(damaged(name, "none of its pages can be read"));
        }
        Ok((pages, unreadable))
    }

    /// The reason for a death, by the signal and by what the language's runtime prints.
    fn death(&self, name: &str) -> ExtractError {
        if self.status.signal() == Some(SIGXCPU) {
            return too_slow(name);
        }
        let complaint = String::from_utf8_lossy(&self.complaint);
        if complaint.contains("memory allocation of") {
            return ExtractError::new(
                name,
                Reason::TooLarge,
                "reading it takes more than 512 MB of memory",
                "print it to a new PDF without pictures, or split it",
            );
        }
        crashed(name, &self.status.to_string())
    }
}

fn failed(name: &str, failure: Failure) -> ExtractError {
    match failure {
        Failure::TooMuchText => too_much_text(name),
        Failure::TooManyBytes => ExtractError::new(
            name,
            failure.reason(),
            format!("it has more than {MAX_INPUT} bytes"),
            "split it, and add the parts as sources of their own",
        ),
        Failure::TooManyPages => ExtractError::new(
            name,
            failure.reason(),
            format!("it has more than {MAX_PAGES} pages"),
            "split it, and add the parts as sources of their own",
        ),
        Failure::NotAPdf => damaged(name, "this is no PDF, or a damaged one"),
        Failure::Encrypted => ExtractError::new(
            name,
            failure.reason(),
            "it needs a password",
            "save a copy without one, and add that",
        ),
        Failure::NoLimits => ExtractError::new(
            name,
            failure.reason(),
            "the process that reads PDFs could not limit its memory and time, so it read nothing",
            "run the command where setrlimit is allowed",
        ),
    }
}

fn damaged(name: &str, problem: &str) -> ExtractError {
    ExtractError::new(
        name,
        Reason::NotAPdf,
        problem,
        "open it in a viewer and print it to a new PDF, or name what it is with --kind",
    )
}

fn too_slow(name: &str) -> ExtractError {
    ExtractError::new(
        name,
        Reason::Timeout,
        "reading it takes too long",
        "print it to a new PDF, or split it",
    )
}

fn crashed(name: &str, how: &str) -> ExtractError {
    ExtractError::new(
        name,
        Reason::Crashed,
        format!("the process that read it died ({how})"),
        "print it to a new PDF, or save it as text and add that",
    )
}
