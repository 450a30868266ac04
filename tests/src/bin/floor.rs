//! One process of the turn benchmark's floor. Its only argument is its role, as JSON; the benchmark starts it.

use std::process::ExitCode;

use turnwise_kit::run;
use turnwise_tests::floor::{Role, serve};

fn main() -> ExitCode {
    run::block_on(None, async {
        let role: Role =
            serde_json::from_str(&std::env::args().nth(1).ok_or(
                "the floor's role is missing; `cargo bench -p turnwise-tests` starts it",
            )?)?;
        serve(role).await;
        Ok(ExitCode::SUCCESS)
    })
}
