//! `turnwise replay`: a turn made again of its record, and every byte compared.

use std::{
    ffi::OsStr,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, Result};
use prost::Message;
use turnwise_course_pack::{Pack, PackArchive, load, load_all};
use turnwise_gateway_svc::replay::{Part, PartOutcome, ReplayError, Report, replay, without_plan};
use turnwise_kit::{
    CallContext, Kit,
    client::{ClientOptions, GrpcClient, local},
    clock::SystemClock,
};
use turnwise_prompts::Sheets;
use turnwise_proto::{
    explain::v1::TurnRecord,
    policy::v1::{ListCoursesRequest, policy_service_client::PolicyServiceClient},
};
use turnwise_retrieval_svc::grpc::put_in_words;

use crate::{
    chat::{drawer::explain, remedy::remedy},
    client::EndpointArgs,
    data_dir::{DataDir, write_private},
    render::{Ink, ink::line},
    wire,
};

/// How long the policy, which runs in this process, may take.
const WORK: Duration = Duration::from_secs(60);
/// Lines around the first difference.
const AROUND: usize = 3;
/// The exit code for a turn that differs.
const DIFFERS: u8 = 1;
/// The exit code for a turn that cannot be replayed, or not saved.
const CANNOT: u8 = 2;
/// The full name of a record, for its JSON.
const RECORD: &str = "turnwise.explain.v1.TurnRecord";

/// Arguments of `turnwise replay`.
#[derive(clap::Args, Debug, Clone)]
#[group(skip)]
pub struct ReplayArgs {
    /// Where the suite is.
    #[command(flatten)]
    pub endpoint: EndpointArgs,
    /// The turn
    #[arg(required_unless_present = "file", requires = "student")]
    pub turn: Option<String>,
    /// Whose turn it was
    #[arg(long)]
    pub student: Option<String>,
    /// A file with the record, as --save wrote it, in place of a suite: JSON if its name ends with `.json`, else protobuf
    #[arg(long, conflicts_with_all = ["turn", "save"])]
    pub file: Option<PathBuf>,
    /// Write the record to this file as well: JSON if its name ends with `.json`, else protobuf. It holds what the student
    /// said
    #[arg(long)]
    pub save: Option<PathBuf>,
    /// The folder with the course pack that the turn was taken with, where the archive does not have it
    #[arg(long, env = "COURSES_DIR", default_value = "courses")]
    pub courses: PathBuf,
    /// The folder with the versions of courses that were served; without it that of the local `turnwise up`
    #[arg(long, env = "PACK_ARCHIVE_DIR")]
    pub pack_archive_dir: Option<PathBuf>,
    /// The folder with the prompt sheets that the turn was taken with; without it the built-in ones
    #[arg(long, env = "PROMPT_SHEETS_DIR")]
    pub prompt_sheets: Option<PathBuf>,
}

/// Makes the turn again and prints each part with `=`, `≠` or `–`. The exit code is 0 if every part that was made again is
/// the recorded one, 1 if one differs, and 2 if the turn cannot be replayed or its record not saved.
pub async fn run(args: ReplayArgs) -> Result<ExitCode> {
    let ink = Ink::of_stdout();
    let mut record = match fetch(&args).await {
        Ok(record) => record,
        Err(why) => {
            eprintln!("cannot replay: {why:#}");
            return Ok(ExitCode::from(CANNOT));
        }
    };
    if let Some(file) = &args.save
        && let Err(why) = save(file, &record)
    {
        eprintln!("{why:#}");
        return Ok(ExitCode::from(CANNOT));
    }
    // A message that met a guardrail needs no course.
    if let Ok(Some(report)) = without_plan(&record) {
        print!("{}", shown(&record, &report, ink));
        return Ok(ExitCode::SUCCESS);
    }
    let pack = pack_of(&args, &record);
    let courses = match &pack {
        Some((folder, pack)) => {
            put_in_words(&mut record, pack);
            folder
        }
        None => &args.courses,
    };
    let (policy, sheets) = match tools(&args, courses).await {
        Ok(tools) => tools,
        Err(why) => {
            eprintln!("cannot replay: {why:#}");
            if pack.is_none() {
                say_what_the_archive_lacks(&args, &record);
            }
            return Ok(ExitCode::from(CANNOT));
        }
    };
    let context = CallContext::background(None, WORK);
    match replay(&record, &context, policy.clone(), &sheets).await {
        Ok(report) => {
            print!("{}", shown(&record, &report, ink));
            Ok(if report.is_same() {
                ExitCode::SUCCESS
            } else {
                ExitCode::from(DIFFERS)
            })
        }
        Err(error) => {
            eprintln!("cannot replay: {error}");
            if let ReplayError::Pack { .. } = error {
                eprintln!("  {} holds {}", args.courses.display(), packs(policy).await);
                say_what_the_archive_lacks(&args, &record);
            }
            if let Some(what) = what_to_do(&error) {
                eprintln!("  {what}");
            }
            Ok(ExitCode::from(CANNOT))
        }
    }
}

