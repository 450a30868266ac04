//! `turnwise up`: all five services in one process, on embedded defaults.

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use turnwise_kit::{
    Kit,
    clock::SystemClock,
    run::{Process, StartError, termination},
    settings::Given,
};
use turnwise_llm_gateway_svc::{BackendKind, BackendSettings, FindingKind, ollama_answers};

use crate::{
    context_window,
    data_dir::{DEV_AUDIENCE, DEV_ISSUER, DataDir, running},
    grouping::Grouping,
    suite::{self, SuiteSettings, embedded_store},
};

/// Arguments of `turnwise up`, for a process that a person starts at a terminal.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
#[command(
    mut_arg("log_format", |arg| arg.default_value("pretty")),
    mut_arg("log_filter", |arg| arg.default_value("warn"))
)]
pub struct UpArgs {
    /// Directory for the stores and the development keys; default: turnwise under the user's data directory
    #[arg(long, env = "TURNWISE_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
    /// The settings of the services.
    #[command(flatten)]
    pub suite: SuiteSettings,
}

/// What goes with JWT_ISSUER, and means nothing to development tokens.
const OF_AN_ISSUER: [&str; 3] = ["JWT_JWKS_FILE", "JWT_JWKS_URL", "JWT_AUDIENCE"];

/// Runs the suite until SIGTERM or SIGINT.
pub async fn run(args: UpArgs, given: &Given) -> Result<ExitCode, StartError> {
    for name in ["INTERNAL_LISTEN", "TURNWISE_TARGET"] {
        // A settings file may have it, too.
        if given.contains(name) || std::env::var_os(name).is_some() {
            return Err(format!(
                "{name} is set, and means nothing to `turnwise up`: unset it, or type `turnwise serve`"
            )
            .into());
        }
    }
    let dev_tokens = !given.contains("JWT_ISSUER");
    if dev_tokens && OF_AN_ISSUER.iter().any(|name| given.contains(name)) {
        let needed = "JWT_ISSUER is needed with JWT_JWKS_FILE, JWT_JWKS_URL or JWT_AUDIENCE";
        return Err(needed.into());
    }
    let mut kit = Kit::new(Arc::new(SystemClock));
    let telemetry = args.suite.server.telemetry("turnwise", &kit)?;
    let root = args.data_dir.unwrap_or_else(DataDir::default_path);
    let data_dir = DataDir::create(&root)?;
    let mut settings = args.suite;
    if !given.contains("SESSION_STORE") {
        settings.session.session_store = match embedded_store(&data_dir.session_store()).parse() {
            Ok(location) => location,
            Err(never) => match never {},
        };
    }
    if !given.contains("RETRIEVAL_STORE") {
        let location = embedded_store(&data_dir.retrieval_store());
        settings.retrieval.retrieval_store = match location.parse() {
            Ok(location) => location,
            Err(never) => match never {},
        };
    }
    if !given.contains("PACK_ARCHIVE_DIR") {
        settings.policy.courses.pack_archive_dir = Some(DataDir::packs(&root));
    }
    if !given.contains("PACK_ARCHIVE_DAYS") {
        settings.policy.courses.pack_archive_days = settings.session.turn_log_retention_days;
    }
    if !given.contains("DRILL_TOKEN_KEYS_FILE") {
        settings.gateway.drill_token_keys_file = Some(data_dir.drill_token_keys_file());
    }
    if !given.contains("SCOPE_TOKEN_KEYS_FILE") {
        settings.gateway.scope_token_keys_file = Some(data_dir.scope_token_keys_file());
    }
    if dev_tokens {
        settings.gateway.jwt_issuer = Some(DEV_ISSUER.to_owned());
        settings.gateway.jwt_audience = DEV_AUDIENCE.to_owned();
        settings.gateway.jwt_jwks_file = Some(data_dir.jwks_file());
        settings.gateway.jwt_jwks_url = None;
    }
    let chosen = choose_backend(&mut settings.llm, given).await;
    let model = model(&settings.llm.backends, chosen);
    if let Some(window) = context_window::finding(&settings)
        && window.kind != FindingKind::Good
    {
        tracing::warn!("{}: {}", window.about, window.text);
    }
    let courses = settings.policy.courses.courses_dir.display().to_string();
    let exam = match &settings.gateway.exam_endpoint {
        Some(endpoint) => format!("at {endpoint}"),
        None => format!(
            "built in; a wrong answer locks a question for {} h",
            settings.gateway.exam_lock_hours
        ),
    };

    if let Some(pages) = suite::page_tokens(&settings)? {
        kit.pages = pages;
    }
    let service = suite::service(&settings, &Grouping::all(), &kit).await?;
    let process = Process::start(&settings.server, service, kit).await?;
    let address = process.address();
    let noted = dev_tokens && note(&data_dir, address.port());
    let termination = termination()?;
    println!("listening turnwise {address}");
    println!(
        "  public    TutorService, HelperService and the staff's services, health and reflection on http://{address}"
    );
    println!("  inside    policy, retrieval, llm-gateway, session and gateway in this process");
    println!("  courses   {courses}");
    println!("  data      {}", data_dir.root().display());
    println!("  model     {model}");
    println!("  exams     {exam}");
    if let Some(admin) = process.admin {
        println!("  admin     http://{admin}/metrics");
    }
    if dev_tokens {
        let hint = if noted {
            String::new()
        } else {
            format!(" --data-dir {}", data_dir.root().display())
        };
        println!("Now type, in another terminal:");
        println!(
            "  turnwise chat --endpoint http://{address} --student ada --class 7b --course algebra-foundations{hint}"
        );
        println!("or, as the class's teacher:");
        println!(
            "  turnwise class watch 7b --endpoint http://{address} --course algebra-foundations{hint}"
        );
    }

    termination.await;
    eprintln!("draining");
    process.drain().await;
    if noted {
        running::forget(address.port());
    }
    telemetry.flush();
    Ok(ExitCode::SUCCESS)
}

