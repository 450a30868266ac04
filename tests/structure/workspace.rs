//! The workspace as cargo and git see it.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use turnwise_tests::process::repository;

/// What `cargo metadata` says of the workspace and of all that it depends on, on this kind of machine: what others need
/// was never fetched.
pub fn metadata() -> Value {
    let version = output(Command::new("rustc").arg("-vV"));
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let metadata = output(
        Command::new(cargo)
            .args(["metadata", "--format-version=1", "--locked", "--offline"])
            .args(["--filter-platform", host.unwrap()]),
    );
    serde_json::from_str(&metadata).unwrap()
}

/// What a command prints, run at the repository's root.
fn output(command: &mut Command) -> String {
    let output = command.current_dir(repository()).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// The packages of the workspace: folder below the root, and what cargo says of it.
pub fn members(metadata: &Value) -> Vec<(String, &Value)> {
    let ids = metadata["workspace_members"].as_array().unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    packages
        .iter()
        .filter(|package| ids.contains(&package["id"]))
        .map(|package| {
            let manifest = Path::new(package["manifest_path"].as_str().unwrap());
            let folder = manifest.parent().unwrap();
            let folder = folder.strip_prefix(repository()).unwrap();
            (folder.display().to_string(), package)
        })
        .collect()
}

/// The project's files of these kinds, below the root: those that git knows or would add.
pub fn files(endings: &[&str]) -> Vec<PathBuf> {
    let list = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let files: Vec<PathBuf> = output(Command::new("git").args(list))
        .lines()
        .filter(|file| endings.iter().any(|ending| file.ends_with(ending)))
        .map(PathBuf::from)
        .filter(|file| repository().join(file).is_file())
        .collect();
    assert!(!files.is_empty(), "no file ends with any of {endings:?}");
    files
}

/// A file's text.
pub fn read(file: &Path) -> String {
    std::fs::read_to_string(repository().join(file)).unwrap()
}
