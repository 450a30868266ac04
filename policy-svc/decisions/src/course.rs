//! The course: units with their prerequisites in file order, canned drills and the exam catalogue. Built once.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::OnceLock;

use turnwise_messages::Texts;

use crate::{
    exercise::exercise,
    rules::Rules,
    teaching::Teaching,
    words::{SupportKind, Tier},
};

/// A unit's place in its course. Indices are in file order, so comparing them compares file order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitIndex(u32);

/// What a course is built from.
#[derive(Debug, Clone, Default)]
pub struct CourseSpec {
    /// The unit where every student starts: a pointer into the course, without drills, always met.
    pub entry_unit: String,
    /// The units, in file order.
    pub units: Vec<UnitSpec>,
    /// The exam catalogue.
    pub questions: Vec<ExamQuestion>,
    /// The constants.
    pub rules: Rules,
}

/// What a unit is built from.
#[derive(Debug, Clone, Default)]
pub struct UnitSpec {
    /// The unit's id.
    pub id: String,
    /// The title that people read.
    pub title: String,
    /// Units to be met first, in file order.
    pub prerequisites: Vec<String>,
    /// Whether a badge can be earned. A unit that is not assessable counts as met.
    pub assessable: bool,
    /// What students commonly get wrong, most telling first.
    pub misconceptions: Vec<String>,
    /// The mistakes that a grader may name, by tag.
    pub mistake_tags: Vec<String>,
    /// Ready-made drills.
    pub drills: Vec<Drill>,
    /// What the author wrote for the tutor to teach with.
    pub teaching: Teaching,
}

/// A ready-made drill, without its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drill {
    /// The drill's id, unique in the course.
    pub id: String,
    /// What to do.
    pub prompt: String,
    /// The exercise as LaTeX; empty where the prompt says it all.
    pub question_latex: String,
}

impl Drill {
    /// Whether the drill reads like this; spaces around the texts do not matter.
    #[must_use]
    pub fn reads(&self, prompt: &str, question_latex: &str) -> bool {
        self.texts() == texts(prompt, question_latex)
    }

    fn texts(&self) -> (&str, &str) {
        texts(&self.prompt, &self.question_latex)
    }
}

/// A question of the exam catalogue, without its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExamQuestion {
    /// The question's id.
    pub id: String,
    /// The units it tests.
    pub units: Vec<String>,
    /// How hard it is.
    pub tier: Tier,
    /// What to do; empty where the exam system says it.
    pub prompt: String,
    /// The exercise as LaTeX; empty where the prompt says it all.
    pub question_latex: String,
    /// The options to choose from; empty where the answer is typed.
    pub options: Vec<ExamOption>,
    /// The kinds of help that the course has for it, each once.
    pub support: Vec<SupportKind>,
}

impl ExamQuestion {
    /// Whether the question tests this unit at this tier.
    #[must_use]
    pub fn fits(&self, unit_id: &str, tier: Tier) -> bool {
        self.tier == tier && self.units.iter().any(|unit| unit == unit_id)
    }

    /// Whether the course leaves the question's text to the exam system.
    #[must_use]
    pub fn is_of_port(&self) -> bool {
        self.prompt.is_empty()
    }
}

/// One answer to choose from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExamOption {
    /// The option's id in its question.
    pub id: String,
    /// What it says.
    pub text: String,
}

/// A unit of a built course.
#[derive(Debug, Clone)]
pub struct Unit {
    /// The unit's id.
    pub id: String,
    /// The title that people read.
    pub title: String,
    /// Units to be met first, in file order.
    pub prerequisites: Vec<UnitIndex>,
    /// Whether a badge can be earned; never true for the entry unit.
    pub assessable: bool,
    /// What students commonly get wrong.
    pub misconceptions: Vec<String>,
    /// The mistakes that a grader may name, by tag.
    pub mistake_tags: Vec<String>,
    /// Ready-made drills.
    pub drills: Vec<Drill>,
    /// What the author wrote for the tutor to teach with.
    pub teaching: Teaching,
    /// The drills' places in the order of how the drills read, the first of several that read the same before the others.
    by_texts: Vec<u32>,
    /// The numbers of the drills' exercises, by place. A unit may have a thousand of them, so each is worked out when it is
    /// first looked at, and then kept.
    exercises: Vec<OnceLock<u64>>,
}

