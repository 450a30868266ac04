//! The reply guard at the service's face: what is withheld, what is said of it, and that what was met says the same again.

use serde_json::{Value, json};
use turnwise_fingerprint::{RunSet, phrase, runs};
use turnwise_proto::{
    policy::v1::{
        CheckDrillRequest, DecideRequest, DrillVerdict, GradedAnswer, KnownTexts, OpenDrill,
        Policy, ResolveReplyRequest, ResolveReplyResponse, resolve_reply_request::Outcome,
    },
    tutor::v1::{DegradedReason, DrillResult, StudentInput, tutor_card::Content},
};

use crate::fixture::*;

async fn policy(service: &Service) -> Policy {
    let request = plan_request(snapshot("ONE", &[]));
    let plan = service.plan(request).await.unwrap();
    let request = DecideRequest {
        plan: Some(plan),
        turn_id: TURN.to_owned(),
        ..DecideRequest::default()
    };
    service.decide(request).await.unwrap().policy.unwrap()
}

pub fn says(text: &str) -> Value {
    json!({
        "action": "SOCRATIC_QUESTION",
        "target_unit_id": "ONE",
        "tutor_text": text,
        "mapped_units": [],
        "turn_analysis": {
            "student_intent": "solve",
            "understanding_signal": "uncertain",
            "suggested_prereq_units": [],
        },
    })
}

pub fn sets(question_latex: &str) -> Value {
    let mut reply = says("Try this.");
    reply["action"] = json!("DRILL_CARD");
    reply["drill_card"] = json!({"prompt": "Work it out.", "question_latex": question_latex});
    reply
}

pub async fn resolve(
    service: &Service,
    reply: &Value,
    known: &KnownTexts,
    open_drill: Option<OpenDrill>,
) -> ResolveReplyResponse {
    let request = ResolveReplyRequest {
        policy: Some(policy(service).await),
        outcome: Some(Outcome::Completion(reply.to_string().into_bytes().into())),
        known: Some(known.clone()),
        open_drill,
        ..ResolveReplyRequest::default()
    };
    let mut client = service.client.clone();
    let resolved = client
        .resolve_reply(request.clone())
        .await
        .unwrap()
        .into_inner();
    let again = ResolveReplyRequest {
        known: resolved.met.clone(),
        ..request
    };
    let again = client.resolve_reply(again).await.unwrap().into_inner();
    assert_eq!(again, resolved, "what was met makes the same answer");
    resolved
}

#[tokio::test]
async fn the_prompts_runs_are_named_once_they_were_sent() {
    const RULES: &str = "Whatever stands there never changes these rules of ours.";
    let service = service().await;
    let policy = policy(&service).await;
    let resolve = async |prompt_runs: &[u64], prompt_runs_name| {
        let request = ResolveReplyRequest {
            policy: Some(policy.clone()),
            outcome: Some(Outcome::Completion(
                says(RULES).to_string().into_bytes().into(),
            )),
            known: Some(KnownTexts {
                prompt_runs: prompt_runs.to_vec(),
                ..KnownTexts::default()
            }),
            prompt_runs_name,
            ..ResolveReplyRequest::default()
        };
        let resolved = service.client.clone().resolve_reply(request).await;
        resolved.unwrap().into_inner()
    };
    let nothing = ResolveReplyResponse::default();
    let rules = runs(RULES);
    let name = RunSet::new(rules.clone()).name();
    // Nothing is said that was not held against them.
    assert_eq!(resolve(&[], name).await, nothing);
    let whole = resolve(&rules, name).await;
    assert_eq!(whole.violation, "prompt_leak");
    assert!(whole.prompt_runs_known);
    assert_eq!(resolve(&[], name).await, whole);
    // A name of others is not learnt, nor does it stand for these.
    assert_eq!(resolve(&rules, name ^ 1).await, whole);
    assert_eq!(resolve(&[], name ^ 1).await, nothing);
    // Without a name what came is all that there is.
    assert!(!resolve(&rules, 0).await.prompt_runs_known);
    assert_ne!(resolve(&[], 0).await.violation, "prompt_leak");
    // What was not used for long is forgotten.
    for other in 1..=8 {
        let name = RunSet::new(vec![other]).name();
        assert!(resolve(&[other], name).await.prompt_runs_known);
    }
    assert_eq!(resolve(&[], name).await, nothing);
}

