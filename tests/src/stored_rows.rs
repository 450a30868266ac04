//! The rows in the file of the embedded store, read from the file itself.

use std::path::Path;

use bytes::Bytes;
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};
use turnwise_session_svc::record;

/// What every value begins with: a version and a checksum.
const HEAD: usize = 5;

/// A row.
pub struct StoredRow {
    /// What kind of record it belongs to, and what of it: `turn text`, `timeline entry`.
    pub kind: String,
    /// How long its key is.
    pub key_bytes: usize,
    /// Its value as it stands in the file.
    pub value: Bytes,
}

impl StoredRow {
    /// The value as it was before it became a record; as it stands in the file if it is none.
    pub fn plain(&self) -> Bytes {
        let value = self.value.slice(HEAD.min(self.value.len())..);
        record::unstamp("row", &value).unwrap_or(value)
    }
}

/// All rows of a file that nobody has open.
pub fn stored_rows(file: &Path) -> Vec<StoredRow> {
    let database = Database::open(file).unwrap();
    let reading = database.begin_read().unwrap();
    let mut found = Vec::new();
    // Rows of the second table begin with a time.
    for (table, before) in [("rows", 0), ("expiries", 8)] {
        let definition: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new(table);
        for row in reading.open_table(definition).unwrap().iter().unwrap() {
            let (key, value) = row.unwrap();
            found.push(StoredRow {
                kind: kind(table, &key.value()[before..]),
                key_bytes: key.value().len(),
                value: Bytes::copy_from_slice(value.value()),
            });
        }
    }
    found
}

/// What a row is about. Its key is a partition and a name, each ended by a zero, and what stands under the name.
fn kind(table: &str, key: &[u8]) -> String {
    let mut parts = key.splitn(3, |byte| *byte == 0).skip(1);
    let mut part = || parts.next().unwrap_or_default();
    let (name, rest) = (String::from_utf8_lossy(part()), part());
    let record = match name.strip_prefix("idempotency:") {
        Some(operation) => operation
            .split(':')
            .next()
            .map(|of| format!("idempotency {of}")),
        None => name.split(':').next().map(str::to_owned),
    };
    let of = match rest.first() {
        Some(0x01) => "expiry".to_owned(),
        // Names of fields are few, but for those that are ids.
        Some(0x10) => {
            let field = String::from_utf8_lossy(&rest[1..]);
            let is_name = field.bytes().all(|byte| byte.is_ascii_lowercase());
            if is_name && field.len() < 16 {
                field.into_owned()
            } else {
                "by id".to_owned()
            }
        }
        Some(0x11 | 0x12) => "ranking".to_owned(),
        Some(0x13) => "entry".to_owned(),
        Some(0x14) => "head".to_owned(),
        _ => table.to_owned(),
    };
    format!("{} {of}", record.unwrap_or_default())
}