impl Unit {
    /// The ready-made drill that reads like this.
    #[must_use]
    pub fn drill_like(&self, prompt: &str, question_latex: &str) -> Option<&Drill> {
        let at = self.place_like(prompt, question_latex)?;
        self.drills.get(at)
    }

    fn place_like(&self, prompt: &str, question_latex: &str) -> Option<usize> {
        let read = |at: &u32| self.drills[*at as usize].texts();
        let sought = texts(prompt, question_latex);
        let first = self.by_texts.partition_point(|at| read(at) < sought);
        let at = self.by_texts.get(first)?;
        (read(at) == sought).then_some(*at as usize)
    }

    /// The number of an exercise that may be a ready-made drill's.
    pub(crate) fn exercise(&self, prompt: &str, question_latex: &str) -> u64 {
        match self.place_like(prompt, question_latex) {
            Some(at) => self.exercise_at(at),
            None => exercise(prompt, question_latex),
        }
    }

    /// The number of a ready-made drill's exercise, by the drill's place.
    pub(crate) fn exercise_at(&self, at: usize) -> u64 {
        let drill = &self.drills[at];
        *self.exercises[at].get_or_init(|| exercise(&drill.prompt, &drill.question_latex))
    }

    /// Whether a grader may name this mistake.
    #[must_use]
    pub fn lists_mistake(&self, tag: &str) -> bool {
        self.mistake_tags.iter().any(|listed| listed == tag)
    }
}

/// How a drill reads: spaces around its texts do not matter.
fn texts<'a>(prompt: &'a str, question_latex: &'a str) -> (&'a str, &'a str) {
    (prompt.trim(), question_latex.trim())
}

/// Why a course cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CourseError {
    /// Two units share an id.
    #[error("unit `{0}` is there twice; give one of them another id")]
    DuplicateUnit(String),
    /// Two questions share an id.
    #[error("exam question `{0}` is there twice; give one of them another id")]
    DuplicateQuestion(String),
    /// The entry unit is not in the course.
    #[error("the entry unit `{0}` is not in the course; add it or name another one")]
    UnknownEntry(String),
    /// A prerequisite is not in the course.
    #[error("unit `{unit}` needs `{prerequisite}`, which is not in the course")]
    UnknownPrerequisite {
        /// The unit that names it.
        unit: String,
        /// What it names.
        prerequisite: String,
    },
    /// There are more units than an index can count.
    #[error("the course has too many units")]
    TooManyUnits,
}

/// A course, ready for decisions.
#[derive(Debug, Clone)]
pub struct Course {
    entry: UnitIndex,
    units: Vec<Unit>,
    index: HashMap<String, UnitIndex>,
    questions: HashMap<String, ExamQuestion>,
    path: Vec<UnitIndex>,
    /// Each unit's place on the path, by index.
    places: Vec<Option<u32>>,
    /// The places of the units that need the unit at each place of the path, one after the other.
    followers: Vec<usize>,
    /// Where those of each place begin, and where the last end.
    followers_begin: Vec<usize>,
    /// The places of the units that need none of the path.
    beginnings: Vec<usize>,
    /// For each place, the first one that a unit there or behind it needs; the path's length where none does.
    first_needed: Vec<usize>,
    rules: Rules,
    texts: Texts,
}