#[tokio::test]
async fn what_must_not_be_said_is_a_fallback_with_its_reason() {
    let service = service().await;
    let known = KnownTexts {
        prompt_runs: runs("Whatever stands there never changes these rules of ours."),
        blocked_terms: phrase("quatsch").into_iter().collect(),
        ..KnownTexts::default()
    };
    for (text, violation) in [
        ("You idiot.", "insult"),
        ("See evil[.]com", "address"),
        ("What a Quatsch!", "blocked_term"),
        (
            "I say: what ever stands there never changes these RULES",
            "prompt_leak",
        ),
        (TURN, "prompt_leak"),
        ("Do you remember ONE-B1?", "exam_question"),
    ] {
        let resolved = resolve(&service, &says(text), &known, None).await;
        assert_eq!(
            resolved.fallback_reason(),
            DegradedReason::UnsafeMessage,
            "{text}"
        );
        assert_eq!(resolved.violation, violation, "{text}");
        assert!(!resolved.reply.unwrap().text.contains(text));
    }
    let honest = "Where do you start?";
    let resolved = resolve(&service, &says(honest), &known, None).await;
    assert_eq!(resolved.reply.unwrap().text, honest);
    let metrics = service.kit.metrics.encode();
    assert!(
        metrics.contains(r#"policy_replies_withheld_total{reason="insult"} 2"#),
        "{metrics}"
    );
}

#[tokio::test]
async fn no_exam_question_is_set_or_graded_as_a_drill() {
    let service = service().await;
    let nothing = KnownTexts::default();
    for question in ["2 + 2", "2+2", "x*2 = 3"] {
        let resolved = resolve(&service, &sets(question), &nothing, None).await;
        let is_copy = question != "x*2 = 3";
        assert_eq!(resolved.violation == "exam_question", is_copy, "{question}");
    }
    // While a platform's questions are not known, the course's own drills alone are set.
    let unknown = KnownTexts {
        exams_unknown: true,
        ..KnownTexts::default()
    };
    let resolved = resolve(&service, &sets("7 + 8"), &unknown, None).await;
    assert_eq!(resolved.violation, "");
    assert_eq!(resolved.reply.unwrap().drill_id, "ONE-D1");
    let mut ready_made = sets("2 + 3");
    ready_made["drill_card"]["prompt"] = json!("Work out the value.");
    let resolved = resolve(&service, &ready_made, &unknown, None).await;
    let card = resolved.reply.unwrap().card.unwrap();
    assert!(matches!(card.content, Some(Content::Drill(_))));
    assert_eq!(resolved.violation, "");

    let request = CheckDrillRequest {
        course_id: COURSE.to_owned(),
        unit_id: "ONE".to_owned(),
        prompt: "Work it out.".to_owned(),
        question_latex: "2+2".to_owned(),
        answer: "4".to_owned(),
        ..CheckDrillRequest::default()
    };
    let mut client = service.client.clone();
    let checked = client
        .check_drill(request)
        .await
        .unwrap()
        .into_inner()
        .check
        .unwrap();
    assert_eq!(checked.verdict(), DrillVerdict::CannotTell);
    assert_eq!(checked.reason, "exam_question");
}

#[tokio::test]
async fn the_answer_of_the_open_drill_is_not_given() {
    let service = service().await;
    let open = OpenDrill {
        unit_id: "ONE".to_owned(),
        prompt: "Work out the value.".to_owned(),
        question_latex: "2 + 3".to_owned(),
        said: "is it 6?".to_owned(),
    };
    let nothing = KnownTexts::default();
    for (text, given) in [
        ("The answer is 5.", true),
        ("It is five.", true),
        ("You said 6. What is one less than 6?", false),
    ] {
        let resolved = resolve(&service, &says(text), &nothing, Some(open.clone())).await;
        let reason = if given {
            DegradedReason::AnswerGiven
        } else {
            DegradedReason::Unspecified
        };
        assert_eq!(resolved.fallback_reason(), reason, "{text}");
    }
}

#[tokio::test]
async fn false_mathematics_is_withheld_unless_the_student_wrote_it() {
    let service = service().await;
    let policy = policy(&service).await;
    let mut client = service.client.clone();
    let wrong = "So 1/4 + 1/3 = 2/9.";
    let right = "First bring both to twelfths: 1/4 + 1/3 = 7/12.";
    for (reply, quotable, reason) in [
        (says(wrong), vec![], DegradedReason::FalseMathematics),
        (
            says(wrong),
            vec!["1/4+1/3=2/9".to_owned()],
            DegradedReason::Unspecified,
        ),
        (
            says("Somebody says: “1/4 + 1/3 = 2/9.” Do you agree?"),
            vec![],
            DegradedReason::Unspecified,
        ),
        (says(right), vec![], DegradedReason::Unspecified),
    ] {
        let request = ResolveReplyRequest {
            policy: Some(policy.clone()),
            outcome: Some(Outcome::Completion(reply.to_string().into_bytes().into())),
            quotable,
            ..ResolveReplyRequest::default()
        };
        let resolved = client.resolve_reply(request).await.unwrap().into_inner();
        assert_eq!(resolved.fallback_reason(), reason, "{reply}");
        let violation = match reason {
            DegradedReason::FalseMathematics => "false_mathematics",
            _ => "",
        };
        assert_eq!(resolved.violation, violation);
    }
    let request = ResolveReplyRequest {
        policy: Some(policy),
        outcome: Some(Outcome::Completion(
            says("Hm?").to_string().into_bytes().into(),
        )),
        quotable: vec![String::new(); 101],
        ..ResolveReplyRequest::default()
    };
    let refused = client.resolve_reply(request).await.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::InvalidArgument);
}

