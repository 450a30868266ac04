//! Starting a deployment: its settings, its processes, and what its store holds before.

use std::{collections::BTreeMap, ffi::OsString};

use tempfile::TempDir;
use turnwise::data_dir::{DEV_ISSUER, DataDir, random_secret};
use turnwise_kit::{
    Kit,
    caller::InternalToken,
    client::{ClientOptions, connect},
};
use turnwise_testing::{ReservedPort, certificates::Certificates, redis::RedisServer};

use super::{Deployment, Running};
use crate::{
    evidence,
    options::{Kind, Options, Service},
    process::{Process, Program},
};

impl Deployment {
    /// The suite, deployed this way.
    pub async fn start(kind: Kind, options: Options) -> Self {
        match kind {
            Kind::OneProcess => Self::one_process(options).await,
            Kind::FiveProcesses | Kind::Grouped(_) => Self::over_tcp(kind, options).await,
        }
    }

    /// `turnwise up` on a data directory of its own.
    pub async fn one_process(options: Options) -> Self {
        assert!(
            !options.tls,
            "inside one process there is nothing to encrypt"
        );
        let home = tempfile::tempdir().unwrap();
        let data_dir = data_dir(&home, &options);
        let port = ReservedPort::new().unwrap();
        let mut env = options.common_env();
        env.push(listen(&port));
        env.push(("HELPER_LLM_BACKEND".to_owned(), "mock".to_owned()));
        env.push(("LLM_ALLOW_MOCK".to_owned(), "1".to_owned()));
        env.extend(options.env.clone());
        if !options.seeds.is_empty() {
            seed_embedded_store(&home, &data_dir, &options).await;
        }
        let mut args: Vec<OsString> = vec!["up".into(), "--data-dir".into()];
        args.push(data_dir.root().into());
        args.extend(options.args.clone());
        let suite = Running::start(Program {
            name: Service::Suite.binary(),
            folder: options.binaries,
            args,
            env,
            home: home.path().to_owned(),
        });
        Self {
            kind: Kind::OneProcess,
            data_dir,
            certificates: None,
            processes: BTreeMap::from([(Service::Suite, suite)]),
            seconds: BTreeMap::new(),
            internal_token: None,
            home,
            redis: None,
            _ports: vec![port],
        }
    }

    /// Five processes over TCP, and Redis.
    pub async fn five_processes(options: Options) -> Self {
        Self::over_tcp(Kind::FiveProcesses, options).await
    }

    /// gateway, policy and retrieval in one process, llm-gateway-svc and session-svc beside, and Redis.
    pub async fn three_processes(options: Options) -> Self {
        Self::over_tcp(Kind::THREE, options).await
    }

    async fn over_tcp(kind: Kind, mut options: Options) -> Self {
        let home = tempfile::tempdir().unwrap();
        let data_dir = data_dir(&home, &options);
        let running = options.server.take();
        let redis = running.unwrap_or_else(|| RedisServer::start_with(&options.redis).unwrap());
        let mut env = options.common_env();
        let mut set = |name: &str, value: String| env.push((name.to_owned(), value));
        set("HELPER_LLM_BACKEND", "mock".to_owned());
        set("LLM_ALLOW_MOCK", "1".to_owned());
        set("SESSION_STORE", redis.url());
        // Each process has a place of its own for what it keeps; this one has nothing to keep.
        set("RETRIEVAL_STORE", "memory".to_owned());
        if !options.keeps_to_itself {
            set("LLM_REDIS_URL", redis.url());
            if !options.twice.contains(&Service::Llm) {
                // Else its slots are not used for some seconds, as others may come that have them.
                set("QUEUE_REPLICAS", "1".to_owned());
            }
            set("GATEWAY_REDIS_URL", redis.url());
        }
        let archives = home.path().join("archives");
        set(
            "HELPER_CLASS_RESET_ARCHIVE_DIR",
            archives.display().to_string(),
        );
        set("JWT_ISSUER", DEV_ISSUER.to_owned());
        set("JWT_JWKS_FILE", data_dir.jwks_file().display().to_string());
        let token_keys = data_dir.drill_token_keys_file();
        set("DRILL_TOKEN_KEYS_FILE", token_keys.display().to_string());
        let scope_keys = data_dir.scope_token_keys_file();
        set("SCOPE_TOKEN_KEYS_FILE", scope_keys.display().to_string());

        let (certificates, internal_token) = if options.tls {
            let certificates = Certificates::make(home.path());
            for (name, file) in certificates.settings() {
                set(name, file);
            }
            (Some(certificates), None)
        } else {
            let secret = random_secret().unwrap();
            let file = home.path().join("internal-token");
            turnwise_testing::write_secret(&file, &secret).unwrap();
            set("INTERNAL_TOKEN_FILE", file.display().to_string());
            (None, InternalToken::new(&secret))
        };
        env.extend(options.env.clone());

        let mut ports = Vec::new();
        let mut program = |service: Service, env: &[(String, String)]| {
            let port = ReservedPort::new().unwrap();
            let mut env = env.to_vec();
            env.push(listen(&port));
            ports.push(port);
            Program {
                name: service.binary(),
                folder: options.folder_of(service),
                args: Vec::new(),
                env,
                home: home.path().to_owned(),
            }
        };
        let inside = kind.inside();
        let mut spawn = |wanted: &dyn Fn(&Service) -> bool| -> Vec<_> {
            let services = Service::INTERNAL.into_iter();
            services
                .filter(|service| !inside.contains(service) && wanted(service))
                .map(|service| (service, Starting::spawn(program(service, &env))))
                .collect()
        };
        // All at once, and then one wait: a process starts while the others do.
        let begun = spawn(&|_| true);
        let also = spawn(&|service| options.twice.contains(service));
        let started = |begun: Vec<(Service, Starting)>| -> BTreeMap<Service, Running> {
            let begun = begun.into_iter();
            begun
                .map(|(service, starting)| (service, starting.wait()))
                .collect()
        };
        let mut processes = started(begun);
        let mut seconds = started(also);
        let scheme = if options.tls { "https" } else { "http" };
        for (service, running) in &processes {
            let first = match options.proxies.get(service) {
                Some(proxy) => {
                    proxy.leads_to(running.at.address);
                    proxy.address()
                }
                None => running.at.address,
            };
            let mut endpoint = format!("{scheme}://{first}");
            if let Some(second) = seconds.get(service) {
                endpoint += &format!(",{scheme}://{}", second.at.address);
            }
            env.push((service.endpoint_setting().to_owned(), endpoint));
        }
        let mut public = Service::Gateway;
        let mut args: Vec<OsString> = Vec::new();
        if kind != Kind::FiveProcesses {
            public = Service::Suite;
            args = vec!["serve".into(), "--target".into(), targets(inside).into()];
            env.push(("INTERNAL_LISTEN".to_owned(), "127.0.0.1:0".to_owned()));
        }
        args.extend(options.args.clone());
        let mut gateway = || {
            Running::start(Program {
                args: args.clone(),
                ..program(public, &env)
            })
        };
        if options.twice.contains(&Service::Gateway) {
            seconds.insert(Service::Gateway, gateway());
        }
        processes.insert(public, gateway());
        let deployment = Self {
            kind,
            data_dir,
            certificates,
            processes,
            seconds,
            internal_token,
            home,
            redis: Some(redis),
            _ports: ports,
        };
        for seed in &options.seeds {
            evidence::commit(deployment.internal(Service::Session), seed).await;
        }
        deployment
    }
}

