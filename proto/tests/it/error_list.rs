//! `docs/errors.md` is made from the comments of the proto. Run with `UPDATE_DOCS=1` to make it again.

use std::{fmt::Write, fs, path::Path};

use prost::Message;
use prost_types::FileDescriptorSet;
use turnwise_proto::{DESCRIPTORS, common::v1::ErrorReason};

const FILE: &str = "turnwise/common/v1/error_reason.proto";

/// Each reason and its comment.
fn reasons() -> Vec<(ErrorReason, String)> {
    let set = FileDescriptorSet::decode(DESCRIPTORS).unwrap();
    let file = set.file.iter().find(|f| f.name() == FILE).unwrap();
    let info = file.source_code_info.as_ref().unwrap();
    file.enum_type[0]
        .value
        .iter()
        .enumerate()
        .skip(1)
        .map(|(i, value)| {
            // Field 5 of a file is its enums, field 2 of an enum its values.
            let path = [5, 0, 2, i32::try_from(i).unwrap()];
            let location = info.location.iter().find(|l| l.path == path).unwrap();
            let comment = location.leading_comments().split_whitespace();
            (
                ErrorReason::try_from(value.number()).unwrap(),
                comment.collect::<Vec<_>>().join(" "),
            )
        })
        .collect()
}

fn code_name(reason: ErrorReason) -> String {
    let debug = format!("{:?}", reason.code());
    let mut name = String::new();
    for (i, c) in debug.chars().enumerate() {
        if c.is_uppercase() && i > 0 {
            name.push('_');
        }
        name.push(c.to_ascii_uppercase());
    }
    name
}

#[test]
fn every_reason_is_documented_with_its_code_and_a_sample() {
    for (reason, comment) in reasons() {
        let head = format!(
            "ERROR_REASON_{} ({}):",
            reason.wire_name(),
            code_name(reason)
        );
        assert!(comment.starts_with(&head), "{head} / {comment}");
        assert!(
            comment.contains(&format!(
                r#"{{"reason": "{}", "domain": "turnwise""#,
                reason.wire_name()
            )),
            "{reason:?} has a sample"
        );
        assert_eq!(
            ErrorReason::from_wire_name(reason.wire_name()),
            Some(reason)
        );
    }
}

#[test]
fn the_error_list_is_what_the_proto_says() {
    let mut list = String::from(
        "# Errors\n\nMade from `proto/turnwise/common/v1/error_reason.proto`; change it there and run \
         `UPDATE_DOCS=1 cargo test -p turnwise-proto`.\n\nEvery failure carries a `google.rpc.ErrorInfo` with domain \
         `turnwise` and one of these reasons. A problem of one field also carries \
         `google.rpc.BadRequest.field_violations`; whatever may be tried again carries `google.rpc.RetryInfo`.\n\n\
         | reason | gRPC code | when, and a sample |\n| --- | --- | --- |\n",
    );
    for (reason, comment) in reasons() {
        let (_, text) = comment.split_once("): ").unwrap();
        let text = text
            .replace("Sample: ", "<br>Sample: `")
            .replace('|', "\\|");
        // The sample ends with its last brace; what follows is prose again.
        let end = text.rfind('}').unwrap() + 1;
        writeln!(
            list,
            "| `{}` | {} | {}`{} |",
            reason.wire_name(),
            code_name(reason),
            &text[..end],
            &text[end..]
        )
        .unwrap();
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/errors.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&file, &list).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == list,
        "docs/errors.md is out of date: run with UPDATE_DOCS=1"
    );
}
