//! The service's settings.

use std::path::PathBuf;

/// The service's settings.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct Settings {
    /// The folder with the course packs: every sub-folder with a `course.yaml`, or a pack itself.
    #[arg(long, env = "COURSES_DIR", default_value = "courses")]
    pub courses_dir: PathBuf,
}
