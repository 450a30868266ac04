//! A client of the public face, as the command line uses it.

use std::{path::PathBuf, time::Duration};

use anyhow::{Context, Result, anyhow, bail};
use tonic::{
    Request,
    metadata::{Ascii, MetadataValue},
};
use turnwise_kit::{
    CallContext, Fault, Kit,
    client::{ClientOptions, GrpcClient, connect},
    tls::Tls,
};
use turnwise_proto::{
    context::v1::context_service_client::ContextServiceClient,
    placement::v1::placement_service_client::PlacementServiceClient,
    procedure::v1::procedure_help_service_client::ProcedureHelpServiceClient,
    tutor::v1::{
        CreateThreadRequest, TakeTurnRequest, TakeTurnResponse,
        tutor_service_client::TutorServiceClient,
    },
};
use uuid::Uuid;

use crate::data_dir::{DataDir, DevToken, running};

/// Where the public face is where nothing else is said.
const ENDPOINT: &str = "http://127.0.0.1:50050";
/// The tenant where nothing else is said.
const TENANT: &str = "default";

/// How to reach the public face.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct EndpointArgs {
    /// Where the public face is
    #[arg(long, env = "TURNWISE_ENDPOINT", default_value = ENDPOINT)]
    pub endpoint: String,
    /// The tenant to speak for
    #[arg(long, default_value = TENANT)]
    pub tenant: String,
    /// File with a token; without it a development token of a local `turnwise up` is made
    #[arg(long)]
    pub token_file: Option<PathBuf>,
    /// Data directory of the local `turnwise up`; found by the port where it is not given
    #[arg(long, env = "TURNWISE_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
    /// Authority that signed the certificate of an https endpoint, PEM
    #[arg(long)]
    pub ca_file: Option<PathBuf>,
}

/// How to reach the public face as a student.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct ConnectArgs {
    /// Where it is.
    #[command(flatten)]
    pub endpoint: EndpointArgs,
    /// The student to speak as
    #[arg(long)]
    pub student: String,
    /// The student's class
    #[arg(long = "class")]
    pub class: String,
    /// The course to speak about
    #[arg(long)]
    pub course: String,
    /// Seconds to wait for an answer (1 to 600)
    #[arg(long, default_value = "75", value_parser = clap::value_parser!(u64).range(1..=600))]
    pub timeout: u64,
}

impl EndpointArgs {
    /// These arguments as they are typed, each after a space; without those that have their default value.
    pub fn typed(&self) -> String {
        let file = |file: Option<&PathBuf>| file.map(|file| file.display().to_string());
        let endpoint = (self.endpoint != ENDPOINT).then(|| self.endpoint.clone());
        let tenant = (self.tenant != TENANT).then(|| self.tenant.clone());
        [
            ("--endpoint", endpoint),
            ("--tenant", tenant),
            ("--token-file", file(self.token_file.as_ref())),
            ("--data-dir", file(self.data_dir.as_ref())),
            ("--ca-file", file(self.ca_file.as_ref())),
        ]
        .into_iter()
        .filter_map(|(name, value)| value.map(|value| format!(" {name} {value}")))
        .collect()
    }

    /// The data directory of the local suite behind the endpoint.
    pub fn local_data_dir(&self) -> Result<PathBuf> {
        find_data_dir(self.data_dir.clone(), &self.endpoint)
    }

    /// A channel to the public face. It connects when it is first used.
    pub fn channel(&self) -> Result<GrpcClient> {
        let tls = self
            .ca_file
            .as_ref()
            .map(|file| {
                let pem = std::fs::read(file)
                    .with_context(|| format!("cannot read {}", file.display()))?;
                Tls::trusting(&pem)
                    .map_err(|problem| anyhow!("--ca-file {}: {problem}", file.display()))
            })
            .transpose()?;
        let options = ClientOptions {
            peer: "turnwise",
            token: None,
        };
        Ok(connect(
            &self.endpoint,
            tls.as_ref(),
            options,
            &Kit::for_tests(),
        )?)
    }

