//! What stays the same between students, turns and questions, and what each part of a prompt takes.

use std::fs;

use turnwise_prompts::{Prompt, Sheets, estimate};
use turnwise_proto::{
    llm::v1::ChatRole,
    policy::v1::SnapshotSummary,
    tutor::v1::{MasteryTier, Role, TutorAction},
};

use crate::{
    conversations::stuck_on_drill,
    fixture::{
        AMPLE, Turn, actions, button_turn, chunk, project_turn, said, stuck_turn, supplied_turn,
        turn,
    },
};

/// Another student at the same unit: another record, another conversation, other actions, other words.
fn of_another() -> Turn {
    let mut other = stuck_turn();
    other.policy.turn_id = "0b9ff6a2-6d63-45b6-9d35-3f6f52a8c1e7".to_owned();
    other.policy.prereq_blocking_unit_id.clear();
    other.policy.scoped_unit_ids = vec!["ALG-09".to_owned(), "ALG-11".to_owned()];
    other.policy.choice_unit_ids = vec!["ALG-11".to_owned()];
    other.policy.allowed_actions = actions(&[TutorAction::SocraticQuestion]);
    other.summary = SnapshotSummary {
        focus_unit_id: "ALG-09".to_owned(),
        focus_mastery_tier: MasteryTier::Silver.into(),
        ..SnapshotSummary::default()
    };
    // What fits the message best stands in another order.
    other.anchors.reverse();
    other.chunks = vec![chunk("ALG-11", "Undo the sum first, then the product.")];
    other.recent = vec![said(Role::User, "I do not get it")];
    other
}

/// All that a server reads of a prompt, one message after the other.
fn read(prompt: &Prompt) -> String {
    let messages = prompt.messages.iter();
    messages
        .map(|m| format!("{}\n{}\n", m.role().as_str_name(), m.content))
        .collect()
}

#[test]
fn students_of_a_unit_share_rules_and_unit() {
    let sheets = Sheets::built_in().unwrap();
    for locale in ["en", "de-CH"] {
        let [one, other] = [turn(), of_another()].map(|t| t.prompt(&sheets, locale, AMPLE));
        let [one, other] = [&one, &other].map(read);
        let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b);
        let shared = &one[..one.floor_char_boundary(same.count())];
        assert!(shared.contains("\n</UNIT_CONTEXT>\n"), "{shared}");
        // What is only one student's stands behind it.
        for own in ["snapshotLiteForLLM", "allowedActions\":", "messageText"] {
            let (before, _) = one.split_once(own).expect(own);
            assert!(before.len() >= shared.len(), "{own}");
        }
    }
}

#[test]
fn the_rules_are_the_same_in_every_turn_of_a_course() {
    let sheets = Sheets::built_in().unwrap();
    let turns = [
        turn(),
        stuck_turn(),
        button_turn(),
        supplied_turn(),
        project_turn(),
        stuck_on_drill(),
        of_another(),
    ];
    let prompts = turns.map(|turn| turn.prompt(&sheets, "en", AMPLE));
    let rules = &prompts[0].messages[0];
    for prompt in &prompts {
        assert_eq!(&prompt.messages[0], rules);
        let roles: Vec<ChatRole> = prompt.messages.iter().map(|m| m.role()).collect();
        let turns = [ChatRole::System, ChatRole::User];
        assert_eq!(roles, [turns, turns].concat());
    }
}

#[test]
fn no_id_of_a_turn_or_a_thread_stands_in_a_prompt() {
    let sheets = Sheets::built_in().unwrap();
    for turn in [turn(), of_another(), button_turn()] {
        let prompt = turn.prompt(&sheets, "en", AMPLE);
        assert!(!read(&prompt).contains(&turn.policy.turn_id));
    }
}

#[test]
fn the_unit_has_a_bound_of_its_own() {
    let sheets = Sheets::built_in().unwrap();
    let mut turn = turn();
    let text = "Undo the last step first. ".repeat(20);
    turn.unit_chunks = (0..40)
        .map(|i| chunk("ALG-09", &format!("u{i} {text}")))
        .collect();
    let unit = |turn: &Turn| {
        let prompt = turn.prompt(&sheets, "en", AMPLE);
        let user = &prompt.messages[1].content;
        let (unit, _) = user.split_once("</UNIT_CONTEXT>").unwrap();
        unit.to_owned()
    };
    let alone = unit(&turn);
    assert!((500..1_200).contains(&estimate(&alone)), "{alone}");
    turn.recent = vec![said(Role::User, &text); 30];
    assert_eq!(unit(&turn), alone);
}

#[test]
fn what_is_remembered_of_rules_and_units_changes_no_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let odd = include_str!("../../sheets/turn.user.md").replace(
        "{{ unit_context }}",
        "Unit: {{ unit_context }} and\t{{ unit_context }}",
    );
    fs::write(folder.path().join("turn.user.md"), odd).unwrap();
    let changed = |change: fn(&mut Turn)| {
        let mut turn = turn();
        change(&mut turn);
        turn
    };
    // The same unit by id and title, of other versions of the course.
    let turns = [
        turn(),
        of_another(),
        project_turn(),
        changed(|t| t.anchors[0].summary.push('!')),
        changed(|t| {
            t.anchors[0]
                .misconceptions
                .push("Adds 3 once more.".to_owned())
        }),
        changed(|t| t.anchors[0].title.push('!')),
        changed(|t| t.unit_chunks[0].text.push('!')),
        changed(|t| t.unit_chunks[0].section.push('!')),
        changed(|t| t.unit_chunks.reverse()),
        changed(|t| drop(t.unit_chunks.pop())),
        changed(|t| t.unit_chunks.clear()),
        changed(|t| t.anchors.clear()),
        changed(|t| t.policy.constraints.as_mut().unwrap().max_concept_words = 99),
    ];
    for own in [false, true] {
        let load = || match own {
            true => Sheets::load(folder.path()),
            false => Sheets::built_in(),
        };
        let kept = load().unwrap();
        for turn in turns.iter().chain(&turns) {
            let fresh = load().unwrap();
            for (locale, max) in [("en", 1_300), ("de", AMPLE), ("en", AMPLE)] {
                let prompt = turn.prompt(&kept, locale, max);
                assert_eq!(prompt, turn.prompt(&fresh, locale, max));
                let contents = prompt.messages.iter().map(|m| &m.content);
                let tokens: usize = contents.map(|content| estimate(content) + 6).sum();
                assert_eq!(prompt.tokens, tokens);
            }
        }
    }
}

#[test]
fn each_part_takes_what_it_may() {
    let sheets = Sheets::built_in().unwrap();
    for (locale, rules) in [("en", 850), ("de", 1_060)] {
        let most = [rules, 620, 180, 100];
        let prompt = turn().prompt(&sheets, locale, AMPLE);
        let parts = ["rules", "unit, record and conversation", "POLICY", "input"];
        for ((part, message), most) in parts.iter().zip(&prompt.messages).zip(most) {
            let tokens = estimate(&message.content);
            println!("{locale} | {part} | {tokens} tokens, of {most}");
            assert!(tokens <= most, "{locale} {part}: {tokens}");
        }
    }
}