/// The record, from the file or from the suite.
async fn fetch(args: &ReplayArgs) -> Result<TurnRecord> {
    if let Some(file) = &args.file {
        return read(file);
    }
    let turn = args.turn.as_deref().unwrap_or_default();
    let student = args.student.as_deref().unwrap_or_default();
    let explained = explain(&args.endpoint, student, turn)
        .await
        .context("this takes a staff token: give a file with one by --token-file")?
        .map_err(|fault| anyhow::anyhow!("{fault}\n  {}", remedy(&fault)))?;
    explained
        .record
        .context("the suite keeps no record of this turn")
}

/// A record from a file.
fn read(file: &Path) -> Result<TurnRecord> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    if is_json(file) {
        return wire::from_json(RECORD, &bytes)
            .with_context(|| format!("{} is no record of a turn", file.display()));
    }
    TurnRecord::decode(bytes.as_slice()).with_context(|| {
        format!(
            "{} is no record of a turn; one in JSON needs a name that ends with .json",
            file.display()
        )
    })
}

/// Writes a record where nobody else can read it.
fn save(file: &Path, record: &TurnRecord) -> Result<()> {
    if is_json(file) {
        let mut json = wire::to_json(RECORD, record)
            .with_context(|| format!("cannot write {}", file.display()))?;
        json.push('\n');
        return write_private(file, json.as_bytes());
    }
    write_private(file, &record.encode_to_vec())
}

fn is_json(file: &Path) -> bool {
    file.extension() == Some(OsStr::new("json"))
}

/// The version of the course that the turn was taken with, and its folder: in the archive or among the courses.
fn pack_of(args: &ReplayArgs, record: &TurnRecord) -> Option<(PathBuf, Pack)> {
    let facts = record.facts.as_ref()?;
    let (course_id, hash) = (&facts.course_id, &facts.plan.as_ref()?.pack_hash);
    let archive = archive(args).map(|root| PackArchive::place(&root, course_id, hash));
    let roots = archive.into_iter().chain([args.courses.clone()]);
    roots
        .flat_map(|root| load_all(&root).unwrap_or_default())
        // A second version of a course is none that is served beside the first, and may be the turn's.
        .filter_map(|(folder, pack)| {
            let pack = pack.or_else(|_| load(&folder)).ok()?;
            Some((folder, pack))
        })
        .find(|(_, pack)| pack.course.id == *course_id && pack.hash == *hash)
}

/// The archive of courses, if there is one.
fn archive(args: &ReplayArgs) -> Option<PathBuf> {
    let local = || Some(DataDir::packs(&args.endpoint.local_data_dir().ok()?));
    args.pack_archive_dir.clone().or_else(local)
}

/// Why the version is not taken from the archive, if there is one and the record names a version.
fn say_what_the_archive_lacks(args: &ReplayArgs, record: &TurnRecord) {
    let facts = record.facts.as_ref();
    let version = facts.and_then(|facts| Some((&facts.course_id, facts.plan.as_ref()?)));
    if let (Some(root), Some((course_id, plan))) = (archive(args), version) {
        let place = PackArchive::place(&root, course_id, &plan.pack_hash);
        let why = match load(&place) {
            Ok(_) => "what has its name is another version".to_owned(),
            Err(_) if !place.exists() => "there is none".to_owned(),
            Err(faults) => faults.first().map(ToString::to_string).unwrap_or_default(),
        };
        eprintln!("  the archive {} has no whole copy: {why}", root.display());
    }
}

