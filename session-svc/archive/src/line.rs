//! The lines of an archive: how they are written, read and chained. See the crate's first page for the form.

use std::io::{self, BufRead};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::{
    error::{ArchiveError, Fault},
    record::{About, Header},
};

/// The most bytes of one line. A conversation of 120 long messages is far below; a context request of 20 artifacts of
/// 256 KiB each, all of them characters that JSON writes in six bytes, just fits.
pub const MAX_LINE_BYTES: usize = 32 * 1024 * 1024;

/// The version that is written; this one is read.
const VERSION: u32 = 1;
const FORMAT: &str = "turnwise-archive";

/// A link of the chain.
pub(crate) type Hash = [u8; 32];

/// The header's line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeaderLine {
    header: Header,
    chain: String,
}

/// What any version of the header must say.
#[derive(Deserialize)]
struct AnyHeaderLine {
    header: AnyHeader,
}

#[derive(Deserialize)]
struct AnyHeader {
    format: String,
    version: u32,
}

/// The last line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FooterLine {
    records: u64,
    chain: String,
}

/// A record's line, as far as a reader needs it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordLine {
    seq: u64,
    salt: Option<String>,
    body_hash: String,
    chain: String,
    body: Option<Owner>,
}

#[derive(Deserialize)]
struct Owner {
    student_id: String,
}

/// Where a chain stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chain {
    records: u64,
    hash: Hash,
}

impl Chain {
    fn begin(header: &[u8]) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(FORMAT.as_bytes());
        hasher.update([0]);
        hasher.update(header);
        Self {
            records: 0,
            hash: hasher.finalize().into(),
        }
    }

    fn follow(&mut self, body_hash: &Hash) {
        self.records += 1;
        let mut hasher = Sha256::new();
        hasher.update(self.hash);
        hasher.update(self.records.to_be_bytes());
        hasher.update(body_hash);
        self.hash = hasher.finalize().into();
    }

    /// The last link, in hexadecimal.
    pub(crate) fn hash(&self) -> String {
        hex::encode(self.hash)
    }

    /// How many records there are.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }
}

/// Starts a chain: the header of a new archive and its line.
pub(crate) fn write_header(about: &About) -> Result<(Chain, Vec<u8>), ArchiveError> {
    let header = Header {
        format: FORMAT.to_owned(),
        version: VERSION,
        kind: about.kind,
        tenant: about.tenant.clone(),
        class_id: about.class_id.clone(),
        create_time: about.create_time,
        actor_id: about.actor_id.clone(),
    };
    let chain = Chain::begin(&json(&header)?);
    let line = json(&HeaderLine {
        header,
        chain: chain.hash(),
    })?;
    Ok((chain, line))
}

/// Reads the header's line and starts its chain.
pub(crate) fn read_header(line: &[u8]) -> Result<(Chain, Header), Fault> {
    let any: AnyHeaderLine = serde_json::from_slice(line).map_err(|_| Fault::NotAHeader)?;
    if any.header.format != FORMAT {
        return Err(Fault::NotAHeader);
    }
    if any.header.version > VERSION {
        return Err(Fault::VersionTooNew {
            version: any.header.version,
        });
    }
    let read: HeaderLine = serde_json::from_slice(line).map_err(|_| Fault::Malformed)?;
    if json(&read).ok().as_deref() != Some(line) {
        return Err(Fault::Malformed);
    }
    let chain = Chain::begin(&json(&read.header).map_err(|_| Fault::Malformed)?);
    if read.chain != chain.hash() {
        return Err(Fault::Chain);
    }
    Ok((chain, read.header))
}

/// The line of the next record.
pub(crate) fn write_record(
    chain: &mut Chain,
    record: &impl Serialize,
) -> Result<Vec<u8>, ArchiveError> {
    let body = json(record)?;
    let salt = Uuid::new_v4().simple().to_string();
    let body_hash = hash_body(&salt, &body);
    chain.follow(&body_hash);
    let mut line = before_body(
        chain.records,
        Some(&salt),
        &hex::encode(body_hash),
        &chain.hash(),
    )
    .into_bytes();
    line.extend_from_slice(&body);
    line.push(b'}');
    Ok(line)
}

/// What a line after the header is.
pub(crate) enum Next {
    /// A record; true where its body was erased.
    Record {
        /// Whether its body is gone.
        erased: bool,
    },
    /// The last line.
    Footer,
}

/// Reads the line after those that made `chain`, and checks it.
pub(crate) fn read_next(chain: &mut Chain, line: &[u8]) -> Result<Next, Fault> {
    if line.starts_with(br#"{"seq":"#) {
        read_record(chain, line)
    } else {
        read_footer(chain, line)
    }
}

