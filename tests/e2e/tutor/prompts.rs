//! What a model is told in the demo course: what a class shares comes first, and each part has its budget.

use turnwise_gateway_svc::record;
use turnwise_prompts::{Prompt, Sheets, estimate};
use turnwise_proto::tutor::v1::StudentInput;
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    staff::Staff,
    student::{DEMO_COURSE, Student},
};

/// The most that a prompt may take, as PROMPT_MAX_TOKENS has it by default.
const MOST_TOKENS: usize = 3_400;

in_both_deployments!(a_class_shares_what_comes_first_and_each_part_keeps_its_budget);

async fn a_class_shares_what_comes_first_and_each_part_keeps_its_budget(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let staff = Staff::of(&suite);
    let mut beginnings = Vec::new();
    for (id, said) in [
        ("ada", ["How do I add negative numbers?", "and -3 - (-5)?"]),
        ("ben", ["Adding negative numbers is hard", "I am stuck"]),
    ] {
        let student = suite.student(id);
        let thread = student.open(DEMO_COURSE).await;
        for text in said {
            let answer = student.say(&thread, text).await;
            let (focus, prompt) = prompt_of(&staff, &student, &answer.turn_id).await;
            assert!(prompt.tokens <= MOST_TOKENS, "{}", prompt.tokens);
            let [rules, data, policy, input] = &prompt.messages[..] else {
                panic!("{} messages", prompt.messages.len());
            };
            let (unit, rest) = data.content.split_once("</UNIT_CONTEXT>").unwrap();
            for (part, text, most) in [
                ("rules", rules.content.as_str(), 900),
                ("unit", unit, 1_200),
                ("conversation and record", rest, 900),
                ("POLICY", policy.content.as_str(), 250),
                ("input", input.content.as_str(), 120),
            ] {
                let tokens = estimate(text);
                println!("{id} | {part} | {tokens} tokens, of {most}");
                assert!(tokens <= most, "{part}: {tokens}\n{text}");
            }
            beginnings.push((focus, format!("{}\n{unit}", rules.content)));
        }
    }
    let (focus, beginning) = &beginnings[0];
    assert!(
        beginning.contains("\"unitContentChunks\":[{"),
        "{beginning}"
    );
    // What kind of text each is, but for explanations.
    assert!(beginning.contains("\"type\":\"example\""), "{beginning}");
    assert!(!beginning.contains("\"type\":\"explanation\""));
    let same = beginnings.iter().filter(|(other, _)| other == focus);
    let shared: Vec<_> = same.map(|(_, text)| text).collect();
    assert!(shared.len() > 1, "nobody else works on {focus}");
    assert!(shared.iter().all(|text| *text == beginning));
    suite.stop();
}

/// The unit that a turn was about, and its very prompt.
pub async fn prompt_of(staff: &Staff, student: &Student, turn_id: &str) -> (String, Prompt) {
    let record = staff.record(&student.id, turn_id).await;
    let (facts, texts) = (record.facts.unwrap(), record.texts.unwrap());
    let no_input = StudentInput::default();
    let data = record::turn_prompt(&facts, &texts, &no_input).expect("a prompt's data");
    let focus = data.policy.focus_unit_id.clone();
    let sheets = Sheets::built_in().unwrap();
    let locale = record::locale(&facts);
    let prompt = sheets.turn(locale, &data, MOST_TOKENS).unwrap();
    let sent = facts.prompt.as_ref().expect("a prompt");
    assert_eq!(prompt.hash, sent.hash, "the prompt that was sent");
    (focus, prompt)
}
