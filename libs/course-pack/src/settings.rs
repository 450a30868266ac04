//! The settings of a service that serves packs.

use std::path::PathBuf;

use clap::value_parser;

const ARCHIVE_DAYS: u32 = 90;

/// Where the packs are, how they are followed, and where what was served is kept.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct LibrarySettings {
    /// The folder with the course packs: every sub-folder with a `course.yaml`, every bundle (`*.tar`, `*.tar.zst`), and
    /// every file `*.bundle` with the address of one; or one of these itself. Bundles need PACK_ARCHIVE_DIR.
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

    /// A folder that gets a copy of every version of a course that is served: turns name the version that they were
    /// taken with, and can be replayed as long as it is there. Bundles are unpacked there. Unset: none
    #[arg(long, env = "PACK_ARCHIVE_DIR")]
    pub pack_archive_dir: Option<PathBuf>,

    /// Days (1 to 3650) that a version stays in PACK_ARCHIVE_DIR after it was served: no fewer than
    /// TURN_LOG_RETENTION_DAYS of session-svc
    #[arg(
        long,
        env = "PACK_ARCHIVE_DAYS",
        default_value_t = ARCHIVE_DAYS,
        value_parser = value_parser!(u32).range(1..=3650)
    )]
    pub pack_archive_days: u32,

    /// A file with Ed25519 public keys, PEM, at most 32: every bundle must be signed with one of them. It is read again
    /// for each bundle. Unset: signatures are not looked at
    #[arg(long, env = "COURSE_BUNDLE_KEYS_FILE")]
    pub course_bundle_keys_file: Option<PathBuf>,

    /// A file with names and passwords for the hosts that bundles come from, in the form of Docker's config.json
    /// (`auths`). It is read again for each bundle. Unset: none
    #[arg(long, env = "COURSE_BUNDLE_LOGINS_FILE")]
    pub course_bundle_logins_file: Option<PathBuf>,
}

impl LibrarySettings {
    /// The courses of a folder, looked at so often (0: never), and the rest as it is by default.
    #[must_use]
    pub fn new(courses_dir: PathBuf, courses_reload_seconds: u32) -> Self {
        Self {
            courses_dir,
            courses_reload_seconds,
            pack_archive_dir: None,
            pack_archive_days: ARCHIVE_DAYS,
            course_bundle_keys_file: None,
            course_bundle_logins_file: None,
        }
    }
}
