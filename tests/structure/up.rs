//! `deploy/up`, with a stand-in for Docker that notes what it is asked for.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::Command,
};

use turnwise_tests::process::repository;

/// Notes its arguments. A build takes a while, and fails if it is to; a model cannot be fetched.
const DOCKER: &str = r#"#!/bin/sh
echo "$*" >>"$NOTES"
case $* in
    build*) sleep 0.2 && exit "$BUILD" ;;
    *ollama) exit 1 ;;
esac
"#;
const FETCHES: &str = "compose up --detach --quiet-pull ollama";

/// Whether it succeeds, and what Docker is asked for, but for the version, in this order where it waits for an answer.
fn up(args: &[&str], build: &str) -> (bool, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for script in ["up", "make-secrets"] {
        fs::copy(repository().join("deploy").join(script), at(script)).unwrap();
    }
    fs::create_dir(at("bin")).unwrap();
    fs::write(at("bin/docker"), DOCKER).unwrap();
    fs::set_permissions(at("bin/docker"), Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths([at("bin")].into_iter().chain(std::env::split_paths(&path)));
    let output = Command::new("bash")
        .arg(at("up"))
        .args(args)
        .envs([("PATH", path.unwrap()), ("BUILD", build.into())])
        .env("NOTES", at("notes"))
        .output()
        .unwrap();
    let mut asked = lines(&at("notes"));
    assert_eq!(asked.remove(0), "compose version");
    (output.status.success(), asked)
}

fn lines(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn the_model_is_fetched_while_the_image_is_built() {
    let (done, asked) = up(&[], "0");
    assert!(
        done,
        "what cannot be fetched is tried again by the last call"
    );
    assert_eq!(asked.len(), 3, "{asked:?}");
    assert!(asked[..2].iter().any(|call| call == FETCHES), "{asked:?}");
    assert!(asked[..2].iter().any(|call| call.starts_with("build ")));
    assert_eq!(asked[2], "compose up --wait");
}

#[test]
fn who_names_services_gets_no_other() {
    let (done, asked) = up(&["gateway-svc"], "0");
    assert!(done && asked[0].starts_with("build "), "{asked:?}");
    assert_eq!(asked[1..], ["compose up --wait gateway-svc"]);
    let (done, asked) = up(&["--no-build", "--scale", "policy-svc=2"], "0");
    assert!(done);
    assert_eq!(asked, ["compose up --wait --no-build --scale policy-svc=2"]);
}

#[test]
fn what_is_not_built_is_not_started() {
    let (done, asked) = up(&[], "1");
    assert!(!done);
    assert!(
        !asked.iter().any(|call| call.contains("--wait")),
        "{asked:?}"
    );
}
