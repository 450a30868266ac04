//! Golden files: worked cases, each with what was given and everything that was decided, in `snapshots/`.
//!
//! A file's header says what it shows. A change of a rule shows here as a change of these files; read it line by line
//! before taking it over, which `INSTA_UPDATE=always` does.

mod course;
mod evidence;
mod exams;
mod fallbacks;
mod grades;
mod order;
mod page;
mod prerequisites;
mod reasons;
mod refusals;
mod replies;
mod sections;
mod story;
mod timeline;
mod turns;

use std::{collections::BTreeSet, fs, path::Path};

/// Compares a page with the golden file that has the test's name.
macro_rules! golden {
    ($about:expr, $page:expr $(,)?) => {{
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_description($about);
        let page = $page;
        settings.bind(|| insta::assert_snapshot!(page));
    }};
}
pub(crate) use golden;

#[test]
fn every_golden_file_belongs_to_a_test() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden");
    let files = |folder: &Path, extension: &str| -> Vec<_> {
        let entries = fs::read_dir(folder).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .filter(|path| path.extension().is_some_and(|found| found == extension))
            .collect()
    };
    let sources: String = files(&folder, "rs")
        .iter()
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let tests: BTreeSet<_> = sources
        .lines()
        .filter_map(|line| line.strip_prefix("fn ")?.strip_suffix("() {"))
        .collect();
    let snapshots = files(&folder.join("snapshots"), "snap");
    assert!(!snapshots.is_empty());
    for path in snapshots {
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(
            tests.contains(name),
            "no test writes {name}; remove the file"
        );
    }
}