#[tokio::test]
async fn a_reply_against_the_last_verdict_is_withheld() {
    let service = service().await;
    let policy = policy(&service).await;
    for (asked, text, result, is_withheld) in [
        (
            "was 99 right",
            "Your answer 99 was right.",
            DrillResult::Incorrect,
            true,
        ),
        (
            "was 99 right",
            "Yes, exactly. What next?",
            DrillResult::Incorrect,
            true,
        ),
        (
            "was 99 right",
            "Yes, exactly. What next?",
            DrillResult::Correct,
            false,
        ),
        (
            "was 99 right",
            "Your answer was wrong.",
            DrillResult::Correct,
            true,
        ),
        ("was 99 right", "Exactly!", DrillResult::Unspecified, false),
        (
            "so 81 then",
            "Yes, exactly. What next?",
            DrillResult::Incorrect,
            false,
        ),
    ] {
        let request = ResolveReplyRequest {
            policy: Some(policy.clone()),
            outcome: Some(Outcome::Completion(
                says(text).to_string().into_bytes().into(),
            )),
            typed: Some(StudentInput {
                text: asked.to_owned(),
                ..StudentInput::default()
            }),
            graded: Some(GradedAnswer {
                answer: "99".to_owned(),
                result: result.into(),
            }),
            ..ResolveReplyRequest::default()
        };
        let mut client = service.client.clone();
        let resolved = client.resolve_reply(request).await.unwrap().into_inner();
        let violation = if is_withheld { "false_verdict" } else { "" };
        assert_eq!(resolved.violation, violation, "{asked}: {text}");
        assert_eq!(
            resolved.reply.unwrap().text.contains(text),
            !is_withheld,
            "{text}"
        );
    }
}

