//! One attempt: a POST without redirects, retries or proxies, whose answer is its status alone.

use std::{error::Error as _, sync::Arc, time::Duration};

use reqwest::{Url, header, redirect, retry};
use turnwise_kit::Clock;

use super::{
    address::{AddressRefused, Guarded, Receiver},
    event::{CONTENT_TYPE, Event},
    sign::Signer,
};
use crate::StartError;

/// How long a receiver may take for an event.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long a connection that nobody uses is kept.
const IDLE: Duration = Duration::from_secs(20);

/// Posts events to one receiver.
#[derive(Clone)]
pub(super) struct Post {
    client: reqwest::Client,
    url: Url,
    signer: Signer,
    clock: Arc<dyn Clock>,
}

/// An attempt that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failed {
    /// What came of it, for programs.
    pub(super) code: String,
    /// The receiver wants no more of it.
    pub(super) gone: bool,
}

impl Post {
    pub(super) fn new(
        receiver: Receiver,
        signer: Signer,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, StartError> {
        let mut builder = reqwest::Client::builder()
            // A redirect could lead anywhere, and so could a proxy.
            .redirect(redirect::Policy::none())
            .no_proxy()
            // Attempts are counted in the store.
            .retry(retry::never())
            .dns_resolver(Arc::new(Guarded(receiver.rule)))
            .http1_only()
            .pool_idle_timeout(IDLE)
            .timeout(TIMEOUT)
            .tcp_nodelay(true)
            .user_agent("turnwise-webhooks");
        if receiver.url.scheme() == "http" {
            // Nothing is encrypted, so the machine's root certificates need not be loaded.
            builder = builder.tls_certs_only([]);
        }
        Ok(Self {
            client: builder.build().map_err(StartError::WebhookClient)?,
            url: receiver.url,
            signer,
            clock,
        })
    }

    /// Sends an event once.
    pub(super) async fn send(&self, event: &Event) -> Result<(), Failed> {
        let (body, now) = (event.body(), self.clock.now());
        let signature = self.signer.signature(&event.id, now, &body);
        let answer = self
            .client
            .post(self.url.clone())
            .header(header::CONTENT_TYPE, CONTENT_TYPE)
            .header("webhook-id", &event.id)
            .header("webhook-timestamp", now.as_second().to_string())
            .header("webhook-signature", signature)
            .body(body)
            .send()
            .await;
        // The body of the answer is not read: it says nothing that counts, and may have no end.
        match answer {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) => {
                let status = answer.status().as_u16();
                Err(Failed {
                    code: format!("status_{status}"),
                    gone: status == 410,
                })
            }
            Err(error) => Err(Failed {
                code: code(&error).to_owned(),
                gone: false,
            }),
        }
    }
}

fn code(error: &reqwest::Error) -> &'static str {
    let mut source = error.source();
    while let Some(inner) = source {
        if inner.is::<AddressRefused>() {
            return "address_refused";
        }
        source = inner.source();
    }
    if error.is_timeout() {
        "timeout"
    } else if error.is_connect() {
        "no_connection"
    } else {
        "no_answer"
    }
}
