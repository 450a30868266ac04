//! The retrieval service as a process of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    turnwise_retrieval_svc::program::main()
}
