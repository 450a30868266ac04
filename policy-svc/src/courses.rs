//! The courses that are served: packs, loaded, checked and turned into what decisions need.

use std::collections::{BTreeSet, HashMap};

use turnwise_course_pack::{
    self as pack, Catalog, DrillChoice, Library, LibrarySettings, Pack, PackFault, PolicyOverrides,
};
use turnwise_decisions::{
    Course, CourseError, CourseSpec, Drill, DrillHelp, ExamOption, ExamQuestion, KeyIdea,
    PrereqWalk, Rules, StuckRule, SupportKind, Teaching, Tier, UnitSpec,
};
use turnwise_kit::Kit;
use turnwise_lesson_policy as chat;
use turnwise_messages::Texts;
use turnwise_placement::Graph;
use turnwise_procedure_help::HelpedProcedure;
use turnwise_reply_guard::{ExamQuestions, ExamText};

use crate::{
    answers::Answers,
    artifacts::Context,
    drill_checks, drill_keys,
    exam_drills::{self, DrillExpressions},
    exercise_units::ExerciseUnits,
    placement, taught,
};

/// A changed pack is loaded once it has looked the same in so many polls. One more than in retrieval-svc: a plan names
/// the version for the rest of its turn, so the course text of a version should be there before its plans are.
const SETTLED_AFTER_POLLS: u32 = 3;

/// So many instances of each drill with parameters are worked out when a course is loaded; `turnwise course check` works
/// them all out.
pub const INSTANCES_AT_LOAD: usize = 4;

/// The courses that are served, by id, each with its last versions.
pub type Courses = Catalog<LoadedCourse>;

/// A course that is served, in one version.
#[derive(Debug)]
pub struct LoadedCourse {
    /// The course's id.
    pub id: String,
    /// The title that people read.
    pub title: String,
    /// The version: SHA-256 of the pack's files, in hex.
    pub pack_hash: String,
    /// A BCP 47 language tag, such as `en` or `de-CH`.
    pub locale: String,
    /// The course as decisions see it.
    pub course: Course,
    /// What only grading needs.
    pub answers: Answers,
    /// Whether a model's drill is set only if mathematics can grade it.
    pub checkable_drills: bool,
    /// The exam catalogue, for the reply guard.
    pub exams: ExamQuestions,
    /// The course's drills, to be found among a platform's exam questions.
    pub drill_expressions: DrillExpressions,
    /// Which unit teaches what a student may bring.
    pub exercise_units: ExerciseUnits,
    /// The lessons, for the homework helper.
    pub chat: chat::Course,
    /// What may be asked for before an answer.
    pub context: Context,
    /// The procedures that students get help with.
    pub procedures: Vec<HelpedProcedure>,
    /// The units as placements see them.
    pub placement: Graph,
}

impl LoadedCourse {
    /// A checked pack as it is served.
    ///
    /// # Errors
    /// The pack does not hold together; the loader's checks rule that out.
    pub fn new(mut pack: Pack) -> Result<Self, CourseError> {
        let (warnings, drill_expressions) = exam_drills::leave_out(&mut pack);
        for warning in warnings {
            tracing::warn!(course_id = %pack.course.id, "course pack: {warning}");
        }
        let mut loaded = Self {
            id: pack.course.id.clone(),
            title: pack.course.title.clone(),
            pack_hash: pack.hash.clone(),
            locale: pack.course.locale.clone(),
            answers: Answers::new(&pack),
            checkable_drills: pack.drill_choice() == DrillChoice::Checkable,
            exams: exam_questions(&pack),
            drill_expressions,
            exercise_units: ExerciseUnits::default(),
            chat: chat_course(&pack),
            placement: Graph::default(),
            context: Context::new(pack.context.clone().unwrap_or_default()),
            procedures: (pack.procedures.iter().cloned())
                .map(HelpedProcedure::new)
                .collect(),
            course: course(pack)?,
        };
        loaded.exercise_units = ExerciseUnits::new(&loaded.course);
        loaded.placement = placement::graph(&loaded.course, &loaded.answers);
        Ok(loaded)
    }
}

/// The catalogue as the reply guard holds it. The words of the drills that are set are for everybody, whatever questions
/// have in common with them.
fn exam_questions(pack: &Pack) -> ExamQuestions {
    let questions = pack.questions.iter().map(|question| ExamText {
        id: &question.id,
        prompt: &question.prompt,
        question_latex: &question.question_latex,
    });
    let drills = pack.units.iter().flat_map(pack::Unit::all_drills);
    ExamQuestions::new(questions, drills.map(|drill| drill.prompt.as_str()))
}

/// The lessons of the pack. Several files of one source are one lesson.
fn chat_course(pack: &Pack) -> chat::Course {
    let mut course = chat::Course {
        id: pack.course.id.clone(),
        pack_hash: pack.hash.clone(),
        locale: pack.course.locale.clone(),
        lessons: Vec::new(),
    };
    let places: HashMap<&str, usize> = pack
        .units
        .iter()
        .map(|unit| unit.id.as_str())
        .zip(0..)
        .collect();
    for lesson in &pack.lessons {
        let unit = places
            .get(lesson.unit.as_str())
            .map(|place| &pack.units[*place]);
        let unit_texts = unit
            .iter()
            .flat_map(|unit| std::iter::once(&unit.title).chain(&unit.anchors).cloned());
        course.add(chat::Lesson {
            slug: lesson.slug(),
            title: lesson.title.clone(),
            unit_ids: vec![lesson.unit.clone()],
            allowed_topics: lesson.allowed_topics.clone(),
            synonyms: lesson.help.topic_synonyms.clone(),
            redirect: lesson.help.redirect.clone(),
            check_question: lesson.help.check_question.clone(),
            reference: lesson.reference.clone(),
            unit_texts: unit_texts.collect::<Vec<_>>().into(),
        });
    }
    for lesson in &mut course.lessons {
        lesson
            .unit_ids
            .sort_by_key(|id| places.get(id.as_str()).copied());
    }
    course
}

