//! The backends that call a real model, and how one is chosen.

mod http;
mod ollama;
mod openai_compatible;
mod remote;

use std::sync::Arc;

pub use ollama::ollama_answers;
pub use remote::is_remote;

use crate::{
    completion::Backend,
    config::{BackendKind, Settings},
    error::StartError,
    mock::Mock,
};

/// The backend that the settings choose. It opens no socket yet.
pub fn connect(settings: &Settings) -> Result<Arc<dyn Backend>, StartError> {
    let backend: Arc<dyn Backend> = match settings.helper_llm_backend {
        BackendKind::Mock => Arc::new(Mock::new(
            settings.mock_model.clone(),
            settings.helper_mock_response_text.clone(),
        )),
        BackendKind::Ollama => match remote::refusal(settings, &settings.ollama_base_url) {
            Some(host) => Arc::new(remote::NotAcknowledged {
                backend: ollama::NAME,
                model: settings.ollama_model.clone(),
                host,
            }),
            None => Arc::new(ollama::Ollama::new(settings)?),
        },
        BackendKind::OpenaiCompatible => {
            let url = settings
                .openai_base_url
                .as_ref()
                .ok_or(StartError::NoBaseUrl)?;
            let key = settings.api_key()?;
            match remote::refusal(settings, url) {
                Some(host) => Arc::new(remote::NotAcknowledged {
                    backend: openai_compatible::NAME,
                    model: settings.openai_model.clone(),
                    host,
                }),
                None => Arc::new(openai_compatible::OpenaiCompatible::new(
                    settings, url, key,
                )?),
            }
        }
    };
    Ok(backend)
}
