//! retrieval-svc in this process: over a file, with its whole server stack, on a port of its own; and the echo beside it.

use std::{net::SocketAddr, path::Path, sync::Arc, time::Duration};

use tokio::net::TcpListener;
use tonic::transport::{Channel, Server, server::TcpIncoming};
use turnwise_course_pack::{Pack, Version};
use turnwise_kit::{
    CallContext, Caller, Kit,
    admin::Readiness,
    caller::InternalToken,
    client::{ClientOptions, GrpcClient, connect, endpoint},
    connections::ConnectionLimits,
    server::{self, Listener},
    stack::{DeadlineRule, InternalAuth, Stack},
};
use turnwise_proto::exam::v1::exam_service_client::ExamServiceClient;
use turnwise_retrieval_embeddings::{Embedder, HashedWords, Queries};
use turnwise_retrieval_index::{EmbeddedEngine, Precision, SourceKey, Sources};
use turnwise_retrieval_store::Store;
use turnwise_retrieval_svc::{
    Courses, SERVICE_NAMES,
    config::Backends,
    course::{CourseVersion, Dense},
    grpc::Served,
    indexing::Indexer,
    references::{ReferenceSettings, References},
    routes_over,
};
use turnwise_tests::{eventually::eventually, floor};

use crate::corpus::{LARGE, UNITS_IN_SOURCE, source};

/// The tenant that has uploaded.
pub const TENANT: &str = "school";
/// The length of the vectors.
const DIMENSION: usize = 384;
/// What opens the listener.
const TOKEN: &str = "a-token-of-tests-and-benchmarks-0123456789";
/// How long vectors may take.
const LONG: Duration = Duration::from_secs(3600);

/// The service, running.
pub struct Service {
    pub courses: Arc<Courses>,
    indexer: Arc<Indexer>,
    pub queries: Arc<Queries>,
    pub client: GrpcClient,
    running: server::Running,
    kit: Kit,
}

/// A context of somebody of the tenant.
pub fn call() -> CallContext {
    let caller = Caller {
        tenant: TENANT.to_owned(),
        subject: "somebody".to_owned(),
        role: "student".to_owned(),
        groups: Vec::new(),
    };
    CallContext::background(Some(caller), LONG)
}

/// Writes what is uploaded into the file of a store.
pub async fn fill(file: &Path, units: usize) {
    let store = Store::open(file).unwrap();
    for first in (0..units).step_by(UNITS_IN_SOURCE) {
        let (head, chunks) = source(first, UNITS_IN_SOURCE.min(units - first));
        let key = SourceKey {
            tenant: TENANT.into(),
            course: LARGE.into(),
            source: format!("source-{first}").into(),
        };
        store.begin(&key, &head).await.unwrap();
        store.stage(&key, &head.revision, 0, chunks).await.unwrap();
        store.commit(&key, &head.revision, 1).await.unwrap();
    }
}

impl Service {
    /// Opens the file, makes the courses searchable, and takes calls.
    pub async fn start(file: &Path, packs: &[Pack]) -> Self {
        let kit = Kit::for_tests();
        let embedder: Arc<dyn Embedder> = Arc::new(HashedWords::new(DIMENSION));
        let model = embedder.describe(&call()).await.unwrap();
        let queries = Arc::new(Queries::new(Arc::clone(&embedder), LONG));
        let store = Arc::new(Store::open(file).unwrap());
        let backends = Backends {
            engine: Arc::new(EmbeddedEngine::new(model.clone(), Precision::F32)),
            sources: store.clone(),
            cache: store,
            embedder,
            queries: Arc::clone(&queries),
            wants_model: true,
            model,
            shared: None,
        };
        let indexer = Arc::new(Indexer::new(backends, Arc::clone(&kit.clock)));
        let courses = Arc::new(Courses::default());
        for pack in packs {
            serve(&courses, &indexer, pack).await;
        }
        let tending = Arc::clone(&indexer).tend(Duration::ZERO, kit.shutdown.clone());
        kit.tasks.spawn(tending);
        let references = ReferenceSettings {
            helper_reference_map: "{}".to_owned(),
            ..ReferenceSettings::default()
        };
        let served = Served {
            courses: Arc::clone(&courses),
            indexer: Arc::clone(&indexer),
            queries: Arc::clone(&queries),
            references: References::open(&references).unwrap(),
            upserts: true,
            pages: kit.pages.clone(),
            shutdown: kit.shutdown.clone(),
        };
        let token = InternalToken::new(TOKEN).unwrap();
        let listener = Listener {
            listen: "127.0.0.1:0".parse().unwrap(),
            setting: "LISTEN",
            services: SERVICE_NAMES.to_vec(),
            routes: routes_over(Arc::new(served)),
            stack: Stack {
                metrics: kit.metrics.clone(),
                auth: Arc::new(InternalAuth::token(token.clone())),
                deadline: DeadlineRule::default(),
                max_in_flight: 1000,
                drain: kit.drain.clone(),
            },
            tls: None,
            client_certificates: false,
            connections: ConnectionLimits::default(),
            drain_delay: Duration::ZERO,
            drain_timeout: Duration::from_secs(10),
        };
        let running = server::start(listener, &kit, Readiness::default())
            .await
            .unwrap();
        let options = ClientOptions {
            peer: "retrieval-svc",
            token: Some(token),
        };
        let address = format!("http://{}", running.address);
        let client = connect(&address, None, options, &kit).unwrap();
        Self {
            courses,
            indexer,
            queries,
            client,
            running,
            kit,
        }
    }

    /// Serves one more course.
    pub async fn add(&self, pack: &Pack) {
        serve(&self.courses, &self.indexer, pack).await;
    }

    /// The version of a course that is served.
    pub fn course(&self, id: &str) -> Arc<CourseVersion> {
        Arc::clone(&self.courses.get(id).unwrap())
    }

    /// Whether every text of these courses has its vector.
    pub fn is_whole(&self, courses: &[&str]) -> bool {
        courses.iter().all(|id| {
            let view = self.course(id).view(TENANT);
            view.is_some_and(|view| view.dense == Dense::Complete)
        })
    }

    /// Waits until every text has its vector.
    pub async fn becomes_whole(&self, courses: &[&str]) {
        eventually("vectors are made", LONG, async || {
            self.is_whole(courses).then_some(())
        })
        .await;
    }

    /// Ends it, so that its file is free.
    pub async fn stop(self) {
        self.running.drain().await;
        self.kit.shutdown.cancel();
        self.kit.tasks.close();
        self.kit.tasks.wait().await;
    }
}

async fn serve(courses: &Courses, indexer: &Indexer, pack: &Pack) {
    courses.serve(Version {
        course_id: pack.course.id.clone(),
        hash: pack.hash.clone(),
        value: Arc::new(indexer.version(pack.clone()).await),
    });
}

/// A bare server that echoes, and a connection to it with the suite's settings.
pub async fn echo() -> ExamServiceClient<Channel> {
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address: SocketAddr = socket.local_addr().unwrap();
    let serving = Server::builder()
        .add_routes(floor::leaf())
        .serve_with_incoming(TcpIncoming::from(socket).with_nodelay(Some(true)));
    tokio::spawn(serving);
    ExamServiceClient::new(
        endpoint(&format!("http://{address}"))
            .unwrap()
            .connect_lazy(),
    )
}
