//! Page tokens: good for one list of one caller, and for nothing else.

use proptest::prelude::*;
use turnwise_kit::{Fault, PageTokens};
use turnwise_proto::common::v1::ErrorReason;

use crate::probe::student;

fn refused(result: Result<Option<u64>, Fault>) {
    let fault = result.unwrap_err();
    assert_eq!(fault.reason(), ErrorReason::InvalidPageToken);
    assert_eq!(fault.fields().collect::<Vec<_>>(), ["page_token"]);
}

#[test]
fn a_token_is_good_for_its_own_list() {
    let tokens = PageTokens::new(b"a secret");
    let ada = student();
    let list = tokens.list("ListThings", Some(&ada), &["blue", "7b"]);
    let token = list.next(Some(42));
    assert_eq!(list.start(&token).unwrap(), Some(42));
    assert_eq!(list.start::<u64>("").unwrap(), None);
    assert_eq!(list.next(None::<u64>), "");
    // Another replica, or the same one after a restart.
    let replica = PageTokens::new(b"a secret");
    let same = replica.list("ListThings", Some(&ada), &["blue", "7b"]);
    assert_eq!(same.start(&token).unwrap(), Some(42));

    let with = |change: fn(&mut turnwise_kit::Caller)| {
        let mut other = student();
        change(&mut other);
        other
    };
    let (bob, south) = (
        with(|c| c.subject = "bob".to_owned()),
        with(|c| c.tenant = "south".to_owned()),
    );
    for other in [
        tokens.list("ListOthers", Some(&ada), &["blue", "7b"]),
        tokens.list("ListThings", Some(&bob), &["blue", "7b"]),
        tokens.list("ListThings", Some(&south), &["blue", "7b"]),
        tokens.list("ListThings", None, &["blue", "7b"]),
        tokens.list("ListThings", Some(&ada), &["red", "7b"]),
        tokens.list("ListThings", Some(&ada), &["blue7", "b"]),
        tokens.list("ListThings", Some(&ada), &["blue"]),
        PageTokens::new(b"another secret").list("ListThings", Some(&ada), &["blue", "7b"]),
        PageTokens::of_this_process().list("ListThings", Some(&ada), &["blue", "7b"]),
    ] {
        refused(other.start(&token));
    }
}

#[test]
fn what_is_no_token_is_refused() {
    let list = PageTokens::new(b"a secret").list("ListThings", None, &[]);
    let token = list.next(Some(42));
    let longer = format!("{token}A");
    let padded = format!("{token}==");
    let huge = "A".repeat(100_000);
    for made_up in [
        "x", "0", "42", "-1", "../..", "é", "\0", "AAAA", " ", &longer, &padded, &huge,
    ] {
        refused(list.start(made_up));
    }
    for cut in 1..token.len() {
        refused(list.start(&token[..cut]));
    }
    // Genuine, but of another kind of position.
    refused(list.start(&list.next(Some("not a number"))));
}

proptest! {
    #[test]
    fn a_changed_token_is_refused(position in any::<u64>(), at in any::<prop::sample::Index>(), to in "[A-Za-z0-9_-]") {
        let list = PageTokens::new(b"a secret").list("ListThings", Some(&student()), &["blue"]);
        let token = list.next(Some(position));
        let mut changed = token.clone();
        let at = at.index(token.len());
        changed.replace_range(at..=at, &to);
        match list.start::<u64>(&changed) {
            Ok(start) => prop_assert!(changed == token && start == Some(position)),
            Err(fault) => prop_assert_eq!(fault.reason(), ErrorReason::InvalidPageToken),
        }
    }
}
