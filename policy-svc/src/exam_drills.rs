//! Drills that are exam questions. Whoever is set one, or has an answer to it graded, learns the answer to the question.

use std::{collections::HashMap, path::PathBuf};

use turnwise_course_pack::{Drill, Pack, PackFault, Question};
use turnwise_reply_guard::expressions;

/// The ids of a course's drills by the hashes of their expressions.
pub type DrillExpressions = HashMap<u64, Vec<String>>;

/// What is wrong with a pack's drills that are written out: each that is an exam question.
#[must_use]
pub fn faults(pack: &Pack) -> Vec<PackFault> {
    let asked = Asked::new(&pack.questions);
    let drills = pack.units.iter().flat_map(|unit| &unit.drills);
    let faults = drills.filter_map(|drill| {
        let question_id = asked.by(drill, &hashes(drill))?;
        let place = pack.places.drills.get(&drill.id);
        let (file, line) = place.map_or_else(
            || (PathBuf::from("units"), None),
            |(file, line)| (file.clone(), Some(*line)),
        );
        Some(PackFault {
            file,
            line,
            message: format!(
                "the drill `{}` asks what the exam question `{question_id}` asks, and would tell its answer",
                drill.id
            ),
            remedy: "give one of the two other numbers, in its prompt as well".to_owned(),
        })
    });
    faults.collect()
}

/// Leaves out the exercises of drills with parameters that are exam questions. Gives a warning for each drill that has none
/// left, and all drills that are left by their expressions.
#[must_use]
pub fn leave_out(pack: &mut Pack) -> (Vec<PackFault>, DrillExpressions) {
    let Pack {
        units, questions, ..
    } = pack;
    let asked = Asked::new(questions);
    let (mut warnings, mut found) = (Vec::new(), DrillExpressions::new());
    let mut note = |drill: &Drill, hashes: Vec<u64>| {
        for hash in hashes {
            found.entry(hash).or_default().push(drill.id.clone());
        }
    };
    for drill in units.iter().flat_map(|unit| &unit.drills) {
        note(drill, hashes(drill));
    }
    for template in units.iter_mut().flat_map(|unit| &mut unit.templates) {
        template.instances.retain(|instance| {
            let hashes = hashes(&instance.drill);
            let is_left = asked.by(&instance.drill, &hashes).is_none();
            if is_left {
                note(&instance.drill, hashes);
            }
            is_left
        });
        if template.instances.is_empty() {
            warnings.push(PackFault {
                file: template.file.clone(),
                line: Some(template.line),
                message: format!(
                    "all exercises of the drill `{}` are exam questions, so it is never set",
                    template.id
                ),
                remedy: "give its parameters other ranges, or the exam questions other numbers"
                    .to_owned(),
            });
        }
    }
    (warnings, found)
}

fn hashes(drill: &Drill) -> Vec<u64> {
    expressions(&drill.prompt, &drill.question_latex)
}

/// What the exam questions of a course ask, each with the id of the first that does.
#[derive(Default)]
struct Asked<'a> {
    expressions: HashMap<u64, &'a str>,
    texts: HashMap<String, &'a str>,
}

impl<'a> Asked<'a> {
    fn new(questions: &'a [Question]) -> Self {
        let mut asked = Self::default();
        // The exam system words the others.
        for question in questions.iter().filter(|q| !q.prompt.is_empty()) {
            let (prompt, latex) = (&question.prompt, &question.question_latex);
            for hash in expressions(prompt, latex) {
                asked.expressions.entry(hash).or_insert(&question.id);
            }
            let text = plain(prompt, latex);
            asked.texts.entry(text).or_insert(&question.id);
        }
        asked
    }

    /// The question that a drill is: one with an expression of the drill's, else one that reads the same.
    fn by(&self, drill: &Drill, hashes: &[u64]) -> Option<&'a str> {
        let by_expression = hashes.iter().find_map(|hash| self.expressions.get(hash));
        by_expression
            .or_else(|| self.texts.get(&plain(&drill.prompt, &drill.question_latex)))
            .copied()
    }
}

/// The texts of an exercise without what does not matter: spaces and capitals.
fn plain(prompt: &str, question_latex: &str) -> String {
    let words: Vec<&str> = prompt
        .split_whitespace()
        .chain(["|"])
        .chain(question_latex.split_whitespace())
        .collect();
    words.join(" ").to_lowercase()
}
