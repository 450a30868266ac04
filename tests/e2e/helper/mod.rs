//! The homework helper, by public calls, with a model that says whatever a test wants.

mod adversarial;
mod classroom;
mod conversations;
mod false_mathematics;
mod german;
mod newer_messages;
mod refusals;
mod resets;
mod strict;

use turnwise_proto::{
    classes::v1::{ClassPolicy, ModelUse, ScopeMode, Strictness, TopicFilter},
    school::v1::SetClassPolicyRequest,
};
use turnwise_testing::model_server::Settings;
use turnwise_tests::{
    deployment::Deployment,
    model_server::ModelServerProcess,
    options::{Kind, Options},
    student::{Student, fresh_key},
    teacher::Teacher,
};

/// A suite whose model says what it is told to.
struct Helped {
    suite: Deployment,
    model: ModelServerProcess,
    _home: tempfile::TempDir,
}

impl Helped {
    async fn start(kind: Kind, options: Options) -> Self {
        Self::with_backend(kind, options, "openai_compatible").await
    }

    /// The model's server is there, and is called only as the backend that is named.
    async fn with_backend(kind: Kind, options: Options, backend: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let model = ModelServerProcess::start(&Settings::default(), home.path());
        let options = options
            .env("HELPER_LLM_BACKEND", backend)
            .env("OPENAI_BASE_URL", model.url())
            .env("OPENAI_MODEL", "model");
        Self {
            suite: Deployment::start(kind, options).await,
            model,
            _home: home,
        }
    }

    async fn says(&self, text: &str) {
        let settings = Settings {
            text: text.to_owned(),
            ..Settings::default()
        };
        self.model.set(&settings).await;
    }

    /// How many completions were begun so far.
    async fn asked(&self) -> u64 {
        self.model.statistics().await.completions.begun
    }

    /// The class's teacher decides this.
    async fn decide(&self, policy: ClassPolicy) {
        let teacher = Teacher::of(&self.suite);
        let request = teacher.request(SetClassPolicyRequest {
            class_id: Student::CLASS.to_owned(),
            policy: Some(policy),
            idempotency_key: fresh_key(),
        });
        teacher.classes().set_class_policy(request).await.unwrap();
    }
}

/// Everything strict.
fn strict() -> ClassPolicy {
    ClassPolicy {
        strictness: Strictness::Strict.into(),
        scope_mode: ScopeMode::Strict.into(),
        topic_filter: TopicFilter::Strict.into(),
        ..ClassPolicy::default()
    }
}

/// No model.
fn without_model() -> ClassPolicy {
    ClassPolicy {
        model_use: ModelUse::Off.into(),
        ..strict()
    }
}
