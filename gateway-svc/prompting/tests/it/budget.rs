//! What is left out when a prompt is too long, and in which order.

use proptest::prelude::*;
use turnwise_prompts::{EARLIER_MESSAGE_CHARS, GradePrompt, Prompt, Sheets, Trimmed};
use turnwise_proto::tutor::v1::Role;

use crate::fixture::{AMPLE, TAGS, Turn, anchor, block, chunk, contents, grade, said, turn};

/// A turn with much to leave out.
fn full() -> Turn {
    let mut turn = turn();
    let text = "Undo the last step first. ".repeat(20);
    turn.unit_chunks = (0..3)
        .map(|i| chunk("ALG-09", &format!("u{i} {text}")))
        .collect();
    // Of what was found the best four are used where there is room for them.
    turn.chunks = (0..6)
        .map(|i| chunk("ALG-10", &format!("c{i} {text}")))
        .collect();
    turn.recent = (0..8)
        .map(|i| {
            said(
                [Role::User, Role::Assistant][i % 2],
                &format!("m{i} {text}"),
            )
        })
        .collect();
    turn.anchors = (7..12)
        .map(|i| anchor(&format!("ALG-{i:02}"), "A unit", &text))
        .collect();
    turn
}

/// The turn without anything that may be left out.
fn bare(turn: &Turn) -> Turn {
    let mut bare = turn.clone();
    bare.unit_chunks.clear();
    bare.chunks.clear();
    bare.recent.clear();
    bare.anchors.clear();
    bare.summary.units_in_progress.clear();
    bare
}

/// The beginnings of what stands under this key in a list of a block; none where there is no such block or list.
fn ids(prompt: &Prompt, name: &str, list: &str, key: &str) -> Vec<String> {
    let block = block(contents(prompt).1, name).unwrap_or_default();
    let list = block[list].as_array().into_iter().flatten();
    list.map(|item| item[key].as_str().unwrap().chars().take(6).collect())
        .collect()
}

#[test]
fn parts_go_in_the_documented_order() {
    let sheets = Sheets::built_in().unwrap();
    let turn = full();
    let whole = turn.prompt(&sheets, "en", AMPLE);
    let cut = EARLIER_MESSAGE_CHARS < turn.recent[0].text.len();
    let nothing = Trimmed {
        messages_cut: if cut { 8 } else { 0 },
        ..Trimmed::default()
    };
    assert_eq!(whole.trimmed, nothing);
    let least = bare(&turn).prompt(&sheets, "en", AMPLE).tokens;
    let mut before = whole.trimmed;
    let mut last = usize::MAX;
    for max in (least + 1..=whole.tokens).rev().step_by(9).chain([least]) {
        let prompt = turn.prompt(&sheets, "en", max);
        let now = prompt.trimmed;
        assert!(prompt.tokens <= max && !now.over_budget, "{max}: {now:?}");
        // Each kind goes only when the one before is all gone.
        if now.messages_dropped > 0 {
            assert_eq!((now.chunks_dropped, now.chunks_cut), (4, 0), "{max}");
        }
        if now.anchors_dropped > 0 {
            assert_eq!(now.messages_dropped, 8, "{max}");
        }
        if now.unit_texts_dropped > 0 {
            assert_eq!(now.anchors_dropped.min(4), 4, "{max}");
        }
        if now.anchors_cut > 0 {
            assert_eq!(
                (now.anchors_dropped, now.unit_texts_dropped),
                (4, 3),
                "{max}"
            );
        }
        if now.texts_cut > 0 {
            assert_eq!(now.anchors_dropped, 5, "{max}");
        }
        // Less room never leaves out less.
        assert!(now.chunks_dropped >= before.chunks_dropped, "{max}");
        assert!(now.messages_dropped >= before.messages_dropped, "{max}");
        assert!(now.anchors_dropped >= before.anchors_dropped, "{max}");
        assert!(now.unit_texts_dropped >= before.unit_texts_dropped, "{max}");
        // What stays is the best, the latest and the focus.
        for (name, letter) in [("CONTEXT", 'c'), ("UNIT_CONTEXT", 'u')] {
            let texts = ids(&prompt, name, "unitContentChunks", "text");
            let mut numbered = texts.iter().enumerate();
            assert!(numbered.all(|(i, text)| text.starts_with(&format!("{letter}{i} "))));
        }
        let focus = ids(&prompt, "UNIT_CONTEXT", "unitAnchors", "unitId");
        assert_eq!(focus.is_empty(), now.anchors_dropped == 5, "{max}");
        if let Some(earlier) = block(contents(&prompt).1, "EARLIER_TURNS") {
            let latest = earlier.as_array().unwrap().last().unwrap();
            let said = latest.get("tutor").or_else(|| latest.get("student"));
            assert!(said.unwrap().as_str().unwrap().starts_with("m7 "));
        }
        before = now;
        last = prompt.tokens;
    }
    assert_eq!(last, least);
    assert_eq!((before.anchors_dropped, before.texts_cut), (5, 1));
}

