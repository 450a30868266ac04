//! The suite as it is deployed: `turnwise up` in one process, or five processes over TCP with a real Redis. Both have the
//! same handle, so that a test need not know which one it talks to.

use std::{collections::BTreeMap, ffi::OsString, fs, net::SocketAddr, path::Path, time::Duration};

use serde_json::Value;
use tempfile::TempDir;
use tokio::time::Instant;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use turnwise::data_dir::{DEV_ISSUER, DataDir, random_secret};
use turnwise_kit::{
    Kit,
    caller::InternalToken,
    client::{ClientOptions, GrpcClient, connect},
};
use turnwise_testing::{ReservedPort, redis::RedisServer};

use crate::{
    answer::Decision,
    certificates::Certificates,
    evidence::{self, Seed},
    options::{Kind, Options, Service},
    process::{Listening, Process, Program},
    student::Student,
    token,
};

/// How long a log line may take through its pipe.
const LOG_BOUND: Duration = Duration::from_secs(10);
/// How long one of two logs is watched at a time.
const LOG_PERIOD: Duration = Duration::from_millis(20);

/// A running suite. Its processes end with the value.
pub struct Deployment {
    /// How it is deployed.
    pub kind: Kind,
    /// The keys of its issuer; in one process also the store.
    pub data_dir: DataDir,
    /// The certificates of a deployment with TLS.
    pub certificates: Option<Certificates>,
    processes: BTreeMap<Service, Running>,
    /// The second replicas.
    seconds: BTreeMap<Service, Running>,
    internal_token: Option<InternalToken>,
    home: TempDir,
    redis: Option<RedisServer>,
    /// Where the processes listen: nobody else takes the port of one that is down.
    _ports: Vec<ReservedPort>,
}

struct Running {
    program: Program,
    process: Process,
    at: Listening,
    /// The logs of its earlier lives.
    earlier_logs: Vec<String>,
}

impl Deployment {
    /// The suite, deployed this way.
    pub async fn start(kind: Kind, options: Options) -> Self {
        match kind {
            Kind::OneProcess => Self::one_process(options).await,
            Kind::FiveProcesses => Self::five_processes(options).await,
        }
    }

