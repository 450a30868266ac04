//! The estimate of tokens against real counts.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tokenizers::Tokenizer;
use turnwise_prompts::{Sheets, estimate};

use crate::fixture::{AMPLE, button_turn, grade, stuck_turn, turn};

/// Texts with their counts by SmolLM2's tokenizer, taken once.
const COUNTED: [(usize, &str); 16] = [
    (
        23,
        "What undoes adding 3? Try the same step on both sides, then check with x = 4.",
    ),
    (
        28,
        "To solve an equation in one step, keep both sides equal: whatever you do on the left, you do on the right as well.",
    ),
    (15, "i dont get it why is it minus 5 and not plus 5"),
    (
        41,
        "Löse die Gleichung nach x auf und überprüfe dein Ergebnis, indem du es in beide Seiten einsetzt.",
    ),
    (
        40,
        "Die Umkehroperation der Multiplikation ist die Division; so machst du die Rechenschritte der Reihe nach rückgängig.",
    ),
    (
        35,
        "Un polynôme du second degré s'écrit sous la forme ax² + bx + c, où a n'est pas nul.",
    ),
    (21, r#"\frac{-b \pm \sqrt{b^2-4ac}}{2a}"#),
    (25, r#"\begin{cases} 2x + y = 7 \\ x - y = -1 \end{cases}"#),
    (
        28,
        r#"\left\{ x \in \mathbb{R} \mid -2 \leq x < 5 \right\}"#,
    ),
    (
        38,
        r#"\lim_{n \to \infty} \sum_{k=1}^{n} \frac{1}{k^2} = \frac{\pi^2}{6}"#,
    ),
    (22, r#"3x^{2}-5x+\dfrac{7}{8}=0.125y"#),
    (
        31,
        r#"{"unitId":"ALG-09","title":"Inverse operations","tags":["inverse","equation"],"misconceptions":[]}"#,
    ),
    (
        60,
        r#"{"turnId":"5a4f1f36-3d0c-4f38-9a52-0d5f3f2f9c11","stuck":false,"examReady":true,"prereqBlockingUnitId":null}"#,
    ),
    (
        43,
        r#"{"text":"Wir \"drehen\" das Zeichen um:\n-2x \u003c 6\n\nalso x > -3","page":12}"#,
    ),
    (
        23,
        r#"[{"role":"student","text":"x<3"},{"role":"tutor","text":"Why?"}]"#,
    ),
    (
        27,
        "SOCRATIC_QUESTION or DRILL_CARD or CONCEPT_CARD or EXAM_BLOCK",
    ),
];

#[test]
fn the_estimate_is_no_less_than_a_chat_models_count() {
    for (count, text) in COUNTED {
        let estimate = estimate(text);
        assert!(estimate >= count, "{estimate} for {count}: {text}");
        assert!(estimate <= count * 2, "{estimate} for {count}: {text}");
    }
}

/// The folder of an embedding model, where it was fetched.
fn model() -> Option<PathBuf> {
    let named = std::env::var_os("EMBED_MODEL_DIR").filter(|dir| !dir.is_empty());
    let cache = || match std::env::var_os("XDG_CACHE_HOME").filter(|dir| !dir.is_empty()) {
        Some(cache) => Some(PathBuf::from(cache)),
        None => Some(Path::new(&std::env::var_os("HOME")?).join(".cache")),
    };
    let folder = named.map_or_else(
        || Some(cache()?.join("turnwise/all-MiniLM-L6-v2")),
        |dir| Some(PathBuf::from(dir)),
    )?;
    let file = folder.join("tokenizer.json");
    if !file.is_file() {
        println!(
            "SKIPPED: no {}; scripts/fetch-model brings one",
            file.display()
        );
        return None;
    }
    Some(file)
}

#[test]
fn prompts_and_mathematics_take_no_more_than_estimated() {
    let Some(file) = model() else { return };
    let mut tokenizer = Tokenizer::from_file(file).unwrap();
    tokenizer.with_truncation(None).unwrap();
    tokenizer.with_padding(None);
    let count = |text: &str| tokenizer.encode(text, false).unwrap().get_ids().len();
    let sheets = Sheets::built_in().unwrap();
    let mut prompts: Vec<_> = [turn(), stuck_turn(), button_turn()]
        .iter()
        .map(|turn| turn.prompt(&sheets, "en", AMPLE))
        .collect();
    prompts.push(sheets.grade("en", &grade(), AMPLE).unwrap());
    for prompt in &prompts {
        let counted: usize = prompt.messages.iter().map(|m| count(&m.content)).sum();
        println!("{} estimated, {counted} counted", prompt.tokens);
        assert!(prompt.tokens >= counted);
        assert!(prompt.tokens < counted * 3 / 2);
    }
    for text in [
        "\\frac{-b \\pm \\sqrt{b^2-4ac}}{2a}",
        "\\begin{cases} x+y=3 \\\\ 2x-y=0 \\end{cases}",
        "{\"unitId\":\"ALG-09\",\"text\":\"x \\\\le 3\",\"page\":12,\"tags\":[\"inverse\"]}",
        "{\"turnId\":\"5a4f1f36-3d0c-4f38-9a52-0d5f3f2f9c11\",\"stuck\":false}",
    ] {
        assert!(estimate(text) >= count(text), "{text}");
    }
}

proptest! {

    #[test]
    fn more_text_never_takes_fewer_tokens(a in any::<String>(), b in any::<String>()) {
        let both = estimate(&[a.as_str(), b.as_str()].concat());
        prop_assert!(both + 1 >= estimate(&a).max(estimate(&b)));
        prop_assert!(estimate(&a) <= a.len() * 3);
    }
}

#[test]
fn each_rule_counts_as_the_table_says() {
    for (text, tokens) in [
        ("", 0),
        ("a", 1),
        ("four", 1),
        ("fives", 2),
        ("unitContentChunks", 2 + 2 + 2 - 1),
        ("URL", 2),
        ("URLs", 2),
        ("strength", 2 + 1),
        ("qzxwv", 2 + 2),
        ("2025", 4),
        ("a b", 2),
        ("a 1", 3),
        ("a  b", 3),
        ("a\n\nb", 3),
        ("a = b", 3),
        ("\\frac{1}{2}", 8),
        ("ü", 4),
        ("я", 1),
        ("漢", 2),
        ("😀", 3),
    ] {
        assert_eq!(estimate(text), tokens, "{text:?}");
    }
}
