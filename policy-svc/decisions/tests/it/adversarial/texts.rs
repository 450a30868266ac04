//! Hostile texts: long ones, damaged ones, and ids that look like others.

use turnwise_decisions::json::MOST_BYTES;

use super::{
    damage::{node, places},
    valid_replies, verdict,
    write::{quoted, write},
};
use crate::reply::reader::Json;

/// Puts a text at every place of every valid reply where a text is.
fn everywhere(hostile: &str, mut check: impl FnMut(&str, &str)) {
    let hostile = quoted(hostile, false);
    for (case, _, reply) in valid_replies() {
        for place in places(&reply) {
            let mut tree = reply.clone();
            if let Some(Json::Text(text)) = node(&mut tree, &place) {
                *text = "MARK".to_owned();
                let written = write(&tree).replace(r#""MARK""#, &hostile);
                check(&written, verdict(case, written.as_bytes()));
            }
        }
    }
}

/// Whether the text stands where a model only mentions units. What the course does not know is dropped there; nobody sees
/// it.
fn is_mentioned(hostile: &str, written: &str) -> bool {
    let hostile = quoted(hostile, false);
    [
        r#""unit_id":"#,
        r#""suggested_prereq_units":["#,
        r#""FRAC-01","#,
    ]
    .iter()
    .any(|before| written.contains(&format!("{before}{hostile}")))
}

#[test]
fn a_megabyte_in_any_text_is_refused_unread() {
    everywhere(&"x".repeat(1 << 20), |_, verdict| {
        assert_eq!(verdict, "limits_exceeded");
    });
}

#[test]
fn a_text_that_fills_the_reply_is_refused_wherever_it_would_be_shown() {
    // Two bytes a character; the rest of the reply needs less than the other half.
    let hostile = "ü".repeat(MOST_BYTES / 4);
    everywhere(&hostile, |written, verdict| {
        assert_eq!(verdict == "accepted", is_mentioned(&hostile, written));
    });
}

#[test]
fn control_characters_are_refused_wherever_they_would_be_shown() {
    for control in [
        "\u{0}", "\u{1}", "\u{8}", "\u{b}", "\u{c}", "\u{1b}", "\u{7f}", "\u{85}",
    ] {
        let hostile = format!("text{control}");
        everywhere(&hostile, |written, verdict| {
            assert_eq!(
                verdict == "accepted",
                is_mentioned(&hostile, written),
                "{written}"
            );
        });
    }
}

#[test]
fn raw_control_characters_and_broken_encodings_are_no_json() {
    for raw in [
        &b"\x00"[..],
        b"\x1f",
        b"\n",
        b"\xff",
        b"\x80",
        b"\xc0\xaf",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xe2\x82",
        br"\ud800",
        br"\udc00",
        br"\ud800\ud800",
        br"\ud800A",
        br"\u12",
        br"\u+123",
        br"\x41",
        br"\'",
    ] {
        for (case, _, reply) in valid_replies() {
            for place in places(&reply) {
                let mut tree = reply.clone();
                if let Some(Json::Text(text)) = node(&mut tree, &place) {
                    text.push_str("MARK");
                    let written = write(&tree).into_bytes();
                    let at = written.windows(4).position(|w| w == b"MARK").unwrap();
                    let broken = [&written[..at], raw, &written[at + 4..]].concat();
                    assert_eq!(
                        verdict(case, &broken),
                        "llm_non_json",
                        "{}",
                        String::from_utf8_lossy(&broken)
                    );
                }
            }
        }
    }
}

/// Texts that a person may take for this one.
fn look_alikes(id: &str) -> Vec<String> {
    let swap = |from: &str, to: &str| id.replace(from, to);
    let full_width = id.chars().map(|c| match u32::from(c) {
        ascii @ 0x21..0x7f => char::from_u32(ascii + 0xfee0).unwrap(),
        _ => c,
    });
    let mut all = vec![
        format!("{id} "),
        format!(" {id}"),
        format!("{id}\n"),
        format!("{id}\u{a0}"),
        format!("{id}\u{0}"),
        format!("\u{feff}{id}"),
        format!("\u{200b}{id}"),
        format!("{id}\u{200d}"),
        format!("{id}\u{fe0f}"),
        format!("{id}\u{301}"),
        format!("\u{202e}{id}"),
        id.to_lowercase(),
        id.to_uppercase(),
        full_width.collect(),
        swap("a", "\u{430}"),
        swap("A", "\u{410}"),
        swap("B", "\u{412}"),
        swap("-", "\u{2011}"),
        swap("0", "O"),
        swap("ü", "u\u{308}"),
        swap("ü", "u"),
        swap("/", "\u{2215}"),
        swap("_", " "),
        String::new(),
    ];
    all.retain(|other| other != id);
    all
}

#[test]
fn what_only_looks_like_an_id_is_none() {
    for (case, _, reply) in valid_replies() {
        let Json::Object(entries) = &reply else {
            panic!("no object");
        };
        let expectations = [
            ("target_unit_id", "target_out_of_scope"),
            ("action", "action_not_allowed"),
            ("question_id", "exam_not_candidate"),
            ("difficultyTier", "tier_mismatch"),
        ];
        for (key, expected) in expectations {
            let card = entries.get(5).and_then(|(_, card)| card.get(key));
            let Some(Json::Text(right)) = reply.get(key).or(card) else {
                continue;
            };
            for other in look_alikes(right) {
                let mut tree = reply.clone();
                let place = places(&reply)
                    .into_iter()
                    .filter(|place| !place.starts_with(&[3]) && !place.starts_with(&[4]))
                    .find(|place| {
                        matches!(node(&mut tree, place), Some(Json::Text(text)) if text == right)
                    });
                *node(&mut tree, &place.unwrap()).unwrap() = Json::Text(other);
                let written = write(&tree);
                assert_eq!(verdict(case, written.as_bytes()), expected, "{written}");
            }
        }
    }
}
