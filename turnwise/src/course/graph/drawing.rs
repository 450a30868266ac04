//! A course's graph as DOT: units in file order, then edges from prerequisite to dependent, then the legend.

use std::collections::HashSet;

use jiff::Timestamp;
use turnwise_decisions::{Course, Tier, course::UnitIndex, record::Record};

use super::dot::{attributes, broken, quote};
use super::marks::{ALARM, FAINT, Marks};

/// Fonts that are nearly everywhere; a viewer takes the first that it has.
const FONT: &str = "Helvetica,Arial,sans-serif";

/// The most units that the heading names.
const MOST_PARTS: usize = 5;

/// What is drawn.
pub(super) struct Drawing<'a> {
    /// The course's id.
    pub(super) course_id: &'a str,
    /// The course's title.
    pub(super) title: &'a str,
    /// The course.
    pub(super) course: &'a Course,
    /// The units to draw, in file order, each with all its prerequisites.
    pub(super) units: &'a [UnitIndex],
    /// The units that were asked for; empty if the whole course is drawn.
    pub(super) parts_of: &'a [String],
    /// The student whose record is drawn into it.
    pub(super) student: Option<&'a Student<'a>>,
}

/// A student's record.
pub(super) struct Student<'a> {
    /// The student's id, where it is known.
    pub(super) id: Option<&'a str>,
    /// When the latest turn was committed, where that is known.
    pub(super) at: Option<Timestamp>,
    /// The record, as the policy sees it.
    pub(super) record: Record<'a>,
}

impl Drawing<'_> {
    /// The drawing in DOT. The work grows with the number of units and edges.
    pub(super) fn to_dot(&self) -> String {
        let mut out = String::from("digraph ");
        quote(&mut out, self.course_id);
        out.push_str(" {\n");
        // From left to right: titles are wide and low, so a course stays compact and its edges short.
        statement(
            &mut out,
            "graph",
            &[
                ("rankdir", "LR"),
                ("ranksep", "0.4"),
                ("nodesep", "0.25"),
                ("fontname", FONT),
                ("fontsize", "18"),
                ("labelloc", "t"),
                ("label", &self.heading().join("\n")),
            ],
        );
        statement(
            &mut out,
            "node",
            &[
                ("shape", "box"),
                ("style", "filled,rounded"),
                ("fillcolor", "white"),
                ("color", FAINT),
                ("fontname", FONT),
                ("fontsize", "12"),
                ("margin", "0.15,0.08"),
            ],
        );
        statement(&mut out, "edge", &[("color", FAINT), ("arrowsize", "0.7")]);
        self.boxes(&mut out);
        self.edges(&mut out);
        if self.student.is_some() {
            legend(&mut out);
        }
        out.push_str("}\n");
        out
    }

    fn heading(&self) -> Vec<String> {
        let mut lines = vec![format!("{} ({})", one_line(self.title), self.course_id)];
        if !self.parts_of.is_empty() {
            let named = self.parts_of.len().min(MOST_PARTS);
            let mut units = self.parts_of[..named].join(", ");
            if named < self.parts_of.len() {
                units.push_str(" …");
            }
            lines.push(format!("{units} with all that comes before"));
        }
        if let Some(student) = self.student {
            let who = student.id.map_or_else(
                || "a student".to_owned(),
                |id| format!("student {}", one_line(id)),
            );
            let when = student
                .at
                .map(|at| format!(", latest turn {at:.0}"))
                .unwrap_or_default();
            let badges = student.record.badges();
            lines.push(format!(
                "{who}{when}: {} bronze, {} silver, {} gold of {}",
                badges.bronze, badges.silver, badges.gold, badges.total
            ));
        }
        lines
    }

    fn boxes(&self, out: &mut String) {
        let in_progress: HashSet<UnitIndex> = self
            .student
            .map(|student| student.record.units_in_progress().iter().copied().collect())
            .unwrap_or_default();
        for &at in self.units {
            let unit = self.course.unit(at);
            let marks = match self.student {
                Some(student) => Marks::of_record(&student.record, at, in_progress.contains(&at)),
                None => Marks::of_course(self.course.entry(), at, unit.assessable),
            };
            let mut lines = broken(&unit.title);
            lines.push(unit.id.clone());
            node(out, &unit.id, lines, &marks, "");
        }
    }

    fn edges(&self, out: &mut String) {
        for &at in self.units {
            let unit = self.course.unit(at);
            for &prerequisite in &unit.prerequisites {
                out.push_str("  ");
                quote(out, self.course.id(prerequisite));
                out.push_str(" -> ");
                quote(out, &unit.id);
                if self
                    .student
                    .is_some_and(|student| !student.record.is_met(prerequisite))
                {
                    attributes(out, MISSING);
                }
                out.push_str(";\n");
            }
        }
    }
}

