//! What stops a turn before anything else: words of a student who may be in danger, and terms that a school does not want.
//!
//! It is deterministic: phrases of a profile for plain cases, and beside them a model of words and parts of words, whose
//! weights are in `data/`. The profile is a YAML file:
//!
//! | key | what it is |
//! | --- | --- |
//! | `blocked_terms` | a list of at most 2,000 terms, for every locale |
//! | `locales` | 1 to 64 language tags, each with the keys below |
//! | `model` | `false` switches the model off; not needed |
//! | `safeguarding.self_harm`, `safeguarding.abuse` | lists of at most 500 phrases each |
//! | `safeguarding.danger`, `safeguarding.bullying` | the same; not needed |
//! | `texts.safeguarding`, `texts.blocked` | what a student reads, at most 1,000 characters each |
//! | `texts.told` | what follows `texts.safeguarding` where staff are told; not needed |
//!
//! A term or phrase has at most 100 characters and 12 words. The file has at most 256 KiB; unknown keys are refused.
//!
//! # What a phrase matches
//!
//! Whole words in a row, whatever stands between them but letters and digits. Letters match in compatibility form (NFKC)
//! and in any case; `ä`, `ö`, `ü` and `ß` match `ae`, `oe`, `ue` and `ss`; apostrophes and characters that show nothing
//! are left out, so that `don't` is `dont`. Scripts without spaces are split as Unicode says (UAX #29): most of their characters
//! are words. A locale has its
//! own phrases only, since a word of one language may be harmless in another: `de-CH` has those of `de-CH`, or else of
//! `de`. One that the profile does not have gets the phrases of all and the texts of `en`, or of the first by name.

mod fault;
mod guardrails;
mod phrases;
mod profile;
mod verdicts;
mod words;

pub use fault::ProfileError;
pub use guardrails::{Guardrails, Hit, HitKind, Judgement, Reaches};
