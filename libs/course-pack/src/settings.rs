//! The settings of a service that serves packs.

use std::path::PathBuf;

use clap::value_parser;

/// Where the packs are, and how they are followed.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct LibrarySettings {
    /// The folder with the course packs: every sub-folder with a `course.yaml`, or a pack itself.
    #[arg(long, env = "COURSES_DIR", default_value = "courses")]
    pub courses_dir: PathBuf,

    /// How often the folder is looked at for changes, in seconds (0 to 3600); 0: never. A changed pack is served without a
    /// restart once it has stayed the same for a few looks; a broken one is logged and the last good version stays.
    #[arg(
        long,
        env = "COURSES_RELOAD_SECONDS",
        default_value = "2",
        value_parser = value_parser!(u32).range(0..=3600)
    )]
    pub courses_reload_seconds: u32,
}
