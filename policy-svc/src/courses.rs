//! The courses that are served: packs, loaded, checked and turned into what decisions need.

use std::{collections::BTreeMap, path::Path};

use turnwise_course_pack::{self as pack, Pack, PackFault, PolicyOverrides};
use turnwise_decisions::{
    Course, CourseError, CourseSpec, Drill, ExamOption, ExamQuestion, PrereqWalk, Rules, StuckRule,
    Tier, UnitSpec,
};

use crate::error::StartError;

/// A course that is served, in one version.
#[derive(Debug)]
pub struct LoadedCourse {
    /// The course's id.
    pub id: String,
    /// The title that people read.
    pub title: String,
    /// The version: SHA-256 of the pack's files, in hex.
    pub pack_hash: String,
    /// The course as decisions see it.
    pub course: Course,
}

/// The courses that are served, by id.
#[derive(Debug, Default)]
pub struct Courses {
    by_id: BTreeMap<String, LoadedCourse>,
}

impl Courses {
    /// Loads every pack under `root`. A broken pack is logged with its faults and left out.
    ///
    /// # Errors
    /// The folder cannot be read, holds no pack, or holds broken packs only.
    pub fn load(root: &Path) -> Result<Self, StartError> {
        let mut courses = Self::default();
        let mut broken = Vec::new();
        for (folder, result) in pack::load_all(root).map_err(StartError::Courses)? {
            let added = result.and_then(|pack| {
                courses.add(pack).map_err(|error| {
                    vec![PackFault {
                        file: folder.join("course.yaml"),
                        line: None,
                        message: error.to_string(),
                        remedy: "correct the pack".to_owned(),
                    }]
                })
            });
            if let Err(faults) = added {
                for fault in &faults {
                    tracing::error!(folder = %folder.display(), "course pack refused: {fault}");
                }
                broken.extend(faults);
            }
        }
        if !courses.by_id.is_empty() {
            Ok(courses)
        } else if broken.is_empty() {
            Err(StartError::NoCourse(root.to_owned()))
        } else {
            Err(StartError::NoGoodCourse(broken))
        }
    }

    /// Adds a checked pack; it takes the place of another one with the same course id.
    ///
    /// # Errors
    /// The pack does not hold together; the loader's checks rule that out.
    pub fn add(&mut self, pack: Pack) -> Result<(), CourseError> {
        let loaded = LoadedCourse {
            id: pack.course.id.clone(),
            title: pack.course.title.clone(),
            pack_hash: pack.hash.clone(),
            course: Course::new(course_spec(pack))?,
        };
        tracing::info!(
            course_id = %loaded.id,
            pack_hash = %loaded.pack_hash,
            units = loaded.course.unit_count(),
            "course loaded"
        );
        self.by_id.insert(loaded.id.clone(), loaded);
        Ok(())
    }

    /// The course with this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&LoadedCourse> {
        self.by_id.get(id)
    }

    /// The courses whose ids come after `id`, in the order of their ids.
    pub fn after<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a LoadedCourse> {
        self.by_id
            .iter()
            .filter(move |(key, _)| key.as_str() > id)
            .map(|(_, course)| course)
    }
}

/// What decisions need of a pack. The answers of drills and exam questions stay behind.
fn course_spec(pack: Pack) -> CourseSpec {
    CourseSpec {
        entry_unit: pack.course.entry_unit,
        units: pack.units.into_iter().map(unit_spec).collect(),
        questions: pack.questions.into_iter().map(exam_question).collect(),
        rules: rules(&pack.course.policy),
    }
}

fn unit_spec(unit: pack::Unit) -> UnitSpec {
    UnitSpec {
        id: unit.id,
        title: unit.title,
        prerequisites: unit.prerequisites,
        assessable: unit.assessable,
        misconceptions: unit.misconceptions,
        drills: unit
            .drills
            .into_iter()
            .map(|drill| Drill {
                prompt: drill.prompt,
                question_latex: drill.question_latex,
            })
            .collect(),
    }
}

fn exam_question(question: pack::Question) -> ExamQuestion {
    ExamQuestion {
        id: question.id,
        units: question.units,
        tier: match question.tier {
            pack::Tier::Bronze => Tier::Bronze,
            pack::Tier::Silver => Tier::Silver,
            pack::Tier::Gold => Tier::Gold,
        },
        prompt: question.prompt,
        question_latex: question.question_latex,
        options: question
            .options
            .into_iter()
            .map(|option| ExamOption {
                id: option.id,
                text: option.text,
            })
            .collect(),
    }
}

fn rules(overrides: &PolicyOverrides) -> Rules {
    let default = Rules::default();
    let count = |given: Option<u32>, default: usize| {
        given.map_or(default, |n| usize::try_from(n).unwrap_or(usize::MAX))
    };
    Rules {
        stuck_rule: match overrides.stuck_rule {
            pack::StuckRule::AttemptsWithoutStreak => StuckRule::AttemptsWithoutStreak,
            pack::StuckRule::ConsecutiveWrong => StuckRule::ConsecutiveWrong,
        },
        prereq_walk: match overrides.prereq_walk {
            pack::PrereqWalk::Transitive => PrereqWalk::Transitive,
            pack::PrereqWalk::First => PrereqWalk::First,
        },
        target_confidence: overrides
            .target_confidence
            .unwrap_or(default.target_confidence),
        recency_window_hours: overrides
            .recency_window_hours
            .map_or(default.recency_window_hours, f64::from),
        max_scoped_units: count(overrides.max_scoped_units, default.max_scoped_units),
        candidates_mapped: count(overrides.candidates_mapped, default.candidates_mapped),
        candidates_in_progress: count(
            overrides.candidates_in_progress,
            default.candidates_in_progress,
        ),
        scope_mapped: count(overrides.scope_mapped, default.scope_mapped),
        scope_in_progress: count(overrides.scope_in_progress, default.scope_in_progress),
        stuck_attempts: overrides.stuck_attempts.unwrap_or(default.stuck_attempts),
        ready_streak: overrides.ready_streak.unwrap_or(default.ready_streak),
        max_concept_words: overrides
            .max_concept_words
            .unwrap_or(default.max_concept_words),
        max_worked_examples: overrides
            .max_worked_examples
            .unwrap_or(default.max_worked_examples),
        max_key_ideas: overrides.max_key_ideas.unwrap_or(default.max_key_ideas),
        drill_max_steps: overrides.drill_max_steps.unwrap_or(default.drill_max_steps),
        max_exam_candidates: count(overrides.top_k_exam_candidates, default.max_exam_candidates),
    }
}
