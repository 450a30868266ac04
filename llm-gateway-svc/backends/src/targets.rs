//! The backends that the settings choose, and in which order they are called.

use std::{collections::HashMap, sync::Arc};

use reqwest::Url;
use turnwise_kit::Kit;

use crate::{
    backend::{Backend, Operation},
    http::{Client, Server},
    mock::Mock,
    ollama::Ollama,
    openai::{Openai, PUBLIC_ENDPOINT},
    openai_compatible::OpenaiCompatible,
    refusing::Refusing,
    schema::Schema,
    settings::{Authorization, BackendKind, BackendSettings, CompatibleServer},
    start::StartError,
    timeouts::Timeouts,
};

/// A backend and the model to call there.
#[derive(Clone)]
pub struct Target {
    /// The backend; targets at one server share it, and with it its connections.
    pub backend: Arc<dyn Backend>,
    /// The model for completions.
    pub model: String,
}

/// What is called, in order.
#[derive(Clone)]
pub struct Targets {
    order: Vec<Target>,
    /// The key of those that have one.
    key: Option<Authorization>,
}

impl Targets {
    /// The backends that the settings choose. It opens no socket.
    pub fn connect(settings: &BackendSettings) -> Result<Self, StartError> {
        Schema::make_ready();
        if settings.helper_llm_backend == BackendKind::None && !settings.llm_failover.0.is_empty() {
            return Err(StartError::FailoverOfNone);
        }
        let has_key = [BackendKind::Openai, BackendKind::OpenaiCompatible];
        let has_key = has_key.into_iter().any(|kind| settings.calls(kind));
        let key = has_key.then(|| settings.authorization()).transpose()?;
        let key = key.flatten();
        let first = (settings.helper_llm_backend, None);
        let mut backends: HashMap<BackendKind, Arc<dyn Backend>> = HashMap::new();
        let mut targets: Vec<Target> = Vec::new();
        for (kind, model) in std::iter::once(&first).chain(&settings.llm_failover.0) {
            let backend = match backends.get(kind) {
                Some(backend) => Arc::clone(backend),
                None => connect(*kind, settings, key.as_ref())?,
            };
            backends.insert(*kind, Arc::clone(&backend));
            if backends.contains_key(&BackendKind::Openai)
                && backends.contains_key(&BackendKind::OpenaiCompatible)
            {
                return Err(StartError::TwoOpenais);
            }
            let model = match model {
                Some(model) => model.clone(),
                None => backend.default_model(Operation::Completion).to_owned(),
            };
            if targets
                .iter()
                .any(|t| t.backend.name() == backend.name() && t.model == model)
            {
                return Err(StartError::FailoverTwice {
                    backend: backend.name(),
                    model,
                });
            }
            targets.push(Target { backend, model });
        }
        if settings.openai_compatible_server != CompatibleServer::Any
            && !backends.contains_key(&BackendKind::OpenaiCompatible)
        {
            tracing::warn!(
                "OPENAI_COMPATIBLE_SERVER does nothing: no backend is openai_compatible; leave it out, or choose that backend"
            );
        }
        Ok(Self {
            order: targets,
            key,
        })
    }

    /// Reads the key's file again when it changes, until the process ends.
    pub fn follow(&self, kit: &Kit) {
        if let Some(key) = &self.key {
            key.follow(kit);
        }
    }

    /// What is called, in order: the configured backend with its own model, then those of LLM_FAILOVER. Never empty, and
    /// no backend and model twice.
    pub fn in_order(&self) -> &[Target] {
        &self.order
    }

    /// Whether there is a model to call; with HELPER_LLM_BACKEND=none there is none.
    pub fn has_model(&self) -> bool {
        let none = BackendKind::None.as_str();
        self.order
            .iter()
            .any(|target| target.backend.name() != none)
    }

    /// The backend of this name, if it is one of them.
    pub fn backend(&self, name: &str) -> Option<&Arc<dyn Backend>> {
        let target = self.order.iter().find(|t| t.backend.name() == name)?;
        Some(&target.backend)
    }
}

/// One backend; in the place of a remote one that nobody agreed to, one that refuses. What the settings lack is found
/// either way.
fn connect(
    kind: BackendKind,
    settings: &BackendSettings,
    key: Option<&Authorization>,
) -> Result<Arc<dyn Backend>, StartError> {
    if kind == BackendKind::None {
        return Ok(Arc::new(Refusing::without_models()));
    }
    if kind == BackendKind::Mock {
        if !settings.llm_allow_mock {
            return Err(StartError::MockNotAllowed);
        }
        return Ok(Arc::new(Mock::new(
            settings.mock_model.clone(),
            settings.mock_embed_model.clone(),
            settings.helper_mock_response_text.clone(),
        )));
    }
    if kind == BackendKind::Ollama {
        check_window(settings)?;
    }
    let timeouts = timeouts(kind, settings)?;
    let url = base_url(kind, settings)?;
    let key = match kind {
        BackendKind::Ollama => None,
        _ => key.cloned(),
    };
    if kind == BackendKind::Openai && key.is_none() {
        return Err(StartError::NoKey);
    }
    let remote = settings.is_remote(&url);
    if key.is_some() && url.scheme() == "http" && remote {
        tracing::warn!("the key for the model server travels unencrypted: use https");
    }
    if let Some(refusing) = Refusing::instead_of(kind, &url, settings) {
        return Ok(Arc::new(refusing));
    }
    let server = Server {
        client: Client::new(&url, remote, timeouts.connect)?,
        backend: kind.as_str(),
        timeouts,
    };
    Ok(match kind {
        BackendKind::Ollama => Arc::new(Ollama::new(settings, &url, server)),
        BackendKind::Openai => Arc::new(Openai::new(settings, &url, server, key)),
        _ => Arc::new(OpenaiCompatible::new(settings, &url, server, key)),
    })
}

/// Refuses a context window of Ollama's that a completion may fill by itself.
fn check_window(settings: &BackendSettings) -> Result<(), StartError> {
    let (completion, window) = (settings.ollama_num_predict, settings.ollama_num_ctx);
    if window > 0 && completion >= window {
        return Err(StartError::NoRoomForPrompt { completion, window });
    }
    Ok(())
}

/// Where a backend listens.
fn base_url(kind: BackendKind, settings: &BackendSettings) -> Result<Url, StartError> {
    match (kind, &settings.openai_base_url) {
        (BackendKind::Openai | BackendKind::OpenaiCompatible, Some(url)) => Ok(url.clone()),
        (BackendKind::Openai, None) => {
            Url::parse(PUBLIC_ENDPOINT).map_err(|_| StartError::NoBaseUrl)
        }
        (BackendKind::OpenaiCompatible, None) => Err(StartError::NoBaseUrl),
        (BackendKind::Ollama | BackendKind::Mock | BackendKind::None, _) => {
            Ok(settings.ollama_base_url.clone())
        }
    }
}

/// How patiently a backend is called.
fn timeouts(kind: BackendKind, settings: &BackendSettings) -> Result<Timeouts, StartError> {
    let (silence, setting) = match kind {
        BackendKind::Ollama => (settings.ollama_timeout_seconds, "OLLAMA_TIMEOUT_SECONDS"),
        _ => (settings.openai_timeout_seconds, "OPENAI_TIMEOUT_SECONDS"),
    };
    Timeouts::of(settings, silence, setting)
}
