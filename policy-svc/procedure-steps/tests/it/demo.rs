//! The procedures of the demo course, played with mistakes, omissions and repeats.

use std::path::Path;

use turnwise_course_pack::gates::{Kind, Value, Vars};
use turnwise_course_pack::{Procedure, load};
use turnwise_procedure_steps::{RunState, Status, infer};
use turnwise_testing::choices::Choices;

use crate::fixture::values;

fn demo(id: &str) -> Procedure {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../courses/algebra-foundations");
    let pack = load(&root).unwrap();
    assert!(pack.warnings.is_empty(), "{:?}", pack.warnings);
    let found = pack
        .procedures
        .into_iter()
        .find(|procedure| procedure.id == id);
    found.unwrap()
}

fn word(word: &str) -> Value {
    Value::Text(word.to_owned())
}

/// What a learner does in each step, in order.
fn titration() -> Vec<(&'static str, Vars)> {
    let yes = || Value::Bool(true);
    let no = || Value::Bool(false);
    vec![
        ("goggles", values([("goggles_on", yes())])),
        ("clamp-burette", values([("burette_clamped", yes())])),
        ("rinse-burette", values([("burette_rinsed", yes())])),
        (
            "fill-burette",
            values([
                ("poured", Value::Double(45.0)),
                ("funnel_on", yes()),
                ("air_in_tip", yes()),
            ]),
        ),
        ("remove-funnel", values([("funnel_on", no())])),
        ("clear-tip", values([("air_in_tip", no())])),
        ("note-start", values([("start_noted", yes())])),
        (
            "pipette-sample",
            values([("sample", Value::Double(25.0)), ("ph", Value::Double(1.0))]),
        ),
        ("add-indicator", values([("indicator", Value::Int(3))])),
        ("place-flask", values([("flask_placed", yes())])),
        ("start-stirrer", values([("stirrer", word("slow"))])),
        (
            "run-in",
            values([
                ("tap", word("open")),
                ("delivered", Value::Double(18.4)),
                ("ph", Value::Double(1.9)),
            ]),
        ),
        (
            "find-end-point",
            values([
                ("tap", word("closed")),
                ("delivered", Value::Double(25.1)),
                ("ph", Value::Double(8.9)),
                ("colour", word("pale_pink")),
            ]),
        ),
        ("note-end", values([("end_noted", yes())])),
    ]
}

/// How the simulator begins.
fn bench() -> Vars {
    let no = || Value::Bool(false);
    let mut bench = values([
        ("tap", word("closed")),
        ("stirrer", word("off")),
        ("colour", word("colourless")),
    ]);
    for name in [
        "goggles_on",
        "burette_clamped",
        "burette_rinsed",
        "funnel_on",
        "start_noted",
        "flask_placed",
        "end_noted",
    ] {
        bench.insert(name.to_owned(), no());
    }
    bench.insert("air_in_tip".to_owned(), Value::Bool(true));
    for name in ["poured", "sample", "delivered"] {
        bench.insert(name.to_owned(), Value::Double(0.0));
    }
    bench.insert("indicator".to_owned(), Value::Int(0));
    bench.insert("ph".to_owned(), Value::Double(7.0));
    bench
}

#[test]
fn a_titration_without_mistakes() {
    let procedure = demo("titration");
    assert_eq!(procedure.steps.len(), 14);
    let (mut state, mut now, mut at) = (RunState::default(), bench(), 0);
    for (id, done) in titration() {
        at += 5_000;
        let told = infer(&procedure, &mut state, &now, at);
        assert_eq!(told.step.unwrap().id, id);
        assert_eq!(told.stepped_back_from, None);
        now.extend(done);
        infer(&procedure, &mut state, &now, at);
    }
    assert_eq!(
        infer(&procedure, &mut state, &now, at + 5_000).status,
        Status::Finished
    );
}

#[test]
fn a_titration_that_went_too_far() {
    let procedure = demo("titration");
    let (mut state, mut now) = (RunState::default(), bench());
    for (_, done) in titration().into_iter().take(12) {
        now.extend(done);
    }
    infer(&procedure, &mut state, &now, 0);
    let told = infer(&procedure, &mut state, &now, 10_000);
    assert_eq!(
        (told.step.unwrap().id.as_str(), told.status),
        ("find-end-point", Status::Pending)
    );
    assert_eq!(
        told.blocked_by.unwrap().to_string(),
        "`vars.tap != 'open'` does not hold: tap is open"
    );
    now.extend(values([
        ("tap", word("closed")),
        ("ph", Value::Double(12.1)),
        ("colour", word("deep_pink")),
    ]));
    let told = infer(&procedure, &mut state, &now, 20_000);
    assert_eq!(told.status, Status::Active);
    assert_eq!(
        told.blocked_by.unwrap().to_string(),
        "`vars.colour == 'pale_pink'` does not hold: colour is deep_pink"
    );
}

/// The first step, in order, whose completion gate does not hold.
fn open(procedure: &Procedure, now: &Vars) -> Option<String> {
    let mut open = procedure
        .steps
        .iter()
        .filter(|step| !step.completion.holds(now));
    open.next().map(|step| step.id.clone())
}

/// Any values, often those at the bounds of gates.
fn any_value(kind: &Kind, choices: &mut Choices) -> Value {
    match kind {
        Kind::Bool => Value::Bool(choices.coin()),
        Kind::Int { .. } => Value::Int(choices.below(6) as i64),
        Kind::Double { min, max } => Value::Double(min + (max - min) * choices.share()),
        Kind::Enum(words) => word(&words[choices.below(words.len())]),
    }
}

#[test]
fn runs_with_mistakes_omissions_and_repeats() {
    for (procedure, good) in [
        (demo("titration"), titration()),
        (demo("bouncing-ball"), Vec::new()),
    ] {
        for round in 0..200 {
            let mut choices = Choices::of_round(20, round);
            let (mut state, mut now, mut at) = (RunState::default(), bench(), 0);
            for n in 0..40 {
                let done = good.get(n.min(good.len().saturating_sub(choices.below(4) + 1)));
                match done.filter(|_| choices.below(4) > 0) {
                    Some((_, done)) => now.extend(done.clone()),
                    None => {
                        let var =
                            &procedure.telemetry[choices.below(procedure.telemetry.len())].var;
                        now.insert(var.name.clone(), any_value(&var.kind, &mut choices));
                    }
                }
                // Noise that is over before anything settles.
                let flicker = values([("goggles_on", word("?")), ("sprite", word("?"))]);
                let noisy: Vars = now.clone().into_iter().chain(flicker).collect();
                at += 10_000;
                infer(&procedure, &mut state, &now, at);
                infer(&procedure, &mut state, &noisy, at + 5_000);
                let told = infer(&procedure, &mut state, &now, at + 5_100);
                let told = told.step.map(|step| step.id.clone());
                assert_eq!(told, open(&procedure, &now), "round {round}, change {n}");
            }
        }
    }
}
