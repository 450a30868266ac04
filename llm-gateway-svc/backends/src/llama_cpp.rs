//! Whether the OpenAI-compatible server is llama.cpp's, which can do more than others where a setting says so.

use std::time::Duration;

use reqwest::{Url, header::HeaderValue};
use serde::{Deserialize, de::IgnoredAny};
use tokio::time::timeout;

use crate::{
    http::{self, Client},
    settings::{BackendKind, BackendSettings},
};

/// How long [`is_llama_cpp`] waits.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);
/// The most bytes of the server's properties that it reads; they hold a chat template.
const PROBE_MAX_BYTES: usize = 1024 * 1024;

/// Whether the OpenAI-compatible server says of itself what only llama.cpp's says. It is asked for its properties once, at
/// `GET /props`; a remote one that nobody agreed to is not asked.
pub async fn is_llama_cpp(settings: &BackendSettings) -> bool {
    let Some(base) = settings.openai_base_url.as_ref() else {
        return false;
    };
    if !settings.may_call(BackendKind::OpenaiCompatible, base) {
        return false;
    }
    timeout(PROBE_TIMEOUT, has_properties(settings, base))
        .await
        .ok()
        .flatten()
        .is_some()
}

/// What llama.cpp's server tells of itself, as far as it names it.
#[derive(Deserialize)]
struct Properties {
    #[serde(rename = "default_generation_settings")]
    _defaults: IgnoredAny,
}

/// `None` if the server cannot be asked, or has no such properties.
async fn has_properties(settings: &BackendSettings, base: &Url) -> Option<Properties> {
    let client = Client::new(base, settings.is_remote(base), PROBE_TIMEOUT).ok()?;
    let key = settings.authorization().ok()?;
    let authorization = key.map(|key| HeaderValue::clone(&key.get()));
    let body = http::get(&client, properties(base), authorization, PROBE_MAX_BYTES).await?;
    serde_json::from_slice(&body).ok()
}

/// They stand beside version 1 of OpenAI's protocols, not below it.
fn properties(base: &Url) -> Url {
    let path = base.path().trim_end_matches('/');
    let mut root = base.clone();
    root.set_path(path.strip_suffix("/v1").unwrap_or(path));
    http::below(&root, "/props")
}
