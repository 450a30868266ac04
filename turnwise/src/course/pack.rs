//! `turnwise course pack`: one file with a course, for a volume, a web server or a registry.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use turnwise_course_bundles::{SigningKey, pack};
use turnwise_kit::{files::NamedFile, settings::SecretFiles};
use turnwise_policy_svc::courses;

use super::check::{Summary, refused};

/// Arguments of `turnwise course pack`.
#[derive(clap::Args, Debug, Clone)]
pub struct PackArgs {
    /// The pack's folder.
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// The file to write; one that is there is replaced. Its name ends with .tar.zst, or with .tar for one that is not
    /// compressed; without it COURSE_ID.tar.zst
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Sign it with the Ed25519 private key in this file, PEM, which not everybody may read
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Who may read the file with the key.
    #[command(flatten)]
    pub secret_files: SecretFiles,
}

/// Runs `course pack`: failure if the pack has faults.
pub(super) fn run(args: &PackArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let name = args.out.as_deref().unwrap_or(Path::new(".tar.zst"));
    let ends = |end: &str| {
        name.as_os_str()
            .as_encoded_bytes()
            .ends_with(end.as_bytes())
    };
    if !ends(".tar") && !ends(".tar.zst") {
        bail!(
            "{} is no name of a bundle; let it end with .tar.zst or .tar",
            name.display()
        );
    }
    let key = args.key.as_ref().map(|file| {
        args.secret_files.decide();
        SigningKey::read(&NamedFile::secret("--key", file))
    });
    let key = key.transpose()?;
    let bundle = match pack(&args.dir, ends(".zst"), key.as_ref()) {
        Ok(bundle) => bundle,
        Err(faults) => return refused(&args.dir, &faults, out),
    };
    // What no service would serve is not packed.
    let faults = courses::faults(&bundle.pack, usize::MAX);
    if !faults.is_empty() {
        return refused(&args.dir, &faults, out);
    }
    let file = match &args.out {
        Some(file) => file.clone(),
        None => PathBuf::from(format!("{}.tar.zst", bundle.manifest.course_id)),
    };
    write(&file, &bundle.bytes)
        .with_context(|| format!("{} cannot be written; name another file", file.display()))?;
    Summary::of(&bundle.pack).write(out)?;
    let signed = if bundle.manifest.is_signed() {
        ", signed"
    } else {
        ""
    };
    writeln!(
        out,
        "  {}: {} bytes{signed}",
        file.display(),
        bundle.bytes.len()
    )?;
    writeln!(out, "  pack   {}", bundle.manifest.pack_hash)?;
    writeln!(out, "  sha256 {}", bundle.digest)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the file in one step: a service may be looking at it.
fn write(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let folder = file.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    let mut fresh = tempfile::Builder::new()
        .prefix(".bundle-")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .tempfile_in(folder)?;
    fresh.write_all(bytes)?;
    fresh.as_file().sync_all()?;
    fresh.persist(file)?;
    Ok(())
}
