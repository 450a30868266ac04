//! The unit of an exercise of the student's own: the one that has such exercises.

use std::path::Path;

use turnwise_course_pack::load;
use turnwise_kit::Kit;
use turnwise_proto::{
    policy::v1::{
        DecideRequest, PlanRequest, ResolveReplyRequest, WaitingCard,
        resolve_reply_request::Outcome,
    },
    session::v1::{StudentSnapshot, TurnState},
    tutor::v1::DegradedReason,
};

use super::own::typed;
use crate::fixture::*;

#[tokio::test]
async fn an_own_exercise_is_of_the_unit_that_has_such() {
    let courses = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../courses"));
    let client = start(courses, &Kit::for_tests()).await;
    for (course, message, unit, says) in [
        ("algebra-foundations", "5-9", "ALG-01", "Every integer is"),
        ("algebra-foundations", "12/4", "ALG-01", ""),
        ("algebra-foundations", "-8+5", "ALG-01", ""),
        (
            "algebra-foundations",
            "-14+(-36)",
            "ALG-01",
            "Compare the signs",
        ),
        ("algebra-foundations", "3/4 of 20", "ALG-03", ""),
        (
            "algebra-foundations",
            "3 + 4",
            "ALG-01",
            "Work it out in the way that you know",
        ),
        (
            "algebra-foundations",
            "12 : 4",
            "ALG-01",
            "Work it out in the way that you know",
        ),
        (
            "algebra-foundations",
            "12 ÷ 3 × 2",
            "ALG-02",
            "Work out what stands at the very left",
        ),
        (
            "algebra-foundations",
            "2/3 * 3/4",
            "ALG-03",
            "Write a single fraction",
        ),
        (
            "algebra-foundations",
            "x^2 * x^3",
            "ALG-16",
            "An exponent counts equal factors",
        ),
        ("algebra-foundations", "what is x^0?", "ALG-16", ""),
        (
            "algebra-foundations",
            "2x + 3y",
            "ALG-07",
            "Like terms have exactly the same letters",
        ),
        ("algebra-foundations", "simplify 6/8", "ALG-03", ""),
        (
            "algebra-foundations",
            "1/4 + 1/3",
            "ALG-04",
            "Find a number",
        ),
        // It has the signs and values of `3x + 2`, which stands in an exam question.
        (
            "algebra-foundations",
            "2(x+3)",
            "ALG-08",
            "A factor in front",
        ),
        (
            "algebra-foundations",
            "5(x+2)",
            "ALG-08",
            "Multiply the brackets out",
        ),
        (
            "algebra-foundations",
            "0.5x = 3",
            "ALG-10",
            "Multiply both sides by $2$",
        ),
        // A fraction alone is nobody's question, and neither is the value to put in.
        (
            "algebra-foundations",
            "b + 1/4 = 3/4",
            "ALG-10",
            "from both sides",
        ),
        (
            "algebra-foundations",
            "is x = 3/2 a solution of 4x - 2 = 2x + 1?",
            "ENTRY-00",
            "Put the number in",
        ),
        (
            "algebra-foundations",
            "is x=(3)/(2) a solution of the equation 4x-2=2x+1",
            "ENTRY-00",
            "Put the number in",
        ),
        (
            "algebra-foundations",
            "(x+2)(x+3)",
            "ALG-17",
            "Multiply the brackets out",
        ),
        (
            "algebra-foundations",
            "(x + 3)²",
            "ALG-17",
            "Write the power as a product of brackets",
        ),
        ("terme-und-gleichungen", "3 - 7", "TG-01", ""),
        (
            "terme-und-gleichungen",
            "-14 + (-36)",
            "TG-01",
            "Vergleich die Vorzeichen",
        ),
        ("terme-und-gleichungen", "12 : 4", "TG-01", ""),
        ("terme-und-gleichungen", "Was ist 3/4 von 20?", "TG-02", ""),
        ("terme-und-gleichungen", "kürze 6/8", "TG-02", ""),
        (
            "terme-und-gleichungen",
            "2(x+3)",
            "TG-04",
            "Multipliziere die Klammern aus",
        ),
        (
            "terme-und-gleichungen",
            "0,5 x = 3",
            "TG-05",
            "Multipliziere beide Seiten mit $2$",
        ),
        // Of none, and no exercise.
        ("algebra-foundations", "20% of 50", "ENTRY-00", ""),
        ("algebra-foundations", "3x", "ENTRY-00", ""),
        ("algebra-foundations", "17", "ENTRY-00", ""),
    ] {
        let plan = PlanRequest {
            course_id: course.to_owned(),
            target_locked: false,
            message: message.to_owned(),
            ..plan_request(StudentSnapshot {
                course_id: course.to_owned(),
                turn: Some(TurnState::default()),
                ..snapshot("", &[])
            })
        };
        let mut client = client.clone();
        let plan = client.plan(plan).await.unwrap().into_inner().plan.unwrap();
        assert_eq!(plan.primary_target_unit_id, unit, "{message}");
        let decide = DecideRequest {
            plan: Some(plan),
            turn_id: TURN.to_owned(),
            ..DecideRequest::default()
        };
        let decided = client.decide(decide).await.unwrap();
        let request = ResolveReplyRequest {
            policy: decided.into_inner().policy,
            outcome: Some(Outcome::Failure(DegradedReason::LlmTimeout.into())),
            // Every question of the demo courses is in the pack.
            ..typed(message)
        };
        let resolved = client.resolve_reply(request).await.unwrap().into_inner();
        // Below it no unit is to be chosen.
        assert!(says.is_empty() || resolved.is_on_own_exercise, "{message}");
        assert!(message != "17" || !resolved.is_on_own_exercise);
        let said = resolved.reply.unwrap().text;
        assert!(said.contains(says), "{message}: {said}");
    }
}

