//! The internal token and the signed caller.

use std::{sync::Arc, time::Duration};

use proptest::prelude::*;
use turnwise_kit::{
    CallContext, Fault, Kit,
    caller::{InternalToken, seal, unseal},
    client::{ClientOptions, local},
    stack::InternalAuth,
};
use turnwise_proto::{common::v1::ErrorReason, exam::v1::exam_service_client::ExamServiceClient};

use crate::probe::{TOKEN, ask, options, routes, stack, student};

#[tokio::test]
async fn a_wrong_token_opens_nothing() {
    let kit = Kit::for_tests();
    for wrong in ["", "another-token-of-at-least-thirty-two-characters"] {
        let mut client =
            ExamServiceClient::new(local(stack(&kit, 10).around(routes()), options(wrong)));
        let context = CallContext::background(Some(student()), Duration::from_secs(5));
        let status = client
            .batch_get_question_status(context.request(ask("ok")))
            .await
            .unwrap_err();
        let fault = Fault::from_status(&status);
        assert_eq!(fault.reason(), ErrorReason::Unauthenticated);
        assert_eq!(fault.metadata("cause"), Some("internal_token"));
    }
}

#[test]
fn tokens_have_a_shape_and_do_not_print() {
    assert!(InternalToken::new("short").is_none());
    assert!(InternalToken::new(&format!("{TOKEN} {TOKEN}")).is_none());
    let token = InternalToken::new(&format!("{TOKEN}\n")).unwrap();
    assert!(!format!("{token:?}").contains("thirty"));
    assert!(InternalToken::new(&format!("{TOKEN}\nshort\n")).is_none());
    assert!(InternalToken::new(&format!("{TOKEN}\n").repeat(9)).is_none());
}

/// While a token is changed, some processes already have the next file and others still have the one before.
#[tokio::test]
async fn every_step_of_a_change_understands_the_one_before_and_the_next() {
    const NEXT: &str = "the-next-token-of-at-least-thirty-two-characters";
    let steps = [
        TOKEN.to_owned(),
        format!("{TOKEN}\n{NEXT}\n"),
        format!("{NEXT}\n{TOKEN}\n"),
        NEXT.to_owned(),
    ];
    let tokens = steps.map(|step| InternalToken::new(&step).unwrap());
    let kit = Kit::for_tests();
    let understands = async |sends: &InternalToken, accepts: &InternalToken| {
        let sealed = seal(&student(), Some(sends));
        let of_caller = unseal(sealed.as_bytes(), Some(accepts)).is_ok();
        let mut stack = stack(&kit, 10);
        stack.auth = Arc::new(InternalAuth::token(accepts.clone()));
        let options = ClientOptions {
            peer: "probe",
            token: Some(sends.clone()),
        };
        let mut client = ExamServiceClient::new(local(stack.around(routes()), options));
        let context = CallContext::background(Some(student()), Duration::from_secs(5));
        let called = client.batch_get_question_status(context.request(ask("ok")));
        let called = called.await.is_ok();
        assert_eq!(called, accepts.opens(sends.bearer().as_bytes()));
        assert_eq!(called, of_caller);
        called
    };
    for (at, token) in tokens.iter().enumerate() {
        for (other, with) in tokens.iter().enumerate() {
            let near = at.abs_diff(other) <= 1;
            assert!(!near || understands(token, with).await, "{at} to {other}");
        }
    }
    assert!(!understands(&tokens[0], &tokens[3]).await);
    assert!(!understands(&tokens[3], &tokens[0]).await);
}

proptest! {
    #[test]
    fn a_sealed_caller_cannot_be_changed(at in 0usize..200, to in any::<u8>()) {
        let token = InternalToken::new(TOKEN);
        let sealed = seal(&student(), token.as_ref()).into_bytes();
        let mut changed = sealed.clone();
        let at = at % changed.len();
        changed[at] = to;
        match unseal(&changed, token.as_ref()) {
            Ok(caller) => {
                prop_assert_eq!(caller, student());
            }
            Err(fault) => prop_assert_eq!(fault.reason(), ErrorReason::Unauthenticated),
        }
        let unsigned = seal(&student(), None);
        prop_assert!(unseal(unsigned.as_bytes(), token.as_ref()).is_err());
    }
}