    /// `turnwise up` on a data directory of its own.
    pub async fn one_process(options: Options) -> Self {
        assert!(
            !options.tls,
            "inside one process there is nothing to encrypt"
        );
        let home = tempfile::tempdir().unwrap();
        let data_dir = DataDir::create(&home.path().join("data")).unwrap();
        let port = ReservedPort::new().unwrap();
        let mut env = options.common_env();
        env.push(listen(&port));
        env.push(("HELPER_LLM_BACKEND".to_owned(), "mock".to_owned()));
        env.extend(options.env);
        if !options.seeds.is_empty() {
            seed_embedded_store(&home, &data_dir, &options.seeds).await;
        }
        let mut args: Vec<OsString> = vec!["up".into(), "--data-dir".into()];
        args.push(data_dir.root().into());
        args.extend(options.args);
        let suite = Running::start(Program {
            name: Service::Suite.binary(),
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
        let home = tempfile::tempdir().unwrap();
        let data_dir = DataDir::create(&home.path().join("data")).unwrap();
        let redis = RedisServer::start_with(&options.redis).unwrap();
        let mut env = options.common_env();
        let mut set = |name: &str, value: String| env.push((name.to_owned(), value));
        set("HELPER_LLM_BACKEND", "mock".to_owned());
        set("SESSION_STORE", redis.url());
        // Each process has a place of its own for what it keeps; this one has nothing to keep.
        set("RETRIEVAL_STORE", "memory".to_owned());
        if !options.keeps_to_itself {
            set("LLM_REDIS_URL", redis.url());
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

        let (certificates, internal_token) = if options.tls {
            let certificates = Certificates::make(home.path());
            for (name, file) in certificates.settings() {
                set(name, file);
            }
            (Some(certificates), None)
        } else {
            let secret = random_secret().unwrap();
            let file = home.path().join("internal-token");
            fs::write(&file, &secret).unwrap();
            set("INTERNAL_TOKEN_FILE", file.display().to_string());
            (None, InternalToken::new(&secret))
        };
        env.extend(options.env);

        let mut ports = Vec::new();
        let mut program = |service: Service, env: &[(String, String)]| {
            let port = ReservedPort::new().unwrap();
            let mut env = env.to_vec();
            env.push(listen(&port));
            ports.push(port);
            Program {
                name: service.binary(),
                args: Vec::new(),
                env,
                home: home.path().to_owned(),
            }
        };
        // All at once, and then one wait: a process starts while the others do.
        let begun: Vec<_> = Service::INTERNAL
            .map(|service| (service, Starting::spawn(program(service, &env))))
            .into();
        let also = Service::INTERNAL
            .into_iter()
            .filter(|service| options.twice.contains(service));
        let also: Vec<_> = also
            .map(|service| (service, Starting::spawn(program(service, &env))))
            .collect();
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
            let first = match options.ways.get(service) {
                Some(way) => {
                    way.leads_to(running.at.address);
                    way.address()
                }
                None => running.at.address,
            };
            let mut endpoint = format!("{scheme}://{first}");
            if let Some(second) = seconds.get(service) {
                endpoint += &format!(",{scheme}://{}", second.at.address);
            }
            env.push((service.endpoint_setting().to_owned(), endpoint));
        }
        let mut gateway = || {
            Running::start(Program {
                args: options.args.clone(),
                ..program(Service::Gateway, &env)
            })
        };
        if options.twice.contains(&Service::Gateway) {
            seconds.insert(Service::Gateway, gateway());
        }
        processes.insert(Service::Gateway, gateway());
        let deployment = Self {
            kind: Kind::FiveProcesses,
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

    /// The process that has the public face.
    pub fn public_service(&self) -> Service {
        self.or_suite(Service::Gateway)
    }

    /// The process that does this service's work: itself, or the one that does everything.
    pub fn or_suite(&self, service: Service) -> Service {
        match self.kind {
            Kind::OneProcess => Service::Suite,
            Kind::FiveProcesses => service,
        }
    }

    /// The services of the deployment.
    pub fn services(&self) -> Vec<Service> {
        self.processes.keys().copied().collect()
    }

    /// Where the public face is.
    pub fn address(&self) -> SocketAddr {
        self.processes[&self.public_service()].at.address
    }

    /// Where the public face is, as a URL.
    pub fn endpoint(&self) -> String {
        let scheme = if self.certificates.is_some() {
            "https"
        } else {
            "http"
        };
        format!("{scheme}://{}", self.address())
    }

    /// Where a service takes calls, and its admin port.
    pub fn at(&self, service: Service) -> Listening {
        self.processes[&self.or_suite(service)].at
    }

    /// The home directory of the processes.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// A connection to the public face. It connects when it is first used.
    pub fn channel(&self) -> Channel {
        let endpoint = Endpoint::from_shared(self.endpoint()).unwrap();
        match &self.certificates {
            Some(certificates) => {
                let authority = Certificate::from_pem(&certificates.authority);
                let tls = ClientTlsConfig::new().ca_certificate(authority);
                endpoint.tls_config(tls).unwrap().connect_lazy()
            }
            None => endpoint.connect_lazy(),
        }
    }

    /// A student of class `7b`, with a connection of their own.
    pub fn student(&self, id: &str) -> Student {
        let token = token::student(&self.data_dir, id, Student::CLASS);
        Student::new(id, &token, self.channel())
    }

    /// A connection to an internal service of five processes, as another service has it.
    pub fn internal(&self, service: Service) -> GrpcClient {
        let endpoint = format!("http://{}", self.processes[&service].at.address);
        let options = ClientOptions {
            peer: service.binary(),
            token: self.internal_token.clone(),
        };
        connect(&endpoint, None, options, &Kit::for_tests()).unwrap()
    }

    /// The Redis of five processes.
    pub fn redis(&self) -> Option<&RedisServer> {
        self.redis.as_ref()
    }

    /// The Redis of five processes, to kill it and to start it again.
    pub fn redis_mut(&mut self) -> &mut RedisServer {
        self.redis.as_mut().expect("one process has no Redis")
    }

    /// The ids of the processes, without Redis.
    pub fn process_ids(&self) -> Vec<u32> {
        self.processes
            .values()
            .map(|running| running.process.id())
            .collect()
    }

    /// The id of a service's process.
    pub fn process_id(&self, service: Service) -> u32 {
        self.processes[&self.or_suite(service)].process.id()
    }

    /// The running process.
    pub fn process(&mut self, service: Service) -> &mut Process {
        &mut self.processes.get_mut(&service).unwrap().process
    }

    /// The second replica of a service.
    pub fn second(&mut self, service: Service) -> &mut Process {
        &mut self.seconds.get_mut(&service).unwrap().process
    }

    /// The same student at the second gateway.
    pub fn at_second_gateway(&self, student: &Student) -> Student {
        let address = self.seconds[&Service::Gateway].at.address;
        let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
        Student::new(&student.id, &student.token, endpoint.connect_lazy())
    }

    /// Ends a process as a crash would.
    pub fn kill(&mut self, service: Service) {
        self.process(service).kill();
    }

    /// Starts a killed or stopped process again: the same settings, the same address.
    pub fn restart(&mut self, service: Service) {
        let running = self.processes.get_mut(&service).unwrap();
        running.process.kill();
        let mut earlier_logs = std::mem::take(&mut running.earlier_logs);
        running.process.log().wait_for_end(LOG_BOUND);
        earlier_logs.extend(running.process.log().all());
        *running = Running {
            earlier_logs,
            ..Running::start(running.program.clone())
        };
    }

    /// Starts the process that calls models again, with another mock model.
    pub fn use_model(&mut self, model: &str) {
        let service = self.or_suite(Service::Llm);
        let running = self.processes.get_mut(&service).unwrap();
        running
            .program
            .env
            .push(("MOCK_MODEL".to_owned(), model.to_owned()));
        running.process.stop();
        self.restart(service);
    }

    /// The decision of a turn, as the gateway logs it.
    pub fn decision(&self, turn_id: &str) -> Decision {
        let running = &self.processes[&self.public_service()];
        let of_turn = |line: &str| Decision::read(line).filter(|d| d.turn_id == turn_id);
        running
            .earlier_logs
            .iter()
            .find_map(|line| of_turn(line))
            .or_else(|| running.process.log().wait_for(LOG_BOUND, of_turn))
            .unwrap_or_else(|| panic!("the turn {turn_id} is not in the log"))
    }

    /// How long a call was under way in the gateway until its answer left, as the gateway logs it; every call is logged
    /// where LOG_FILTER has `turnwise_kit=debug`.
    pub fn answered_after(&self, request_id: &str) -> Duration {
        let answered = |line: &str| {
            let line: Value = serde_json::from_str(line).ok()?;
            let of_this = line["span"]["request_id"] == request_id;
            let ms = line["ms"].as_f64().filter(|_| of_this)?;
            Some(Duration::from_secs_f64(ms / 1000.0))
        };
        // Either gateway may have taken it, and a log line takes its time.
        let gateways = [
            self.processes.get(&self.public_service()),
            self.seconds.get(&Service::Gateway),
        ];
        let until = Instant::now() + LOG_BOUND;
        std::iter::from_fn(|| (Instant::now() < until).then_some(()))
            .flat_map(|()| gateways.iter().flatten())
            .find_map(|running| running.process.log().wait_for(LOG_PERIOD, answered))
            .unwrap_or_else(|| panic!("the call {request_id} is not in the log"))
    }

    /// Everything that any process has logged so far, each line after its process's name.
    pub fn logs(&self) -> Vec<String> {
        self.processes
            .values()
            .chain(self.seconds.values())
            .flat_map(|running| {
                running
                    .earlier_logs
                    .iter()
                    .cloned()
                    .chain(running.process.log().all())
                    .map(|line| format!("{}: {line}", running.program.name))
            })
            .collect()
    }

    /// Stops every process in an orderly way, and insists that none of them panicked.
    pub fn stop(&mut self) {
        let mut order = self.services();
        // The public face first, so that nothing is called that has gone.
        order.reverse();
        for service in order {
            self.process(service).stop();
        }
        self.nothing_panicked();
    }

    /// Insists that no process has panicked.
    pub fn nothing_panicked(&self) {
        let panics: Vec<_> = self
            .logs()
            .into_iter()
            .filter(|line| line.contains("panicked"))
            .collect();
        assert!(panics.is_empty(), "{}", panics.join("\n"));
    }
}

impl Drop for Deployment {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The test's own output shows what the suite said.
            for line in self.logs() {
                println!("{line}");
            }
        }
    }
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
    fn start(program: Program) -> Self {
        Starting::spawn(program).wait()
    }
}

/// The setting of a process that listens at this port.
fn listen(port: &ReservedPort) -> (String, String) {
    let address = format!("127.0.0.1:{}", port.number());
    ("LISTEN".to_owned(), address)
}

/// Writes evidence into the store of a suite that is not running yet: by session-svc, the only one that writes it.
async fn seed_embedded_store(home: &TempDir, data_dir: &DataDir, seeds: &[Seed]) {
    let secret = random_secret().unwrap();
    let file = home.path().join("seed-token");
    fs::write(&file, &secret).unwrap();
    let store = turnwise::suite::embedded_store(&data_dir.session_store());
    let mut session = Running::start(Program {
        name: Service::Session.binary(),
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
    let options = ClientOptions {
        peer: "session-svc",
        token: InternalToken::new(&secret),
    };
    let endpoint = format!("http://{}", session.at.address);
    for seed in seeds {
        let client = connect(&endpoint, None, options.clone(), &Kit::for_tests()).unwrap();
        evidence::commit(client, seed).await;
    }
    session.process.stop();
}
