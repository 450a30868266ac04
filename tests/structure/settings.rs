//! Settings are what `--help` lists: the check of deploy/ relies on that.

use std::{collections::BTreeSet, os::unix::fs::symlink, path::Path};

use turnwise_tests::process::{binary, clean_command};

use crate::workspace::{files, read};

/// Every program, and what comes before its settings.
const PROGRAMS: [(&str, &[&str]); 7] = [
    ("turnwise", &["up"]),
    ("turnwise", &["serve"]),
    ("policy-svc", &[]),
    ("retrieval-svc", &[]),
    ("llm-gateway-svc", &[]),
    ("session-svc", &[]),
    ("gateway-svc", &[]),
];

/// Sources of what is shipped: no tests, no tools for tests.
fn shipped() -> impl Iterator<Item = (String, String)> {
    files(&[".rs"])
        .into_iter()
        .filter(|file| file.components().any(|part| part.as_os_str() == "src"))
        .filter(|file| {
            let tools = ["tests", "libs/testing", "retrieval-svc/quality"];
            !tools.iter().any(|tool| file.starts_with(Path::new(tool)))
        })
        .map(|file| (file.display().to_string(), read(&file)))
}

/// What a program's help says.
fn help(program: &Path, before: &[&str]) -> String {
    let home = tempfile::tempdir().unwrap();
    let output = clean_command(program, home.path())
        .args(before)
        .arg("--help")
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// The variables that a program's help lists.
fn listed(program: &str, before: &[&str]) -> BTreeSet<String> {
    let help = help(&binary(program), before);
    let after = help.split("[env:").skip(1);
    after
        .filter_map(|text| text.trim_start().split(['=', ']']).next())
        .map(|name| name.trim().to_owned())
        .collect()
}

#[test]
fn every_setting_in_the_source_is_in_the_help_of_a_program() {
    let mut known = BTreeSet::new();
    for (program, before) in PROGRAMS {
        let listed = listed(program, before);
        assert!(listed.contains("LOG_FORMAT"), "{program} lists settings");
        known.extend(listed);
    }
    // The subcommands that are clients of a suite have settings of their own.
    for subcommand in [
        &["turn"][..],
        &["chat"],
        &["replay"],
        &["queue"],
        &["search"],
        &["token"],
        &["archive", "verify"],
        &["index", "add"],
        &["index", "status"],
    ] {
        known.extend(listed("turnwise", subcommand));
    }
    let mut found = 0;
    for (file, source) in shipped() {
        for text in source.split("env = \"").skip(1) {
            let name = text.split('"').next().unwrap();
            found += 1;
            assert!(known.contains(name), "{file}: no help lists {name}");
        }
        assert!(
            !source.contains("hide_env = true") && !source.contains("hide_short_help"),
            "{file} hides a setting"
        );
    }
    assert!(found > 50, "settings are found: {found}");
}

/// The image holds one program under six names.
#[test]
fn turnwise_called_by_a_services_name_is_that_service() {
    let folder = tempfile::tempdir().unwrap();
    let services = PROGRAMS.iter().filter(|(_, before)| before.is_empty());
    let mut compared = 0;
    for (name, _) in services {
        let called = folder.path().join(name);
        symlink(binary("turnwise"), &called).unwrap();
        assert_eq!(help(&called, &[]), help(&binary(name), &[]), "{name}");
        compared += 1;
    }
    assert_eq!(compared, 5);
}

/// Where the environment is read for something that is no setting: which file holds the settings, the development data
/// folder's variables that a person has set, whether a terminal wants colours, and what `turnwise up` refuses as it belongs to
/// another command.
const READERS: [&str; 4] = [
    "libs/kit/src/settings.rs",
    "turnwise/src/data_dir.rs",
    "turnwise/src/render/ink.rs",
    "turnwise/src/up.rs",
];

#[test]
fn nothing_reads_the_environment_beside_the_settings() {
    for (file, source) in shipped() {
        let reads = ["env::var(", "env::var_os(", "env::vars", "use std::env"]
            .iter()
            .any(|way| source.contains(way));
        assert_eq!(
            reads,
            READERS.contains(&file.as_str()),
            "{file} reads the environment: {reads}"
        );
    }
}
