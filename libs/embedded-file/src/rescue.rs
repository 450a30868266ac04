//! Bringing the rows of a damaged file into a new one.

use redb::{
    Key, ReadTransaction, ReadableTable, ReadableTableMetadata, StorageError, TableDefinition,
    TableError, Value, WriteTransaction,
};

use crate::failure::Failure;

/// Copies a table, damaged values as they are: their own checksums tell of them in the new file as in the old one.
///
/// # Errors
///
/// Not every row of the table can be reached.
pub fn copy<K: Key + 'static, V: Value + 'static, R>(
    from: &ReadTransaction,
    to: &WriteTransaction,
    definition: TableDefinition<'_, K, V>,
) -> Result<(), Failure<R>> {
    let rows = match from.open_table(definition) {
        Err(TableError::TableDoesNotExist(_)) => return Ok(()),
        rows => rows?,
    };
    let mut copied = to.open_table(definition)?;
    for row in rows.iter()? {
        let (key, value) = row?;
        copied.insert(key.value(), value.value())?;
    }
    let (reached, all) = (copied.len()?, rows.len()?);
    if reached == all {
        Ok(())
    } else {
        let problem = format!("{reached} of the {all} rows of a table can be reached");
        Err(StorageError::Corrupted(problem).into())
    }
}
