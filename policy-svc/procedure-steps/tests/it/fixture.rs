//! Procedures in memory.

use turnwise_course_pack::gates::{Gate, Kind, Value, Var, Vars};
use turnwise_course_pack::{Procedure, ProcedureStep, TelemetryVar};

pub fn vars() -> Vec<Var> {
    let var = |name: &str, kind| Var {
        name: name.to_owned(),
        kind,
        unit: String::new(),
    };
    vec![
        var("a", Kind::Bool),
        var("b", Kind::Bool),
        var("n", Kind::Int { min: 0, max: 5 }),
        var("x", Kind::Double { min: 0.0, max: 1.0 }),
    ]
}

pub fn gate(text: &str) -> Gate {
    Gate::parse(text, &vars()).unwrap()
}

/// A step of this id.
pub fn step(id: &str, entry: Option<Gate>, completion: Gate, settle_ms: u32) -> ProcedureStep {
    ProcedureStep {
        id: id.to_owned(),
        phase: "all".to_owned(),
        official_step: String::new(),
        short_explanation: String::new(),
        tutor_prompts: Vec::new(),
        entry,
        completion,
        target: None,
        allowed_targets: Vec::new(),
        settle_ms,
    }
}

pub fn procedure(steps: Vec<ProcedureStep>) -> Procedure {
    let telemetry = vars().into_iter().map(|var| TelemetryVar {
        raw: var.name.clone(),
        var,
    });
    Procedure {
        id: "test".to_owned(),
        title: "Test".to_owned(),
        locale: "en".to_owned(),
        contract_version: "v1".to_owned(),
        units: Vec::new(),
        phases: Vec::new(),
        steps,
        telemetry: telemetry.collect(),
        targets: Vec::new(),
    }
}

pub fn values<const N: usize>(values: [(&str, Value); N]) -> Vars {
    values.map(|(name, value)| (name.to_owned(), value)).into()
}
