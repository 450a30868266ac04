//! A small course and short ways to write records, plans and replies.

use jiff::Timestamp;
use serde_json::{Value, json};
use turnwise_decisions::{
    Action, Course, CourseSpec, DecideInput, Decision, Drill, Event, EventKind, ExamQuestion,
    MappedUnit, Outcome, Plan, PlanInput, Policy, Progress, QuestionState, QuestionStatus, Record,
    Resolution, Rules, Snapshot, Statuses, SupportKind, Teaching, Tier, UnitSpec, UnknownUnit,
    decide, resolve,
};

pub const NOW: &str = "2026-03-02T10:00:00Z";

pub fn now() -> Timestamp {
    NOW.parse().unwrap()
}

/// All that a plan is made from.
#[derive(Debug, Clone)]
pub struct Turn {
    pub snapshot: Snapshot,
    pub mapped_units: Vec<MappedUnit>,
    pub event: Option<Event>,
    pub target_locked: bool,
    pub now: Timestamp,
}

/// The plan of a turn.
pub fn plan(course: &Course, turn: &Turn) -> Result<Plan, UnknownUnit> {
    let record = Record::new(course, &turn.snapshot, turn.now);
    let input = PlanInput {
        mapped_units: turn.mapped_units.clone(),
        event: turn.event.clone(),
        target_locked: turn.target_locked,
    };
    turnwise_decisions::plan(&record, &input)
}

pub fn unit(id: &str, prerequisites: &[&str]) -> UnitSpec {
    UnitSpec {
        id: id.to_owned(),
        title: format!("Title of {id}"),
        prerequisites: prerequisites.iter().map(|p| (*p).to_owned()).collect(),
        assessable: true,
        misconceptions: vec![format!("A wrong idea about {id}.")],
        mistake_tags: vec!["sign".to_owned(), "slip".to_owned()],
        drills: vec![
            Drill {
                id: format!("{id}-d1"),
                prompt: "Work out the value.".to_owned(),
                question_latex: "2 + 3".to_owned(),
            },
            Drill {
                id: format!("{id}-d2"),
                prompt: "Solve for x.".to_owned(),
                question_latex: "2x + 1 = 7".to_owned(),
            },
        ],
        teaching: Teaching::default(),
    }
}

/// Questions `U-bronze-1`, `U-bronze-2`, `U-silver-1`, `U-gold-1` for each unit.
pub fn questions(units: &[UnitSpec]) -> Vec<ExamQuestion> {
    units
        .iter()
        .filter(|u| u.assessable)
        .flat_map(|u| {
            [
                (Tier::Bronze, 1),
                (Tier::Bronze, 2),
                (Tier::Silver, 1),
                (Tier::Gold, 1),
            ]
            .map(|(tier, n)| question(&format!("{}-{}-{n}", u.id, tier.as_str()), &u.id, tier))
        })
        .collect()
}

/// A question with help that goes by its tier: none at bronze, a memo at silver, both at gold.
pub fn question(id: &str, unit: &str, tier: Tier) -> ExamQuestion {
    let support = match tier {
        Tier::None | Tier::Bronze => &[][..],
        Tier::Silver => &[SupportKind::Memo],
        Tier::Gold => &[SupportKind::Memo, SupportKind::Video],
    };
    ExamQuestion {
        id: id.to_owned(),
        units: vec![unit.to_owned()],
        tier,
        prompt: format!("Question {id}"),
        question_latex: "1 + 1".to_owned(),
        options: Vec::new(),
        support: support.to_vec(),
    }
}

/// ENTRY → A, B; C needs A and B; D needs C; E stands alone and cannot be assessed; F needs E.
pub fn spec() -> CourseSpec {
    let mut entry = unit("ENTRY", &[]);
    entry.assessable = false;
    entry.drills.clear();
    let mut e = unit("E", &[]);
    e.assessable = false;
    let units = vec![
        entry,
        unit("A", &["ENTRY"]),
        unit("B", &["ENTRY"]),
        unit("C", &["A", "B"]),
        unit("D", &["C"]),
        e,
        unit("F", &["E"]),
    ];
    CourseSpec {
        entry_unit: "ENTRY".to_owned(),
        questions: questions(&units),
        units,
        rules: Rules::default(),
    }
}

pub fn course() -> Course {
    Course::new(spec()).unwrap()
}

pub fn course_with(change: impl FnOnce(&mut CourseSpec)) -> Course {
    let mut spec = spec();
    change(&mut spec);
    Course::new(spec).unwrap()
}

pub fn progress(tier: Tier, attempts: u32, streak: u32) -> Progress {
    Progress {
        tier,
        last_touched_at: None,
        attempts,
        streak_correct: streak,
        streak_wrong: if streak == 0 { attempts } else { 0 },
    }
}

/// A record that stands on `focus` with this progress.
pub fn snapshot(focus: &str, progress: &[(&str, Progress)]) -> Snapshot {
    Snapshot {
        focus_unit_id: focus.to_owned(),
        progress: progress
            .iter()
            .map(|(id, p)| ((*id).to_owned(), *p))
            .collect(),
        ..Snapshot::default()
    }
}

