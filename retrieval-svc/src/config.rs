//! The service's settings: those of every service that serves course packs.

pub use turnwise_course_pack::LibrarySettings as Settings;