/// An edge from a prerequisite that is missing.
const MISSING: &[(&str, &str)] = &[("style", "dashed"), ("color", ALARM)];

fn statement(out: &mut String, of: &str, with: &[(&str, &str)]) {
    out.push_str("  ");
    out.push_str(of);
    attributes(out, with);
    out.push_str(";\n");
}

/// Writes a box: what it is of, its marks in words, and what these mean.
fn node(out: &mut String, name: &str, mut lines: Vec<String>, marks: &Marks, meaning: &str) {
    lines.extend(marks.lines());
    if !meaning.is_empty() {
        lines.push(meaning.to_owned());
    }
    let label = lines.join("\n");
    let mut all = vec![("label", label.as_str())];
    all.extend(marks.attributes());
    out.push_str("  ");
    quote(out, name);
    attributes(out, &all);
    out.push_str(";\n");
}

fn marked(mark: impl FnOnce(&mut Marks)) -> Marks {
    let mut marks = Marks::default();
    mark(&mut marks);
    marks
}

/// Boxes that look like those of the units, each with what it means. Their names hold a blank, which no unit's id does.
fn legend(out: &mut String) {
    let rows: [[(Marks, &str); 5]; 2] = [
        [
            (marked(|m| m.tier = Some(Tier::Gold)), ""),
            (marked(|m| m.tier = Some(Tier::Silver)), ""),
            (marked(|m| m.tier = Some(Tier::Bronze)), ""),
            (
                marked(|m| (m.tier, m.open) = (Some(Tier::None), true)),
                "prerequisites are met",
            ),
            (
                marked(|m| (m.tier, m.blocked) = (Some(Tier::None), true)),
                "a prerequisite is\nmissing: dashed arrow",
            ),
        ],
        [
            (marked(|m| m.focus = true), "unit of the latest turn"),
            (marked(|m| m.in_progress = true), "has evidence"),
            (marked(|m| m.stuck = true), "by the drills"),
            (marked(|m| m.marked_met = true), "counts as met"),
            (marked(|m| m.not_assessable = true), "counts as met"),
        ],
    ];
    out.push_str("  subgraph cluster_legend {\n");
    statement(
        out,
        "graph",
        &[
            ("label", "Legend"),
            ("style", "rounded"),
            ("color", FAINT),
            ("fontsize", "12"),
        ],
    );
    statement(out, "node", &[("fontsize", "11"), ("margin", "0.1,0.05")]);
    for (r, row) in rows.iter().enumerate() {
        let names: Vec<String> = (0..row.len()).map(|c| format!("legend {r} {c}")).collect();
        for ((marks, meaning), name) in row.iter().zip(&names) {
            node(out, name, Vec::new(), marks, meaning);
        }
        // Unseen edges keep a row's boxes side by side.
        out.push_str("  ");
        for (c, name) in names.iter().enumerate() {
            if c > 0 {
                out.push_str(" -> ");
            }
            quote(out, name);
        }
        attributes(out, &[("style", "invis"), ("weight", "100")]);
        out.push_str(";\n");
    }
    out.push_str("  }\n");
}

/// The text with every run of blanks and line ends as one blank.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
