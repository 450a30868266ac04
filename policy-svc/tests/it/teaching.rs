//! What the service makes of a course that teaches: faults, replies without a model, and feedback.

use std::{fs, path::Path};

use tempfile::TempDir;
use tonic::service::Routes;
use turnwise_course_pack::{Drill, LibrarySettings, load};
use turnwise_decisions::{
    Action, Asks, Open, PlanInput, Situation, fallback::fallback, teaching::derived_hints,
};
use turnwise_kit::Kit;
use turnwise_policy_svc::{courses, taught};
use turnwise_proto::{
    policy::v1::{
        CheckDrillRequest, DrillCheck, OpenDrill, ResolveGradeRequest, ResolveReplyRequest,
        policy_service_client::PolicyServiceClient, resolve_grade_request,
        resolve_reply_request::Outcome,
    },
    tutor::v1::{ClientEventKind, DegradedReason, StudentInput},
};
use turnwise_reply_guard::{OpenDrill as Guarded, states_solution};

use crate::{drill_keys::pack_with, fixture::*};

mod asked;
mod done;
mod own;
mod own_units;
mod withheld;
mod words;

const HELPED: [&str; 9] = [
    "parameters:",
    "  - x in 2..9",
    "  - b in 2..9",
    "  - c = x + b",
    "prompt: Solve the equation.",
    "question_latex: 'x + [[b]] = [[c]]'",
    "answer: 'x = [[x]]'",
    "hints: ['What stands beside $x$?', 'Take away the same on both sides.']",
    "solution: ['Subtract [[b]] from both sides.', '$x = [[c]] - [[b]] = [[x]]$']",
];

/// What is wrong with what is taught, as `course check` tells it.
fn faults(folder: &Path) -> Vec<String> {
    let pack = load(&folder.join(COURSE)).unwrap();
    let faults = taught::faults(&pack, usize::MAX);
    faults.iter().map(ToString::to_string).collect()
}

/// The pack with a drill that has this instead of its hints.
fn with_hints(hints: &str) -> TempDir {
    let mut lines = HELPED;
    lines[7] = hints;
    pack_with(&lines)
}

/// Replaces a text of a file of the pack.
fn replace(folder: &TempDir, file: &str, from: &str, to: &str) {
    let path = folder.path().join(COURSE).join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(&path, text.replace(from, to)).unwrap();
}

/// The pack, with all that an author can write for ONE.
fn taught_pack(locale: &str) -> TempDir {
    let folder = pack_with(&HELPED);
    replace(
        &folder,
        "units/units.yaml",
        "    misconceptions: [A wrong idea about ONE.]\n    mistake_tags:\n      - id: slip\n        meaning: A slip.\n",
        "    misconceptions:\n      - text: A wrong idea about ONE.\n        question: What would happen then?\n    \
         mistake_tags:\n      - id: slip\n        meaning: A slip.\n        feedback: That is a slip of the pen.\n    \
         key_idea: {text: Both sides stay equal., chunk: one-c1}\n",
    );
    replace(
        &folder,
        "course.yaml",
        "locale: en",
        &format!("locale: {locale}"),
    );
    let lesson = "---\nunit: ONE\nsource: lesson-one\ntype: text\ntitle: One\n---\n## The balance {#one-c1}\n\nTwo pans.\n";
    fs::write(folder.path().join(COURSE).join("content/one.md"), lesson).unwrap();
    folder
}

#[test]
fn hints_that_give_the_answer_away_and_texts_that_may_not_be_shown() {
    assert_eq!(faults(pack_with(&HELPED).path()), [""; 0]);
    assert_eq!(faults(taught_pack("en").path()), [""; 0]);
    for (hints, says) in [
        (
            "hints: ['The answer is $x = [[x]]$.']",
            "gives its answer away",
        ),
        (
            "hints: ['Look at $x$.', 'You get [[x]].']",
            "gives its answer away",
        ),
        (
            "hints: ['See https://example.org.']",
            "no student may be shown",
        ),
        ("hints: ['<b>Look</b> here.']", "no student may be shown"),
    ] {
        let folder = with_hints(hints);
        let found = faults(folder.path());
        assert_eq!(found.len(), 1, "{hints}: {found:?}");
        assert!(
            found[0].contains("`ONE-D1#0`") && found[0].contains(says),
            "{}",
            found[0]
        );
        let refused = courses::open(
            &LibrarySettings::new(folder.path().to_owned(), 0),
            &Kit::for_tests(),
        );
        let refused = refused
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default();
        assert!(refused.contains(says), "{refused}");
    }
    let folder = taught_pack("en");
    replace(
        &folder,
        "units/units.yaml",
        "Both sides stay equal.",
        "'See www.example.org'",
    );
    let found = faults(folder.path());
    assert!(
        found.len() == 1 && found[0].contains("units.yaml:") && found[0].contains("the unit `ONE`"),
        "{found:?}"
    );
}

