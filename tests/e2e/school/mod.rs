//! What teachers, staff and platforms may do with classes, and what a teacher's decisions come to.

mod decisions;
mod foreign;
mod report;
mod reset_key;
mod rosters;
mod waiting;
