//! The platform's exam system of the end-to-end tests. Its only argument is the address to listen at; it works in its
//! working directory.

use std::{net::SocketAddr, process::ExitCode};

use turnwise_kit::run::StartError;
use turnwise_tests::exam_system::serve_for_ever;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode, StartError> {
    let address = std::env::args().nth(1).unwrap_or_default();
    let address: SocketAddr = address.parse()?;
    serve_for_ever(address).await?;
    Ok(ExitCode::SUCCESS)
}
