//! Bundles that a registry has.

use std::sync::{Arc, OnceLock};

use http::{Response, StatusCode};
use sha2::{Digest, Sha256};
use turnwise_course_bundles::Bundle;
use turnwise_testing::web_server::WebServer;

use crate::fixture::{Files, Shelf, bundle, status, title};

fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

fn layer(digest: &str) -> String {
    format!(
        r#"{{"mediaType":"application/vnd.oci.image.layer.v1.tar","digest":"sha256:{digest}","size":1}}"#
    )
}

/// Puts an artifact with these layers into the repository `school/tiny`, and tells its digest.
fn push(files: &Files, layers: &[&str]) -> String {
    let layers = layers.join(",");
    let manifest = format!(r#"{{"schemaVersion":2,"config":{{}},"layers":[{layers}]}}"#);
    let digest = sha256(manifest.as_bytes());
    files.put(
        &format!("/v2/school/tiny/manifests/sha256:{digest}"),
        manifest,
    );
    digest
}

/// Puts the bundle there, and tells the artifact's digest.
fn push_bundle(files: &Files, bundle: &Bundle) -> String {
    let blob = format!("/v2/school/tiny/blobs/sha256:{}", bundle.digest);
    files.put(&blob, bundle.bytes.clone());
    push(files, &[&layer(&bundle.digest)])
}

async fn registry(files: &Files) -> WebServer {
    let files = files.clone();
    WebServer::start(move |request| files.answer(request))
        .await
        .unwrap()
}

fn address(registry: &WebServer, digest: &str) -> String {
    format!(
        "oci+http://{}/school/tiny@sha256:{digest}",
        registry.address()
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn the_one_layer_of_an_artifact_is_the_bundle() {
    let (files, one) = (Files::default(), bundle("One"));
    let digest = push_bundle(&files, &one);
    let open = registry(&files).await;
    let shelf = Shelf::new();
    shelf.put("tiny.bundle", address(&open, &digest));
    assert_eq!(title(&shelf.open().unwrap()), "One");
    assert_eq!(open.asked().len(), 2);
    assert_eq!(title(&shelf.open().unwrap()), "One");
    assert_eq!(open.asked().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_artifact_that_is_none_is_refused() {
    let (files, one) = (Files::default(), bundle("One"));
    let good = push_bundle(&files, &one);
    let two = push(&files, &[&layer(&one.digest), &layer(&one.digest)]);
    let none = push(&files, &[]);
    let gone = push(&files, &[&layer(&"b".repeat(64))]);
    let path = push(&files, &[&layer("../../secrets")]);
    let other = push(&files, &[&layer(&"c".repeat(64))]);
    files.put(
        &format!("/v2/school/tiny/blobs/sha256:{}", "c".repeat(64)),
        one.bytes.clone(),
    );
    let text = sha256(b"no manifest");
    files.put(
        &format!("/v2/school/tiny/manifests/sha256:{text}"),
        "no manifest",
    );
    let changed = "d".repeat(64);
    files.put(
        &format!("/v2/school/tiny/manifests/sha256:{changed}"),
        "no manifest",
    );
    let registry = registry(&files).await;
    for (digest, says) in [
        (two, "has 2 layers"),
        (none, "has 0 layers"),
        (gone, "404 Not Found"),
        (path, "not named by its SHA-256"),
        (other, "its SHA-256 is"),
        (text, "is no image manifest"),
        (changed, "its SHA-256 is"),
        ("e".repeat(64), "404 Not Found"),
    ] {
        let shelf = Shelf::new();
        shelf.put("tiny.bundle", address(&registry, &digest));
        let fault = shelf.refused();
        assert!(fault.message.contains(says), "{digest}: {fault}");
        assert!(fault.message.contains("/school/tiny: "), "{fault}");
    }
    let shelf = Shelf::new();
    shelf.put("tiny.bundle", address(&registry, &good));
    shelf.open().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registry_may_want_a_token_and_for_it_a_login() {
    for login in [None, Some("bWU6c2VjcmV0")] {
        let (files, one) = (Files::default(), bundle("One"));
        let digest = push_bundle(&files, &one);
        let realm: Arc<OnceLock<String>> = Arc::default();
        let own = Arc::clone(&realm);
        let registry = WebServer::start(move |request| {
            let given = request.headers.get("authorization");
            let given = given.map(|value| value.to_str().unwrap().to_owned());
            if request.uri.path() == "/token" {
                let query = request.uri.query().unwrap();
                assert!(query.contains("service=the+registry"), "{query}");
                assert!(
                    query.contains("scope=repository%3Aschool%2Ftiny%3Apull"),
                    "{query}"
                );
                return if given == login.map(|login| format!("Basic {login}")) {
                    Response::new(r#"{"token":"t0ken","access_token":"t0ken"}"#.into())
                } else {
                    status(StatusCode::UNAUTHORIZED)
                };
            }
            if given.is_some_and(|given| given == "Bearer t0ken") {
                return files.answer(request);
            }
            let mut answer = status(StatusCode::UNAUTHORIZED);
            let realm = own.get().unwrap();
            let challenge = format!(r#"Bearer realm="{realm}",service="the registry",scope="x""#);
            let challenge = challenge.parse().unwrap();
            answer.headers_mut().insert("www-authenticate", challenge);
            answer
        })
        .await
        .unwrap();
        realm
            .set(format!("http://{}/token", registry.address()))
            .unwrap();
        let mut shelf = Shelf::new();
        shelf.put("tiny.bundle", address(&registry, &digest));
        if let Some(login) = login {
            let fault = shelf.refused();
            assert!(
                fault.message.contains("no token for the registry"),
                "{fault}"
            );
            let at = registry.address();
            shelf.logins(&format!(
                r#"{{"auths": {{"{at}": {{"auth": "{login}"}}}}}}"#
            ));
        }
        assert_eq!(title(&shelf.open().unwrap()), "One");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registry_that_wants_more_than_there_is_is_named() {
    let registry = WebServer::start(|_| {
        let mut answer = status(StatusCode::UNAUTHORIZED);
        let challenge = r#"Basic realm="school""#.parse().unwrap();
        answer.headers_mut().insert("www-authenticate", challenge);
        answer
    })
    .await
    .unwrap();
    let shelf = Shelf::new();
    shelf.put("tiny.bundle", address(&registry, &"a".repeat(64)));
    let fault = shelf.refused();
    assert!(
        fault.message.contains("COURSE_BUNDLE_LOGINS_FILE has none"),
        "{fault}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_is_shown_to_nobody_that_a_registry_leads_to() {
    let (files, one) = (Files::default(), bundle("One"));
    let digest = push_bundle(&files, &one);
    let elsewhere = WebServer::start(|request| {
        assert!(request.headers.get("authorization").is_none());
        let mut answer = status(StatusCode::UNAUTHORIZED);
        let host = request.headers["host"].to_str().unwrap();
        let challenge = format!(r#"Bearer realm="http://{host}/token""#);
        let challenge = challenge.parse().unwrap();
        answer.headers_mut().insert("www-authenticate", challenge);
        answer
    })
    .await
    .unwrap();
    let to = elsewhere.address();
    let registry = WebServer::start(move |request| {
        if !request.uri.path().contains("/blobs/") {
            return files.answer(request);
        }
        let mut answer = status(StatusCode::TEMPORARY_REDIRECT);
        let location = format!("http://{to}/blob").parse().unwrap();
        answer.headers_mut().insert("location", location);
        answer
    })
    .await
    .unwrap();
    let mut shelf = Shelf::new();
    shelf.put("tiny.bundle", address(&registry, &digest));
    let at = registry.address();
    shelf.logins(&format!(
        r#"{{"auths": {{"{at}": {{"auth": "bWU6c2VjcmV0"}}}}}}"#
    ));
    let fault = shelf.refused();
    assert!(fault.message.contains("leads to wants a login"), "{fault}");
}
