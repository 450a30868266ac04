//! `turnwise class report`.

use std::{fmt::Write as _, io::Write};

use anyhow::Result;
use turnwise_kit::Fault;
use turnwise_proto::school::v1::{
    ClassReportRequest, MistakeCount, Report, StudentReport, UnitReport,
};

use super::{Class, WhoArgs};
use crate::{edge::lower, render::table::table, school::answered, wire::to_json};

/// The most pupils of one page.
const PAGE: i32 = 200;

/// Arguments of `turnwise class report`.
#[derive(clap::Args, Debug, Clone)]
pub struct ReportArgs {
    /// Which class, and who asks.
    #[command(flatten)]
    pub who: WhoArgs,
    /// The course
    pub course: String,
    /// Weeks of activity that are counted, this one included (1 to 26)
    #[arg(long, default_value = "13", value_parser = clap::value_parser!(i32).range(1..=26))]
    pub weeks: i32,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub json: bool,
}

pub(super) async fn run(args: ReportArgs, out: &mut (dyn Write + Send)) -> Result<()> {
    let mut class = args.who.connect()?;
    let report = whole(&mut class, &args).await?;
    if args.json {
        writeln!(out, "{}", to_json("turnwise.school.v1.Report", &report)?)?;
    } else {
        write!(out, "{}", render(&report, args.weeks))?;
    }
    Ok(())
}

/// The report with all its pupils.
async fn whole(class: &mut Class, args: &ReportArgs) -> Result<Report, Fault> {
    let mut whole: Option<Report> = None;
    let mut page_token = String::new();
    loop {
        let request = class.caller.ask(ClassReportRequest {
            class_id: class.id.clone(),
            course_id: args.course.clone(),
            weeks: args.weeks,
            page_size: PAGE,
            page_token,
        });
        let page = answered(class.client.class_report(request).await)?;
        let report = page.report.unwrap_or_default();
        match &mut whole {
            Some(whole) => whole.students.extend(report.students),
            None => whole = Some(report),
        }
        if page.next_page_token.is_empty() {
            return Ok(whole.unwrap_or_default());
        }
        page_token = page.next_page_token;
    }
}

fn render(report: &Report, weeks: i32) -> String {
    let totals = report.totals.clone().unwrap_or_default();
    let (turns, drills) = totals
        .days
        .iter()
        .fold((0, 0), |(t, d), day| (t + day.turns, d + day.drills));
    let mut out = format!(
        "{} in {}: {} students; in {weeks} weeks {turns} turns, {drills} drills, {} hints, \"I'm stuck\" {} times\n",
        report.class_id, report.course_id, report.student_count, totals.hints, totals.stuck_presses
    );
    if !totals.fallbacks.is_empty() {
        let reasons: Vec<String> = totals
            .fallbacks
            .iter()
            .map(|f| {
                format!(
                    "{} {}",
                    f.count,
                    lower(f.reason().as_str_name(), "DEGRADED_REASON_")
                )
            })
            .collect();
        let _ = writeln!(
            out,
            "answered without a model's reply: {}",
            reasons.join(", ")
        );
    }
    let touched: Vec<_> = report
        .units
        .iter()
        .filter(|unit| is_touched(unit))
        .collect();
    if !touched.is_empty() {
        let head = [
            "unit",
            "title",
            "none",
            "bronze",
            "silver",
            "gold",
            "stuck",
            "locked",
            "blocked by",
            "mistakes",
        ];
        let _ = write!(
            out,
            "\n{}",
            table(&head, touched.into_iter().map(unit).collect())
        );
    }
    if !report.students.is_empty() {
        let head = [
            "student", "focus", "bronze", "silver", "gold", "turns", "drills", "wrong", "hints",
            "stuck on", "blocked", "mistakes",
        ];
        let rows = report.students.iter().map(student).collect();
        let _ = write!(out, "\n{}", table(&head, rows));
    }
    out
}

/// Whether there is anything to tell of a unit.
fn is_touched(unit: &UnitReport) -> bool {
    let bare = UnitReport {
        unit_id: unit.unit_id.clone(),
        title: unit.title.clone(),
        ..UnitReport::default()
    };
    *unit != bare
}

fn unit(unit: &UnitReport) -> Vec<String> {
    let blocked = unit
        .blocked
        .iter()
        .map(|b| format!("{} by {}", b.count, b.prerequisite_unit_id));
    vec![
        unit.unit_id.clone(),
        unit.title.clone(),
        unit.none.to_string(),
        unit.bronze.to_string(),
        unit.silver.to_string(),
        unit.gold.to_string(),
        unit.stuck.to_string(),
        unit.locked.to_string(),
        blocked.collect::<Vec<_>>().join(", "),
        mistakes(&unit.mistakes),
    ]
}

fn student(student: &StudentReport) -> Vec<String> {
    let badges = student.badges.unwrap_or_default();
    let blocked = match student.blocking_unit_id.as_str() {
        "" => String::new(),
        by => format!("{} by {by}", student.blocked_unit_id),
    };
    vec![
        student.student_id.clone(),
        student.focus_unit_id.clone(),
        badges.bronze.to_string(),
        badges.silver.to_string(),
        badges.gold.to_string(),
        student.turns.to_string(),
        student.drills.to_string(),
        student.wrong_drills.to_string(),
        student.hints.to_string(),
        student.stuck_unit_ids.join(" "),
        blocked,
        mistakes(&student.mistakes),
    ]
}

/// Mistakes with their trend: an arrow where the later half of the weeks has half as many again, or half as few.
fn mistakes(mistakes: &[MistakeCount]) -> String {
    let words = mistakes.iter().take(3).map(|mistake| {
        let trend = match (mistake.recent, mistake.earlier) {
            (recent, earlier) if 2 * recent > 3 * earlier => "↑",
            (recent, earlier) if 2 * earlier > 3 * recent => "↓",
            _ => "",
        };
        format!("{} {}{trend}", mistake.count, mistake.tag)
    });
    words.collect::<Vec<_>>().join(", ")
}
