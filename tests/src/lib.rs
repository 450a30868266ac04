//! What the end-to-end tests stand on: the suite as real processes, students who talk to it, and what must hold for
//! every answer.
//!
//! | module | is about |
//! | --- | --- |
//! | [`deployment`], [`options`] | the suite in one process, or as five processes with Redis |
//! | [`process`], [`lines`] | one real process and what it writes |
//! | [`lone_service`] | one service alone, killed and started again |
//! | [`upload`] | sources that staff upload to a course |
//! | [`meddler`] | a way between services that answers garbage, or strikes in the middle of a call |
//! | [`exam_system`] | a platform's exam system, as a process of its own |
//! | [`relay`], [`resp`] | a way to Redis that strikes at a chosen byte |
//! | [`seed`], [`moment`] | choices that a seed repeats; exact moments |
//! | [`model_gateway`], [`press`] | llm-gateway-svc alone, and pupils who press *help* |
//! | [`model_server`] | a model server that is none, as a process of its own |
//! | [`procfs`] | what the kernel knows of a process |
//! | [`student`], [`staff`] | people with a token and a typed client |
//! | [`token`] | tokens, good and bad |
//! | [`answer`] | what must hold for every answer; a turn's decision in the gateway's log |
//! | [`refusal`] | what must hold for every refusal |
//! | [`evidence`], [`kept`] | records of students who have shown something; what is kept of a student |
//! | [`raw`] | calls with bytes that no generated client sends |
//! | [`traces`] | a receiver of traces |
//! | [`floor`] | what the turn benchmark compares with |
//! | [`certificates`] | an authority and certificates for TLS |
//! | [`admin`], [`eventually`], [`shared`] | the admin port; waiting for a condition; data beside the repository |

// Fixtures end a test by panicking, and say why.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod admin;
pub mod answer;
pub mod certificates;
pub mod deployment;
pub mod eventually;
pub mod evidence;
pub mod exam_system;
pub mod floor;
pub mod kept;
pub mod lines;
pub mod lone_service;
pub mod meddler;
pub mod model_gateway;
pub mod model_server;
pub mod moment;
pub mod options;
pub mod press;
pub mod process;
pub mod procfs;
pub mod raw;
pub mod refusal;
pub mod relay;
pub mod resp;
pub mod seed;
pub mod shared;
pub mod staff;
pub mod student;
pub mod token;
pub mod traces;
pub mod upload;
