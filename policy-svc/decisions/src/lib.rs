//! The suite's decisions: what a turn is about, what is allowed in it, and what a model's reply may be.
//!
//! Everything here is a pure function. Time and identifiers come in as arguments; there is no clock, no randomness and
//! no input or output. Every order is total, so the same arguments give the same answer, byte for byte.
//!
//! | module | is about |
//! | --- | --- |
//! | `action` | what a reply may do, and all that is to be known of each action |
//! | [`words`] | tiers, events, reasons: the words that everything else uses |
//! | [`course`] | the course: units, prerequisites, drills, exam questions |
//! | [`rules`] | the policy's constants, with a course's own values |
//! | [`snapshot`] | the student's record as it comes in |
//! | [`record`] | the record seen through the course: what is met, stuck, ready |
//! | [`graph`] | missing prerequisites, the walk to the first unit to do, the next unit |
//! | [`target`] | what was asked for, and the way there from what is worked on |
//! | `places` | sets of places on a course's path |
//! | [`mapping`] | which units a message is about |
//! | [`score`] | how relevant a unit is: it ranks and never gates |
//! | [`scope`] | candidate units and the few that a reply may be about |
//! | [`mod@plan`] | first step: target, focus, readiness, scope |
//! | [`mod@decide`] | second step: exam availability, allowed actions |
//! | [`buttons`] | what the student may press next |
//! | [`announcement`] | what a student is told of badges and locks |
//! | [`mod@explain`] | why a decision is as it is, for machines and for people |
//! | [`policy`] | what is allowed in one turn |
//! | [`standing`], [`class_standing`] | what people see of a record: the student, and whoever teaches the class |
//! | [`summary`] | what a model sees of it |
//! | [`reply`] | the contract of a model's reply and of its cards, one file each |
//! | [`schema`] | the same as a JSON Schema, for one policy |
//! | [`json`] | strict reading of untrusted JSON |
//! | [`limits`] | what a schema cannot say: words, questions, steps |
//! | [`mod@validate`] | any bytes in: a valid reply or the reason why not |
//! | `schema_cache` | schemas, compiled and as text |
//! | `quote` | a course's text in a sentence of ours |
//! | [`fallback`], [`teaching`] | the reply that needs no model, and how it teaches |
//! | [`mod@exercise`] | what tells an exercise from others |
//! | [`drill_terms`] | which drills may be set |
//! | [`mod@resolve`] | third step: whatever came of the model, a reply that the policy allows |
//! | [`grade`] | the verdict on a drill, with mathematics' word and whatever came of the model |
//! | [`evidence`] | mastery: what a drill, an exam result or a teacher's mark makes of the record |

mod action;
pub mod announcement;
pub mod buttons;
pub mod class_standing;
pub mod course;
pub mod decide;
pub mod drill_terms;
pub mod evidence;
pub mod exercise;
pub mod explain;
pub mod fallback;
pub mod grade;
pub mod graph;
pub mod json;
pub mod limits;
pub mod mapping;
mod places;
pub mod plan;
pub mod policy;
mod quote;
pub mod record;
pub mod reply;
pub mod resolve;
pub mod rules;
pub mod schema;
mod schema_cache;
pub mod scope;
pub mod score;
pub mod snapshot;
pub mod standing;
pub mod summary;
pub mod target;
pub mod teaching;
pub mod validate;
pub mod words;

pub use announcement::Announcement;
pub use buttons::{Button, Call, Label};
pub use class_standing::{StudentStanding, UnitStanding, student_standing};
pub use course::{Course, CourseError, CourseSpec, Drill, ExamOption, ExamQuestion, UnitSpec};
pub use decide::{DecideInput, Decision, QuestionStatus, Statuses, decide};
pub use drill_terms::{DrillTerms, with_drill_on_terms};
pub use evidence::{
    Applied, Evidence, EvidenceEvent, EvidenceFault, EvidenceObservation, PassedByTier, Placed,
    QuestionRef, UnitProgress, UnitStatus,
};
pub use exercise::exercise;
pub use explain::{Explanation, explain};
pub use grade::{
    DrillCheck, Grade, GradeObservation, GradedBy, Verdict, grade_schema, resolve_grade,
};
pub use plan::{DrillFacts, Plan, PlanInput, UnknownUnit, plan};
pub use policy::{Constraints, Policy, PolicyFault};
pub use quote::{tier_name, unit_name};
pub use record::Record;
pub use resolve::{Observation, Outcome, Resolution, resolve, resolve_in};
pub use rules::{PrereqWalk, Rules, StuckRule};
pub use snapshot::{MappedUnit, Progress, Snapshot};
pub use standing::{Standing, describe_standing};
pub use summary::SnapshotSummary;
pub use teaching::{Asks, DrillHelp, KeyIdea, Open, Passage, Situation, Teaching};
pub use words::{
    Action, Availability, Event, EventKind, FallbackReason, QuestionState, StudentIntent,
    SupportKind, Tier, UnderstandingSignal,
};

/// Names the rules of this crate. It stands in every plan, and a turn is replayed only under the same: raise it with any
/// change that can change a byte of a decision, a reply or a grade.
pub const POLICY_SEMANTICS: &str = "policy-9";
