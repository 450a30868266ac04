//! Writing a pack's files: YAML with quoted texts, and lessons as Markdown.

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::number::Choice;
use super::rows::is_control;

/// A text as a YAML scalar. A JSON string is one, whatever the text holds.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Texts as a YAML list on one line.
pub(super) fn quoted_list(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|t| quoted(t)).collect();
    format!("[{}]", texts.join(", "))
}

/// Files of a folder, one a unit, written as the rows come: one file is open at a time, and a unit
/// that comes again is written on.
pub(super) struct UnitFiles {
    dir: PathBuf,
    extension: &'static str,
    open: Option<(String, BufWriter<File>)>,
}

impl UnitFiles {
    pub(super) fn new(dir: PathBuf, extension: &'static str) -> Self {
        Self {
            dir,
            extension,
            open: None,
        }
    }

    /// The unit's file; a new one begins with `head`.
    pub(super) fn of_unit(
        &mut self,
        unit: &str,
        head: impl FnOnce() -> String,
    ) -> anyhow::Result<&mut BufWriter<File>> {
        let open = match self.open.take() {
            Some((id, file)) if id == unit => (id, file),
            other => {
                self.open = other;
                self.close()?;
                (unit.to_owned(), self.start(unit, head)?)
            }
        };
        Ok(&mut self.open.insert(open).1)
    }

    fn start(&self, unit: &str, head: impl FnOnce() -> String) -> anyhow::Result<BufWriter<File>> {
        fs::create_dir_all(&self.dir).with_context(|| self.dir.display().to_string())?;
        let path = self.dir.join(format!("{unit}.{}", self.extension));
        let begun = path.exists();
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .with_context(|| path.display().to_string())?;
        let mut file = BufWriter::new(file);
        if !begun {
            file.write_all(head().as_bytes())
                .with_context(|| path.display().to_string())?;
        }
        Ok(file)
    }

    /// Writes out what is still in memory.
    pub(super) fn close(&mut self) -> anyhow::Result<()> {
        if let Some((unit, mut file)) = self.open.take() {
            file.flush()
                .with_context(|| format!("the file of {unit} in {}", self.dir.display()))?;
        }
        Ok(())
    }
}

/// Writes a file of the pack, and the folder above it.
pub(super) fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
    }
    fs::write(path, text).with_context(|| path.display().to_string())
}

/// A lesson's chunk as a Markdown section.
pub(super) struct Section<'a> {
    pub(super) heading: &'a str,
    pub(super) id: &'a str,
    pub(super) kind: &'a str,
    pub(super) section: &'a str,
    pub(super) url: &'a str,
    pub(super) text: &'a str,
}

impl Section<'_> {
    pub(super) fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        write!(out, "\n## {} {{#{}", self.heading, self.id)?;
        if !self.kind.is_empty() {
            write!(out, " .{}", self.kind)?;
        }
        write!(out, " section={}", attribute(self.section))?;
        if !self.url.is_empty() {
            write!(out, " url={}", attribute(self.url))?;
        }
        writeln!(out, "}}\n")?;
        for line in self.text.lines() {
            writeln!(out, "{}", body_line(line))?;
        }
        Ok(())
    }
}

/// A heading attribute's value in quotes.
fn attribute(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A line of text that is neither a heading nor a code fence, whatever it begins with.
fn body_line(line: &str) -> String {
    let line: String = line
        .chars()
        .map(|c| if is_control(c) { ' ' } else { c })
        .collect();
    let bare = line.trim_start();
    if bare.trim_start_matches('\\').starts_with(['#', '`', '~']) {
        let indent = &line[..line.len() - bare.len()];
        return format!("{indent}\\{bare}");
    }
    line
}

/// An exam question as an entry of `questions:`.
pub(super) struct QuestionEntry<'a> {
    pub(super) id: &'a str,
    pub(super) unit: &'a str,
    pub(super) tier: &'a str,
    pub(super) tags: &'a [String],
    pub(super) prompt: &'a str,
    pub(super) question: &'a str,
    pub(super) answer: &'a str,
    /// `None` if the answer is typed.
    pub(super) choice: Option<Choice>,
}

/// The ids of a multiple-choice question's options, in order.
const OPTION_IDS: [&str; 4] = ["a", "b", "c", "d"];

impl QuestionEntry<'_> {
    pub(super) fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        writeln!(out, "  - id: {}", quoted(self.id))?;
        writeln!(out, "    units: [{}]", quoted(self.unit))?;
        writeln!(out, "    tier: {}", self.tier)?;
        writeln!(out, "    tags: {}", quoted_list(self.tags))?;
        writeln!(out, "    prompt: {}", quoted(self.prompt))?;
        writeln!(out, "    question_latex: {}", quoted(self.question))?;
        let Some(choice) = &self.choice else {
            return writeln!(out, "    answer: {}", quoted(self.answer));
        };
        writeln!(out, "    options:")?;
        for (id, text) in OPTION_IDS.iter().zip(&choice.texts) {
            writeln!(out, "      - {{id: {id}, text: {}}}", quoted(text))?;
        }
        let right = OPTION_IDS.get(choice.right).copied().unwrap_or_default();
        writeln!(out, "    answer: {right}")
    }
}
