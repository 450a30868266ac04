//! `turnwise index` and `turnwise search`, run as a person runs them, against an index in this process.

mod fake;

use std::{
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::process::Command;
use turnwise_proto::retrieval::v1::{
    Citation, DenseUse, GetIndexStatusResponse, Namespace, NamespaceRows, SearchHit,
    SearchResponse, SearchUnit, SourceChunk,
};

use crate::pdf::two_pages;
use fake::{Fake, Trouble};

/// A folder with a token and files, and an index to talk to.
struct Desk {
    dir: TempDir,
    fake: Fake,
}

struct Told {
    status: ExitStatus,
    out: String,
    err: String,
}

impl Desk {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("token"), fake::TOKEN).unwrap();
        Self {
            dir,
            fake: Fake::start().await,
        }
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.dir.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_turnwise"));
        command
            .args(args)
            .args(["--endpoint", &self.fake.endpoint()])
            .arg("--token-file")
            .arg(self.dir.path().join("token"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    async fn run(&self, args: &[&str]) -> Told {
        let output = self.command(args).output().await.unwrap();
        Told {
            status: output.status,
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    async fn add(&self, file: &Path) -> Told {
        self.run(&["index", "add", "algebra", path(file), "--unit", "ALG-04"])
            .await
    }
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A text of so many chunks: a heading and a sentence each.
fn lessons(count: usize) -> String {
    (1..=count)
        .map(|n| format!("# Lesson {n}\n\nThe text of lesson {n}.\n\n"))
        .collect()
}

fn texts(chunks: &[SourceChunk]) -> Vec<&str> {
    chunks.iter().map(|chunk| chunk.text.as_str()).collect()
}

#[tokio::test]
async fn a_transcript_is_added_once_and_again_when_it_changes() {
    let desk = Desk::new().await;
    let file = desk.file(
        "week 1.vtt",
        "WEBVTT\n\n12:00.500 --> 12:02.000\nFractions have parts.\n\n12:02.000 --> 12:04.000\nAdd the numerators.\n",
    );
    let told = desk.add(&file).await;
    assert!(told.status.success(), "{}", told.err);
    assert_eq!(
        told.out,
        format!(
            "{}: 1 chunk added to ALG-04 as week-1, found by words; index index-1\n",
            file.display()
        )
    );
    let source = desk.fake.source("week-1");
    assert_eq!(
        (
            source.begin.title.as_str(),
            source.begin.chunk_type.as_str()
        ),
        ("week 1", "transcript")
    );
    assert_eq!(
        texts(&source.chunks),
        ["Fractions have parts. Add the numerators."]
    );
    let chunk = &source.chunks[0];
    assert_eq!(chunk.unit_id, "ALG-04");
    let start = chunk.start_time.unwrap();
    assert_eq!((start.seconds, start.nanos), (720, 500_000_000));

    let told = desk.add(&file).await;
    assert!(told.status.success());
    assert_eq!(
        told.out,
        format!("{}: already indexed as week-1\n", file.display())
    );

    desk.file(
        "week 1.vtt",
        "WEBVTT\n\n12:00.500 --> 12:02.000\nAll is new.\n",
    );
    assert!(desk.add(&file).await.status.success());
    let changed = desk.fake.source("week-1");
    assert_ne!(changed.begin.revision, source.begin.revision);
    assert_eq!(texts(&changed.chunks), ["All is new."]);
}

#[tokio::test]
async fn a_pdf_is_read_by_the_program_itself() {
    let desk = Desk::new().await;
    let file = desk.file("fractions.pdf", two_pages());
    let told = desk
        .run(&[
            "index",
            "add",
            "algebra",
            path(&file),
            "--unit",
            "ALG-04",
            "--source",
            "book-1",
            "--title",
            "The book",
            "--url",
            "https://example.org/book.pdf",
        ])
        .await;
    assert!(told.status.success(), "{}", told.err);
    let source = desk.fake.source("book-1");
    assert_eq!(
        (
            source.begin.title.as_str(),
            source.begin.chunk_type.as_str()
        ),
        ("The book", "pdf")
    );
    let told: Vec<_> = source
        .chunks
        .iter()
        .map(|c| (c.section.as_str(), c.page, c.url.as_str()))
        .collect();
    let url = "https://example.org/book.pdf";
    assert_eq!(
        told,
        [("Adding fractions", 1, url), ("Dividing fractions", 2, url)]
    );
}

#[tokio::test]
async fn a_lost_connection_is_taken_up_where_the_index_says() {
    let desk = Desk::new().await;
    let file = desk.file("all.md", lessons(700));
    desk.fake.trouble(Trouble::BreakAfter(256));
    let told = desk.add(&file).await;
    assert!(told.status.success(), "{}", told.err);
    assert!(told.out.contains("700 chunks added"), "{}", told.out);
    assert_eq!(desk.fake.source("all").chunks.len(), 700);
    assert_eq!(desk.fake.batches(), [0, 256, 512]);
}

#[tokio::test]
async fn after_ctrl_c_the_same_command_goes_on() {
    let desk = Desk::new().await;
    let file = desk.file("all.md", lessons(700));
    desk.fake.trouble(Trouble::SilentAfter(512));
    let args = ["index", "add", "algebra", path(&file), "--unit", "ALG-04"];
    let child = desk.command(&args).spawn().unwrap();
    desk.fake.silent().await;
    let pid = Pid::from_raw(child.id().unwrap().try_into().unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    let output = child.wait_with_output().await.unwrap();
    assert_eq!(output.status.code(), Some(130));
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(
        err.contains("of 700 chunks are kept; run the same command again"),
        "{err}"
    );

    let told = desk.run(&args).await;
    assert!(told.status.success(), "{}", told.err);
    assert_eq!(desk.fake.source("all").chunks.len(), 700);
    assert_eq!(desk.fake.batches(), [0, 256, 512]);
}

#[tokio::test]
async fn what_cannot_be_added_is_said_and_the_rest_is_added() {
    let desk = Desk::new().await;
    let bad = desk.file("bad.vtt", "no header\n");
    let good = desk.file("good.txt", "All is well.");
    let told = desk
        .run(&[
            "index",
            "add",
            "algebra",
            path(&bad),
            path(&good),
            "--unit",
            "ALG-04",
        ])
        .await;
    assert_eq!(told.status.code(), Some(1));
    assert!(
        told.err
            .contains("bad.vtt, line 1: it does not begin with a line `WEBVTT`"),
        "{}",
        told.err
    );
    assert_eq!(texts(&desk.fake.source("good").chunks), ["All is well."]);

    let told = desk
        .run(&["index", "add", "algebra", path(&good), "--unit", "NOWHERE"])
        .await;
    assert_eq!(told.status.code(), Some(1));
    assert!(told.err.contains("no unit NOWHERE"), "{}", told.err);
}

#[tokio::test]
async fn files_that_cannot_be_told_apart_are_refused_before_anything_is_sent() {
    let desk = Desk::new().await;
    let text = desk.file("one.txt", "text");
    let other = desk.file("one.md", "text");
    let odd = desk.file("one.xyz", "text");
    for (files, wanted) in [
        (
            vec![path(&text), path(&other)],
            "would both be the source one",
        ),
        (vec![path(&odd)], "--kind"),
        (vec![path(&text), path(&odd), "--source", "x"], "one file"),
        (vec![path(&text), "--source", "a b"], "no source id"),
    ] {
        let mut args = vec!["index", "add", "algebra", "--unit", "ALG-04"];
        args.extend(files);
        let told = desk.run(&args).await;
        assert!(!told.status.success());
        assert!(told.err.contains(wanted), "{}", told.err);
    }
    assert_eq!(desk.fake.batches(), [0; 0]);
}

#[tokio::test]
async fn sources_are_listed_and_deleted() {
    let desk = Desk::new().await;
    let told = desk.run(&["index", "list", "algebra"]).await;
    assert!(
        told.out.contains("nothing was added to algebra"),
        "{}",
        told.out
    );
    let file = desk.file("notes.md", lessons(2));
    assert!(desk.add(&file).await.status.success());

    let told = desk.run(&["index", "list", "algebra"]).await;
    let row = told.out.lines().nth(1).unwrap();
    let row: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(row, ["notes", "text", "2", "2026-01-02T03:04:05Z", "notes"]);
    let told = desk.run(&["index", "list", "algebra", "--json"]).await;
    let json: serde_json::Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(json[0]["sourceId"], "notes");
    assert_eq!(json[0]["chunks"], 2);

    let told = desk.run(&["index", "delete", "algebra", "notes"]).await;
    assert!(told.out.starts_with("notes: deleted"), "{}", told.out);
    let told = desk.run(&["index", "delete", "algebra", "notes"]).await;
    assert!(told.status.success());
    assert!(told.out.contains("no such source"), "{}", told.out);
}

#[tokio::test]
async fn the_status_says_what_is_served_and_a_rebuild_names_the_new_index() {
    let desk = Desk::new().await;
    desk.fake.status(GetIndexStatusResponse {
        index_id: "index-7".to_owned(),
        pack_hash: "abc".to_owned(),
        pack_hashes: vec!["abc".to_owned(), "def".to_owned()],
        engine: "embedded".to_owned(),
        model: "all-MiniLM-L6-v2".to_owned(),
        dimension: 384,
        dense: DenseUse::Unavailable.into(),
        rows: vec![NamespaceRows {
            namespace: Namespace::UnitContentChunks.into(),
            rows: 310,
        }],
        embedded: 300,
        to_embed: 310,
        sources: 3,
        problem: "the disk is full; free some space".to_owned(),
        stemmed: true,
    });
    let told = desk.run(&["index", "status", "algebra"]).await;
    assert_eq!(
        told.out,
        "algebra
  index     index-7 (embedded)
  pack      abc, and one older version
  rows      310 chunks
  sources   3
  words     stemmed
  meaning   all-MiniLM-L6-v2, 384 dimensions, 300 of 310 vectors; words alone decide until all are made
  PROBLEM   the disk is full; free some space
"
    );
    let told = desk.run(&["index", "status", "algebra", "--json"]).await;
    let json: serde_json::Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(json["dense"], "unavailable");
    assert_eq!(json["rows"][0]["namespace"], "unit_content_chunks");

    let told = desk.run(&["index", "rebuild", "algebra"]).await;
    assert_eq!(
        told.out,
        "algebra: rebuilt, index index-8, 310 of 310 vectors\n"
    );
    let told = desk.run(&["index", "rebuild", "unknown"]).await;
    assert_eq!(told.status.code(), Some(1));
    assert!(told.err.contains("refused: "), "{}", told.err);
}

fn found() -> SearchResponse {
    SearchResponse {
        hits: vec![
            SearchHit {
                id: "week-1:t754-0123456789ab".to_owned(),
                unit_ids: vec!["ALG-04".to_owned()],
                title: "Common denominators".to_owned(),
                text: "A common denominator\nmakes fractions alike. ".repeat(20),
                score: 0.048_91,
                lexical: 12.414,
                lexical_rank: 1,
                dense_score: 0.712,
                dense_rank: 2,
                matched: vec!["fraction".to_owned(), "add".to_owned()],
                citation: Some(Citation {
                    source_id: "week-1".to_owned(),
                    title: "Week 1".to_owned(),
                    section: "Common denominators".to_owned(),
                    url: "https://example.org/1".to_owned(),
                    page: 3,
                    start_time: Some(prost_types::Duration {
                        seconds: 754,
                        nanos: 0,
                    }),
                }),
            },
            SearchHit {
                id: "c2".to_owned(),
                text: "Near in meaning.".to_owned(),
                score: 0.01,
                dense_score: 0.4,
                dense_rank: 1,
                ..SearchHit::default()
            },
        ],
        index_id: "index-7".to_owned(),
        dense: DenseUse::Used.into(),
        mapped_units: vec![SearchUnit {
            unit_id: "ALG-04".to_owned(),
            confidence: 0.914,
        }],
    }
}

#[tokio::test]
async fn a_search_says_what_was_found_and_why() {
    let desk = Desk::new().await;
    desk.fake.found(found());
    let told = desk
        .run(&[
            "search",
            "algebra",
            "adding fractions",
            "--unit",
            "ALG-04",
            "--unit",
            "ALG-03",
            "--namespace",
            "exam-candidates",
            "--tier",
            "gold",
            "--top",
            "5",
            "--recent",
            "hello",
        ])
        .await;
    assert!(told.status.success(), "{}", told.err);
    assert_eq!(
        told.out,
        "2 hits among the exam candidates of algebra, by words and by meaning
about ALG-04 0.91

  1  Common denominators
     ALG-04 · week-1:t754-0123456789ab
     score 0.0489 · words 12.41 (#1) · meaning 0.71 (#2)
     matched fraction, add
     │ A common denominator makes fractions alike. A common denominator makes fractions
     │ alike. A common denominator makes fractions alike. A common denominator makes
     │ fractions alike. A common denominator makes fractions alike. A common denominator
     │ makes fractions alike. A common denominator makes fractions alike. A common …
     ↳ Week 1 · Common denominators · page 3 · at 12:34 · https://example.org/1

  2  c2
     score 0.0100 · words: none matched · meaning 0.40 (#1)
     │ Near in meaning.

index index-7
"
    );
    let asked = desk.fake.asked();
    assert_eq!(asked.text, "adding fractions");
    assert_eq!(asked.unit_ids, ["ALG-04", "ALG-03"]);
    assert_eq!(asked.namespace(), Namespace::ExamCandidates);
    assert_eq!(asked.tier().as_str_name(), "MASTERY_TIER_GOLD");
    assert_eq!(
        (asked.top_k, asked.recent_texts.as_slice()),
        (5, &["hello".to_owned()][..])
    );
}

#[tokio::test]
async fn a_search_for_programs_is_json() {
    let desk = Desk::new().await;
    desk.fake.found(found());
    let told = desk
        .run(&["search", "algebra", "fractions", "--json"])
        .await;
    let json: serde_json::Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(json["dense"], "used");
    assert_eq!(json["hits"][0]["lexicalRank"], 1);
    assert_eq!(json["hits"][0]["citation"]["startMs"], 754_000);
    assert_eq!(json["hits"][1]["lexicalRank"], serde_json::Value::Null);
    assert_eq!(json["mappedUnits"][0]["unitId"], "ALG-04");
}

#[tokio::test]
async fn a_search_that_finds_nothing_says_so() {
    let desk = Desk::new().await;
    desk.fake.found(SearchResponse {
        index_id: "index-7".to_owned(),
        dense: DenseUse::NoModel.into(),
        ..SearchResponse::default()
    });
    let told = desk.run(&["search", "algebra", "zebra"]).await;
    assert_eq!(
        told.out,
        "nothing among the chunks of algebra, by words; no embedding model is configured\n\nindex index-7\n"
    );
}
