//! `turnwise eval`: prompts with expected behaviours, sent to the homework helper, and a report.

mod ask;
mod judge;
mod prompts;
mod report;

use std::{io::Write, path::PathBuf, process::ExitCode};

use anyhow::{Context, Result};
use indicatif::ProgressBar;

use crate::{client::EndpointArgs, school::ended};
use ask::Helper;
pub use judge::{Failure, Kind, Verdict, judge, states};
pub use prompts::{Expect, Language, Prompt, Redirect, Strictness, read};
pub use report::Report;

/// Arguments of `turnwise eval`.
#[derive(clap::Args, Debug, Clone)]
pub struct EvalArgs {
    /// Where the suite is; the token is one of staff or of a service.
    #[command(flatten)]
    pub endpoint: EndpointArgs,
    /// The prompts, JSON Lines; the format is in docs/helper.md
    pub file: PathBuf,
    /// The course whose lessons the prompts name
    #[arg(long, default_value = "algebra-foundations")]
    pub course: String,
    /// The prompts are asked in the classes NAME-light and NAME-strict, whose policies are set for it: strict scope, strict
    /// topics and the strictness in the name. No students should be in them
    #[arg(long, value_name = "NAME", default_value = "helper-eval")]
    pub classes: String,
    /// Seconds that an answer may take, waits in the queue included (1 to 3600)
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub timeout: u64,
    /// The share of prompts, 0 to 1, whose expectations must all be met
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = share)]
    pub min_pass: f64,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub json: bool,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "must be a number from 0 to 1".to_owned())
}

/// Runs the command: failure if fewer prompts pass than must.
///
/// # Errors
/// `out` cannot be written, the file has a fault, or no connection can be set up; the message says what to do. A token or a
/// policy that the suite refuses is printed, and a failure; an answer that it refuses is one more failed expectation.
pub async fn run(args: EvalArgs, out: &mut (dyn Write + Send)) -> Result<ExitCode> {
    let file = args.file.display();
    let text =
        std::fs::read_to_string(&args.file).with_context(|| format!("cannot read {file}"))?;
    let prompts = read(&text).with_context(|| file.to_string())?;
    let mut report = Report::default();
    let asked = ask_all(&args, &prompts, &mut report).await;
    if asked.is_err() {
        return ended(asked);
    }
    let passes = report.passes(args.min_pass);
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &report.to_json(passes))?;
        writeln!(out)?;
    } else {
        write!(out, "{}", report.to_text())?;
    }
    Ok(if passes {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn ask_all(args: &EvalArgs, prompts: &[Prompt], report: &mut Report) -> Result<()> {
    let mut helper = Helper::connect(args)?;
    helper.set_policies(prompts).await?;
    let bar = ProgressBar::new(u64::try_from(prompts.len()).unwrap_or(u64::MAX));
    for prompt in prompts {
        bar.set_message(prompt.id.clone());
        let token = helper.scope_token(prompt).await?;
        let answer = helper.answer(prompt, token).await;
        report.add(prompt, judge(prompt, answer.as_ref()), answer.ok());
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}
