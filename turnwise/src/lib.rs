//! The binary people run, as a library: the suite in one process, a client of the public face, and the commands.
//!
//! | module | is about |
//! | --- | --- |
//! | [`up`], [`serve`], [`suite`], [`grouping`] | services in one process: all five with development keys, or any of them |
//! | [`doctor`] | whether what the settings name works |
//! | [`ready`] | whether a service takes calls, for an engine's health checks |
//! | [`data_dir`], [`token`] | what `up` keeps on disk; development keys and tokens |
//! | [`client`], [`turn`], [`chat`] | talking to the public face |
//! | [`help_session`] | a procedure, played in the terminal with help |
//! | [`placement`] | what a student knows already, asked in the terminal |
//! | [`replay`] | a turn made again of its record |
//! | [`queue`] | the lines in front of models |
//! | [`index`], [`search`] | what is searched beside a course pack; what is found, and why |
//! | [`edge`], [`render`], [`wire`] | answers as JSON and for a terminal; messages of the wire as JSON |
//! | [`course`] | beginning, checking, packing, drawing and importing course packs; topics and references of lessons |
//! | [`eval`] | prompts with expected behaviours for the homework helper |
//! | [`class`], [`student`] | what teachers and staff do with classes and students' records |
//! | [`backup`], [`verify`] | copies of embedded files, and bringing them back; what a store holds, counted and checked |
//! | [`archive`] | verifying the archives of class resets and exports |

pub mod archive;
pub mod backup;
pub mod chat;
pub mod class;
pub mod client;
mod context_window;
pub mod course;
pub mod data_dir;
pub mod doctor;
pub mod edge;
pub mod eval;
pub mod grouping;
pub mod help_session;
pub mod index;
pub mod placement;
pub mod queue;
pub mod ready;
pub mod render;
pub mod replay;
mod school;
pub mod search;
pub mod serve;
pub mod student;
pub mod suite;
pub mod token;
pub mod turn;
pub mod up;
pub mod verify;
pub mod wire;
