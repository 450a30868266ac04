//! Hostile replies: whatever the bytes, the answer keeps the policy. What must hold for each of them is in
//! [`reply::judge`](crate::reply::judge), which the fuzz target in `fuzz/` shares.

mod corpus;
mod damage;
mod neighbours;
mod properties;
mod texts;
mod write;

use turnwise_decisions::{
    Action, FallbackReason, Policy, Resolution,
    json::{self, JsonFault},
};

use crate::reply::{
    cases::{CASES, Case},
    judge, judge_fallback,
    reader::Json,
};
use damage::{node, places};
use write::{object, quoted, text, valid, write, write_escaped};

/// Every verdict that bytes can get, by its name.
const VERDICTS: [&str; 11] = [
    "accepted",
    "action_not_allowed",
    "concept_not_stuck",
    "empty_message",
    "exam_locked",
    "exam_not_candidate",
    "limits_exceeded",
    "llm_non_json",
    "schema_violation",
    "target_out_of_scope",
    "tier_mismatch",
];

/// The reason why a case refuses these bytes, or `accepted`.
fn verdict(case: &Case, bytes: &[u8]) -> &'static str {
    name(&judge(&case.course, &case.policy, bytes))
}

fn name(resolution: &Resolution) -> &'static str {
    resolution
        .fallback_reason
        .map_or("accepted", FallbackReason::as_str)
}

fn case(name: &str) -> &'static Case {
    CASES.iter().find(|case| case.name == name).unwrap()
}

/// Every case with each of its actions and a valid reply.
fn valid_replies() -> impl Iterator<Item = (&'static Case, Action, Json)> {
    CASES.iter().flat_map(|case| {
        let actions = case.policy.allowed_actions.iter();
        actions.map(move |&action| (case, action, valid(&case.policy, action)))
    })
}

/// An exam question that is locked, offered by an otherwise perfect reply.
fn locked_exam() -> (&'static Case, Json) {
    let case = case("stuck, all questions locked");
    let as_if_open = Policy {
        exam_candidate_ids: vec!["Brüche-02/g1".to_owned()],
        ..case.policy.clone()
    };
    (case, valid(&as_if_open, Action::ExamBlock))
}

#[test]
fn a_locked_exam_question_is_refused_as_locked() {
    let (case, reply) = locked_exam();
    assert_eq!(verdict(case, write(&reply).as_bytes()), "exam_locked");
    for other in ["Brüche-02/b1", "Brüche-02/g2", ""] {
        let written = write(&reply).replace("Brüche-02/g1", other);
        assert_eq!(verdict(case, written.as_bytes()), "action_not_allowed");
    }
}

#[test]
fn valid_replies_are_accepted_however_they_are_spelled() {
    for (case, action, reply) in valid_replies() {
        for spelling in [write(&reply), write_escaped(&reply)] {
            assert_eq!(verdict(case, spelling.as_bytes()), "accepted", "{spelling}");
        }
        let accepted = judge(&case.course, &case.policy, write(&reply).as_bytes());
        assert_eq!(accepted.action, action);
    }
}

#[test]
fn every_fallback_would_be_accepted_of_a_model() {
    for case in CASES.iter() {
        judge_fallback(&case.course, &case.policy);
    }
}

#[test]
fn a_truncated_reply_is_no_json_wherever_it_ends() {
    let case = case("everything");
    for &action in &case.policy.allowed_actions {
        let whole = write(&valid(&case.policy, action)).into_bytes();
        for end in 0..whole.len() {
            assert_eq!(verdict(case, &whole[..end]), "llm_non_json", "{end}");
        }
    }
}

#[test]
fn no_single_byte_breaks_the_policy() {
    let case = case("everything");
    for &action in &case.policy.allowed_actions {
        let whole = write(&valid(&case.policy, action)).into_bytes();
        for at in 0..whole.len() {
            let mut missing = whole.clone();
            missing.remove(at);
            verdict(case, &missing);
            for byte in [b'"', b'\\', b',', b'0', 0xff] {
                let mut other = whole.clone();
                other[at] = byte;
                verdict(case, &other);
            }
        }
    }
}

