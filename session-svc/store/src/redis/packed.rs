//! MessagePack, as far as a call of the script and what it returns need it.

use turnwise_redis::Value;

/// Begins a list of so many items.
pub(super) fn list(packed: &mut Vec<u8>, length: usize) {
    let [.., a, b, c, d] = length.to_be_bytes();
    packed.extend([0xdd, a, b, c, d]);
}

/// A number that is not negative.
pub(super) fn number(packed: &mut Vec<u8>, number: usize) {
    let [.., a, b, c, d] = number.to_be_bytes();
    match number {
        0..=0x7f => packed.push(d),
        0x80..=0xff => packed.extend([0xcc, d]),
        0x100..=0xffff => packed.extend([0xcd, c, d]),
        _ => packed.extend([0xce, a, b, c, d]),
    }
}

/// Minus a number from 1 to 32.
pub(super) fn minus(packed: &mut Vec<u8>, number: u8) {
    packed.push(0_u8.wrapping_sub(number));
}

/// A text of any bytes.
pub(super) fn text(packed: &mut Vec<u8>, text: &[u8]) {
    let [.., a, b, c, d] = text.len().to_be_bytes();
    match text.len() {
        0..=0x1f => packed.push(0xa0 | d),
        0x20..=0xff => packed.extend([0xd9, d]),
        0x100..=0xffff => packed.extend([0xda, c, d]),
        _ => packed.extend([0xdb, a, b, c, d]),
    }
    packed.extend_from_slice(text);
}

/// The value that begins here, and moves on behind it; none if there is none such as the script returns.
pub(super) fn read(packed: &mut &[u8]) -> Option<Value> {
    let kind = *packed.split_off_first()?;
    Some(match kind {
        0x00..=0x7f => Value::Int(kind.into()),
        0xe0..=0xff => Value::Int(i8::from_be_bytes([kind]).into()),
        // What Redis calls nothing Lua calls false.
        0xc2 => Value::Nil,
        0xcc..=0xcf => Value::Int(i64::try_from(unsigned(packed, 1 << (kind - 0xcc))?).ok()?),
        0xa0..=0xbf => bytes(packed, usize::from(kind & 0x1f))?,
        0xd9..=0xdb => {
            let length = unsigned(packed, 1 << (kind - 0xd9))?;
            bytes(packed, usize::try_from(length).ok()?)?
        }
        0x90..=0x9f => values(packed, u64::from(kind & 0x0f))?,
        0xdc | 0xdd => {
            let length = unsigned(packed, 2 << (kind - 0xdc))?;
            values(packed, length)?
        }
        _ => return None,
    })
}

fn unsigned(packed: &mut &[u8], length: usize) -> Option<u64> {
    let digits = packed.split_off(..length)?;
    Some(
        digits
            .iter()
            .fold(0, |sum, byte| (sum << 8) | u64::from(*byte)),
    )
}

fn bytes(packed: &mut &[u8], length: usize) -> Option<Value> {
    Some(Value::BulkString(packed.split_off(..length)?.to_vec()))
}

fn values(packed: &mut &[u8], length: u64) -> Option<Value> {
    (0..length)
        .map(|_| read(packed))
        .collect::<Option<_>>()
        .map(Value::Array)
}
