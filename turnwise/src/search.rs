//! `turnwise search`: what a course's index finds, with scores by part, and why.

use std::{fmt::Write as _, io::Write, process::ExitCode, time::Duration};

use anyhow::Result;
use clap::ValueEnum;
use serde::Serialize;
use turnwise_proto::{
    retrieval::v1::{
        Citation, DenseUse, Namespace, SearchHit, SearchRequest, SearchResponse, SearchUnit,
    },
    tutor::v1::MasteryTier,
};

use crate::{
    client::EndpointArgs,
    edge::lower,
    index::{Staff, fault},
    render::wrap,
};

/// Columns of a hit's text.
const WIDTH: usize = 84;
/// The most lines of a hit's text.
const LINES: usize = 4;

/// Arguments of `turnwise search`.
#[derive(clap::Args, Debug, Clone)]
pub struct SearchArgs {
    /// Where the suite is.
    #[command(flatten)]
    pub endpoint: EndpointArgs,
    /// The course
    pub course: String,
    /// What to search for
    pub text: String,
    /// A message before it, oldest first, as in a chat; may be given several times
    #[arg(long = "recent", value_name = "TEXT")]
    pub recent: Vec<String>,
    /// Search this unit only; may be given several times
    #[arg(long = "unit", value_name = "UNIT")]
    pub units: Vec<String>,
    /// What to search
    #[arg(long, value_enum, default_value = "chunks")]
    pub namespace: What,
    /// Exam candidates of this tier only
    #[arg(long, value_enum)]
    pub tier: Option<Tier>,
    /// How many hits to show (1 to 100)
    #[arg(long = "top", value_name = "K", default_value = "10", value_parser = clap::value_parser!(i32).range(1..=100))]
    pub top_k: i32,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub json: bool,
}

/// What to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// Titles, tags and misconceptions of units
    #[value(alias = "unit_anchors")]
    Anchors,
    /// Lesson text
    #[value(alias = "unit_content_chunks")]
    Chunks,
    /// Exam questions
    #[value(alias = "exam_candidates")]
    ExamCandidates,
    /// Guidance on exam questions
    #[value(alias = "exam_support_chunks")]
    ExamSupport,
}

impl From<What> for Namespace {
    fn from(what: What) -> Self {
        match what {
            What::Anchors => Self::UnitAnchors,
            What::Chunks => Self::UnitContentChunks,
            What::ExamCandidates => Self::ExamCandidates,
            What::ExamSupport => Self::ExamSupportChunks,
        }
    }
}

/// A tier of exam questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Tier {
    /// The first
    Bronze,
    /// The second
    Silver,
    /// The third
    Gold,
}

impl From<Tier> for MasteryTier {
    fn from(tier: Tier) -> Self {
        match tier {
            Tier::Bronze => Self::Bronze,
            Tier::Silver => Self::Silver,
            Tier::Gold => Self::Gold,
        }
    }
}

/// Searches and prints what was found.
///
/// # Errors
/// `out` cannot be written, or no connection can be set up; the message says what to do. What the suite refuses is
/// printed, and a failure.
pub async fn run(args: SearchArgs, out: &mut dyn Write) -> Result<ExitCode> {
    let mut staff = Staff::connect(&args.endpoint)?;
    let request = staff.caller.ask(SearchRequest {
        course_id: args.course.clone(),
        pack_hash: String::new(),
        text: args.text.clone(),
        recent_texts: args.recent.clone(),
        namespace: Namespace::from(args.namespace).into(),
        unit_ids: args.units.clone(),
        tier: args
            .tier
            .map_or(MasteryTier::Unspecified, MasteryTier::from)
            .into(),
        top_k: args.top_k,
    });
    let found = match staff.client.search(request).await.map_err(fault) {
        Ok(found) => found.into_inner(),
        Err(fault) => {
            eprintln!("refused: {fault}");
            return Ok(ExitCode::FAILURE);
        }
    };
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &SearchView::of(&found))?;
        writeln!(out)?;
    } else {
        write!(out, "{}", render(&args, &found))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What was found, for a terminal.
fn render(args: &SearchArgs, found: &SearchResponse) -> String {
    let mut out = String::new();
    let hits = match found.hits.len() {
        0 => "nothing".to_owned(),
        1 => "1 hit".to_owned(),
        hits => format!("{hits} hits"),
    };
    let ranked = match found.dense() {
        DenseUse::Used => "by words and by meaning",
        DenseUse::NoModel => "by words; no embedding model is configured",
        DenseUse::Unavailable => {
            "by words; the embedding model did not answer, or vectors are still being made"
        }
        DenseUse::Unspecified => "unranked",
    };
    let _ = writeln!(
        out,
        "{hits} among the {} of {}, {ranked}",
        namespace_words(args.namespace.into()),
        args.course
    );
    if !found.mapped_units.is_empty() {
        let units: Vec<String> = found
            .mapped_units
            .iter()
            .map(|unit| format!("{} {:.2}", unit.unit_id, unit.confidence))
            .collect();
        let _ = writeln!(out, "about {}", units.join(" · "));
    }
    for (place, hit) in found.hits.iter().enumerate() {
        out.push('\n');
        show(&mut out, place + 1, hit);
    }
    let _ = writeln!(out, "\nindex {}", found.index_id);
    out
}

fn show(out: &mut String, place: usize, hit: &SearchHit) {
    let title = if hit.title.is_empty() {
        &hit.id
    } else {
        &hit.title
    };
    let _ = writeln!(out, "{place:>3}  {title}");
    let mut about = vec![hit.unit_ids.join(", ")];
    if hit.id != *title {
        about.push(hit.id.clone());
    }
    about.retain(|part| !part.is_empty());
    if !about.is_empty() {
        let _ = writeln!(out, "     {}", about.join(" · "));
    }
    let words = if hit.lexical_rank > 0 {
        format!("words {:.2} (#{})", hit.lexical, hit.lexical_rank)
    } else {
        "words: none matched".to_owned()
    };
    let meaning = if hit.dense_rank > 0 {
        format!(" · meaning {:.2} (#{})", hit.dense_score, hit.dense_rank)
    } else {
        String::new()
    };
    let _ = writeln!(out, "     score {:.4} · {words}{meaning}", hit.score);
    if !hit.matched.is_empty() {
        let _ = writeln!(out, "     matched {}", hit.matched.join(", "));
    }
    let text = hit.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut lines = wrap(&text, WIDTH);
    if lines.len() > LINES {
        lines.truncate(LINES);
        if let Some(last) = lines.last_mut() {
            last.push_str(" …");
        }
    }
    for line in lines {
        let _ = writeln!(out, "     │ {line}");
    }
    if let Some(citation) = hit.citation.as_ref().map(source).filter(|c| !c.is_empty()) {
        let _ = writeln!(out, "     ↳ {citation}");
    }
}

/// Where a text can be found, in one line.
fn source(citation: &Citation) -> String {
    let mut parts = Vec::new();
    let named = [&citation.title, &citation.source_id];
    parts.extend(named.into_iter().find(|name| !name.is_empty()).cloned());
    if !citation.section.is_empty() {
        parts.push(citation.section.clone());
    }
    if citation.page > 0 {
        parts.push(format!("page {}", citation.page));
    }
    if let Some(start) = start(citation) {
        let seconds = start.as_secs();
        parts.push(if seconds < 3600 {
            format!("at {}:{:02}", seconds / 60, seconds % 60)
        } else {
            format!(
                "at {}:{:02}:{:02}",
                seconds / 3600,
                seconds / 60 % 60,
                seconds % 60
            )
        });
    }
    if !citation.url.is_empty() {
        parts.push(citation.url.clone());
    }
    parts.join(" · ")
}

fn start(citation: &Citation) -> Option<Duration> {
    Duration::try_from(citation.start_time?).ok()
}

/// A namespace as people say it.
pub(crate) fn namespace_words(namespace: Namespace) -> &'static str {
    match namespace {
        Namespace::UnitAnchors => "anchors",
        Namespace::UnitContentChunks => "chunks",
        Namespace::ExamCandidates => "exam candidates",
        Namespace::ExamSupportChunks => "exam support",
        Namespace::Unspecified => "rows of another kind",
    }
}