/// A turn about ONE without a model, after what the tutor said.
async fn turn(
    client: &PolicyServiceClient<Routes>,
    request: ResolveReplyRequest,
    kind: Option<ClientEventKind>,
) -> String {
    let mut client = client.clone();
    let mut plan = plan_request(snapshot("ONE", &[("ONE", drills(3, 0))]));
    plan.event = kind.map(|kind| event(kind, "ONE"));
    let plan = client.plan(plan).await.unwrap().into_inner().plan.unwrap();
    let decided = client.decide(decide_request(plan)).await.unwrap();
    let request = ResolveReplyRequest {
        policy: decided.into_inner().policy,
        outcome: Some(Outcome::Failure(DegradedReason::LlmTimeout.into())),
        pressed: kind.map_or(0, Into::into),
        ..request
    };
    let resolved = client.resolve_reply(request).await.unwrap().into_inner();
    resolved.reply.unwrap().text
}

#[tokio::test]
async fn a_turn_teaches_in_the_courses_language() {
    for (locale, idea, example, sibling, message) in [
        (
            "en",
            "Here is the idea behind Unit ONE. You will find more in your lesson: The balance.",
            "Here is a worked example.",
            "Here is an exercise like yours, with other numbers.",
            "I don't know what to do",
        ),
        (
            "de",
            "Hier ist die Idee hinter „Unit ONE“. Mehr findest du in deiner Lektion: The balance.",
            "Hier ist ein gelöstes Beispiel.",
            "Hier ist eine Aufgabe wie deine, mit anderen Zahlen.",
            "Keine Ahnung, weiß nicht",
        ),
    ] {
        let folder = taught_pack(locale);
        let client = start(folder.path(), &Kit::for_tests()).await;
        let first = turn(&client, ResolveReplyRequest::default(), None).await;
        assert_eq!(first, idea);
        let after = ResolveReplyRequest {
            said: vec![first],
            ..ResolveReplyRequest::default()
        };
        let second = turn(&client, after, None).await;
        assert!(second.starts_with(example), "{second}");

        let pack = load(&folder.path().join(COURSE)).unwrap();
        let drill = &pack.units[1].templates[0].instances[0].drill;
        let on_drill = |hints_given, said: &[String]| ResolveReplyRequest {
            open_drill: Some(OpenDrill {
                unit_id: "ONE".to_owned(),
                prompt: drill.prompt.clone(),
                question_latex: drill.question_latex.clone(),
                said: String::new(),
            }),
            hints_given,
            said: said.to_vec(),
            ..ResolveReplyRequest::default()
        };
        let pressed = Some(ClientEventKind::StuckHint);
        let hint = turn(&client, on_drill(0, &[]), pressed).await;
        assert_eq!(hint, "What stands beside $x$?");
        // Words help as the button does.
        let typed = ResolveReplyRequest {
            typed: Some(StudentInput {
                text: message.to_owned(),
                ..StudentInput::default()
            }),
            ..on_drill(0, &[hint])
        };
        let next = turn(&client, typed, None).await;
        assert!(
            next.starts_with("Take away the same on both sides. "),
            "{next}"
        );
        let last = turn(&client, on_drill(2, &[]), pressed).await;
        assert!(last.starts_with(sibling), "{last}");
        assert!(!last.contains(&drill.question_latex), "{last}");
        let answered = ResolveReplyRequest {
            typed: Some(StudentInput {
                text: "x = 77".to_owned(),
                ..StudentInput::default()
            }),
            ..on_drill(0, &[])
        };
        let answered = turn(&client, answered, None).await;
        assert!(!answered.contains("What stands beside"), "{answered}");
    }
}

