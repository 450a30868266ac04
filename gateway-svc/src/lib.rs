//! The turn gateway: who calls, what they may send, and the phases of a turn over its four upstream services. It keeps
//! no state of its own.
//!
//! | module | is about |
//! | --- | --- |
//! | [`auth`] | JWTs and the issuer's keys |
//! | [`access`] | who may call what |
//! | `grpc` | the public services, one file each |
//! | `conversation` | the frame of every conversation: begin, lease, guards, commit |
//! | `turn` | the phases of a turn of the tutor |
//! | `helper` | the homework helper: a chat beside a lesson |
//! | [`record`], [`replay`], `explain` | a turn's chain, the turn made again of it, and shown to staff |
//! | `open_card` | the card that a student works on |
//! | `evidence` | graded drills, exam answers, support views, placements |
//! | `procedure` | help with procedures |
//! | `context`, `background` | work that a message waits for, and what no call waits for |
//! | `school` | what teachers and staff do with classes |
//! | `notice_texts` | notices in words |
//! | `threads`, `standing` | a student's threads, and what a student sees of the record |
//! | [`exam`] | the exam system: the built-in one, or a platform's own |
//! | [`tokens`] | proofs that a drill or an exam question was given to this student, and what a lesson's page is about |
//! | [`input`], [`rosters`], [`limits`] | what a student may send, how it is cleaned, how often |
//! | [`webhooks`] | what a platform is told without asking |
//! | [`upstream`] | the clients of the upstream services, and how long each is waited for |
//! | [`program`] | the service as a process of its own |
//!
//! Prompt sheets and guardrails are crates of their own.

pub mod access;
pub mod address;
pub mod auth;
mod background;
pub mod config;
mod context;
mod conversation;
pub mod error;
mod evidence;
pub mod exam;
mod explain;
mod grpc;
mod helper;
pub mod input;
pub mod limits;
mod notice_texts;
mod open_card;
mod procedure;
pub mod program;
pub mod record;
pub mod replay;
pub mod rosters;
mod school;
mod standing;
mod threads;
pub mod tokens;
mod turn;
pub mod upstream;
pub mod webhooks;

use std::{path::Path, sync::Arc, time::Duration};

use tonic::service::Routes;
use turnwise_guardrails::Guardrails;
use turnwise_kit::{
    Gzip, Kit,
    client::GrpcClient,
    run,
    settings::{ServerSettings, SettingsError},
    sizes::PUBLIC_MESSAGE,
};
use turnwise_prompts::{SheetLibrary, Sheets};
use turnwise_proto::{
    context::v1::context_service_server::ContextServiceServer,
    explain::v1::explain_service_server::ExplainServiceServer,
    helper::v1::helper_service_server::HelperServiceServer,
    llm::v1::llm_queue_service_server::LlmQueueServiceServer,
    placement::v1::placement_service_server::PlacementServiceServer,
    procedure::v1::procedure_help_service_server::ProcedureHelpServiceServer,
    retrieval::v1::index_service_server::IndexServiceServer,
    school::v1::{
        class_service_server::ClassServiceServer,
        student_records_service_server::StudentRecordsServiceServer,
    },
    tutor::v1::tutor_service_server::TutorServiceServer,
};

pub use config::{Endpoints, Place, Settings};
pub use error::StartError;
pub use upstream::Upstreams;

/// The services on the public port, beside health and reflection.
pub const SERVICE_NAMES: &[&str] = &[
    "turnwise.tutor.v1.TutorService",
    "turnwise.context.v1.ContextService",
    "turnwise.helper.v1.HelperService",
    "turnwise.procedure.v1.ProcedureHelpService",
    "turnwise.placement.v1.PlacementService",
    "turnwise.school.v1.ClassService",
    "turnwise.school.v1.StudentRecordsService",
    "turnwise.explain.v1.ExplainService",
    "turnwise.llm.v1.LlmQueueService",
    "turnwise.retrieval.v1.IndexService",
];

