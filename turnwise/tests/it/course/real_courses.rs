//! `turnwise course import` on the real course data, where this machine has it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::Value;
use turnwise_course_pack::load;

use super::import::assert_choices_are_sound;
use super::{course, text};

/// The folder with the real course data, if this machine has it.
fn shared_course() -> Option<PathBuf> {
    let root = std::env::var_os("TURNWISE_SHARED_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let dir = root.join("data/course");
    if dir.is_dir() {
        return Some(dir);
    }
    println!(
        "SKIPPED: no {}; set TURNWISE_SHARED_DIR to the folder that holds data/course",
        dir.display()
    );
    None
}

fn count(path: &Path, course: &str) -> usize {
    let wanted = format!("\"course_id\":\"{course}\"");
    fs::read_to_string(path)
        .unwrap()
        .lines()
        .filter(|l| l.contains(&wanted))
        .count()
}

#[test]
fn the_real_courses_become_packs() {
    let Some(from) = shared_course() else { return };
    let to = tempfile::tempdir().unwrap();
    let (code, out) = course(&["import", "--from", text(&from), "--to", text(to.path())]);
    println!("{out}");
    assert_eq!(code, Ok(ExitCode::SUCCESS), "{out}");
    let mut units = 0;
    for (id, title) in [
        ("prealgebra-2e", "Prealgebra 2e"),
        ("elementary-algebra-2e", "Elementary Algebra 2e"),
    ] {
        let pack = load(&to.path().join(id)).unwrap();
        assert_eq!(pack.course.title, title);
        assert_eq!(pack.units.len(), count(&from.join("units.jsonl"), id) + 1);
        assert_eq!(pack.chunks.len(), count(&from.join("chunks.jsonl"), id));
        let exams = fs::read_to_string(from.join("exam_candidates.jsonl")).unwrap();
        let open = exams
            .lines()
            .filter(|l| l.contains(&format!("\"course_id\":\"{id}\"")))
            .map(|l| {
                serde_json::from_str::<Value>(l).unwrap()["answer"]
                    .as_str()
                    .unwrap()
                    .to_lowercase()
            })
            .filter(|answer| answer.contains("may vary") || answer.contains("will vary"))
            .count();
        assert_eq!(
            pack.questions.len(),
            count(&from.join("exam_candidates.jsonl"), id) - open
        );
        assert_choices_are_sound(&pack);
        assert!(
            pack.questions
                .iter()
                .filter(|q| q.is_multiple_choice())
                .count()
                > 300
        );
        assert!(pack.units.iter().any(|u| u.assessable) && !pack.units[0].assessable);
        assert!(pack.units[1..].iter().all(|u| !u.prerequisites.is_empty()));
        units += pack.units.len();
    }
    assert_eq!(units, 122 + 9 + 2);
}
