//! An answer that is read piece by piece.

use std::collections::VecDeque;

use futures_util::{StreamExt, stream};
use tokio::time::Instant;

use super::{Answer, COMPLETION_MAX_BYTES, Request, Server, TEXT_MAX_BYTES};
use crate::{backend::Pieces, completion::Piece, failure::Problem};

/// The longest line of an answer. A line holds one delta, or a few words about the whole.
const LINE_MAX_BYTES: usize = 256 * 1024;

/// How one wire format is read, line by line.
pub(crate) trait Wire: Send + 'static {
    /// The longest line, in bytes.
    const LINE_MAX_BYTES: usize = LINE_MAX_BYTES;

    /// Reads a line without its end, and appends the pieces in it. Nothing is read after an end.
    fn line(&mut self, line: &[u8], pieces: &mut VecDeque<Piece>) -> Result<(), Problem>;

    /// Reads what is left when the answer has ended although no line has said so, and appends the end if it may end here.
    fn close(&mut self, pieces: &mut VecDeque<Piece>) -> Result<(), Problem>;
}

/// Sends `request` and reads the answer as it comes. One attempt.
pub(crate) fn pieces(server: Server, request: Request, model: String, wire: impl Wire) -> Pieces {
    enum State<W> {
        Before(Box<(Server, Request, String, W)>),
        Reading(Box<Reading<W>>),
        After,
    }
    stream::unfold(
        State::Before(Box::new((server, request, model, wire))),
        |state| async move {
            let mut reading = match state {
                State::Before(before) => {
                    let (server, request, model, wire) = *before;
                    match server.send(request, &model, COMPLETION_MAX_BYTES).await {
                        Ok(answer) => Box::new(Reading::new(answer, wire)),
                        Err(failure) => return Some((Err(failure), State::After)),
                    }
                }
                State::Reading(reading) => reading,
                State::After => return None,
            };
            match reading.next().await {
                Ok(piece @ Piece::Delta(_)) => Some((Ok(piece), State::Reading(reading))),
                Ok(end) => {
                    reading.answer.close().await;
                    Some((Ok(end), State::After))
                }
                Err(problem) => {
                    let failure = reading.answer.server.broken(problem);
                    Some((Err(failure), State::After))
                }
            }
        },
    )
    .boxed()
}

/// An answer that is being read.
struct Reading<W> {
    answer: Answer,
    lines: Lines,
    wire: W,
    pieces: VecDeque<Piece>,
    text: usize,
}

impl<W: Wire> Reading<W> {
    fn new(answer: Answer, wire: W) -> Self {
        Self {
            answer,
            lines: Lines::new(W::LINE_MAX_BYTES),
            wire,
            pieces: VecDeque::new(),
            text: 0,
        }
    }

    async fn next(&mut self) -> Result<Piece, Problem> {
        // Only the time that somebody waits for a piece counts, and whatever comes that is no piece does not.
        let mut until = None;
        loop {
            match self.pieces.pop_front() {
                Some(Piece::Delta(text)) if text.is_empty() => continue,
                Some(Piece::Delta(text)) => {
                    self.text += text.len();
                    if self.text > TEXT_MAX_BYTES {
                        return Err(Problem::TooLong);
                    }
                    return Ok(Piece::Delta(text));
                }
                Some(end) => return Ok(end),
                None => {
                    let until = *until.get_or_insert_with(|| self.patience());
                    self.read_on(until).await?;
                }
            }
        }
    }

    /// When a server that goes on without a piece is given up.
    fn patience(&self) -> Instant {
        let timeouts = &self.answer.server.timeouts;
        Instant::now()
            + if self.text == 0 {
                timeouts.first_byte
            } else {
                timeouts.between_tokens
            }
    }

    /// Reads the lines that are here, or the next bytes where no line is whole.
    async fn read_on(&mut self, until: Instant) -> Result<(), Problem> {
        while let Some(line) = self.lines.next()? {
            self.wire.line(line, &mut self.pieces)?;
            if !self.pieces.is_empty() {
                return Ok(());
            }
        }
        if let Some(bytes) = self.answer.chunk(until).await? {
            self.lines.push(&bytes);
            return Ok(());
        }
        let rest = self.lines.rest();
        if !rest.is_empty() {
            self.wire.line(rest, &mut self.pieces)?;
            self.lines = Lines::new(W::LINE_MAX_BYTES);
        }
        if !matches!(self.pieces.back(), Some(Piece::End(_))) {
            self.wire.close(&mut self.pieces)?;
        }
        if self.pieces.is_empty() {
            return Err(Problem::BrokeOff);
        }
        Ok(())
    }
}

/// Cuts bytes into lines.
pub(crate) struct Lines {
    buffer: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// How far the next line has been searched for its end.
    searched: usize,
    most: usize,
}

impl Lines {
    /// Lines of at most `most` bytes.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            most,
        }
    }

    /// Appends bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole line, without its end.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, Problem> {
        let found = memchr::memchr(b'\n', &self.buffer[self.searched..]);
        let end = found.map_or(self.buffer.len(), |at| self.searched + at);
        if end - self.start > self.most {
            return Err(Problem::TooLong);
        }
        if found.is_none() {
            self.searched = end;
            return Ok(None);
        }
        let line = &self.buffer[self.start..end];
        (self.start, self.searched) = (end + 1, end + 1);
        Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
    }

    /// What is left after the last line's end.
    pub(crate) fn rest(&self) -> &[u8] {
        let rest = &self.buffer[self.start..];
        rest.strip_suffix(b"\r").unwrap_or(rest)
    }
}
