//! A question is answered by the lesson's own words, whatever comes first, and is not lost by the choice of a unit.

use tonic::service::Routes;
use turnwise_kit::Kit;
use turnwise_proto::{
    policy::v1::{
        KnownTexts, Passage, PlanRequest, Policy, ResolveReplyRequest,
        policy_service_client::PolicyServiceClient, resolve_reply_request::Outcome,
    },
    session::v1::{StudentSnapshot, TurnState},
    tutor::v1::{ClientEventKind, DegradedReason, StudentInput},
};
use turnwise_reply_guard::expressions;

use super::taught_pack;
use crate::{fixture::*, reply_guard::says};

type Client = PolicyServiceClient<Routes>;

const QUESTION: &str = "Why does a balance stay level?";
/// It has all of the question's terms.
const ANSWER: &str = "A balance stays level while both pans weigh the same.";
const QUOTED: &str =
    "Your lesson says: A balance stays level while both pans weigh the same. (From: Pans)";
/// What is asked about ONE where nothing is asked for.
const ASKED: &str = "What would happen then?";
const IDEA: &str = "Both sides stay equal.";

fn passage(text: &str) -> Option<Passage> {
    Some(Passage {
        section: "Pans".to_owned(),
        text: text.to_owned(),
        explains: false,
    })
}

fn typed(text: &str) -> Option<StudentInput> {
    Some(StudentInput {
        text: text.to_owned(),
        ..StudentInput::default()
    })
}

async fn policy(client: &Client, plan: PlanRequest) -> Policy {
    let mut client = client.clone();
    let plan = client.plan(plan).await.unwrap().into_inner().plan;
    let decided = client.decide(decide_request(plan.unwrap())).await.unwrap();
    decided.into_inner().policy.unwrap()
}

/// What is said in a turn with this policy, where no model wrote.
async fn said(client: &Client, policy: &Policy, request: ResolveReplyRequest) -> String {
    let failure = Outcome::Failure(DegradedReason::LlmTimeout.into());
    let request = ResolveReplyRequest {
        policy: Some(policy.clone()),
        outcome: Some(request.outcome.clone().unwrap_or(failure)),
        ..request
    };
    let resolved = client.clone().resolve_reply(request).await.unwrap();
    resolved.into_inner().reply.unwrap().text
}

/// ONE comes first for who asks about TWO.
async fn on_the_way(client: &Client) -> Policy {
    let mut request = plan_request(snapshot("START", &[]));
    request.mapped_units = vec![mapped("TWO", 0.9)];
    let policy = policy(client, request).await;
    assert_eq!(policy.focus_unit_id, "ONE");
    assert!(!policy.announcement.is_empty());
    policy
}

#[tokio::test]
async fn a_lesson_that_answers_comes_before_the_key_idea() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    let policy = policy(&client, plan_request(snapshot("ONE", &[]))).await;
    for (message, text, begins) in [
        (QUESTION, ANSWER, QUOTED),
        // Half of what is asked about is enough.
        (
            "Why does a balance stay level on Mars, Venus?",
            ANSWER,
            QUOTED,
        ),
        ("Why is the moon yellow?", ANSWER, IDEA),
        // A word alone says little, and the unit's title helps.
        ("What is a balance?", ANSWER, IDEA),
        ("Why is the unit level?", ANSWER, QUOTED),
        ("What is a unit?", ANSWER, IDEA),
        (QUESTION, "", IDEA),
        // Nothing is asked.
        ("a balance stays level", ANSWER, ASKED),
    ] {
        let request = ResolveReplyRequest {
            typed: typed(message),
            passage: passage(text),
            ..ResolveReplyRequest::default()
        };
        let said = said(&client, &policy, request).await;
        assert!(said.starts_with(begins), "{message}: {said}");
    }
}

