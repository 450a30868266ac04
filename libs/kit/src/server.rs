//! A listening server: health, reflection, and an end that loses nothing.

use std::{collections::BTreeSet, net::SocketAddr, time::Duration};

use prost::Message;
use prost_types::{FileDescriptorProto, FileDescriptorSet};
use tokio::net::TcpListener;
use tonic::service::Routes;
use tonic_health::server::HealthReporter;

use crate::{
    Drain, Gzip, Kit,
    admin::Readiness,
    connections::{self, ConnectionLimits, Protocol, Serving, Site},
    sizes::OPEN_MESSAGE,
    stack::Stack,
    tls::Tls,
};

/// One listener and what it serves.
pub struct Listener {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The setting that says so.
    pub setting: &'static str,
    /// The full names of the services, for health and reflection.
    pub services: Vec<&'static str>,
    /// Their routes, without the stack.
    pub routes: Routes,
    /// The stack to put around them.
    pub stack: Stack,
    /// Certificates. With them the listener speaks TLS.
    pub tls: Option<Tls>,
    /// Whether every client must show a certificate of the authority in `tls`.
    pub client_certificates: bool,
    /// How many connections it holds, and for how long.
    pub connections: ConnectionLimits,
    /// Time between NOT_SERVING and the end of new calls.
    pub drain_delay: Duration,
    /// Time that running calls get to finish.
    pub drain_timeout: Duration,
}

/// How long the answers to calls that the end of the drain cut off have to leave.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}; is another process there? set {setting}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The setting that names it.
        setting: &'static str,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// Reflection could not be built.
    #[error("the descriptor set cannot be served")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// A server that is taking calls.
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    health: HealthReporter,
    services: Vec<&'static str>,
    ready: Readiness,
    stop: crate::CancellationToken,
    ending: Drain,
    serving: Serving,
    drain_delay: Duration,
    drain_timeout: Duration,
}

/// Starts a listener with health and reflection beside its services.
pub async fn start(listener: Listener, kit: &Kit, ready: Readiness) -> Result<Running, ServeError> {
    let (health, health_service) = tonic_health::server::health_reporter();
    for name in &listener.services {
        health
            .set_service_status(*name, tonic_health::ServingStatus::Serving)
            .await;
    }
    let descriptors = reflected(&listener.services);
    // Anybody may ask them, so they read no more than their small requests need.
    let routes = listener
        .routes
        .add_service(
            health_service
                .accept_compressed(Gzip)
                .max_decoding_message_size(OPEN_MESSAGE),
        )
        .add_service(
            reflection(&descriptors, &listener.services)
                .build_v1()?
                .accept_compressed(Gzip)
                .max_decoding_message_size(OPEN_MESSAGE),
        )
        .add_service(
            reflection(&descriptors, &listener.services)
                .build_v1alpha()?
                .accept_compressed(Gzip)
                .max_decoding_message_size(OPEN_MESSAGE),
        );
    let routes = listener.stack.around(routes);

    let bind = |source| ServeError::Bind {
        address: listener.listen,
        setting: listener.setting,
        source,
    };
    let socket = TcpListener::bind(listener.listen).await.map_err(bind)?;
    let address = socket.local_addr().map_err(bind)?;
    // Without a certificate of its own a listener speaks no TLS.
    let tls = listener.tls.map(|tls| (tls, listener.client_certificates));
    let tls = tls.filter(|(tls, mutual)| tls.acceptor(*mutual).is_some());
    let stop = crate::CancellationToken::new();
    let serving = connections::serve(
        Site {
            listener: socket,
            protocol: Protocol::Grpc,
            tls,
            router: routes.prepare().into_axum_router(),
            limits: listener.connections,
            metrics: kit.metrics.connections("grpc"),
        },
        stop.clone(),
    );
    ready.set(true);
    Ok(Running {
        address,
        health,
        services: listener.services,
        ready,
        stop,
        ending: kit.drain.clone(),
        serving,
        drain_delay: listener.drain_delay,
        drain_timeout: listener.drain_timeout,
    })
}

impl Running {
    /// Ends the server: NOT_SERVING, a pause so that endpoints are taken out, the end of streams, and a bounded time
    /// for running calls. A connection that is still open then is cut.
    pub async fn drain(self) {
        self.leave().await;
        tokio::time::sleep(self.drain_delay).await;
        self.finish().await;
    }

    /// Says that new calls should go elsewhere.
    pub(crate) async fn leave(&self) {
        self.ready.set(false);
        for name in self.services.iter().chain(&[""]) {
            self.health
                .set_service_status(*name, tonic_health::ServingStatus::NotServing)
                .await;
        }
    }

    /// Takes no more connections, and gives running calls what is left of the process's drain.
    pub(crate) async fn finish(self) {
        let left = self.ending.begin(self.drain_timeout);
        self.stop.cancel();
        if !self.serving.ended(left + LAST_WORDS).await {
            tracing::warn!("some calls or connections did not end in time and were cut");
        }
    }
}

/// The descriptors of these services and of what they import: a public port tells nothing of internal services.
fn reflected(services: &[&str]) -> FileDescriptorSet {
    let all = FileDescriptorSet::decode(turnwise_proto::DESCRIPTORS).unwrap_or_default();
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    let mut queue: Vec<String> = all
        .file
        .iter()
        .filter(|file| {
            file.service
                .iter()
                .any(|s| services.contains(&format!("{}.{}", file.package(), s.name()).as_str()))
        })
        .map(|file| file.name().to_owned())
        .collect();
    // Whoever reads a failure needs the list of reasons.
    queue.push("turnwise/common/v1/error_reason.proto".to_owned());
    while let Some(name) = queue.pop() {
        if let Some(file) = all.file.iter().find(|f| f.name() == name)
            && wanted.insert(name)
        {
            queue.extend(file.dependency.iter().cloned());
        }
    }
    let mut file: Vec<_> = all
        .file
        .into_iter()
        .filter(|f| wanted.contains(f.name()))
        .collect();
    for file in &mut file {
        keep_services(file, services);
    }
    FileDescriptorSet { file }
}

/// Takes the services out of a file that are not served here: what is imported for its messages tells of them alone.
fn keep_services(file: &mut FileDescriptorProto, services: &[&str]) {
    /// Where a file's services stand in the paths of its comments (descriptor.proto).
    const SERVICE: i32 = 6;
    let package = file.package().to_owned();
    let before = file.service.len();
    file.service
        .retain(|s| services.contains(&format!("{package}.{}", s.name()).as_str()));
    if file.service.len() != before
        && let Some(comments) = &mut file.source_code_info
    {
        comments
            .location
            .retain(|location| location.path.first() != Some(&SERVICE));
    }
}

fn reflection<'a>(
    descriptors: &FileDescriptorSet,
    services: &[&str],
) -> tonic_reflection::server::Builder<'a> {
    let mut builder = tonic_reflection::server::Builder::configure()
        .register_file_descriptor_set(descriptors.clone())
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .with_service_name("grpc.health.v1.Health");
    for name in services {
        builder = builder.with_service_name(*name);
    }
    builder
}
