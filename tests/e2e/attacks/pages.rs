//! Page tokens: each is good for its own list, and stays so over a restart.

use tonic::{Code, Status};
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    tutor::v1::{GetThreadRequest, ListThreadsRequest},
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options, Service},
    refusal::check_refusal,
    student::{DEMO_COURSE, Student},
};

in_both_deployments!(a_page_token_is_good_for_its_own_list);

async fn list(student: &Student, page_token: &str) -> Result<(Vec<String>, String), Status> {
    let request = student.request(ListThreadsRequest {
        page_size: 1,
        page_token: page_token.to_owned(),
    });
    let page = student.client().list_threads(request).await?.into_inner();
    let ids = page.threads.into_iter().map(|thread| thread.thread_id);
    Ok((ids.collect(), page.next_page_token))
}

async fn read(student: &Student, thread: &str, page_token: &str) -> Result<String, Status> {
    let request = student.request(GetThreadRequest {
        thread_id: thread.to_owned(),
        page_size: 1,
        page_token: page_token.to_owned(),
    });
    let page = student.client().get_thread(request).await?.into_inner();
    Ok(page.next_page_token)
}

async fn a_page_token_is_good_for_its_own_list(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let (ada, bob) = (suite.student("ada"), suite.student("bob"));
    let (first, second) = (ada.open(DEMO_COURSE).await, ada.open(DEMO_COURSE).await);
    for student in [&bob, &bob] {
        student.open(DEMO_COURSE).await;
    }
    ada.say(&first, "hello").await;
    ada.say(&second, "hello").await;
    let (newest, threads) = list(&ada, "").await.unwrap();
    let messages = read(&ada, &first.thread_id, "").await.unwrap();
    assert!(!threads.is_empty() && !messages.is_empty());

    let mut changed = threads.clone();
    let end = if changed.pop() == Some('A') { "B" } else { "A" };
    changed.push_str(end);
    for (name, answer) in [
        ("another student's", list(&bob, &threads).await.map(drop)),
        ("another call's", list(&ada, &messages).await.map(drop)),
        ("a changed one", list(&ada, &changed).await.map(drop)),
        ("a cut one", list(&ada, &threads[..9]).await.map(drop)),
        (
            "a longer one",
            list(&ada, &format!("{threads}AAAA")).await.map(drop),
        ),
        (
            "a made-up one",
            list(&ada, "1790000000000000:x").await.map(drop),
        ),
        (
            "a huge one",
            list(&ada, &"A".repeat(100_000)).await.map(drop),
        ),
        ("one that is no text", list(&ada, "\0").await.map(drop)),
        (
            "a list's for a thread",
            read(&ada, &first.thread_id, &threads).await.map(drop),
        ),
        (
            "another thread's",
            read(&ada, &second.thread_id, &messages).await.map(drop),
        ),
        (
            "a number",
            read(&ada, &first.thread_id, "1").await.map(drop),
        ),
        (
            "a negative number",
            read(&ada, &first.thread_id, "-1").await.map(drop),
        ),
    ] {
        println!("{name}");
        let status = answer.unwrap_err();
        check_refusal(
            &status,
            Code::InvalidArgument,
            Why::InvalidPageToken,
            "page_token",
        );
    }

    suite.restart(suite.or_suite(Service::Session));
    let (next, end) = list(&ada, &threads).await.unwrap();
    assert_ne!(next, newest);
    assert_eq!(end, "");
    read(&ada, &first.thread_id, &messages).await.unwrap();
    suite.stop();
}

/// Nothing in one process is opened by an internal token; the keys of its cards make its page tokens.
#[tokio::test(flavor = "multi_thread")]
async fn an_internal_token_changes_no_page_token_of_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("internal-token");
    turnwise_testing::write_secret(&file, "a-token-of-at-least-thirty-two-characters").unwrap();
    let options = Options::new().env("INTERNAL_TOKEN_FILE", file.display().to_string());
    let mut suite = Deployment::one_process(options).await;
    let ada = suite.student("ada");
    for student in [&ada, &ada] {
        student.open(DEMO_COURSE).await;
    }
    let (newest, threads) = list(&ada, "").await.unwrap();
    suite.restart(Service::Suite);
    let (next, _) = list(&ada, &threads).await.unwrap();
    assert_ne!(next, newest);
    suite.stop();
}
