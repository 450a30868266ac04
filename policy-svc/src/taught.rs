//! Whether what the tutor teaches with may be said to a student, and whether a drill's hints give its answer away.

use std::path::PathBuf;

use turnwise_course_pack::{Drill, Pack, PackFault, Unit};
use turnwise_reply_guard::{Form, OpenDrill, form_fault, states_solution};

/// What is wrong with the texts that the tutor teaches with; of each drill with parameters in the first of so many instances
/// that has a fault.
#[must_use]
pub fn faults(pack: &Pack, instances: usize) -> Vec<PackFault> {
    let mut faults = Vec::new();
    for unit in &pack.units {
        faults.extend(of_unit(unit));
        for drill in &unit.drills {
            let place = pack.drill_places.get(&drill.id);
            let (file, line) = place.map_or_else(
                || (PathBuf::from("units"), None),
                |(file, line)| (file.clone(), Some(*line)),
            );
            faults.extend(of_drill(drill).map(|found| found.at(file, line)));
        }
        for template in &unit.templates {
            let mut made = template.instances.iter().take(instances);
            let found = made.find_map(|instance| of_drill(&instance.drill));
            faults.extend(found.map(|found| found.at(template.file.clone(), Some(template.line))));
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
    fn at(self, file: PathBuf, line: Option<usize>) -> PackFault {
        PackFault {
            file,
            line,
            message: self.message,
            remedy: self.remedy.to_owned(),
        }
    }
}

/// The first fault of what is written for a unit.
fn of_unit(unit: &Unit) -> Option<PackFault> {
    let questions = unit
        .misconceptions
        .iter()
        .map(|wrong| wrong.question.as_str());
    let feedback = unit.mistake_tags.iter().map(|tag| tag.feedback.as_str());
    let idea = unit.key_idea.iter().map(|idea| idea.text.as_str());
    let found = questions
        .chain(feedback)
        .chain(idea)
        .find_map(|text| form(&format!("unit `{}`", unit.id), text))?;
    Some(found.at(PathBuf::from("units"), None))
}

fn of_drill(drill: &Drill) -> Option<Found> {
    let what = format!("drill `{}`", drill.id);
    let mut texts = drill.hints.iter().chain(&drill.solution);
    if let Some(found) = texts.find_map(|text| form(&what, text)) {
        return Some(found);
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

fn form(what: &str, text: &str) -> Option<Found> {
    let reason = form_fault(text, Form::Prose)?;
    Some(Found {
        message: format!("the {what} has a text that no student may be shown ({reason}): `{text}`"),
        remedy: "write plain text, with LaTeX between dollar signs, and no links",
    })
}
