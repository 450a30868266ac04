//! `turnwise class escalations`.

use std::io::Write;

use anyhow::Result;
use turnwise_kit::Fault;
use turnwise_proto::{
    classes::v1::{AlertFilter, Escalation},
    school::v1::{ListEscalationsRequest, ListEscalationsResponse, ResolveEscalationRequest},
};

use super::{Class, WhoArgs, fresh_key};
use crate::{edge::iso, render::table::table, school::answered, wire::to_json};

/// The most escalations of one page.
const PAGE: i32 = 200;

/// Arguments of `turnwise class escalations`.
#[derive(clap::Args, Debug, Clone)]
pub struct EscalationsArgs {
    /// Which class, and who asks.
    #[command(flatten)]
    pub who: WhoArgs,
    /// Those that somebody has resolved, too
    #[arg(long, conflicts_with = "resolve")]
    pub all: bool,
    /// Say that you have stepped in: the thread is active again
    #[arg(long, value_name = "ESCALATION")]
    pub resolve: Option<String>,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub json: bool,
}

pub(super) async fn run(args: EscalationsArgs, out: &mut (dyn Write + Send)) -> Result<()> {
    let mut class = args.who.connect()?;
    let escalations = match args.resolve {
        Some(escalation_id) => {
            let request = class.caller.ask(ResolveEscalationRequest {
                class_id: class.id.clone(),
                escalation_id,
                idempotency_key: fresh_key(),
            });
            let answer = answered(class.client.resolve_escalation(request).await)?;
            answer.escalation.into_iter().collect()
        }
        None => list(&mut class, args.all).await?,
    };
    if args.json {
        let all = ListEscalationsResponse {
            escalations,
            next_page_token: String::new(),
        };
        let name = "turnwise.school.v1.ListEscalationsResponse";
        writeln!(out, "{}", to_json(name, &all)?)?;
    } else if escalations.is_empty() {
        writeln!(out, "{}: nobody waits for a person", class.id)?;
    } else {
        write!(out, "{}", rows(&escalations))?;
    }
    Ok(())
}

pub(super) async fn list(class: &mut Class, all: bool) -> Result<Vec<Escalation>, Fault> {
    let filter = match all {
        true => AlertFilter::All,
        false => AlertFilter::Open,
    };
    let mut escalations = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = class.caller.ask(ListEscalationsRequest {
            class_id: class.id.clone(),
            filter: filter.into(),
            page_size: PAGE,
            page_token,
        });
        let page = answered(class.client.list_escalations(request).await)?;
        escalations.extend(page.escalations);
        if page.next_page_token.is_empty() {
            return Ok(escalations);
        }
        page_token = page.next_page_token;
    }
}

/// Escalations as a table.
pub(super) fn rows<'a>(escalations: impl IntoIterator<Item = &'a Escalation>) -> String {
    let rows = escalations.into_iter().map(|escalation| {
        let state = match escalation.resolved_by.as_str() {
            "" => "open".to_owned(),
            who => format!("resolved by {who}"),
        };
        vec![
            escalation
                .create_time
                .as_ref()
                .and_then(iso)
                .unwrap_or_default(),
            escalation.student_id.clone(),
            escalation.document_id.clone(),
            state,
            escalation.turn_id.clone(),
            escalation.escalation_id.clone(),
        ]
    });
    let head = ["time", "student", "document", "state", "turn", "escalation"];
    table(&head, rows.collect())
}
