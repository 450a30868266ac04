//! `turnwise class roster`.

use std::{fs, io::Write, path::PathBuf};

use anyhow::{Context, Result};
use turnwise_proto::school::v1::{GetClassRosterRequest, SetClassRosterRequest};

use super::{WhoArgs, fresh_key};
use crate::{school::answered, wire::to_json};

/// Arguments of `turnwise class roster`.
#[derive(clap::Args, Debug, Clone)]
pub struct RosterArgs {
    /// Which class, and who asks.
    #[command(flatten)]
    pub who: WhoArgs,
    /// Replace the names by those of this file, one a line
    #[arg(long, value_name = "FILE")]
    pub set: Option<PathBuf>,
    /// Remove all names
    #[arg(long, conflicts_with = "set")]
    pub clear: bool,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub json: bool,
}

pub(super) async fn run(args: RosterArgs, out: &mut (dyn Write + Send)) -> Result<()> {
    let mut class = args.who.connect()?;
    if args.set.is_some() || args.clear {
        let names = match &args.set {
            Some(file) => names(file)?,
            None => Vec::new(),
        };
        let count = names.len();
        let request = class.caller.ask(SetClassRosterRequest {
            class_id: class.id.clone(),
            names,
            idempotency_key: fresh_key(),
        });
        let answer = answered(class.client.set_class_roster(request).await)?;
        if args.json {
            writeln!(
                out,
                "{}",
                to_json("turnwise.school.v1.SetClassRosterResponse", &answer)?
            )?;
            return Ok(());
        }
        writeln!(out, "{}: {count} names are redacted from now on", class.id)?;
        if !answer.cue_names.is_empty() {
            writeln!(
                out,
                "only after a cue such as \"my name is\", because they are words, too: {}",
                answer.cue_names.join(", ")
            )?;
        }
        return Ok(());
    }
    let request = class.caller.ask(GetClassRosterRequest {
        class_id: class.id.clone(),
    });
    let answer = answered(class.client.get_class_roster(request).await)?;
    if args.json {
        writeln!(
            out,
            "{}",
            to_json("turnwise.school.v1.GetClassRosterResponse", &answer)?
        )?;
    } else if answer.names.is_empty() {
        writeln!(out, "{}: no roster; give one with --set FILE", class.id)?;
    } else {
        for name in &answer.names {
            writeln!(out, "{name}")?;
        }
    }
    Ok(())
}

/// The names of a file, without empty lines and what surrounds a name.
fn names(file: &PathBuf) -> Result<Vec<String>> {
    let text =
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let lines = text.lines().map(str::trim).filter(|name| !name.is_empty());
    Ok(lines.map(str::to_owned).collect())
}
