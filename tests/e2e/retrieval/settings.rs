//! What stops the start of retrieval-svc: the setting is named, with what to do.

use turnwise_tests::process::repository;

use crate::settings::{refused, start};

#[test]
fn values_of_another_form() {
    for (name, value, says) in [
        ("RETRIEVAL_UPSERTS", "maybe", "--retrieval-upserts"),
        ("VECTOR_PRECISION", "f16", "--vector-precision"),
        ("EMBEDDINGS", "word2vec", "--embeddings"),
        ("EMBEDDINGS", "directory:", "--embeddings"),
        ("EMBEDDINGS", "gateway:ollama", "--embeddings"),
        ("EMBED_THREADS", "0", "--embed-threads"),
        ("EMBED_THREADS", "65", "--embed-threads"),
        ("EMBED_WAIT_MS", "9", "--embed-wait-ms"),
        ("EMBED_WAIT_MS", "10001", "--embed-wait-ms"),
    ] {
        refused(&start("retrieval-svc", &[], &[(name, value)]), &[says]);
        refused(&start("turnwise", &["up"], &[(name, value)]), &[says]);
    }
}

#[test]
fn values_that_lead_nowhere() {
    let home = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = home.path().join(name);
        turnwise_testing::write_secret(&path, bytes).unwrap();
        path.display().to_string()
    };
    let token = file("token", "x".repeat(40).as_bytes());
    let no_store = format!("embedded:{}", file("notes.txt", b"no store at all"));
    let references = home.path().display().to_string();
    let courses = repository().join("courses").display().to_string();
    let qdrant = "qdrant:http://127.0.0.1:9";
    let cases: [(&str, &[(&str, &str)]); 18] = [
        ("RETRIEVAL_STORE", &[("RETRIEVAL_STORE", "elsewhere")]),
        ("RETRIEVAL_STORE", &[("RETRIEVAL_STORE", "embedded:")]),
        ("RETRIEVAL_STORE", &[("RETRIEVAL_STORE", &no_store)]),
        (
            "RETRIEVAL_STORE",
            &[("RETRIEVAL_STORE", "embedded:/proc/index.redb")],
        ),
        (
            "RETRIEVAL_STORE",
            &[("RETRIEVAL_STORE", "qdrant:somewhere")],
        ),
        (
            "VECTOR_PRECISION",
            &[("RETRIEVAL_STORE", qdrant), ("VECTOR_PRECISION", "int8")],
        ),
        (
            "QDRANT_API_KEY_FILE",
            &[
                ("RETRIEVAL_STORE", qdrant),
                ("QDRANT_API_KEY_FILE", "/no/such/key"),
            ],
        ),
        (
            "QDRANT_CA_FILE",
            &[
                ("RETRIEVAL_STORE", "qdrant:https://127.0.0.1:9"),
                ("QDRANT_CA_FILE", "/no/such/authority.pem"),
            ],
        ),
        // A certificate for a connection that has none.
        (
            "QDRANT_CA_FILE",
            &[("RETRIEVAL_STORE", qdrant), ("QDRANT_CA_FILE", &token)],
        ),
        ("EMBEDDINGS", &[("EMBEDDINGS", "directory:/no/such/model")]),
        ("LLM_GATEWAY_ENDPOINT", &[("EMBEDDINGS", "gateway")]),
        (
            "LLM_GATEWAY_ENDPOINT",
            &[("LLM_GATEWAY_ENDPOINT", "localhost")],
        ),
        (
            "HELPER_REFERENCE_FILE",
            &[("HELPER_REFERENCE_FILE", "/no/such/file.md")],
        ),
        (
            "HELPER_REFERENCE_DIR",
            &[("HELPER_REFERENCE_DIR", "/no/such/folder")],
        ),
        ("HELPER_REFERENCE_MAP", &[("HELPER_REFERENCE_MAP", "{")]),
        (
            "HELPER_REFERENCE_MAP",
            &[("HELPER_REFERENCE_MAP", r#"{"Loops": "loops.md"}"#)],
        ),
        (
            "HELPER_REFERENCE_MAP",
            &[
                ("HELPER_REFERENCE_DIR", &references),
                ("HELPER_REFERENCE_MAP", r#"{"loops": "../loops.md"}"#),
            ],
        ),
        ("COURSES_DIR", &[("COURSES_DIR", "/no/such/courses")]),
    ];
    for (setting, wrong) in cases {
        let usual = [
            ("LISTEN", "127.0.0.1:0"),
            ("INTERNAL_TOKEN_FILE", token.as_str()),
            ("COURSES_DIR", courses.as_str()),
            ("RETRIEVAL_STORE", "memory"),
        ];
        let output = start("retrieval-svc", &[], &[&usual, wrong].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{wrong:?}: {said}");
        let error = said.lines().find(|line| line.starts_with("error: "));
        let error = error.unwrap_or_else(|| panic!("{wrong:?}: {said}"));
        assert!(error.contains(setting), "{wrong:?}: {said}");
        assert!(!said.contains("panicked"));
    }
}

#[test]
fn help_lists_every_setting() {
    for (program, before) in [("retrieval-svc", &[][..]), ("turnwise", &["up"])] {
        let output = start(program, &[before, &["--help"]].concat(), &[]);
        let help = String::from_utf8(output.stdout).unwrap();
        for name in [
            "RETRIEVAL_STORE",
            "QDRANT_API_KEY_FILE",
            "QDRANT_CA_FILE",
            "RETRIEVAL_UPSERTS",
            "VECTOR_PRECISION",
            "EMBEDDINGS",
            "EMBED_THREADS",
            "EMBED_WAIT_MS",
            "HELPER_REFERENCE_FILE",
            "HELPER_REFERENCE_DIR",
            "HELPER_REFERENCE_MAP",
        ] {
            assert!(
                help.contains(&format!("[env: {name}=")),
                "{program}: {name}"
            );
        }
    }
    let output = start("retrieval-svc", &["--help"], &[]);
    let help = String::from_utf8(output.stdout).unwrap();
    assert!(help.contains("[env: LLM_GATEWAY_ENDPOINT="));
}
