//! Replies that a policy allows, and what a careless or hostile model makes of them.

use proptest::{collection::vec, prelude::*, sample::Index};
use serde_json::{Value, json};
use turnwise_decisions::{Action, Course, Policy};

/// A valid reply, or one with up to three changes.
pub fn reply(course: &Course, policy: &Policy) -> impl Strategy<Value = Value> + use<> {
    let changes = prop_oneof![
        2 => vec(change(policy), 0..1),
        6 => vec(change(policy), 1..2),
        3 => vec(change(policy), 2..4),
    ];
    (valid(course, policy), changes).prop_map(|(mut reply, changes)| {
        for choices in changes {
            if let Some(change) = choices.into_iter().find(|change| change.fits(&reply)) {
                change.apply(&mut reply);
            }
        }
        reply
    })
}

fn texts(list: &[&str]) -> impl Strategy<Value = String> + use<> {
    let list: Vec<_> = list.iter().map(|text| (*text).to_owned()).collect();
    prop::sample::select(list)
}

/// A reply that the policy allows: any of its actions, about any unit that this action may be about.
pub fn valid(course: &Course, policy: &Policy) -> impl Strategy<Value = Value> + use<> {
    let choices: Vec<(Action, Vec<String>)> = policy
        .allowed_actions
        .iter()
        .map(|action| {
            let units = policy.targets(course, *action).map(str::to_owned);
            (*action, units.collect())
        })
        .collect();
    let last = prop::sample::select(choices.last().cloned().into_iter().collect::<Vec<_>>());
    let units = policy.scoped_unit_ids.clone();
    let mapped = (prop::sample::select(units.clone()), 0..=10_u32).prop_map(
        |(unit, tenths)| json!({"unit_id": unit, "confidence": f64::from(tenths) / 10.0}),
    );
    let analysis = (
        texts(&["solve", "explain", "check", "stuck", "unknown"]),
        texts(&["confident", "uncertain", "confused"]),
        vec(prop::sample::select(units), 0..3),
    )
        .prop_map(|(intent, signal, suggested)| {
            json!({
                "student_intent": intent,
                "understanding_signal": signal,
                "suggested_prereq_units": suggested,
            })
        });
    (
        // The last action is the rarest one.
        (
            prop_oneof![last, prop::sample::select(choices)],
            any::<Index>(),
        )
            .prop_map(|((action, units), which)| (action, which.get(&units).clone())),
        texts(&[
            "What comes next?",
            "Look here. Why? And then?",
            "Go on.",
            "为什么？",
        ]),
        vec(mapped, 0..4),
        analysis,
        card(course, policy),
    )
        .prop_map(|((action, target), text, mapped, analysis, card)| {
            let mut reply = json!({
                "action": action.as_str(),
                "target_unit_id": target,
                "tutor_text": text,
                "mapped_units": mapped,
                "turn_analysis": analysis,
            });
            match action {
                Action::SocraticQuestion => {}
                Action::ConceptCard => reply["concept_card"] = card.concept,
                Action::DrillCard => reply["drill_card"] = card.drill,
                Action::ExamBlock => reply["exam_suggestion"] = card.exam,
            }
            reply
        })
}

#[derive(Debug, Clone)]
struct Cards {
    concept: Value,
    drill: Value,
    exam: Value,
}

fn card(course: &Course, policy: &Policy) -> impl Strategy<Value = Cards> + use<> {
    let tier = policy.desired_exam_tier.as_str();
    let mut questions = policy.exam_candidate_ids.clone();
    questions.push("none".to_owned());
    let last = questions.len().max(2) - 1;
    let most_ideas = course.rules().max_key_ideas as usize;
    let examples = course.rules().max_worked_examples > 0;
    let concept = (
        vec(
            texts(&["Do it on both sides.", "Think."]),
            1..=most_ideas.min(3),
        ),
        prop::option::of(prop::option::of(vec(texts(&["x = 2", "2x = 4"]), 0..3))),
    )
        .prop_map(move |(ideas, example)| {
            let mut card = json!({"key_ideas": ideas});
            if let Some(steps) = example.filter(|_| examples) {
                card["worked_example"] = json!({
                    "problem_latex": "2x + 1 = 5",
                    "final_answer_latex": "x = 2",
                });
                if let Some(steps) = steps {
                    card["worked_example"]["steps_latex"] = json!(steps);
                }
            }
            card
        });
    let drill = (
        texts(&["Solve for x.", "Work out the value."]),
        texts(&["2x = 4", "3 + 4", ""]),
    )
        .prop_map(|(prompt, question)| json!({"prompt": prompt, "question_latex": question}));
    let exam =
        (0..last).prop_map(move |n| json!({"question_id": questions[n], "difficultyTier": tier}));
    (concept, drill, exam).prop_map(|(concept, drill, exam)| Cards {
        concept,
        drill,
        exam,
    })
}

