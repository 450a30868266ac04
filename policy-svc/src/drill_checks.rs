//! What is wrong with a course's drills, or may be, beside their keys.

use std::{collections::HashSet, path::PathBuf};

use turnwise_course_pack::{Drill, Pack, PackFault, Unit};
use turnwise_decisions::{Rules, exercise, limits::has_two_equations};
use turnwise_grading::{Verdict, grade};
use turnwise_reply_guard::{Form, Reason, form_fault};

/// The most names that a warning lists.
const MOST_NAMES: usize = 10;

/// The drills that hold two equations, one in the prompt and one in the exercise, and those with text that cannot be seen or
/// changes how other text is seen.
#[must_use]
pub fn faults(pack: &Pack) -> Vec<PackFault> {
    two_equations(pack)
        .into_iter()
        .chain(hidden(pack))
        .collect()
}

fn hidden(pack: &Pack) -> Vec<PackFault> {
    let is_hidden = |text: &str| form_fault(text, Form::Prose) == Some(Reason::InvisibleText);
    let drills = placed(pack).filter(|(_, drill, _)| {
        [&drill.prompt, &drill.question_latex, &drill.answer]
            .into_iter()
            .any(|text| is_hidden(text))
    });
    let faults = drills.map(|(id, _, (file, line))| PackFault {
        file,
        line,
        message: format!(
            "the drill `{id}` has characters that cannot be seen, or marks of direction"
        ),
        remedy: "remove them: a reply of a model with such characters is withheld, too".to_owned(),
    });
    faults.collect()
}

fn two_equations(pack: &Pack) -> Vec<PackFault> {
    let drills = placed(pack);
    let faults =
        drills.filter(|(_, drill, _)| has_two_equations(&drill.prompt, &drill.question_latex));
    let faults = faults.map(|(id, _, (file, line))| PackFault {
        file,
        line,
        message: format!("the drill `{id}` has an equals sign in its `prompt` and another in its `question_latex`"),
        remedy: "a drill is one short step: keep one equation, in `question_latex`; a value such as `x = 4` may stand \
                 in the prompt"
            .to_owned(),
    });
    faults.collect()
}

/// What an author should look at: units in which a student may run out of exercises, and drills whose keys nobody but the
/// author has worked out.
#[must_use]
pub fn warnings(pack: &Pack) -> Vec<PackFault> {
    too_few(pack).into_iter().chain(undecided(pack)).collect()
}

/// A badge takes right drills in a row, and an exercise counts once, wrong or right: with less than twice as many, one wrong
/// answer may be one too many.
fn too_few(pack: &Pack) -> Option<PackFault> {
    let streak = pack.course.policy.ready_streak;
    let streak = streak.unwrap_or_else(|| Rules::default().ready_streak);
    let enough = usize::try_from(streak).map_or(usize::MAX, |streak| 2 * streak);
    let units = pack.units.iter().filter(|unit| unit.assessable);
    let few: Vec<_> = units
        .map(|unit| (unit, exercises(unit, enough)))
        .filter(|(_, count)| *count < enough)
        .collect();
    let (unit, _) = few.first()?;
    let mut places = placed(pack);
    let first = places.find_map(|(id, _, place)| {
        let mut drills = unit.drills.iter().map(|drill| &drill.id);
        let mut templates = unit.templates.iter().map(|drill| &drill.id);
        let is_of_unit = drills.any(|own| own == id) || templates.any(|own| own == id);
        is_of_unit.then_some(place)
    });
    let (file, line) = first.unwrap_or_else(|| (PathBuf::from("units"), None));
    let names = few
        .iter()
        .map(|(unit, count)| format!("`{}` ({count})", unit.id));
    Some(PackFault {
        file,
        line,
        message: format!(
            "units with less than {enough} different exercises of their own: {}",
            listed(names)
        ),
        remedy: "add drills with `parameters`: an exercise counts once, right or wrong, so where no model sets others a \
                 student runs out of them"
            .to_owned(),
    })
}

/// How many different exercises a unit has; no more than `enough` are counted.
fn exercises(unit: &Unit, enough: usize) -> usize {
    let mut found = HashSet::new();
    for drill in unit.all_drills() {
        if found.len() == enough {
            break;
        }
        found.insert(exercise(&drill.prompt, &drill.question_latex));
    }
    found.len()
}

/// The drills whose exercise mathematics cannot work out.
fn undecided(pack: &Pack) -> Option<PackFault> {
    let cannot_tell = |drill: &Drill| {
        let alone = turnwise_grading::Drill {
            prompt: &drill.prompt,
            question_latex: &drill.question_latex,
            key: None,
        };
        grade(&alone, &drill.answer).verdict == Verdict::CannotTell
    };
    let found: Vec<_> = placed(pack)
        .filter(|(_, drill, _)| cannot_tell(drill))
        .collect();
    let (_, _, (file, line)) = found.first()?.clone();
    let names = found.iter().map(|(id, ..)| format!("`{id}`"));
    Some(PackFault {
        file,
        line,
        message: format!("drills whose key mathematics cannot work out: {}", listed(names)),
        remedy: "read these keys again: answers are held against them alone, and nothing else has checked them"
            .to_owned(),
    })
}

/// Some names, the first of many.
fn listed(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(MOST_NAMES);
    let some: Vec<String> = names.take(MOST_NAMES).collect();
    match more {
        0 => some.join(", "),
        more => format!("{} and {more} more", some.join(", ")),
    }
}

/// Each drill with its id and its place: of one with parameters the first exercise.
fn placed(pack: &Pack) -> impl Iterator<Item = (&str, &Drill, (PathBuf, Option<usize>))> {
    pack.units.iter().flat_map(move |unit| {
        let written = unit.drills.iter().map(move |drill| {
            let place = pack.places.drills.get(&drill.id);
            let place = place.map_or_else(
                || (PathBuf::from("units"), None),
                |(file, line)| (file.clone(), Some(*line)),
            );
            (drill.id.as_str(), drill, place)
        });
        let templates = unit.templates.iter().filter_map(|template| {
            let first = template.instances.first()?;
            let place = (template.file.clone(), Some(template.line));
            Some((template.id.as_str(), &first.drill, place))
        });
        written.chain(templates)
    })
}
