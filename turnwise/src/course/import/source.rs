//! The data set as courses: read row by row, written unit by unit.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};

use super::number;
use super::rows::{
    self, AnchorRow, ChunkRow, ExamRow, Level, QuizRow, UnitRow, check_id, one_line,
};
use super::writer::{QuestionEntry, Section, UnitFiles, quoted, quoted_list, write_file};

/// The unit every imported course starts with.
const ENTRY_UNIT: &str = "ENTRY-00";

/// What a question asks for when its row does not say.
const PLAIN_PROMPT: &str = "Answer the question.";

/// Who wrote the data, and on which terms. It goes with every pack.
const ATTRIBUTION: &str = "\
# Made by `turnwise course import` from a textbook by OpenStax, Rice University,
# licensed under CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/).
# Access for free at openstax.org.
# Changed: cut into units, chunks and questions, formulas written in plain text, figures left out,
# tiers and wrong options added.
";

/// The courses of a data set.
pub(super) struct DataSet {
    pub(super) courses: Vec<CourseData>,
    /// Where each unit belongs; `None` for a course that is not imported.
    homes: HashMap<String, Option<(usize, usize)>>,
}

/// A course on its way into a pack.
pub(super) struct CourseData {
    pub(super) id: String,
    /// The book's title, from the first chunk that names it.
    title: Option<String>,
    units: Vec<UnitData>,
    /// Exercises whose printed answer is open, and which no exam can grade.
    pub(super) open_answers: Vec<String>,
}

/// A unit on its way into a pack.
struct UnitData {
    row: UnitRow,
    anchors: Vec<String>,
    drills: Vec<QuizRow>,
    has_bronze: bool,
}

impl DataSet {
    /// Reads which courses and units there are; `only` picks one course.
    pub(super) fn open(from: &Path, only: Option<&str>) -> anyhow::Result<Self> {
        let mut courses: Vec<CourseData> = Vec::new();
        let mut others: Vec<String> = Vec::new();
        let mut seen = HashSet::new();
        rows::for_each(&from.join("units.jsonl"), |row: UnitRow| {
            check_id("course id", &row.course_id)?;
            check_id("unit id", &row.unit_id)?;
            if row.unit_id == ENTRY_UNIT {
                bail!("the unit id `{ENTRY_UNIT}` is kept for the entry unit; rename this one");
            }
            if !seen.insert(row.unit_id.clone()) {
                bail!(
                    "the unit `{}` stands here a second time; remove one row",
                    row.unit_id
                );
            }
            if only.is_some_and(|only| only != row.course_id) {
                others.push(row.course_id);
                return Ok(());
            }
            let course = match courses.iter().position(|c| c.id == row.course_id) {
                Some(at) => at,
                None => {
                    courses.push(CourseData {
                        id: row.course_id.clone(),
                        title: None,
                        units: Vec::new(),
                        open_answers: Vec::new(),
                    });
                    courses.len() - 1
                }
            };
            courses[course].units.push(UnitData {
                row,
                anchors: Vec::new(),
                drills: Vec::new(),
                has_bronze: false,
            });
            Ok(())
        })?;
        if courses.is_empty() {
            others.sort();
            others.dedup();
            match only {
                Some(only) => bail!(
                    "the data set has no course `{only}`; it has {}",
                    others.join(", ")
                ),
                None => bail!("{} has no units", from.join("units.jsonl").display()),
            }
        }
        let mut homes: HashMap<String, Option<(usize, usize)>> =
            seen.into_iter().map(|id| (id, None)).collect();
        for (c, course) in courses.iter_mut().enumerate() {
            course.units.sort_by_key(|unit| unit.row.order);
            for (u, unit) in course.units.iter().enumerate() {
                homes.insert(unit.row.unit_id.clone(), Some((c, u)));
            }
        }
        Ok(Self { courses, homes })
    }

    /// Writes every course into the folder that `stage` names for it.
    pub(super) fn write(
        &mut self,
        from: &Path,
        stage: impl Fn(&str) -> PathBuf,
    ) -> anyhow::Result<()> {
        let dirs: Vec<PathBuf> = self.courses.iter().map(|c| stage(&c.id)).collect();
        self.read_anchors(from)?;
        self.read_drills(from)?;
        self.write_chunks(from, &dirs)?;
        self.write_questions(from, &dirs)?;
        for (course, dir) in self.courses.iter().zip(&dirs) {
            write_file(&dir.join("course.yaml"), &course.course_yaml())?;
            write_file(&dir.join("units/10-units.yaml"), &course.units_yaml())?;
        }
        Ok(())
    }

