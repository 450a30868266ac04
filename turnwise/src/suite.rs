//! Services in one process: the same routes, each with its whole server stack, called without a socket. Those of other
//! processes are called over one.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use tonic::service::Routes;
use turnwise_gateway_svc::{self as gateway, Place};
use turnwise_kit::{
    Kit, PageTokens,
    caller::InternalToken,
    client::{ClientOptions, GrpcClient, local},
    files::NamedFile,
    run::{Service, StartError},
    settings::{ServerSettings, SettingsError},
    stack::{DeadlineRule, InternalAuth, Stack},
};
use turnwise_llm_gateway_svc as llm;
use turnwise_policy_svc as policy;
use turnwise_retrieval_svc as retrieval;
use turnwise_session_svc as session;

use crate::{data_dir::random_secret, grouping::Grouping};

/// The settings of all five services.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct SuiteSettings {
    /// The process and its listeners.
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

/// What a process with these targets serves: the public face, if the gateway is a target, and else the targets themselves,
/// to the suite's other processes.
///
/// # Errors
///
/// If a setting of a target cannot be used; the message says what to do.
pub async fn service(
    settings: &SuiteSettings,
    grouping: &Grouping,
    kit: &Kit,
) -> Result<Service, StartError> {
    let targets = grouping.targets()?;
    let public = targets.contains("gateway-svc");
    let server = &ServerSettings {
        internal_listen: grouping.internal_listen,
        ..settings.server.clone()
    };
    server.check_listeners()?;
    let mut kit = kit.clone();
    let shares = server.internal_token_file.is_some() || server.tls_client_ca_file.is_some();
    if public
        && !shares
        && let Some(pages) = page_tokens(settings)?
    {
        kit.pages = pages;
    }
    let mut inside = Inside::new(server, &kit)?;
    if targets.contains("llm-gateway-svc") {
        let routes = llm::routes(&settings.llm, &kit).await?;
        inside.add("llm-gateway-svc", routes, llm::SERVICE_NAMES);
    }
    if targets.contains("policy-svc") {
        let routes = policy::routes(&settings.policy, &kit).await?;
        inside.add("policy-svc", routes, policy::SERVICE_NAMES);
    }
    if targets.contains("retrieval-svc") {
        // Both follow the same courses.
        let search = retrieval::Settings {
            courses: settings.policy.courses.clone(),
            own: settings.retrieval.clone(),
        };
        let [_, _, llm, _] = grouping.endpoints.places();
        let known = llm.2.is_some() || targets.contains(llm.0);
        let llm = known.then(|| inside.client(llm)).transpose()?;
        let routes = retrieval::routes(&search, llm, &kit).await?;
        inside.add("retrieval-svc", routes, retrieval::SERVICE_NAMES);
    }
    if targets.contains("session-svc") {
        let routes = session::routes(&settings.session, &kit).await?;
        inside.add("session-svc", routes, session::SERVICE_NAMES);
    }
    if !public {
        return Ok(inside.served());
    }
    let endpoints = &grouping.endpoints;
    let client = |place: Place<'_>| inside.client(place);
    let public = gateway::service(&settings.gateway, endpoints, server, client, &kit).await?;
    Ok(Service {
        beside: grouping
            .internal_listen
            .map(|listen| (listen, Box::new(inside.served()))),
        ..public
    })
}

/// The tokens of pages of a process that shares nothing but the keys of its cards; `None` without keys.
///
/// # Errors
///
/// If the keys cannot be read.
pub fn page_tokens(settings: &SuiteSettings) -> Result<Option<PageTokens>, StartError> {
    let file = settings.gateway.drill_token_keys_file.as_ref();
    let keys = file.map(|file| NamedFile::secret("DRILL_TOKEN_KEYS_FILE", file).read());
    Ok(keys.transpose()?.map(|keys| PageTokens::new(&keys)))
}

/// The services inside the process.
struct Inside<'a> {
    server: &'a ServerSettings,
    kit: &'a Kit,
    /// Opens them inside the process alone.
    token: InternalToken,
    stack: Stack,
    clients: BTreeMap<&'static str, GrpcClient>,
    routes: Routes,
    names: Vec<&'static str>,
}

impl<'a> Inside<'a> {
    fn new(server: &'a ServerSettings, kit: &'a Kit) -> Result<Self, StartError> {
        let token = InternalToken::new(&random_secret()?).ok_or("the new secret is too short")?;
        Ok(Self {
            server,
            kit,
            token: token.clone(),
            stack: Stack {
                metrics: kit.metrics.clone(),
                auth: Arc::new(InternalAuth::token(token)),
                deadline: DeadlineRule::default(),
                max_in_flight: server.max_in_flight as usize,
                drain: kit.drain.clone(),
            },
            clients: BTreeMap::new(),
            routes: Routes::default(),
            names: Vec::new(),
        })
    }

    fn add(&mut self, service: &'static str, routes: Routes, names: &[&'static str]) {
        let options = ClientOptions {
            peer: service,
            token: Some(self.token.clone()),
        };
        let client = local(self.stack.around(routes.clone()), options);
        self.clients.insert(service, client);
        // Of two answers to unknown paths one is enough.
        let routes = routes.into_axum_router().reset_fallback();
        let all = std::mem::take(&mut self.routes).into_axum_router();
        self.routes = Routes::from(all.merge(routes));
        self.names.extend(names);
    }

    /// A client of a service, which is in the process or at an endpoint.
    fn client(&self, (service, setting, endpoint): Place<'_>) -> Result<GrpcClient, SettingsError> {
        match self.clients.get(service) {
            Some(client) => Ok(client.clone()),
            None => self.server.client(service, setting, endpoint, self.kit),
        }
    }

    /// All of them, as other processes call them.
    fn served(self) -> Service {
        Service::internal(self.routes, &self.names)
    }
}

/// Where an embedded store of a data directory is, as a setting.
pub fn embedded_store(file: &Path) -> String {
    format!("embedded:{}", file.display())
}