#[test]
fn every_key_is_needed_once_in_its_own_spelling() {
    for (case, _, reply) in valid_replies() {
        for place in places(&reply) {
            let mut tree = reply.clone();
            let Some(Json::Object(entries)) = node(&mut tree, &place).cloned() else {
                continue;
            };
            let expect = |entries: Vec<(String, Json)>, why: &str| {
                let mut tree = reply.clone();
                *node(&mut tree, &place).unwrap() = Json::Object(entries);
                let written = write(&tree);
                assert_eq!(
                    verdict(case, written.as_bytes()),
                    "schema_violation",
                    "{why}: {written}"
                );
            };
            for (n, (key, value)) in entries.iter().enumerate() {
                let mut without = entries.clone();
                without.remove(n);
                if !["worked_example", "steps_latex"].contains(&key.as_str()) {
                    expect(without.clone(), "missing");
                }
                let mut twice = entries.clone();
                twice.push((key.clone(), value.clone()));
                expect(twice, "twice");
                let look_alike = key.replace('a', "\u{430}").replace('i', "\u{456}");
                for other in [
                    key.to_uppercase(),
                    format!("{key} "),
                    format!("\u{feff}{key}"),
                    format!("{key}\u{200d}"),
                    look_alike,
                ] {
                    if other != *key {
                        let mut renamed = without.clone();
                        renamed.push((other, value.clone()));
                        expect(renamed, "renamed");
                    }
                }
                let mut with_null = entries.clone();
                with_null[n].1 = Json::Null;
                expect(with_null, "null");
            }
            for key in ["confusion_tags", "mastery", "__proto__", "$schema", ""] {
                for value in [Json::Null, Json::List(vec![text("sign_error")])] {
                    let mut more = entries.clone();
                    more.insert(0, (key.to_owned(), value));
                    expect(more, "foreign");
                }
            }
        }
    }
}

#[test]
fn a_key_twice_is_seen_through_its_escapes() {
    for (case, _, reply) in valid_replies() {
        let written = write(&reply);
        for place in places(&reply) {
            let Some(Json::Object(entries)) = node(&mut reply.clone(), &place).cloned() else {
                continue;
            };
            for (key, value) in entries {
                // The first key of its name in the text is the one of this object or of one just like it.
                let plain = format!("{}:", quoted(&key, false));
                let escaped = quoted(&key, true);
                let both = format!("{escaped}:{},{plain}", write(&value));
                let twice = written.replacen(&plain, &both, 1);
                assert_eq!(
                    verdict(case, twice.as_bytes()),
                    "schema_violation",
                    "{twice}"
                );
            }
        }
    }
}

#[test]
fn a_value_of_another_type_is_refused_everywhere() {
    let others = [
        Json::Null,
        Json::Bool(true),
        Json::Number(0.5),
        text("text"),
        Json::List(vec![text("text")]),
        object([("text", text("text"))]),
    ];
    for (case, _, reply) in valid_replies() {
        for place in places(&reply).into_iter().skip(1) {
            for other in &others {
                let mut tree = reply.clone();
                let value = node(&mut tree, &place).unwrap();
                if std::mem::discriminant(value) != std::mem::discriminant(other) {
                    *value = other.clone();
                    let written = write(&tree);
                    assert_ne!(verdict(case, written.as_bytes()), "accepted", "{written}");
                }
            }
        }
    }
}

