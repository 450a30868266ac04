//! The session service as a process of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    turnwise_session_svc::program::main()
}
