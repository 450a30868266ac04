//! Fetching: over HTTP, bounded in time and size, and nothing but what the address names by its hash.

use std::error::Error as _;
use std::thread;
use std::time::Duration;

use reqwest::{Client, Response, Url, header, redirect};
use tokio::time::timeout;
use turnwise_kit::CancellationToken;

use crate::address::Address;
use crate::limits::MAX_BUNDLE_BYTES;
use crate::logins::Logins;
use crate::registry;
use crate::unpack::sha256;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);
/// How long all of it may take.
const WHOLE: Duration = Duration::from_secs(30);

/// The bundle at this address. It blocks the thread; `end` makes it give up.
pub(crate) fn fetch(
    address: &Address,
    logins: &Logins,
    end: &CancellationToken,
) -> Result<Vec<u8>, String> {
    // A runtime of its own: the caller's thread may be one that must not wait for its own runtime.
    let work = || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| error.to_string())?;
        runtime.block_on(async {
            tokio::select! {
                () = end.cancelled() => Err("the process ends".to_owned()),
                fetched = timeout(WHOLE, one(address, logins)) => fetched
                    .unwrap_or_else(|_| Err(format!("it is not all here after {} s", WHOLE.as_secs()))),
            }
        })
    };
    thread::scope(|scope| scope.spawn(work).join())
        .unwrap_or_else(|_| Err("the fetch broke off".to_owned()))
}

async fn one(address: &Address, logins: &Logins) -> Result<Vec<u8>, String> {
    match address {
        Address::Http { url, sha256 } => {
            let mut request = client(url)?.get(url.clone());
            if let Some(login) = logins.of(url) {
                request = request.header(header::AUTHORIZATION, login);
            }
            let answer = request.send().await.map_err(|error| problem(&error))?;
            checked(body(answer, MAX_BUNDLE_BYTES).await?, sha256)
        }
        Address::Registry(artifact) => registry::fetch(artifact, logins).await,
    }
}

/// A client for this server.
pub(crate) fn client(url: &Url) -> Result<Client, String> {
    // Another part of the process may have installed a provider; then this one is not needed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        // Registries have others serve their blobs. Names and passwords do not follow to another host.
        .redirect(redirect::Policy::limited(5))
        .connect_timeout(CONNECT)
        .user_agent("turnwise-courses");
    if url.scheme() == "http" {
        // In the own network: no proxy, and nothing that root certificates would be needed for.
        builder = builder.no_proxy().tls_certs_only([]);
    }
    builder.build().map_err(|error| problem(&error))
}

/// The body of a good answer, of so many bytes at the most.
pub(crate) async fn body(mut answer: Response, most: usize) -> Result<Vec<u8>, String> {
    let status = answer.status();
    if !status.is_success() {
        return Err(format!("the server answers {status}"));
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| problem(&error))? {
        if bytes.len() + chunk.len() > most {
            return Err(format!("it has more than {most} bytes"));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// The bytes, if they have this hash.
pub(crate) fn checked(bytes: Vec<u8>, wanted: &str) -> Result<Vec<u8>, String> {
    let found = sha256(&bytes);
    if found == wanted {
        Ok(bytes)
    } else {
        Err(format!("its SHA-256 is {found}, and not {wanted}"))
    }
}

/// What went wrong, with its causes and without the address, which may have a secret.
pub(crate) fn problem(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "the server does not answer in time".to_owned();
    }
    let mut said = "the server cannot be asked".to_owned();
    let mut source = error.source();
    while let Some(cause) = source {
        said = format!("{said}: {cause}");
        source = cause.source();
    }
    said
}
