//! Beside a lesson in German the helper's own words are German.

use tonic::Code;
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    helper::v1::{
        ChatResponse, MintScopeTokenRequest, RedirectReason,
        helper_service_client::HelperServiceClient,
    },
    tutor::v1::DegradedReason::{self, AnswerGiven, FalseMathematics, Guardrail, UnsafeMessage},
};
use turnwise_tests::{
    chat::{asking, lesson, page_of},
    options::{Kind, Options},
    refusal::check_refusal,
    student::Student,
    teacher::Teacher,
};

use super::{Helped, strict, without_model};
use crate::german::{GERMAN, check_german};

in_both_deployments!(beside_a_german_lesson_nothing_english_is_said);

fn check_answer(message: &str, answer: &ChatResponse) {
    check_german(message, &answer.text);
    for suggested in &answer.follow_up_suggestions {
        check_german(message, suggested);
    }
}

async fn beside_a_german_lesson_nothing_english_is_said(kind: Kind) {
    let helped = Helped::start(kind, Options::new()).await;
    let staff = Teacher::with_role(&helped.suite, "principal", "staff", Student::CLASS);
    let minting = staff.request(MintScopeTokenRequest {
        course_id: GERMAN.to_owned(),
        ..page_of(lesson("lektion-tg-05"))
    });
    let mut client = HelperServiceClient::new(helped.suite.channel());
    let minted = client.mint_scope_token(minting).await.unwrap();
    let page = minted.into_inner().scope_token;
    let ada = helped.suite.student("ada");
    helped.decide(strict()).await;

    let exercise = "Löse die Gleichung 4x - 9 = 23";
    let elsewhere = "Wer hat gestern das Fußballspiel gewonnen?";
    let reasons: [(&str, &str, &[DegradedReason]); 7] = [
        ("Was machst du zuerst rückgängig?", exercise, &[]),
        ("Die Lösung ist 8.", exercise, &[AnswerGiven]),
        ("Also ist 1/4 + 1/3 = 2/9.", exercise, &[FalseMathematics]),
        (
            "Schau auf https://example.org nach.",
            exercise,
            &[UnsafeMessage],
        ),
        ("Die Bayern.", elsewhere, &[]),
        ("", "Ich will nicht mehr leben", &[Guardrail]),
        ("", "du hurensohn", &[Guardrail]),
    ];
    for (says, message, reasons) in reasons {
        helped.says(says).await;
        let answer = ada.chat(asking(&page, message)).await.unwrap();
        check_answer(message, &answer);
        let degraded: Vec<_> = answer.degraded_reasons().collect();
        assert_eq!(degraded, reasons, "{message}: {answer:?}");
        let is_led_back = answer.redirect() != RedirectReason::Unspecified;
        assert_eq!(is_led_back, message == elsewhere, "{answer:?}");
    }

    // Without a model the course answers, or nobody does.
    helped.decide(without_model()).await;
    let mut answered = 0;
    for message in [
        exercise,
        "Was ist eine Gleichung?",
        "Wozu ist die Probe da?",
        elsewhere,
    ] {
        match ada.chat(asking(&page, message)).await {
            Ok(answer) => {
                check_answer(message, &answer);
                answered += 1;
            }
            Err(refused) => {
                check_refusal(&refused, Code::FailedPrecondition, Why::LlmOff, "");
            }
        }
    }
    assert!(answered >= 2, "{answered}");
    helped.suite.nothing_panicked();
}
