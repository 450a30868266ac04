//! The workspace as cargo and git see it.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use turnwise_tests::process::repository;

/// What `cargo metadata` says of the workspace and of all that it depends on.
pub fn metadata() -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--locked", "--offline"])
        .current_dir(repository())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
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
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(repository())
        .output()
        .unwrap();
    assert!(output.status.success());
    let files: Vec<PathBuf> = String::from_utf8(output.stdout)
        .unwrap()
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
