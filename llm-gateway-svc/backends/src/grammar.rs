//! A JSON Schema as a grammar of llama.cpp's (GBNF), which allows no white space between the parts of the JSON and no
//! escapes but those of a backslash and a quote: what a model may not write costs nobody time. The server's own grammar of a
//! schema allows white space before every part, and escapes such as `\f`, which a small model takes for the beginning of
//! `\frac`. Nor can a low line join two words: a small model repeats names of its prompt, such as `SOCRATIC_QUESTION`, in what
//! a student reads, and such a reply is withheld. Subscripts (`x_1`, `x_{n}`) can be written.
//!
//! It reads what this suite's schemas are made of: objects whose first key is required, strings with bounds, numbers,
//! enumerations, lists with bounds, alternatives. Of any other schema there is no grammar, and the schema itself is sent.

use serde_json::{Map, Value};

/// How deep a schema may nest.
const MAX_DEPTH: usize = 16;
/// The most repetitions that the server takes.
const MAX_REPETITIONS: u64 = 2_000;

/// What every grammar ends with: one character of a string, a low line with the subscript's first.
const CHARACTER: &str = r#"
char ::= [^"\\_\x7F\x00-\x1F] | "\\\\" | "\\\"" | "_" [0-9{]
"#;
const NUMBER: &str = r#""-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,16})?"#;
const INTEGER: &str = r#""-"? ("0" | [1-9] [0-9]{0,15})"#;
/// Keywords that say something which a grammar written here would not keep.
const UNREAD: [&str; 7] = [
    "$ref",
    "allOf",
    "not",
    "if",
    "pattern",
    "prefixItems",
    "patternProperties",
];

/// The grammar of this schema, if it is one that can be read.
pub(crate) fn of_schema(schema: &Value) -> Option<String> {
    let root = expression(schema, MAX_DEPTH)?;
    Some(format!("root ::= {root}{CHARACTER}"))
}

fn expression(schema: &Value, depth: usize) -> Option<String> {
    let schema = schema.as_object().filter(|_| depth > 0)?;
    if UNREAD.iter().any(|keyword| schema.contains_key(*keyword)) {
        return None;
    }
    if let Some(constant) = schema.get("const") {
        return Some(literal(&constant.to_string()));
    }
    if let Some(values) = schema.get("enum") {
        let values = values.as_array()?.iter();
        return one_of(values.map(|value| Some(literal(&value.to_string()))));
    }
    if let Some(branches) = schema.get("anyOf").or_else(|| schema.get("oneOf")) {
        let branches = branches.as_array()?.iter();
        return one_of(branches.map(|branch| expression(branch, depth - 1)));
    }
    match schema.get("type")? {
        Value::String(kind) => of_kind(kind, schema, depth),
        Value::Array(kinds) => {
            let kinds = kinds.iter();
            one_of(kinds.map(|kind| of_kind(kind.as_str()?, schema, depth)))
        }
        _ => None,
    }
}

fn of_kind(kind: &str, schema: &Map<String, Value>, depth: usize) -> Option<String> {
    Some(match kind {
        "object" => object(schema, depth)?,
        "array" => array(schema, depth)?,
        "string" => {
            let times = repetitions(bound(schema, "minLength")?, bound(schema, "maxLength")?)?;
            format!(r#""\"" char{times} "\"""#)
        }
        "number" => NUMBER.to_owned(),
        "integer" => INTEGER.to_owned(),
        "boolean" => r#"("true" | "false")"#.to_owned(),
        "null" => r#""null""#.to_owned(),
        _ => return None,
    })
}

/// An object with its keys in the schema's order. The first one is required, so that each other has a comma before it.
fn object(schema: &Map<String, Value>, depth: usize) -> Option<String> {
    let required: Vec<&str> = match schema.get("required") {
        Some(keys) => keys.as_array()?.iter().filter_map(Value::as_str).collect(),
        None => Vec::new(),
    };
    let mut written = String::from(r#""{""#);
    for (place, (key, value)) in schema.get("properties")?.as_object()?.iter().enumerate() {
        let is_required = required.contains(&key.as_str());
        let comma = match (place, is_required) {
            (0, true) => "",
            (0, false) => return None,
            _ => ",",
        };
        let name = literal(&format!("{comma}{}:", Value::from(key.as_str())));
        let value = expression(value, depth - 1)?;
        written += &match is_required {
            true => format!(" {name} {value}"),
            false => format!(" ({name} {value})?"),
        };
    }
    written += r#" "}""#;
    Some(written)
}

fn array(schema: &Map<String, Value>, depth: usize) -> Option<String> {
    let (least, most) = (bound(schema, "minItems")?, bound(schema, "maxItems")?);
    if most == Some(0) {
        return Some(literal("[]"));
    }
    let item = expression(schema.get("items")?, depth - 1)?;
    let least = least.unwrap_or_default();
    let more = repetitions(Some(least.saturating_sub(1)), most.map(|most| most - 1))?;
    let items = match most {
        Some(1) => item,
        _ => format!(r#"{item} ("," {item}){more}"#),
    };
    Some(match least {
        0 => format!(r#""[" ({items})? "]""#),
        _ => format!(r#""[" {items} "]""#),
    })
}

/// A bound of a schema: none where it has none. `None` where it is no number that the server takes.
fn bound(schema: &Map<String, Value>, keyword: &str) -> Option<Option<u64>> {
    match schema.get(keyword) {
        None => Some(None),
        Some(bound) => bound
            .as_u64()
            .filter(|bound| *bound <= MAX_REPETITIONS)
            .map(Some),
    }
}

/// So many times; `None` if that is no time at all.
fn repetitions(least: Option<u64>, most: Option<u64>) -> Option<String> {
    let least = least.unwrap_or_default();
    match most {
        Some(most) if most < least => None,
        Some(most) => Some(format!("{{{least},{most}}}")),
        None => Some(format!("{{{least},}}")),
    }
}

fn one_of(branches: impl Iterator<Item = Option<String>>) -> Option<String> {
    let branches: Vec<String> = branches.collect::<Option<_>>()?;
    match branches.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        several => Some(format!("({})", several.join(" | "))),
    }
}

/// A text that is written as it is.
fn literal(text: &str) -> String {
    let escaped = text.replace('\\', r"\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}
