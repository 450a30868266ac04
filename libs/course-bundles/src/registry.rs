//! Artifacts of OCI registries: a manifest by its digest, and its one layer. Whoever has no login is anonymous.

use std::collections::BTreeMap;

use reqwest::{
    Client, Response, StatusCode, Url,
    header::{ACCEPT, AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE},
};
use serde::Deserialize;

use crate::address::Artifact;
use crate::fetch::{body, checked, client, problem};
use crate::limits::MAX_BUNDLE_BYTES;
use crate::logins::Logins;

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
/// Manifests and tokens are small.
const MAX_DOCUMENT: usize = 1 << 20;

#[derive(Deserialize)]
struct Manifest {
    layers: Vec<Layer>,
}

#[derive(Deserialize)]
struct Layer {
    digest: String,
}

#[derive(Deserialize)]
struct Token {
    token: Option<String>,
    /// The same; some registries have both.
    access_token: Option<String>,
}

/// The one layer of the artifact.
pub(crate) async fn fetch(artifact: &Artifact, logins: &Logins) -> Result<Vec<u8>, String> {
    let mut registry = Registry {
        client: client(&artifact.registry)?,
        artifact,
        logins,
        authorization: None,
    };
    let path = format!("manifests/sha256:{}", artifact.digest);
    let manifest = registry.get(&path).await?;
    let manifest = checked(body(manifest, MAX_DOCUMENT).await?, &artifact.digest)?;
    let manifest: Manifest = serde_json::from_slice(&manifest)
        .map_err(|_| "the artifact is no image manifest".to_owned())?;
    let [layer] = manifest.layers.as_slice() else {
        let layers = manifest.layers.len();
        return Err(format!("the artifact has {layers} layers, and not one"));
    };
    let digest = layer.digest.strip_prefix("sha256:");
    let digest = digest
        .filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))
        .ok_or("the artifact's layer is not named by its SHA-256")?;
    let blob = registry.get(&format!("blobs/sha256:{digest}")).await?;
    checked(body(blob, MAX_BUNDLE_BYTES).await?, digest)
}

struct Registry<'a> {
    client: Client,
    artifact: &'a Artifact,
    logins: &'a Logins,
    authorization: Option<HeaderValue>,
}

impl Registry<'_> {
    async fn get(&mut self, path: &str) -> Result<Response, String> {
        let Artifact {
            registry,
            repository,
            ..
        } = self.artifact;
        let url = format!("{registry}v2/{repository}/{path}");
        loop {
            let mut request = self.client.get(&url).header(ACCEPT, MANIFEST);
            if let Some(authorization) = &self.authorization {
                request = request.header(AUTHORIZATION, authorization);
            }
            let answer = request.send().await.map_err(|error| problem(&error))?;
            if answer.status() != StatusCode::UNAUTHORIZED || self.authorization.is_some() {
                return Ok(answer);
            }
            // Only the registry itself says where its login is to be shown.
            if answer.url().origin() != registry.origin() {
                return Err("the server that the registry leads to wants a login".to_owned());
            }
            self.authorization = Some(self.authorize(&answer).await?);
        }
    }

    /// What the registry wants to see: a token from where it says, or the login itself.
    async fn authorize(&self, refusal: &Response) -> Result<HeaderValue, String> {
        let login = self.logins.of(&self.artifact.registry);
        let challenge = refusal.headers().get(WWW_AUTHENTICATE);
        let challenge = challenge.and_then(|value| value.to_str().ok());
        let (scheme, rest) = challenge
            .and_then(|challenge| challenge.split_once(' '))
            .unwrap_or_default();
        if !scheme.eq_ignore_ascii_case("bearer") {
            return login.ok_or_else(|| {
                "the registry wants a login, and COURSE_BUNDLE_LOGINS_FILE has none for it"
                    .to_owned()
            });
        }
        let wanted = parameters(rest);
        let realm = wanted.get("realm").map(|realm| Url::parse(realm));
        let Some(Ok(mut realm)) = realm else {
            return Err("the registry does not say where it gives tokens".to_owned());
        };
        if self.artifact.registry.scheme() == "https" && realm.scheme() != "https" {
            return Err("the registry gives tokens without encryption".to_owned());
        }
        let scope = format!("repository:{}:pull", self.artifact.repository);
        realm.query_pairs_mut().append_pair("scope", &scope);
        if let Some(service) = wanted.get("service") {
            realm.query_pairs_mut().append_pair("service", service);
        }
        let mut request = client(&realm)?.get(realm);
        if let Some(login) = login {
            request = request.header(AUTHORIZATION, login);
        }
        let answer = request.send().await.map_err(|error| problem(&error))?;
        let token = body(answer, MAX_DOCUMENT).await;
        let token = token.map_err(|error| format!("no token for the registry: {error}"))?;
        let token: Option<Token> = serde_json::from_slice(&token).ok();
        let token = token.and_then(|token| token.token.or(token.access_token));
        let value = token.and_then(|token| HeaderValue::try_from(format!("Bearer {token}")).ok());
        let mut value = value.ok_or("the registry's token is none")?;
        value.set_sensitive(true);
        Ok(value)
    }
}

/// The parameters of a challenge: `realm="…",service="…"`.
fn parameters(text: &str) -> BTreeMap<String, String> {
    let mut parameters = BTreeMap::new();
    let mut rest = text;
    while let Some((name, after)) = rest.split_once("=\"") {
        let (value, after) = after.split_once('"').unwrap_or((after, ""));
        let name = name.trim_start_matches([',', ' ']).to_ascii_lowercase();
        parameters.insert(name, value.to_owned());
        rest = after;
    }
    parameters
}