/// How often the folder of prompt sheets is looked at.
const LOOK_AT_SHEETS: Duration = Duration::from_secs(2);

/// The public face as a process serves it. `client` leads to each service behind it.
///
/// # Errors
///
/// If a setting cannot be used; the message says what to do.
pub async fn service(
    settings: &Settings,
    endpoints: &Endpoints,
    server: &ServerSettings,
    client: impl FnMut(Place<'_>) -> Result<GrpcClient, SettingsError>,
    kit: &Kit,
) -> Result<run::Service, run::StartError> {
    let deadline = settings.deadline_rule()?;
    let auth = auth::JwtAuth::new(settings, kit).await?;
    if let Some(exam) = &settings.exam_endpoint {
        server.check_elsewhere("EXAM_ENDPOINT", exam)?;
    }
    let exam = upstream::connect_exam(settings, server.tls(kit)?.as_ref(), kit)?;
    let upstreams = Upstreams::connect(endpoints, exam, client)?;
    Ok(run::Service {
        routes: routes(settings, upstreams, kit).await?,
        names: SERVICE_NAMES.to_vec(),
        auth: Some(Arc::new(auth)),
        deadline,
        beside: None,
    })
}

/// The service's routes, without the server stack around them.
pub async fn routes(
    settings: &Settings,
    upstreams: Upstreams,
    kit: &Kit,
) -> Result<Routes, StartError> {
    if settings.helper_internal_reset_url.is_some() {
        tracing::warn!(
            "HELPER_INTERNAL_RESET_URL is read by nothing: a class is reset by turnwise.school.v1.ClassService/ResetClassConversations, with HELPER_INTERNAL_API_TOKEN or a token of the class's teacher; unset it"
        );
    }
    let tokens = tokens::CardTokens::load(
        settings.drill_token_keys()?,
        Duration::from_secs(settings.drill_token_ttl_seconds),
    )?;
    tokens.follow(kit);
    let scopes = settings.scope_tokens()?;
    scopes.follow(kit);
    let guardrails = match &settings.guardrail_file {
        Some(path) => Guardrails::load(path)?,
        None => Guardrails::built_in()?,
    };
    let exam = match &upstreams.exam {
        Some(platform) => exam::ExamPort::remote(platform.clone()),
        None => exam::ExamPort::built_in(
            upstreams.clone(),
            Duration::from_secs(settings.exam_lock_hours * 3600),
            Arc::clone(&kit.clock),
        ),
    };
    let core = Arc::new(conversation::Core {
        port_questions: exam::PortQuestions::new(exam.clone(), upstreams.clone()),
        exam,
        sheets: sheets(settings.prompt_sheets_dir.as_deref(), kit)?,
        tokens,
        guardrails,
        access: webhooks::start(settings, &upstreams, kit)?,
        rosters: rosters::Rosters::new(upstreams.session_admin.clone()),
        course_locales: conversation::CourseLocales::default(),
        context_metrics: context::ContextMetrics::register(&kit.metrics),
        no_model: conversation::NoModel::default(),
        message_max_chars: settings.message_max_chars as usize,
        prompt_max_tokens: settings.prompt_max_tokens as usize,
        reply_reserve: settings.reply_reserve(),
        translates_questions: settings.clarification_translate,
        kit: kit.clone(),
        upstreams: upstreams.clone(),
    });
    let limits = Arc::new(limits::CallLimit::open(settings, kit).await?);
    let scopes = settings.scope_tokens()?;
    scopes.follow(kit);
    let helper = grpc::HelperFace {
        helper: Arc::new(helper::Helper {
            core: Arc::clone(&core),
            scopes,
            metrics: helper::ChatMetrics::register(&kit.metrics),
            response_max_chars: settings.helper_response_max_chars as usize,
        }),
        limits: Arc::clone(&limits),
        trusted_proxies: settings.trusted_proxies.into(),
    };
    let procedure = grpc::ProcedureFace {
        help: Arc::new(procedure::ProcedureHelp::new(&core, settings.help())),
        limits: Arc::clone(&limits),
        trusted_proxies: settings.trusted_proxies.into(),
    };
    context::worker::Worker::start(&core, settings.help().ack_wait);
    let context = grpc::ContextFace {
        context: Arc::new(context::Context {
            core: Arc::clone(&core),
        }),
        limits: Arc::clone(&limits),
    };
    let evidence = Arc::new(evidence::Evidence {
        core: Arc::clone(&core),
        metrics: evidence::EvidenceMetrics::register(&kit.metrics),
    });
    let placement = grpc::PlacementFace {
        evidence: Arc::clone(&evidence),
        limits: Arc::clone(&limits),
    };
    let tutor = grpc::Tutor {
        evidence,
        core,
        limits: Arc::clone(&limits),
        trusted_proxies: settings.trusted_proxies.into(),
    };
    let explain = grpc::Explain {
        upstreams: upstreams.clone(),
    };
    let queues = grpc::Queues {
        upstreams: upstreams.clone(),
    };
    let classes = grpc::Classes {
        school: Arc::new(school::School {
            upstreams: upstreams.clone(),
            pages: kit.pages.clone(),
            clock: Arc::clone(&kit.clock),
            reset_wait: settings.reset_wait(),
        }),
        limits,
    };
    let records = grpc::Records {
        upstreams: upstreams.clone(),
    };
    let index = grpc::Index { upstreams };
    Ok(Routes::new(
        TutorServiceServer::new(tutor)
            .accept_compressed(Gzip)
            .max_decoding_message_size(PUBLIC_MESSAGE),
    )
    .add_service(
        ContextServiceServer::new(context)
            .accept_compressed(Gzip)
            .max_decoding_message_size(PUBLIC_MESSAGE),
    )
    .add_service(
        HelperServiceServer::new(helper)
            .accept_compressed(Gzip)
            .max_decoding_message_size(PUBLIC_MESSAGE),
    )
    .add_service(
        ProcedureHelpServiceServer::new(procedure)
            .accept_compressed(Gzip)
            .max_decoding_message_size(PUBLIC_MESSAGE),
    )
    .add_service(
        PlacementServiceServer::new(placement)
            .accept_compressed(Gzip)
            .max_decoding_message_size(PUBLIC_MESSAGE),
    )
    .add_service(
        ClassServiceServer::new(classes)
            .accept_compressed(Gzip)
            .max_decoding_message_size(PUBLIC_MESSAGE),
    )
    .add_service(
        StudentRecordsServiceServer::new(records)
            .accept_compressed(Gzip)
            .max_decoding_message_size(PUBLIC_MESSAGE),
    )
    .add_service(
        ExplainServiceServer::new(explain)
            .accept_compressed(Gzip)
            .max_decoding_message_size(PUBLIC_MESSAGE),
    )
    .add_service(
        LlmQueueServiceServer::new(queues)
            .accept_compressed(Gzip)
            .max_decoding_message_size(PUBLIC_MESSAGE),
    )
    .add_service(
        IndexServiceServer::new(index)
            .accept_compressed(Gzip)
            .max_decoding_message_size(PUBLIC_MESSAGE),
    ))
}

/// The prompt sheets, looked at again and again where they are files.
fn sheets(folder: Option<&Path>, kit: &Kit) -> Result<Arc<SheetLibrary>, StartError> {
    let Some(folder) = folder else {
        return Ok(Arc::new(SheetLibrary::fixed(Sheets::built_in()?)));
    };
    let library = Arc::new(SheetLibrary::open(folder)?);
    let (followed, end) = (Arc::clone(&library), kit.shutdown.clone());
    kit.tasks
        .spawn(async move { followed.follow(LOOK_AT_SHEETS, end.cancelled()).await });
    Ok(library)
}
