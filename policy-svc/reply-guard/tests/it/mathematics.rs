//! False mathematics in what a model says.

use turnwise_grading::WorkedExample;
use turnwise_reply_guard::{Context, Form, Reason, Spoken, Statements, Text};

use crate::{GUARD, nothing_known, withheld};

#[test]
fn a_false_sum_is_withheld_and_a_true_one_is_not() {
    let judged = |text, form| withheld(text, form, &nothing_known());
    let reason = Some(Reason::FalseMathematics);
    assert_eq!(judged("So $2 + 3 \\cdot 4 = 20$.", Form::Prose), reason);
    assert_eq!(judged("\\frac{1}{2} = \\frac{2}{5}", Form::Formula), reason);
    assert_eq!(judged("So $2 + 3 \\cdot 4 = 14$.", Form::Prose), None);
    assert_eq!(judged("Is 2 + 3 · 4 = 20?", Form::Prose), None);
}

#[test]
fn what_the_student_wrote_may_be_repeated() {
    let context = Context {
        said: &["2+3·4=20"],
        ..nothing_known()
    };
    assert_eq!(withheld("So 2 + 3 · 4 = 20.", Form::Prose, &context), None);
}

#[test]
fn an_exercise_may_be_false() {
    let texts = [Text {
        text: "\\frac{1}{2} = \\frac{2}{5}",
        form: Form::Formula,
    }];
    let spoken = Spoken {
        texts: &texts,
        exercise: Some(("True or false?", texts[0].text)),
        example: None,
    };
    assert_eq!(GUARD.judge(&spoken, &nothing_known()).withheld, None);
}

#[test]
fn the_steps_of_a_worked_example_must_follow() {
    for (step, reason) in [
        ("2x = 4", None),
        ("2x = 10", Some(Reason::FalseMathematics)),
    ] {
        let formula = |text| Text {
            text,
            form: Form::Formula,
        };
        let texts = [formula("2x + 3 = 7"), formula(step), formula("x = 2")];
        let spoken = Spoken {
            texts: &texts,
            exercise: Some(("", "2x + 3 = 7")),
            example: Some(WorkedExample {
                prompt: "",
                problem: "2x + 3 = 7",
                steps: &[step],
                answer: "x = 2",
            }),
        };
        let verdict = GUARD.judge(&spoken, &nothing_known());
        assert_eq!(verdict.withheld, reason, "{step}");
        let counted = Statements {
            decided: 2,
            undecided: 2,
        };
        assert_eq!(verdict.statements, counted, "{step}");
    }
}
