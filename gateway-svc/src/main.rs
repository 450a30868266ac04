//! The turn gateway as a process of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    turnwise_gateway_svc::program::main()
}
