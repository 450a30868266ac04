//! Courses and students of any size.

use jiff::{SignedDuration, Timestamp};
use turnwise_decisions::{
    Action, Course, CourseSpec, DecideInput, Decision, Drill, ExamQuestion, MappedUnit, Plan,
    PlanInput, Progress, QuestionState, QuestionStatus, Rules, Snapshot, Tier, UnitSpec,
};

/// The time of every decision here.
pub fn now() -> Timestamp {
    "2026-03-02T10:00:00Z".parse().unwrap()
}

pub fn id(n: usize) -> String {
    format!("U{n:05}")
}

/// A course in which each unit needs the one before it and one from further back, as chapters do.
pub fn course(units: usize) -> Course {
    Course::new(spec(units)).unwrap()
}

/// What that course is built from.
pub fn spec(units: usize) -> CourseSpec {
    spec_of(units, |n| {
        let back = n.saturating_sub(1 + (n * 7919) % 20);
        let mut needs = vec![n - 1];
        if back != n - 1 {
            needs.push(back);
        }
        needs
    })
}

/// A course in which each unit needs the one before it.
pub fn chain(units: usize) -> Course {
    Course::new(spec_of(units, |n| vec![n - 1])).unwrap()
}

fn spec_of(units: usize, needs: impl Fn(usize) -> Vec<usize>) -> CourseSpec {
    let specs: Vec<_> = (0..units)
        .map(|n| UnitSpec {
            id: id(n),
            title: format!("The unit with the number {n}"),
            prerequisites: if n == 0 {
                Vec::new()
            } else {
                needs(n).into_iter().map(id).collect()
            },
            assessable: n > 0,
            misconceptions: vec!["A fraction gets larger when its denominator does.".to_owned()],
            drills: vec![Drill {
                id: format!("{}-D1", id(n)),
                prompt: "Solve for x.".to_owned(),
                question_latex: "3x + 2 = 8".to_owned(),
            }],
            ..UnitSpec::default()
        })
        .collect();
    let questions = (1..units)
        .flat_map(|n| {
            [Tier::Bronze, Tier::Silver, Tier::Gold].map(|tier| ExamQuestion {
                id: question(n, tier),
                units: vec![id(n)],
                tier,
                prompt: "Solve for x.".to_owned(),
                question_latex: "3x + 2 = 8".to_owned(),
                options: Vec::new(),
                support: Vec::new(),
            })
        })
        .collect();
    CourseSpec {
        entry_unit: id(0),
        units: specs,
        questions,
        rules: Rules::default(),
    }
}

fn question(n: usize, tier: Tier) -> String {
    format!("{}-{}", id(n), tier.as_str())
}

pub fn mapped(units: &[&str]) -> Vec<MappedUnit> {
    units
        .iter()
        .zip([0.82, 0.4, 0.31])
        .map(|(id, confidence)| MappedUnit {
            unit_id: (*id).to_owned(),
            confidence,
        })
        .collect()
}

/// A student with a record, and what this turn is about.
pub struct Student {
    pub name: &'static str,
    pub snapshot: Snapshot,
    pub input: PlanInput,
    expected: Action,
}

impl Student {
    /// Refuses to measure something else than what the name says.
    pub fn check(&self, plan: &Plan, decision: &Decision) {
        assert!(decision.policy.allows(self.expected), "{}", self.name);
        let blocked = self.name == "three units ahead of what is missing";
        assert_eq!(
            plan.prereq_blocking_unit_id.is_some(),
            blocked,
            "{}",
            self.name
        );
    }
}

/// Students who have done the first `touched` units, the last six of these not to the end.
pub fn students(course: &Course, touched: usize) -> Vec<Student> {
    let at = |tier, streak_correct, n: usize| Progress {
        tier,
        last_touched_at: Some(now() - SignedDuration::from_hours((touched - n) as i64)),
        attempts: 5,
        streak_correct,
        streak_wrong: u32::from(streak_correct == 0),
    };
    let done = touched - 6;
    let focus = done + 1;
    let record = |streak| Snapshot {
        focus_unit_id: id(focus),
        last_mapped_units: mapped(&[&id(focus)]),
        last_turn_at: Some(now() - SignedDuration::from_mins(2)),
        progress: (1..=touched)
            .map(|n| {
                let tier = match n {
                    n if n > done => Tier::None,
                    n if n % 3 == 0 => Tier::Gold,
                    n if n % 3 == 1 => Tier::Silver,
                    _ => Tier::Bronze,
                };
                (id(n), at(tier, if n > done { streak } else { 3 }, n))
            })
            .collect(),
        units_in_progress: (focus..=touched).map(id).collect(),
        revisit_question_ids: (1..=5).map(|n| question(n, Tier::Gold)).collect(),
        ..Snapshot::default()
    };
    let near = course.unit_count().min(focus + 4) - 1;
    let message = |n: usize| PlanInput {
        mapped_units: mapped(&[&id(n), &id(n - 1), &id(n - 2)]),
        target_locked: true,
        ..PlanInput::default()
    };
    vec![
        Student {
            name: "ready for an exam question",
            snapshot: record(2),
            input: message(focus),
            expected: Action::ExamBlock,
        },
        Student {
            name: "stuck",
            snapshot: record(0),
            input: message(focus),
            expected: Action::ConceptCard,
        },
        Student {
            name: "three units ahead of what is missing",
            snapshot: record(1),
            input: message(near),
            expected: Action::DrillCard,
        },
        Student {
            name: "back at a gold unit",
            snapshot: record(1),
            input: message(3),
            expected: Action::DrillCard,
        },
    ]
}

/// The exam system's answer: the focus's question is available, those to come back to are locked.
pub fn decide_input(course: &Course, plan: Plan) -> DecideInput {
    let candidate = format!("{}-{}", plan.focus_unit_id, plan.desired_exam_tier.as_str());
    let candidates: Vec<_> = course
        .question(&candidate)
        .map(|q| q.id.clone())
        .into_iter()
        .collect();
    let status = |state| QuestionStatus {
        state,
        locked_until: (state == QuestionState::Locked)
            .then(|| now() + SignedDuration::from_hours(3)),
    };
    let statuses = plan
        .revisit_question_ids
        .iter()
        .map(|id| (id.clone(), status(QuestionState::Locked)))
        .chain(
            candidates
                .iter()
                .map(|id| (id.clone(), status(QuestionState::Available))),
        )
        .collect();
    DecideInput {
        plan,
        turn_id: "0b5c6f2e-1d0f-4b52-9a43-0d6f5c6d7e8f".to_owned(),
        candidate_question_ids: candidates,
        statuses,
        exam_system_unavailable: false,
        open_drill_unit_id: String::new(),
        matched_unit_id: String::new(),
    }
}
