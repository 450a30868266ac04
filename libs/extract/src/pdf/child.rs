//! The child: limits itself, reads a PDF, tells its text.

use std::{
    fs::File,
    io::{self, BufWriter, Read, Write},
    os::fd::AsFd,
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
};

use pdf_extract::{Document, Error, output_doc_page};
use rustix::process::{Resource, Rlimit, setrlimit};

use super::{
    MAX_PAGES,
    lines::Lines,
    protocol::{Failure, Message, Page},
};
use crate::{MAX_INPUT, MAX_TEXT};

/// The most address space, in bytes.
const MAX_MEMORY: u64 = 512 * 1024 * 1024;
/// The most processor time, in seconds. One more, and the system kills the process unasked.
const MAX_CPU: u64 = 20;

/// Reads a PDF from standard input and tells its text on standard output. A program calls this before all else, for what
/// it has allocated counts.
///
/// It limits the whole process: 512 MB of address space, 20 s of processor time, no core file. It may be killed by these
/// limits, and it may die of the file: both are what it is for.
#[must_use]
pub fn child() -> ExitCode {
    let told = limit().and_then(|()| private_stdout()).map(|out| {
        let mut out = BufWriter::new(out);
        tell(&mut out).and_then(|()| out.flush())
    });
    match told {
        Ok(Ok(())) => ExitCode::SUCCESS,
        // The parent is gone, or has heard enough.
        Ok(Err(_)) => ExitCode::FAILURE,
        Err(_) => {
            let mut out = io::stdout();
            // A parent that cannot be told sees a child that failed.
            let _ = send(&mut out, &Message::Failed(Failure::NoLimits));
            ExitCode::FAILURE
        }
    }
}

fn limit() -> io::Result<()> {
    for (resource, soft, hard) in [
        (Resource::As, MAX_MEMORY, MAX_MEMORY),
        (Resource::Cpu, MAX_CPU, MAX_CPU + 1),
        (Resource::Core, 0, 0),
    ] {
        setrlimit(
            resource,
            Rlimit {
                current: Some(soft),
                maximum: Some(hard),
            },
        )?;
    }
    Ok(())
}

/// Standard output for our messages alone: whatever else the process prints there goes nowhere.
fn private_stdout() -> io::Result<File> {
    let out = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let nowhere = File::options().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(nowhere)?;
    Ok(out)
}

fn tell(out: &mut impl Write) -> io::Result<()> {
    let mut bytes = Vec::new();
    io::stdin()
        .take(MAX_INPUT as u64 + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() > MAX_INPUT {
        return send(out, &Message::Failed(Failure::TooManyBytes));
    }
    match pages(&bytes, out)? {
        None => send(out, &Message::Done),
        Some(failure) => send(out, &Message::Failed(failure)),
    }
}

fn send(out: &mut impl Write, message: &Message) -> io::Result<()> {
    serde_json::to_writer(&mut *out, message)?;
    out.write_all(b"\n")
}

/// The header may stand behind other bytes, as every reader of PDFs allows.
const HEADER_WITHIN: usize = 1024;

fn pages(bytes: &[u8], out: &mut impl Write) -> io::Result<Option<Failure>> {
    let head = bytes.get(..HEADER_WITHIN.min(bytes.len())).unwrap_or(bytes);
    if !head.windows(5).any(|window| window == b"%PDF-") {
        return Ok(Some(Failure::NotAPdf));
    }
    let document = match Document::load_mem(bytes) {
        Ok(document) => document,
        Err(error) => return Ok(Some(refusal(&error))),
    };
    if document.is_encrypted() {
        return Ok(Some(Failure::Encrypted));
    }
    let numbers: Vec<u32> = document
        .page_iter()
        .take(MAX_PAGES + 1)
        .zip(1..)
        .map(|(_, number)| number)
        .collect();
    if numbers.is_empty() {
        return Ok(Some(Failure::NotAPdf));
    }
    if numbers.len() > MAX_PAGES {
        return Ok(Some(Failure::TooManyPages));
    }
    let mut left = MAX_TEXT;
    for number in numbers {
        let mut lines = Lines::default();
        // The library panics on what it does not know; the page is lost, the others are not.
        let read = catch_unwind(AssertUnwindSafe(|| {
            output_doc_page(&document, &mut lines, number)
        }));
        if lines.bytes() > left {
            return Ok(Some(Failure::TooMuchText));
        }
        left -= lines.bytes();
        let message = match read {
            Ok(Ok(())) => Message::Page(Page {
                number,
                lines: lines.finish(),
            }),
            Ok(Err(_)) | Err(_) => Message::Unreadable(number),
        };
        send(out, &message)?;
    }
    Ok(None)
}

fn refusal(error: &Error) -> Failure {
    match error {
        Error::InvalidPassword | Error::Decryption(_) | Error::UnsupportedSecurityHandler(_) => {
            Failure::Encrypted
        }
        _ => Failure::NotAPdf,
    }
}
