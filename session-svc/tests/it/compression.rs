//! Records as bytes: compressed or not they are read as they were, and nothing but what was written is read at all.

use bytes::Bytes;
use proptest::{prelude::*, sample::Index};
use turnwise_session_svc::{
    compression::{DICTIONARIES, Unreadable, compress, decompress},
    error::SessionError,
    record,
};

use crate::bench::sealed;

/// The version of records whose body is the message itself.
const PLAIN: u8 = 1;
/// The version of those that are compressed.
const COMPRESSED: u8 = 2;

const CORRUPTED: SessionError = SessionError::RecordCorrupted { record: "turn_log" };

fn unstamp(bytes: impl Into<Bytes>) -> Result<Bytes, SessionError> {
    record::unstamp("turn_log", &bytes.into())
}

/// Texts of lessons more or less, and what is no text at all.
fn body() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..300),
        "([a-z ]{3,12}(fraction|negative|x \\+ 7 = 12|bracket)){0,200}"
            .prop_map(String::into_bytes),
    ]
}

proptest! {
    #[test]
    fn what_was_stamped_is_read_as_it_was(body in body()) {
        let stamped = record::stamp(&body);
        prop_assert!(stamped.len() <= body.len() + 5);
        prop_assert_eq!(unstamp(stamped).unwrap(), body);
    }

    #[test]
    fn what_an_earlier_version_wrote_is_read(body in body()) {
        prop_assert_eq!(unstamp(sealed(PLAIN, &body)).unwrap(), body);
    }

    #[test]
    fn a_changed_bit_is_told(body in body(), at: Index, bit in 0..8) {
        let mut stamped = record::stamp(&body).to_vec();
        let at = at.index(stamped.len());
        stamped[at] ^= 1_u8 << bit;
        prop_assert_eq!(unstamp(stamped), Err(CORRUPTED));
    }

    #[test]
    fn no_bytes_end_the_process(body: Vec<u8>) {
        let _ = unstamp(sealed(COMPRESSED, &body));
    }

    // Whoever can write into the store can make the checksum right, too.
    #[test]
    fn a_changed_frame_ends_no_process(body in body(), changes: Vec<(Index, u8)>) {
        if let Some(mut frame) = compress(&body) {
            for (at, byte) in changes {
                let at = at.index(frame.len());
                frame[at] = byte;
            }
            let _ = decompress(&frame);
        }
    }
}

#[test]
fn what_recurs_becomes_much_shorter() {
    let body = "how do I take out the greatest common factor? ".repeat(100);
    assert!(record::stamp(body.as_bytes()).len() < body.len() / 20);
}

#[test]
fn a_frame_that_claims_too_much_is_damaged() {
    let dictionary = DICTIONARIES.last().unwrap();
    let mut compressor = zstd::bulk::Compressor::with_dictionary(1, dictionary).unwrap();
    let bomb = compressor.compress(&vec![0; 64 * 1024 * 1024]).unwrap();
    assert!(bomb.len() < 10_000);
    assert_eq!(decompress(&bomb), Err(Unreadable::Damaged));
    assert_eq!(unstamp(sealed(COMPRESSED, &bomb)), Err(CORRUPTED));
    // No dictionary, no size, two frames, half a frame.
    let frame = compress(&[7; 1000]).unwrap();
    let without = zstd::bulk::compress(&[7; 1000], 3).unwrap();
    let twice = [&frame[..], &frame].concat();
    for other in [&without, &twice, &frame[..frame.len() / 2].to_vec()] {
        assert_eq!(decompress(other), Err(Unreadable::Damaged));
    }
}

#[test]
fn a_dictionary_of_a_later_version_makes_no_damage() {
    let mut later = DICTIONARIES[0].to_vec();
    later[4..8].copy_from_slice(&200_u32.to_le_bytes());
    let mut compressor = zstd::bulk::Compressor::with_dictionary(3, &later).unwrap();
    let frame = compressor.compress(&[7; 1000]).unwrap();
    assert_eq!(decompress(&frame), Err(Unreadable::UnknownDictionary));
    let newer = SessionError::SchemaTooNew {
        record: "turn_log",
        version: COMPRESSED,
    };
    assert_eq!(unstamp(sealed(COMPRESSED, &frame)), Err(newer));
}

/// What was written with a dictionary must be readable for ever.
#[test]
fn what_was_written_with_each_dictionary_is_read() {
    let said = "why is x + 7 = 12 solved by taking 7 away on both sides? because 7 - 7 = 0";
    let written = [
        "28b52ffd21014a750100c87768792069732074616b696e6720373f37202d2037203d203005fc9a01cc687ec8be41fca494f5ba56d740a22e",
    ];
    assert_eq!(written.len(), DICTIONARIES.len());
    for frame in written {
        let frame: Vec<u8> = (0..frame.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&frame[at..at + 2], 16).unwrap())
            .collect();
        assert_eq!(decompress(&frame).unwrap(), said.as_bytes());
    }
}
