//! Names and passwords by host, in the form of Docker's `config.json`, which is also that of an image pull secret.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::{Url, header::HeaderValue};
use serde::Deserialize;
use turnwise_kit::{files::NamedFile, settings::SettingsError};

/// Logins, each with `NAME:PASSWORD` in base64.
#[derive(Default, Deserialize)]
pub(crate) struct Logins {
    auths: BTreeMap<String, Login>,
}

#[derive(Deserialize)]
struct Login {
    auth: String,
}

impl Logins {
    /// Reads the file, which shows nothing of itself in an error.
    pub(crate) fn read(file: &NamedFile) -> Result<Self, SettingsError> {
        let logins: Option<Self> = serde_json::from_slice(&file.read()?).ok();
        let is_login = |login: &Login| {
            STANDARD
                .decode(&login.auth)
                .is_ok_and(|login| login.contains(&b':'))
        };
        logins
            .filter(|logins| logins.auths.values().all(is_login))
            .ok_or_else(|| {
                file.unusable(
                    "it must be as Docker's config.json: {\"auths\": {\"HOST\": {\"auth\": \"NAME:PASSWORD in base64\"}}}",
                )
            })
    }

    /// What opens the host, as the value of `Authorization`.
    pub(crate) fn of(&self, url: &Url) -> Option<HeaderValue> {
        let host = url.host_str()?;
        let host = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        let login = self.auths.get(&host)?;
        let mut value = HeaderValue::try_from(format!("Basic {}", login.auth)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}
