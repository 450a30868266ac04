//! `turnwise doctor`: whether what the settings name is there and works, before anybody needs it.

use std::{fmt::Write as _, process::ExitCode, time::Duration};

use anyhow::Result;
use tonic::Code;
use turnwise_course_bundles::load_all;
use turnwise_course_pack::{Pack, is_bundle};
use turnwise_gateway_svc::upstream::connect_exam;
use turnwise_kit::{CallContext, Kit, client::GrpcClient, settings::Given};
use turnwise_llm_gateway_svc::{BackendKind, Finding, FindingKind, diagnose};
use turnwise_policy_svc::courses;
use turnwise_prompts::Sheets;
use turnwise_proto::exam::v1::{
    BatchGetQuestionStatusRequest, exam_service_client::ExamServiceClient,
};

use crate::{
    context_window,
    up::{UpArgs, choose_backend},
};

/// How long an exam system may take to answer.
const LOOK: Duration = Duration::from_secs(5);

/// Examines what `turnwise up` would use with these settings, and starts nothing. A hint is no failure.
pub async fn run(mut args: UpArgs, given: &Given) -> Result<ExitCode> {
    args.suite.server.secret_files.decide();
    let courses = args.clone();
    // Bundles are fetched on a thread that may block.
    let packs = tokio::task::spawn_blocking(move || packs(&courses)).await?;
    let mut findings = vec![packs, sheets(&args), exam_system(&args).await];
    let chosen = choose_backend(&mut args.suite.llm, given).await;
    let backends = &args.suite.llm.backends;
    if chosen && backends.helper_llm_backend == BackendKind::None {
        findings.push(Finding::good(
            "HELPER_LLM_BACKEND",
            format!(
                "is not set, and Ollama does not answer at {} with the model {}",
                backends.ollama_base_url, backends.ollama_model
            ),
        ));
    }
    findings.extend(context_window::finding(&args.suite));
    findings.extend(diagnose(&args.suite.llm).await);
    print!("{}", render(&findings));
    let fails = findings
        .iter()
        .any(|finding| finding.kind == FindingKind::Bad);
    Ok(if fails {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn packs(args: &UpArgs) -> Finding {
    let courses = &args.suite.policy.courses;
    let dir = courses.courses_dir.display();
    let about = format!("courses in {dir}");
    let packs = match load_all(courses) {
        Ok(packs) => packs,
        Err(error) => return Finding::bad(about, error.to_string()),
    };
    let is_served = |pack: &Pack| courses::faults(pack, courses::INSTANCES_AT_LOAD).is_empty();
    // `turnwise course check` knows folders alone.
    let bundles = packs.iter().filter(|(place, _)| is_bundle(place));
    let mut refused = bundles.filter_map(|(_, pack)| pack.as_ref().err()?.first());
    if let Some(fault) = refused.next() {
        return Finding::bad(about, fault.to_string());
    }
    let in_order = packs
        .iter()
        .all(|(_, pack)| pack.as_ref().is_ok_and(is_served));
    if in_order && !packs.is_empty() {
        return Finding::good(about, format!("{} in order", packs.len()));
    }
    Finding::bad(about, format!("faults; see `turnwise course check {dir}`"))
}

fn sheets(args: &UpArgs) -> Finding {
    let (about, sheets) = match &args.suite.gateway.prompt_sheets_dir {
        Some(folder) => (
            format!("prompt sheets in {}", folder.display()),
            Sheets::load(folder),
        ),
        None => ("prompt sheets".to_owned(), Sheets::built_in()),
    };
    match sheets {
        Ok(sheets) if args.suite.gateway.prompt_sheets_dir.is_some() => {
            Finding::good(about, format!("in order; version {}", sheets.hash()))
        }
        Ok(sheets) => Finding::good(
            about,
            format!("the built-in ones; version {}", sheets.hash()),
        ),
        Err(error) => Finding::bad(about, error.to_string()),
    }
}

/// A platform's exam system is asked about no question of nobody's: whatever it says to that, it is there.
async fn exam_system(args: &UpArgs) -> Finding {
    let settings = &args.suite.gateway;
    let about = match &settings.exam_endpoint {
        Some(endpoint) => format!("exam system at {endpoint}"),
        None => "exam system".to_owned(),
    };
    let mut client = match exam_client(args) {
        Ok(Some(client)) => client,
        Ok(None) => {
            return Finding::good(
                about,
                format!(
                    "the built-in one; a wrong answer locks a question for {} h",
                    settings.exam_lock_hours
                ),
            );
        }
        Err(error) => return Finding::bad(about, format!("{error:#}")),
    };
    let request =
        CallContext::background(None, LOOK).request(BatchGetQuestionStatusRequest::default());
    match client.batch_get_question_status(request).await {
        Ok(_) => Finding::good(about, "answers"),
        Err(status) => match status.code() {
            Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled | Code::Unknown => {
                Finding::bad(
                    about,
                    "does not answer; until it does, no exam question is offered: start it, or correct EXAM_ENDPOINT",
                )
            }
            Code::Unimplemented => Finding::bad(
                about,
                "answers, but serves no turnwise.exam.v1.ExamService: correct EXAM_ENDPOINT",
            ),
            Code::Unauthenticated | Code::PermissionDenied => Finding::bad(
                about,
                "refuses the gateway's token: give both the same EXAM_TOKEN_FILE",
            ),
            _ => Finding::good(about, "answers"),
        },
    }
}

/// A client of the platform's exam system, with the token that the gateway has for it; `None`: the built-in one.
fn exam_client(args: &UpArgs) -> Result<Option<ExamServiceClient<GrpcClient>>> {
    let kit = Kit::for_tests();
    let tls = args.suite.server.tls(&kit)?;
    let client = connect_exam(&args.suite.gateway, tls.as_ref(), &kit)?;
    Ok(client.map(ExamServiceClient::new))
}

/// The findings, one a line.
pub fn render(findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        let mark = match finding.kind {
            FindingKind::Good => "ok  ",
            FindingKind::Hint => "hint",
            FindingKind::Bad => "FAIL",
        };
        let _ = writeln!(out, "{mark}  {}: {}", finding.about, finding.text);
    }
    out
}
