//! Whatever a model writes and whatever a pack holds, help highlights a target that the pack allows in the step, or nothing.

use proptest::prelude::*;
use turnwise_course_pack::gates::{Gate, Value, Vars};
use turnwise_course_pack::{Procedure, UiTarget};
use turnwise_procedure_help::{
    Help, HelpedProcedure, MOST_EXPLANATIONS, Outcome, Resolution, Status, count_sentences,
};
use turnwise_testing::properties;

use crate::fixture::{german, plan, resolve, values};

/// Ids of targets, of which packs have some.
const IDS: [&str; 6] = ["hahn", "brille", "a", "clear", "highlight", "*"];

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,60}",
        "([A-Za-z ]{0,12}[.!?…。:;\n ]{0,2}){0,6}",
        Just("Klicke auf „alles“. Dann weiter! Und?".to_owned()),
        Just(String::new()),
    ]
}

/// A procedure whose steps may allow what it has not, and whose texts are any.
fn any_procedure() -> impl Strategy<Value = Procedure> {
    let ids = || prop::collection::vec(prop::sample::select(&IDS[..]), 0..4);
    let gate = prop::sample::select(vec![
        "vars.brille",
        "vars.hahn == 'zu'",
        "vars.volumen > 3.0",
    ]);
    let step = (
        prop::sample::select(vec!["one", "two", "drei"]),
        any_text(),
        any_text(),
        prop::collection::vec(any_text(), 0..5),
        (prop::option::of(gate.clone()), gate),
        (prop::option::of(prop::sample::select(&IDS[..])), ids()),
    );
    let locale = prop::sample::select(vec!["en", "de", "fr-CH", ""]);
    (prop::collection::vec(step, 1..4), ids(), locale).prop_map(|(steps, targets, locale)| {
        let pack = german();
        let vars: Vec<_> = pack
            .telemetry
            .iter()
            .map(|entry| entry.var.clone())
            .collect();
        let gate = |text: &str| Gate::parse(text, &vars).unwrap();
        let owned =
            |ids: Vec<&str>| -> Vec<String> { ids.into_iter().map(str::to_owned).collect() };
        let steps = steps.into_iter().map(
            |(id, official, about, prompts, (entry, completion), (target, allowed))| {
                turnwise_course_pack::ProcedureStep {
                    id: id.to_owned(),
                    official_step: official,
                    short_explanation: about,
                    tutor_prompts: prompts,
                    entry: entry.map(gate),
                    completion: gate(completion),
                    target: target.map(str::to_owned),
                    allowed_targets: owned(allowed),
                    ..pack.steps[0].clone()
                }
            },
        );
        let targets = targets.into_iter().map(|id| UiTarget {
            id: id.to_owned(),
            element: format!("el-{id}"),
            label: id.to_owned(),
        });
        Procedure {
            steps: steps.collect(),
            targets: targets.collect(),
            locale: locale.to_owned(),
            ..pack.clone()
        }
    })
}

fn any_vars() -> impl Strategy<Value = Vars> {
    let value = prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        any::<f64>().prop_map(Value::Double),
        Just(Value::Double(f64::NAN)),
        prop::sample::select(vec!["zu", "offen", "drücke alles"])
            .prop_map(|word| Value::Text(word.to_owned())),
    ];
    let name = prop::sample::select(vec!["brille", "hahn", "volumen", "other"]);
    prop::collection::btree_map(name.prop_map(str::to_owned), value, 0..4)
}

/// Bytes, or what is nearly an output.
fn any_completion() -> impl Strategy<Value = Vec<u8>> {
    let quoted = |text: String| serde_json::Value::from(text).to_string();
    let member = prop_oneof![
        prop::sample::select(vec!["ok", "fallback", "error", "x"])
            .prop_map(|word| format!("\"status\":\"{word}\"")),
        prop::sample::select(vec!["one", "two", "drei"])
            .prop_map(|id| format!("\"step_id\":\"{id}\"")),
        any_text().prop_map(move |text| format!("\"message\":{}", quoted(text))),
        "[A-Z][a-z ]{1,20}\\.".prop_map(|text| format!("\"message\":\"{text}\"")),
        (
            prop::sample::select(vec!["highlight", "clear", "click"]),
            prop::sample::select(&IDS[..]),
        )
            .prop_map(|(intent, id)| format!(
                "\"overlay\":{{\"intent\":\"{intent}\",\"target\":\"{id}\"}}"
            )),
        Just("\"actions\":[{\"press\":\"hahn\"}]".to_owned()),
        prop::collection::vec("[a-z]{0,5}", 0..5)
            .prop_map(|items| format!("\"explanations\":{items:?}")),
    ];
    let good = (
        prop::sample::select(vec!["one", "two", "drei"]),
        prop::sample::select(&IDS[..]),
        any_text(),
    );
    prop_oneof![
        2 => prop::collection::vec(any::<u8>(), 0..80),
        4 => prop::collection::vec(member, 0..6).prop_map(|all| format!("{{{}}}", all.join(",")).into_bytes()),
        4 => good.prop_map(move |(step, id, text)| {
            let text = quoted(text);
            format!(r#"{{"status":"ok","step_id":"{step}","overlay":{{"intent":"highlight","target":"{id}"}},"message":{text}}}"#).into_bytes()
        }),
    ]
}

fn may_only_point(helped: &HelpedProcedure, step: Option<&str>, told: &Resolution) {
    if let Some(id) = &told.help.highlight {
        let step = helped.step(step.unwrap()).unwrap();
        let allowed = helped
            .procedure()
            .targets
            .iter()
            .any(|target| target.id == *id);
        assert!(allowed && step.allowed_targets.contains(id), "{told:?}");
    }
    assert!(told.help.explanations.len() <= MOST_EXPLANATIONS);
    assert!(told.status == Status::Fallback || told.reason.is_none());
}

proptest! {
    #![proptest_config(properties::counted_by("OVERLAY_CASES"))]

    #[test]
    fn help_may_only_point(
        procedure in any_procedure(),
        vars in any_vars(),
        completion in any_completion(),
    ) {
        // Steps of one id would be one step to a caller.
        let mut procedure = procedure;
        let mut seen = Vec::new();
        procedure.steps.retain(|step| {
            let new = !seen.contains(&step.id);
            seen.push(step.id.clone());
            new
        });
        let helped = HelpedProcedure::new(procedure);
        let plan = plan(&helped, &vars);
        let told = resolve(&helped, &plan, Outcome::Completion(&completion));
        may_only_point(&helped, plan.step.map(|step| step.id.as_str()), &told);
        prop_assert!((1..=2).contains(&count_sentences(&told.help.message)), "{:?}", told);
        // The fallback is as good as any output.
        prop_assert!((1..=2).contains(&count_sentences(&plan.fallback.message)), "{:?}", plan.fallback);
    }

    #[test]
    fn no_plan_widens_the_scope(
        procedure in any_procedure(),
        highlight in prop::sample::select(&IDS[..]),
        completion in any_completion(),
    ) {
        let helped = HelpedProcedure::new(procedure);
        let mut plan = plan(&helped, &values([]));
        plan.fallback = Help {
            highlight: Some(highlight.to_owned()),
            ..plan.fallback
        };
        let told = resolve(&helped, &plan, Outcome::Completion(&completion));
        may_only_point(&helped, plan.step.map(|step| step.id.as_str()), &told);
    }
}
