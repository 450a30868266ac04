//! What holds of any course, message and thread.

use proptest::prelude::*;
use turnwise_context_needs::{
    Input, MOST_SLOTS, Present, analyze, intent::of_words, missing_must_have, relevant,
};
use turnwise_course_pack::{ContextCourse, ContextNeed, Friction, MessageIntent, Urgency};

use crate::fixture::{course, need};

const ARTIFACTS: [&str; 3] = ["budget", "offers", "notes"];
const PHASES: [&str; 3] = ["budget", "plan", "none"];
const UNITS: [&str; 3] = ["SUMS", "LINES", "OTHER"];
const PATHS: [&str; 3] = ["", "costs", "/costs/0"];
const MESSAGES: [&str; 8] = [
    "check my costs",
    "my sum is wrong",
    "what is a sum?",
    "add the bus",
    "plan the day",
    "ok",
    "Prüf das bitte",
    "🙂 \u{202e} ((",
];

fn one_of(words: &[&'static str]) -> impl Strategy<Value = &'static str> + use<> {
    proptest::sample::select(words.to_vec())
}

fn some_of(words: &[&str]) -> impl Strategy<Value = Vec<String>> + use<> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    proptest::sample::subsequence(words.clone(), 0..=words.len())
}

fn any_course() -> impl Strategy<Value = ContextCourse> {
    let need = (
        one_of(&ARTIFACTS),
        proptest::option::of(one_of(&PHASES)),
        proptest::sample::subsequence(MessageIntent::ALL.to_vec(), 0..=5),
        some_of(&UNITS),
        proptest::option::of(one_of(&PATHS[1..])),
        any::<bool>(),
    )
        .prop_map(|(artifact, phase, intents, units, path, must)| {
            let urgency = if must {
                Urgency::MustHave
            } else {
                Urgency::NiceToHave
            };
            ContextNeed {
                phase: phase.map(str::to_owned),
                intents,
                units,
                key_path: path.map(str::to_owned),
                ..need("", artifact, urgency)
            }
        });
    let friction = (1..5u32, 0..5u32, 1..4u32);
    (proptest::collection::vec(need, 0..12), friction).prop_map(|(mut needs, friction)| {
        for (n, need) in needs.iter_mut().enumerate() {
            need.id = format!("n{n}");
        }
        ContextCourse {
            needs,
            friction: Friction {
                max_requests_per_thread: friction.0,
                min_messages_between: friction.1,
                max_refusals: friction.2,
            },
            ..course()
        }
    })
}

/// A message and what is known beside the counts.
#[derive(Debug, Clone)]
struct Step {
    on: bool,
    in_project: bool,
    phase: Option<&'static str>,
    unit: Option<&'static str>,
    message: String,
    present: Vec<Present>,
    flagged: Vec<String>,
    refused: bool,
}

impl Step {
    fn input(&self) -> Input<'_> {
        Input {
            on: self.on,
            in_project: self.in_project,
            phase: self.phase,
            unit: self.unit,
            message: &self.message,
            locale: "en",
            present: &self.present,
            flagged: &self.flagged,
            ..Input::default()
        }
    }
}

