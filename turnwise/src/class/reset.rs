//! `turnwise class reset` and `export`.

use std::{io::Write, time::Duration};

use anyhow::{Result, bail};
use indicatif::ProgressBar;
use turnwise_proto::classes::v1::ResetState;
use turnwise_proto::school::v1::{ExportClassRequest, ResetClassConversationsRequest};

use super::{WhoArgs, fresh_key};
use crate::{
    school::{WORK, answered},
    wire::to_json,
};

/// How often a running reset is asked how far it is.
const EVERY: Duration = Duration::from_secs(1);

/// Arguments of `turnwise class reset`.
#[derive(clap::Args, Debug, Clone)]
pub struct ResetArgs {
    /// Which class, and who asks.
    #[command(flatten)]
    pub who: WhoArgs,
    /// Why; kept in the audit log without what identifies a person
    #[arg(long, default_value = "")]
    pub reason: String,
    /// Key of a reset that was begun before, to see how far it is
    #[arg(long)]
    pub key: Option<String>,
    /// Do it; without this nothing is deleted
    #[arg(long)]
    pub yes: bool,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub json: bool,
}

pub(super) async fn run(args: ResetArgs, out: &mut (dyn Write + Send)) -> Result<()> {
    if !args.yes {
        bail!(
            "this removes all helper conversations of class {} and the text of its tutor threads; add --yes to do it",
            args.who.class
        );
    }
    let mut class = args.who.connect()?;
    let key = args.key.unwrap_or_else(fresh_key);
    let bar = ProgressBar::new_spinner();
    let done = loop {
        let request = class.caller.request(
            ResetClassConversationsRequest {
                class_id: class.id.clone(),
                reason: args.reason.clone(),
                idempotency_key: key.clone(),
            },
            WORK,
        );
        let answer = answered(class.client.reset_class_conversations(request).await)
            .inspect_err(|_| eprintln!("the reset's key is {key}; --key goes on with it"))?;
        if answer.state() == ResetState::Done {
            break answer;
        }
        bar.set_message(format!(
            "{} conversations, {} threads so far (key {key})",
            answer.conversations, answer.threads
        ));
        bar.tick();
        tokio::time::sleep(EVERY).await;
    };
    bar.finish_and_clear();
    if args.json {
        let name = "turnwise.school.v1.ResetClassConversationsResponse";
        writeln!(out, "{}", to_json(name, &done)?)?;
        return Ok(());
    }
    writeln!(
        out,
        "{}: {} conversations removed, {} threads without their text, of {} students",
        class.id, done.conversations, done.threads, done.students
    )?;
    for archive in &done.archive_names {
        writeln!(out, "archive {archive}")?;
    }
    writeln!(out, "audit entry {}", done.audit_id)?;
    Ok(())
}

/// Arguments of `turnwise class export`.
#[derive(clap::Args, Debug, Clone)]
pub struct ExportArgs {
    /// Which class, and who asks.
    #[command(flatten)]
    pub who: WhoArgs,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub json: bool,
}

pub(super) async fn export(args: ExportArgs, out: &mut (dyn Write + Send)) -> Result<()> {
    let mut class = args.who.connect()?;
    let bar = ProgressBar::new_spinner().with_message("writing the archive");
    bar.enable_steady_tick(Duration::from_millis(200));
    let request = class.caller.request(
        ExportClassRequest {
            class_id: class.id.clone(),
            idempotency_key: fresh_key(),
        },
        WORK,
    );
    let answer = class.client.export_class(request).await;
    bar.finish_and_clear();
    let answer = answered(answer)?;
    if args.json {
        let name = "turnwise.school.v1.ExportClassResponse";
        writeln!(out, "{}", to_json(name, &answer)?)?;
    } else {
        writeln!(
            out,
            "{}: {} conversations in {} (audit entry {})",
            class.id, answer.conversations, answer.archive_name, answer.audit_id
        )?;
    }
    Ok(())
}