/// A policy service in this process, over these courses, and the prompt sheets.
async fn tools(
    args: &ReplayArgs,
    courses: &Path,
) -> Result<(PolicyServiceClient<GrpcClient>, Sheets)> {
    let settings = turnwise_policy_svc::Settings::new(courses.to_owned(), 0);
    let kit = Kit::new(Arc::new(SystemClock));
    let routes = turnwise_policy_svc::routes(&settings, &kit)
        .await
        .context("the courses cannot be used; name another folder with --courses")?;
    let options = ClientOptions {
        peer: "policy-svc",
        token: None,
    };
    let sheets = match &args.prompt_sheets {
        Some(folder) => Sheets::load(folder)?,
        None => Sheets::built_in()?,
    };
    Ok((PolicyServiceClient::new(local(routes, options)), sheets))
}

/// The packs that are at hand, with their versions.
async fn packs(mut policy: PolicyServiceClient<GrpcClient>) -> String {
    let request = CallContext::background(None, WORK).request(ListCoursesRequest {
        page_size: 100,
        page_token: String::new(),
    });
    match policy.list_courses(request).await {
        Ok(courses) => courses
            .into_inner()
            .courses
            .iter()
            .map(|course| format!("{} {}", course.course_id, course.pack_hash))
            .collect::<Vec<_>>()
            .join(", "),
        Err(_) => "courses that cannot be listed".to_owned(),
    }
}

/// What to do where the error does not say it.
fn what_to_do(error: &ReplayError) -> Option<&'static str> {
    match error {
        ReplayError::Incomplete | ReplayError::Erased | ReplayError::Text { .. } => {
            Some("`turnwise chat` shows with /why what is still known of a turn")
        }
        ReplayError::Format(_) => Some("replay it with the version that took the turn"),
        ReplayError::Sheets { .. } => {
            Some("--prompt-sheets names the folder; without it the built-in ones are used")
        }
        ReplayError::Pack { .. } => {
            Some("--courses names the folder, --pack-archive-dir the archive")
        }
        ReplayError::Kind
        | ReplayError::Policy(_)
        | ReplayError::Prompt(_)
        | ReplayError::Semantics { .. } => None,
    }
}

/// A report for a terminal.
pub fn shown(record: &TurnRecord, report: &Report, ink: Ink) -> String {
    let mut out = String::new();
    if let Some(facts) = &record.facts {
        let _ = writeln!(
            out,
            "turn {} of {} in {}",
            line(&facts.turn_id),
            line(&facts.student_id),
            line(&facts.course_id)
        );
    }
    for part in &report.parts {
        show(&mut out, part, ink);
    }
    let nothing = report
        .parts
        .iter()
        .all(|part| matches!(part.outcome, PartOutcome::Skipped(_)));
    let _ = writeln!(
        out,
        "{}",
        match (report.is_same(), report.is_whole()) {
            (true, true) => ink.good("= the turn is the recorded one, byte for byte"),
            (true, false) if nothing => "– nothing of this turn could be made again".to_owned(),
            (true, false) => ink.good("= what was made again is the recorded one, byte for byte"),
            (false, _) => ink.bad("≠ the turn differs from the recorded one"),
        }
    );
    out
}

fn show(out: &mut String, part: &Part, ink: Ink) {
    match &part.outcome {
        PartOutcome::Same => {
            let _ = writeln!(out, "  = {}", part.name);
        }
        PartOutcome::Skipped(why) => {
            let _ = writeln!(out, "  – {}: not made again, since {why}", part.name);
        }
        PartOutcome::Differs {
            offset,
            recorded,
            replayed,
        } => {
            let head = format!("≠ {}: the first other byte is {offset}", part.name);
            let _ = writeln!(out, "  {}", ink.bad(&head));
            difference(out, recorded, replayed);
        }
    }
}

/// The first line that differs, with those before it, which are the same, and some after it.
fn difference(out: &mut String, recorded: &str, replayed: &str) {
    let (a, b): (Vec<&str>, Vec<&str>) = (recorded.lines().collect(), replayed.lines().collect());
    let at = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    for same in &a[at.saturating_sub(AROUND)..at] {
        let _ = writeln!(out, "      {}", visible(same));
    }
    for (mark, lines) in [("recorded", &a), ("replayed", &b)] {
        let from = at.min(lines.len());
        let to = (at + AROUND).min(lines.len());
        if from == to {
            let _ = writeln!(out, "    {mark}  (ends here)");
        }
        for text in &lines[from..to] {
            let _ = writeln!(out, "    {mark}  {}", visible(text));
        }
    }
}

/// A line with its indent and without control characters.
fn visible(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}
