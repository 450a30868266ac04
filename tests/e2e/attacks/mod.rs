//! Attacks by public calls alone, each of which reached something once.
//!
//! | module | is about |
//! | --- | --- |
//! | [`connections`] | peers that hold connections and say nothing, and more of them than there are files |
//! | [`encodings`] | messages that are compressed |
//! | [`pages`] | page tokens of others, and made-up ones |

mod connections;
mod encodings;
mod pages;
