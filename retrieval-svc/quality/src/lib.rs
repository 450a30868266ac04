//! How good retrieval is: labelled queries asked of the real engine and the real mapping, against what other systems
//! reached on queries of the same kind.
//!
//! | module | is about |
//! | --- | --- |
//! | [`data`] | courses and labelled queries of a folder |
//! | [`course`] | a course with its index and its mapping, and what they answer |
//! | [`vectors`] | vectors of a model, kept in a file between runs |
//! | [`metrics`] | what an answer is worth |
//! | [`interval`] | how sure a figure is |
//! | [`calibration`] | whether a confidence means what it says |
//! | [`run`] | all queries of one kind |
//! | [`baselines`] | what has to be reached |
//! | [`report`] | the tables |

pub mod baselines;
pub mod calibration;
pub mod course;
pub mod data;
pub mod interval;
pub mod metrics;
pub mod report;
pub mod run;
pub mod vectors;
