//! The controls and the variables of a procedure, as they are shown.

use turnwise_course_pack::{
    Procedure,
    gates::{Kind, Var},
};

use crate::render::{Ink, ink::line};

/// One line for each control; the highlighted one has stars.
pub(super) fn controls(procedure: &Procedure, highlighted: Option<&str>, ink: Ink) -> String {
    let control = |(element, label): (&String, &String)| {
        let label = line(label);
        match highlighted == Some(element) {
            true => format!("  {}\n", ink.care(&format!("[* {label} *]"))),
            false => format!("  [  {label}  ]\n"),
        }
    };
    let targets = procedure.targets.iter();
    targets
        .map(|target| control((&target.element, &target.label)))
        .collect()
}

/// One line for each variable: its name, and what it takes.
pub(super) fn variables(procedure: &Procedure) -> String {
    let names = procedure.telemetry.iter().map(|entry| line(&entry.raw));
    let width = names.clone().map(|name| name.chars().count()).max();
    let width = width.unwrap_or_default();
    names
        .zip(&procedure.telemetry)
        .map(|(name, entry)| format!("  {name:width$}  {}\n", kind(&entry.var)))
        .collect()
}

/// What a variable takes.
pub(super) fn kind(var: &Var) -> String {
    let kind = match &var.kind {
        Kind::Bool => "true or false".to_owned(),
        Kind::Int { min, max } => format!("a whole number, {min} to {max} {}", var.unit),
        Kind::Double { min, max } => format!("a number, {min} to {max} {}", var.unit),
        Kind::Enum(words) => format!("one of {}", words.join(", ")),
    };
    line(&kind)
}
