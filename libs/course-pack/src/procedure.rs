//! Procedures that students work through in a simulator, a laboratory or a tool: what `procedures/ID/` holds.

use serde::Serialize;
use turnwise_gates::{Gate, Var};

/// The contract between a procedure and what plays it that this release speaks.
pub const CONTRACT_VERSION: &str = "v1";

/// The most steps of a procedure.
pub(crate) const MAX_STEPS: usize = 100;

/// A procedure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Procedure {
    /// Its id: the name of its folder.
    pub id: String,
    /// The title people read, at most 200 characters.
    pub title: String,
    /// The language of its texts, a BCP 47 tag; the course's unless it says otherwise.
    pub locale: String,
    /// The contract that its simulator or page keeps: [`CONTRACT_VERSION`].
    pub contract_version: String,
    /// The units whose texts may help with it: at most 6; often none.
    pub units: Vec<String>,
    /// Its phases, in order: at most 20.
    pub phases: Vec<ProcedurePhase>,
    /// Its steps, in order: 1 to 100.
    pub steps: Vec<ProcedureStep>,
    /// The variables of its gates, in file order: at most 500.
    pub telemetry: Vec<TelemetryVar>,
    /// All that may be highlighted, in file order: at most 500.
    pub targets: Vec<UiTarget>,
}

impl Procedure {
    /// The variable that raw telemetry of this name feeds.
    #[must_use]
    pub fn var_of(&self, raw: &str) -> Option<&Var> {
        let found = self.telemetry.iter().find(|entry| entry.raw == raw);
        found.map(|entry| &entry.var)
    }

    /// The target of this id.
    #[must_use]
    pub fn target(&self, id: &str) -> Option<&UiTarget> {
        self.targets.iter().find(|target| target.id == id)
    }
}

/// A part of a procedure that people speak of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProcedurePhase {
    /// The phase's id.
    pub id: String,
    /// The title people read, at most 200 characters.
    pub title: String,
}

/// A step of a procedure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProcedureStep {
    /// The step's id.
    pub id: String,
    /// The id of its phase.
    pub phase: String,
    /// The step as the official procedure words it, at most 1,000 characters.
    pub official_step: String,
    /// What it is about, in a sentence or two, at most 500 characters.
    pub short_explanation: String,
    /// Questions that help a student on, at most 5 of 300 characters each; may be empty.
    pub tutor_prompts: Vec<String>,
    /// What must hold before the step can be done; without it, nothing.
    pub entry: Option<Gate>,
    /// What holds once the step is done.
    pub completion: Gate,
    /// The id of the target to point at; without it, the step is helped by words only.
    pub target: Option<String>,
    /// The ids of the targets that may be pointed at during the step, in the order of the procedure's targets; the step's
    /// own is among them.
    pub allowed_targets: Vec<String>,
    /// For how many milliseconds the completion gate must hold, or no longer hold, before it counts: 0 to 60,000 (default
    /// 500).
    pub settle_ms: u32,
}

/// A raw name of telemetry, and the variable that it feeds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TelemetryVar {
    /// The name that the simulator or page uses, at most 200 characters.
    pub raw: String,
    /// The variable.
    pub var: Var,
}

/// Something that may be highlighted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UiTarget {
    /// The target's id, as steps and models name it.
    pub id: String,
    /// The element's id in the simulator or page, at most 200 characters without spaces.
    pub element: String,
    /// What people call it, at most 200 characters.
    pub label: String,
}
