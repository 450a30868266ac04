//! Time on the wire.

use jiff::Timestamp;
use prost_types::Timestamp as ProtoTimestamp;

/// A time as protobuf writes it.
pub fn to_proto(time: Timestamp) -> ProtoTimestamp {
    let mut seconds = time.as_second();
    let mut nanos = time.subsec_nanosecond();
    if nanos < 0 {
        seconds -= 1;
        nanos += 1_000_000_000;
    }
    ProtoTimestamp { seconds, nanos }
}

/// The first second of year 1: the earliest that protobuf knows.
const EARLIEST: i64 = -62_135_596_800;

/// The time that protobuf wrote; `None` if it is out of range.
pub fn from_proto(time: &ProtoTimestamp) -> Option<Timestamp> {
    if !(0..1_000_000_000).contains(&time.nanos) || time.seconds < EARLIEST {
        return None;
    }
    Timestamp::new(time.seconds, time.nanos).ok()
}
