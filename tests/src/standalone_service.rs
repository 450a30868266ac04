//! One service alone, as a real process: started, killed, started again on the same store, and called as the gateway
//! calls it.

use rustix::process::Signal;
use tempfile::TempDir;
use turnwise_kit::{
    Kit,
    caller::InternalToken,
    client::{ClientOptions, GrpcClient, connect},
};
use uuid::Uuid;

use crate::{
    options::Service,
    process::{Process, Program, repository},
};

/// A service. It ends with the value.
pub struct StandaloneService {
    service: Service,
    program: Program,
    process: Process,
    token: InternalToken,
    client: GrpcClient,
    _home: TempDir,
}

impl StandaloneService {
    /// session-svc on this store (a value of SESSION_STORE) with further settings; returns once it takes calls.
    pub fn session(store: &str, settings: &[(&str, &str)]) -> Self {
        let own = [
            // In the process's home.
            ("HELPER_CLASS_RESET_ARCHIVE_DIR", "archives"),
            ("SESSION_STORE", store),
        ];
        Self::start(Service::Session, &[&own, settings].concat())
    }

    /// retrieval-svc on this store (a value of RETRIEVAL_STORE) with the demo course and further settings; returns once
    /// it takes calls.
    pub fn retrieval(store: &str, settings: &[(&str, &str)]) -> Self {
        let courses = repository().join("courses").display().to_string();
        let own = [
            ("COURSES_DIR", courses.as_str()),
            ("RETRIEVAL_STORE", store),
        ];
        Self::start(Service::Retrieval, &[&own, settings].concat())
    }

    fn start(service: Service, settings: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let secret = Uuid::new_v4().to_string();
        let token_file = home.path().join("internal-token");
        turnwise_testing::write_secret(&token_file, &secret).unwrap();
        let token_file = token_file.display().to_string();
        let usual = [
            ("LISTEN", "127.0.0.1:0"),
            ("LOG_FORMAT", "json"),
            ("INTERNAL_TOKEN_FILE", token_file.as_str()),
        ];
        let env = usual
            .iter()
            .chain(settings)
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let program = Program {
            name: service.binary(),
            folder: None,
            args: Vec::new(),
            env: env.collect(),
            home: home.path().to_owned(),
        };
        let token = InternalToken::new(&secret).unwrap();
        let process = Process::spawn(&program);
        let client = client_of(service, &process, &token);
        Self {
            service,
            program,
            process,
            token,
            client,
            _home: home,
        }
    }

    /// A connection to it, as another service has it. It ends with this life of the process.
    pub fn client(&self) -> GrpcClient {
        self.client.clone()
    }

    /// What ends this life of the process as a crash would (SIGKILL), from anywhere; it returns when that is gone.
    pub fn killer(&self) -> impl FnOnce() + Send + 'static {
        self.process.striker(Signal::KILL)
    }

    /// Ends it as a crash would, if it has not ended, and starts it again on the same store; returns once it takes calls,
    /// at another address.
    pub fn start_again(&mut self) {
        self.process.kill();
        self.nothing_panicked();
        self.process = Process::spawn(&self.program);
        self.client = client_of(self.service, &self.process, &self.token);
    }

    /// Ends it in an orderly way.
    pub fn stop(&mut self) {
        self.process.stop();
        self.nothing_panicked();
    }

    fn nothing_panicked(&self) {
        let log = self.process.log().all();
        assert!(
            !log.iter().any(|line| line.contains("panicked")),
            "{}",
            log.join("\n")
        );
    }
}

fn client_of(service: Service, process: &Process, token: &InternalToken) -> GrpcClient {
    let endpoint = format!("http://{}", process.listening().address);
    let options = ClientOptions {
        peer: service.binary(),
        token: Some(token.clone()),
    };
    connect(&endpoint, None, options, &Kit::for_tests()).unwrap()
}