#[test]
fn the_border_is_used_well() {
    let sheets = Sheets::built_in().unwrap();
    let mut turn = full();
    turn.chunks.truncate(1);
    let whole = turn.prompt(&sheets, "en", AMPLE).tokens;
    let one = turn.chunks[0].text.len() / 4;
    for max in whole - one..whole {
        let prompt = turn.prompt(&sheets, "en", max);
        // A chunk is cut rather than dropped, so that little room is lost: what is too little to keep, and what stands
        // around it.
        assert!(max - prompt.tokens < 100, "{max}: {}", prompt.tokens);
    }
}

#[test]
fn a_small_budget_has_few_of_the_texts_that_were_found() {
    let sheets = Sheets::built_in().unwrap();
    let mut turn = full();
    turn.chunks = (0..6)
        .map(|i| chunk("ALG-10", &format!("c{i} Undo the last step first.")))
        .collect();
    turn.recent.clear();
    for (max, most) in [(3_400, 1), (4_000, 2), (6_000, 3), (8_000, 4), (AMPLE, 4)] {
        let prompt = turn.prompt(&sheets, "en", max);
        let texts = ids(&prompt, "CONTEXT", "unitContentChunks", "text");
        assert_eq!(texts.len(), most, "{max}");
        assert_eq!(prompt.trimmed.chunks_dropped, 4 - most, "{max}");
    }
}

#[test]
fn what_must_be_there_is_there_and_an_excess_is_told() {
    let sheets = Sheets::built_in().unwrap();
    let mut turn = full();
    turn.input.text = "I want to know this. ".repeat(190);
    let ample = turn.prompt(&sheets, "en", AMPLE);
    for max in [0, 1, 500] {
        let prompt = turn.prompt(&sheets, "en", max);
        assert!(prompt.trimmed.over_budget && prompt.tokens > max);
        assert_eq!(contents(&prompt).0, contents(&ample).0, "rules and POLICY");
        let input = block(contents(&prompt).1, "STUDENT_INPUT").unwrap();
        assert_eq!(input["messageText"], turn.input.text.as_str());
        assert_eq!(
            ids(&prompt, "CONTEXT", "examCandidates", "questionId").len(),
            2
        );
        assert_eq!(prompt.trimmed.chunks_dropped, 4);
    }
}

#[test]
fn a_typical_turn_fits_a_small_model() {
    let sheets = Sheets::built_in().unwrap();
    for locale in ["en", "de"] {
        let bare = bare(&turn()).prompt(&sheets, locale, AMPLE);
        // Half of 2,500 tokens and more is left for lessons and history.
        assert!(bare.tokens < 1500, "{locale}: {}", bare.tokens);
        let turn = full();
        let prompt = turn.prompt(&sheets, locale, 2500);
        // An earlier message goes as a whole.
        let lost = 100 + turn.recent[0].text.len() / 4;
        assert!(
            prompt.tokens + lost > 2500 && !prompt.trimmed.over_budget,
            "{}",
            prompt.tokens
        );
    }
}

