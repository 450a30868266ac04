//! Whether what the tutor teaches with may be said to a student: its form, its mathematics, and whether a drill's hints give
//! its answer away.

use std::{collections::BTreeMap, path::PathBuf};

use turnwise_course_pack::{Drill, Pack, PackFault, Unit};
use turnwise_reply_guard::{Form, OpenDrill, form_fault, states_solution};

use crate::mathematics::{false_statement, false_step};

/// What is wrong with the texts that the tutor teaches with; of each drill with parameters in the first of so many instances
/// that has a fault.
#[must_use]
pub fn faults(pack: &Pack, instances: usize) -> Vec<PackFault> {
    let mut faults = Vec::new();
    for (key, text) in &pack.texts {
        let found = truth(&format!("wording of `{key}`"), text);
        faults.extend(found.map(|found| found.at(&pack.places.texts, key, "texts.yaml")));
    }
    for unit in &pack.units {
        let found = of_unit(unit);
        faults.extend(found.map(|found| found.at(&pack.places.units, &unit.id, "units")));
        for drill in &unit.drills {
            let found = of_drill(drill);
            faults.extend(found.map(|found| found.at(&pack.places.drills, &drill.id, "units")));
        }
        for template in &unit.templates {
            let mut made = template.instances.iter().take(instances);
            let found = made.find_map(|instance| of_drill(&instance.drill));
            let place = (template.file.clone(), Some(template.line));
            faults.extend(found.map(|found| found.in_place(place)));
        }
    }
    faults
}

/// A fault that has no place yet.
struct Found {
    message: String,
    remedy: &'static str,
}

impl Found {
    /// With the place of this id, or the file alone where it is not known.
    fn at(self, places: &BTreeMap<String, (PathBuf, usize)>, id: &str, file: &str) -> PackFault {
        let known = places
            .get(id)
            .map(|(file, line)| (file.clone(), Some(*line)));
        self.in_place(known.unwrap_or_else(|| (PathBuf::from(file), None)))
    }

    fn in_place(self, (file, line): (PathBuf, Option<usize>)) -> PackFault {
        PackFault {
            file,
            line,
            message: self.message,
            remedy: self.remedy.to_owned(),
        }
    }
}

/// The first fault of what is written for a unit.
fn of_unit(unit: &Unit) -> Option<Found> {
    let questions = unit
        .misconceptions
        .iter()
        .map(|wrong| wrong.question.as_str());
    let feedback = unit.mistake_tags.iter().map(|tag| tag.feedback.as_str());
    let idea = unit.key_idea.iter().map(|idea| idea.text.as_str());
    let what = format!("unit `{}`", unit.id);
    questions
        .chain(feedback)
        .chain(idea)
        .find_map(|text| of_text(&what, text))
        .or_else(|| truth(&what, &unit.summary))
}

fn of_drill(drill: &Drill) -> Option<Found> {
    let what = format!("drill `{}`", drill.id);
    let mut texts = drill.hints.iter().chain(&drill.solution);
    if let Some(found) = texts.find_map(|text| of_text(&what, text)) {
        return Some(found);
    }
    if let Some(line) = false_step(&drill.prompt, &drill.question_latex, &drill.solution) {
        return Some(Found {
            message: format!("the solution of the {what} says `{line}`, which does not follow"),
            remedy: "correct it; each line follows from the one before, and the last has the answer",
        });
    }
    let open = OpenDrill {
        prompt: &drill.prompt,
        question_latex: &drill.question_latex,
        key: Some(&drill.answer),
        said: "",
    };
    let hints = || drill.hints.iter().map(String::as_str);
    // To read all of them at once is quicker than to find out which.
    if drill.hints.is_empty() || !states_solution(hints(), &open) {
        return None;
    }
    let given = hints().find(|hint| states_solution([*hint], &open));
    let given = given.unwrap_or_default();
    Some(Found {
        message: format!("a hint of the {what} gives its answer away: `{given}`"),
        remedy: "say what to look at, the rule, or the next step, and leave what comes of it to \
                 the student",
    })
}

fn of_text(what: &str, text: &str) -> Option<Found> {
    let Some(reason) = form_fault(text, Form::Prose) else {
        return truth(what, text);
    };
    Some(Found {
        message: format!("the {what} has a text that no student may be shown ({reason}): `{text}`"),
        remedy: "write plain text, with LaTeX between dollar signs, and no links",
    })
}

fn truth(what: &str, text: &str) -> Option<Found> {
    let statement = false_statement(text)?;
    Some(Found {
        message: format!("the {what} says `{statement}`, which is false mathematics: `{text}`"),
        remedy: "correct it; where it is wrong on purpose, say so in the same sentence",
    })
}
