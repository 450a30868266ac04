//! What is removed from a text, and that mathematics is not.

use std::path::PathBuf;

use turnwise_gateway_svc::redaction::Redactor;

#[test]
fn addresses_and_numbers_of_people_are_removed() {
    let redactor = Redactor::new().unwrap();
    let cases = [
        (
            "write to ada.l+x@school.example please",
            "write to [e-mail] please",
        ),
        (
            "a＠b．org and ada@mail\u{200b}.example.org",
            "[e-mail] and [e-mail]",
        ),
        (
            "see https://ada:pw@host.example/x?y=1 now",
            "see [web address] now",
        ),
        ("call me +44 7700 900123", "call me [phone]"),
        (
            "my phone: 0170 1234567, what is x?",
            "my phone: [phone], what is x?",
        ),
        ("+1 (415) 555-0132", "[phone]"),
    ];
    for (text, expected) in cases {
        assert_eq!(redactor.redact(text), expected);
    }
}

#[test]
fn mathematics_stays_as_it_was_written() {
    let redactor = Redactor::new().unwrap();
    let cases = [
        "x = 4",
        "3(6n+7)",
        "12345678 + 87654321",
        "x + 44 7700 900123",
        "1,234,567,890",
        "3² + 4² = 5²",
        "２ + ３",
        r"\frac{1}{2} x^{2} @ 3",
        "f(x)=x@y",
        "4111 1111 1111 1111 / 2",
        "3+12345678901",
        "the phone number problem: 3 phones cost 12 each, what do 5 cost?",
        "a@b",
        "5 m/s @ 20",
        "0.123456789012",
    ];
    for text in cases {
        assert_eq!(redactor.redact(text), text);
    }
}

/// Every exercise, lesson text and drill of the real course, where the data is at hand.
#[test]
fn no_exercise_of_the_real_course_changes() {
    let shared = std::env::var_os("TURNWISE_SHARED_DIR").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let redactor = Redactor::new().unwrap();
    let mut rows = 0;
    for (file, keys) in [
        (
            "course/exam_candidates.jsonl",
            &["instruction", "question", "answer"][..],
        ),
        ("course/chunks.jsonl", &["text"]),
        ("drills/oatutor_drills.jsonl", &["question", "gold_latex"]),
        (
            "drills/mathdial_wrong_solutions.jsonl",
            &["question", "gold_solution", "wrong_solution"],
        ),
    ] {
        let path = shared.join("data").join(file);
        let Ok(text) = std::fs::read_to_string(&path) else {
            println!("skipped: {} is not here", path.display());
            return;
        };
        for line in text.lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            for key in keys {
                if let Some(text) = row[key].as_str() {
                    assert_eq!(redactor.redact(text), text, "{file}");
                    rows += 1;
                }
            }
        }
    }
    assert!(rows > 10_000);
}