    /// The place of a unit; `None` if its course is not imported.
    fn home(&self, unit: &str) -> anyhow::Result<Option<(usize, usize)>> {
        self.homes.get(unit).copied().ok_or_else(|| {
            anyhow!("the unit `{unit}` is not in units.jsonl; add it or remove this row")
        })
    }

    fn read_anchors(&mut self, from: &Path) -> anyhow::Result<()> {
        rows::for_each(&from.join("anchors.jsonl"), |row: AnchorRow| {
            if let Some((c, u)) = self.home(&row.unit_id)? {
                self.courses[c].units[u].anchors.push(row.text);
            }
            Ok(())
        })
    }

    fn read_drills(&mut self, from: &Path) -> anyhow::Result<()> {
        rows::for_each(&from.join("readiness_quiz.jsonl"), |row: QuizRow| {
            check_id("quiz id", &row.id)?;
            if let Some((c, u)) = self.home(&row.tests_unit_id)?
                && row.question.matches('=').count() <= 1
                && !is_open(&row.answer)
            {
                self.courses[c].units[u].drills.push(row);
            }
            Ok(())
        })
    }

    fn write_chunks(&mut self, from: &Path, dirs: &[PathBuf]) -> anyhow::Result<()> {
        let mut files: Vec<UnitFiles> = dirs
            .iter()
            .map(|dir| UnitFiles::new(dir.join("content"), "md"))
            .collect();
        rows::for_each(&from.join("chunks.jsonl"), |row: ChunkRow| {
            check_id("chunk id", &row.chunk_id)?;
            let Some((c, u)) = self.home(&row.unit_id)? else {
                return Ok(());
            };
            if !row
                .kind
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
            {
                bail!(
                    "the kind `{}` is not well formed; use letters, digits, `-` and `_`",
                    row.kind
                );
            }
            if row.text.trim().is_empty() {
                bail!("the chunk `{}` has no text; remove this row", row.chunk_id);
            }
            let course = &mut self.courses[c];
            let book = one_line(&row.citation.book);
            let unit = &course.units[u];
            let place = one_line(&row.citation.section);
            let heading = match one_line(&row.citation.heading) {
                heading if heading.is_empty() => one_line(&unit.row.title),
                heading => heading,
            };
            let section = Section {
                heading: &heading,
                id: &row.chunk_id,
                kind: &row.kind,
                section: &format!("{place}: {heading}"),
                url: &one_line(&row.citation.url),
                text: &row.text,
            };
            let file = files[c].of_unit(&row.unit_id, || unit.front_matter(&book))?;
            section.write(file)?;
            course.title.get_or_insert(book);
            Ok(())
        })?;
        files.iter_mut().try_for_each(UnitFiles::close)
    }

    fn write_questions(&mut self, from: &Path, dirs: &[PathBuf]) -> anyhow::Result<()> {
        let mut files: Vec<UnitFiles> = dirs
            .iter()
            .map(|dir| UnitFiles::new(dir.join("exams"), "yaml"))
            .collect();
        rows::for_each(&from.join("exam_candidates.jsonl"), |row: ExamRow| {
            check_id("exam id", &row.exam_id)?;
            let Some((c, u)) = self.home(&row.unit_id)? else {
                return Ok(());
            };
            let answer = one_line(&row.answer);
            let question = one_line(&row.question);
            if question.is_empty() || answer.is_empty() {
                bail!(
                    "`{}` lacks a question or an answer; remove this row",
                    row.exam_id
                );
            }
            let course = &mut self.courses[c];
            if is_open(&answer) {
                course.open_answers.push(row.exam_id);
                return Ok(());
            }
            let prompt = match one_line(&row.instruction) {
                prompt if prompt.is_empty() => PLAIN_PROMPT.to_owned(),
                prompt => prompt,
            };
            let tier = match row.tier {
                Level::Easy => "bronze",
                Level::Medium => "silver",
                Level::Hard => "gold",
            };
            course.units[u].has_bronze |= row.tier == Level::Easy;
            let entry = QuestionEntry {
                id: &row.exam_id,
                unit: &row.unit_id,
                tier,
                tags: &texts([row.objective.as_str()]),
                prompt: &prompt,
                question: &question,
                answer: &answer,
                choice: number::choice(&row.exam_id, &answer),
            };
            let file = files[c].of_unit(&row.unit_id, || "questions:\n".to_owned())?;
            entry.write(file)?;
            Ok(())
        })?;
        files.iter_mut().try_for_each(UnitFiles::close)
    }
}

