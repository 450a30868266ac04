//! HELPER_INTERNAL_API_TOKEN: it resets classes of the tenant `default`, and opens nothing else.

use tonic::Code;
use turnwise_proto::{
    classes::v1::ResetState,
    common::v1::ErrorReason as Why,
    school::v1::{
        ExportClassRequest, GetClassRosterRequest, ListAuditEntriesRequest,
        ResetClassConversationsRequest,
    },
    tutor::v1::ListThreadsRequest,
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options, Service},
    process::{binary, clean_command, repository},
    refusal::check_refusal,
    student::{DEMO_COURSE, Student, new_thread},
    teacher::Teacher,
};

in_both_deployments!(the_key_resets_classes_and_opens_nothing_else);

const KEY: &str = "a-key-of-the-platform-0123456789abcdef";

async fn the_key_resets_classes_and_opens_nothing_else(kind: Kind) {
    let options = Options::new()
        .env("HELPER_INTERNAL_API_TOKEN", KEY)
        .env("HELPER_INTERNAL_RESET_URL", "http://platform/reset")
        .env("HELPER_INTERNAL_RESET_TIMEOUT_SECONDS", "60");
    let mut suite = Deployment::start(kind, options).await;
    let ada = suite.student("ada");
    let opened = new_thread(DEMO_COURSE);
    let thread = ada.create_thread(opened.clone()).await.unwrap();
    ada.say(&thread, "What is a fraction?").await;
    let platform = Teacher {
        token: KEY.to_owned(),
        channel: suite.channel(),
    };

    let get = platform.request(GetClassRosterRequest {
        class_id: Student::CLASS.to_owned(),
    });
    let refused = platform.classes().get_class_roster(get).await.unwrap_err();
    check_refusal(&refused, Code::PermissionDenied, Why::PermissionDenied, "");
    let export = platform.request(ExportClassRequest {
        class_id: Student::CLASS.to_owned(),
        idempotency_key: "export".to_owned(),
    });
    let refused = platform.classes().export_class(export).await.unwrap_err();
    check_refusal(&refused, Code::PermissionDenied, Why::PermissionDenied, "");
    let list = platform.request(ListAuditEntriesRequest::default());
    let refused = platform.records().list_audit_entries(list).await;
    check_refusal(
        &refused.unwrap_err(),
        Code::PermissionDenied,
        Why::PermissionDenied,
        "",
    );
    let as_student = Student::new("ada", KEY, suite.channel());
    let threads = as_student.request(ListThreadsRequest::default());
    let refused = as_student.client().list_threads(threads).await.unwrap_err();
    check_refusal(&refused, Code::PermissionDenied, Why::PermissionDenied, "");
    let nearly = Teacher {
        token: format!("{KEY}0"),
        channel: suite.channel(),
    };
    let get = nearly.request(reset(Student::CLASS));
    let refused = nearly.classes().reset_class_conversations(get).await;
    check_refusal(
        &refused.unwrap_err(),
        Code::Unauthenticated,
        Why::Unauthenticated,
        "",
    );
    assert!(!ada.messages(&thread.thread_id, 50).await.is_empty());

    let done = platform.request(reset(Student::CLASS));
    let done = platform.classes().reset_class_conversations(done).await;
    let done = done.unwrap().into_inner();
    assert_eq!((done.state(), done.threads), (ResetState::Done, 1));
    assert!(ada.messages(&thread.thread_id, 50).await.is_empty());
    let again = ada.create_thread(opened).await.unwrap_err();
    let key = "idempotency_key";
    check_refusal(&again, Code::Aborted, Why::TurnErased, key);
    assert!(
        again
            .message()
            .contains("the conversation that this key opened"),
        "{again:?}"
    );
    let staff = Teacher::with_role(&suite, "principal", "staff", Student::CLASS);
    let list = staff.request(ListAuditEntriesRequest::default());
    let entries = staff.records().list_audit_entries(list).await.unwrap();
    let entries = entries.into_inner().entries;
    assert!(!entries.is_empty() && entries.iter().all(|entry| entry.actor_id == "reset-key"));

    suite.stop();
    let logs: Vec<String> = suite.logs().into_iter().collect();
    assert!(logs.iter().any(|line| {
        line.contains("HELPER_INTERNAL_RESET_URL") && line.contains("ResetClassConversations")
    }));
    assert!(logs.iter().all(|line| !line.contains(KEY)));
}

fn reset(class: &str) -> ResetClassConversationsRequest {
    ResetClassConversationsRequest {
        class_id: class.to_owned(),
        reason: "asked by the platform".to_owned(),
        idempotency_key: "reset".to_owned(),
    }
}

#[test]
fn a_key_that_cannot_be_used_stops_the_start_and_is_not_shown() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("key");
    turnwise_testing::write_secret(&file, "too-short-a-key").unwrap();
    let long = KEY.to_owned() + "-2";
    let short = "a-short-key";
    let cases: [(&[_], &str, &str); 4] = [
        (
            &[("HELPER_INTERNAL_API_TOKEN", short)],
            "at least 32 visible ASCII characters",
            short,
        ),
        (
            &[("HELPER_INTERNAL_API_TOKEN_FILE", file.to_str().unwrap())],
            "at least 32 visible ASCII characters",
            "too-short-a-key",
        ),
        (
            &[("HELPER_INTERNAL_API_TOKEN_FILE", "/nowhere")],
            "HELPER_INTERNAL_API_TOKEN_FILE",
            "\u{0}",
        ),
        (
            &[
                ("HELPER_INTERNAL_API_TOKEN", &long),
                ("HELPER_INTERNAL_API_TOKEN_FILE", "/nowhere"),
            ],
            "keep one of them",
            &long,
        ),
    ];
    for (env, told, secret) in cases {
        let output = clean_command(&binary(Service::Suite.binary()), home.path())
            .args(["up", "--listen", "127.0.0.1:0"])
            .env("HELPER_LLM_BACKEND", "none")
            .env("COURSES_DIR", repository().join("courses"))
            .envs(env.iter().copied())
            .output()
            .unwrap();
        assert!(!output.status.success(), "{env:?}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(told), "{errors}");
        assert!(!errors.contains(secret), "{errors}");
    }
}
