//! What the project's courses say is free: no drill, no lesson, no misconception, nothing that they teach with is withheld.

use std::{fs, path::Path};

use turnwise_reply_guard::{Form, form_fault};

use crate::said;

#[test]
fn no_text_of_the_courses_is_withheld() {
    let english = [
        "Let us look at this together. Somebody says: “",
        "” Would you agree, and how could you check it?",
    ];
    nothing_is_withheld("algebra-foundations", 500, english);
    let german = ["Jemand sagt: „", "“ Würdest du zustimmen?"];
    nothing_is_withheld("terme-und-gleichungen", 300, german);
}

/// No text of a course is withheld, which has more than so many. What is wrong is said by somebody, between these words.
fn nothing_is_withheld(course: &str, least: usize, [before, after]: [&str; 2]) {
    let courses = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../courses");
    let course = courses.join(course);
    let mut count = 0;
    let mut wrong = Vec::new();
    for folder in ["units", "exams", "content"] {
        for file in fs::read_dir(course.join(folder)).unwrap() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            let mut section = "";
            for line in text.lines() {
                let line = line.trim();
                if line.ends_with(':') {
                    section = line;
                }
                // Of drills with parameters, only what they become is read by anybody.
                let parameters = ["parameters:", "where:"].contains(&section);
                if line.contains("[[") || parameters && line.starts_with("- ") {
                    continue;
                }
                let line = line.trim_start_matches("- ");
                let (key, value) = line.split_once(": ").unwrap_or(("", line));
                let value = value.trim_matches(['\'', '"']).replace("''", "'");
                let is_formula = key == "question_latex";
                let words = ["prompt", "summary", "", "text", "meaning", "question_latex"];
                if !words.contains(&key) || value.is_empty() || line.starts_with("id:") {
                    continue;
                }
                count += 1;
                let found = if is_formula {
                    form_fault(&value, Form::Formula)
                } else if section == "misconceptions:" {
                    said(&format!("{before}{value}{after}"))
                } else if value.contains(" ") {
                    said(&value)
                } else {
                    None
                };
                if let Some(reason) = found {
                    wrong.push(format!("{reason}: {value}"));
                }
            }
        }
    }
    assert!(count > least, "{count}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
