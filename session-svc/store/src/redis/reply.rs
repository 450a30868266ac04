//! What Redis says to a transaction's commands, as its outcome.

use std::time::Duration;

use bytes::Bytes;
use turnwise_redis::{Failure, Value};

use crate::{Applied, Found, Outcome, Read, Refused};

type Result<T> = std::result::Result<T, Failure>;

/// What the script returned, if it was called, and what each of these reads found.
pub(super) fn decode(
    returned: Option<Vec<Value>>,
    reads: &[Read],
    found: impl Iterator<Item = Value>,
) -> Result<Outcome> {
    let mut token = None;
    if let Some(returned) = returned {
        let mut values = returned.into_iter();
        let mut next = || values.next().ok_or(Failure::Unreadable);
        let (place, second) = (integer(&next()?)?, next()?);
        if place > 0 {
            return Ok(Outcome::Refused(Refused {
                check: usize::try_from(place - 1).map_err(|_| Failure::Unreadable)?,
                lease_remainder: u64::try_from(integer(&second)?)
                    .ok()
                    .map(Duration::from_millis),
                told: values.map(optional).collect::<Result<_>>()?,
            }));
        }
        if second != Value::Nil {
            token = Some(integer(&second)?);
        }
    }
    let found = reads
        .iter()
        .zip(found)
        .map(|(read, value)| decode_read(read, value))
        .collect::<Result<Vec<_>>>()?;
    if found.len() < reads.len() {
        return Err(Failure::Unreadable);
    }
    Ok(Outcome::Applied(Applied { token, found }))
}

fn decode_read(read: &Read, value: Value) -> Result<Found> {
    if let Value::ServerError(said) = value {
        return Err(Failure::Said(said));
    }
    Ok(match read {
        Read::Fields { fields, .. } if fields.is_empty() => Found::Fields(Vec::new()),
        Read::Fields { .. } => Found::Fields(
            array(value)?
                .into_iter()
                .map(optional)
                .collect::<Result<_>>()?,
        ),
        Read::Record { .. } => {
            let mut record = value
                .into_map_iter()
                .map_err(|_| Failure::Unreadable)?
                .map(|(name, value)| Ok((text(name)?, bytes(value)?)))
                .collect::<Result<Vec<_>>>()?;
            record.sort_unstable_by(|one, other| one.0.cmp(&other.0));
            Found::Record(record)
        }
        Read::LogAfter { .. } | Read::LogBefore { .. } => Found::Entries(
            array(value)?
                .into_iter()
                .map(entry)
                .collect::<Result<_>>()?,
        ),
        Read::Lowest { .. } | Read::Highest { .. } => Found::Members(members(value)?),
    })
}

/// An entry of a stream: its id `0-N` and one field without a name.
fn entry(value: Value) -> Result<(i64, Bytes)> {
    let [id, fields] = pair(value)?;
    let [_, content] = pair(fields)?;
    let id = bytes(id)?;
    let id = id.strip_prefix(b"0-").ok_or(Failure::Unreadable)?;
    Ok((number(id)?, bytes(content)?))
}

/// Members of a sorted set and their scores, which are integers of at most 2^53: in pairs, or from a script in turn.
fn members(value: Value) -> Result<Vec<(String, i64)>> {
    let values = array(value)?;
    if let Some(Value::Array(_)) = values.first() {
        return values
            .into_iter()
            .map(|value| match pair(value)? {
                [member, Value::Double(score)] => Ok((text(member)?, score as i64)),
                _ => Err(Failure::Unreadable),
            })
            .collect();
    }
    Value::Array(values)
        .into_map_iter()
        .map_err(|_| Failure::Unreadable)?
        .map(|(member, score)| Ok((text(member)?, integer(&score)?)))
        .collect()
}

fn pair(value: Value) -> Result<[Value; 2]> {
    array(value)?.try_into().map_err(|_| Failure::Unreadable)
}

fn array(value: Value) -> Result<Vec<Value>> {
    match value {
        Value::Array(values) => Ok(values),
        // Some commands answer so where nothing was asked for.
        Value::Nil => Ok(Vec::new()),
        _ => Err(Failure::Unreadable),
    }
}

fn optional(value: Value) -> Result<Option<Bytes>> {
    match value {
        Value::Nil => Ok(None),
        value => bytes(value).map(Some),
    }
}

fn bytes(value: Value) -> Result<Bytes> {
    match value {
        Value::BulkString(bytes) => Ok(bytes.into()),
        _ => Err(Failure::Unreadable),
    }
}

fn text(value: Value) -> Result<String> {
    match value {
        Value::BulkString(bytes) => String::from_utf8(bytes).map_err(|_| Failure::Unreadable),
        _ => Err(Failure::Unreadable),
    }
}

fn integer(value: &Value) -> Result<i64> {
    match value {
        Value::Int(number) => Ok(*number),
        Value::BulkString(bytes) => number(bytes),
        _ => Err(Failure::Unreadable),
    }
}

fn number(digits: &[u8]) -> Result<i64> {
    std::str::from_utf8(digits)
        .ok()
        .and_then(|digits| digits.parse().ok())
        .ok_or(Failure::Unreadable)
}
