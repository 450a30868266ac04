//! The demo course's own drills: each key is right by its drill, alone as well where the task can be read.

use turnwise_grading::{Drill, Verdict, grade};

use crate::canned::canned;

#[test]
fn every_key_is_right_and_every_copy_is_not() {
    let drills = canned();
    assert!(drills.len() >= 30, "{} drills", drills.len());
    let mut alone = 0;
    for drill in &drills {
        let with = Drill {
            prompt: &drill.prompt,
            question_latex: &drill.question,
            key: Some(&drill.answer),
        };
        let without = Drill { key: None, ..with };
        let name = format!("{} {}", drill.prompt, drill.question);
        assert_eq!(
            grade(&with, &drill.answer).verdict,
            Verdict::Right,
            "{name}"
        );
        assert_ne!(
            grade(&with, &drill.question).verdict,
            Verdict::Right,
            "{name}"
        );
        assert_ne!(
            grade(&without, &drill.answer).verdict,
            Verdict::Wrong,
            "{name}"
        );
        alone += usize::from(grade(&without, &drill.answer).verdict == Verdict::Right);
    }
    assert!(alone * 4 >= drills.len() * 3, "{alone} of {}", drills.len());
}
