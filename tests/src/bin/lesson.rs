//! Holds a lesson at a suite that runs elsewhere, such as the one that scripts/try-image brings up, and says what became
//! of it. It fails if anything was lost or counted twice.

use std::{path::PathBuf, process::Command};

use clap::Parser;
use tonic::transport::Endpoint;
use turnwise::data_dir::DataDir;
use turnwise_kit::run::StartError;
use turnwise_tests::lesson::{School, hold};

#[derive(Parser, Debug)]
struct Cli {
    /// The suite's public port, such as http://127.0.0.1:50050
    #[arg(long)]
    endpoint: Endpoint,
    /// The data directory of the development issuer whose tokens it accepts
    #[arg(long)]
    data_dir: PathBuf,
    /// How many pupils there are
    #[arg(long, default_value = "8")]
    pupils: usize,
    /// A command of the shell for the middle of the lesson
    #[arg(long, default_value = "true")]
    in_the_middle: String,
}

#[tokio::main]
async fn main() -> Result<(), StartError> {
    let cli = Cli::parse();
    let school = School {
        endpoint: cli.endpoint,
        issuer: DataDir::open(&cli.data_dir)?,
    };
    let strike = async {
        let mut command = Command::new("sh");
        command.args(["-c", &cli.in_the_middle]);
        let status = tokio::task::spawn_blocking(move || command.status()).await;
        assert!(
            matches!(status, Ok(Ok(status)) if status.success()),
            "`{}` failed",
            cli.in_the_middle
        );
    };
    println!("{}", hold(&school, cli.pupils, strike).await);
    Ok(())
}
