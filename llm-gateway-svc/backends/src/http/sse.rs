//! Server-sent events, line by line.

use crate::failure::Problem;

/// Puts the data of events together.
#[derive(Default)]
pub(crate) struct Events {
    data: Vec<u8>,
    /// The data was handed out, and the next line begins another event.
    whole: bool,
}

impl Events {
    /// Reads a line without its end. With the line that ends an event it gives the event's data.
    pub(crate) fn line(&mut self, line: &[u8]) -> Result<Option<&[u8]>, Problem> {
        if self.whole {
            self.data.clear();
            self.whole = false;
        }
        if line.is_empty() {
            self.whole = !self.data.is_empty();
            return Ok(self.whole.then_some(&self.data));
        }
        if let Some(data) = line.strip_prefix(b"data:") {
            if !self.data.is_empty() {
                self.data.push(b'\n');
            }
            self.data
                .extend_from_slice(data.strip_prefix(b" ").unwrap_or(data));
            return Ok(None);
        }
        // Comments, and the fields of an event that say nothing here.
        if line.starts_with(b":")
            || [&b"event:"[..], b"id:", b"retry:"]
                .iter()
                .any(|field| line.starts_with(field))
        {
            return Ok(None);
        }
        Err(Problem::Unreadable)
    }

    /// The data of an event that no empty line ended, at the end of the answer.
    pub(crate) fn rest(&mut self) -> Option<&[u8]> {
        let rest = !self.whole && !self.data.is_empty();
        self.whole = true;
        rest.then_some(&self.data)
    }
}
