//! How every queue behaves, whoever keeps it. One function is one behaviour; none depends on long waits, so that they run
//! with a paused clock and in real time alike.

pub mod admission;
pub mod leaving;
pub mod order;
pub mod slots;
pub mod take_over;
pub mod tickets;
pub mod view;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::time::timeout;
use turnwise_llm_queue::{
    Band, Owner, Queue, QueueOptions, Refusal, RetryHint, Slot, SlotRequest, Waiting,
};

/// Makes queues to try.
pub trait Queues {
    /// A new queue.
    async fn queue(&self, options: QueueOptions) -> Queue;
}

/// Runs all behaviours as tests of the module that it is in: `conformance!(tokio::test, queues)`.
macro_rules! conformance {
    ($test:meta, $queues:expr) => {
        conformance! { @each $test, $queues,
            slots::at_most_so_many_calls_run
            slots::a_free_slot_is_given_at_once
            slots::a_freed_slot_is_handed_on_without_polling
            slots::a_dropped_slot_is_free_again
            slots::running_calls_have_different_slots
            slots::nothing_lets_a_slot_idle_while_somebody_waits
            order::students_take_turns
            order::a_students_own_requests_keep_their_order
            order::nobodys_requests_are_students_of_their_own
            order::classes_take_turns
            order::classes_get_shares_by_weight
            order::a_class_that_comes_later_is_owed_nothing
            order::batch_waits_for_interactive
            order::batch_is_let_in_now_and_then
            take_over::a_newer_request_takes_the_place
            take_over::a_place_is_taken_over_and_kept
            take_over::where_a_slot_is_free_no_place_is_held
            take_over::another_thread_or_purpose_is_another_request
            take_over::names_that_read_alike_are_different_owners
            take_over::a_running_call_is_never_replaced
            take_over::nobodys_requests_replace_nothing
            take_over::a_request_of_another_band_replaces_without_the_place
            leaving::who_leaves_is_out_of_the_queue
            leaving::who_stops_waiting_for_the_slot_is_out_of_the_queue
            leaving::a_slot_given_to_one_who_has_left_goes_on
            leaving::a_student_who_leaves_and_returns_is_last
            tickets::a_refused_request_keeps_its_place
            tickets::a_ticket_is_let_in_where_a_newcomer_gets_a_retry_hint
            tickets::the_place_is_the_owners_without_the_ticket_too
            tickets::an_absent_one_is_passed_over_and_keeps_its_turn
            tickets::an_expired_place_is_gone
            tickets::a_foreign_or_forged_ticket_is_as_good_as_none
            tickets::nobody_gets_a_ticket
            tickets::who_waits_in_vain_gets_a_ticket
            tickets::who_returns_too_early_gets_another_retry_hint
            admission::too_long_a_wait_is_refused_at_once
            admission::the_deadline_bounds_the_wait
            admission::the_wait_is_estimated_from_measured_calls
            admission::a_queue_has_so_many_entries
            admission::a_queue_holds_so_many_bytes
            admission::who_needs_no_room_is_let_in
            view::places_are_announced_and_kept_up_to_date
            view::the_view_shows_slots_and_who_waits
            view::the_view_is_bounded
            view::changes_are_announced
        }
    };
    (@each $test:meta, $queues:expr, $($module:ident :: $behaviour:ident)*) => {
        $(
            #[$test]
            async fn $behaviour() {
                crate::conformance::$module::$behaviour(&$queues).await;
            }
        )*
    };
}
pub(crate) use conformance;

/// Long beside anything that should happen, short beside a person's patience.
pub const SOON: Duration = Duration::from_secs(20);

/// A request of a student, with patience.
pub fn ask(class: &str, student: &str) -> SlotRequest {
    SlotRequest {
        owner: Owner {
            class: class.to_owned(),
            student: student.to_owned(),
            thread: "thread".to_owned(),
            purpose: "turn",
        },
        band: Band::Interactive,
        bytes: 100,
        max_wait: Duration::from_secs(6000),
        deadline: None,
        ticket: None,
    }
}

/// Changes of a request.
pub trait AskExt {
    fn thread(self, thread: &str) -> Self;
    fn purpose(self, purpose: &'static str) -> Self;
    fn batch(self) -> Self;
    fn max_wait(self, max_wait: Duration) -> Self;
    fn ticket(self, ticket: &str) -> Self;
}

impl AskExt for SlotRequest {
    fn thread(mut self, thread: &str) -> Self {
        thread.clone_into(&mut self.owner.thread);
        self
    }

    fn purpose(mut self, purpose: &'static str) -> Self {
        self.owner.purpose = purpose;
        self
    }

    fn batch(mut self) -> Self {
        self.band = Band::Batch;
        self
    }

    fn max_wait(mut self, max_wait: Duration) -> Self {
        self.max_wait = max_wait;
        self
    }

    fn ticket(mut self, ticket: &str) -> Self {
        self.ticket = Some(ticket.to_owned());
        self
    }
}

/// A queue with one slot, which is taken.
pub async fn taken(queues: &impl Queues, options: QueueOptions) -> (Queue, Slot) {
    let queue = queues
        .queue(QueueOptions {
            slots: 1,
            ..options
        })
        .await;
    let slot = slot_of(&queue, ask("somebody", "else")).await;
    (queue, slot)
}

/// A slot, which is to be had soon.
pub async fn slot_of(queue: &Queue, ask: SlotRequest) -> Slot {
    soon(queue.enter(ask).await.expect("let in")).await
}

/// The slot of one who waits, which is to be had soon.
pub async fn soon(waiting: Waiting) -> Slot {
    timeout(SOON, waiting.slot())
        .await
        .expect("soon")
        .expect("a slot")
}

/// Enters, and must be let in.
pub async fn enter(queue: &Queue, ask: SlotRequest) -> Waiting {
    queue.enter(ask).await.expect("let in")
}

/// Enters, and must be refused with a retry hint.
pub async fn refused_with_hint(queue: &Queue, ask: SlotRequest) -> RetryHint {
    match queue.enter(ask).await {
        Err(Refusal::TooLong(hint)) => hint,
        other => panic!("no retry hint: {other:?}"),
    }
}

/// Frees a slot, and returns the names of those who wait in the order in which they start, one after the other.
pub async fn starts(held: Slot, waiting: Vec<(&'static str, Waiting)>) -> Vec<&'static str> {
    let started = Arc::new(Mutex::new(Vec::new()));
    let tasks: Vec<_> = waiting
        .into_iter()
        .map(|(name, waiting)| {
            let started = Arc::clone(&started);
            tokio::spawn(async move {
                let slot = soon(waiting).await;
                started.lock().unwrap().push(name);
                slot.done(None);
            })
        })
        .collect();
    held.done(None);
    for task in tasks {
        task.await.unwrap();
    }
    let started = started.lock().unwrap();
    started.clone()
}
