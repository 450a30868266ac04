//! Whether the keys of drills with parameters are right, by a reading of their own: grading works the exercises out.

use std::{
    num::NonZero,
    panic::resume_unwind,
    thread::{self, available_parallelism},
};

use turnwise_course_pack::{DrillInstance, DrillTemplate, Pack, PackFault};
use turnwise_grading::{Drill, Verdict, grade};

/// What is wrong with the keys of a pack's drills with parameters: of each drill the first of so many instances that cannot
/// be set.
#[must_use]
pub fn faults(pack: &Pack, instances: usize) -> Vec<PackFault> {
    let templates = pack.units.iter().flat_map(|unit| &unit.templates);
    let templates: Vec<_> = templates.collect();
    let workers = available_parallelism().map_or(1, NonZero::get);
    let share = templates.len().div_ceil(workers).max(1);
    // A large course has hundreds of thousands of instances, each of which takes the grader some time.
    thread::scope(|scope| {
        let shares = templates.chunks(share);
        let working: Vec<_> = shares
            .map(|some| scope.spawn(move || faults_of(some, instances)))
            .collect();
        let found = working.into_iter().map(|working| match working.join() {
            Ok(found) => found,
            Err(panic) => resume_unwind(panic),
        });
        found.flatten().collect()
    })
}

fn faults_of(templates: &[&DrillTemplate], instances: usize) -> Vec<PackFault> {
    let broken = templates.iter().filter_map(|template| {
        let mut made = template.instances.iter().take(instances);
        made.find_map(|instance| fault(template, instance))
    });
    broken.collect()
}

fn fault(template: &DrillTemplate, instance: &DrillInstance) -> Option<PackFault> {
    let drill = &instance.drill;
    let alone = Drill {
        prompt: &drill.prompt,
        question_latex: &drill.question_latex,
        key: None,
    };
    let with_key = Drill {
        key: Some(&drill.answer),
        ..alone
    };
    let by_key = grade(&with_key, &drill.answer);
    let worked_out = grade(&alone, &drill.answer);
    let (wrong, remedy) = if worked_out.verdict == Verdict::Wrong {
        (
            format!("is not the whole answer ({})", worked_out.reason.as_str()),
            "correct the answer, or rule such values out by a condition below `where`",
        )
    } else if by_key.verdict != Verdict::Right {
        (
            format!(
                "does not count as an answer itself ({})",
                by_key.reason.as_str()
            ),
            "write the answer as a student would, in the form that the prompt asks for",
        )
    } else if grade(&with_key, &drill.question_latex).verdict == Verdict::Right {
        (
            "is reached by copying the exercise".to_owned(),
            "let the prompt ask for a form, or leave a step to take",
        )
    } else {
        return None;
    };
    Some(PackFault {
        file: template.file.clone(),
        line: Some(template.line),
        message: format!(
            "the drill `{}` with seed {} ({}) asks `{}`, and its key `{}` {wrong}",
            template.id,
            instance.seed,
            instance.values,
            if drill.question_latex.is_empty() {
                &drill.prompt
            } else {
                &drill.question_latex
            },
            drill.answer,
        ),
        remedy: remedy.to_owned(),
    })
}
