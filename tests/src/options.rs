//! How a test wants the suite: which deployment, and what differs from the usual.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};

use turnwise_testing::redis::{RedisServer, ServerOptions};

use crate::{evidence::Seed, fault_proxy::FaultProxy, process::repository};

/// How the suite is deployed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `turnwise up`.
    OneProcess,
    /// Five binaries and Redis.
    FiveProcesses,
    /// `turnwise serve`: the gateway and these services in one process, the others beside as their binaries, and Redis.
    Grouped(&'static [Service]),
}

impl Kind {
    /// gateway, policy and retrieval in one process; llm-gateway-svc and session-svc beside.
    pub const THREE: Self = Self::Grouped(&[Service::Policy, Service::Retrieval]);
    /// All five in one process, with Redis.
    pub const ALL: Self = Self::Grouped(&Service::INTERNAL);

    /// The services that share the public process with the gateway.
    pub(crate) fn inside(self) -> &'static [Service] {
        match self {
            Self::OneProcess => &Service::INTERNAL,
            Self::FiveProcesses => &[],
            Self::Grouped(inside) => inside,
        }
    }
}

/// A process of a deployment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Service {
    /// policy-svc.
    Policy,
    /// retrieval-svc.
    Retrieval,
    /// llm-gateway-svc.
    Llm,
    /// session-svc.
    Session,
    /// gateway-svc.
    Gateway,
    /// Several in one process, the gateway among them.
    Suite,
}

impl Service {
    /// The services behind the public face, in five processes.
    pub const INTERNAL: [Self; 4] = [Self::Policy, Self::Retrieval, Self::Llm, Self::Session];

    /// The binary.
    pub fn binary(self) -> &'static str {
        match self {
            Self::Suite => "turnwise",
            Self::Policy => "policy-svc",
            Self::Retrieval => "retrieval-svc",
            Self::Llm => "llm-gateway-svc",
            Self::Session => "session-svc",
            Self::Gateway => "gateway-svc",
        }
    }

    /// The gateway's setting that says where this service is.
    pub(crate) fn endpoint_setting(self) -> &'static str {
        match self {
            Self::Policy => "POLICY_ENDPOINT",
            Self::Retrieval => "RETRIEVAL_ENDPOINT",
            Self::Llm => "LLM_GATEWAY_ENDPOINT",
            Self::Session => "SESSION_ENDPOINT",
            Self::Suite | Self::Gateway => panic!("nobody calls it from inside"),
        }
    }
}

/// What a deployment differs in from the usual one.
#[derive(Default)]
pub struct Options {
    pub(crate) env: Vec<(String, String)>,
    pub(crate) args: Vec<OsString>,
    courses: Option<PathBuf>,
    pub(crate) binaries: Option<PathBuf>,
    binaries_of: BTreeMap<Service, Option<PathBuf>>,
    pub(crate) seeds: Vec<Seed>,
    pub(crate) tls: bool,
    pub(crate) keeps_to_itself: bool,
    pub(crate) proxies: BTreeMap<Service, Arc<FaultProxy>>,
    pub(crate) twice: BTreeSet<Service>,
    pub(crate) redis: ServerOptions,
    pub(crate) server: Option<RedisServer>,
    pub(crate) data_dir: Option<PathBuf>,
}

impl Options {
    /// The usual: the demo course, the mock model, and no rate limit that a test could meet by accident.
    pub fn new() -> Self {
        Self::default()
    }

    /// A setting for every process that knows it.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.env.push((name.to_owned(), value.into()));
        self
    }

    /// A mock model.
    #[must_use]
    pub fn model(self, name: &str) -> Self {
        self.env("MOCK_MODEL", name)
    }

    /// A further argument of the public process.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// A folder of course packs in place of the repository's own.
    #[must_use]
    pub fn courses(mut self, dir: &Path) -> Self {
        self.courses = Some(dir.to_owned());
        self
    }

    /// The binaries from this folder, in place of those beside the test.
    #[must_use]
    pub fn binaries(mut self, dir: &Path) -> Self {
        self.binaries = Some(dir.to_owned());
        self
    }

    /// The binary of one service from this folder; none: the one beside the test.
    #[must_use]
    pub fn binaries_of(mut self, service: Service, dir: Option<PathBuf>) -> Self {
        self.binaries_of.insert(service, dir);
        self
    }

    /// Where a service's binary is.
    pub(crate) fn folder_of(&self, service: Service) -> Option<PathBuf> {
        let of_all = || self.binaries.clone();
        self.binaries_of
            .get(&service)
            .cloned()
            .unwrap_or_else(of_all)
    }

    /// What a student has shown before the test begins.
    #[must_use]
    pub fn evidence(mut self, seed: Seed) -> Self {
        self.seeds.push(seed);
        self
    }

    /// Mutual TLS between the five processes, in place of the internal token, and TLS on the public port.
    #[must_use]
    pub fn mutual_tls(mut self) -> Self {
        self.tls = true;
        self
    }

    /// Nothing but the store is in Redis: queues, breakers and limits are those of one process each.
    #[must_use]
    pub fn keeping_to_itself(mut self) -> Self {
        self.keeps_to_itself = true;
        self
    }

    /// The proxy through which the gateway calls this service.
    #[must_use]
    pub fn proxy(mut self, service: Service, proxy: &Arc<FaultProxy>) -> Self {
        self.proxies.insert(service, Arc::clone(proxy));
        self
    }

    /// Two replicas of this service.
    #[must_use]
    pub fn twice(mut self, service: Service) -> Self {
        self.twice.insert(service);
        self
    }

    /// What Redis is told.
    #[must_use]
    pub fn redis(mut self, options: ServerOptions) -> Self {
        self.redis = options;
        self
    }

    /// A Redis that runs already, in place of a new one.
    #[must_use]
    pub fn on(mut self, server: RedisServer) -> Self {
        self.server = Some(server);
        self
    }

    /// A data directory that is there already, with its keys, in place of a new one.
    #[must_use]
    pub fn data_dir(mut self, root: &Path) -> Self {
        self.data_dir = Some(root.to_owned());
        self
    }

    /// What every process is told, before what the options say.
    pub(crate) fn common_env(&self) -> Vec<(String, String)> {
        let courses = self
            .courses
            .clone()
            .unwrap_or_else(|| repository().join("courses"));
        [
            ("LOG_FORMAT", "json"),
            ("LOG_FILTER", "info"),
            ("HELPER_RATE_LIMIT_PER_MINUTE", "1000000"),
            ("HELPER_READ_LIMIT_PER_MINUTE", "1000000"),
            ("HELPER_RATE_LIMIT_PER_IP_PER_MINUTE", "1000000"),
            ("COURSES_DIR", &courses.display().to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
    }
}
