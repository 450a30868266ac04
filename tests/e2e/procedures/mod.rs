//! Help with procedures: sessions, observations, help, overlays.

mod gateways;
mod help;
mod kills;
mod observations;
mod overlays;
mod refusals;

use turnwise_proto::procedure::v1::variable::Value;
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    procedure::{Run, on, variable},
};

/// A deployment without a model.
async fn without_model(kind: Kind) -> Deployment {
    Deployment::start(kind, Options::new().env("HELPER_LLM_BACKEND", "none")).await
}

/// Does the first step and waits until it counts.
async fn goggles_on(run: &mut Run) {
    run.observe(vec![on("PPE.GOGGLES")]).await;
    until_at(run, "clamp-burette").await;
}

/// Observes until the run has come to a step.
async fn until_at(run: &mut Run, step: &str) {
    turnwise_tests::eventually::eventually(step, std::time::Duration::from_secs(30), async || {
        (run.help().await.step_id == step).then_some(())
    })
    .await;
}

fn word(name: &str, word: &str) -> turnwise_proto::procedure::v1::Variable {
    variable(name, Value::Word(word.to_owned()))
}