/// A namespace as programs spell it.
pub(crate) fn namespace_name(namespace: Namespace) -> &'static str {
    match namespace {
        Namespace::UnitAnchors => "unit_anchors",
        Namespace::UnitContentChunks => "unit_content_chunks",
        Namespace::ExamCandidates => "exam_candidates",
        Namespace::ExamSupportChunks => "exam_support_chunks",
        Namespace::Unspecified => "unspecified",
    }
}

/// Whether meaning took part, as programs spell it.
pub(crate) fn dense_name(dense: DenseUse) -> String {
    lower(dense.as_str_name(), "DENSE_USE_")
}

/// What was found, for a program.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SearchView<'a> {
    index_id: &'a str,
    dense: String,
    mapped_units: Vec<UnitView<'a>>,
    hits: Vec<HitView<'a>>,
}

impl<'a> SearchView<'a> {
    fn of(found: &'a SearchResponse) -> Self {
        Self {
            index_id: &found.index_id,
            dense: dense_name(found.dense()),
            mapped_units: found.mapped_units.iter().map(UnitView::of).collect(),
            hits: found.hits.iter().map(HitView::of).collect(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UnitView<'a> {
    unit_id: &'a str,
    confidence: f64,
}

impl<'a> UnitView<'a> {
    fn of(unit: &'a SearchUnit) -> Self {
        Self {
            unit_id: &unit.unit_id,
            confidence: unit.confidence,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HitView<'a> {
    id: &'a str,
    unit_ids: &'a [String],
    title: &'a str,
    text: &'a str,
    score: f64,
    lexical: f64,
    lexical_rank: Option<i32>,
    dense_score: f64,
    dense_rank: Option<i32>,
    matched: &'a [String],
    citation: Option<CitationView<'a>>,
}

impl<'a> HitView<'a> {
    fn of(hit: &'a SearchHit) -> Self {
        Self {
            id: &hit.id,
            unit_ids: &hit.unit_ids,
            title: &hit.title,
            text: &hit.text,
            score: hit.score,
            lexical: hit.lexical,
            lexical_rank: (hit.lexical_rank > 0).then_some(hit.lexical_rank),
            dense_score: hit.dense_score,
            dense_rank: (hit.dense_rank > 0).then_some(hit.dense_rank),
            matched: &hit.matched,
            citation: hit.citation.as_ref().map(CitationView::of),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CitationView<'a> {
    source_id: &'a str,
    title: &'a str,
    section: &'a str,
    url: &'a str,
    page: Option<i32>,
    start_ms: Option<u64>,
}

impl<'a> CitationView<'a> {
    fn of(citation: &'a Citation) -> Self {
        Self {
            source_id: &citation.source_id,
            title: &citation.title,
            section: &citation.section,
            url: &citation.url,
            page: (citation.page > 0).then_some(citation.page),
            start_ms: start(citation).and_then(|at| u64::try_from(at.as_millis()).ok()),
        }
    }
}
