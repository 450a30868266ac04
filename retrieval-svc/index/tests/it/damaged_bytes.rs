//! Damaged bytes are refused with a reason; nothing that is read leads to a panic.

use std::sync::Arc;

use proptest::{prelude::*, sample::Index};
use turnwise_retrieval_index::{Namespace, Part, PartError};

use crate::corpus::{documents, model, part, vector};

/// Where the checksum stands, and what it covers.
const CHECKSUM: std::ops::Range<usize> = 8..12;

fn decode(part: &Part, bytes: &[u8]) -> Result<Part, PartError> {
    Part::decode(part.id(), bytes, Some(model()), |wanted| {
        let found = wanted.iter().map(|content| Some(vector(content[0].into())));
        found.collect()
    })
}

/// Looks at everything that a part has.
fn walk(part: &Part) -> usize {
    let rows = |namespace| {
        part.rows(namespace).map(|row| {
            let terms: usize = row.saturations().map(|(term, _)| term.len()).sum();
            let units: usize = row.units().map(str::len).sum();
            let shown = row.passage().map_or(0, |passage| passage.text.len());
            let vector = row.vector().map_or(0, <[f32]>::len);
            terms + units + shown + vector + row.id().len() + usize::from(row.content()[0])
        })
    };
    Namespace::ALL.into_iter().flat_map(rows).sum()
}

fn any_part() -> impl Strategy<Value = Arc<Part>> {
    documents().prop_map(|mut documents| part(0, documents.swap_remove(0)))
}

proptest! {
    #![proptest_config(turnwise_testing::properties::pure())]

    #[test]
    fn cut_bytes_are_refused(part in any_part(), cut in any::<Index>()) {
        let bytes = part.encode();
        let decoded = decode(&part, &bytes[..cut.index(bytes.len())]);
        prop_assert!(matches!(decoded, Err(PartError::Damaged(_))));
    }

    #[test]
    fn flipped_bits_are_refused(part in any_part(), flip in any::<Index>(), bit in 0_u8..8) {
        let mut bytes = part.encode();
        let at = flip.index(bytes.len());
        bytes[at] ^= 1 << bit;
        let decoded = decode(&part, &bytes);
        prop_assert!(matches!(decoded, Err(PartError::Damaged(_))));
    }

    #[test]
    fn appended_bytes_are_refused(part in any_part(), more in prop::collection::vec(any::<u8>(), 1..20)) {
        let mut bytes = part.encode();
        bytes.extend(more);
        prop_assert!(matches!(decode(&part, &bytes), Err(PartError::Damaged(_))));
    }

    /// A wrong number under a right checksum is refused, or is a part whose rows can all be looked at.
    #[test]
    fn forged_bytes_never_panic(
        part in any_part(),
        forged in prop::collection::vec((any::<Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = part.encode();
        for (at, byte) in forged {
            let covered = bytes.len() - CHECKSUM.end;
            bytes[CHECKSUM.end + at.index(covered)] = byte;
        }
        let sum = crc32fast::hash(&bytes[CHECKSUM.end..]);
        bytes[CHECKSUM].copy_from_slice(&sum.to_le_bytes());
        if let Ok(decoded) = decode(&part, &bytes) {
            walk(&decoded);
        }
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let whole = part(0, Vec::new());
        prop_assert!(matches!(decode(&whole, &bytes), Err(PartError::Damaged(_))));
    }
}

#[test]
fn whole_bytes_are_read() {
    let whole = part(0, Vec::new());
    let walked = decode(&whole, &whole.encode()).map(|part| walk(&part));
    assert_eq!(walked, Ok(0));
}
