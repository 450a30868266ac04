//! A procedure in memory, and short ways to ask for help with it.

use std::{collections::BTreeMap, path::Path, sync::LazyLock};

use turnwise_course_pack::gates::{Gate, Kind, Value, Var, Vars};
use turnwise_course_pack::{
    Procedure, ProcedurePhase, ProcedureStep, TelemetryVar, UiTarget, load,
};
use turnwise_fingerprint::RunSet;
use turnwise_procedure_help::{HelpedProcedure, Outcome, Plan, Resolution, Rules};
use turnwise_procedure_steps::RunState;
use turnwise_reply_guard::{Context, Guard};

pub static RULES: LazyLock<Rules> = LazyLock::new(|| Rules::built_in().unwrap());
pub static GUARD: LazyLock<Guard> = LazyLock::new(|| Guard::built_in().unwrap());
static NOTHING: LazyLock<RunSet> = LazyLock::new(RunSet::default);

/// The procedure of the demo course.
pub fn demo(id: &str) -> Procedure {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../courses/algebra-foundations");
    let procedures = load(&root).unwrap().procedures;
    procedures
        .into_iter()
        .find(|procedure| procedure.id == id)
        .unwrap()
}

fn vars() -> Vec<Var> {
    let var = |name: &str, kind, unit: &str| Var {
        name: name.to_owned(),
        kind,
        unit: unit.to_owned(),
    };
    vec![
        var("brille", Kind::Bool, ""),
        var(
            "hahn",
            Kind::Enum(vec!["zu".to_owned(), "offen".to_owned()]),
            "",
        ),
        var(
            "volumen",
            Kind::Double {
                min: 0.0,
                max: 50.0,
            },
            "mL",
        ),
    ]
}

/// Two steps in German; `hahn` may be highlighted in the second.
pub fn german() -> Procedure {
    let gate = |text: &str| Gate::parse(text, &vars()).unwrap();
    let target = |id: &str, label: &str| UiTarget {
        id: id.to_owned(),
        element: format!("el-{id}"),
        label: label.to_owned(),
    };
    let step =
        |id: &str, official: &str, about: &str, target: &str, entry, completion| ProcedureStep {
            id: id.to_owned(),
            phase: "alles".to_owned(),
            official_step: official.to_owned(),
            short_explanation: about.to_owned(),
            tutor_prompts: vec!["Worauf kommt es an?".to_owned()],
            entry,
            completion,
            target: Some(target.to_owned()),
            allowed_targets: vec![target.to_owned()],
            settle_ms: 0,
        };
    let telemetry = vars().into_iter().map(|var| TelemetryVar {
        raw: var.name.to_uppercase(),
        var,
    });
    Procedure {
        id: "ablassen".to_owned(),
        title: "Lösung ablassen".to_owned(),
        locale: "de-CH".to_owned(),
        contract_version: "v1".to_owned(),
        units: Vec::new(),
        phases: vec![ProcedurePhase {
            id: "alles".to_owned(),
            title: "Alles".to_owned(),
        }],
        steps: vec![
            step(
                "brille",
                "Setze die Schutzbrille auf.",
                "Spritzer schaden den Augen. Darum kommt die Brille zuerst. Immer.",
                "brille",
                None,
                gate("vars.brille"),
            ),
            step(
                "ablassen",
                "Öffne den Hahn, bis 10 mL im Becher sind.",
                "Der Hahn regelt, wie schnell die Lösung läuft.",
                "hahn",
                Some(gate("vars.hahn == 'offen'")),
                gate("vars.volumen >= 10.0"),
            ),
        ],
        telemetry: telemetry.collect(),
        targets: vec![
            target("brille", "Die Schutzbrille"),
            target("hahn", "Der Hahn"),
        ],
    }
}

pub fn values<const N: usize>(values: [(&str, Value); N]) -> Vars {
    values.map(|(name, value)| (name.to_owned(), value)).into()
}

/// The plan of a run that begins with these values, of which all have settled.
pub fn plan<'p>(helped: &'p HelpedProcedure, vars: &Vars) -> Plan<'p> {
    let mut state = RunState::default();
    let none = BTreeMap::new();
    drop(helped.plan(&mut state, vars, &none, 0));
    helped.plan(&mut state, vars, &none, 100_000)
}

/// What becomes of this outcome.
pub fn resolve(helped: &HelpedProcedure, plan: &Plan<'_>, outcome: Outcome<'_>) -> Resolution {
    resolve_knowing(helped, plan, outcome, &NOTHING)
}

/// The same with runs of a prompt.
pub fn resolve_knowing(
    helped: &HelpedProcedure,
    plan: &Plan<'_>,
    outcome: Outcome<'_>,
    prompt: &RunSet,
) -> Resolution {
    let context = Context {
        turn_id: "",
        prompt,
        exams: &[],
        blocked_terms: &NOTHING,
        open_drill: None,
        said: &[],
    };
    helped.resolve(
        plan.step,
        plan.fallback.clone(),
        outcome,
        &RULES,
        &GUARD,
        &context,
    )
}
