//! Trains the dictionary that records are compressed with, on what the suite stores of a load on the demo course, and
//! puts it beside the earlier ones, under the next id. Named in `session-svc/src/compression.rs`, it is written with
//! from then on. The earlier ones must stay: nothing that was written with them can be read without them.
//!
//! `cargo build --bins && cargo run -p turnwise-tests --example train-dictionary`

use std::{error::Error, fs, process::ExitCode};

use turnwise_kit::run;
use turnwise_session_svc::compression::DICTIONARIES;
use turnwise_tests::{
    deployment::Deployment, mixed_load, options::Kind, process::repository,
    stored_rows::stored_rows,
};

const STUDENTS: usize = 24;
const ROUNDS: usize = 24;
/// The most that a dictionary may have.
const SIZE: usize = 64 * 1024;
/// Where a dictionary says its id, as a little-endian number.
const ID: std::ops::Range<usize> = 4..8;

fn main() -> ExitCode {
    run::block_on(None, async {
        let mut suite = Deployment::start(Kind::OneProcess, mixed_load::options(STUDENTS)).await;
        let calls = mixed_load::run(&suite, STUDENTS, ROUNDS).await;
        suite.stop();
        let rows = stored_rows(&suite.data_dir.session_store());
        let samples: Vec<_> = rows.iter().map(|row| row.plain()).collect();
        let mut dictionary = zstd::dict::from_samples(&samples, SIZE)?;
        let id = DICTIONARIES.len() + 1;
        dictionary
            .get_mut(ID)
            .ok_or("no dictionary came of it")?
            .copy_from_slice(&u32::try_from(id)?.to_le_bytes());
        let file = repository().join(format!("session-svc/dictionaries/{id}.zdict"));
        fs::write(&file, &dictionary)?;
        println!(
            "{}: {} bytes, of {} values after {calls} calls",
            file.display(),
            dictionary.len(),
            samples.len(),
        );
        Ok::<_, Box<dyn Error + Send + Sync>>(ExitCode::SUCCESS)
    })
}
