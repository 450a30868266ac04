//! A student's record from a file: JSON in the spelling of StudentSnapshot.
//!
//! What the drawing needs must be well formed. Keys that are not known are named and left out, so that a record written
//! by a newer version can be drawn and a misspelt key does not go unseen.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::error::Category;
use turnwise_course_pack::PackFault;
use turnwise_decisions::{Course, Progress, Snapshot, Tier};

/// The most ids or keys that a warning names.
const MOST_NAMED: usize = 20;

/// A record, and what is to be said of its file.
#[derive(Debug)]
pub(super) struct Reading {
    /// The record as decisions see it.
    pub(super) snapshot: Snapshot,
    /// Whose it is, if the file says so.
    pub(super) student_id: Option<String>,
    /// What was left out.
    pub(super) warnings: Vec<String>,
}

/// Reads the record of a student in this course.
///
/// # Errors
/// The file cannot be read, holds no such record, or the record of another course.
pub(super) fn read(file: &Path, course_id: &str, course: &Course) -> Result<Reading, PackFault> {
    let fault = |line, message: String, remedy: &str| PackFault {
        file: file.to_path_buf(),
        line,
        message,
        remedy: remedy.to_owned(),
    };
    let bytes = fs::read(file).map_err(|error| {
        fault(
            None,
            format!("this file cannot be read: {error}"),
            "name a file with a student's record, as JSON",
        )
    })?;
    let written: Written = serde_json::from_slice(&bytes).map_err(|error| {
        let line = Some(error.line()).filter(|&line| line > 0);
        match error.classify() {
            Category::Data => fault(
                line,
                format!("this is no student's record: {}", message(&error)),
                "write it as a StudentSnapshot has it",
            ),
            _ => fault(
                line,
                format!("this is no JSON: {}", message(&error)),
                "correct the file at this place",
            ),
        }
    })?;
    if written.course_id != course_id {
        let message = format!(
            "this is a record of the course `{}`, and the drawing is of `{course_id}`",
            written.course_id.escape_debug()
        );
        let remedy = "name a record of this course, or that course's pack";
        return Err(fault(None, message, remedy));
    }
    let mut warnings = Vec::new();
    let mut warn = |what: &str, names: BTreeSet<String>| {
        if !names.is_empty() {
            warnings.push(format!("{}: {what}: {}", file.display(), listed(&names)));
        }
    };
    warn(
        "left out, as the course has no such unit",
        written.unknown_units(course),
    );
    warn("left out, as no such key is known", written.unknown_keys());
    Ok(Reading {
        student_id: written.student_id.clone(),
        snapshot: written.into_snapshot(),
        warnings,
    })
}

/// The message without its place, which is told apart.
fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

fn listed(names: &BTreeSet<String>) -> String {
    let mut list: Vec<String> = names
        .iter()
        .take(MOST_NAMED)
        .map(|name| format!("`{}`", name.escape_debug()))
        .collect();
    if names.len() > MOST_NAMED {
        list.push(format!("and {} more", names.len() - MOST_NAMED));
    }
    list.join(", ")
}

/// Keys of each object that a record has and a drawing does not need.
const UNUSED: &[&str] = &[
    "examTouched",
    "revisitQueue",
    "lastTurnAnalysis",
    "placement",
];
const UNUSED_OF_PLACED: &[&str] = &["wrongDrills"];
const UNUSED_OF_UNIT: &[&str] = &["status", "exam", "confusionTags", "countedExercises"];
const UNUSED_OF_DRILL: &[&str] = &["correct"];

type Unknown = BTreeMap<String, IgnoredAny>;

/// The file's object.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    course_id: String,
    #[serde(default)]
    student_id: Option<String>,
    #[serde(default)]
    focus_unit_id: Option<String>,
    #[serde(default)]
    units_in_progress: Vec<String>,
    #[serde(default)]
    unit_progress: Units,
    #[serde(default)]
    prerequisite_overrides: Vec<String>,
    #[serde(default)]
    placed: Vec<WrittenPlaced>,
    #[serde(default)]
    last_turn_at: Option<Timestamp>,
    #[serde(flatten)]
    unknown: Unknown,
}

