//! `turnwise course check` on packs that are broken, and what a service does with such a pack.

use std::{fs, path::Path, process::Output};

use tempfile::TempDir;
use turnwise_tests::{
    options::Service,
    process::{Process, Program, binary, clean_command, repository},
    student::DEMO_COURSE,
};

/// A copy of the demo course with one text of one file replaced; without a text to replace, with one more file.
fn broken(file: &str, from: &str, to: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let pack = dir.path().join(DEMO_COURSE);
    copy(&repository().join("courses").join(DEMO_COURSE), &pack);
    let file = pack.join(file);
    if from.is_empty() {
        assert!(!file.exists(), "{} is there", file.display());
        fs::write(&file, to).unwrap();
        return dir;
    }
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{} has no `{from}`", file.display());
    fs::write(&file, text.replacen(from, to, 1)).unwrap();
    dir
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn check(dir: &Path, more: &[&str]) -> Output {
    clean_command(&binary("turnwise"), dir)
        .args(["course", "check"])
        .arg(dir)
        .args(more)
        .output()
        .unwrap()
}

struct Row {
    name: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
    says: &'static [&'static str],
    /// Who refuses it.
    services: &'static [Service],
}

/// What is wrong with a pack's files is found by all who read them.
const READERS: &[Service] = &[Service::Policy, Service::Retrieval, Service::Suite];
/// What the tutor would say is judged by those who would say it.
const SPEAKERS: &[Service] = &[Service::Policy, Service::Suite];

const ROWS: [Row; 13] = [
    Row {
        name: "a cycle",
        file: "units/10-numbers.yaml",
        from: "    prerequisites: [ENTRY-00]\n",
        to: "    prerequisites: [ENTRY-00, ALG-02]\n",
        says: &["circle", "ALG-01", "ALG-02"],
        services: READERS,
    },
    Row {
        name: "an unknown unit",
        file: "units/10-numbers.yaml",
        from: "    prerequisites: [ALG-01]\n",
        to: "    prerequisites: [ALG-01, ALG-99]\n",
        says: &["ALG-99"],
        services: READERS,
    },
    Row {
        name: "a duplicate id",
        file: "units/10-numbers.yaml",
        from: "  - id: ALG-02\n",
        to: "  - id: ALG-01\n",
        says: &["ALG-01", "a second time"],
        services: READERS,
    },
    Row {
        name: "bad YAML",
        file: "units/10-numbers.yaml",
        from: "    tags: [integers, number line, signs]\n",
        to: "    tags: [integers, number line, signs\n",
        says: &[],
        services: READERS,
    },
    Row {
        name: "a drill that divides by zero",
        file: "units/10-numbers.yaml",
        from: "          - b in 2..9\n",
        to: "          - b = 1/(a - a)\n",
        says: &["ALG-02-D5", "seed 0", "a = ", "divides by zero"],
        services: READERS,
    },
    Row {
        name: "a hint that gives the answer away",
        file: "units/10-numbers.yaml",
        from: "          - 'Put your finger on $-3$. Which way does adding 8 take you?'\n",
        to: "          - 'The answer is 5.'\n",
        says: &["a hint of the drill `ALG-01-D1` gives its answer away"],
        services: SPEAKERS,
    },
    Row {
        name: "false mathematics in a text",
        file: "units/10-numbers.yaml",
        from: "multiply and divide them with the right sign.'\n",
        to: "multiply and divide them with the right sign. So $2 - 5 = 3$.'\n",
        says: &["the unit `ALG-01` says `2 - 5 = 3`", "false mathematics"],
        services: SPEAKERS,
    },
    Row {
        name: "false mathematics in a worked line",
        file: "units/10-numbers.yaml",
        from: "          - '$6 + 3 = 9$'\n",
        to: "          - '$6 + 3 = 8$'\n",
        says: &["drill `ALG-01-D2` says `6 + 3 = 8`", "false mathematics"],
        services: SPEAKERS,
    },
    Row {
        name: "a link in a text",
        file: "units/10-numbers.yaml",
        from: "      text: 'Every integer is a place on the number line.",
        to: "      text: 'Every integer is a place on the number line: https://example.org.",
        says: &["the unit `ALG-01` has a text that no student may be shown"],
        services: SPEAKERS,
    },
    Row {
        name: "a link in the course's own wording",
        file: "texts.yaml",
        from: "",
        to: "feedback-right: 'Right, see https://example.org.'\n",
        says: &["`feedback-right` has a link"],
        services: READERS,
    },
    Row {
        name: "wrong placeholders in the course's own wording",
        file: "texts.yaml",
        from: "",
        to: "way-before: First { $unit }, then { $aim }.\n",
        says: &["`way-before` has no placeholder `{ $aim }`"],
        services: READERS,
    },
    Row {
        name: "a drill with two keys",
        file: "units/10-numbers.yaml",
        from: "        question_latex: '[[a]] + [[b]] \\times [[c]]'\n",
        to: "        question_latex: '2 + 3'\n",
        says: &["the drill `ALG-02-D5` has two keys for one exercise"],
        services: READERS,
    },
    Row {
        name: "a drill that nothing solves",
        file: "units/30-equations.yaml",
        from: "        question_latex: 'x [[b : plus]] = [[x + b]]'\n",
        to: "        question_latex: 'x^{2} = -[[x + 20]]'\n",
        says: &["with seed 0 (", "its key `x = ", "is not the whole answer"],
        services: SPEAKERS,
    },
];

