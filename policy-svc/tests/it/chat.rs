//! Lessons and decisions of the homework helper, over the wire; and its settings.

use std::fs;

use clap::Parser;
use tempfile::TempDir;
use tonic::service::Routes;
use turnwise_kit::Kit;
use turnwise_policy_svc::{Settings, routes};
use turnwise_proto::{
    classes::v1::{ClassPolicy, ScopeMode, Strictness, TopicFilter},
    helper::v1::{LessonScope, MessageIntent, RedirectReason},
    policy::v1::{
        ChatDecision, DecideChatRequest, GetLessonRequest, Lesson,
        policy_service_client::PolicyServiceClient,
    },
    session::v1::{ConversationMemory, MemoryTurn},
    tutor::v1::Role,
};

use crate::fixture::{COURSE, fault, write_pack};

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    settings: Settings,
}

fn settings(arguments: &[&str]) -> Result<Settings, clap::Error> {
    let program = ["policy-svc"].iter();
    Cli::try_parse_from(program.chain(arguments)).map(|cli| cli.settings)
}

/// The small pack with a lesson in two files.
pub async fn client(arguments: &[&str]) -> (PolicyServiceClient<Routes>, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    write_pack(folder.path(), COURSE);
    for (name, front) in [
        (
            "a",
            "unit: TWO\nsource: Sums.1\ntype: text\ntitle: Sums\nhelper_allowed_topics: [adding]\nhelper_redirect: Back to sums!",
        ),
        (
            "b",
            "unit: ONE\nsource: Sums.1\ntype: text\ntitle: More sums\nhelper_allowed_topics: [carrying, adding]\nhelper_topic_synonyms: {adding: [plus]}\nhelper_check_question: What is left to add?",
        ),
    ] {
        let text = format!("---\n{front}\n---\n## Part {{#{name}}}\n\nText.\n");
        fs::write(folder.path().join(format!("content/{name}.md")), text).unwrap();
    }
    let mut settings = settings(arguments).unwrap();
    settings.courses.courses_dir = folder.path().to_owned();
    settings.courses.courses_reload_seconds = 0;
    let routes = routes(&settings, &Kit::for_tests()).await.unwrap();
    (PolicyServiceClient::new(routes.prepare()), folder)
}

fn request(message: &str) -> DecideChatRequest {
    DecideChatRequest {
        course_id: COURSE.to_owned(),
        scope: Some(LessonScope {
            context: "sums-1".to_owned(),
            ..LessonScope::default()
        }),
        message: message.to_owned(),
        ..DecideChatRequest::default()
    }
}

async fn decide(
    client: &PolicyServiceClient<Routes>,
    request: DecideChatRequest,
) -> Result<ChatDecision, tonic::Status> {
    let response = client.clone().decide_chat(request).await?.into_inner();
    Ok(response.decision.unwrap())
}

#[tokio::test]
async fn a_lesson_of_several_files_is_one() {
    let (mut client, _folder) = client(&[]).await;
    let mut get = async |lesson: &str| {
        let request = GetLessonRequest {
            course_id: COURSE.to_owned(),
            lesson: lesson.to_owned(),
        };
        client
            .get_lesson(request)
            .await
            .unwrap()
            .into_inner()
            .lesson
    };
    let expected = Lesson {
        slug: "sums-1".to_owned(),
        title: "Sums".to_owned(),
        unit_ids: vec!["ONE".to_owned(), "TWO".to_owned()],
        allowed_topics: vec!["adding".to_owned(), "carrying".to_owned()],
        reference: String::new(),
        locale: "en".to_owned(),
    };
    assert_eq!(get("sums-1").await, Some(expected));
    assert_eq!(get("sums-2").await, None);
    let request = GetLessonRequest {
        course_id: "other".to_owned(),
        lesson: "sums-1".to_owned(),
    };
    let refused = client.get_lesson(request).await.unwrap_err();
    assert_eq!(fault(refused).0, "UNKNOWN_COURSE");
}