/// Why a pack is not served, though it can be read; of each drill with parameters, so many instances are looked at.
#[must_use]
pub fn faults(pack: &Pack, instances: usize) -> Vec<PackFault> {
    let mut faults = drill_keys::faults(pack, instances);
    faults.extend(exam_drills::faults(pack));
    faults.extend(drill_checks::faults(pack));
    faults.extend(taught::faults(pack, instances));
    faults
}

/// Loads every pack that the settings name. A broken one is logged with its faults and left out.
///
/// # Errors
/// As [`turnwise_course_bundles::open`] has it.
pub fn open(
    settings: &LibrarySettings,
    kit: &Kit,
) -> Result<Library<LoadedCourse>, turnwise_course_bundles::OpenError> {
    let library = turnwise_course_bundles::open(settings, SETTLED_AFTER_POLLS, kit, |pack| {
        for warning in &pack.warnings {
            tracing::warn!(course_id = %pack.course.id, "course pack: {warning}");
        }
        if let Some(fault) = faults(&pack, INSTANCES_AT_LOAD).first() {
            return Err(fault.to_string());
        }
        let loaded = LoadedCourse::new(pack).map_err(|error| error.to_string())?;
        tracing::info!(
            course_id = %loaded.id,
            pack_hash = %loaded.pack_hash,
            units = loaded.course.unit_count(),
            "course loaded"
        );
        Ok(loaded)
    })?;
    kit.metrics
        .registry(|registry| library.register(registry.sub_registry_with_prefix("policy")));
    Ok(library)
}

/// The course as decisions see it, with its texts.
fn course(mut pack: Pack) -> Result<Course, CourseError> {
    let texts = Texts::new(&pack.course.locale, std::mem::take(&mut pack.texts));
    Ok(Course::new(course_spec(pack))?.with_texts(texts))
}

/// What decisions need of a pack. The answers of drills and exam questions are kept apart, in [`Answers`].
fn course_spec(pack: Pack) -> CourseSpec {
    let mut support: HashMap<String, BTreeSet<SupportKind>> = HashMap::new();
    for help in pack.support {
        let kind = match help.kind {
            pack::SupportKind::Memo => SupportKind::Memo,
            pack::SupportKind::Video => SupportKind::Video,
        };
        support.entry(help.question).or_default().insert(kind);
    }
    let sections: HashMap<String, String> = (pack.chunks.into_iter())
        .map(|chunk| (chunk.id, chunk.section))
        .collect();
    CourseSpec {
        entry_unit: pack.course.entry_unit,
        units: (pack.units.into_iter())
            .map(|unit| unit_spec(unit, &sections))
            .collect(),
        questions: pack
            .questions
            .into_iter()
            .map(|question| {
                let support = support.remove(&question.id).unwrap_or_default();
                exam_question(question, support)
            })
            .collect(),
        rules: rules(&pack.course.policy),
    }
}

/// A unit, with the titles of the lessons' sections by their ids.
fn unit_spec(unit: pack::Unit, sections: &HashMap<String, String>) -> UnitSpec {
    let teaching = teaching(&unit, sections);
    let drills = unit.all_drills().map(|drill| Drill {
        id: drill.id.clone(),
        prompt: drill.prompt.clone(),
        question_latex: drill.question_latex.clone(),
    });
    UnitSpec {
        drills: drills.collect(),
        id: unit.id,
        title: unit.title,
        prerequisites: unit.prerequisites,
        assessable: unit.assessable,
        misconceptions: (unit.misconceptions.into_iter())
            .map(|wrong| wrong.text)
            .collect(),
        mistake_tags: unit.mistake_tags.into_iter().map(|tag| tag.id).collect(),
        teaching,
    }
}

/// What the tutor teaches a unit with.
fn teaching(unit: &pack::Unit, sections: &HashMap<String, String>) -> Teaching {
    let questions = unit.misconceptions.iter();
    let tags = unit.mistake_tags.iter();
    let helped = unit
        .all_drills()
        .filter(|drill| !(drill.hints.is_empty() && drill.solution.is_empty()));
    Teaching {
        questions: questions.map(|wrong| wrong.question.clone()).collect(),
        key_idea: unit.key_idea.as_ref().map(|idea| KeyIdea {
            text: idea.text.clone(),
            source: sections.get(&idea.chunk).cloned().unwrap_or_default(),
        }),
        feedback: tags
            .filter(|tag| !tag.feedback.is_empty())
            .map(|tag| (tag.id.clone(), tag.feedback.clone()))
            .collect(),
        drills: helped
            .map(|drill| {
                let help = DrillHelp {
                    hints: drill.hints.clone(),
                    solution: drill.solution.clone(),
                };
                (drill.id.clone(), help)
            })
            .collect(),
    }
}

fn exam_question(question: pack::Question, support: BTreeSet<SupportKind>) -> ExamQuestion {
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
        support: support.into_iter().collect(),
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
