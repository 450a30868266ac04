//! The turns that hostile replies are tried on: one for each thing that a policy can allow, and two courses that differ in
//! their rules only.

use std::sync::LazyLock;

use turnwise_decisions::{
    Action::{self, ConceptCard, DrillCard, ExamBlock, SocraticQuestion},
    Availability, Constraints, Course, CourseSpec, Drill, ExamQuestion, Policy, Rules, SupportKind,
    Tier, UnitSpec,
};

/// A turn.
#[derive(Debug)]
pub struct Case {
    /// What is special about it.
    pub name: &'static str,
    pub course: Course,
    pub policy: Policy,
}

/// All of them.
pub static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let strict = Rules {
        max_worked_examples: 0,
        max_key_ideas: 1,
        max_concept_words: 5,
        drill_max_steps: 1,
        ..Rules::default()
    };
    vec![
        case("plain", Rules::default(), &[], |_| {}),
        case("stuck", Rules::default(), &[ConceptCard], |p| {
            p.stuck = true;
        }),
        case("exam", Rules::default(), &[ExamBlock], ready),
        case(
            "everything",
            Rules::default(),
            &[ConceptCard, ExamBlock],
            |p| {
                ready(p);
                p.stuck = true;
                p.scoped_unit_ids = ["Brüche-02", "FRAC-01", "START", "LIN 03", "a", "b"]
                    .map(str::to_owned)
                    .to_vec();
            },
        ),
        case("drill button", Rules::default(), &[], |p| {
            p.allowed_actions = vec![DrillCard];
        }),
        case("exam button", Rules::default(), &[], |p| {
            ready(p);
            p.allowed_actions = vec![ExamBlock];
        }),
        case("no unit yet", Rules::default(), &[], |p| {
            p.allowed_actions = vec![SocraticQuestion];
            p.focus_unit_id = "START".to_owned();
            p.primary_target_unit_id = "START".to_owned();
        }),
        case("blocked", Rules::default(), &[], |p| {
            p.prereq_blocking_unit_id = Some(p.focus_unit_id.clone());
            p.primary_target_unit_id = "LIN 03".to_owned();
            p.scoped_unit_ids.push("LIN 03".to_owned());
        }),
        case("stuck under strict rules", strict, &[ConceptCard], |p| {
            p.stuck = true;
        }),
        case("stuck, all questions locked", Rules::default(), &[], |p| {
            p.stuck = true;
            p.exam_ready = true;
            p.exam_availability = Availability::Locked;
            p.desired_exam_tier = Tier::Gold;
        }),
    ]
});

impl Case {
    /// The case that a digit names, or any other byte.
    pub fn named_by(byte: u8) -> &'static Self {
        let cases = &*CASES;
        &cases[usize::from(byte.wrapping_sub(b'0')) % cases.len()]
    }
}

fn ready(policy: &mut Policy) {
    policy.exam_ready = true;
    policy.exam_availability = Availability::Available;
    policy.exam_candidate_ids = ["Brüche-02/b2", "Brüche-02/b1"].map(str::to_owned).to_vec();
}

fn case(
    name: &'static str,
    rules: Rules,
    more_actions: &[Action],
    change: impl FnOnce(&mut Policy),
) -> Case {
    let mut policy = Policy {
        turn_id: name.to_owned(),
        focus_unit_id: "Brüche-02".to_owned(),
        primary_target_unit_id: "Brüche-02".to_owned(),
        prereq_blocking_unit_id: None,
        scoped_unit_ids: ["Brüche-02", "FRAC-01", "START"]
            .map(str::to_owned)
            .to_vec(),
        allowed_actions: [&[SocraticQuestion, DrillCard], more_actions].concat(),
        stuck: false,
        exam_ready: false,
        desired_exam_tier: Tier::Bronze,
        exam_availability: Availability::None,
        exam_candidate_ids: Vec::new(),
        exam_next_eligible_at: None,
        constraints: Constraints::of(&rules),
        choice_unit_ids: Vec::new(),
    };
    change(&mut policy);
    Case {
        name,
        course: course(rules),
        policy,
    }
}

/// Ids with a letter outside ASCII, with a space, and of one letter: each has look-alikes.
fn course(rules: Rules) -> Course {
    let unit = |id: &str, prerequisites: &[&str]| UnitSpec {
        id: id.to_owned(),
        title: format!("About {id}"),
        prerequisites: prerequisites.iter().map(|p| (*p).to_owned()).collect(),
        assessable: true,
        misconceptions: vec!["It is always so.".to_owned()],
        drills: vec![Drill {
            id: format!("{id}/d1"),
            prompt: "Work out the value.".to_owned(),
            question_latex: r"\frac{1}{2} + 1".to_owned(),
        }],
        ..UnitSpec::default()
    };
    let questions = [
        ("b1", Tier::Bronze),
        ("b2", Tier::Bronze),
        ("s1", Tier::Silver),
        ("g1", Tier::Gold),
    ]
    .map(|(name, tier)| ExamQuestion {
        id: format!("Brüche-02/{name}"),
        units: vec!["Brüche-02".to_owned()],
        tier,
        prompt: "Work out the value.".to_owned(),
        question_latex: r"\frac{1}{2} + \frac{1}{3}".to_owned(),
        options: Vec::new(),
        support: vec![SupportKind::Memo],
    });
    Course::new(CourseSpec {
        entry_unit: "START".to_owned(),
        units: vec![
            unit("START", &[]),
            unit("FRAC-01", &["START"]),
            unit("Brüche-02", &["FRAC-01"]),
            unit("LIN 03", &["Brüche-02"]),
            unit("a", &[]),
            unit("b", &[]),
        ],
        questions: questions.to_vec(),
        rules,
    })
    .unwrap()
}