/// Which model is called, for people. `chosen`: nobody named a backend.
fn model(backends: &BackendSettings, chosen: bool) -> String {
    let ollama = &backends.ollama_model;
    let at = backends.ollama_base_url.as_str().trim_end_matches('/');
    match backends.helper_llm_backend {
        BackendKind::Mock => format!(
            "{} (a stand-in for tests, no language model)",
            backends.mock_model
        ),
        BackendKind::None if chosen => format!(
            "none, for no Ollama with {ollama} answers at {at}: replies are the course's own; for a model's, start Ollama, \
             type `ollama pull {ollama}`, and start again"
        ),
        BackendKind::None => {
            "none: replies are the course's own; for a model's, name another HELPER_LLM_BACKEND"
                .to_owned()
        }
        BackendKind::Ollama => format!("{ollama} by Ollama at {at}"),
        BackendKind::Openai | BackendKind::OpenaiCompatible => backends.openai_model.clone(),
    }
}

/// Where nobody has chosen a backend: Ollama if it answers with the configured model, or if others stand in for it; else
/// none. Returns whether it had to choose.
pub(crate) async fn choose_backend(
    llm: &mut turnwise_llm_gateway_svc::Settings,
    given: &Given,
) -> bool {
    if given.contains("HELPER_LLM_BACKEND") {
        return false;
    }
    if llm.backends.llm_failover.is_empty() && !ollama_answers(&llm.backends).await {
        llm.backends.helper_llm_backend = BackendKind::None;
    }
    true
}

/// Lets `turnwise turn` find the development key for this port. Without a home directory it must be told.
fn note(data_dir: &DataDir, port: u16) -> bool {
    match running::note(port, data_dir.root()) {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(%error, "`turnwise turn` and `chat` will need --data-dir");
            false
        }
    }
}
