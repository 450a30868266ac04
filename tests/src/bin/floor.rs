//! One process of the turn benchmark's floor. Its only argument is its role, as JSON; the benchmark starts it. It has as
//! many worker threads as `WORKER_THREADS` says, as the suite's processes have.

use std::process::ExitCode;

use turnwise_kit::run;
use turnwise_tests::floor::{Role, serve};

fn main() -> ExitCode {
    let threads = std::env::var("WORKER_THREADS").ok();
    run::block_on(threads.and_then(|threads| threads.parse().ok()), async {
        let role: Role =
            serde_json::from_str(&std::env::args().nth(1).ok_or(
                "the floor's role is missing; `cargo bench -p turnwise-tests` starts it",
            )?)?;
        serve(role).await;
        Ok(ExitCode::SUCCESS)
    })
}
