//! `turnwise token`: development tokens from the key that `turnwise up` made at first start.

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Result, bail};
use turnwise_kit::ids;

use crate::data_dir::{DataDir, DevToken};

/// Arguments of `turnwise token`.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct TokenArgs {
    /// Data directory of `turnwise up`; default: turnwise under the user's data directory
    #[arg(long, env = "TURNWISE_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
    /// Whom the token is for
    #[arg(long, visible_alias = "student")]
    pub subject: String,
    /// A class; may be given several times
    #[arg(long = "class")]
    pub classes: Vec<String>,
    /// What they are
    #[arg(long, default_value = "student", value_parser = ["student", "teacher", "staff", "service"])]
    pub role: String,
    /// Their tenant
    #[arg(long, default_value = "default")]
    pub tenant: String,
    /// Seconds that the token is valid (1 to 86400)
    #[arg(long, default_value = "3600", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub ttl: u64,
}

/// Mints a token and prints it.
pub fn run(args: TokenArgs) -> Result<ExitCode> {
    let root = args.data_dir.unwrap_or_else(DataDir::default_path);
    for id in args.classes.iter().chain([&args.subject, &args.tenant]) {
        if !ids::is_valid(id) {
            bail!("`{id}` is no id: it must match [A-Za-z0-9._~@-]{{1,128}}");
        }
    }
    let token = DataDir::create(&root)?.mint(&DevToken {
        tenant: args.tenant,
        subject: args.subject,
        role: args.role,
        classes: args.classes,
        ttl_seconds: args.ttl,
    })?;
    println!("{token}");
    Ok(ExitCode::SUCCESS)
}
