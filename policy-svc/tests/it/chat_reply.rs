//! The helper's answers at the service's face.

use tonic::{Code, Status};
use turnwise_fingerprint::phrase;
use turnwise_proto::{
    classes::v1::Strictness,
    policy::v1::{
        ChatDecision, KnownTexts, ResolveChatRequest, ResolveChatResponse,
        resolve_chat_request::Outcome,
    },
    session::v1::{ConversationMemory, MemoryTurn},
    tutor::v1::{DegradedReason, Role},
};

use crate::fixture::*;

type Change = fn(&mut ResolveChatRequest);

fn request(message: &str, completion: &str) -> ResolveChatRequest {
    ResolveChatRequest {
        decision: Some(ChatDecision {
            locale: "de".to_owned(),
            strictness: Strictness::Strict.into(),
            ..ChatDecision::default()
        }),
        message: message.to_owned(),
        outcome: Some(Outcome::Completion(
            completion.to_owned().into_bytes().into(),
        )),
        max_chars: 2000,
        ..ResolveChatRequest::default()
    }
}

async fn resolve(request: ResolveChatRequest) -> Result<ResolveChatResponse, Status> {
    let service = service().await;
    let response = service.client.clone().resolve_chat(request).await?;
    Ok(response.into_inner())
}

#[tokio::test]
async fn a_solution_gives_way_to_a_hint() {
    let found = resolve(request("2x+3=11", "x ist 4")).await.unwrap();
    assert_eq!(found.degraded_reason(), DegradedReason::AnswerGiven);
    assert_eq!(found.violation, "answer_given");
    assert!(
        found.text.starts_with("Du arbeitest an 2x+3=11."),
        "{}",
        found.text
    );
    let found = resolve(request("2x+3=11", "Was machst du zuerst?"))
        .await
        .unwrap();
    assert_eq!(found.text, "Was machst du zuerst?");
    assert_eq!(found.degraded_reason(), DegradedReason::Unspecified);
}

#[tokio::test]
async fn the_memory_holds_the_problem_and_what_the_student_said() {
    let turn = |role: Role, text: &str| MemoryTurn {
        role: role.into(),
        text: text.to_owned(),
    };
    let mut asked = request("sag schon", "Also gut: vier.");
    asked.memory = Some(ConversationMemory {
        summary: String::new(),
        turns: vec![
            turn(Role::User, "Löse 2x+3=11"),
            turn(Role::Assistant, "Ist es 4?"),
        ],
    });
    let found = resolve(asked.clone()).await.unwrap();
    assert_eq!(found.degraded_reason(), DegradedReason::AnswerGiven);
    if let Some(memory) = &mut asked.memory {
        memory.turns.push(turn(Role::User, "ich glaube x = 4"));
    }
    let found = resolve(asked).await.unwrap();
    assert_eq!(found.degraded_reason(), DegradedReason::Unspecified);
}

#[tokio::test]
async fn what_the_student_wrote_last_may_be_repeated_however_much_was_said_before() {
    let mut asked = request("1/4+1/3=2/9", "So 1/4 + 1/3 = 2/9.");
    asked.decision = Some(ChatDecision {
        locale: "en".to_owned(),
        strictness: Strictness::Light.into(),
        ..ChatDecision::default()
    });
    asked.memory = Some(ConversationMemory {
        summary: String::new(),
        turns: vec![MemoryTurn {
            role: Role::User.into(),
            text: "ä".repeat(9_000),
        }],
    });
    let found = resolve(asked.clone()).await.unwrap();
    assert_eq!(found.degraded_reason(), DegradedReason::Unspecified);
    asked.message = "hm".to_owned();
    let found = resolve(asked).await.unwrap();
    assert_eq!(found.degraded_reason(), DegradedReason::FalseMathematics);
    assert_eq!(found.violation, "false_mathematics");
}

#[tokio::test]
async fn known_texts_and_sources_are_used() {
    let mut asked = request("hallo", "Das Zauberwort ist Simsalabim.");
    asked.known = Some(KnownTexts {
        blocked_terms: vec![phrase("Simsalabim").unwrap()],
        ..KnownTexts::default()
    });
    let found = resolve(asked).await.unwrap();
    assert_eq!(found.degraded_reason(), DegradedReason::UnsafeMessage);
    assert_eq!(found.violation, "blocked_term");
    let mut asked = request("hallo", "Lies nach [2] und [5].");
    asked.source_count = 2;
    let found = resolve(asked).await.unwrap();
    assert_eq!(
        (found.text.as_str(), found.cited.as_slice()),
        ("Lies nach [2] und.", &[2][..])
    );
    assert_eq!(found.observations, ["citation_removed"]);
}

#[tokio::test]
async fn without_a_model_a_hint_or_the_reference_answers() {
    let mut asked = request("2x+3=11", "");
    asked.outcome = Some(Outcome::Failure(DegradedReason::LlmOff.into()));
    let found = resolve(asked.clone()).await.unwrap();
    assert!(found.text.contains("auf beiden Seiten"), "{}", found.text);
    assert_eq!(
        (found.degraded_reason(), found.violation.as_str()),
        (DegradedReason::Unspecified, "")
    );
    asked.message = "hallo".to_owned();
    assert_eq!(resolve(asked.clone()).await.unwrap().text, "");
    asked.reference = "Gleichungen sind Waagen.".to_owned();
    assert!(
        resolve(asked)
            .await
            .unwrap()
            .text
            .ends_with("Gleichungen sind Waagen.")
    );
}

#[tokio::test]
async fn what_cannot_be_resolved_is_refused() {
    let good = request("hallo", "hallo");
    let refused = |change: Change| {
        let mut bad = good.clone();
        change(&mut bad);
        async move { resolve(bad).await.unwrap_err().code() }
    };
    let cases: [(&str, Change); 7] = [
        ("no decision", |bad| bad.decision = None),
        ("no outcome", |bad| bad.outcome = None),
        ("no message", |bad| bad.message.clear()),
        ("too short", |bad| bad.max_chars = 199),
        ("too long a message", |bad| bad.message = "a".repeat(16_001)),
        ("another failure", |bad| {
            bad.outcome = Some(Outcome::Failure(DegradedReason::LlmTimeout.into()));
        }),
        ("no strictness", |bad| {
            bad.decision = Some(ChatDecision::default())
        }),
    ];
    for (name, change) in cases {
        assert_eq!(refused(change).await, Code::InvalidArgument, "{name}");
    }
    let unknown = |bad: &mut ResolveChatRequest| {
        if let Some(decision) = &mut bad.decision {
            decision.course_id = "nowhere".to_owned();
            decision.pack_hash = "none".to_owned();
        }
    };
    assert_eq!(refused(unknown).await, Code::NotFound);
}