/// Of a unit's texts the one that has most of the question, whichever was found first.
#[tokio::test]
async fn of_several_lessons_the_one_that_answers_is_quoted() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    let policy = policy(&client, plan_request(snapshot("ONE", &[]))).await;
    let pans = (ANSWER, false);
    let reason = ("It stays level, as a balance compares.", true);
    let long = "Why does Ann, who bought a red balance in May, say that it stays level?";
    let longer = "Why does Ann, who bought a red balance in May from Tom, say that it stays level?";
    let shopping = ("Ann bought a red scale from Tom.", false);
    let titled = ("A unit stays as it is.", false);
    let nearby = ("It stays so, as the pans weigh the same.", true);
    let zero = "Step by step: $2^1 = 2$, so $2^0$ is one. The same goes for $x^0$.";
    for (message, found, quoted) in [
        (QUESTION, &[("A scale has pans.", false), pans][..], ANSWER),
        // Of two that have as much, the first; where a reason is asked for, an explanation.
        ("What does stay level, a balance?", &[pans, reason], ANSWER),
        (QUESTION, &[pans, reason], reason.0),
        (QUESTION, &[reason, pans], reason.0),
        // What stands in the unit's title stands in a text only where its own words have it.
        ("Why does the unit stay level?", &[nearby, titled], titled.0),
        ("Why does the unit stay level?", &[titled, pans], ANSWER),
        // A third of a long question is enough in what was found first, whatever else has more and answers nothing.
        (longer, &[pans, shopping], ANSWER),
        (long, &[pans], ANSWER),
        (long, &[("A scale has pans.", false), pans], ""),
        (
            "Why is Ann, who bought a red balance in May, sad?",
            &[pans],
            "",
        ),
        // A formula counts as a whole, and an equation is an answer rather.
        ("Why should Ann believe you of x^0?", &[(zero, false)], zero),
        ("Why should Ann believe you of x^3?", &[(zero, false)], ""),
        (
            "Why should Ann say x = 2?",
            &[("$x = 2$ it is.", false)],
            "",
        ),
        ("Why should Ann like 2?", &[(zero, false)], ""),
    ] {
        let mut passages = found.iter().map(|(text, explains)| Passage {
            section: "Pans".to_owned(),
            text: (*text).to_owned(),
            explains: *explains,
        });
        let request = ResolveReplyRequest {
            typed: typed(message),
            passage: passages.next(),
            more_passages: passages.collect(),
            ..ResolveReplyRequest::default()
        };
        let said = said(&client, &policy, request).await;
        let begins = match quoted {
            "" => IDEA.to_owned(),
            text => format!("Your lesson says: {text} (From: Pans)"),
        };
        assert!(said.starts_with(&begins), "{message}: {said}");
    }
}

/// Of texts that have the same of the question, the one whose heading has more of it, whichever was found first.
#[tokio::test]
async fn a_heading_tells_two_lessons_apart() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    let policy = policy(&client, plan_request(snapshot("ONE", &[]))).await;
    let lesson = |section: &str| Passage {
        section: section.to_owned(),
        text: ANSWER.to_owned(),
        explains: false,
    };
    let request = ResolveReplyRequest {
        typed: typed(QUESTION),
        passage: Some(lesson("Scales")),
        more_passages: vec![lesson("A level balance")],
        ..ResolveReplyRequest::default()
    };
    let said = said(&client, &policy, request).await;
    let quoted = format!("Your lesson says: {ANSWER} (From: A level balance)");
    assert!(said.starts_with(&quoted), "{said}");
}

/// Who asks about one thing alone gets the text whose heading names it, or that of the unit that is named after it.
#[tokio::test]
async fn what_one_thing_is_is_answered_where_a_heading_or_title_has_it() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    let policy = policy(&client, plan_request(snapshot("ONE", &[]))).await;
    let round = ("Each is round.", false);
    let weighs = ("Each holds what is weighed.", true);
    let unit = ("Count each unit alone.", false);
    let product = ("Multiplying two negative numbers is positive.", false);
    let walk = ("Walk where a negative number is positive.", true);
    for (message, found, quoted) in [
        ("What is a pan?", &[round][..], round.0),
        // An explanation goes first.
        ("what is a pan", &[round, weighs], weighs.0),
        ("What is a unit?", &[weighs], weighs.0),
        ("What is a unit?", &[round, unit], unit.0),
        ("What is a unit?", &[round], ""),
        ("What is a scale?", &[round, weighs], ""),
        (
            "Why is a negative times a negative positive?",
            &[walk, product],
            product.0,
        ),
    ] {
        let mut passages = found.iter().map(|(text, explains)| Passage {
            section: "Pans".to_owned(),
            text: (*text).to_owned(),
            explains: *explains,
        });
        let request = ResolveReplyRequest {
            typed: typed(message),
            passage: passages.next(),
            more_passages: passages.collect(),
            ..ResolveReplyRequest::default()
        };
        let said = said(&client, &policy, request).await;
        let begins = match quoted {
            "" => IDEA.to_owned(),
            text => format!("Your lesson says: {text} (From: Pans)"),
        };
        assert!(said.starts_with(&begins), "{message}: {said}");
    }
}

#[tokio::test]
async fn a_chosen_unit_is_explained_as_it_was_asked_about() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    let mut request = plan_request(snapshot("ONE", &[]));
    request.event = Some(event(ClientEventKind::ChooseUnit, "ONE"));
    let policy = policy(&client, request).await;
    for (question, begins) in [
        (QUESTION, QUOTED),
        ("Why is the moon yellow?", IDEA),
        // Who chose a unit wants to hear of it, whatever was said before.
        ("hi", IDEA),
        ("", IDEA),
    ] {
        let request = ResolveReplyRequest {
            pressed: ClientEventKind::ChooseUnit.into(),
            question: question.to_owned(),
            passage: passage(ANSWER),
            ..ResolveReplyRequest::default()
        };
        let said = said(&client, &policy, request).await;
        assert!(said.starts_with(begins), "{question}: {said}");
    }
}

