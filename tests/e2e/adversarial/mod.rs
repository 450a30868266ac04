//! Students, documents and a model that obeys them all: whatever words demand, nothing comes of it but words.
//!
//! The model is `mock:obey`, which does what the student or a document tells it to. What is tried stands in
//! tests/data/adversarial.
//!
//! | module | is about |
//! | --- | --- |
//! | [`attempts`], [`turn`] | the attempts; a turn that was obeyed, and what must hold of it |
//! | [`messages`] | what students write |
//! | [`chunks`] | what stands in lessons that staff upload |
//! | [`grades`] | answers to drills that grade themselves |
//! | [`keys`] | drills' keys |
//! | [`exams`] | answers to exam questions, and help |

mod attempts;
mod chunks;
mod exams;
pub mod grades;
mod keys;
mod messages;
mod turn;