fn read_record(chain: &mut Chain, line: &[u8]) -> Result<Next, Fault> {
    let read: RecordLine = serde_json::from_slice(line).map_err(|_| Fault::Malformed)?;
    let start = before_body(read.seq, read.salt.as_deref(), &read.body_hash, &read.chain);
    // The body is hashed as it stands, so that no reader has to write it the way that the writer did.
    let body = line
        .strip_prefix(start.as_bytes())
        .and_then(|rest| rest.strip_suffix(b"}"))
        .ok_or(Fault::Malformed)?;
    let body_hash: Hash = read_hash(&read.body_hash).ok_or(Fault::Malformed)?;
    let expected = chain.records + 1;
    if read.seq != expected {
        return Err(Fault::OutOfOrder {
            expected,
            found: read.seq,
        });
    }
    let erased = match (&read.salt, &read.body) {
        (Some(salt), Some(_)) => {
            if !is_salt(salt) {
                return Err(Fault::Malformed);
            }
            if hash_body(salt, body) != body_hash {
                return Err(Fault::Body);
            }
            false
        }
        (None, None) if body == b"null" => true,
        _ => return Err(Fault::Malformed),
    };
    chain.follow(&body_hash);
    if read.chain != chain.hash() {
        return Err(Fault::Chain);
    }
    Ok(Next::Record { erased })
}

/// The last line.
pub(crate) fn write_footer(chain: &Chain) -> Result<Vec<u8>, ArchiveError> {
    json(&FooterLine {
        records: chain.records,
        chain: chain.hash(),
    })
}

fn read_footer(chain: &Chain, line: &[u8]) -> Result<Next, Fault> {
    let read: FooterLine = serde_json::from_slice(line).map_err(|_| Fault::Malformed)?;
    if json(&read).ok().as_deref() != Some(line) {
        return Err(Fault::Malformed);
    }
    if read.records != chain.records {
        return Err(Fault::Count {
            counted: read.records,
            found: chain.records,
        });
    }
    if read.chain != chain.hash() {
        return Err(Fault::Chain);
    }
    Ok(Next::Footer)
}

/// The line without its body where it is a record of this student; `None` for any other line. A record that was changed
/// counts as well, as long as it says whose it is.
pub(crate) fn without_body(line: &[u8], student_id: &str) -> Option<Vec<u8>> {
    let read: RecordLine = serde_json::from_slice(line).ok()?;
    if read.body?.student_id != student_id {
        return None;
    }
    let mut line = before_body(read.seq, None, &read.body_hash, &read.chain).into_bytes();
    line.extend_from_slice(b"null}");
    Some(line)
}

fn before_body(seq: u64, salt: Option<&str>, body_hash: &str, chain: &str) -> String {
    let salt = salt.map_or_else(|| "null".to_owned(), |salt| format!("\"{salt}\""));
    format!(r#"{{"seq":{seq},"salt":{salt},"body_hash":"{body_hash}","chain":"{chain}","body":"#)
}

fn hash_body(salt: &str, body: &[u8]) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update(salt.as_bytes());
    hasher.update(body);
    hasher.finalize().into()
}

/// Of a fixed length, so that no byte can pass from the salt to the body.
fn is_salt(text: &str) -> bool {
    text.len() == 32 && is_lower_hex(text)
}

fn read_hash(text: &str) -> Option<Hash> {
    if !is_lower_hex(text) {
        return None;
    }
    let mut hash = Hash::default();
    hex::decode_to_slice(text, &mut hash).ok()?;
    Some(hash)
}

fn is_lower_hex(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn json(value: &impl Serialize) -> Result<Vec<u8>, ArchiveError> {
    serde_json::to_vec(value).map_err(ArchiveError::Json)
}

/// Reads lines of bounded length.
pub(crate) struct Lines<R> {
    input: R,
    line: Vec<u8>,
}

/// A line that was read.
pub(crate) enum Read<'a> {
    /// A whole line, without its end.
    Line(&'a [u8]),
    /// A line that is too long or has no end.
    Broken(Fault),
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self {
            input,
            line: Vec::new(),
        }
    }

    /// The next line; `None` at the end of the input. Nothing is to be read after a broken line.
    pub(crate) fn next(&mut self) -> io::Result<Option<Read<'_>>> {
        self.line.clear();
        let most = MAX_LINE_BYTES as u64 + 1;
        let read = io::Read::take(&mut self.input, most).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(None);
        }
        Ok(Some(match self.line.strip_suffix(b"\n") {
            Some(line) => Read::Line(line),
            None if self.line.len() > MAX_LINE_BYTES => Read::Broken(Fault::LineTooLong),
            None => Read::Broken(Fault::CutOff),
        }))
    }
}
