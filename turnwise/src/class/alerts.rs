//! `turnwise class alerts`.

use std::io::Write;

use anyhow::Result;
use turnwise_kit::Fault;
use turnwise_proto::classes::v1::{AlertFilter, SafeguardingAlert};
use turnwise_proto::school::v1::{
    AcknowledgeAlertRequest, ListSafeguardingAlertsRequest, ListSafeguardingAlertsResponse,
};

use super::{Class, WhoArgs, fresh_key};
use crate::{
    edge::{iso, lower},
    render::table::table,
    school::answered,
    wire::to_json,
};

/// The most alerts of one page.
const PAGE: i32 = 200;

/// Arguments of `turnwise class alerts`.
#[derive(clap::Args, Debug, Clone)]
pub struct AlertsArgs {
    /// Which class, and who asks.
    #[command(flatten)]
    pub who: WhoArgs,
    /// Those that somebody has taken on, too
    #[arg(long, conflicts_with = "acknowledge")]
    pub all: bool,
    /// Take this alert on
    #[arg(long, value_name = "ALERT")]
    pub acknowledge: Option<String>,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub json: bool,
}

pub(super) async fn run(args: AlertsArgs, out: &mut (dyn Write + Send)) -> Result<()> {
    let mut class = args.who.connect()?;
    let alerts = match args.acknowledge {
        Some(alert_id) => {
            let request = class.caller.ask(AcknowledgeAlertRequest {
                class_id: class.id.clone(),
                alert_id,
                idempotency_key: fresh_key(),
            });
            let answer = answered(class.client.acknowledge_alert(request).await)?;
            answer.alert.into_iter().collect()
        }
        None => list(&mut class, args.all).await?,
    };
    if args.json {
        let all = ListSafeguardingAlertsResponse {
            alerts,
            next_page_token: String::new(),
        };
        let name = "turnwise.school.v1.ListSafeguardingAlertsResponse";
        writeln!(out, "{}", to_json(name, &all)?)?;
    } else if alerts.is_empty() {
        writeln!(out, "{}: no calls for help", class.id)?;
    } else {
        write!(out, "{}", rows(&alerts))?;
    }
    Ok(())
}

pub(super) async fn list(class: &mut Class, all: bool) -> Result<Vec<SafeguardingAlert>, Fault> {
    let filter = if all {
        AlertFilter::All
    } else {
        AlertFilter::Open
    };
    let mut alerts = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = class.caller.ask(ListSafeguardingAlertsRequest {
            class_id: class.id.clone(),
            filter: filter.into(),
            page_size: PAGE,
            page_token,
        });
        let page = answered(class.client.list_safeguarding_alerts(request).await)?;
        alerts.extend(page.alerts);
        if page.next_page_token.is_empty() {
            return Ok(alerts);
        }
        page_token = page.next_page_token;
    }
}

/// Alerts as a table.
pub(super) fn rows<'a>(alerts: impl IntoIterator<Item = &'a SafeguardingAlert>) -> String {
    let rows = alerts.into_iter().map(|alert| {
        let kind = lower(alert.kind().as_str_name(), "ALERT_KIND_").replace('_', " ");
        let sure = if alert.uncertain { "perhaps " } else { "" };
        let state = match alert.acknowledged_by.as_str() {
            "" => "open".to_owned(),
            who => format!("taken on by {who}"),
        };
        vec![
            alert.create_time.as_ref().and_then(iso).unwrap_or_default(),
            alert.student_id.clone(),
            format!("{sure}{kind}"),
            state,
            alert.turn_id.clone(),
            alert.alert_id.clone(),
        ]
    });
    let head = ["time", "student", "about", "state", "turn", "alert"];
    table(&head, rows.collect())
}
