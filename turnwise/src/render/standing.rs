//! Where a student stands, and how long a lock lasts.

use jiff::Timestamp;
use turnwise_proto::tutor::v1::{
    MasteryTier, SnapshotLite,
    snapshot_lite::{Progress, Revisit},
};

use super::ink::{self, Ink, line};
use crate::edge::tier;

/// Where the student stands, in one line.
pub fn standing_line(standing: &SnapshotLite, now: Timestamp) -> String {
    let mut parts = Vec::new();
    if let Some(focus) = &standing.focus {
        parts.push(format!(
            "{} ({}), {}",
            line(&focus.title),
            line(&focus.unit_id),
            badge(focus.mastery_tier())
        ));
    }
    if let Some(nudge) = &standing.prereq_nudge {
        parts.push(format!("first: {}", line(&nudge.title)));
    }
    if let Some(target) = &standing.target {
        let title = line(&target.title);
        parts.push(format!("then: {title}, steps: {}", target.steps_to_go));
    }
    if let Some(p) = &standing.progress {
        parts.push(format!("badges: {} of {}", earned(p), p.total));
        parts.extend((p.placed > 0).then(|| format!("placed: {}", p.placed)));
    }
    let open = standing.revisit.as_ref().and_then(|r| revisit(r, now));
    parts.extend(open.map(|open| format!("revisit: {open}")));
    parts.join(" · ")
}

/// Where the student stands, below an answer.
pub fn below(standing: &SnapshotLite, now: Timestamp, ink: Ink) -> String {
    ink::below(&standing_line(standing, now), ink)
}

/// Where the student stands, a line for each thing.
pub fn standing(standing: &SnapshotLite, now: Timestamp) -> String {
    let mut rows: Vec<(&str, String)> = Vec::new();
    if let Some(focus) = &standing.focus {
        rows.push((
            "working on",
            format!(
                "{} ({}), {}",
                line(&focus.title),
                line(&focus.unit_id),
                badge(focus.mastery_tier())
            ),
        ));
    }
    if let Some(nudge) = &standing.prereq_nudge {
        rows.push((
            "comes first",
            format!("{} ({})", line(&nudge.title), line(&nudge.unit_id)),
        ));
    }
    if let Some(target) = &standing.target {
        let path = target.path.iter().map(|step| line(&step.title));
        let path: Vec<_> = path.collect();
        rows.push(("on the way", path.join(" → ")));
    }
    if let Some(p) = &standing.progress {
        rows.push(("badges", format!("{} of {} units", earned(p), p.total)));
        rows.extend((p.placed > 0).then(|| {
            let titles: Vec<_> = standing.placed.iter().map(|u| line(&u.title)).collect();
            let titles = titles.join(", ");
            ("placed", format!("{} units, no badges: {titles}", p.placed))
        }));
    }
    let open = standing.revisit.as_ref().and_then(|r| revisit(r, now));
    rows.push((
        "come back to",
        open.unwrap_or_else(|| "nothing is waiting for you".to_owned()),
    ));
    rows.iter()
        .map(|(name, text)| format!("  {name:<13} {text}\n"))
        .collect()
}

/// The badges that there are, by tier.
fn earned(progress: &Progress) -> String {
    let tiers = [
        (progress.bronze, "bronze"),
        (progress.silver, "silver"),
        (progress.gold, "gold"),
    ];
    let earned: Vec<String> = tiers
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, tier)| format!("{count} {tier}"))
        .collect();
    if earned.is_empty() {
        "none".to_owned()
    } else {
        earned.join(", ")
    }
}

/// The exam questions to come back to; `None` if there are none.
fn revisit(revisit: &Revisit, now: Timestamp) -> Option<String> {
    let question = line(&revisit.next_question_id);
    if revisit.locked_count > 0 {
        let when = match revisit.next_eligible_at.as_ref().and_then(time) {
            Some(at) => format!("the next {}", lower_first(&available(Some(at), now))),
            None => "it is not known for how long".to_owned(),
        };
        let named = if question.is_empty() {
            String::new()
        } else {
            format!(" ({question})")
        };
        return Some(format!("{} locked, {when}{named}", revisit.locked_count));
    }
    (!question.is_empty()).then(|| format!("{question} is open again"))
}

/// When a locked question opens: "Available in 23h 59m".
pub fn available(until: Option<Timestamp>, now: Timestamp) -> String {
    let Some(until) = until else {
        return "It is not known for how long".to_owned();
    };
    let seconds = until.as_second().saturating_sub(now.as_second());
    match seconds {
        ..=0 => "Available now".to_owned(),
        1..60 => format!("Available in {seconds}s"),
        60..3600 => format!("Available in {}m {:02}s", seconds / 60, seconds % 60),
        3600..172_800 => format!("Available in {}h {:02}m", seconds / 3600, seconds / 60 % 60),
        _ => format!(
            "Available in {}d {:02}h",
            seconds / 86_400,
            seconds / 3600 % 24
        ),
    }
}

/// A badge as people say it.
pub fn badge(of: MasteryTier) -> &'static str {
    match tier(of) {
        "bronze" => "bronze badge",
        "silver" => "silver badge",
        "gold" => "gold badge",
        _ => "no badge yet",
    }
}

/// A time of the wire; `None` if it is out of range.
pub fn time(at: &prost_types::Timestamp) -> Option<Timestamp> {
    turnwise_kit::time::from_proto(at)
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(chars).collect()
    })
}
