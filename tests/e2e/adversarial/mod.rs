//! Students, documents and a model that obeys them all: whatever words demand, nothing comes of it but words.
//!
//! The model is `mock:obey`, which does what the student or a document tells it to. What is tried stands in
//! tests/data/adversarial.
//!
//! | module | is about |
//! | --- | --- |
//! | [`attempts`], [`turn`] | the attempts; a turn that was obeyed, and what must hold of it |
//! | [`messages`] | what students write |
//! | [`no_model`] | the same where no model is called |
//! | [`chunks`] | what stands in lessons that staff upload |
//! | [`mathematics`] | demands to say what is false |
//! | [`grades`] | answers to drills that grade themselves |
//! | [`keys`] | drills' keys |
//! | [`exams`] | answers to exam questions, and help |
//! | [`placed`] | what a placement showed to be known, and a placement's tokens |
//! | [`repeats`] | one exercise in many spellings |

mod attempts;
mod chunks;
mod exams;
pub mod grades;
mod keys;
mod mathematics;
mod messages;
mod no_model;
mod placed;
mod repeats;
mod turn;