impl CourseData {
    fn title(&self) -> &str {
        match &self.title {
            Some(title) if !title.is_empty() => title,
            _ => &self.id,
        }
    }

    fn course_yaml(&self) -> String {
        format!(
            "{ATTRIBUTION}format: 1\nid: {}\ntitle: {}\nlocale: en\nentry_unit: {ENTRY_UNIT}\n",
            quoted(&self.id),
            quoted(self.title())
        )
    }

    fn units_yaml(&self) -> String {
        let mut yaml = format!(
            "units:\n  - id: {ENTRY_UNIT}\n    title: {}\n    summary: {}\n    assessable: false\n",
            quoted(self.title()),
            quoted(&format!(
                "Where {} starts: a pointer to its first units.",
                self.title()
            )),
        );
        for unit in &self.units {
            unit.write_yaml(&mut yaml);
        }
        yaml
    }
}

impl UnitData {
    fn front_matter(&self, book: &str) -> String {
        let title = format!("{book}, {} {}", self.row.section, self.row.title);
        let mut front = format!(
            "---\nunit: {}\nsource: {}\ntype: text\ntitle: {}\nallowed_topics: {}\n",
            quoted(&self.row.unit_id),
            quoted(&self.row.unit_id),
            quoted(&one_line(&title)),
            quoted_list(&self.objectives()),
        );
        let url = one_line(&self.row.url);
        if !url.is_empty() {
            // Writing to a String cannot fail.
            let _ = writeln!(front, "url: {}", quoted(&url));
        }
        front.push_str("---\n");
        front
    }

    fn objectives(&self) -> Vec<String> {
        texts(self.row.objectives.iter().map(String::as_str))
    }

    fn write_yaml(&self, yaml: &mut String) {
        let row = &self.row;
        let objectives = self.objectives();
        let summary = if objectives.is_empty() {
            one_line(&row.title)
        } else {
            format!("{}.", objectives.join("; "))
        };
        let prerequisites = if row.prereq_unit_ids.is_empty() {
            vec![ENTRY_UNIT.to_owned()]
        } else {
            row.prereq_unit_ids.clone()
        };
        let anchors = texts(
            self.anchors
                .iter()
                .chain(&row.objectives)
                .map(String::as_str),
        );
        let mut lines = vec![
            format!("  - id: {}", quoted(&row.unit_id)),
            format!("    title: {}", quoted(&one_line(&row.title))),
            format!("    summary: {}", quoted(&summary)),
            format!("    prerequisites: {}", quoted_list(&prerequisites)),
            format!(
                "    tags: {}",
                quoted_list(&texts([row.chapter_title.as_str()]))
            ),
        ];
        if !self.has_bronze {
            lines.push("    assessable: false".to_owned());
        }
        if !anchors.is_empty() {
            lines.push("    anchors:".to_owned());
            lines.extend(anchors.iter().map(|a| format!("      - {}", quoted(a))));
        }
        if !self.drills.is_empty() {
            lines.push("    drills:".to_owned());
        }
        for drill in &self.drills {
            lines.extend([
                format!("      - id: {}", quoted(&drill.id)),
                format!("        prompt: {}", quoted(PLAIN_PROMPT)),
                format!(
                    "        question_latex: {}",
                    quoted(&one_line(&drill.question))
                ),
                format!("        answer: {}", quoted(&one_line(&drill.answer))),
            ]);
        }
        yaml.push_str(&lines.join("\n"));
        yaml.push('\n');
    }
}

/// The texts on one line each, without empty and repeated ones, in order.
fn texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<String> {
    let mut seen = HashSet::new();
    texts
        .into_iter()
        .map(one_line)
        .filter(|text| !text.is_empty() && seen.insert(text.clone()))
        .collect()
}

/// Whether the printed answer leaves the answer open.
fn is_open(answer: &str) -> bool {
    let answer = answer.to_lowercase();
    answer.contains("may vary") || answer.contains("will vary")
}
