//! The model server of tests and benchmarks as a process of its own. Its only argument is its settings, as JSON.

use std::process::ExitCode;

use turnwise_kit::run::StartError;
use turnwise_testing::model_server::{ModelServer, Settings};

// One thread: it does next to nothing, and its CPU time is read.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode, StartError> {
    let settings = std::env::args().nth(1).unwrap_or_else(|| "{}".to_owned());
    let settings: Settings = serde_json::from_str(&settings)?;
    let server = ModelServer::start(settings).await?;
    println!("listening model-server {}", server.address());
    server.serve_for_ever().await;
    Ok(ExitCode::SUCCESS)
}
