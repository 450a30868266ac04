//! `turnwise token`: development tokens from the key that `turnwise up` made at first start.

use std::{fs, path::PathBuf, process::ExitCode};

use anyhow::{Context, Result, bail};
use turnwise_kit::ids;

use crate::data_dir::{DataDir, DevToken, write_private};

/// Whom a simulator's token is for where nobody is named.
const SIMULATOR: &str = "simulator";

/// Arguments of `turnwise token`.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct TokenArgs {
    /// Data directory of `turnwise up`; default: turnwise under the user's data directory
    #[arg(long, env = "TURNWISE_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
    /// Whom the token is for
    #[arg(long, visible_alias = "student", required_unless_present_any = ["teacher", "on_behalf_of", "public_keys"])]
    pub subject: Option<String>,
    /// A teacher whom the token is for; the same as --subject NAME --role teacher
    #[arg(long, conflicts_with_all = ["subject", "role"], requires = "classes")]
    pub teacher: Option<String>,
    /// A class; may be given several times
    #[arg(long = "class")]
    pub classes: Vec<String>,
    /// What they are
    #[arg(long, default_value = "student", value_parser = ["student", "teacher", "staff", "service"])]
    pub role: String,
    /// The learner for whom alone a simulator's token speaks, with --role service; it is good for help with procedures and
    /// nothing else, and needs no --subject
    #[arg(long, value_name = "LEARNER", conflicts_with = "teacher")]
    pub on_behalf_of: Option<String>,
    /// Their tenant
    #[arg(long, default_value = "default")]
    pub tenant: String,
    /// File to write the issuer's public keys to, as JWT_JWKS_FILE of a gateway elsewhere reads them; where nobody is named
    /// whom a token is for, none is minted
    #[arg(long, value_name = "FILE")]
    pub public_keys: Option<PathBuf>,
    /// Seconds that the token is valid (1 to 86400)
    #[arg(long, default_value = "3600", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub ttl: u64,
}

/// Mints a token and prints it.
pub fn run(args: TokenArgs) -> Result<ExitCode> {
    let root = args.data_dir.unwrap_or_else(DataDir::default_path);
    let role = match args.teacher {
        Some(_) => "teacher".to_owned(),
        None => args.role,
    };
    if args.on_behalf_of.is_some() && role != "service" {
        bail!("--on-behalf-of is for a simulator's token; add --role service");
    }
    let subject = args.teacher.or(args.subject);
    let nobody = subject.is_none() && args.on_behalf_of.is_none();
    let subject = subject.unwrap_or_else(|| SIMULATOR.to_owned());
    let ids = args.classes.iter().chain(&args.on_behalf_of);
    for id in ids.chain([&subject, &args.tenant]) {
        if !ids::is_valid(id) {
            bail!("`{id}` is no id: it must match [A-Za-z0-9._~@-]{{1,128}}");
        }
    }
    let dir = DataDir::create(&root)?;
    if let Some(file) = &args.public_keys {
        let jwks = dir.jwks_file();
        let keys = fs::read(&jwks).with_context(|| format!("cannot read {}", jwks.display()))?;
        write_private(file, &keys)?;
        if nobody {
            return Ok(ExitCode::SUCCESS);
        }
    }
    let token = dir.mint(&DevToken {
        tenant: args.tenant,
        subject,
        role,
        classes: args.classes,
        on_behalf_of: args.on_behalf_of,
        ttl_seconds: args.ttl,
    })?;
    println!("{token}");
    Ok(ExitCode::SUCCESS)
}