/// A unit that a placement showed to be known.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenPlaced {
    unit_id: String,
    #[serde(default)]
    undone: bool,
    #[serde(flatten)]
    unknown: Unknown,
}

/// What the student has shown in one unit.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenUnit {
    mastery_tier: Tier,
    #[serde(default)]
    last_touched_at: Option<Timestamp>,
    #[serde(default)]
    drill: WrittenDrill,
    #[serde(flatten)]
    unknown: Unknown,
}

/// The counters of a unit's drills.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenDrill {
    #[serde(default)]
    attempts: u32,
    #[serde(default)]
    streak_correct: u32,
    #[serde(default)]
    streak_wrong: u32,
    #[serde(flatten)]
    unknown: Unknown,
}

/// The units by id. One that stands there twice is refused: which of the two counts, nobody could tell.
#[derive(Debug, Default)]
struct Units(BTreeMap<String, WrittenUnit>);

impl<'de> Deserialize<'de> for Units {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Units;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with a unit's id as each key")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Units, A::Error> {
                let mut units = BTreeMap::new();
                while let Some(id) = map.next_key::<String>()? {
                    if units.contains_key(&id) {
                        let id = id.escape_debug();
                        return Err(A::Error::custom(format!(
                            "the unit `{id}` stands here twice"
                        )));
                    }
                    let unit: WrittenUnit = map.next_value()?;
                    units.insert(id, unit);
                }
                Ok(Units(units))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

impl Written {
    /// The units that it names and the course does not have.
    fn unknown_units(&self, course: &Course) -> BTreeSet<String> {
        self.focus_unit_id
            .iter()
            // An empty focus is the entry unit.
            .filter(|id| !id.is_empty())
            .chain(&self.units_in_progress)
            .chain(self.unit_progress.0.keys())
            .chain(&self.prerequisite_overrides)
            .chain(self.placed.iter().map(|unit| &unit.unit_id))
            .filter(|id| course.find(id).is_none())
            .cloned()
            .collect()
    }

    /// The keys that no record has.
    fn unknown_keys(&self) -> BTreeSet<String> {
        let mut keys = BTreeSet::new();
        let mut note = |object: &str, unknown: &Unknown, unused: &[&str]| {
            let odd = unknown.keys().filter(|key| !unused.contains(&key.as_str()));
            keys.extend(odd.map(|key| format!("{object}{key}")));
        };
        note("", &self.unknown, UNUSED);
        for unit in &self.placed {
            note("placed.*.", &unit.unknown, UNUSED_OF_PLACED);
        }
        for unit in self.unit_progress.0.values() {
            note("unitProgress.*.", &unit.unknown, UNUSED_OF_UNIT);
            note(
                "unitProgress.*.drill.",
                &unit.drill.unknown,
                UNUSED_OF_DRILL,
            );
        }
        keys
    }

    /// The parts that a drawing needs, as decisions have them.
    fn into_snapshot(self) -> Snapshot {
        let progress = self.unit_progress.0.into_iter().map(|(id, unit)| {
            let progress = Progress {
                tier: unit.mastery_tier,
                last_touched_at: unit.last_touched_at,
                attempts: unit.drill.attempts,
                streak_correct: unit.drill.streak_correct,
                streak_wrong: unit.drill.streak_wrong,
            };
            (id, progress)
        });
        let (unplaced, placed): (Vec<_>, Vec<_>) =
            self.placed.into_iter().partition(|unit| unit.undone);
        let ids = |units: Vec<WrittenPlaced>| units.into_iter().map(|unit| unit.unit_id).collect();
        Snapshot {
            focus_unit_id: self.focus_unit_id.unwrap_or_default(),
            last_turn_at: self.last_turn_at,
            progress: progress.collect(),
            units_in_progress: self.units_in_progress,
            prerequisite_overrides: self.prerequisite_overrides.into_iter().collect(),
            placed: ids(placed),
            unplaced: ids(unplaced),
            ..Snapshot::default()
        }
    }
}
