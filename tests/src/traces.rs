//! A receiver of traces: what an OTLP collector is to the suite, in a test.

use std::{collections::HashMap, net::SocketAddr};

use opentelemetry_proto::tonic::{
    collector::trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
    common::v1::{KeyValue, any_value::Value},
    trace::v1::Span,
};
use tokio::{net::TcpListener, sync::mpsc};
use tonic::{
    Request, Response, Status,
    transport::{Identity, Server, ServerTlsConfig, server::TcpIncoming},
};
use turnwise_testing::certificates::Certificates;

/// A span and the service that made it.
#[derive(Debug, Clone)]
pub struct Received {
    /// The resource's `service.name`.
    pub service: String,
    /// The span.
    pub span: Span,
}

impl Received {
    /// The span's attribute as text; empty if it has none.
    pub fn attribute(&self, key: &str) -> String {
        text(&self.span.attributes, key).unwrap_or_default()
    }
}

/// A receiver that takes spans until it is dropped.
pub struct TraceReceiver {
    /// Where it listens.
    pub address: SocketAddr,
    spans: mpsc::UnboundedReceiver<Received>,
    server: tokio::task::JoinHandle<()>,
}

impl TraceReceiver {
    /// Starts to listen.
    pub async fn start() -> Self {
        Self::start_with(Server::builder()).await
    }

    /// Starts to listen with TLS.
    pub async fn start_tls(certificates: &Certificates) -> Self {
        let identity = Identity::from_pem(&certificates.certificate, &certificates.key);
        let tls = ServerTlsConfig::new().identity(identity);
        Self::start_with(Server::builder().tls_config(tls).unwrap()).await
    }

    async fn start_with(mut server: Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, spans) = mpsc::unbounded_channel();
        let server = tokio::spawn(async move {
            server
                .add_service(TraceServiceServer::new(Sink(sender)))
                .serve_with_incoming(TcpIncoming::from(listener))
                .await
                .unwrap();
        });
        Self {
            address,
            spans,
            server,
        }
    }

    /// All spans that have come so far.
    pub fn all(&mut self) -> Vec<Received> {
        std::iter::from_fn(|| self.spans.try_recv().ok()).collect()
    }

    /// All spans of a trace that have come so far, by span id. Processes that have ended have sent all of theirs.
    pub fn of_trace(&mut self, trace_id: &[u8]) -> HashMap<Vec<u8>, Received> {
        let mut found = HashMap::new();
        while let Ok(received) = self.spans.try_recv() {
            if received.span.trace_id == trace_id {
                found.insert(received.span.span_id.clone(), received);
            }
        }
        found
    }
}

impl Drop for TraceReceiver {
    fn drop(&mut self) {
        self.server.abort();
    }
}

struct Sink(mpsc::UnboundedSender<Received>);

#[tonic::async_trait]
impl TraceService for Sink {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        for resource_spans in request.into_inner().resource_spans {
            let resource = resource_spans.resource.unwrap_or_default();
            let service = text(&resource.attributes, "service.name").unwrap_or_default();
            for span in resource_spans.scope_spans.into_iter().flat_map(|s| s.spans) {
                // The test is over if nobody listens any more.
                let _ = self.0.send(Received {
                    service: service.clone(),
                    span,
                });
            }
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

fn text(attributes: &[KeyValue], key: &str) -> Option<String> {
    let attribute = attributes.iter().find(|attribute| attribute.key == key)?;
    match attribute.value.as_ref()?.value.as_ref()? {
        Value::StringValue(text) => Some(text.clone()),
        _ => None,
    }
}
