//! What staff upload to a course, as they do it: through the public face, while students go on, and through kills.
//!
//! | module | is about |
//! | --- | --- |
//! | [`public`] | uploading, looking at an index and searching it through the gateway, and who may |
//! | [`busy`] | turns are answered while uploads are committed |
//! | [`settings`] | what stops retrieval-svc's start |
//! | [`kills`] | retrieval-svc is killed at every stage of indexing |
//! | [`acknowledged`] | what was acknowledged, against what is there |
//! | [`service`] | retrieval-svc alone, and what staff and students ask of it |
//!
//! RETRIEVAL_KILLS and RETRIEVAL_KILLS_SEED say how many kills and which; every run prints its seed.

mod acknowledged;
mod busy;
mod kills;
mod public;
mod service;
mod settings;
