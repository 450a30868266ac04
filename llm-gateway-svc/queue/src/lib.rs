//! The queue in front of a model's slots: who may call it now, who is next, and how long everybody will wait.
//!
//! A model works on so many calls at once; each takes a slot. Who finds none free waits. Freed slots go round the classes
//! by their weights (start-time fair queueing) and, within a class, round the students, one call each (round robin); a
//! student's own requests keep their order. Requests that nobody waits for come last, but not never.
//!
//! | module | is about |
//! | --- | --- |
//! | [`request`] | a request for a slot, and what can come of it |
//! | [`options`] | what a queue is made with |
//! | [`queue`] | the handles: a queue, a request that waits in it, a slot |
//! | [`order`] | who is next: pure |
//! | [`membership`] | which replica has which ordinal, and so which slots are whose: pure |
//! | [`snapshot`] | an order at one moment: pure |
//! | [`forecast`] | service times and estimates of waits: pure |
//! | [`ticket`] | the tickets that hold a place for those who got a retry hint |
//! | `name_hashes` | hashes that stand for names where others read them |
//! | `waiter` | a request that waits, and the channels to its caller: the outcome, its places |
//! | `local` | the queue of one process |
//! | `shared` | the queue that replicas share through Redis |
//! | [`view`] | a queue as it is shown |

pub mod forecast;
mod local;
pub mod membership;
mod name_hashes;
pub mod options;
pub mod order;
pub mod queue;
pub mod request;
mod shared;
pub mod snapshot;
pub mod ticket;
pub mod view;
mod waiter;

pub use options::{InvalidOption, QueueOptions};
pub use queue::{Queue, Slot, Waiting};
pub use request::{Band, HeldPlace, Owner, Place, PlaceWatch, Refusal, RetryHint, SlotRequest};
pub use shared::Ordinals;
pub use view::QueueView;
