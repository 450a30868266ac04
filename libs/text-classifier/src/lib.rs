//! A small model that says what kind of text a text is: by words, pairs of words, parts of words and concepts, each with
//! one weight for each class. It is linear: the same text has the same score everywhere, and every score can be explained
//! by the features that made it.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`fold()`], `words` | spelling and disguises become one form |
//! | [`Lexicon`] | words that mean alike |
//! | `features` | what the model looks at |
//! | [`Classifier`] | scores a text, explains the score |
//! | `weights` | the file that a model is kept in |
//! | [`train`] | makes a model of labelled sentences, the same of the same ones |
//!
//! A long text is scored as its sentences and each two neighbours together; the one that alarms most counts, so that one
//! sentence among a hundred is found.

mod classifier;
mod exp;
mod features;
mod fold;
mod hash;
mod lexicon;
pub mod train;
mod weights;
mod words;

pub use classifier::{Alarm, Class, Classifier, Explanation, Level, Reason, Verdict};
pub use fold::fold;
pub use lexicon::{Lexicon, LexiconError};
pub use weights::WeightsError;