/// The data directory that the options name, or a new one.
fn data_dir(home: &TempDir, options: &Options) -> DataDir {
    let new = || home.path().join("data");
    DataDir::create(&options.data_dir.clone().unwrap_or_else(new)).unwrap()
}

struct Starting {
    program: Program,
    process: Process,
}

impl Starting {
    fn spawn(program: Program) -> Self {
        let process = Process::spawn(&program);
        Self { program, process }
    }

    fn wait(self) -> Running {
        let mut at = self.process.listening();
        let admin_is_set = self
            .program
            .env
            .iter()
            .any(|(name, _)| name == "ADMIN_LISTEN");
        if admin_is_set && at.admin.is_none() {
            at.admin = Some(self.process.printed_admin());
        }
        Running {
            program: self.program,
            process: self.process,
            at,
            earlier_logs: Vec::new(),
        }
    }
}

impl Running {
    pub(super) fn start(program: Program) -> Self {
        Starting::spawn(program).wait()
    }
}

/// What `turnwise serve --target` calls the gateway and these services.
fn targets(beside: &[Service]) -> String {
    let services = [&[Service::Gateway], beside].concat();
    let names = services.iter().map(|service| service.binary());
    let names: Vec<_> = names.map(|name| name.trim_end_matches("-svc")).collect();
    names.join(",")
}

/// The setting of a process that listens at this port.
fn listen(port: &ReservedPort) -> (String, String) {
    let address = format!("127.0.0.1:{}", port.number());
    ("LISTEN".to_owned(), address)
}

/// Writes evidence into the store of a suite that is not running yet: by session-svc, the only one that writes it.
async fn seed_embedded_store(home: &TempDir, data_dir: &DataDir, options: &Options) {
    let secret = random_secret().unwrap();
    let file = home.path().join("seed-token");
    turnwise_testing::write_secret(&file, &secret).unwrap();
    let store = turnwise::suite::embedded_store(&data_dir.session_store());
    let folder = options.folder_of(Service::Session);
    let mut session = Running::start(Program {
        name: Service::Session.binary(),
        // A folder with the suite alone has it from here.
        folder: folder.filter(|folder| folder.join(Service::Session.binary()).is_file()),
        args: Vec::new(),
        env: [
            ("LISTEN", "127.0.0.1:0".to_owned()),
            ("INTERNAL_TOKEN_FILE", file.display().to_string()),
            ("SESSION_STORE", store),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into(),
        home: home.path().to_owned(),
    });
    let peer = ClientOptions {
        peer: "session-svc",
        token: InternalToken::new(&secret),
    };
    let endpoint = format!("http://{}", session.at.address);
    for seed in &options.seeds {
        let client = connect(&endpoint, None, peer.clone(), &Kit::for_tests()).unwrap();
        evidence::commit(client, seed).await;
    }
    session.process.stop();
}
