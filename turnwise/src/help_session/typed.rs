//! What a line means.

use turnwise_course_pack::{Procedure, gates::Kind};
use turnwise_proto::procedure::v1::{Variable, variable::Value};

/// What is asked.
pub(super) enum Typed {
    /// Help.
    Help,
    /// The controls.
    Show,
    /// The end.
    Quit,
    /// This was observed.
    Observe(Variable),
    /// Nothing, and why.
    Nothing(String),
}

/// Reads a line.
pub(super) fn read(line: &str, procedure: &Procedure) -> Typed {
    match (line.trim(), line.split_once('=')) {
        ("" | "help", _) => Typed::Help,
        ("show", _) => Typed::Show,
        ("quit", _) => Typed::Quit,
        (_, Some((name, value))) => match variable(name.trim(), value.trim(), procedure) {
            Ok(variable) => Typed::Observe(variable),
            Err(why) => Typed::Nothing(why),
        },
        (_, None) => Typed::Nothing("That is no command.".to_owned()),
    }
}

/// A variable with a value of its type; with none if there is no text.
fn variable(name: &str, text: &str, procedure: &Procedure) -> Result<Variable, String> {
    let var = procedure
        .var_of(name)
        .ok_or("The procedure has no variable of this name; capitals count.")?;
    let value = match &var.kind {
        _ if text.is_empty() => None,
        Kind::Bool => text.parse().ok().map(Value::Truth),
        Kind::Int { .. } => text.parse().ok().map(Value::Integer),
        Kind::Double { .. } => text.parse().ok().map(Value::Number),
        Kind::Enum(words) => words
            .iter()
            .find(|word| *word == text)
            .map(|word| Value::Word(word.clone())),
    };
    if value.is_none() && !text.is_empty() {
        let kind = super::schematic::kind(var);
        return Err(format!("`{name}` takes {kind}."));
    }
    Ok(Variable {
        name: name.to_owned(),
        value,
    })
}