pub fn mapped(units: &[(&str, f64)]) -> Vec<MappedUnit> {
    units
        .iter()
        .map(|(id, confidence)| MappedUnit {
            unit_id: (*id).to_owned(),
            confidence: *confidence,
        })
        .collect()
}

pub fn event(kind: EventKind, unit: &str) -> Option<Event> {
    Some(Event {
        kind,
        unit_id: unit.to_owned(),
        question_id: String::new(),
    })
}

pub fn input(snapshot: Snapshot, mapped_units: &[(&str, f64)]) -> Turn {
    Turn {
        snapshot,
        mapped_units: mapped(mapped_units),
        event: None,
        target_locked: true,
        now: now(),
    }
}

/// The plan for a message about these units.
pub fn plan_for(course: &Course, snapshot: Snapshot, mapped_units: &[(&str, f64)]) -> Plan {
    plan(course, &input(snapshot, mapped_units)).unwrap()
}

/// The plan for a pressed button.
pub fn plan_event(course: &Course, snapshot: Snapshot, kind: EventKind, unit: &str) -> Plan {
    let mut input = input(snapshot, &[]);
    input.event = event(kind, unit);
    plan(course, &input).unwrap()
}

pub fn statuses(list: &[(&str, QuestionState, Option<&str>)]) -> Statuses {
    list.iter()
        .map(|(id, state, until)| {
            (
                (*id).to_owned(),
                QuestionStatus {
                    state: *state,
                    locked_until: until.map(|u| u.parse().unwrap()),
                },
            )
        })
        .collect()
}

pub fn decide_input(plan: Plan, candidates: &[&str], statuses: Statuses) -> DecideInput {
    DecideInput {
        plan,
        turn_id: "0b5c6f2e-1d0f-4b52-9a43-0d6f5c6d7e8f".to_owned(),
        candidate_question_ids: candidates.iter().map(|c| (*c).to_owned()).collect(),
        statuses,
        exam_system_unavailable: false,
        open_drill_unit_id: String::new(),
        matched_unit_id: String::new(),
    }
}

/// The decision where every named candidate is available.
pub fn decide_available(course: &Course, plan: Plan, candidates: &[&str]) -> Decision {
    let list: Vec<_> = candidates
        .iter()
        .map(|id| (*id, QuestionState::Available, None))
        .collect();
    decide(course, &decide_input(plan, candidates, statuses(&list))).unwrap()
}

/// A student who is ready for B's bronze question.
pub fn ready_on_b() -> Snapshot {
    snapshot("B", &[("B", progress(Tier::None, 3, 2))])
}

/// A student who is stuck on B.
pub fn stuck_on_b() -> Snapshot {
    snapshot("B", &[("B", progress(Tier::None, 3, 0))])
}

/// The policy for a student who is ready on B, with B's bronze questions available.
pub fn exam_policy(course: &Course) -> Policy {
    let plan = plan_for(course, ready_on_b(), &[]);
    decide_available(course, plan, &["B-bronze-1", "B-bronze-2"]).policy
}

/// The policy for a student who is stuck on B.
pub fn stuck_policy(course: &Course) -> Policy {
    decide_available(course, plan_for(course, stuck_on_b(), &[]), &[]).policy
}

/// The policy for a student at work on B.
pub fn plain_policy(course: &Course) -> Policy {
    decide_available(course, plan_for(course, snapshot("B", &[]), &[]), &[]).policy
}

/// A valid reply for an action, about the policy's focus.
pub fn reply(policy: &Policy, action: Action) -> Value {
    let mut reply = json!({
        "action": action.as_str(),
        "target_unit_id": policy.focus_unit_id,
        "tutor_text": "What would you try first?",
        "mapped_units": [{"unit_id": policy.focus_unit_id, "confidence": 0.8}],
        "turn_analysis": {
            "student_intent": "solve",
            "understanding_signal": "uncertain",
            "suggested_prereq_units": ["A"],
        },
    });
    match action {
        Action::SocraticQuestion => {}
        Action::DrillCard => {
            reply["drill_card"] = json!({"prompt": "Solve for x.", "question_latex": "3x + 2 = 8"});
        }
        Action::ConceptCard => {
            reply["concept_card"] = json!({
                "key_ideas": ["Do the same on both sides."],
                "worked_example": {
                    "problem_latex": "x + 2 = 5",
                    "final_answer_latex": "x = 3",
                    "steps_latex": ["x + 2 - 2 = 5 - 2"],
                },
            });
        }
        Action::ExamBlock => {
            reply["exam_suggestion"] = json!({
                "question_id": policy.exam_candidate_ids[0],
                "difficultyTier": policy.desired_exam_tier.as_str(),
            });
        }
    }
    reply
}

pub fn resolve_value(course: &Course, policy: &Policy, reply: &Value) -> Resolution {
    let bytes = serde_json::to_vec(reply).unwrap();
    resolve(course, policy, Outcome::Completion(&bytes)).unwrap()
}
