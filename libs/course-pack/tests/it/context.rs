//! `context.yaml`: what is read, the defaults, the bounds, and every fault with its line.

use std::path::Path;

use serde_json::json;
use tempfile::TempDir;
use turnwise_course_pack::{ArtifactFormat, Friction, MessageIntent, Supplier, Urgency};

use crate::fixture::{bad, good, list, one, pack, write};

const FILE: &str = "context.yaml";
const CONTEXT: &str = "\
phases:
  - id: sums
    title: Add it up
    units: [A]
  - {id: rest, title: The rest}
artifacts:
  - type: list
    title: The list
    description: What is added.
    format: json
    size_limit: 8192
    schema:
      type: object
      required: [total]
      properties:
        total: {type: integer, minimum: 0}
        note: {const: '5'}
    suppliers: [student, teacher]
  - type: notes
    title: Notes
    description: In words.
    format: text
needs:
  - id: list-to-check
    artifact: list
    phase: sums
    intents: [review, debug]
    units: [A, B]
    key_path: total
    urgency: must_have
    why: {en: Show me., de: Zeig es mir.}
  - id: notes-to-read
    artifact: notes
    intents: [plan]
    key_path: lines:1-20
    urgency: nice_to_have
    why: To read.
friction:
  max_requests_per_thread: 5
";

/// The good pack with this text.
fn with(text: &str) -> TempDir {
    let dir = pack();
    write(dir.path(), FILE, text);
    dir
}

#[track_caller]
fn fault(from: &str, to: &str, line: usize, says: &str) {
    assert!(CONTEXT.contains(from), "{from}");
    let dir = with(&CONTEXT.replacen(from, to, 1));
    one(dir.path(), FILE, line, says);
}

#[test]
fn a_context_is_read_whole() {
    let context = good(with(CONTEXT).path()).context.unwrap();
    assert_eq!(context.phases[0].units, ["A"]);
    assert!(context.phases[1].id == "rest" && context.phases[1].units.is_empty());

    let table = context.artifact("list").unwrap();
    assert_eq!(
        (table.format, table.size_limit),
        (ArtifactFormat::Json, 8_192)
    );
    assert_eq!(table.suppliers, [Supplier::Student, Supplier::Teacher]);
    // What stands in quotes is text, though it looks like a number.
    let schema = json!({
        "type": "object",
        "required": ["total"],
        "properties": {"total": {"type": "integer", "minimum": 0}, "note": {"const": "5"}},
    });
    assert_eq!(table.schema, Some(schema));
    let notes = context.artifact("notes").unwrap();
    assert_eq!((notes.size_limit, &notes.schema), (16_384, &None));
    assert_eq!(notes.suppliers, Supplier::ALL);

    let [first, second] = context.needs.as_slice() else {
        panic!("{:?}", context.needs)
    };
    assert_eq!(first.phase.as_deref(), Some("sums"));
    assert_eq!(first.intents, [MessageIntent::Review, MessageIntent::Debug]);
    assert_eq!(first.units, ["A", "B"]);
    assert_eq!(first.key_path.as_deref(), Some("total"));
    assert_eq!(first.urgency, Urgency::MustHave);
    for (locale, why) in [
        ("de-CH", "Zeig es mir."),
        ("en", "Show me."),
        ("fr", "Show me."),
    ] {
        assert_eq!(first.why.in_locale(locale), why);
    }
    assert_eq!(second.phase, None);
    assert_eq!(second.why.in_locale("de"), "To read.");
    let asked_more = Friction {
        max_requests_per_thread: 5,
        ..Friction::default()
    };
    assert_eq!(context.friction, asked_more);
}

#[test]
fn a_course_may_do_without() {
    assert_eq!(good(pack().path()).context, None);
    let little = good(with("phases: []\n").path()).context.unwrap();
    assert_eq!(little.friction, Friction::default());
    assert_eq!(
        (
            little.friction.max_requests_per_thread,
            little.friction.min_messages_between,
            little.friction.max_refusals
        ),
        (3, 4, 2)
    );
    one(with("").path(), FILE, 1, "but this is nothing");
}

#[test]
fn it_counts_in_the_packs_hash() {
    let before = good(with(CONTEXT).path()).hash;
    assert_ne!(before, good(pack().path()).hash);
    let after = good(with(&CONTEXT.replace("To read.", "To know.")).path()).hash;
    assert_ne!(before, after);
}

#[test]
fn keys_that_are_missing_or_unknown() {
    fault("friction:", "frictions:", 38, "no key `frictions`");
    fault("    title: Add it up\n", "", 2, "no `title`");
    fault("    units: [A]\n", "    unit: A\n", 4, "no key `unit`");
    fault("    format: json\n", "", 7, "no `format`");
    fault("size_limit", "size", 11, "no key `size`");
    fault("    artifact: list\n", "", 24, "no `artifact`");
    fault("    urgency: must_have\n", "", 24, "no `urgency`");
    fault("    why: To read.\n", "", 32, "no `why`");
    fault(", de: Zeig es mir.", "", 31, "no `de`");
    fault("max_requests", "most_requests", 39, "no key `most_requests");
}

#[test]
fn ids_stand_once() {
    let twice = "a second time (first on line";
    fault("id: rest", "id: sums", 5, twice);
    let twins = CONTEXT
        .replace("notes\n", "list\n")
        .replace("lines:1-20", "total");
    one(with(&twins).path(), FILE, 19, twice);
    fault("id: notes-to-read", "id: list-to-check", 32, twice);
    fault("[A, B]", "[A, A]", 28, "`units` has `A` twice");
    fault("[review, debug]", "[review, review]", 27, "twice");
    fault("[student, teacher]", "[student, student]", 18, "twice");
}

