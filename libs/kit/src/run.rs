//! The frame of a main: settings, telemetry, a runtime, a listener, and an orderly end.

use std::{
    error::Error, future::Future, net::SocketAddr, process::ExitCode, sync::Arc, time::Duration,
};

use clap::{CommandFactory, FromArgMatches};
use tonic::service::Routes;

use crate::{
    Kit, PageTokens,
    admin::{self, Readiness},
    clock::SystemClock,
    connections::ConnectionLimits,
    server::{self, Listener, Running},
    settings::{self, ServerSettings, SettingsError},
    stack::{Authenticator, DeadlineRule, InternalAuth, Stack},
    tls::Tls,
};

/// A turn makes and drops thousands of small messages, headers and spans across threads; the system's allocator took
/// nearly a fifth of its CPU.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Anything that stops a start; its message tells the operator what to do.
pub type StartError = Box<dyn Error + Send + Sync>;

/// What a process serves on one listener.
pub struct Service {
    /// The routes, without the stack.
    pub routes: Routes,
    /// The full names of the services.
    pub names: Vec<&'static str>,
    /// How callers prove who they are; `None`: the rule of internal listeners.
    pub auth: Option<Arc<dyn Authenticator>>,
    /// How long a call may take.
    pub deadline: DeadlineRule,
    /// What the process also serves, to the suite's other processes, and where.
    pub beside: Option<(SocketAddr, Box<Service>)>,
}

impl Service {
    /// What the suite's own services alone may call.
    pub fn internal(routes: Routes, names: &[&'static str]) -> Self {
        Self {
            routes,
            names: names.to_vec(),
            auth: None,
            deadline: DeadlineRule::default(),
            beside: None,
        }
    }
}

/// Runs a service binary: reads settings, starts what `build` makes, and drains on SIGTERM or SIGINT.
///
/// It prints one line, `listening NAME ADDRESS`, when it takes calls.
pub fn service<C, F, Fut>(
    name: &'static str,
    defaults: &[(&str, &str)],
    server: fn(&C) -> &ServerSettings,
    build: F,
) -> ExitCode
where
    C: CommandFactory + FromArgMatches,
    F: FnOnce(C, Kit) -> Fut,
    Fut: Future<Output = Result<Service, StartError>>,
{
    let cli = match settings::parse::<C>(std::env::args_os(), defaults) {
        Ok((cli, _)) => cli,
        Err(error) => return settings_failed(&error),
    };
    let server_settings = server(&cli).clone();
    block_on(server_settings.worker_threads, async {
        serve(name, server_settings, |kit| build(cli, kit)).await
    })
}

/// Says what is wrong with the settings, as clap would, and gives the exit code.
pub fn settings_failed(error: &SettingsError) -> ExitCode {
    if let SettingsError::Clap(error) = error {
        // Help and version go to standard output and are no failure.
        let _ = error.print();
        return if error.use_stderr() {
            ExitCode::from(2)
        } else {
            ExitCode::SUCCESS
        };
    }
    eprintln!("error: {error}");
    ExitCode::from(2)
}

/// Runs a program in a fresh runtime and prints its failure with its causes. The runtime has so many worker threads, or as
/// many as the machine has cores.
pub fn block_on<T: Into<ExitCode>>(
    worker_threads: Option<u16>,
    program: impl Future<Output = Result<T, StartError>>,
) -> ExitCode {
    // Installed once for the whole process; a second time is no fault.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    if let Some(threads) = worker_threads {
        runtime.worker_threads(threads.into());
    }
    let runtime = match runtime.enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("error: the async runtime does not start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let result = runtime.block_on(program);
    runtime.shutdown_timeout(Duration::from_secs(1));
    match result {
        Ok(code) => code.into(),
        Err(error) => {
            eprintln!("error: {}", with_causes(error.as_ref()));
            ExitCode::FAILURE
        }
    }
}

fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut out = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        out.push_str("\n  because: ");
        out.push_str(&cause.to_string());
        source = cause.source();
    }
    out
}

