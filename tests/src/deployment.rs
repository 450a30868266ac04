//! The suite as it is deployed: `turnwise up` in one process, or five processes over TCP with a real Redis, or any of the
//! services in one of them. All have the same handle, so that a test need not know which one it talks to.

mod logs;
mod start;

use std::{collections::BTreeMap, net::SocketAddr, path::Path, time::Duration};

use tempfile::TempDir;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use turnwise::data_dir::DataDir;
use turnwise_kit::{
    Kit,
    caller::InternalToken,
    client::{ClientOptions, GrpcClient, connect},
};
use turnwise_testing::{ReservedPort, certificates::Certificates, redis::RedisServer};

use crate::{
    options::{Kind, Service},
    process::{Listening, Process, Program},
    student::Student,
    token,
};

/// How long a log line may take through its pipe.
const LOG_BOUND: Duration = Duration::from_secs(10);

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
    /// The process that has the public face.
    pub fn public_service(&self) -> Service {
        self.or_suite(Service::Gateway)
    }

    /// The process that does this service's work: itself, or the one that it shares.
    pub fn or_suite(&self, service: Service) -> Service {
        let grouped = self.kind != Kind::FiveProcesses && service == Service::Gateway;
        if grouped || self.kind.inside().contains(&service) {
            Service::Suite
        } else {
            service
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

    /// A connection to an internal service over TCP, as another process has it.
    pub fn internal(&self, service: Service) -> GrpcClient {
        let at = self.at(service);
        let endpoint = format!("http://{}", at.internal.unwrap_or(at.address));
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

    /// What opens the internal ports of five processes, as `authorization` metadata.
    pub fn internal_bearer(&self) -> String {
        let bearer = self.internal_token.as_ref().unwrap().bearer();
        bearer.to_str().unwrap().to_owned()
    }

    /// Starts a killed or stopped process again: the same settings, the same address.
    pub fn restart(&mut self, service: Service) {
        self.processes.get_mut(&service).unwrap().restart();
    }

    /// Starts a killed or stopped second replica again, as [`Self::restart`].
    pub fn restart_second(&mut self, service: Service) {
        self.seconds.get_mut(&service).unwrap().restart();
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
}

impl Running {
    fn restart(&mut self) {
        self.process.kill();
        let mut earlier_logs = std::mem::take(&mut self.earlier_logs);
        self.process.log().wait_for_end(LOG_BOUND);
        earlier_logs.extend(self.process.log().all());
        *self = Self {
            earlier_logs,
            ..Self::start(self.program.clone())
        };
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
