//! session-svc alone, as a real process: started, killed, started again on the same store, and called as the gateway
//! calls it.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use turnwise_kit::{
    Kit,
    caller::InternalToken,
    client::{ClientOptions, GrpcClient, connect},
};
use uuid::Uuid;

use crate::{
    options::Service,
    process::{Process, Program},
};

/// A session-svc. It ends with the value.
pub struct SessionProcess {
    program: Program,
    process: Process,
    token: InternalToken,
    client: GrpcClient,
    _home: TempDir,
}

impl SessionProcess {
    /// Starts it on this store (a value of SESSION_STORE) with further settings, and returns once it takes calls.
    pub fn start(store: &str, settings: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let secret = Uuid::new_v4().to_string();
        let token_file = home.path().join("internal-token");
        fs::write(&token_file, &secret).unwrap();
        let archives = home.path().join("archives");
        let mut env: Vec<(String, String)> = [
            ("LISTEN", "127.0.0.1:0"),
            ("LOG_FORMAT", "json"),
            ("INTERNAL_TOKEN_FILE", &token_file.display().to_string()),
            (
                "HELPER_CLASS_RESET_ARCHIVE_DIR",
                &archives.display().to_string(),
            ),
            ("SESSION_STORE", store),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        env.extend(
            settings
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        );
        let program = Program {
            name: Service::Session.binary(),
            args: Vec::new(),
            env,
            home: home.path().to_owned(),
        };
        let token = InternalToken::new(&secret).unwrap();
        let process = Process::spawn(&program);
        let client = client_of(&process, &token);
        Self {
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

    /// What ends this life of the process as a crash would (SIGKILL), from anywhere and without waiting.
    pub fn killer(&self) -> impl FnOnce() + Send + 'static {
        let pid = Pid::from_raw(i32::try_from(self.process.id()).unwrap()).unwrap();
        // The process is not waited for before it is started again, so the id stands for no other.
        move || kill_process(pid, Signal::KILL).unwrap()
    }

    /// Ends it as a crash would, if it has not ended, and starts it again on the same store; returns once it takes calls,
    /// at another address.
    pub fn start_again(&mut self) {
        self.process.kill();
        self.nothing_panicked();
        self.process = Process::spawn(&self.program);
        self.client = client_of(&self.process, &self.token);
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

fn client_of(process: &Process, token: &InternalToken) -> GrpcClient {
    let endpoint = format!("http://{}", process.listening().address);
    let options = ClientOptions {
        peer: "session-svc",
        token: Some(token.clone()),
    };
    connect(&endpoint, None, options, &Kit::for_tests()).unwrap()
}