/// Starts what `build` makes, and drains on SIGTERM or SIGINT; prints `listening NAME ADDRESS` when it takes calls.
///
/// # Errors
///
/// If something stops the start.
pub async fn serve<F, Fut>(
    name: &'static str,
    settings: ServerSettings,
    build: F,
) -> Result<ExitCode, StartError>
where
    F: FnOnce(Kit) -> Fut,
    Fut: Future<Output = Result<Service, StartError>>,
{
    settings.check_listeners()?;
    let mut kit = Kit::new(Arc::new(SystemClock));
    let telemetry = settings.telemetry(name, &kit)?;
    // What all replicas share. An authority's certificate is no secret; but then only services that it vouches for ask for
    // pages, and a page's token grants nothing that the call does not.
    if let Some(token) = settings.internal_token(&kit)? {
        kit.pages = PageTokens::of(move || token.bearers());
    } else if let Some(tls) = settings.tls(&kit)?.filter(Tls::trusts) {
        kit.pages = PageTokens::of(move || tls.authority());
    }
    let service = build(kit.clone()).await?;
    let process = Process::start(&settings, service, kit).await?;
    let termination = termination()?;
    let at = |what: &str, address: Option<SocketAddr>| match address {
        Some(address) => format!(" {what} {address}"),
        None => String::new(),
    };
    let beside = at("internal", process.internal()) + &at("admin", process.admin);
    println!("listening {name} {}{beside}", process.address());
    tracing::info!(address = %process.address(), "listening");

    termination.await;
    tracing::info!("draining");
    process.drain().await;
    telemetry.flush();
    Ok(ExitCode::SUCCESS)
}

/// A process that takes calls.
pub struct Process {
    /// Where its admin port is, if it has one.
    pub admin: Option<SocketAddr>,
    running: Running,
    beside: Option<Running>,
    kit: Kit,
}

impl Process {
    /// Starts the listeners of a process.
    ///
    /// # Errors
    ///
    /// If an address is taken, or a setting cannot be used.
    pub async fn start(
        settings: &ServerSettings,
        mut service: Service,
        kit: Kit,
    ) -> Result<Self, StartError> {
        let mut limits = settings.connection_limits()?;
        let ready = Readiness::default();
        let admin = match settings.admin_listen {
            Some(at) => Some(admin::serve(at, &kit, ready.clone(), limits).await?),
            None => None,
        };
        let beside = match service.beside.take() {
            Some((at, beside)) => {
                let few = ConnectionLimits {
                    most: limits.most / 4,
                    ..limits
                };
                limits.most -= few.most;
                let listener = listener(settings, ("INTERNAL_LISTEN", at), *beside, few, &kit)?;
                // The process is ready when it takes the calls of its first listener.
                Some(server::start(listener, &kit, Readiness::default()).await?)
            }
            None => None,
        };
        let listener = listener(settings, ("LISTEN", settings.listen), service, limits, &kit)?;
        Ok(Self {
            admin,
            running: server::start(listener, &kit, ready).await?,
            beside,
            kit,
        })
    }

    /// Where it takes calls.
    pub fn address(&self) -> SocketAddr {
        self.running.address
    }

    /// Where it takes the calls of the suite's other processes, if that is another place.
    pub fn internal(&self) -> Option<SocketAddr> {
        self.beside.as_ref().map(|beside| beside.address)
    }

    /// Ends the process in order: a call that another process makes for one of ours is still taken.
    pub async fn drain(self) {
        if let Some(beside) = &self.beside {
            beside.leave().await;
        }
        self.running.drain().await;
        if let Some(beside) = self.beside {
            beside.finish().await;
        }
        self.kit.shutdown.cancel();
        self.kit.served.cancel();
        finish_tasks(&self.kit).await;
    }
}

fn listener(
    settings: &ServerSettings,
    (setting, listen): (&'static str, SocketAddr),
    service: Service,
    connections: ConnectionLimits,
    kit: &Kit,
) -> Result<Listener, SettingsError> {
    let tls = settings.tls(kit)?;
    let authority = tls.as_ref().is_some_and(Tls::trusts);
    let client_certificates = service.auth.is_none() && authority;
    let auth = match (service.auth, settings.internal_token(kit)?) {
        (Some(auth), _) => auth,
        (None, token) if authority => Arc::new(InternalAuth::mutual_tls(token)),
        (None, Some(token)) => Arc::new(InternalAuth::token(token)),
        (None, None) => return Err(SettingsError::NoProof),
    };
    Ok(Listener {
        listen,
        setting,
        services: service.names,
        routes: service.routes,
        stack: Stack {
            metrics: kit.metrics.clone(),
            auth,
            deadline: service.deadline,
            max_in_flight: settings.max_in_flight as usize,
            drain: kit.drain.clone(),
        },
        tls,
        client_certificates,
        connections,
        drain_delay: Duration::from_secs(settings.drain_delay_seconds),
        drain_timeout: Duration::from_secs(settings.drain_timeout_seconds),
    })
}

/// Catches SIGTERM and SIGINT from now on; the future ends with the first of them. Called before a process says that it
/// listens, so that whoever reads that line can end it in an orderly way at once.
pub fn termination() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Waits, within a bound, for the process's background tasks.
async fn finish_tasks(kit: &Kit) {
    kit.tasks.close();
    if tokio::time::timeout(Duration::from_secs(5), kit.tasks.wait())
        .await
        .is_err()
    {
        tracing::warn!("some background tasks did not end in time");
    }
}
