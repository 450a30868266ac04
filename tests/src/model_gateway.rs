//! llm-gateway-svc alone, as one process or as several with one Redis, and clients who are students of classes.

use std::{net::SocketAddr, path::Path, time::Duration};

use tempfile::TempDir;
use turnwise_kit::{
    CallContext, Caller, Kit,
    caller::InternalToken,
    client::{ClientOptions, GrpcClient, connect},
};

use crate::process::{Process, Program, binary, clean_command};

/// The binary.
const BINARY: &str = "llm-gateway-svc";
/// The setting that gives it a Redis, in which replicas share their queues.
pub const REDIS_SETTING: &str = "LLM_REDIS_URL";
/// What opens its listener.
const TOKEN: &str = "a-token-of-tests-and-benchmarks-0123456789";

/// One replica. It ends when the value is dropped.
pub struct ModelGateway {
    /// The process.
    pub process: Process,
    /// Where it takes calls.
    pub address: SocketAddr,
    /// The admin port, if it has one.
    pub admin: Option<SocketAddr>,
    _home: TempDir,
}

impl ModelGateway {
    /// Starts a replica that calls the OpenAI-compatible server at `model_url`. A later setting wins over an earlier one.
    pub fn start(model_url: &str, settings: &[(&str, String)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let token_file = home.path().join("internal-token");
        turnwise_testing::write_secret(&token_file, TOKEN).unwrap();
        let mut env: Vec<(String, String)> = [
            ("LISTEN", "127.0.0.1:0".to_owned()),
            ("LOG_FILTER", "warn".to_owned()),
            ("INTERNAL_TOKEN_FILE", token_file.display().to_string()),
            ("HELPER_LLM_BACKEND", "openai_compatible".to_owned()),
            ("OPENAI_BASE_URL", model_url.to_owned()),
            ("OPENAI_MODEL", "model".to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        env.extend(
            settings
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone())),
        );
        let process = Process::spawn(&Program {
            name: BINARY,
            folder: None,
            args: Vec::new(),
            env,
            home: home.path().to_owned(),
        });
        let listening = process.listening();
        Self {
            process,
            address: listening.address,
            admin: listening.admin,
            _home: home,
        }
    }

    /// A connection of its own, as another service has it.
    pub fn client(&self) -> GrpcClient {
        let options = ClientOptions {
            peer: BINARY,
            token: InternalToken::new(TOKEN),
        };
        let endpoint = format!("http://{}", self.address);
        connect(&endpoint, None, options, &Kit::for_tests()).unwrap()
    }
}

/// Whether the binary that would be started has this setting.
pub fn has_setting(name: &str) -> bool {
    let help = clean_command(&binary(BINARY), Path::new("/"))
        .arg("--help")
        .output()
        .unwrap();
    String::from_utf8_lossy(&help.stdout).contains(name)
}

/// The context of a student's call.
pub fn student_call(name: &str, class: &str, timeout: Duration) -> CallContext {
    let caller = Caller {
        tenant: "default".to_owned(),
        subject: name.to_owned(),
        role: "student".to_owned(),
        groups: vec![class.to_owned()],
    };
    CallContext::background(Some(caller), timeout)
}
