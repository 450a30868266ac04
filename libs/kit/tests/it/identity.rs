//! The internal token and the signed caller.

use std::time::Duration;

use proptest::prelude::*;
use turnwise_kit::{
    CallContext, Fault, Kit,
    caller::{InternalToken, seal, unseal},
    client::local,
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