#[tokio::test]
async fn what_came_of_a_step_is_of_its_exercises_unit() {
    let courses = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../courses"));
    let client = start(courses, &Kit::for_tests()).await;
    let step = "Multiply the brackets out, and copy the rest as it is. What do you get?";
    for (message, said, unit) in [
        ("-9/12", step, "ALG-08"),
        ("is it 2x?", step, "ALG-08"),
        ("2x + 3", step, "ALG-08"),
        ("fractions", step, "ALG-04"),
        ("-9/12", "", "ALG-04"),
        ("-9/12", "What do you get?", "ALG-04"),
        // Words that name no topic are about none, whatever they map to.
        ("thank you so much", "", "ENTRY-00"),
        ("I think my answer is right", "", "ENTRY-00"),
        ("I give up", "", "ENTRY-00"),
        // With what somebody is stuck is told by what was said before.
        ("tell me the solution", step, "ENTRY-00"),
        ("is my answer right?", step, "ENTRY-00"),
        ("my grandma died and i cant focus", "", "ENTRY-00"),
        ("thank you for the fractions", "", "ALG-04"),
    ] {
        let plan = PlanRequest {
            course_id: "algebra-foundations".to_owned(),
            target_locked: false,
            message: message.to_owned(),
            mapped_units: vec![mapped("ALG-04", 0.9)],
            before: vec![message.to_owned(), "2(x+3)".to_owned()],
            said: said.to_owned(),
            ..plan_request(StudentSnapshot {
                course_id: "algebra-foundations".to_owned(),
                turn: Some(TurnState::default()),
                ..snapshot("", &[])
            })
        };
        let planned = client.clone().plan(plan).await.unwrap().into_inner();
        let plan = planned.plan.unwrap();
        assert_eq!(plan.primary_target_unit_id, unit, "{message}");
    }
}