    /// What identifies the caller: the token from the file, or a development token of the local suite behind the
    /// endpoint.
    pub fn authorization(
        &self,
        role: &str,
        subject: &str,
        classes: &[String],
    ) -> Result<MetadataValue<Ascii>> {
        let token = match &self.token_file {
            Some(file) => std::fs::read_to_string(file)
                .with_context(|| format!("cannot read {}", file.display()))?
                .trim()
                .to_owned(),
            None => DataDir::open(&self.local_data_dir()?)?.mint(&DevToken {
                tenant: self.tenant.clone(),
                subject: subject.to_owned(),
                role: role.to_owned(),
                classes: classes.to_vec(),
                on_behalf_of: None,
                ttl_seconds: 3600,
            })?,
        };
        format!("Bearer {token}")
            .parse()
            .context("the token holds characters that no token has")
    }
}

impl ConnectArgs {
    /// What identifies the student.
    pub(crate) fn authorization(&self) -> Result<MetadataValue<Ascii>> {
        self.endpoint
            .authorization("student", &self.student, std::slice::from_ref(&self.class))
    }
}

/// A connected student.
pub struct Student {
    /// The public face.
    pub client: TutorServiceClient<GrpcClient>,
    /// What messages wait for.
    pub context: ContextServiceClient<GrpcClient>,
    /// Help with procedures.
    pub procedures: ProcedureHelpServiceClient<GrpcClient>,
    /// What the student knows already.
    pub placements: PlacementServiceClient<GrpcClient>,
    authorization: MetadataValue<Ascii>,
    args: ConnectArgs,
}

impl Student {
    /// Connects, with a token from a file or a development token.
    pub fn connect(args: ConnectArgs) -> Result<Self> {
        let channel = args.endpoint.channel()?;
        let authorization = args.authorization()?;
        Ok(Self {
            client: TutorServiceClient::new(channel.clone()),
            context: ContextServiceClient::new(channel.clone()),
            procedures: ProcedureHelpServiceClient::new(channel.clone()),
            placements: PlacementServiceClient::new(channel),
            authorization,
            args,
        })
    }

    /// Who speaks, about what, and where to.
    pub fn args(&self) -> &ConnectArgs {
        &self.args
    }

    /// How long to wait for an answer.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.args.timeout)
    }

    /// Takes a fresh token: a development token lasts an hour, and a file may have been written anew.
    pub fn renew(&mut self) -> Result<()> {
        self.authorization = self.args.authorization()?;
        Ok(())
    }

    /// Opens a thread about the course and tells its id.
    pub async fn create_thread(&mut self) -> Result<String, Fault> {
        let request = CreateThreadRequest {
            course_id: self.args.course.clone(),
            class_id: self.args.class.clone(),
            title: String::new(),
            idempotency_key: Uuid::new_v4().to_string(),
        };
        let request = self.request(request, self.timeout());
        let response = self
            .client
            .create_thread(request)
            .await
            .map_err(|status| Fault::from_status(&status))?;
        Ok(response.into_inner().thread.unwrap_or_default().thread_id)
    }

    /// Takes a turn.
    pub async fn take_turn(
        &mut self,
        mut turn: TakeTurnRequest,
    ) -> Result<TakeTurnResponse, Fault> {
        turn.course_id.clone_from(&self.args.course);
        if turn.idempotency_key.is_empty() {
            turn.idempotency_key = Uuid::new_v4().to_string();
        }
        let request = self.request(turn, self.timeout());
        self.client
            .take_turn(request)
            .await
            .map(tonic::Response::into_inner)
            .map_err(|status| Fault::from_status(&status))
    }

    /// A request of the student's that waits no longer than this.
    pub fn request<T>(&self, message: T, timeout: Duration) -> Request<T> {
        let mut request = CallContext::background(None, timeout).request(message);
        request
            .metadata_mut()
            .insert("authorization", self.authorization.clone());
        request
    }
}

/// The data directory that was named, or that of the suite which listens on the endpoint's port.
fn find_data_dir(named: Option<PathBuf>, endpoint: &str) -> Result<PathBuf> {
    if let Some(dir) = named {
        return Ok(dir);
    }
    let authority = endpoint
        .split_once("://")
        .map_or(endpoint, |(_, rest)| rest)
        .trim_end_matches('/');
    let (host, port) = authority.rsplit_once(':').unwrap_or((authority, ""));
    let local = matches!(host, "localhost" | "127.0.0.1" | "[::1]" | "0.0.0.0");
    if !local {
        bail!("`{endpoint}` is not on this machine; give a token with --token-file");
    }
    Ok(port
        .parse()
        .ok()
        .and_then(running::data_dir)
        .unwrap_or_else(DataDir::default_path))
}
