//! The admin port: metrics for Prometheus, and whether the process is alive and ready.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{Router, extract::State, http::StatusCode, http::header, routing::get};
use tokio::net::TcpListener;

use crate::{
    Kit, Metrics,
    connections::{self, ConnectionLimits, Protocol, Site},
};

/// How long visitors get at the end.
const DRAIN: Duration = Duration::from_secs(1);

/// Whether the process takes calls.
#[derive(Debug, Clone, Default)]
pub struct Readiness(Arc<AtomicBool>);

impl Readiness {
    /// Says whether the process takes calls.
    pub fn set(&self, ready: bool) {
        self.0.store(ready, Ordering::SeqCst);
    }

    /// Whether it does.
    pub fn get(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

#[derive(Clone)]
struct Admin {
    metrics: Metrics,
    ready: Readiness,
}

/// Serves `/metrics`, `/healthz` and `/readyz` until the process has served its calls; tells the address.
pub async fn serve(
    listen: SocketAddr,
    kit: &Kit,
    ready: Readiness,
    limits: ConnectionLimits,
) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind(listen).await?;
    let address = listener.local_addr()?;
    let router = Router::new()
        .route("/metrics", get(metrics))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(readyz))
        .with_state(Admin {
            metrics: kit.metrics.clone(),
            ready,
        });
    let serving = connections::serve(
        Site {
            listener,
            protocol: Protocol::Admin,
            tls: None,
            router,
            limits: limits.for_admin(),
            metrics: kit.metrics.connections("admin"),
        },
        kit.served.clone(),
    );
    let served = kit.served.clone();
    kit.tasks.spawn(async move {
        served.cancelled().await;
        serving.ended(DRAIN).await;
    });
    Ok(address)
}

async fn metrics(State(admin): State<Admin>) -> ([(header::HeaderName, &'static str); 1], String) {
    const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    (
        [(header::CONTENT_TYPE, OPEN_METRICS)],
        admin.metrics.encode(),
    )
}

async fn readyz(State(admin): State<Admin>) -> (StatusCode, &'static str) {
    if admin.ready.get() {
        (StatusCode::OK, "ready\n")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "not ready\n")
    }
}
