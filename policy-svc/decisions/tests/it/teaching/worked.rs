//! Worked examples, and the drills that are neither worked out nor set.

use turnwise_decisions::{Asks, Drill, DrillHelp, DrillTerms, Situation, exercise};
use turnwise_reply_guard::states_solution;

use super::{equation, open, solution, taught, told, turns};
use crate::fixtures::*;

/// A sibling whose solution is the open drill's would give it away, and so would its own solution.
#[test]
fn a_sibling_tells_nothing_of_the_open_drill() {
    let mut policy = plain_policy(&taught());
    let course = course_with(|spec| {
        let unit = &mut spec.units[2];
        let drill = |n: usize, question: &str| Drill {
            id: format!("B-t#{n}"),
            prompt: "Solve the equation.".to_owned(),
            question_latex: question.to_owned(),
        };
        unit.drills = vec![
            drill(0, "2x + 3 = 11"),
            drill(1, "3x = 12"),
            drill(2, "x + 1 = 8"),
        ];
        let worked = |lines: [&str; 2]| DrillHelp {
            hints: Vec::new(),
            solution: lines.map(str::to_owned).to_vec(),
        };
        unit.teaching.drills = [
            ("B-t#0", worked(["$2x = 8$", "$x = 4$"])),
            ("B-t#1", worked(["Divide both sides by 3.", "$x = 4$"])),
            ("B-t#2", worked(["Subtract 1 from both sides.", "$x = 7$"])),
        ]
        .map(|(id, help)| (id.to_owned(), help))
        .into();
    });
    for turn in 0..16 {
        policy.turn_id = format!("turn-{turn}");
        let situation = Situation {
            asks: Asks::Help,
            open: Some(open("2x + 3 = 11", "x = 4", 9)),
            ..Situation::default()
        };
        let text = told(&course, &policy, &situation).tutor_text;
        assert!(text.contains("$x = 7$"), "{text}");
        // Nor is one shown that a platform asks in its exams.
        let terms = DrillTerms {
            exams: ["B-t#2".to_owned()].into(),
            ..DrillTerms::default()
        };
        let asked = Situation {
            terms: Some(&terms),
            ..situation
        };
        let unread = DrillTerms {
            exams_unknown: true,
            ..DrillTerms::default()
        };
        let unknown = Situation {
            terms: Some(&unread),
            ..situation
        };
        for situation in [asked, unknown] {
            let text = told(&course, &policy, &situation).tutor_text;
            assert!(!text.contains("$x = 7$"), "{text}");
        }
    }
}

/// The question of a placement is neither worked out nor set; where the student asks about it, nothing states its answer.
#[test]
fn a_placement_asks_for_itself() {
    let course = taught();
    let policy = stuck_policy(&course);
    let (question, key) = equation(0);
    let terms = DrillTerms {
        placement: Some(exercise("Solve the equation.", &question)),
        ..DrillTerms::default()
    };
    let stuck = Situation {
        terms: Some(&terms),
        ..Situation::default()
    };
    let brought = Situation {
        placement: Some(open(&question, &key, 0).drill),
        ..stuck
    };
    for reply in turns(&course, &policy, &stuck, 16) {
        let worked = solution(0).join("\n");
        assert!(!reply.tutor_text.contains(&worked), "{}", reply.tutor_text);
        let set = reply.drill_card.map(|drill| drill.question_latex);
        assert_ne!(set.as_ref(), Some(&question));
    }
    let asked = open(&question, &key, 0).drill;
    for reply in turns(&course, &policy, &brought, 16) {
        let text = reply.tutor_text.as_str();
        assert!(!states_solution([text], &asked), "{text}");
    }
}

/// What was worked out a moment ago is no exercise any more.
#[test]
fn a_worked_example_is_not_set_in_the_next_turn() {
    let course = course_with(|spec| {
        let unit = &mut spec.units[2];
        unit.drills = (0..2)
            .map(|n| Drill {
                id: format!("B-t#{n}"),
                prompt: "Solve the equation.".to_owned(),
                question_latex: equation(n).0,
            })
            .collect();
        unit.teaching.drills = (0..2)
            .map(|n| {
                let help = DrillHelp {
                    hints: Vec::new(),
                    solution: solution(n),
                };
                (format!("B-t#{n}"), help)
            })
            .collect();
    });
    let mut policy = stuck_policy(&course);
    for shown in 0..2 {
        let said = [format!("Solve the equation. ${}$", equation(shown).0)];
        let situation = Situation {
            said: &said,
            ..Situation::default()
        };
        for turn in 0..8 {
            policy.turn_id = format!("turn-{turn}");
            let reply = told(&course, &policy, &situation);
            if let Some(set) = reply.drill_card {
                assert_eq!(set.question_latex, equation(1 - shown).0);
            } else {
                let worked = solution(1 - shown).join("\n");
                assert!(reply.tutor_text.contains(&worked), "{}", reply.tutor_text);
            }
        }
    }
}

/// The exercise may ask as much as a reply may.
#[test]
fn an_exercise_that_asks_twice_is_worked_out_without_a_question_of_ours() {
    let course = course_with(|spec| {
        let unit = &mut spec.units[2];
        unit.drills = vec![Drill {
            id: "B-t".to_owned(),
            prompt: "How many are missing?".to_owned(),
            question_latex: "2 + ? = 5".to_owned(),
        }];
        let help = DrillHelp {
            hints: Vec::new(),
            solution: vec!["Take 2 away.".to_owned(), "It is 3.".to_owned()],
        };
        unit.teaching.drills = [("B-t".to_owned(), help)].into();
    });
    let policy = stuck_policy(&course);
    let text = told(&course, &policy, &Situation::default()).tutor_text;
    assert!(
        text.ends_with("How many are missing? $2 + ? = 5$\nTake 2 away.\nIt is 3."),
        "{text}"
    );
}
