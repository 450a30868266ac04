//! Whether a gate holds, and the first condition that does not.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::eval::truth;
use crate::expr::Expr;
use crate::parse::{GateError, parse};
use crate::vars::{Kind, Value, Var, Vars};

/// A condition over declared variables.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    text: String,
    /// The variables that it uses, by the numbers in its conditions.
    vars: Vec<Var>,
    conditions: Vec<Condition>,
}

/// One of the conditions that `&&` joins.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Condition {
    pub(crate) expr: Expr,
    /// The numbers of its variables, in the order in which they stand.
    vars: Vec<usize>,
}

impl Gate {
    /// Reads a gate of at most [`MAX_BYTES`](crate::MAX_BYTES) bytes.
    ///
    /// # Errors
    /// The text is no condition of the language over these variables; the error says where and why.
    pub fn parse(text: &str, declared: &[Var]) -> Result<Self, GateError> {
        let (expr, vars) = parse(text, declared)?;
        let mut conjuncts = Vec::new();
        expr.into_conjuncts(&mut conjuncts);
        let conditions = conjuncts.into_iter().map(|expr| Condition {
            vars: expr.vars(),
            expr,
        });
        Ok(Self {
            text: text.to_owned(),
            conditions: conditions.collect(),
            vars,
        })
    }

    /// The gate as its author wrote it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The variables that it uses, in the order in which they stand.
    #[must_use]
    pub fn vars(&self) -> &[Var] {
        &self.vars
    }

    pub(crate) fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// Whether it holds for these values.
    #[must_use]
    pub fn holds(&self, values: &Vars) -> bool {
        self.first_false(values).is_none()
    }

    /// Whether it holds for these values; if not, the first of its conditions, joined by `&&`, that does not.
    ///
    /// A condition holds only if each of its variables has a value of the declared kind and the condition can be computed
    /// and is true: what rests on a missing value, NaN or a division by zero does not hold, whatever the operators.
    ///
    /// # Errors
    /// The condition that does not hold, and why.
    pub fn check(&self, values: &Vars) -> Result<(), Unmet> {
        let Some((condition, computed)) = self.first_false(values) else {
            return Ok(());
        };
        Err(Unmet {
            condition: (condition.expr).write(&|number| self.vars[number].name.clone()),
            computed,
            readings: condition
                .vars
                .iter()
                .map(|number| Reading::of(&self.vars[*number], values))
                .collect(),
        })
    }

    /// The first condition that does not hold, and whether it could be computed.
    fn first_false(&self, values: &Vars) -> Option<(&Condition, bool)> {
        let points: Vec<_> = self
            .vars
            .iter()
            .map(|var| values.get(&var.name).and_then(|value| var.point(value)))
            .collect();
        self.conditions.iter().find_map(|condition| {
            let known = condition.vars.iter().all(|var| points[*var].is_some());
            let truth = truth(&condition.expr, &points).filter(|_| known);
            (truth != Some(true)).then_some((condition, truth.is_some()))
        })
    }
}

/// As its author wrote it.
impl Serialize for Gate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// A condition that does not hold. Written out, it is a sentence without a full stop: `` `vars.ph >= 7` does not hold: ph is
/// 5.2 pH``. It holds nothing of what was observed but numbers, truths and declared words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unmet {
    /// The condition, as CEL.
    pub condition: String,
    /// Whether it could be computed from values that are all known.
    pub computed: bool,
    /// Its variables, in the order in which they stand.
    pub readings: Vec<Reading>,
}

/// What is known of a variable.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reading {
    /// The variable's name.
    pub name: String,
    /// Its unit; may be empty.
    pub unit: String,
    /// Its value, if it has one.
    pub state: State,
}

/// A variable's value, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// This was observed.
    Known(Value),
    /// Nothing was observed yet.
    Missing,
    /// What was observed cannot be used: NaN, infinite, of another kind, or none of the declared words.
    Unusable {
        /// What it should be.
        wanted: &'static str,
    },
}

impl Reading {
    fn of(var: &Var, values: &Vars) -> Self {
        let state = match values.get(&var.name) {
            None => State::Missing,
            Some(value) => var.admit(value).map_or(
                State::Unusable {
                    wanted: match var.kind {
                        Kind::Bool => "true or false",
                        Kind::Int { .. } => "a whole number",
                        Kind::Double { .. } => "a number",
                        Kind::Enum(_) => "one of its words",
                    },
                },
                State::Known,
            ),
        };
        Self {
            name: var.name.clone(),
            unit: var.unit.clone(),
            state,
        }
    }
}

impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` does not hold", self.condition)?;
        for (n, reading) in self.readings.iter().enumerate() {
            write!(f, "{} {reading}", if n == 0 { ":" } else { "," })?;
        }
        let known = |reading: &Reading| matches!(reading.state, State::Known(_));
        if !self.computed && self.readings.iter().all(known) {
            f.write_str(", with which it cannot be computed")?;
        }
        Ok(())
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is ", self.name)?;
        match &self.state {
            State::Missing => return f.write_str("not known"),
            State::Unusable { wanted } => return write!(f, "not {wanted}"),
            State::Known(Value::Bool(value)) => value.fmt(f)?,
            State::Known(Value::Int(number)) => number.fmt(f)?,
            State::Known(Value::Double(number)) => number.fmt(f)?,
            State::Known(Value::Text(word)) => word.fmt(f)?,
        }
        if self.unit.is_empty() {
            return Ok(());
        }
        write!(f, " {}", self.unit)
    }
}