/// What mathematics says of an answer to this drill of ONE.
async fn checked(client: &PolicyServiceClient<Routes>, drill: &Drill, answer: &str) -> DrillCheck {
    let request = CheckDrillRequest {
        course_id: COURSE.to_owned(),
        unit_id: "ONE".to_owned(),
        prompt: drill.prompt.clone(),
        question_latex: drill.question_latex.clone(),
        answer: answer.to_owned(),
        drill_id: drill.id.clone(),
        ..CheckDrillRequest::default()
    };
    let checked = client.clone().check_drill(request).await.unwrap();
    checked.into_inner().check.unwrap()
}

/// A drill of ONE, and what the student said.
fn asked(drill: &Drill, said: &str) -> OpenDrill {
    OpenDrill {
        unit_id: "ONE".to_owned(),
        prompt: drill.prompt.clone(),
        question_latex: drill.question_latex.clone(),
        said: said.to_owned(),
    }
}

#[tokio::test]
async fn feedback_names_the_mistake_and_is_another_the_next_time() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    let pack = load(&folder.path().join(COURSE)).unwrap();
    let drill = &pack.units[1].templates[0].instances[0].drill;
    let mut told: Vec<String> = Vec::new();
    for wrong_before in 0..4 {
        let mut client = client.clone();
        let request = ResolveGradeRequest {
            check: Some(checked(&client, drill, "x = 77").await),
            drill: Some(asked(drill, "")),
            // What gives the answer is withheld; the mistake that it names is not.
            outcome: (wrong_before == 0).then(|| {
                let grade = format!(
                    r#"{{"isCorrect": false, "feedbackText": "The answer is {}.", "commonMistakeTag": "slip"}}"#,
                    drill.answer
                );
                resolve_grade_request::Outcome::Completion(grade.into_bytes().into())
            }),
            wrong_before,
            ..ResolveGradeRequest::default()
        };
        let graded = client.resolve_grade(request).await.unwrap().into_inner();
        assert_eq!(
            graded.mistake_tag,
            if wrong_before == 0 { "slip" } else { "" }
        );
        told.push(graded.feedback_text);
    }
    assert_eq!(
        told[0],
        "That is a slip of the pen. What stands beside $x$?"
    );
    for pair in told.windows(2) {
        let sentences = pair[1].split_inclusive(['.', '?', ':']).map(str::trim);
        for sentence in sentences.filter(|sentence| sentence.len() > 3) {
            assert!(!pair[0].contains(sentence), "{sentence}\n{}", pair[0]);
        }
    }
}

/// What the tutor gave as a hint just before the answer is not in the feedback on it.
#[tokio::test]
async fn feedback_repeats_no_hint_of_the_turn_before() {
    let folder = taught_pack("en");
    let client = start(folder.path(), &Kit::for_tests()).await;
    let pack = load(&folder.path().join(COURSE)).unwrap();
    let drill = &pack.units[1].templates[0].instances[0].drill;
    for (said, is_given) in [
        ("", true),
        (
            "Take away the same on both sides. How does that help you here?",
            true,
        ),
        ("What stands beside $x$?", false),
    ] {
        let mut client = client.clone();
        let request = ResolveGradeRequest {
            check: Some(checked(&client, drill, "x = 77").await),
            drill: Some(asked(drill, "")),
            said: said.to_owned(),
            ..ResolveGradeRequest::default()
        };
        let graded = client.resolve_grade(request).await.unwrap().into_inner();
        let text = graded.feedback_text;
        assert_eq!(
            text.ends_with(" What stands beside $x$?"),
            is_given,
            "{text}"
        );
        assert!(!text.trim().is_empty());
    }
}

