//! Expressions, and how they are written.

use std::fmt;

/// An expression whose kinds fit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expr {
    Bool(bool),
    Int(i64),
    /// Finite.
    Double(f64),
    Text(String),
    /// The variable of this number.
    Var(usize),
    Not(Box<Self>),
    Negate(Box<Self>),
    And(Box<[Self; 2]>),
    Or(Box<[Self; 2]>),
    Compare(Comparison, Box<[Self; 2]>),
    Compute(Operation, Box<[Self; 2]>),
}

/// A comparison of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    fn sign(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }
}

/// An operation on two numbers of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Add,
    Subtract,
    Multiply,
    /// Of whole numbers: without the remainder, towards zero.
    Divide,
    /// Of whole numbers only; the remainder has the dividend's sign.
    Remainder,
}

impl Operation {
    fn sign(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
        }
    }
}

impl Expr {
    /// Its parts, from left to right.
    pub(crate) fn parts(&self) -> &[Self] {
        match self {
            Self::Not(part) | Self::Negate(part) => std::slice::from_ref(part),
            Self::And(parts) | Self::Or(parts) => parts.as_slice(),
            Self::Compare(_, parts) | Self::Compute(_, parts) => parts.as_slice(),
            Self::Bool(_) | Self::Int(_) | Self::Double(_) | Self::Text(_) | Self::Var(_) => &[],
        }
    }

    /// Visits it and all that is in it, from left to right.
    pub(crate) fn visit<'e>(&'e self, see: &mut dyn FnMut(&'e Self)) {
        see(self);
        for part in self.parts() {
            part.visit(see);
        }
    }

    /// The numbers of its variables, each once, in the order in which they stand.
    pub(crate) fn vars(&self) -> Vec<usize> {
        let mut found = Vec::new();
        self.visit(&mut |expr| match expr {
            Self::Var(number) if !found.contains(number) => found.push(*number),
            _ => {}
        });
        found
    }

    /// The same with other numbers for its variables.
    pub(crate) fn renumbered(&self, numbers: &[usize]) -> Self {
        let both = |parts: &[Self; 2]| Box::new(parts.each_ref().map(|p| p.renumbered(numbers)));
        match self {
            Self::Var(number) => Self::Var(numbers[*number]),
            Self::Not(part) => Self::Not(Box::new(part.renumbered(numbers))),
            Self::Negate(part) => Self::Negate(Box::new(part.renumbered(numbers))),
            Self::And(parts) => Self::And(both(parts)),
            Self::Or(parts) => Self::Or(both(parts)),
            Self::Compare(comparison, parts) => Self::Compare(*comparison, both(parts)),
            Self::Compute(operation, parts) => Self::Compute(*operation, both(parts)),
            leaf => leaf.clone(),
        }
    }

    /// Its parts that `&&` joins, from left to right.
    pub(crate) fn into_conjuncts(self, conjuncts: &mut Vec<Self>) {
        match self {
            Self::And(parts) => {
                for part in *parts {
                    part.into_conjuncts(conjuncts);
                }
            }
            other => conjuncts.push(other),
        }
    }

    /// How tightly it binds: parts that bind less stand in parentheses.
    fn binding(&self) -> u8 {
        match self {
            Self::Or(_) => 1,
            Self::And(_) => 2,
            Self::Compare(..) => 3,
            Self::Compute(Operation::Add | Operation::Subtract, _) => 4,
            Self::Compute(..) => 5,
            Self::Not(_) | Self::Negate(_) => 6,
            // A sign that is part of a number binds as one that is not.
            Self::Int(number) if *number < 0 => 6,
            Self::Double(number) if number.is_sign_negative() => 6,
            _ => 7,
        }
    }

    /// The expression as a gate's author writes it, with the names of its variables.
    pub(crate) fn write(&self, name: &dyn Fn(usize) -> String) -> String {
        let part = |part: &Self, least: u8| {
            let text = part.write(name);
            if part.binding() < least {
                format!("({text})")
            } else {
                text
            }
        };
        let joined = |sign: &str, [left, right]: &[Self; 2]| {
            let own = self.binding();
            format!("{} {sign} {}", part(left, own), part(right, own + 1))
        };
        match self {
            Self::Bool(value) => value.to_string(),
            Self::Int(number) => number.to_string(),
            Self::Double(number) => format!("{number:?}"),
            Self::Text(word) => format!("'{word}'"),
            Self::Var(number) => format!("vars.{}", name(*number)),
            Self::Not(inner) => format!("!{}", part(inner, 6)),
            Self::Negate(inner) => format!("-{}", part(inner, 7)),
            Self::And(parts) => joined("&&", parts),
            Self::Or(parts) => joined("||", parts),
            Self::Compare(comparison, parts) => joined(comparison.sign(), parts),
            Self::Compute(operation, parts) => joined(operation.sign(), parts),
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sign())
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sign())
    }
}
