//! `turnwise doctor`: whether what the settings name is there and works, before anybody needs it.

use std::{fmt::Write as _, process::ExitCode};

use anyhow::Result;
use turnwise_kit::settings::Given;
use turnwise_llm_gateway_svc::{BackendKind, Finding, examine};

use crate::{
    course,
    up::{UpArgs, choose_backend},
};

/// Examines what `turnwise up` would use with these settings, and starts nothing.
pub async fn run(mut args: UpArgs, given: &Given) -> Result<ExitCode> {
    let mut findings = vec![courses(&args)];
    let chosen = choose_backend(&mut args.suite.llm, given).await;
    if chosen && args.suite.llm.backends.helper_llm_backend == BackendKind::Mock {
        findings.push(Finding::good(
            "model",
            format!(
                "HELPER_LLM_BACKEND is not set and Ollama does not answer at {} with the model {}: the mock is used, which \
                 is no language model",
                args.suite.llm.backends.ollama_base_url, args.suite.llm.backends.ollama_model
            ),
        ));
    }
    findings.extend(examine(&args.suite.llm).await);
    print!("{}", render(&findings));
    Ok(if findings.iter().all(|finding| finding.ok) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn courses(args: &UpArgs) -> Finding {
    let dir = &args.suite.policy.courses_dir;
    let about = format!("courses in {}", dir.display());
    let report = course::check::report(std::slice::from_ref(dir));
    if report.ok {
        let packs = report.packs.len();
        return Finding::good(about, format!("{packs} in order"));
    }
    Finding::bad(
        about,
        format!("faults; see `turnwise course check {}`", dir.display()),
    )
}

/// The findings, one a line.
pub fn render(findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        let mark = if finding.ok { "ok  " } else { "FAIL" };
        let _ = writeln!(out, "{mark}  {}: {}", finding.about, finding.text);
    }
    out
}
