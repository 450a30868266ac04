//! All five services in one process: the same routes, each with its whole server stack, called without a socket. Only
//! the public face gets a port.

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use anyhow::{Context, Result};
use tonic::service::Routes;
use turnwise_gateway_svc as gateway;
use turnwise_kit::{
    Kit,
    admin::{self, Readiness},
    caller::InternalToken,
    client::{ClientOptions, GrpcClient, local},
    server::{self, Listener, Running},
    settings::ServerSettings,
    stack::{DeadlineRule, InternalAuth, Stack},
};
use turnwise_llm_gateway_svc as llm;
use turnwise_policy_svc as policy;
use turnwise_retrieval_svc as retrieval;
use turnwise_session_svc as session;

use crate::data_dir::random_secret;

/// The settings of all five services.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct SuiteSettings {
    /// The public listener.
    #[command(flatten)]
    pub server: ServerSettings,
    /// The turn gateway.
    #[command(flatten)]
    pub gateway: gateway::Settings,
    /// Decisions, and where the courses are.
    #[command(flatten)]
    pub policy: policy::Settings,
    /// Search.
    #[command(flatten)]
    pub retrieval: retrieval::RetrievalSettings,
    /// Models.
    #[command(flatten)]
    pub llm: llm::Settings,
    /// State.
    #[command(flatten)]
    pub session: session::Settings,
}

/// A running suite.
pub struct Suite {
    /// Where the public face listens.
    pub address: SocketAddr,
    /// Where the admin port is, if there is one.
    pub admin: Option<SocketAddr>,
    running: Running,
    end: turnwise_kit::CancellationToken,
    kit: Kit,
}

impl Suite {
    /// Starts all five services.
    pub async fn start(settings: SuiteSettings, kit: Kit) -> Result<Self> {
        let token = InternalToken::new(&random_secret()?).context("the new secret is too short")?;
        let inside = Inside {
            token: token.clone(),
            stack: Stack {
                metrics: kit.metrics.clone(),
                auth: Arc::new(InternalAuth::token(token)),
                deadline: DeadlineRule::default(),
                max_in_flight: settings.server.max_in_flight as usize,
                drain: kit.drain.clone(),
            },
        };
        let llm = inside.service("llm-gateway-svc", llm::routes(&settings.llm, &kit).await?);
        // Both follow the same courses.
        let courses = &settings.policy.courses;
        let policy = inside.service("policy-svc", policy::routes(&settings.policy, &kit).await?);
        let search = retrieval::Settings {
            courses: courses.clone(),
            own: settings.retrieval,
        };
        let retrieval = inside.service(
            "retrieval-svc",
            retrieval::routes(&search, Some(llm.clone()), &kit).await?,
        );
        let session = inside.service(
            "session-svc",
            session::routes(&settings.session, &kit).await?,
        );
        let exam = gateway::upstream::connect_exam(
            &settings.gateway,
            settings.server.tls()?.as_ref(),
            &kit,
        )?;
        let upstreams = gateway::Upstreams::new(policy, retrieval, llm, session, exam);
        let auth = gateway::auth::JwtAuth::new(&settings.gateway, &kit).await?;
        let routes = gateway::routes(&settings.gateway, upstreams, &kit).await?;

        let connections = settings.server.connection_limits()?;
        let ready = Readiness::default();
        let end = turnwise_kit::CancellationToken::new();
        let admin = match settings.server.admin_listen {
            Some(listen) => {
                Some(admin::serve(listen, &kit, ready.clone(), connections, end.clone()).await?)
            }
            None => None,
        };
        let running = server::start(
            Listener {
                listen: settings.server.listen,
                services: gateway::SERVICE_NAMES,
                routes,
                stack: Stack {
                    auth: Arc::new(auth),
                    deadline: settings.gateway.deadline_rule(),
                    ..inside.stack
                },
                tls: settings.server.tls()?,
                client_certificates: false,
                connections,
                drain_delay: Duration::from_secs(settings.server.drain_delay_seconds),
                drain_timeout: Duration::from_secs(settings.server.drain_timeout_seconds),
            },
            &kit,
            ready,
        )
        .await?;
        Ok(Self {
            address: running.address,
            admin,
            running,
            end,
            kit,
        })
    }

    /// Ends the suite in order.
    pub async fn drain(self) {
        self.running.drain().await;
        self.kit.shutdown.cancel();
        self.end.cancel();
        turnwise_kit::run::finish_tasks(&self.kit).await;
    }
}

/// What the services inside the process share.
struct Inside {
    token: InternalToken,
    stack: Stack,
}

impl Inside {
    fn service(&self, peer: &'static str, routes: Routes) -> GrpcClient {
        let options = ClientOptions {
            peer,
            token: Some(self.token.clone()),
        };
        local(self.stack.around(routes), options)
    }
}

/// Where an embedded store of a data directory is, as a setting.
pub fn embedded_store(file: &std::path::Path) -> String {
    format!("embedded:{}", PathBuf::from(file).display())
}
