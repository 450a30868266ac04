//! What words of the policy's own leave out, and which they choose: what is asked elsewhere, hints that tell, and feedback
//! where a part is right.

use tempfile::TempDir;
use tonic::service::Routes;
use turnwise_course_pack::{Drill, load};
use turnwise_grading::Reason;
use turnwise_kit::Kit;
use turnwise_policy_svc::taught;
use turnwise_proto::{
    policy::v1::{
        KnownTexts, ResolveGradeRequest, ResolveReplyRequest,
        policy_service_client::PolicyServiceClient, resolve_reply_request::Outcome,
    },
    tutor::v1::DegradedReason,
};
use turnwise_reply_guard::{OpenDrill as Guarded, states_solution};

use super::{asked, checked, taught_pack};
use crate::{drill_keys::pack_with, fixture::*};

/// What the tutor said before.
const EXPLAINED: &str =
    "Here is the idea behind Unit ONE. You will find more in your lesson: The balance.";
/// How a worked example begins.
const EXAMPLE: &str = "Here is a worked example.";

/// The instances of ONE's drill.
fn instances(folder: &TempDir) -> Vec<Drill> {
    let mut pack = load(&folder.path().join(COURSE)).unwrap();
    let template = pack.units[1].templates.remove(0);
    let instances = template.instances.into_iter();
    instances.map(|instance| instance.drill).collect()
}

fn guarded(drill: &Drill) -> Guarded<'_> {
    Guarded {
        prompt: &drill.prompt,
        question_latex: &drill.question_latex,
        key: Some(&drill.answer),
        said: "",
    }
}

/// What a student who is stuck on ONE reads after the explanation, in one of many turns.
async fn after_the_explanation(
    client: &PolicyServiceClient<Routes>,
    turn: u32,
    request: ResolveReplyRequest,
) -> String {
    let mut client = client.clone();
    let plan = plan_request(snapshot("ONE", &[("ONE", drills(3, 0))]));
    let plan = client.plan(plan).await.unwrap().into_inner().plan.unwrap();
    let mut decide = decide_request(plan);
    decide.turn_id = format!("0b5c6f2e-1d0f-4b52-9a43-{turn:012}");
    let decided = client.decide(decide).await.unwrap();
    let request = ResolveReplyRequest {
        policy: decided.into_inner().policy,
        outcome: Some(Outcome::Failure(DegradedReason::LlmTimeout.into())),
        said: vec![EXPLAINED.to_owned()],
        ..request
    };
    let resolved = client.resolve_reply(request).await.unwrap().into_inner();
    resolved.reply.unwrap().text
}

#[tokio::test]
async fn a_placements_question_is_not_worked_out() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    let drills = instances(&folder);
    let exercise = |drill: &Drill| format!("{} ${}$\n", drill.prompt, drill.question_latex);
    for turn in 0..40 {
        let text = after_the_explanation(&client, turn, ResolveReplyRequest::default()).await;
        assert!(text.starts_with(EXAMPLE), "{text}");
        let shown = drills.iter().find(|drill| text.contains(&exercise(drill)));
        let shown = shown.unwrap_or_else(|| panic!("{text}"));
        let placed = |said: &str| ResolveReplyRequest {
            placement_question: Some(asked(shown, said)),
            ..ResolveReplyRequest::default()
        };
        let text = after_the_explanation(&client, turn, placed("")).await;
        assert!(!text.contains(&exercise(shown)), "{text}");
        // Who asks about it is not told its answer by another exercise, either.
        let brought = placed(&shown.question_latex);
        let text = after_the_explanation(&client, turn, brought).await;
        assert!(!text.contains(&exercise(shown)), "{text}");
        assert!(!states_solution([text.as_str()], &guarded(shown)), "{text}");
    }
}

