//! `turnwise course new`: a folder to go on from, with a lesson and a reference for each session.

use std::{io::Write, path::PathBuf, process::ExitCode};

use anyhow::bail;
use serde_json::Value;
use turnwise_course_pack::is_reference_key;
use turnwise_messages::{Key, keys, text};

use super::check::{Summary, refused};
use super::place::Place;

/// Arguments of `turnwise course new`.
#[derive(clap::Args, Debug, Clone)]
pub struct NewArgs {
    /// The course's id and the name of its folder: small letters, digits, `-` and `_`
    #[arg(long, value_parser = slug)]
    pub slug: String,
    /// The title that people read
    #[arg(long, value_parser = title)]
    pub title: String,
    /// How many sessions it has (1 to 60); each gets a unit, a lesson and a reference
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=60))]
    pub sessions: u32,
    /// Minutes of a session (5 to 600)
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u32).range(5..=600))]
    pub duration: u32,
    /// Years of age of the students, such as 10-12
    #[arg(long, value_name = "FROM-TO", value_parser = age_band)]
    pub age_band: (u32, u32),
    /// The course's language, such as en or de-CH
    #[arg(long, default_value = "en")]
    pub locale: String,
    /// Folder of courses, in which the course's own folder is made
    #[arg(long, default_value = "courses")]
    pub dir: PathBuf,
}

fn slug(slug: &str) -> Result<String, String> {
    if slug.len() > 64 || !is_reference_key(slug) || slug.starts_with(['-', '_']) {
        return Err(
            "use 1 to 64 characters out of a-z, 0-9, `-` and `_`, the first a letter or a digit"
                .to_owned(),
        );
    }
    Ok(slug.to_owned())
}

fn title(title: &str) -> Result<String, String> {
    let title = title.trim();
    if title.is_empty() || title.chars().count() > 100 || title.chars().any(char::is_control) {
        return Err("use 1 to 100 characters on one line".to_owned());
    }
    Ok(title.to_owned())
}

fn age_band(band: &str) -> Result<(u32, u32), String> {
    let years = |text: &str| {
        text.trim()
            .parse()
            .ok()
            .filter(|age| (3..=99).contains(age))
    };
    band.split_once(['-', '–'])
        .and_then(|(from, to)| Some((years(from)?, years(to)?)))
        .filter(|(from, to)| from <= to)
        .ok_or_else(|| "write two ages from 3 to 99, the lower one first, such as 10-12".to_owned())
}

/// Runs `course new`: failure if the course would have faults, such as a language that is none.
pub(super) fn run(args: &NewArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let dir = args.dir.join(&args.slug);
    if dir.symlink_metadata().is_ok() {
        bail!(
            "{} is there already; choose another --slug, or another --dir",
            dir.display()
        );
    }
    let files = files(args);
    let place = Place::new(&dir)?;
    place.check(false)?;
    match place.fill(files.iter().map(|(name, text)| (&**name, text.as_bytes())))? {
        Ok(pack) => {
            place.install()?;
            Summary::of(&pack).write(out)?;
            for (name, _) in &files {
                writeln!(out, "  {}", dir.join(name).display())?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(faults) => refused(&dir, &faults, out),
    }
}

/// The files of the course, by their names in its folder.
fn files(args: &NewArgs) -> Vec<(String, String)> {
    let title = quoted(&args.title);
    let course = format!(
        "format: 1\nid: {}\ntitle: {title}\nlocale: {}\nentry_unit: session-01\n",
        args.slug,
        quoted(&args.locale),
    );
    let say = |n: u32, key: Key| {
        let (from, to) = args.age_band;
        let arguments = [
            ("n", n.to_string().into()),
            ("sessions", args.sessions.to_string().into()),
            ("title", args.title.clone().into()),
            ("minutes", args.duration.to_string().into()),
            ("from", from.to_string().into()),
            ("to", to.to_string().into()),
        ];
        text(&args.locale, key, &arguments)
    };
    let mut units = format!("# {}\nunits:\n", say(0, keys::NEW_COURSE_UNITS_COMMENT));
    let mut lessons = Vec::new();
    for n in 1..=args.sessions {
        let id = format!("session-{n:02}");
        let name = say(n, keys::NEW_COURSE_SESSION);
        let before = match n {
            1 => String::new(),
            _ => format!("session-{:02}", n - 1),
        };
        units.push_str(&format!(
            "  - id: {id}\n    title: {}\n    summary: {}\n    prerequisites: [{before}]\n    assessable: false\n",
            quoted(&name),
            quoted(&say(n, keys::NEW_COURSE_SUMMARY)),
        ));
        let mut lesson = format!(
            "---\nunit: {id}\nsource: {id}\ntype: text\ntitle: {}\n# {}\nhelper_allowed_topics: [{title}]\nhelper_reference: {id}\n---\n",
            quoted(&name),
            say(n, keys::NEW_COURSE_TOPICS_COMMENT),
        );
        let sections = [
            (
                "goal",
                "key-concepts",
                keys::NEW_COURSE_GOAL,
                keys::NEW_COURSE_GOAL_TEXT,
            ),
            (
                "explanation",
                "explanation",
                keys::NEW_COURSE_EXPLANATION,
                keys::NEW_COURSE_EXPLANATION_TEXT,
            ),
            (
                "example",
                "example",
                keys::NEW_COURSE_EXAMPLE,
                keys::NEW_COURSE_EXAMPLE_TEXT,
            ),
            (
                "practice",
                "howto",
                keys::NEW_COURSE_PRACTICE,
                keys::NEW_COURSE_PRACTICE_TEXT,
            ),
        ];
        for (section, kind, heading, body) in sections {
            lesson.push_str(&format!(
                "\n## {} {{#{id}-{section} .{kind}}}\n\n{}\n",
                say(n, heading),
                say(n, body),
            ));
        }
        let reference = format!("# {name}\n\n{}\n", say(n, keys::NEW_COURSE_REFERENCE_TEXT));
        lessons.push((format!("content/{id}.md"), lesson));
        lessons.push((format!("references/{id}.md"), reference));
    }
    let mut files = vec![
        ("course.yaml".to_owned(), course),
        ("units/units.yaml".to_owned(), units),
    ];
    files.extend(lessons);
    files
}

/// A text as a JSON string, which is YAML whatever it holds.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