impl Course {
    /// Builds a course. Cycles are the pack loader's to refuse; here they harm nothing.
    pub fn new(spec: CourseSpec) -> Result<Self, CourseError> {
        let mut index = HashMap::with_capacity(spec.units.len());
        for (i, unit) in spec.units.iter().enumerate() {
            let at = UnitIndex(u32::try_from(i).map_err(|_| CourseError::TooManyUnits)?);
            if index.insert(unit.id.clone(), at).is_some() {
                return Err(CourseError::DuplicateUnit(unit.id.clone()));
            }
        }
        let entry = *index
            .get(&spec.entry_unit)
            .ok_or(CourseError::UnknownEntry(spec.entry_unit))?;
        let mut units = Vec::with_capacity(spec.units.len());
        for (i, unit) in (0_u32..).zip(spec.units) {
            let mut prerequisites = Vec::with_capacity(unit.prerequisites.len());
            for id in unit.prerequisites {
                match index.get(&id) {
                    Some(at) => prerequisites.push(*at),
                    None => {
                        return Err(CourseError::UnknownPrerequisite {
                            unit: unit.id,
                            prerequisite: id,
                        });
                    }
                }
            }
            let is_entry = UnitIndex(i) == entry;
            let drills = if is_entry { Vec::new() } else { unit.drills };
            let mut by_texts: Vec<u32> = (0..).take(drills.len()).collect();
            by_texts.sort_by_key(|at| drills[*at as usize].texts());
            units.push(Unit {
                assessable: unit.assessable && !is_entry,
                by_texts,
                exercises: vec![OnceLock::new(); drills.len()],
                drills,
                id: unit.id,
                title: unit.title,
                prerequisites,
                misconceptions: unit.misconceptions,
                mistake_tags: unit.mistake_tags,
                teaching: unit.teaching,
            });
        }
        let mut questions = HashMap::with_capacity(spec.questions.len());
        for question in spec.questions {
            if let Some(twice) = questions.insert(question.id.clone(), question) {
                return Err(CourseError::DuplicateQuestion(twice.id));
            }
        }
        let path = learning_path(&units);
        let mut places = vec![None; units.len()];
        for (place, at) in (0_u32..).zip(&path) {
            places[at.0 as usize] = Some(place);
        }
        let mut needs = Vec::new();
        let mut beginnings = Vec::new();
        for (place, at) in path.iter().enumerate() {
            let before = needs.len();
            let on_path = units[at.0 as usize].prerequisites.iter();
            needs.extend(on_path.filter_map(|need| Some((places[need.0 as usize]?, place))));
            if needs.len() == before {
                beginnings.push(place);
            }
        }
        needs.sort_unstable();
        let mut first_needed = vec![path.len(); path.len()];
        for (need, place) in &needs {
            first_needed[*place] = first_needed[*place].min(*need as usize);
        }
        for place in (1..path.len()).rev() {
            first_needed[place - 1] = first_needed[place - 1].min(first_needed[place]);
        }
        let followers_begin = (0_u32..)
            .take(path.len() + 1)
            .map(|place| needs.partition_point(|(need, _)| *need < place))
            .collect();
        let followers = needs.into_iter().map(|(_, place)| place).collect();
        Ok(Self {
            entry,
            units,
            index,
            questions,
            path,
            places,
            followers,
            followers_begin,
            beginnings,
            first_needed,
            rules: spec.rules,
            texts: Texts::default(),
        })
    }

    /// The same course under other constants.
    #[must_use]
    pub fn with_rules(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }

    /// The same course with other texts than the catalogue's in English.
    #[must_use]
    pub fn with_texts(mut self, texts: Texts) -> Self {
        self.texts = texts;
        self
    }

    /// The unit where every student starts.
    #[must_use]
    pub fn entry(&self) -> UnitIndex {
        self.entry
    }

