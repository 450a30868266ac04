//! What the model is told of each exam candidate and of each piece of lesson text.

use serde_json::{Value, json};
use turnwise_prompts::Sheets;
use turnwise_proto::retrieval::v1::{Chunk, ExamCandidate};

use crate::fixture::{AMPLE, Turn, block, chunk, contents, turn};

/// What stands under this key of a block.
fn list(turn: &Turn, name: &str, key: &str) -> Value {
    let prompt = turn.prompt(&Sheets::built_in().unwrap(), "en", AMPLE);
    block(contents(&prompt).1, name).unwrap()[key].take()
}

#[test]
fn a_candidate_has_its_tags_and_the_units_that_are_not_the_focus_alone() {
    let mut turn = turn();
    let ids = ["ALG-09-B1", "ALG-09-B2", "ALG-09-B3", "ALG-09-B4"];
    turn.policy.exam_candidate_ids = ids.map(str::to_owned).to_vec();
    let candidate = |id: &str, units: &[&str], tags: &[&str]| ExamCandidate {
        question_id: id.to_owned(),
        unit_ids: units.iter().map(|unit| (*unit).to_owned()).collect(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        ..ExamCandidate::default()
    };
    // In another order than POLICY's, and one that is not offered; the fourth was not found.
    turn.candidates = vec![
        candidate(ids[2], &["ALG-10"], &[]),
        candidate(ids[1], &["ALG-07", "ALG-09"], &["chain", "puzzle"]),
        candidate("ALG-09-S1", &["ALG-08"], &["never"]),
        candidate(ids[0], &["ALG-09"], &["two-steps"]),
    ];
    assert_eq!(
        list(&turn, "CONTEXT", "examCandidates"),
        json!([
            {"questionId": ids[0], "difficultyTier": "bronze", "tags": ["two-steps"]},
            {
                "questionId": ids[1],
                "unitIds": ["ALG-07", "ALG-09"],
                "difficultyTier": "bronze",
                "tags": ["chain", "puzzle"],
            },
            {"questionId": ids[2], "unitIds": ["ALG-10"], "difficultyTier": "bronze"},
            {"questionId": ids[3], "difficultyTier": "bronze"},
        ])
    );
}

/// A chunk of a kind of source, and of section.
fn of_kind(chunk_type: &str, section_kind: &str) -> Chunk {
    Chunk {
        chunk_type: chunk_type.to_owned(),
        section_kind: section_kind.to_owned(),
        ..chunk("ALG-09", "Undo the last step first.")
    }
}

#[test]
fn a_text_says_what_it_is_unless_it_explains() {
    for (chunk_type, section_kind, kind) in [
        ("text", "", None),
        ("text", "explanation", None),
        ("", "", None),
        ("text", "example", Some("example")),
        ("pdf", "", Some("pdf")),
        ("transcript", "explanation", Some("transcript")),
    ] {
        let found = of_kind(chunk_type, section_kind);
        let mut turn = turn();
        turn.chunks = vec![Chunk {
            chunk_id: "another".to_owned(),
            ..found.clone()
        }];
        turn.unit_chunks = vec![found];
        for name in ["UNIT_CONTEXT", "CONTEXT"] {
            let texts = list(&turn, name, "unitContentChunks");
            assert_eq!(texts[0]["text"], "Undo the last step first.");
            let said = texts[0].get("type").and_then(Value::as_str);
            assert_eq!(said, kind, "{name}: {chunk_type} {section_kind}");
        }
    }
}

#[test]
fn a_text_that_was_found_has_its_documents_title_where_that_says_something() {
    // In a course text of these units, under a section's heading, in a document of this title.
    for (unit_id, section, title, source) in [
        ("ALG-10", "Undoing", "Workbook", Some("Workbook")),
        ("ALG-09", "Undoing", "Workbook", Some("Workbook")),
        ("ALG-09", "Undoing", "Undoing", None),
        ("ALG-09", "Undoing", "Inverse operations", None),
        (
            "ALG-10",
            "Undoing",
            "Inverse operations",
            Some("Inverse operations"),
        ),
        ("ALG-10", "Undoing", "", None),
    ] {
        let mut found = chunk(unit_id, "Undo the last step first.");
        found.source_id = "uploads/grade-7/workbook.pdf".to_owned();
        found.url = "https://example.org/workbook".to_owned();
        let citation = found.citation.as_mut().unwrap();
        citation.source_id.clone_from(&found.source_id);
        citation.section = section.to_owned();
        citation.title = title.to_owned();
        let mut turn = turn();
        turn.chunks = vec![found];
        let texts = list(&turn, "CONTEXT", "unitContentChunks");
        let said = texts[0].get("source").and_then(Value::as_str);
        assert_eq!(said, source, "{unit_id}, {title}");
        // Neither where it lies nor where it can be read.
        let all = texts.to_string();
        assert!(
            !all.contains("workbook.pdf") && !all.contains("example.org"),
            "{all}"
        );

        // Without a citation there is no title; a text of the unit's own needs none.
        turn.chunks[0].citation = None;
        let texts = list(&turn, "CONTEXT", "unitContentChunks");
        assert_eq!(texts[0].get("source"), None);
    }
    let texts = list(&turn(), "UNIT_CONTEXT", "unitContentChunks");
    assert_eq!(texts.as_array().unwrap().len(), 2);
    for text in texts.as_array().unwrap() {
        assert_eq!(text.get("source"), None, "{text}");
    }
}
