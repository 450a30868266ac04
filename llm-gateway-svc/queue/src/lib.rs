//! The line in front of a model's slots: who may call it now, who is next, and how long everybody will wait.
//!
//! A model works on so many calls at once; each takes a slot. Who finds none free waits. Freed slots go round the classes
//! by their weights (start-time fair queueing) and, within a class, round the pupils, one call each (round robin); a
//! pupil's own requests keep their order. Requests that nobody waits for come last, but not never.
//!
//! | module | is about |
//! | --- | --- |
//! | [`ask`] | a request for a slot, and what can come of it |
//! | [`options`] | what a line is made with |
//! | [`line`] | the handle: a line, one who waits, a slot |
//! | [`order`] | who is next: pure |
//! | [`lineup`] | a picture of an order: pure |
//! | [`forecast`] | how long it will take: pure |
//! | [`ticket`] | the tickets that hold a place for those who were told to come back |
//! | `waiter` | one who waits: how it is told of its slot and of its place |
//! | `local` | the line of one process |
//! | `shared` | the line that replicas share through Redis |
//! | [`view`] | a line as it is shown |

pub mod ask;
pub mod forecast;
pub mod line;
pub mod lineup;
mod local;
pub mod options;
pub mod order;
mod shared;
pub mod ticket;
pub mod view;
mod waiter;

pub use ask::{Ask, Band, ComeBack, Held, Owner, Place, PlaceWatch, Refusal};
pub use line::{Line, Slot, Waiting};
pub use options::{InvalidOption, LineOptions};
pub use view::LineView;
