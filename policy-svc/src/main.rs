//! The policy service as a process of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    turnwise_policy_svc::program::main()
}
