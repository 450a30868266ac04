//! What is known of a course's index, for a terminal and as JSON.

use std::fmt::Write as _;

use serde::Serialize;
use turnwise_proto::retrieval::v1::{DenseUse, GetIndexStatusResponse, Source};

use crate::search::{dense_name, namespace_name, namespace_words};

/// The sources of a course, as a table.
pub(super) fn sources(course: &str, sources: &[Source]) -> String {
    if sources.is_empty() {
        return format!(
            "nothing was added to {course}; add a file with `turnwise index add {course} FILE --unit UNIT`\n"
        );
    }
    let width = sources
        .iter()
        .map(|source| source.source_id.chars().count())
        .max()
        .unwrap_or(0)
        .clamp(6, 40);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{:<width$}  {:<10}  {:>6}  {:<20}  title",
        "source", "type", "chunks", "committed"
    );
    for source in sources {
        let when = source
            .commit_time
            .as_ref()
            .and_then(crate::edge::iso)
            .map_or_else(|| "not committed".to_owned(), |time| seconds(&time));
        let _ = writeln!(
            out,
            "{:<width$}  {:<10}  {:>6}  {when:<20}  {}",
            source.source_id, source.chunk_type, source.chunks, source.title
        );
        if source.pending_chunks > 0 {
            let _ = writeln!(
                out,
                "{:width$}  {} chunks of a newer revision wait; run the same `index add` again to go on",
                "", source.pending_chunks
            );
        }
        if source.damaged {
            let _ = writeln!(
                out,
                "{:width$}  DAMAGED and not served; add its file again",
                ""
            );
        }
    }
    out
}

/// A time of RFC 3339 without parts of a second.
fn seconds(time: &str) -> String {
    match time.split_once('.') {
        Some((whole, _)) => format!("{whole}Z"),
        None => time.to_owned(),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SourceView<'a> {
    source_id: &'a str,
    revision: &'a str,
    title: &'a str,
    chunk_type: &'a str,
    chunks: i32,
    commit_time: Option<String>,
    pending_chunks: i32,
    damaged: bool,
}

/// The sources of a course, for a program.
pub(super) fn sources_json(sources: &[Source]) -> Vec<SourceView<'_>> {
    sources
        .iter()
        .map(|source| SourceView {
            source_id: &source.source_id,
            revision: &source.revision,
            title: &source.title,
            chunk_type: &source.chunk_type,
            chunks: source.chunks,
            commit_time: source.commit_time.as_ref().and_then(crate::edge::iso),
            pending_chunks: source.pending_chunks,
            damaged: source.damaged,
        })
        .collect()
}

/// The state of a course's index, line by line.
pub(super) fn index(course: &str, status: &GetIndexStatusResponse) -> String {
    let mut out = format!("{course}\n");
    let mut line = |name: &str, value: String| {
        let _ = writeln!(out, "  {name:<9} {value}");
    };
    line("index", format!("{} ({})", status.index_id, status.engine));
    let older = status.pack_hashes.len().saturating_sub(1);
    line(
        "pack",
        match older {
            0 => status.pack_hash.clone(),
            1 => format!("{}, and one older version", status.pack_hash),
            _ => format!("{}, and {older} older versions", status.pack_hash),
        },
    );
    let rows: Vec<String> = status
        .rows
        .iter()
        .map(|rows| format!("{} {}", rows.rows, namespace_words(rows.namespace())))
        .collect();
    line("rows", rows.join(" · "));
    line("sources", status.sources.to_string());
    line(
        "words",
        if status.stemmed {
            "stemmed".to_owned()
        } else {
            "as they are: no stemmer for the course's language".to_owned()
        },
    );
    line("meaning", meaning(status));
    if !status.problem.is_empty() {
        line("PROBLEM", status.problem.clone());
    }
    out
}

fn meaning(status: &GetIndexStatusResponse) -> String {
    if status.model.is_empty() {
        return "no embedding model (EMBEDDINGS=none): words alone decide".to_owned();
    }
    let vectors = format!("{} of {} vectors", status.embedded, status.to_embed);
    let state = match status.dense() {
        DenseUse::Unavailable => "; words alone decide until all are made",
        DenseUse::Used | DenseUse::NoModel | DenseUse::Unspecified => "",
    };
    format!(
        "{}, {} dimensions, {vectors}{state}",
        status.model, status.dimension
    )
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct IndexView<'a> {
    index_id: &'a str,
    pack_hash: &'a str,
    pack_hashes: &'a [String],
    engine: &'a str,
    model: &'a str,
    dimension: i32,
    dense: String,
    rows: Vec<RowsView>,
    embedded: i64,
    to_embed: i64,
    sources: i32,
    problem: &'a str,
    stemmed: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RowsView {
    namespace: &'static str,
    rows: i64,
}

/// The state of a course's index, for a program.
pub(super) fn index_json(status: &GetIndexStatusResponse) -> IndexView<'_> {
    IndexView {
        index_id: &status.index_id,
        pack_hash: &status.pack_hash,
        pack_hashes: &status.pack_hashes,
        engine: &status.engine,
        model: &status.model,
        dimension: status.dimension,
        dense: dense_name(status.dense()),
        rows: status
            .rows
            .iter()
            .map(|rows| RowsView {
                namespace: namespace_name(rows.namespace()),
                rows: rows.rows,
            })
            .collect(),
        embedded: status.embedded,
        to_embed: status.to_embed,
        sources: status.sources,
        problem: &status.problem,
        stemmed: status.stemmed,
    }
}