/// Somebody new has other units to do first; the example is of the exercise's own unit, and of its kind.
#[tokio::test]
async fn the_example_after_a_step_is_of_the_exercises_kind() {
    let courses = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../courses"));
    let client = start(courses, &Kit::for_tests()).await;
    for (exercise, message, begins, says) in [
        (
            "5(x+2)",
            "help me",
            "The first step stays the same: Multiply the brackets out",
            "\nExpand ",
        ),
        // No step is known for it, and its product is none to multiply out.
        (
            "factor 6x + 9",
            "3(2x + 3)",
            "Here is a worked example.",
            "\nTake out ",
        ),
        // An exam question, which gets the key idea alone.
        (
            "factor x^2 + 5x + 6",
            "(x+2)(x+3)",
            "Here is a worked example.",
            "\nFactor ",
        ),
        ("2(x+3)", "help", "Here is a worked example.", "\nExpand "),
    ] {
        let mut said = Vec::new();
        for message in [exercise, message] {
            let before = vec![message.to_owned(), exercise.to_owned()];
            let plan = PlanRequest {
                course_id: "algebra-foundations".to_owned(),
                target_locked: false,
                message: message.to_owned(),
                before: before.clone(),
                said: said.last().cloned().unwrap_or_default(),
                ..plan_request(StudentSnapshot {
                    course_id: "algebra-foundations".to_owned(),
                    turn: Some(TurnState::default()),
                    ..snapshot("", &[])
                })
            };
            let mut client = client.clone();
            let plan = client.plan(plan).await.unwrap().into_inner().plan;
            let decide = DecideRequest {
                plan,
                turn_id: TURN.to_owned(),
                ..DecideRequest::default()
            };
            let decided = client.decide(decide).await.unwrap();
            let request = ResolveReplyRequest {
                policy: decided.into_inner().policy,
                outcome: Some(Outcome::Failure(DegradedReason::LlmTimeout.into())),
                quotable: before,
                said: said.clone(),
                ..typed(message)
            };
            let resolved = client.resolve_reply(request).await.unwrap().into_inner();
            said.push(resolved.reply.unwrap().text);
        }
        let last = &said[1];
        assert!(last.contains(begins) && last.contains(says), "{last}");
    }
}

/// What is typed below a drill is about the drill, right or wrong, whatever its numbers have in common with other units.
#[tokio::test]
async fn an_answer_to_the_open_drill_leads_nowhere_else() {
    let courses = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../courses"));
    let client = start(courses, &Kit::for_tests()).await;
    for (course, target) in [
        ("algebra-foundations", "ALG-14"),
        ("terme-und-gleichungen", "TG-06"),
    ] {
        let pack = load(&courses.join(course)).unwrap();
        let mut typed_right = 0;
        for unit in pack.units.iter().filter(|unit| unit.id != target) {
            let written = unit.drills.iter();
            let made = unit
                .templates
                .iter()
                .flat_map(|drill| drill.instances.first());
            let wrong = [
                "-3/4",
                "3x + 4",
                "keine Lösung",
                "no solution",
                "why no solution?",
                "warum keine Lösung?",
                "why 4?",
                "keine Aufgaben mehr",
                "no more exercises",
            ];
            for drill in written.chain(made.map(|instance| &instance.drill)) {
                let card = WaitingCard {
                    prompt: drill.prompt.clone(),
                    question_latex: drill.question_latex.clone(),
                };
                let asked = turnwise_grading::Drill {
                    prompt: &drill.prompt,
                    question_latex: &drill.question_latex,
                    key: None,
                };
                let is_right = turnwise_grading::answer_in(&asked, &drill.answer).is_some();
                typed_right += usize::from(is_right);
                let right = is_right.then_some(drill.answer.as_str());
                for message in right.into_iter().chain(wrong) {
                    let plan = PlanRequest {
                        course_id: course.to_owned(),
                        message: message.to_owned(),
                        mapped_units: vec![mapped(&pack.units[1].id, 0.9)],
                        card: Some(card.clone()),
                        ..plan_request(StudentSnapshot {
                            course_id: course.to_owned(),
                            turn: Some(TurnState {
                                focus_unit_id: unit.id.clone(),
                                target_unit_id: target.to_owned(),
                                ..TurnState::default()
                            }),
                            ..snapshot("", &[])
                        })
                    };
                    let planned = client.clone().plan(plan).await.unwrap().into_inner();
                    let plan = planned.plan.unwrap();
                    let id = &drill.id;
                    assert_eq!(plan.primary_target_unit_id, unit.id, "{id}: {message}");
                    assert_eq!(plan.target_unit_id, target, "{id}: {message}");
                }
            }
        }
        assert!(typed_right > 5 * pack.units.len(), "{typed_right}");
    }
}
