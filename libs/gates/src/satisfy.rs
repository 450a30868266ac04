//! Whether gates can hold or fail together: bisection over the declared ranges.
//!
//! A box gives every variable a range. Interval arithmetic says of a box that the gates agree all over it, or nowhere in
//! it; else its midpoint is tried, and then the box is cut where a variable is compared with a number, or in the middle.

use crate::eval::truth;
use crate::expr::Expr;
use crate::gate::Gate;
use crate::spread::{Range, Truths, truths};
use crate::vars::{Kind, Point, Var};

/// Whether there are values within the declared ranges for which it is so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// There are.
    Yes,
    /// There are none.
    No,
    /// The search ended before it knew.
    Unknown,
}

/// What a gate can be within the declared ranges, where each of its variables has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// It never holds.
    Never,
    /// It always holds.
    Always,
    /// It holds for some values and not for others.
    Sometimes,
    /// The search ended before it knew.
    Undecided,
}

impl Gate {
    /// What the gate can be.
    #[must_use]
    pub fn truth(&self) -> Truth {
        match (can_be(&[self], &[]), can_be(&[], &[self])) {
            (Answer::No, _) => Truth::Never,
            (_, Answer::No) => Truth::Always,
            (Answer::Yes, Answer::Yes) => Truth::Sometimes,
            _ => Truth::Undecided,
        }
    }
}

/// The most boxes that are looked at. What authors write takes some tens.
const MAX_BOXES: usize = 4_096;

/// Whether all of `hold` can hold while none of `fail` does, where each of their variables has a value. Variables of one
/// name are one variable, declared as in the gate that comes first.
#[must_use]
pub fn can_be(hold: &[&Gate], fail: &[&Gate]) -> Answer {
    let mut vars: Vec<&Var> = Vec::new();
    let mut goals = Vec::new();
    for (gate, wanted) in
        (hold.iter().map(|gate| (gate, true))).chain(fail.iter().map(|gate| (gate, false)))
    {
        let numbers: Vec<usize> = (gate.vars().iter())
            .map(|var| {
                let known = vars.iter().position(|known| known.name == var.name);
                known.unwrap_or_else(|| {
                    vars.push(var);
                    vars.len() - 1
                })
            })
            .collect();
        let mut conditions = (gate.conditions().iter()).map(|c| c.expr.renumbered(&numbers));
        if wanted {
            goals.extend(conditions.map(|expr| Goal::new(expr, true)));
        } else if let Some(first) = conditions.next() {
            let all = conditions.fold(first, |all, next| Expr::And(Box::new([all, next])));
            goals.push(Goal::new(all, false));
        }
    }
    search(&goals, vars.iter().map(|var| whole_range(var)).collect())
}

/// A condition that shall be true, or shall not.
struct Goal {
    expr: Expr,
    wanted: bool,
    vars: Vec<usize>,
    /// The numbers that variables are compared with.
    cuts: Vec<(usize, f64)>,
}

impl Goal {
    fn new(expr: Expr, wanted: bool) -> Self {
        let mut cuts = Vec::new();
        expr.visit(&mut |part| {
            if let Expr::Compare(_, sides) = part {
                let mut numbers = Vec::new();
                for side in sides.as_ref() {
                    side.visit(&mut |inner| match inner {
                        Expr::Int(number) => numbers.push(*number as f64),
                        Expr::Double(number) => numbers.push(*number),
                        _ => {}
                    });
                }
                for var in part.vars() {
                    cuts.extend(numbers.iter().map(|number| (var, *number)));
                }
            }
        });
        Self {
            vars: expr.vars(),
            expr,
            wanted,
            cuts,
        }
    }

    /// Whether it is met somewhere in the box, and whether it is met everywhere.
    fn met(&self, sides: &[Range<'_>]) -> (bool, bool) {
        let Truths { yes, no, fails } = truths(&self.expr, sides);
        if self.wanted {
            (yes, !no && !fails)
        } else {
            (no || fails, !yes)
        }
    }
}

fn search<'g>(goals: &'g [Goal], all: Vec<Range<'g>>) -> Answer {
    let whole = all.clone();
    let mut waiting = vec![all];
    let mut left = MAX_BOXES;
    while let Some(sides) = waiting.pop() {
        if left == 0 {
            return Answer::Unknown;
        }
        left -= 1;
        let met: Vec<(bool, bool)> = goals.iter().map(|goal| goal.met(&sides)).collect();
        if met.iter().any(|(somewhere, _)| !somewhere) {
            continue;
        }
        let middle: Vec<Option<Point<'_>>> = sides.iter().map(|side| Some(middle(side))).collect();
        let met_there = |goal: &Goal| (truth(&goal.expr, &middle) == Some(true)) == goal.wanted;
        if met.iter().all(|(_, everywhere)| *everywhere) || goals.iter().all(met_there) {
            return Answer::Yes;
        }
        let open = goals
            .iter()
            .zip(&met)
            .filter(|(_, (_, everywhere))| !everywhere);
        let cut = open
            .map(|(goal, _)| goal)
            .find_map(|goal| at_number(goal, &sides).or_else(|| in_middle(goal, &sides, &whole)));
        // A box that is one point was decided by its middle.
        if let Some((var, parts)) = cut {
            for part in parts {
                let mut child = sides.clone();
                child[var] = part;
                waiting.push(child);
            }
        }
    }
    Answer::No
}

