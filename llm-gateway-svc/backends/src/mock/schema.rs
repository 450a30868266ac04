//! What a schema allows: the enums of a turn, or the smallest value that keeps any other schema.

use serde_json::{Map, Value};

/// How deep the smallest value of a schema may nest; a schema that refers to itself has no end.
const MAX_DEPTH: usize = 32;

/// What a turn's schema allows, in the schema's order.
#[derive(Debug, Default)]
pub(super) struct TurnSchema<'a> {
    /// The allowed actions; empty if this is no turn's schema.
    pub(super) actions: Vec<&'a str>,
    /// The units of the scope.
    pub(super) units: Vec<&'a str>,
    /// The exam questions that may be offered.
    pub(super) questions: Vec<&'a str>,
    /// The tiers that a question may have.
    pub(super) tiers: Vec<&'a str>,
    /// The most key ideas of a concept card, where the schema bounds them.
    pub(super) most_key_ideas: Option<u64>,
    /// Whether a concept card may hold a worked example.
    pub(super) worked_example: bool,
    /// Whether the keys of absent cards must be there, as null.
    pub(super) cards_required: bool,
}

impl<'a> TurnSchema<'a> {
    /// Finds the enums wherever they stand in the schema: at its root, in one branch per action, or by reference.
    pub(super) fn of(root: &'a Value) -> Self {
        let mut found = Self {
            cards_required: root["required"]
                .as_array()
                .is_some_and(|keys| keys.iter().any(|key| key == "concept_card")),
            ..Self::default()
        };
        found.visit(root, root);
        found
    }

    fn visit(&mut self, node: &'a Value, root: &'a Value) {
        match node {
            Value::Object(map) => {
                for (key, below) in map {
                    match key.as_str() {
                        "key_ideas" => self.most_key_ideas = below["maxItems"].as_u64(),
                        "worked_example" => self.worked_example = true,
                        _ => {}
                    }
                    let list = match key.as_str() {
                        "action" => Some(&mut self.actions),
                        "target_unit_id" => Some(&mut self.units),
                        "question_id" => Some(&mut self.questions),
                        "difficultyTier" => Some(&mut self.tiers),
                        _ => None,
                    };
                    if let Some(list) = list {
                        options(below, root, MAX_DEPTH, list);
                    }
                    self.visit(below, root);
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.visit(item, root);
                }
            }
            _ => {}
        }
    }
}

/// Adds the strings that `schema` allows to `list`, each once.
fn options<'a>(schema: &'a Value, root: &'a Value, depth: usize, list: &mut Vec<&'a str>) {
    let Some(map) = schema.as_object().filter(|_| depth > 0) else {
        return;
    };
    let constant = map.get("const").into_iter();
    let listed = map
        .get("enum")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    for option in constant.chain(listed).filter_map(Value::as_str) {
        if !list.contains(&option) {
            list.push(option);
        }
    }
    for branch in branches(map) {
        options(branch, root, depth - 1, list);
    }
    if let Some(target) = reference(map, root) {
        options(target, root, depth - 1, list);
    }
}

fn branches(map: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf"]
        .into_iter()
        .filter_map(|key| map.get(key)?.as_array())
        .flatten()
}

fn reference<'a>(map: &Map<String, Value>, root: &'a Value) -> Option<&'a Value> {
    root.pointer(map.get("$ref")?.as_str()?.strip_prefix('#')?)
}

/// The smallest value that keeps an ordinary schema. It reads types, enums, constants, required keys, branches, local
/// references and lower bounds, and nothing finer than that.
pub(super) fn smallest(root: &Value) -> Value {
    value(root, root, MAX_DEPTH)
}

fn value(schema: &Value, root: &Value, depth: usize) -> Value {
    let Some(map) = schema.as_object().filter(|_| depth > 0) else {
        return Value::Null;
    };
    if let Some(constant) = map.get("const") {
        return constant.clone();
    }
    if let Some(first) = map.get("enum").and_then(|options| options.get(0)) {
        return first.clone();
    }
    let inner = reference(map, root).or_else(|| branches(map).next());
    if let Some(inner) = inner {
        return value(inner, root, depth - 1);
    }
    let kind = match map.get("type") {
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str),
        Some(kind) => kind.as_str(),
        None if map.contains_key("properties") => Some("object"),
        None => None,
    };
    let at_least = |key: &str| map.get(key).and_then(Value::as_u64).unwrap_or(0).min(1_000);
    match kind {
        Some("object") => {
            let required = map.get("required").and_then(Value::as_array);
            let keys = required.into_iter().flatten().filter_map(Value::as_str);
            let below = |key: &str| {
                let schema = map.get("properties").and_then(|all| all.get(key));
                value(schema.unwrap_or(&Value::Null), root, depth - 1)
            };
            keys.map(|key| (key.to_owned(), below(key)))
                .collect::<Map<_, _>>()
                .into()
        }
        Some("array") => {
            let item = map.get("items").unwrap_or(&Value::Null);
            (0..at_least("minItems"))
                .map(|_| value(item, root, depth - 1))
                .collect::<Vec<_>>()
                .into()
        }
        Some("string") => {
            let bytes = at_least("minLength").max(1);
            "mock "
                .chars()
                .cycle()
                .take(bytes.max(4) as usize)
                .collect::<String>()
                .into()
        }
        Some("integer" | "number") => map.get("minimum").cloned().unwrap_or_else(|| 0.into()),
        Some("boolean") => false.into(),
        _ => Value::Null,
    }
}
