//! The service through its generated client, in process, over packs on disk.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod bad_input;
mod buttons;
mod by_numbers;
mod chat;
mod chat_reply;
mod chat_rules;
mod class_standing;
mod context;
mod courses;
mod demo_course;
mod drill_checks;
mod drill_keys;
mod evidence;
mod exam_drills;
mod exams;
mod exercises;
mod explain;
mod fixture;
mod golden;
mod grading;
mod mathematics;
mod placement;
mod plan_and_decide;
mod procedure_help;
mod reload;
mod reply_contract;
mod reply_guard;
mod second_reading;
mod start;
mod target;
mod teaching;
mod texts;
mod turn;
