//! Golden files: for each step of a procedure, the help that needs no model and the schema of a model's output.

use std::fmt::Write as _;

use turnwise_course_pack::{Procedure, gates::Value};
use turnwise_procedure_help::HelpedProcedure;

use crate::fixture::{demo, german, plan, values};

/// Compares a text with the golden file that has the test's name.
macro_rules! golden {
    ($about:expr, $text:expr $(,)?) => {{
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_description($about);
        let text = $text;
        settings.bind(|| insta::assert_snapshot!(text));
    }};
}

/// The plans for each step, as if those before it were not there, in a run of which only these values are known.
fn steps<const N: usize>(procedure: &Procedure, known: [(&str, Value); N]) -> String {
    let (mut text, known) = (String::new(), values(known));
    for first in 0..procedure.steps.len() {
        let rest = Procedure {
            steps: procedure.steps[first..].to_vec(),
            ..procedure.clone()
        };
        let helped = HelpedProcedure::new(rest);
        let plan = plan(&helped, &known);
        let step = plan.step.unwrap();
        writeln!(
            text,
            "{} ({:?}), blocked by {:?}",
            step.id, plan.status, plan.blocked_by
        )
        .unwrap();
        writeln!(text, "unknown: {:?}", plan.unknown).unwrap();
        writeln!(
            text,
            "{:#?}\n{}\n",
            plan.fallback,
            plan.output_schema.unwrap()
        )
        .unwrap();
    }
    text
}

#[test]
fn titration() {
    golden!(
        "A run of the demo titration of which the goggles and the tap are known.",
        steps(
            &demo("titration"),
            [
                ("goggles_on", Value::Bool(false)),
                ("tap", Value::Text("open".to_owned()))
            ]
        ),
    );
}

#[test]
fn bouncing_ball() {
    golden!(
        "A run of the demo project of which nothing is known.",
        steps(&demo("bouncing-ball"), []),
    );
}

#[test]
fn german_procedure() {
    golden!(
        "A procedure in German: a value of a wrong type, and a tap that is closed.",
        steps(
            &german(),
            [
                ("brille", Value::Int(1)),
                ("hahn", Value::Text("zu".to_owned()))
            ]
        ),
    );
}