#[test]
fn only_the_lists_that_may_be_empty_are() {
    for (case, _, reply) in valid_replies() {
        for place in places(&reply) {
            let mut tree = reply.clone();
            if let Some(list @ Json::List(_)) = node(&mut tree, &place) {
                *list = Json::List(Vec::new());
                let ideas = write(&tree).contains(r#""key_ideas":[]"#);
                let expected = if ideas {
                    "schema_violation"
                } else {
                    "accepted"
                };
                assert_eq!(verdict(case, write(&tree).as_bytes()), expected);
            }
        }
    }
}

#[test]
fn no_action_takes_the_card_of_another() {
    let case = case("everything");
    let card = |action| match valid(&case.policy, action) {
        Json::Object(entries) => entries.into_iter().nth(5),
        _ => None,
    };
    for action in Action::ALL {
        for other in Action::ALL.into_iter().filter(|other| *other != action) {
            let Some(foreign) = card(other) else {
                continue;
            };
            let Json::Object(entries) = valid(&case.policy, action) else {
                panic!("no object");
            };
            let mut both = entries.clone();
            both.push(foreign.clone());
            let mut instead = entries[..5].to_vec();
            instead.push(foreign.clone());
            let mut before = entries;
            before.insert(0, (foreign.0, Json::Null));
            for entries in [both, instead, before] {
                let written = write(&Json::Object(entries));
                assert_eq!(
                    verdict(case, written.as_bytes()),
                    "schema_violation",
                    "{written}"
                );
            }
        }
    }
}

#[test]
fn an_action_that_is_not_allowed_is_refused_with_a_perfect_card() {
    // As if the policy allowed all.
    let generous = &case("everything").policy;
    for case in CASES.iter() {
        let policy = Policy {
            exam_candidate_ids: generous.exam_candidate_ids.clone(),
            ..case.policy.clone()
        };
        for action in Action::ALL {
            let expected = match action {
                _ if case.policy.allows(action) => continue,
                Action::ConceptCard if !case.policy.stuck => "concept_not_stuck",
                _ => "action_not_allowed",
            };
            let reply = write(&valid(&policy, action));
            assert_eq!(verdict(case, reply.as_bytes()), expected, "{reply}");
        }
    }
}

#[test]
fn deep_nesting_ends_at_the_eighth_level_on_a_small_stack() {
    let check = || {
        let case = case("plain");
        let whole = write(&valid(&case.policy, Action::SocraticQuestion));
        for count in [9, 10_000, 30_000, 100_000] {
            for (open, close) in [("[", "]"), (r#"{"a":"#, "}"), (r#"[{"a":"#, "}]")] {
                let (open, close) = (open.repeat(count), close.repeat(count));
                for deep in [open.clone(), format!("{open}1{close}"), close.clone()] {
                    for bytes in [
                        deep.clone(),
                        format!(r#"{{"a":{deep}}}"#),
                        whole.replace(r#""uncertain""#, &deep),
                        whole.replace("[{", &format!("[{deep},{{")),
                        format!("{whole}{deep}"),
                    ] {
                        let expected = if bytes.len() > json::MOST_BYTES {
                            &["limits_exceeded"][..]
                        } else {
                            &["schema_violation", "llm_non_json"]
                        };
                        assert!(expected.contains(&verdict(case, bytes.as_bytes())));
                    }
                }
            }
        }
    };
    // Much less than a thread usually has.
    let small = std::thread::Builder::new().stack_size(256 * 1024);
    small.spawn(check).unwrap().join().unwrap();
}

#[test]
fn what_is_too_long_is_not_looked_at() {
    let case = case("plain");
    let whole = write(&valid(&case.policy, Action::SocraticQuestion)).into_bytes();
    let padded = |piece: &[u8], count: usize| {
        let mut bytes = whole.clone();
        bytes.resize(whole.len() + count, b' ');
        bytes.extend_from_slice(piece);
        bytes
    };
    let most = json::MOST_BYTES;
    // Whatever stands in it, the answer is the same: nothing of it was read.
    for bytes in [
        padded(b"", 1 << 20),
        padded(b"\xff", 1 << 20),
        vec![0; 1 << 20],
        vec![b'['; 1 << 20],
        vec![0xff; 1 << 20],
        br#"{"a":1,"a":2}"#.repeat(1 << 16),
        vec![b' '; most + 1],
    ] {
        assert_eq!(json::read_object(&bytes), Err(JsonFault::TooLong));
        let resolution = judge(&case.course, &case.policy, &bytes);
        assert_eq!(resolution.violation.as_deref(), Some("more than 64 KiB"));
    }
    // At the bound it is read to the last byte.
    let exact = padded(b"", most - whole.len());
    assert_eq!(verdict(case, &exact), "accepted");
    let last = padded(b"}", most - whole.len() - 1);
    assert_eq!(last.len(), most);
    assert_eq!(verdict(case, &last), "llm_non_json");
}
