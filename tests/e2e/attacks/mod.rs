//! Attacks by public calls alone, each of which reached something once.
//!
//! | module | is about |
//! | --- | --- |
//! | [`replies`] | a model that says whatever an attacker wants |

mod replies;