fn step() -> impl Strategy<Value = Step> {
    let present = (one_of(&ARTIFACTS), some_of(&PATHS)).prop_map(|(artifact, key_paths)| Present {
        artifact: artifact.to_owned(),
        key_paths,
    });
    let message = prop_oneof![
        4 => one_of(&MESSAGES).prop_map(str::to_owned),
        1 => ".{0,40}",
    ];
    (
        (proptest::bool::weighted(0.9), proptest::bool::weighted(0.8)),
        proptest::option::of(one_of(&PHASES)),
        proptest::option::of(one_of(&UNITS)),
        message,
        proptest::collection::vec(present, 0..3),
        some_of(&ARTIFACTS),
        any::<bool>(),
    )
        .prop_map(
            |((on, in_project), phase, unit, message, present, flagged, refused)| Step {
                on,
                in_project,
                phase,
                unit,
                message,
                present,
                flagged,
                refused,
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_request_is_bounded_ordered_and_of_what_is_missing(course in any_course(), step in step()) {
        let input = step.input();
        let request = analyze(&course, &input);
        prop_assert_eq!(&request, &analyze(&course, &input));
        let missing = missing_must_have(&course, &input);
        let Some(request) = request else {
            // Nothing was asked yet, so nothing but what is missing decides.
            prop_assert!(missing.is_empty());
            return Ok(());
        };
        prop_assert!(step.on);
        prop_assert!((1..=MOST_SLOTS).contains(&request.slots.len()));
        prop_assert!(request.slots.is_sorted_by_key(|slot| slot.urgency));
        prop_assert_eq!(request.must_have, !missing.is_empty());
        let mut places = Vec::new();
        for slot in &request.slots {
            let place = course.needs.iter().position(|need| need.id == slot.need).unwrap();
            let need = &course.needs[place];
            prop_assert_eq!((&slot.artifact, &slot.key_path), (&need.artifact, &need.key_path));
            prop_assert!(need.units.is_empty() || need.units.iter().any(|unit| Some(unit.as_str()) == step.unit));
            prop_assert!(
                need.intents.is_empty() || need.intents.contains(&request.intent) || step.flagged.contains(&need.artifact)
            );
            prop_assert!(need.phase.is_none() || need.phase == slot.phase);
            prop_assert!(step.in_project || slot.phase.is_none());
            for there in step.present.iter().filter(|there| there.artifact == slot.artifact) {
                prop_assert!(!there.key_paths.is_empty() && !there.key_paths.iter().any(String::is_empty));
                prop_assert!(!slot.key_path.as_ref().is_some_and(|path| there.key_paths.contains(path)));
            }
            places.push((slot.urgency, place));
        }
        prop_assert!(places.is_sorted());
    }

    #[test]
    fn a_thread_is_asked_within_its_budget(
        course in any_course(),
        steps in proptest::collection::vec(step(), 0..40),
    ) {
        let (mut requests, mut refusals, mut since) = (0, 0, None);
        for step in &steps {
            let input = Input { messages_since_request: since, requests, refusals, ..step.input() };
            let asked = analyze(&course, &input).is_some();
            if asked {
                prop_assert!(refusals < course.friction.max_refusals);
                prop_assert!(since.is_none_or(|messages| messages >= course.friction.min_messages_between));
                requests += 1;
                refusals += u32::from(step.refused);
                since = Some(0);
            } else {
                since = since.map(|messages| messages + 1);
            }
        }
        prop_assert!(requests <= course.friction.max_requests_per_thread);
        prop_assert!(refusals <= course.friction.max_refusals);
    }

    #[test]
    fn off_is_always_none(course in any_course(), step in step()) {
        let off = Step { on: false, ..step };
        prop_assert_eq!(analyze(&course, &off.input()), None);
        prop_assert!(missing_must_have(&course, &off.input()).is_empty());
    }

    #[test]
    fn what_is_relevant_is_there_once_and_not_asked_for(course in any_course(), step in step()) {
        let input = step.input();
        let relevant = relevant(&course, &input);
        for (n, there) in relevant.iter().enumerate() {
            let known = |known: &Present| known.artifact == there.artifact;
            prop_assert!(step.on && step.present.iter().any(known) && !relevant[..n].contains(there));
        }
        let asks = |input: &Input<'_>| analyze(&course, input).is_some() || !missing_must_have(&course, input).is_empty();
        let nothing = Input { present: &[], ..input };
        prop_assert!(relevant.is_empty() || asks(&nothing));
    }

    #[test]
    fn any_text_is_read(text in "\\PC{0,300}") {
        prop_assert_eq!(of_words(&text), of_words(&text));
    }
}
