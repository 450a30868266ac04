//! Going through all rows of a file that nobody serves.

use std::path::Path;

use bytes::Bytes;
use redb::{ReadTransaction, ReadableTable};
use turnwise_embedded_file::{Damage, EmbeddedFile, Lock};

use super::{
    EmbeddedStore,
    file::{Failure, STUDENTS, own_damage, told},
    rows::{ENTRY, EXPIRY, FIELD, Name, RANKED, number, ranked, value},
    sealed::{SUM, TABLES, counter, counters, definition, share},
};
use crate::{DAMAGED, Found, OpenError, inventory::Named};

impl EmbeddedStore {
    /// Shows every name that has not run out by `now`, in milliseconds since 1970, ordered by partition and name. It opens
    /// the file as a start of the service does: every page is looked at, and the sum over all rows compared.
    ///
    /// # Errors
    ///
    /// The file cannot be opened or is in use, or rows are missing or are not those of the last commit.
    pub fn inventory(path: &Path, now: i64, visit: &mut dyn FnMut(Named)) -> Result<(), OpenError> {
        let lock = Lock::take(path)?;
        let file = EmbeddedFile::open(path, STUDENTS, &lock)?;
        file.read(|rows| go_through(rows, now, visit))
            .map_err(|failure| OpenError::GoThrough {
                path: path.to_owned(),
                source: told(failure),
            })
    }
}

fn go_through(
    transaction: &ReadTransaction,
    now: i64,
    visit: &mut dyn FnMut(Named),
) -> Result<(), Failure> {
    let mut sum = 0_i64;
    let mut current = None;
    for (place, table) in TABLES.iter().enumerate() {
        for row in transaction.open_table(definition(table))?.iter()? {
            let (key, stored) = row?;
            let (key, stored) = (key.value(), stored.value());
            sum = sum.wrapping_add(share(table, key, stored));
            // The first table holds all that has a name.
            if place > 0 {
                continue;
            }
            let (name, kind, tail) = Name::from_row(key).ok_or_else(|| own_damage(Damage))?;
            if current.as_ref().is_none_or(|(of, _)| *of != name) {
                show(current.take(), now, visit);
            }
            let (_, under) = current.get_or_insert_with(|| (name, Under::default()));
            under.add(kind, tail, value(key, stored));
        }
    }
    show(current, now, visit);
    let counters = transaction.open_table(counters())?;
    if counter(&counters, SUM)? != Ok(sum) {
        return Err(own_damage(Damage));
    }
    Ok(())
}

/// What stands under a name.
#[derive(Default)]
struct Under {
    expires: Option<i64>,
    found: Option<Found>,
}

impl Under {
    fn add(&mut self, kind: u8, tail: &[u8], value: Option<&[u8]>) {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        let bytes = || Bytes::copy_from_slice(value.unwrap_or(DAMAGED));
        match kind {
            EXPIRY => self.expires = value.and_then(number),
            FIELD => {
                let record = || Found::Record(Vec::new());
                if let Found::Record(fields) = self.found.get_or_insert_with(record) {
                    fields.push((text(tail), bytes()));
                }
            }
            ENTRY => {
                let log = || Found::Entries(Vec::new());
                if let Found::Entries(entries) = self.found.get_or_insert_with(log) {
                    entries.push((number(tail).unwrap_or_default(), bytes()));
                }
            }
            RANKED => {
                let ranking = || Found::Members(Vec::new());
                if let (Found::Members(members), Some((score, member))) =
                    (self.found.get_or_insert_with(ranking), ranked(tail))
                {
                    members.push((text(member), score));
                }
            }
            _ => {}
        }
    }
}

fn show(named: Option<(Name, Under)>, now: i64, visit: &mut dyn FnMut(Named)) {
    if let Some((name, under)) = named
        && under.expires.is_none_or(|expires| expires > now)
        && let Some(found) = under.found
    {
        visit(Named {
            partition: name.partition(),
            key: name.key(),
            found,
        });
    }
}