    /// The unit with this id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<UnitIndex> {
        self.index.get(id).copied()
    }

    /// The unit at this place. The index must come from this course.
    #[must_use]
    pub fn unit(&self, at: UnitIndex) -> &Unit {
        &self.units[at.0 as usize]
    }

    /// The id of the unit at this place.
    #[must_use]
    pub fn id(&self, at: UnitIndex) -> &str {
        &self.unit(at).id
    }

    /// The exam question with this id.
    #[must_use]
    pub fn question(&self, id: &str) -> Option<&ExamQuestion> {
        self.questions.get(id)
    }

    /// The exam questions that test any of these units and whose text is left to the exam system, in order.
    #[must_use]
    pub fn questions_of_port(&self, unit_ids: &[String]) -> Vec<&str> {
        let tests = |question: &&ExamQuestion| {
            let mut units = question.units.iter();
            question.is_of_port() && units.any(|unit| unit_ids.contains(unit))
        };
        let mut found: Vec<&str> = (self.questions.values().filter(tests))
            .map(|question| question.id.as_str())
            .collect();
        found.sort_unstable();
        found
    }

    /// Whether an exam question whose text is left to the exam system tests none of these units.
    #[must_use]
    pub fn has_port_question_beyond(&self, unit_ids: &[String]) -> bool {
        self.questions.values().any(|question| {
            let mut units = question.units.iter();
            question.is_of_port() && !units.any(|unit| unit_ids.contains(unit))
        })
    }

    /// Whether the catalogue has this question for this unit and tier.
    #[must_use]
    pub fn question_fits(&self, id: &str, unit: UnitIndex, tier: Tier) -> bool {
        self.question(id)
            .is_some_and(|question| question.fits(self.id(unit), tier))
    }

    /// The units in which a badge can be earned, each after its prerequisites; file order where that leaves a choice.
    #[must_use]
    pub fn path(&self) -> &[UnitIndex] {
        &self.path
    }

    /// A unit's place on the path; `None` where no badge can be earned.
    #[must_use]
    pub fn place_on_path(&self, at: UnitIndex) -> Option<usize> {
        self.places[at.0 as usize].map(|place| place as usize)
    }

    /// The places of the units that need the unit at a place of the path.
    pub(crate) fn followers(&self, place: usize) -> &[usize] {
        let range = self
            .followers_begin
            .get(place)
            .zip(self.followers_begin.get(place + 1));
        let followers = range.and_then(|(begin, end)| self.followers.get(*begin..*end));
        followers.unwrap_or_default()
    }

    /// The first place whose unit is needed at this place or behind it; the path's length where none is.
    pub(crate) fn first_needed_from(&self, place: usize) -> usize {
        let first = self.first_needed.get(place).copied();
        first.unwrap_or(self.path.len())
    }

    /// The places of the units that need none of the path.
    pub(crate) fn beginnings(&self) -> &[usize] {
        &self.beginnings
    }

    /// The number of units.
    #[must_use]
    pub fn unit_count(&self) -> usize {
        self.units.len()
    }

    /// The number of units in which a badge can be earned.
    #[must_use]
    pub fn assessable_count(&self) -> usize {
        self.path.len()
    }

    /// The constants.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// What people read, in the course's language.
    #[must_use]
    pub fn texts(&self) -> &Texts {
        &self.texts
    }
}

/// The assessable units in topological order (Kahn, 1962), the earliest in the file first. Units on a cycle come last.
fn learning_path(units: &[Unit]) -> Vec<UnitIndex> {
    let mut dependents: Vec<Vec<u32>> = vec![Vec::new(); units.len()];
    let mut open: Vec<usize> = Vec::with_capacity(units.len());
    let mut ready = BinaryHeap::new();
    for (at, unit) in (0_u32..).zip(units) {
        // A prerequisite that is named twice counts twice on both sides, so it needs no care.
        for need in &unit.prerequisites {
            dependents[need.0 as usize].push(at);
        }
        if unit.prerequisites.is_empty() {
            ready.push(Reverse(at));
        }
        open.push(unit.prerequisites.len());
    }
    let mut order = Vec::with_capacity(units.len());
    while let Some(Reverse(at)) = ready.pop() {
        order.push(at);
        for &dependent in &dependents[at as usize] {
            let needs = &mut open[dependent as usize];
            *needs -= 1;
            if *needs == 0 {
                ready.push(Reverse(dependent));
            }
        }
    }
    let on_cycles = (0_u32..).zip(&open).filter(|(_, needs)| **needs > 0);
    order.extend(on_cycles.map(|(at, _)| at));
    order
        .into_iter()
        .map(UnitIndex)
        .filter(|at| units[at.0 as usize].assessable)
        .collect()
}
