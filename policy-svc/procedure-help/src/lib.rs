//! Help with a procedure: what it may say and point at, and what becomes of a model's words. Pure; the same input gives the
//! same answer. Help can do one thing to a simulator or page: highlight a target that the course allows in the step.
//!
//! | module | is about |
//! | --- | --- |
//! | `plan` | the inferred step, what may be highlighted, the schema of a model's output, the help that needs no model |
//! | `words` | conditions and values in the procedure's language |
//! | `resolve` | any bytes in: the model's help if it is valid, otherwise the plan's |
//! | `message` | what help must not say: commands, safety switched off, steps, controls and names that the procedure has not |
//! | `rules` | the same in patterns, in English and German |
//! | `sentences` | where sentences end |

mod message;
mod plan;
mod resolve;
mod rules;
mod sentences;
mod words;

use turnwise_course_pack::{Procedure, ProcedureStep, UiTarget};

pub use message::Flag;
pub use plan::{Help, Plan};
pub use resolve::{MOST_EXPLANATIONS, MOST_MESSAGE_CHARS, Outcome, Resolution, Status};
pub use rules::{RuleError, Rules};
pub use sentences::count as count_sentences;

use message::Known;

/// A procedure that students get help with.
#[derive(Debug)]
pub struct HelpedProcedure {
    procedure: Procedure,
    known: Known,
}

impl HelpedProcedure {
    /// Help with this procedure.
    #[must_use]
    pub fn new(procedure: Procedure) -> Self {
        Self {
            known: Known::of(&procedure),
            procedure,
        }
    }

    /// The procedure.
    #[must_use]
    pub fn procedure(&self) -> &Procedure {
        &self.procedure
    }

    /// The step of this id.
    #[must_use]
    pub fn step(&self, id: &str) -> Option<&ProcedureStep> {
        self.procedure.steps.iter().find(|step| step.id == id)
    }

    /// What may be highlighted during a step: what the step allows and the procedure has.
    #[must_use]
    pub fn scope<'p>(&'p self, step: &ProcedureStep) -> Vec<&'p UiTarget> {
        let targets = self.procedure.targets.iter();
        targets
            .filter(|target| step.allowed_targets.contains(&target.id))
            .collect()
    }
}
