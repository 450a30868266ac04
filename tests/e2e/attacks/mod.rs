//! Attacks by public calls alone, each of which reached something once.
//!
//! | module | is about |
//! | --- | --- |
//! | [`classes`] | a student who has left a class |
//! | [`connections`] | peers that hold connections and say nothing, and more of them than there are files |
//! | [`deadlines`] | deadlines that are too short for a call |
//! | [`encodings`] | messages that are compressed |
//! | [`pages`] | page tokens of others, and made-up ones |
//! | [`replies`] | a model that says whatever an attacker wants |

mod classes;
mod connections;
mod deadlines;
mod encodings;
mod pages;
mod replies;