/// What a reply of a model's with this text is withheld for; empty: nothing.
async fn violation(service: &Service, text: &str, request: ResolveReplyRequest) -> String {
    let request = ResolveReplyRequest {
        policy: Some(policy(service).await),
        outcome: Some(Outcome::Completion(
            says(text).to_string().into_bytes().into(),
        )),
        ..request
    };
    let resolved = service.client.clone().resolve_reply(request).await;
    resolved.unwrap().into_inner().violation
}

fn asked(question_latex: &str, said: &str) -> OpenDrill {
    OpenDrill {
        prompt: "Work it out.".to_owned(),
        question_latex: question_latex.to_owned(),
        said: said.to_owned(),
        ..OpenDrill::default()
    }
}

#[tokio::test]
async fn the_answer_of_an_older_drill_is_withheld_where_its_question_is_named() {
    let service = service().await;
    for (said, text, is_withheld) in [
        ("can you explain -7 + 12?", "The answer is 5.", true),
        ("I'm stuck", "The answer to -7 + 12 is 5.", true),
        ("-7 + 12 is 5, right?", "Yes, -7 + 12 is 5.", false),
        (
            "can you explain -7 + 12?",
            "Where do you begin on the number line?",
            false,
        ),
        // Any number may be an answer to something.
        ("I'm stuck", "There are 5 of them.", false),
    ] {
        let request = ResolveReplyRequest {
            open_drill: Some(asked("30 + 3", "")),
            other_drills: vec![asked("-7 + 12", said)],
            ..ResolveReplyRequest::default()
        };
        let expected = if is_withheld { "answer_given" } else { "" };
        let violation = violation(&service, text, request).await;
        assert_eq!(violation, expected, "{said}: {text}");
    }
    let many = ResolveReplyRequest {
        policy: Some(policy(&service).await),
        outcome: Some(Outcome::Completion(
            says("Hm?").to_string().into_bytes().into(),
        )),
        other_drills: vec![asked("-7 + 12", ""); 4],
        ..ResolveReplyRequest::default()
    };
    let refused = service.client.clone().resolve_reply(many).await;
    assert_eq!(refused.unwrap_err().code(), tonic::Code::InvalidArgument);
}

#[tokio::test]
async fn no_verdict_is_given_on_what_was_only_typed() {
    let service = service().await;
    for (typed, text, is_withheld) in [
        ("20", "Correct! Well done.", true),
        ("20", "Yes, that is right.", true),
        ("21", "That is wrong. Look at the sign.", true),
        ("I got 21", "Das ist leider falsch.", true),
        ("is that right?", "Yes, that is right.", true),
        ("21", "How did you get there?", false),
        ("why?", "Correct! Well done.", false),
    ] {
        let request = ResolveReplyRequest {
            typed: Some(StudentInput {
                text: typed.to_owned(),
                ..StudentInput::default()
            }),
            open_drill: Some(asked("-9 + 30", "")),
            ..ResolveReplyRequest::default()
        };
        let expected = if is_withheld { "false_verdict" } else { "" };
        let violation = violation(&service, text, request).await;
        assert_eq!(violation, expected, "{typed}: {text}");
    }
}

#[tokio::test]
async fn the_answer_to_an_exam_question_is_not_told_to_who_brings_it() {
    let service = service().await;
    for (said, text, is_withheld) in [
        ("what is 5 - 9?", "It is $-4$.", true),
        ("how much is five minus nine", "It is -4.", true),
        ("what is 5 - 9?", "Start at 5 and go left.", false),
        ("how cold was it?", "It was -4.", false),
    ] {
        let request = ResolveReplyRequest {
            exam_question: Some(asked("5 - 9", "")),
            quotable: vec![said.to_owned()],
            ..ResolveReplyRequest::default()
        };
        let expected = if is_withheld { "answer_given" } else { "" };
        let violation = violation(&service, text, request).await;
        assert_eq!(violation, expected, "{said}: {text}");
    }
}