#[tokio::test]
async fn a_decision_is_of_the_scope_and_the_class() {
    let (client, _folder) = client(&["--helper-strictness", "strict"]).await;
    let on = decide(&client, request("what is a plus?")).await.unwrap();
    assert!(!on.off_topic && on.redirect() == RedirectReason::Unspecified);
    assert_eq!(on.intent(), MessageIntent::Concept);
    assert_eq!(on.strictness(), Strictness::Strict);
    assert_eq!(on.scope_mode(), ScopeMode::Soft);
    assert_eq!(on.topic_filter(), TopicFilter::Soft);
    assert_eq!(on.topics, ["adding", "carrying"]);
    assert_eq!(on.follow_up_suggestions.len(), 3);
    assert_eq!(on.check_question, "");
    assert_eq!(on.lesson.unwrap().slug, "sums-1");
    assert_eq!((on.course_id.as_str(), on.locale.as_str()), (COURSE, "en"));
    assert_eq!(on.pack_hash.len(), 64);

    let off = request("who was napoleon?");
    let soft = decide(&client, off.clone()).await.unwrap();
    assert!(soft.off_topic && soft.redirect() == RedirectReason::Unspecified);
    let class = DecideChatRequest {
        class_policy: Some(ClassPolicy {
            strictness: Strictness::Light.into(),
            topic_filter: TopicFilter::Strict.into(),
            ..ClassPolicy::default()
        }),
        ..off.clone()
    };
    let strict = decide(&client, class).await.unwrap();
    assert_eq!(strict.redirect(), RedirectReason::Topic);
    assert_eq!(strict.redirect_text, "Back to sums!");
    assert_eq!(strict.check_question, "What is left to add?");

    let staff = DecideChatRequest {
        course_id: String::new(),
        scope: None,
        ..off
    };
    let general = decide(&client, staff).await.unwrap();
    assert!(!general.off_topic && general.course_id.is_empty());
    assert_eq!(general.strictness(), Strictness::Strict);
}

#[tokio::test]
async fn only_the_students_words_open_a_topic() {
    let (client, _folder) = client(&["--helper-topic-filter-mode", "strict"]).await;
    let after = |role: Role| {
        let mut request = request("why?");
        request.memory = Some(ConversationMemory {
            turns: vec![
                MemoryTurn {
                    role: Role::User.into(),
                    text: "who was napoleon?".to_owned(),
                },
                MemoryTurn {
                    role: role.into(),
                    text: "what about adding?".to_owned(),
                },
            ],
            ..ConversationMemory::default()
        });
        request
    };
    let helper = decide(&client, after(Role::Assistant)).await.unwrap();
    assert_eq!(helper.redirect(), RedirectReason::Topic);
    let student = decide(&client, after(Role::User)).await.unwrap();
    assert_eq!(student.redirect(), RedirectReason::Unspecified);
}

#[tokio::test]
async fn requests_out_of_bounds_are_refused() {
    let (client, _folder) = client(&[]).await;
    let scoped = |change: &dyn Fn(&mut LessonScope)| {
        let mut request = request("hi");
        change(request.scope.as_mut().unwrap());
        request
    };
    let mut class = request("hi");
    class.class_policy = Some(ClassPolicy {
        strictness: 9,
        ..ClassPolicy::default()
    });
    for (field, request) in [
        ("message", request("")),
        ("message", request(&"x".repeat(16_001))),
        ("scope.context", scoped(&|scope| scope.context.clear())),
        (
            "scope.context",
            scoped(&|scope| scope.context = "x".repeat(501)),
        ),
        (
            "scope.topics",
            scoped(&|scope| scope.topics = vec!["x".to_owned(); 51]),
        ),
        (
            "scope.topics",
            scoped(&|scope| scope.topics = vec!["x".repeat(101)]),
        ),
        (
            "scope.allowed_topics",
            scoped(&|scope| scope.allowed_topics = vec![String::new()]),
        ),
        ("class_policy.strictness", class),
    ] {
        let (reason, fields) = fault(decide(&client, request).await.unwrap_err());
        assert_eq!(
            (reason.as_str(), fields),
            ("INVALID_ARGUMENT", vec![field.to_owned()])
        );
    }
    assert!(decide(&client, request(&"💥".repeat(16_000))).await.is_ok());
    let unknown = DecideChatRequest {
        course_id: "other".to_owned(),
        ..request("hi")
    };
    // A platform's own course: there are no lessons of it here.
    let decision = decide(&client, unknown).await.unwrap();
    assert_eq!((decision.course_id.as_str(), decision.lesson), ("", None));
}

#[test]
fn settings_have_bounds() {
    let given = settings(&["--helper-text-language-keywords", "C++, Pascal ,"]).unwrap();
    assert_eq!(
        given.helper.helper_text_language_keywords.0,
        ["c++", "pascal"]
    );
    let none = settings(&["--helper-text-language-keywords", ""]).unwrap();
    assert!(none.helper.helper_text_language_keywords.0.is_empty());
    let default = settings(&[]).unwrap();
    assert_eq!(default.helper.helper_text_language_keywords.0.len(), 15);
    let (many, long) = ("x,".repeat(101), "x".repeat(41));
    for arguments in [
        ["--helper-strictness", "hard"],
        ["--helper-scope-mode", "light"],
        ["--helper-topic-filter-mode", "off"],
        ["--helper-follow-up-suggestions-max", "11"],
        ["--helper-follow-up-suggestions-max", "-1"],
        ["--helper-text-language-keywords", &many],
        ["--helper-text-language-keywords", &long],
    ] {
        assert!(settings(&arguments).is_err(), "{arguments:?}");
    }
}