#[test]
fn a_good_pack_passes() {
    let output = check(&repository().join("courses"), &[]);
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{shown}");
    assert!(shown.contains("algebra-foundations: 20 units"), "{shown}");
}

/// Each row has tests of its own: a check of the demo course takes long in a debug build.
macro_rules! rows {
    ($($row:ident: $place:literal),* $(,)?) => {
        $(mod $row {
            use super::{ROWS, has_a_place_and_a_remedy, stops_who_reads_it};

            #[test]
            fn has_a_place_and_a_remedy_each() {
                has_a_place_and_a_remedy(&ROWS[$place]);
            }

            #[test]
            fn stops_the_services_that_read_it() {
                stops_who_reads_it(&ROWS[$place]);
            }
        })*

        #[test]
        fn every_row_has_its_tests() {
            assert_eq!([$($place),*].to_vec(), (0..ROWS.len()).collect::<Vec<_>>());
        }
    };
}

rows! {
    a_cycle: 0,
    an_unknown_unit: 1,
    a_duplicate_id: 2,
    bad_yaml: 3,
    a_division_by_zero: 4,
    a_hint_that_tells: 5,
    a_false_text: 6,
    a_false_worked_line: 7,
    a_link_in_a_text: 8,
    a_link_in_the_wording: 9,
    wrong_placeholders: 10,
    two_keys: 11,
    nothing_solves_it: 12,
}

fn has_a_place_and_a_remedy(row: &Row) {
    let dir = broken(row.file, row.from, row.to);
    let output = check(dir.path(), &[]);
    let shown = String::from_utf8(output.stdout).unwrap();
    println!("{}:\n{shown}", row.name);
    assert_eq!(output.status.code(), Some(1), "{}", row.name);
    let mut lines: Vec<_> = shown.lines().collect();
    assert!(lines.pop().unwrap().ends_with("refused"));
    // One mistake may have more than one consequence; each of them has a place and a remedy.
    let mut found = false;
    for fault in lines.chunks(2) {
        let (place, message) = fault[0].split_once(": ").unwrap();
        let (file, line) = place.rsplit_once(':').unwrap();
        assert!(Path::new(file).is_file());
        assert!(line.parse::<usize>().unwrap() > 0);
        assert!(fault[1].trim_start().starts_with("remedy: "));
        let this_file = file.ends_with(&format!("{DEMO_COURSE}/{}", row.file));
        found |= this_file && row.says.iter().all(|text| message.contains(text));
    }
    assert!(found, "not in {}", row.file);
}

#[test]
fn faults_are_told_to_programs() {
    let row = &ROWS[0];
    let dir = broken(row.file, row.from, row.to);
    let output = check(dir.path(), &["--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(report["ok"], false);
    let fault = &report["packs"][0]["faults"][0];
    assert!(fault["line"].as_u64().unwrap() > 0);
    for key in ["file", "message", "remedy"] {
        assert!(!fault[key].as_str().unwrap().is_empty());
    }
}

/// The services that read courses refuse to start with a broken one, and say where it is broken.
fn stops_who_reads_it(row: &Row) {
    let dir = broken(row.file, row.from, row.to);
    let home = tempfile::tempdir().unwrap();
    let token = home.path().join("token");
    turnwise_testing::write_secret(&token, "x".repeat(43)).unwrap();
    for service in row.services.iter().copied() {
        let args = if service == Service::Suite {
            vec![
                "up".into(),
                "--data-dir".into(),
                home.path().join("data").into(),
            ]
        } else {
            Vec::new()
        };
        let mut process = Process::spawn(&Program {
            name: service.binary(),
            folder: None,
            args,
            env: [
                ("LISTEN", "127.0.0.1:0".to_owned()),
                ("COURSES_DIR", dir.path().display().to_string()),
                ("INTERNAL_TOKEN_FILE", token.display().to_string()),
                ("HELPER_LLM_BACKEND", "none".to_owned()),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
            home: home.path().to_owned(),
        });
        let status = process.exit_status();
        let said = process.log().all().join("\n");
        println!("{} with {}:\n{said}", service.binary(), row.name);
        assert_eq!(status.code(), Some(1));
        assert!(said.contains(&format!("{}:", row.file)), "{said}");
        assert!(!said.contains("panicked"));
        assert!(process.stdout().all().is_empty());
    }
}
