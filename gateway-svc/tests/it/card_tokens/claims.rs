//! Sealed claims: they give back who was verified, for their thread and their time, and nothing else gives anything.

use std::time::Duration;

use proptest::prelude::*;
use turnwise_gateway_svc::tokens::SealedClaims;
use turnwise_kit::Caller;

use super::{Keys, line, now};

const DAYS: u64 = 86_400;

fn ada() -> Caller {
    Caller {
        tenant: "default".to_owned(),
        subject: "ada".to_owned(),
        role: "student".to_owned(),
        groups: vec!["7b".to_owned()],
    }
}

#[test]
fn they_give_back_who_was_verified() {
    let keys = Keys::new(&line("a", 1)).load();
    let sealed = keys.seal(now(), &ada(), "thread-1", "algebra");
    let expected = SealedClaims {
        caller: ada(),
        course_id: "algebra".to_owned(),
    };
    let at = |seconds: u64| now() + Duration::from_secs(seconds);
    assert_eq!(
        keys.open(now(), &sealed, "thread-1"),
        Some(expected.clone())
    );
    assert_eq!(keys.open(at(6 * DAYS), &sealed, "thread-1"), Some(expected));
    assert_eq!(keys.open(at(7 * DAYS), &sealed, "thread-1"), None);
    assert_eq!(keys.open(now(), &sealed, "thread-2"), None);
    let other = Keys::new(&line("b", 1)).load();
    assert_eq!(other.open(now(), &sealed, "thread-1"), None);
    let impostor = Keys::new(&line("a", 2)).load();
    assert_eq!(impostor.open(now(), &sealed, "thread-1"), None);
    assert_eq!(keys.open(now(), b"", "thread-1"), None);
}

proptest! {
    #[test]
    fn a_changed_bit_opens_nothing(place in any::<prop::sample::Index>(), bit in 0..8_u8) {
        let keys = Keys::new(&line("a", 1)).load();
        let mut sealed = keys.seal(now(), &ada(), "thread-1", "algebra");
        let place = place.index(sealed.len());
        sealed[place] ^= 1 << bit;
        prop_assert_eq!(keys.open(now(), &sealed, "thread-1"), None);
    }

    #[test]
    fn any_bytes_open_nothing(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let keys = Keys::new(&line("a", 1)).load();
        prop_assert_eq!(keys.open(now(), &bytes, "thread-1"), None);
    }
}