#[test]
fn a_grade_leaves_out_meanings_then_the_title() {
    let sheets = Sheets::built_in().unwrap();
    let input = grade();
    let whole = sheets.grade("en", &input, AMPLE).unwrap();
    assert_eq!(whole.trimmed, Trimmed::default());
    let tight = sheets.grade("en", &input, whole.tokens - 1).unwrap();
    assert_eq!(tight.trimmed.texts_cut, 1);
    let tags = block(contents(&tight).0, "MISTAKE_TAGS").unwrap();
    assert!(tags[1].get("meaning").is_none() && tags[0].get("meaning").is_some());
    assert!(tight.tokens < whole.tokens);
    let none = sheets.grade("en", &input, 0).unwrap();
    assert!(none.trimmed.over_budget);
    assert_eq!(none.trimmed.texts_cut, 3);
    let tags = block(contents(&none).0, "MISTAKE_TAGS").unwrap();
    assert_eq!(tags.as_array().unwrap().len(), TAGS.len());
    let task = block(contents(&none).1, "TASK").unwrap();
    assert_eq!(task["questionLatex"], input.question_latex);
    assert!(task.get("unitTitle").is_none());
}

fn any_turn() -> impl Strategy<Value = Turn> {
    let text = || prop_oneof![".{0,80}", "[a-z <>{}\\\\\"=+0-9äß\n]{0,300}"];
    let texts = |most| proptest::collection::vec(text(), 0..most);
    (texts(8), texts(8), texts(6), texts(5), text(), text()).prop_map(
        |(chunks, recent, anchors, units, input, tag)| {
            let mut turn = turn();
            turn.unit_chunks = recent.iter().map(|text| chunk("ALG-09", text)).collect();
            turn.chunks = chunks.iter().map(|text| chunk("ALG-10", text)).collect();
            turn.recent = recent.iter().map(|text| said(Role::User, text)).collect();
            turn.anchors = anchors
                .iter()
                .enumerate()
                .map(|(i, text)| anchor(&format!("ALG-{:02}", 8 + i), text, text))
                .collect();
            turn.anchors
                .iter_mut()
                .for_each(|a| a.tags.push(tag.clone()));
            turn.summary.units_in_progress = units;
            turn.input.text = input;
            turn
        },
    )
}

proptest! {

    #[test]
    fn a_prompt_keeps_its_budget_whenever_it_can(turn in any_turn(), max in 0_usize..3000) {
        let sheets = Sheets::built_in().unwrap();
        let prompt = turn.prompt(&sheets, "en", max);
        let least = bare(&turn).prompt(&sheets, "en", AMPLE);
        prop_assert_eq!(prompt.trimmed.over_budget, prompt.tokens > max);
        if least.tokens <= max {
            prop_assert!(prompt.tokens <= max, "{} of {max}", prompt.tokens);
        }
        prop_assert_eq!(contents(&prompt).0, contents(&least).0);
        prop_assert_eq!(&prompt, &turn.prompt(&sheets, "en", max));
        let whole = turn.prompt(&sheets, "en", AMPLE);
        // More than one text that was found wants more room than there is here.
        if turn.chunks.len() <= 1 && whole.tokens <= max {
            prop_assert_eq!(prompt, whole);
        }
    }

    #[test]
    fn a_grade_keeps_its_budget_whenever_it_can(
        title in ".{0,60}", answer in ".{0,200}", max in 0_usize..1200, verdict in any::<Option<bool>>(),
    ) {
        let sheets = Sheets::built_in().unwrap();
        let input = GradePrompt { unit_title: &title, answer: &answer, verdict, ..grade() };
        let prompt = sheets.grade("de", &input, max).unwrap();
        let least = sheets.grade("de", &input, 0).unwrap();
        prop_assert_eq!(prompt.trimmed.over_budget, prompt.tokens > max);
        prop_assert!(prompt.tokens <= max || prompt == least);
    }
}
