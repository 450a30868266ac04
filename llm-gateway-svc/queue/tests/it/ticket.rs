//! Tickets: only who was given one can use it, and only in time.

use proptest::prelude::*;
use turnwise_llm_queue::{Owner, ticket::TicketKey};

fn owner(class: &str, student: &str, thread: &str, purpose: &'static str) -> Owner {
    Owner {
        class: class.to_owned(),
        student: student.to_owned(),
        thread: thread.to_owned(),
        purpose,
    }
}

#[test]
fn a_ticket_is_its_owners_until_its_time() {
    let key = TicketKey::new(&TicketKey::random_bytes());
    let ada = owner("class", "ada", "thread", "turn");
    let ticket = key.issue(7, 1000, &ada);
    assert!(key.verify(&ticket, &ada, 1000));
    assert!(!key.verify(&ticket, &ada, 1001));
    for other in [
        owner("class 2", "ada", "thread", "turn"),
        owner("class", "adb", "thread", "turn"),
        owner("class", "ada", "thread 2", "turn"),
        owner("class", "ada", "thread", "chat"),
        // The same letters, cut elsewhere.
        owner("classa", "da", "thread", "turn"),
        owner("class", "adat", "hread", "turn"),
    ] {
        assert!(!key.verify(&ticket, &other, 0), "{other:?}");
    }
    let another = TicketKey::new(&TicketKey::random_bytes());
    assert!(!another.verify(&ticket, &ada, 0));
}

proptest! {
    #[test]
    fn a_changed_ticket_is_none(at in any::<prop::sample::Index>(), to in "[A-Za-z0-9_-]") {
        let key = TicketKey::new(&[7; TicketKey::BYTES]);
        let ada = owner("class", "ada", "thread", "turn");
        let ticket = key.issue(1, u64::MAX, &ada);
        let at = at.index(ticket.len());
        let mut changed = ticket.clone();
        changed.replace_range(at..=at, &to);
        prop_assert_eq!(key.verify(&changed, &ada, 0), changed == ticket);
    }

    #[test]
    fn anything_may_come_as_a_ticket(ticket in ".*") {
        let key = TicketKey::new(&[7; TicketKey::BYTES]);
        prop_assert!(!key.verify(&ticket, &owner("class", "ada", "thread", "turn"), 0));
    }
}
