//! Ways to damage a reply: as bytes, and as a tree.

use proptest::{collection::vec, prelude::*, sample::Index, sample::select};
use turnwise_decisions::{Action, Policy};

use super::write::{object, text};
use crate::reply::reader::Json;

/// Pieces that readers of JSON disagree about, or that the contract uses.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\\",
    "\\u0061",
    "\\ud800",
    "\\udc00",
    "\\u0000",
    "\u{0}",
    "\u{feff}",
    "//",
    "/*x*/",
    "'",
    "null",
    "true",
    "NaN",
    "Infinity",
    "-0",
    "-",
    "1e999",
    "0.",
    "01",
    "9999999999999999999999",
    "\n",
    "\r",
    "\t",
    "\u{c}",
    " ",
    "\u{a0}",
    "\u{2028}",
    "?",
    "？",
    "```json\n",
    "{}",
    "[]",
    "\"action\":",
    "\"confusion_tags\":[],",
    "\"EXAM_BLOCK\"",
    "\"CONCEPT_CARD\"",
    "\"DRILL_CARD\"",
    "\"SOCRATIC_QUESTION\"",
    "\"drill_card\":null,",
    "https://",
    "<script>",
];

/// One damage to bytes.
#[derive(Debug, Clone)]
pub enum Damage {
    Flip(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    /// A stretch is moved to another place.
    Move(Index, Index, usize),
    /// What follows comes from the other reply.
    Splice(Index, Index),
    Cut(Index),
}

pub fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<Index>;
    let piece = prop_oneof![
        3 => select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 1..4),
    ];
    prop_oneof![
        3 => (at(), any::<u8>()).prop_map(|(at, byte)| Damage::Flip(at, byte)),
        3 => (at(), piece).prop_map(|(at, piece)| Damage::Insert(at, piece)),
        2 => (at(), 1..40_usize).prop_map(|(at, count)| Damage::Remove(at, count)),
        1 => (at(), at(), 1..40_usize).prop_map(|(from, to, n)| Damage::Move(from, to, n)),
        1 => (at(), at()).prop_map(|(at, other)| Damage::Splice(at, other)),
        1 => at().prop_map(Damage::Cut),
    ]
}

pub fn damaged(mut bytes: Vec<u8>, other: &[u8], damages: &[Damage]) -> Vec<u8> {
    for damage in damages {
        if bytes.is_empty() {
            break;
        }
        let count = bytes.len();
        let stretch = |at: &Index, most: usize| {
            let at = at.index(count);
            at..(at + most).min(count)
        };
        match damage {
            Damage::Flip(at, byte) => bytes[at.index(count)] ^= byte,
            Damage::Insert(at, piece) => {
                let at = at.index(count);
                bytes.splice(at..at, piece.iter().copied());
            }
            Damage::Remove(at, most) => {
                bytes.drain(stretch(at, *most));
            }
            Damage::Move(from, to, most) => {
                let moved: Vec<_> = bytes.drain(stretch(from, *most)).collect();
                let to = to.index(bytes.len() + 1);
                bytes.splice(to..to, moved);
            }
            Damage::Splice(at, from) => {
                bytes.truncate(at.index(count));
                if !other.is_empty() {
                    bytes.extend_from_slice(&other[from.index(other.len())..]);
                }
            }
            Damage::Cut(at) => bytes.truncate(at.index(count)),
        }
    }
    bytes
}