/// One change at one place of a reply.
#[derive(Debug, Clone)]
struct Change {
    place: Place,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Place {
    /// Anywhere.
    Any(Index),
    /// There, if the reply has such a place.
    At(&'static str),
}

#[derive(Debug, Clone)]
enum Kind {
    /// The place goes.
    Remove,
    /// Another value stands there.
    Replace(Value),
    /// A key more, in the place or around it.
    Add(String, Value),
    /// A list grows to so many entries.
    Repeat(usize),
}

/// Changes of which the first one that fits is made.
fn change(policy: &Policy) -> impl Strategy<Value = Vec<Change>> + use<> {
    let kind = prop_oneof![
        2 => Just(Kind::Remove),
        5 => value(policy).prop_map(Kind::Replace),
        2 => (key(), value(policy)).prop_map(|(key, value)| Kind::Add(key, value)),
        1 => (2..10_usize).prop_map(Kind::Repeat),
    ];
    let anywhere = (any::<Index>(), kind).prop_map(|(place, kind)| Change {
        place: Place::Any(place),
        kind,
    });
    prop_oneof![1 => vec(anywhere, 1), 1 => vec(aimed(policy), 8)]
}

/// A change of the one place where a rule looks.
fn aimed(policy: &Policy) -> impl Strategy<Value = Change> + use<> {
    let at = |places: &[&'static str], values: Vec<Value>| {
        (
            prop::sample::select(places.to_vec()),
            prop::sample::select(values),
        )
            .prop_map(|(place, value)| Change {
                place: Place::At(place),
                kind: Kind::Replace(value),
            })
    };
    let actions = [
        "SOCRATIC_QUESTION",
        "CONCEPT_CARD",
        "DRILL_CARD",
        "EXAM_BLOCK",
    ];
    let tiers = ["none", "bronze", "silver", "gold"];
    let mut questions: Vec<Value> = policy
        .exam_candidate_ids
        .iter()
        .map(|id| json!(id))
        .collect();
    questions.push(json!("made-up"));
    let mut units: Vec<Value> = policy.scoped_unit_ids.iter().map(|id| json!(id)).collect();
    units.push(json!("nowhere"));
    let questions_asked = vec![json!("Why? How?"), json!("Why? How? When?")];
    let confidences = vec![json!(1), json!(1.5), json!(-0.1), json!("1")];
    let most = policy.constraints.max_concept_words as usize;
    let bounds = [most, most + 1]
        .map(|words| json!({"key_ideas": [vec!["a"; words].join(" ")]}))
        .to_vec();
    let bounded = (
        prop::sample::select(vec![
            "/mapped_units",
            "/turn_analysis/suggested_prereq_units",
            "/concept_card/key_ideas",
            "/concept_card/worked_example/steps_latex",
        ]),
        2..10_usize,
    )
        .prop_map(|(place, count)| Change {
            place: Place::At(place),
            kind: Kind::Repeat(count),
        });
    prop_oneof![
        1 => at(&["/action"], actions.map(|name| json!(name)).to_vec()),
        1 => at(&["/target_unit_id"], units),
        2 => at(&["/tutor_text"], odd_texts()),
        2 => at(&["/tutor_text"], questions_asked),
        1 => at(&["/mapped_units/0/confidence"], confidences),
        3 => at(&["/concept_card"], bounds),
        4 => at(&["/exam_suggestion/question_id"], questions),
        4 => at(&["/exam_suggestion/difficultyTier"], tiers.map(|name| json!(name)).to_vec()),
        2 => at(&["/drill_card/prompt", "/drill_card/question_latex"], odd_texts()),
        2 => at(
            &[
                "/concept_card/key_ideas/0",
                "/concept_card/worked_example/problem_latex",
                "/concept_card/worked_example/steps_latex/0",
            ],
            odd_texts(),
        ),
        1 => bounded,
    ]
}

fn key() -> impl Strategy<Value = String> {
    texts(&[
        "confusion_tags",
        "concept_card",
        "drill_card",
        "exam_suggestion",
        "worked_example",
        "steps_latex",
        "Action",
        "confidence",
    ])
}

/// What might stand anywhere. Drills between short and clearly too long are not among it.
fn value(policy: &Policy) -> impl Strategy<Value = Value> + use<> {
    let fixed = vec![
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(1.0000001),
        json!(-0.1),
        json!(9007199254740993_u64),
        json!([]),
        json!({}),
        json!(["one"]),
        json!("SOCRATIC_QUESTION"),
        json!("CONCEPT_CARD"),
        json!("DRILL_CARD"),
        json!("EXAM_BLOCK"),
        json!("drill_card"),
        json!("none"),
        json!("bronze"),
        json!("silver"),
        json!("gold"),
        json!("solve"),
        json!("confident"),
        json!("nowhere"),
        json!({"key_ideas": ["An idea."]}),
        json!({"prompt": "Solve.", "question_latex": "x = 1"}),
        json!({"question_id": "made-up", "difficultyTier": "bronze"}),
        json!({"unit_id": "nowhere", "confidence": 1}),
    ];
    let mut known: Vec<Value> = Vec::new();
    known.extend(policy.scoped_unit_ids.iter().map(|id| json!(id)));
    known.extend(policy.exam_candidate_ids.iter().map(|id| json!(id)));
    prop_oneof![
        3 => prop::sample::select(fixed),
        3 => prop::sample::select(odd_texts()),
        2 => prop::sample::select(known),
    ]
}

/// Texts at and beyond the bounds of a text.
fn odd_texts() -> Vec<Value> {
    vec![
        json!(""),
        json!(" \n\t"),
        json!("\u{c}rac{1}{2}"),
        json!("Why? How?"),
        json!("Why? How? When?"),
        json!("x = 1 \\\\ y = 2"),
        json!("x = 1\ny = 2"),
        json!("Do a) and b)"),
        json!("1+2+3+4+5+6+7+8+9".repeat(4)),
        json!(vec!["word"; 19].join(" ")),
        json!(vec!["word"; 21].join(" ")),
        json!("é".repeat(600)),
        json!("é".repeat(601)),
        json!("é".repeat(2200)),
        json!("é".repeat(2201)),
    ]
}

/// The JSON pointers of every value below this one.
fn places(value: &Value, here: &str, found: &mut Vec<String>) {
    let mut step = |key: &str, inner: &Value| {
        let place = format!("{here}/{key}");
        found.push(place.clone());
        places(inner, &place, found);
    };
    match value {
        Value::Object(object) => object.iter().for_each(|(key, inner)| step(key, inner)),
        Value::Array(list) => {
            for (n, inner) in list.iter().enumerate() {
                step(&n.to_string(), inner);
            }
        }
        _ => {}
    }
}

impl Change {
    fn fits(&self, reply: &Value) -> bool {
        match self.place {
            Place::Any(_) => true,
            Place::At(place) => reply.pointer(place).is_some(),
        }
    }

    fn apply(self, reply: &mut Value) {
        let mut found = Vec::new();
        places(reply, "", &mut found);
        if found.is_empty() {
            return;
        }
        let place = match self.place {
            Place::Any(index) => index.get(&found).clone(),
            Place::At(place) => place.to_owned(),
        };
        match self.kind {
            Kind::Remove => remove(reply, &place),
            Kind::Replace(value) => {
                if let Some(there) = reply.pointer_mut(&place) {
                    *there = value;
                }
            }
            Kind::Add(key, value) => add(reply, &place, key, value),
            Kind::Repeat(count) => {
                if let Some(Value::Array(list)) = reply.pointer_mut(&place)
                    && let Some(first) = list.first().cloned()
                {
                    list.resize(count, first);
                }
            }
        }
    }
}

fn around(place: &str) -> (&str, &str) {
    place.rsplit_once('/').unwrap()
}

fn remove(reply: &mut Value, place: &str) {
    let (above, key) = around(place);
    match reply.pointer_mut(above) {
        Some(Value::Object(object)) => {
            object.remove(key);
        }
        Some(Value::Array(list)) => {
            list.remove(key.parse().unwrap());
        }
        _ => {}
    }
}

fn add(reply: &mut Value, place: &str, key: String, value: Value) {
    let mut here = place;
    while !reply.pointer(here).is_some_and(Value::is_object) {
        here = around(here).0;
    }
    if let Some(Value::Object(object)) = reply.pointer_mut(here) {
        object.insert(key, value);
    }
}
