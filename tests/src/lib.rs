//! What the end-to-end tests stand on: the suite as real processes, students who talk to it, and what must hold for
//! every answer.
//!
//! | module | is about |
//! | --- | --- |
//! | [`deployment`], [`options`] | the suite in one process, or as five processes or fewer with Redis |
//! | [`process`], [`output`] | one real process and what it writes |
//! | [`standalone_service`] | one service alone, killed and started again |
//! | [`classroom`] | a class without its processes, with a clock that is moved |
//! | [`upload`] | sources that staff upload to a course |
//! | [`fault_proxy`] | a proxy between services that answers garbage, or strikes in the middle of a call |
//! | [`exam_system`] | a platform's exam system, as a process of its own |
//! | [`redis_fault_proxy`], [`resp`] | a proxy to Redis that strikes at a chosen byte |
//! | [`seed`], [`precise_wait`] | choices that a seed repeats; waits to the microsecond |
//! | [`model_gateway`], [`help_request`] | llm-gateway-svc alone, and students who press *help* |
//! | [`model_server`] | a model server that is none, as a process of its own |
//! | [`procfs`] | what the kernel knows of a process |
//! | [`student`], [`teacher`], [`staff`] | people with a token and a typed client |
//! | [`patient`] | a student whose client sends again what it is told to |
//! | [`token`] | tokens, good and bad |
//! | [`answer`] | what must hold for every answer; a turn's decision in the gateway's log |
//! | [`refusal`] | what must hold for every refusal |
//! | [`evidence`], [`visible_state`] | records of students who have shown something; what a student can see of theirs |
//! | [`kept_lesson`] | a lesson whose every trace is known |
//! | [`raw`] | calls with bytes that no generated client sends |
//! | [`traces`] | a receiver of traces |
//! | [`floor`] | what the turn benchmark compares with |
//! | [`lesson`], [`known_answers`] | a class's lesson at any suite, kept count of; the demo course's right answers |
//! | [`mixed_load`], [`stored_rows`] | what students do in a lesson; what the embedded store's file holds of it |
//! | [`admin`], [`eventually`], [`shared_data`] | the admin port; waiting for a condition; data beside the repository |

// Fixtures end a test by panicking, and say why.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod admin;
pub mod answer;
pub mod chat;
pub mod classroom;
pub mod deployment;
pub mod eventually;
pub mod evidence;
pub mod exam_system;
pub mod fault_proxy;
pub mod floor;
pub mod help_request;
pub mod kept_lesson;
pub mod known_answers;
pub mod lesson;
pub mod mixed_load;
pub mod model_gateway;
pub mod model_server;
pub mod options;
pub mod output;
pub mod patient;
pub mod precise_wait;
pub mod procedure;
pub mod process;
pub mod procfs;
pub mod raw;
pub mod redis_fault_proxy;
pub mod refusal;
pub mod resp;
pub mod seed;
pub mod shared_data;
pub mod staff;
pub mod standalone_service;
pub mod stored_rows;
pub mod student;
pub mod teacher;
pub mod token;
pub mod traces;
pub mod upload;
pub mod visible_state;