#[test]
fn references_lead_somewhere() {
    fault(
        "artifact: list",
        "artifact: lists",
        25,
        "no artifact `lists`",
    );
    fault("phase: sums", "phase: products", 26, "no phase `products`");
    fault("units: [A]", "units: [Z]", 4, "no unit `Z`");
    fault("[A, B]", "[A, Z]", 28, "no unit `Z`");
    // Where some item has no name, an unknown one proves nothing.
    let dir = with(&CONTEXT.replacen("type: list", "types: list", 1));
    let faults = bad(dir.path());
    assert!(
        faults.iter().all(|fault| fault.line == Some(7)),
        "{}",
        list(&faults)
    );
    write(
        dir.path(),
        FILE,
        CONTEXT.replacen("- id: sums", "- ids: sums", 1),
    );
    let faults = bad(dir.path());
    assert!(
        faults.iter().all(|fault| fault.line == Some(2)),
        "{}",
        list(&faults)
    );
    // The same holds of units.
    let dir = with(CONTEXT);
    write(dir.path(), "units/10-all.yaml", "units: [");
    let faults = bad(dir.path());
    assert!(faults.iter().all(|fault| !fault.file.ends_with(FILE)));
}

#[test]
fn a_need_is_not_for_every_message() {
    fault(
        "    intents: [plan]\n",
        "",
        32,
        "no phase, no intent and no unit",
    );
    fault(
        "intents: [plan]",
        "intents: []",
        32,
        "no phase, no intent and no unit",
    );
    fault(
        "intents: [plan]",
        "intents: [plans]",
        34,
        "cannot be `plans`",
    );
    good(with(&CONTEXT.replace("intents: [plan]", "phase: rest")).path());
    good(with(&CONTEXT.replace("intents: [plan]", "units: [B]")).path());
}

#[test]
fn words_of_closed_sets() {
    fault("format: text", "format: prose", 22, "cannot be `prose`");
    fault(
        "[student, teacher]",
        "[student, friend]",
        18,
        "cannot be `friend`",
    );
    fault("[student, teacher]", "[]", 18, "nobody may supply");
    fault(
        "urgency: must_have",
        "urgency: must",
        30,
        "cannot be `must`",
    );
}

#[test]
fn schemas_compile() {
    fault("type: integer", "type: whole", 16, "no JSON Schema");
    fault("minimum: 0", "minimum: '0'", 16, "no JSON Schema");
    fault("[total]", "total", 14, "no JSON Schema");
    fault(
        "const: '5'",
        "$ref: 'https://example.org/note.json'",
        13,
        "no JSON Schema",
    );
    fault("const: '5'", "$ref: '#/$defs/none'", 13, "no JSON Schema");
    let of_text = "format: text\n    schema: {type: object}";
    fault("format: text", of_text, 23, "a schema is of JSON");
    let a_word = CONTEXT.replacen("schema:\n", "schema: object\n", 1);
    let a_word = a_word.replacen(
        &a_word[a_word.find("      type: object").unwrap()..a_word.find("    suppliers").unwrap()],
        "",
        1,
    );
    one(with(&a_word).path(), FILE, 12, "but this is text");
    let long = format!("const: '{}'", "5".repeat(16_384));
    fault("const: '5'", &long, 13, "but at most 16384 are allowed");
}

#[test]
fn key_paths_are_of_their_artifacts_format() {
    for path in ["lines:0-2", "lines:3-2", "lines:1", "lines:+1-2", "steps"] {
        fault("lines:1-20", path, 35, "`key_path` cannot be");
    }
    for path in ["costs[0].name", "/costs/0/name", "['odd key']"] {
        good(with(&CONTEXT.replace("key_path: total", &format!("key_path: {path:?}"))).path());
    }
    fault("key_path: total", "key_path: lines:1-2", 29, "cannot be");
    let long = format!("key_path: {}", "a".repeat(1_025));
    fault("key_path: total", &long, 29, "has 1025 bytes");
}

#[test]
fn the_bounds() {
    for limit in ["0", "262145", "-1", "8k"] {
        fault("8192", limit, 11, "`size_limit` cannot be");
    }
    good(with(&CONTEXT.replace("8192", "262144")).path());
    // It is characters that are counted.
    let long = |key: &str, most: usize| format!("{key}: {}", "ü".repeat(most + 1));
    fault(
        "title: Notes",
        &long("title", 200),
        20,
        "has 201 characters",
    );
    let says = "has 501 characters";
    fault(
        "description: In words.",
        &long("description", 500),
        21,
        says,
    );
    fault("de: Zeig es mir.", &long("de", 500), 31, says);
    fault("why: To read.", &long("why", 500), 37, says);
    for count in ["0", "21", "few"] {
        fault("thread: 5", &format!("thread: {count}"), 39, "cannot be");
    }
    let phases: String = (0..51)
        .map(|n| format!("  - {{id: p{n}, title: P}}\n"))
        .collect();
    let many = format!("phases:\n{phases}");
    one(
        with(&many).path(),
        FILE,
        52,
        "has 51 entries, but at most 50",
    );
}

#[test]
fn the_demo_course_plans_a_trip() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../courses/algebra-foundations");
    let context = good(&root).context.unwrap();
    let phases = context.phases.iter().map(|phase| phase.id.as_str());
    assert_eq!(phases.collect::<Vec<_>>(), ["budget", "plan", "check"]);
    assert!(context.artifacts.iter().all(|artifact| {
        let mut needs = context.needs.iter();
        needs.any(|need| need.artifact == artifact.id)
    }));
}