fn whole_range(var: &Var) -> Range<'_> {
    match &var.kind {
        Kind::Bool => Range::Bool {
            yes: true,
            no: true,
        },
        Kind::Int { min, max } => Range::Int(*min, *max),
        Kind::Double { min, max } => Range::Double(*min, *max),
        Kind::Enum(words) => Range::Text(words),
    }
}

/// A value of the range; the middle one where there is one.
fn middle<'g>(range: &Range<'g>) -> Point<'g> {
    match *range {
        Range::Bool { yes, .. } => Point::Bool(yes),
        Range::Int(low, high) => Point::Int(low.midpoint(high)),
        Range::Double(low, high) => Point::Double(low.midpoint(high)),
        Range::Text(words) => Point::Text(words.first().map_or("", String::as_str)),
    }
}

type Cut<'g> = (usize, [Range<'g>; 2]);

/// Cuts a variable before or after a number that it is compared with.
fn at_number<'g>(goal: &Goal, sides: &[Range<'g>]) -> Option<Cut<'g>> {
    goal.cuts.iter().find_map(|(var, number)| {
        let parts = match sides[*var] {
            // Before the first whole number that is not below, or after it.
            Range::Int(low, high) => {
                let number = number.ceil() as i64;
                if low < number && number <= high {
                    [Range::Int(low, number - 1), Range::Int(number, high)]
                } else if low == number && number < high {
                    [Range::Int(low, low), Range::Int(number + 1, high)]
                } else {
                    return None;
                }
            }
            Range::Double(low, high) => {
                if low < *number && *number <= high {
                    [
                        Range::Double(low, number.next_down()),
                        Range::Double(*number, high),
                    ]
                } else if low == *number && *number < high {
                    [
                        Range::Double(low, low),
                        Range::Double(number.next_up(), high),
                    ]
                } else {
                    return None;
                }
            }
            Range::Bool { .. } | Range::Text(_) => return None,
        };
        Some((*var, parts))
    })
}

/// Cuts the goal's variable that is widest, by its declared range, in the middle.
fn in_middle<'g>(goal: &Goal, sides: &[Range<'g>], whole: &[Range<'g>]) -> Option<Cut<'g>> {
    let share = |var: &usize| width(&sides[*var]) / width(&whole[*var]);
    let wide = goal.vars.iter().filter(|var| width(&sides[**var]) > 0.0);
    let var = *wide.max_by(|a, b| share(a).total_cmp(&share(b)))?;
    let parts = match sides[var] {
        Range::Bool { .. } => {
            [(true, false), (false, true)].map(|(yes, no)| Range::Bool { yes, no })
        }
        Range::Int(low, high) => {
            let middle = low.midpoint(high);
            // The midpoint rounds towards zero, and may be either end of two.
            let middle = middle.min(high - 1);
            [Range::Int(low, middle), Range::Int(middle + 1, high)]
        }
        Range::Double(low, high) => {
            let middle = low.midpoint(high).min(high.next_down()).max(low);
            [
                Range::Double(low, middle),
                Range::Double(middle.next_up(), high),
            ]
        }
        Range::Text(words) => {
            let (first, rest) = words.split_at(words.len() / 2);
            [Range::Text(first), Range::Text(rest)]
        }
    };
    Some((var, parts))
}

/// How wide a range is; 0 if it is one value.
fn width(range: &Range<'_>) -> f64 {
    match *range {
        Range::Bool { yes, no } => f64::from(u8::from(yes && no)),
        Range::Int(low, high) => high.abs_diff(low) as f64,
        // Half of it, so that the widest is finite, and never 0 where there are two values.
        Range::Double(low, high) if low < high => (high / 2.0 - low / 2.0).max(f64::MIN_POSITIVE),
        Range::Double(..) => 0.0,
        Range::Text(words) => words.len() as f64 - 1.0,
    }
}
