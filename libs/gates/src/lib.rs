//! Gates of procedures: conditions over a simulator's or page's variables, as in `vars.ph >= 7.0 && !vars.valve_open`.
//!
//! The language is a part of the Common Expression Language (<https://cel.dev>): `&&`, `||`, `!`, comparisons,
//! arithmetic, parentheses and literals over declared variables. Nothing else is taken: a gate always ends, reads nothing
//! but its variables, and can be analysed.
//!
//! | module | is about |
//! | --- | --- |
//! | `vars` | variables: their kinds and ranges, and values that came of them |
//! | `parse` | a gate's text: syntax by the crate `cel`, kinds checked here |
//! | `expr` | expressions, and how they are written |
//! | `eval` | what an expression is for given values |
//! | `gate` | whether a gate holds, and the first condition that does not |
//! | `spread` | what an expression may be over ranges of values: interval arithmetic |
//! | `satisfy` | whether gates can hold or fail together: bisection over the declared ranges |

mod eval;
mod expr;
mod gate;
mod parse;
mod satisfy;
mod spread;
mod vars;

pub use gate::{Gate, Reading, State, Unmet};
pub use parse::{GateError, MAX_BYTES};
pub use satisfy::{Answer, Truth, can_be};
pub use vars::{Kind, Value, Var, Vars, is_var_name};