#[tokio::test]
async fn the_answer_of_an_open_exam_question_is_not_told() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    let drills = instances(&folder);
    let exercise = |drill: &Drill| format!("{} ${}$\n", drill.prompt, drill.question_latex);
    for turn in 0..10 {
        let text = after_the_explanation(&client, turn, ResolveReplyRequest::default()).await;
        let shown = drills.iter().find(|drill| text.contains(&exercise(drill)));
        let shown = shown.unwrap_or_else(|| panic!("{text}"));
        assert!(states_solution([text.as_str()], &guarded(shown)), "{text}");
        // That the answer was guessed is no reason to tell it.
        let request = ResolveReplyRequest {
            exam_question: Some(asked(shown, &shown.answer)),
            ..ResolveReplyRequest::default()
        };
        let text = after_the_explanation(&client, turn, request).await;
        assert!(!states_solution([text.as_str()], &guarded(shown)), "{text}");
    }
}

#[tokio::test]
async fn nothing_is_worked_out_while_a_platforms_questions_are_unknown() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    for exams_unknown in [false, true] {
        let request = ResolveReplyRequest {
            known: Some(KnownTexts {
                exams_unknown,
                ..KnownTexts::default()
            }),
            ..ResolveReplyRequest::default()
        };
        let text = after_the_explanation(&client, 0, request).await;
        assert_eq!(text.starts_with(EXAMPLE), !exams_unknown, "{text}");
    }
}

/// What is read on a wrong answer after so many, where mathematics gave this reason.
async fn feedback(
    client: &PolicyServiceClient<Routes>,
    drill: &Drill,
    reason: Option<Reason>,
    wrong_before: i32,
) -> String {
    let mut client = client.clone();
    let mut check = checked(&client, drill, "x = 77").await;
    if let Some(reason) = reason {
        check.reason = reason.as_str().to_owned();
    }
    let request = ResolveGradeRequest {
        check: Some(check),
        drill: Some(asked(drill, "x = 77")),
        wrong_before,
        ..ResolveGradeRequest::default()
    };
    let graded = client.resolve_grade(request).await.unwrap().into_inner();
    graded.feedback_text
}

#[tokio::test]
async fn where_a_part_is_right_no_line_is_at_fault() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    let drills = instances(&folder);
    let whole = "That is not right yet. Compare each of your lines";
    let partly = "That fits in part, but it is not yet what the exercise asks for.";
    for (reason, begins) in [
        (Reason::IncompleteSolutionSet, partly),
        (Reason::NotConverted, partly),
        (Reason::NotExpanded, partly),
        (Reason::NotFactored, partly),
        (Reason::NotSimplified, partly),
        (Reason::WrongUnit, partly),
        (Reason::NotASolution, whole),
        (Reason::NotEqual, whole),
        (Reason::DiffersFromKey, whole),
    ] {
        let text = feedback(&client, &drills[0], Some(reason), 1).await;
        assert!(text.starts_with(begins), "{reason:?}: {text}");
        let first = feedback(&client, &drills[0], Some(reason), 0).await;
        assert!(!first.starts_with(begins), "{reason:?}: {first}");
    }
}

/// A course is served whose later instances have a hint that tells: it is left out of these alone.
#[tokio::test]
async fn a_hint_that_tells_is_left_out_of_the_feedback() {
    let folder = (9..40)
        .map(|most| {
            pack_with(&[
                "parameters:",
                &format!("  - x in 2..{most}"),
                &format!("  - b in 2..{most}"),
                "  - c = x + b",
                "prompt: Solve the equation.",
                "question_latex: 'x + [[b]] = [[c]]'",
                "answer: 'x = [[x]]'",
                "hints: ['You get [[b]].']",
            ])
        })
        .find(|folder| {
            let pack = load(&folder.path().join(COURSE)).unwrap();
            taught::faults(&pack, 4).is_empty() && !taught::faults(&pack, usize::MAX).is_empty()
        });
    let folder = folder.expect("a course whose first instances tell nothing");
    let client = start(folder.path(), &Kit::for_tests()).await;
    let (mut told, mut left_out) = (0, 0);
    for drill in instances(&folder) {
        let hint = drill.hints[0].as_str();
        let tells = states_solution([hint], &guarded(&drill));
        let text = feedback(&client, &drill, None, 0).await;
        assert_eq!(text.ends_with(hint), !tells, "{}: {text}", drill.answer);
        told += usize::from(!tells);
        left_out += usize::from(tells);
    }
    assert!(told > 0 && left_out > 0, "{told} and {left_out}");
}