/// One change of a tree.
#[derive(Debug, Clone)]
pub enum Change {
    Set(Index, Json),
    /// The value of a key, wherever it is.
    Near(&'static str, Json),
    Remove(Index),
    /// The same key once more, with this value.
    Double(Index, Json),
    Rename(Index, String),
    Add(Index, String, Json),
    Swap(Index, Index),
}

pub fn change(policy: &Policy) -> impl Strategy<Value = Change> + use<> {
    let at = any::<Index>;
    prop_oneof![
        4 => (at(), value(policy)).prop_map(|(at, value)| Change::Set(at, value)),
        4 => select(near_misses(policy)).prop_map(|(key, value)| Change::Near(key, value)),
        1 => at().prop_map(Change::Remove),
        1 => (at(), value(policy)).prop_map(|(at, value)| Change::Double(at, value)),
        1 => (at(), key()).prop_map(|(at, key)| Change::Rename(at, key)),
        1 => (at(), key(), value(policy)).prop_map(|(at, key, v)| Change::Add(at, key, v)),
        1 => (at(), at()).prop_map(|(a, b)| Change::Swap(a, b)),
    ]
}

pub fn changed(mut json: Json, changes: &[Change]) -> Json {
    for change in changes {
        let places = places(&json);
        let place = |at: &Index| places[at.index(places.len())].clone();
        match change {
            Change::Set(at, value) => *node(&mut json, &place(at)).unwrap() = value.clone(),
            Change::Near(key, value) => set(&mut json, key, value),
            Change::Remove(at) => in_parent(&mut json, &place(at), |siblings, n| match siblings {
                Json::Object(entries) => drop(entries.remove(n)),
                Json::List(items) => drop(items.remove(n)),
                _ => {}
            }),
            Change::Double(at, value) => in_parent(&mut json, &place(at), |siblings, n| {
                if let Json::Object(entries) = siblings {
                    entries.push((entries[n].0.clone(), value.clone()));
                }
            }),
            Change::Rename(at, key) => in_parent(&mut json, &place(at), |siblings, n| {
                if let Json::Object(entries) = siblings {
                    entries[n].0.clone_from(key);
                }
            }),
            Change::Add(at, key, value) => match node(&mut json, &place(at)).unwrap() {
                Json::Object(entries) => entries.push((key.clone(), value.clone())),
                Json::List(items) => items.push(value.clone()),
                _ => {}
            },
            Change::Swap(a, b) => {
                let (a, b) = (place(a), place(b));
                let first = node(&mut json, &a).unwrap().clone();
                let second = std::mem::replace(node(&mut json, &b).unwrap(), first);
                // If one was inside the other, the place may be gone.
                if let Some(place) = node(&mut json, &a) {
                    *place = second;
                }
            }
        }
    }
    json
}

fn set(json: &mut Json, key: &str, value: &Json) {
    match json {
        Json::Object(entries) => {
            for (name, old) in entries {
                if name == key {
                    *old = value.clone();
                } else {
                    set(old, key, value);
                }
            }
        }
        Json::List(items) => items.iter_mut().for_each(|item| set(item, key, value)),
        _ => {}
    }
}

/// The ways to all values, each as the numbers of the children that lead to it.
pub fn places(json: &Json) -> Vec<Vec<usize>> {
    let children: Vec<&Json> = match json {
        Json::Object(entries) => entries.iter().map(|(_, value)| value).collect(),
        Json::List(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    let mut all = vec![Vec::new()];
    for (n, child) in children.into_iter().enumerate() {
        all.extend(
            places(child)
                .into_iter()
                .map(|rest| [&[n][..], &rest].concat()),
        );
    }
    all
}

/// The value at a place.
pub fn node<'a>(json: &'a mut Json, place: &[usize]) -> Option<&'a mut Json> {
    let Some((first, rest)) = place.split_first() else {
        return Some(json);
    };
    let child = match json {
        Json::Object(entries) => entries.get_mut(*first).map(|(_, value)| value),
        Json::List(items) => items.get_mut(*first),
        _ => None,
    };
    node(child?, rest)
}

fn in_parent(json: &mut Json, place: &[usize], change: impl FnOnce(&mut Json, usize)) {
    if let Some((last, parent)) = place.split_last() {
        change(node(json, parent).unwrap(), *last);
    }
}

/// Keys of the contract, and others.
fn key() -> impl Strategy<Value = String> {
    let keys = "action target_unit_id tutor_text mapped_units turn_analysis concept_card drill_card exam_suggestion
        worked_example steps_latex key_ideas prompt question_latex question_id difficultyTier unit_id confidence
        Action difficulty_tier аction confusion_tags isCorrect mastery __proto__ $ref";
    let keys = keys.split_whitespace().chain(["", "\u{0}", "action "]);
    select(keys.map(str::to_owned).collect::<Vec<_>>())
}

/// Keys with values just within and just beyond what is allowed.
fn near_misses(policy: &Policy) -> Vec<(&'static str, Json)> {
    let of = |count: usize, item: Json| Json::List(vec![item; count]);
    let unit = object([("unit_id", text("a")), ("confidence", Json::Number(1.0))]);
    let mut all = vec![
        ("mapped_units", of(6, unit.clone())),
        ("mapped_units", of(7, unit)),
        ("suggested_prereq_units", of(6, text("b"))),
        ("suggested_prereq_units", of(7, text("b"))),
        ("key_ideas", of(1, text("a a a a a"))),
        ("key_ideas", of(1, text("a a a a a a"))),
        ("key_ideas", of(3, text(&"a ".repeat(53)))),
        ("key_ideas", of(3, text(&"a ".repeat(54)))),
        ("key_ideas", of(4, text("a"))),
        ("steps_latex", of(8, text("1"))),
        ("steps_latex", of(9, text("1"))),
        ("prompt", text(&"ü".repeat(600))),
        ("prompt", text(&"ü".repeat(601))),
        ("question_latex", text("")),
        ("question_latex", text("1+2+3+4+5")),
        ("question_latex", text("1+2+3+4+5+6")),
        ("question_latex", text("1+2+3+4+5+6+7+8+9")),
        ("question_latex", text("1+2+3+4+5+6+7+8+9+10")),
        ("question_latex", text("x = 1\ny = 2")),
        ("tutor_text", text(&"ü".repeat(2200))),
        ("tutor_text", text(&"ü".repeat(2201))),
        ("tutor_text", text("Why? How?")),
        ("tutor_text", text("Why? How? When?")),
        ("tutor_text", text(" ")),
        ("tutor_text", text("\n Why? \u{a0}")),
        ("confidence", Json::Number(0.0)),
        ("confidence", Json::Number(-f64::MIN_POSITIVE)),
        ("difficultyTier", text("silver")),
        ("question_id", text("Brüche-02/s1")),
        ("tutor_text", text("See www.example.org.")),
        ("prompt", text("<SCRIPT>alert(1)</SCRIPT>")),
        ("question_latex", text(r"\href{a}{b}")),
    ];
    let units = policy.scoped_unit_ids.iter().map(String::as_str);
    for unit in units.chain(["LIN 03", "nowhere"]) {
        all.push(("target_unit_id", text(unit)));
        all.push(("unit_id", text(unit)));
    }
    all
}

/// Values that fit somewhere, or nowhere.
fn value(policy: &Policy) -> impl Strategy<Value = Json> + use<> {
    let words = "bronze silver gold none solve SOLVE stuck confused confident Brüche-02 frac-01 nowhere Brüche-02/s1 x=1";
    let texts = ["", " ", "\n", "\u{8}eta", "\u{c}rac", "\u{0}", "FRAC-01 "];
    let mut texts: Vec<_> = words.split_whitespace().chain(texts).collect();
    texts.extend(policy.scoped_unit_ids.iter().map(String::as_str));
    texts.extend(policy.exam_candidate_ids.iter().map(String::as_str));
    texts.extend(Action::ALL.map(Action::as_str));
    let texts: Vec<_> = texts.into_iter().map(text).collect();
    let numbers = [-0.0, 0.5, 1.0, 1.000_001, 1e308, 5e-324, f64::INFINITY];
    let leaf = prop_oneof![
        6 => select(texts),
        1 => select(numbers.to_vec()).prop_map(Json::Number),
        1 => select(vec![Json::Null, Json::Bool(true), Json::Bool(false)]),
        1 => select(vec![
            object([]),
            Json::List(Vec::new()),
            object([("prompt", text("Solve.")), ("question_latex", text("x = 1"))]),
            object([("key_ideas", Json::List(vec![text("An idea.")]))]),
            object([("unit_id", text("a")), ("confidence", Json::Number(1.0))]),
        ]),
    ];
    let nested = prop_oneof![8 => Just(0_usize), 1 => 1..10_usize];
    (leaf, nested, 1..9_usize).prop_map(|(leaf, depth, count)| {
        (0..depth).fold(leaf, |inner, level| {
            // The innermost list is a long one.
            Json::List(vec![inner; if level == 0 { count } else { 1 }])
        })
    })
}
