//! What is kept of classes.
//!
//! | module | is about |
//! | --- | --- |
//! | [`settings`] | roster, policy and begun placements, read through a cache that follows changes |
//! | [`activity`] | what students did, counted by week in their own partitions |
//! | [`students`] | who has worked in a class, and what a report is made of |
//! | [`alerts`], [`watch_alerts`] | calls for help: raised, listed, acknowledged; watched |
//! | [`prerequisites`] | units that a teacher marks as met |
//! | [`placements`] | placements that a teacher begins for a class or takes back |

pub mod activity;
pub mod alerts;
pub mod placements;
pub mod prerequisites;
pub mod settings;
pub mod students;
pub mod watch_alerts;