#[tokio::test]
async fn mathematics_names_mistakes_that_have_their_usual_names() {
    let folder = taught_pack("en");
    let yaml = "units/units.yaml";
    replace(
        &folder,
        yaml,
        "- id: slip\n        meaning: A slip.\n        feedback:",
        "- id: sign_error\n        meaning: A sign.\n        feedback:",
    );
    let client = start(folder.path(), &Kit::for_tests()).await;
    let pack = load(&folder.path().join(COURSE)).unwrap();
    let drill = &pack.units[1].templates[0].instances[0].drill;
    let value = drill.answer.trim_start_matches("x = ");
    for (answer, tag) in [
        (format!("x = -{value}"), "sign_error"),
        (format!("-{value}"), "sign_error"),
        (format!("$-{value}$"), "sign_error"),
        ("x = 77".to_owned(), ""),
        (drill.answer.clone(), ""),
    ] {
        let mut client = client.clone();
        let request = ResolveGradeRequest {
            check: Some(checked(&client, drill, &answer).await),
            drill: Some(asked(drill, &answer)),
            ..ResolveGradeRequest::default()
        };
        let graded = client.resolve_grade(request).await.unwrap().into_inner();
        assert_eq!(graded.mistake_tag, tag, "{answer}");
        let is_named = graded
            .feedback_text
            .starts_with("That is a slip of the pen. ");
        assert_eq!(is_named, !tag.is_empty(), "{answer}");
    }
}

/// Whatever drill of the demo course is open, a hint helps and gives nothing away.
#[test]
fn hints_of_the_demo_course_never_give_the_answer() {
    let courses_dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../courses");
    let settings = LibrarySettings::new(courses_dir.into(), 0);
    let library = courses::open(&settings, &Kit::for_tests()).unwrap();
    let demo = library.catalog().get("algebra-foundations").unwrap();
    let spoken = ["en", "de"].map(|locale| {
        let texts = turnwise_messages::Texts::new(locale, std::collections::BTreeMap::new());
        demo.course.clone().with_texts(texts)
    });
    let (mut all, mut hinted) = (0, 0);
    for &at in demo.course.path() {
        let unit = demo.course.unit(at);
        let snapshot = turnwise_decisions::Snapshot {
            focus_unit_id: unit.id.clone(),
            prerequisite_overrides: demo
                .course
                .path()
                .iter()
                .map(|at| demo.course.id(*at).to_owned())
                .collect(),
            ..turnwise_decisions::Snapshot::default()
        };
        let now = "2026-03-02T10:00:00Z".parse().unwrap();
        let record = turnwise_decisions::Record::new(&demo.course, &snapshot, now);
        let input = PlanInput {
            mapped_units: Vec::new(),
            event: None,
            target_locked: true,
        };
        let plan = turnwise_decisions::plan(&record, &input).unwrap();
        let decided = turnwise_decisions::DecideInput {
            plan,
            turn_id: TURN.to_owned(),
            candidate_question_ids: Vec::new(),
            statuses: turnwise_decisions::Statuses::default(),
            exam_system_unavailable: false,
            open_drill_unit_id: String::new(),
            matched_unit_id: String::new(),
        };
        let policy = turnwise_decisions::decide(&demo.course, &decided)
            .unwrap()
            .policy;
        assert_eq!(policy.focus_unit_id, unit.id);
        for drill in unit.drills.iter().step_by(101) {
            let guarded = Guarded {
                prompt: &drill.prompt,
                question_latex: &drill.question_latex,
                key: demo.answers.of_drill(&drill.id),
                said: "",
            };
            for course in &spoken {
                let ladder = derived_hints(course.texts(), &drill.prompt, &drill.question_latex);
                assert!((1..=3).contains(&ladder.len()));
                for hints_given in 0..4 {
                    let situation = Situation {
                        asks: Asks::Help,
                        open: Some(Open {
                            unit_id: &unit.id,
                            drill: guarded,
                            hints_given,
                        }),
                        ..Situation::default()
                    };
                    let reply = fallback(course, &policy, &situation);
                    assert_eq!(reply.action, Action::SocraticQuestion);
                    let text = reply.tutor_text.as_str();
                    assert!(!states_solution([text], &guarded), "{}: {text}", drill.id);
                    let help = unit.teaching.drills.get(&drill.id);
                    let authored = help
                        .map(|help| &help.hints)
                        .filter(|hints| !hints.is_empty());
                    let first = authored.unwrap_or(&ladder).first().unwrap();
                    all += usize::from(hints_given == 0);
                    hinted += usize::from(hints_given == 0 && text.starts_with(first.as_str()));
                }
            }
        }
    }
    // A hint that might give something away is left out.
    assert!(hinted * 20 >= all * 19, "{hinted} of {all}");
}