#[tokio::test]
async fn a_lesson_on_the_way_answers_nobody_who_chose_another_unit() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    let mut request = plan_request(snapshot("START", &[]));
    request.event = Some(event(ClientEventKind::ChooseUnit, "TWO"));
    let policy = policy(&client, request).await;
    assert_eq!(policy.focus_unit_id, "ONE");
    let asking = |pressed: ClientEventKind| ResolveReplyRequest {
        pressed: pressed.into(),
        question: QUESTION.to_owned(),
        passage: passage(ANSWER),
        ..ResolveReplyRequest::default()
    };
    let chosen = said(&client, &policy, asking(ClientEventKind::ChooseUnit)).await;
    assert!(!chosen.contains(ANSWER), "{chosen}");
}

#[tokio::test]
async fn a_locked_units_lesson_is_quoted_behind_the_way() {
    for (locale, quoted) in [
        ("en", QUOTED),
        (
            "de",
            "In deiner Lektion steht: A balance stays level while both pans weigh the same. (Aus: Pans)",
        ),
    ] {
        let folder = taught_pack(locale);
        let client = start(folder.path(), &Kit::for_tests()).await;
        let policy = on_the_way(&client).await;
        let told = policy.announcement.clone();
        let asking = |message: &str| ResolveReplyRequest {
            typed: typed(message),
            passage_elsewhere: passage(ANSWER),
            ..ResolveReplyRequest::default()
        };
        let question = if locale == "en" {
            QUESTION
        } else {
            "Warum: balance stays level?"
        };
        let first = said(&client, &policy, asking(question)).await;
        // It is explained: what comes first is asked about, not explained, too.
        assert_eq!(first, format!("{told}\n\n{quoted}\n\n{ASKED}"));

        // It is not said twice, nor where it is no answer.
        let again = ResolveReplyRequest {
            said: vec![first],
            ..asking(question)
        };
        let again = said(&client, &policy, again).await;
        assert!(again.starts_with(&format!("{told}\n\n{IDEA}")), "{again}");
        let other = said(&client, &policy, asking("Why, moon yellow?")).await;
        assert!(other.starts_with(&told), "{other}");
        // Who only names it is told of it.
        let named = said(&client, &policy, asking("balance stays level")).await;
        assert_eq!(named, format!("{told}\n\n{quoted}\n\n{ASKED}"));
    }
}

#[tokio::test]
async fn a_models_words_have_no_lesson_before_them() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    let policy = on_the_way(&client).await;
    let own = says("What do you know already?").to_string();
    let request = ResolveReplyRequest {
        outcome: Some(Outcome::Completion(own.into_bytes().into())),
        typed: typed(QUESTION),
        passage_elsewhere: passage(ANSWER),
        ..ResolveReplyRequest::default()
    };
    let said = said(&client, &policy, request).await;
    let told = &policy.announcement;
    assert_eq!(said, format!("{told}\n\nWhat do you know already?"));
}

#[tokio::test]
async fn what_an_own_exercise_meets_counts_for_a_fallback_alone() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    let exercise = "2x + 3 = 11";
    let policy = policy(&client, plan_request(snapshot("ONE", &[]))).await;
    for (text, violation) in [
        ("What do you know already?", ""),
        ("You idiot.", "insult"),
        ("", "tutor_text"),
    ] {
        let reply = says(text).to_string();
        let request = ResolveReplyRequest {
            policy: Some(policy.clone()),
            outcome: Some(Outcome::Completion(reply.into_bytes().into())),
            typed: typed(exercise),
            own_exercises: true,
            known: Some(KnownTexts {
                exam_expressions: expressions("", exercise),
                ..KnownTexts::default()
            }),
            ..ResolveReplyRequest::default()
        };
        let mut client = client.clone();
        let resolved = client.resolve_reply(request.clone()).await.unwrap();
        let resolved = resolved.into_inner();
        assert_eq!(resolved.violation, violation);
        let met = resolved.met.clone().unwrap_or_default();
        assert_eq!(met.exam_expressions.is_empty(), violation.is_empty());
        // What was met makes the same answer.
        let again = ResolveReplyRequest {
            known: Some(met),
            ..request
        };
        let again = client.resolve_reply(again).await.unwrap().into_inner();
        assert_eq!(again, resolved);
    }
}

#[tokio::test]
async fn a_question_that_cannot_be_placed_is_answered_before_it_is_asked_about() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    let request = PlanRequest {
        target_locked: false,
        mapped_units: vec![mapped("TWO", 0.4), mapped("ONE", 0.3)],
        ..plan_request(StudentSnapshot {
            turn: Some(TurnState::default()),
            ..snapshot("START", &[])
        })
    };
    let policy = policy(&client, request).await;
    assert_eq!(policy.choice_unit_ids, ["TWO", "ONE"]);
    for (message, is_quoted) in [(QUESTION, true), ("Why is the moon yellow?", false)] {
        let request = ResolveReplyRequest {
            typed: typed(message),
            passage_elsewhere: passage(ANSWER),
            ..ResolveReplyRequest::default()
        };
        let said = said(&client, &policy, request).await;
        let before = said.strip_prefix(&format!("{QUOTED}\n\n"));
        assert_eq!(before.is_some(), is_quoted, "{said}");
        let question = before.unwrap_or(&said);
        assert!(question.contains("Unit TWO, Unit ONE"), "{said}");
        assert!(!question.contains("\n\n"), "{said}");
    }
}
