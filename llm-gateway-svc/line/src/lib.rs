//! The line in front of a model's slots: who may call it now, who is next, and how long everybody will wait.
//!
//! A model works on so many calls at once; each takes a slot. Who finds none free waits. Freed slots go round the classes
//! by their weights (start-time fair queueing) and, within a class, round the pupils, one call each (round robin); a
//! pupil's own requests keep their order. Requests that nobody waits for come last, but not never.
//!
//! | module | is about |
//! | --- | --- |
//! | [`ask`] | a request for a slot, and what can come of it |
//! | [`order`] | who is next: pure |
//! | [`forecast`] | how long it will take: pure |
//! | [`ticket`] | the tickets that hold a place for those who were told to come back |
//! | [`local`] | the line of one process |
//! | [`view`] | a line as it is shown |

pub mod ask;
