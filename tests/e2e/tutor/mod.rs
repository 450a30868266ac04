//! The tutor, whole: simulated students go through a course by public calls alone, and end where the rules say.
//!
//! | module | is about |
//! | --- | --- |
//! | [`simulated_student`], [`answers`], [`expected_evidence`] | a student with a screen, what they know, and what that should come to |
//! | [`always_right`] | who is always right gets every badge |
//! | [`often_wrong`] | who errs is helped, locked out for a while, and keeps every badge |
//! | [`off_path`] | who asks for what is too far ahead is led there |
//! | [`led_back`] | who asks for one thing is led there and back, in each thread, with and without a placement |
//! | [`buttons`] | who only presses buttons never meets an error or a dead end |
//! | [`forged_drills`], [`forged_exams`], [`forged_turns`] | who forges what a client can forge gains nothing |
//! | [`open_drill`] | what is known of the drill that a student works on |
//! | [`ordered_drills`] | who gives orders to the grader gains nothing where mathematics can read the answer |
//! | [`idempotency`] | what is sent again, or twice at once, counts once |
//! | [`locks`] | exam questions: one answer counts, help locks |
//! | [`stream`] | how far a turn is, while it is taken |
//! | [`guardrails`] | words that call for help |
//! | [`prompts`] | what a model is told, and what a class shares of it |
//! | [`explained`] | what staff see of a turn, and what stays of it |
//! | [`replay`], [`changed_records`] | every turn made again of its record, and what a replay notices |
//! | [`kept_texts`] | the course's words that a record names, and those of uploads that it holds |

mod always_right;
mod buttons;
pub mod changed_records;
mod expected_evidence;
mod explained;
mod forged_drills;
mod forged_exams;
mod forged_turns;
mod guardrails;
mod idempotency;
mod kept_texts;
mod led_back;
pub mod locks;
mod off_path;
mod often_wrong;
mod open_drill;
mod ordered_drills;
mod prompts;
mod replay;
pub mod simulated_student;
mod store;
mod stream;

pub use turnwise_tests::known_answers as answers;
