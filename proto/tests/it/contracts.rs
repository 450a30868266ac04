//! `docs/contracts` is made from the protos: the JSON Schema of each event of a thread, and TypeScript types. Run with
//! `UPDATE_DOCS=1` to make it again.

use std::{collections::BTreeMap, fmt::Write, fs, path::Path};

use prost_reflect::{
    Cardinality, DescriptorPool, DynamicMessage, EnumDescriptor, FieldDescriptor, Kind,
    MessageDescriptor, ReflectMessage, Value as Field,
};
use serde_json::{Map, Value, json};
use turnwise_proto::DESCRIPTORS;

/// The event of a thread, as the edge writes it in JSON.
const EVENT: &str = "turnwise.context.v1.WatchThreadResponse";

fn pool() -> DescriptorPool {
    DescriptorPool::decode(DESCRIPTORS).unwrap()
}

fn event() -> MessageDescriptor {
    pool().get_message_by_name(EVENT).unwrap()
}

/// The comment of what stands at a path of a file.
fn comment(file: &prost_reflect::FileDescriptor, path: &[i32]) -> String {
    let info = file.file_descriptor_proto().source_code_info.as_ref();
    let locations = info.map_or(&[][..], |info| &info.location);
    let location = locations.iter().find(|location| location.path == path);
    let text = location.map_or("", |location| location.leading_comments());
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// All messages and enums that a message is made of.
#[derive(Default)]
struct Parts {
    messages: BTreeMap<String, MessageDescriptor>,
    enums: BTreeMap<String, EnumDescriptor>,
}

impl Parts {
    fn add(&mut self, message: &MessageDescriptor) {
        let name = message.name().to_owned();
        if let Some(known) = self.messages.get(&name) {
            assert_eq!(known, message, "two messages have this name");
            return;
        }
        self.messages.insert(name, message.clone());
        for field in message.fields() {
            match field.kind() {
                Kind::Message(part) if well_known(&part).is_none() => self.add(&part),
                Kind::Enum(part) => {
                    self.enums.insert(part.name().to_owned(), part);
                }
                _ => {}
            }
        }
    }
}

/// How JSON spells a message of Google's.
fn well_known(message: &MessageDescriptor) -> Option<Value> {
    match message.full_name() {
        "google.protobuf.Timestamp" => Some(json!({"type": "string", "format": "date-time"})),
        "google.protobuf.Duration" => {
            Some(json!({"type": "string", "pattern": "^-?[0-9]+(\\.[0-9]{1,9})?s$"}))
        }
        _ => None,
    }
}

fn value_schema(field: &FieldDescriptor) -> Value {
    match field.kind() {
        Kind::Message(message) => well_known(&message)
            .unwrap_or_else(|| json!({"$ref": format!("#/$defs/{}", message.name())})),
        Kind::Enum(of) => json!({"$ref": format!("#/$defs/{}", of.name())}),
        Kind::Bool => json!({"type": "boolean"}),
        Kind::String => json!({"type": "string"}),
        Kind::Bytes => json!({"type": "string", "contentEncoding": "base64"}),
        Kind::Float | Kind::Double => json!({"type": "number"}),
        Kind::Int64 | Kind::Uint64 | Kind::Sint64 | Kind::Fixed64 | Kind::Sfixed64 => {
            json!({"type": "string", "pattern": "^-?[0-9]+$"})
        }
        _ => json!({"type": "integer"}),
    }
}

fn object(message: &MessageDescriptor) -> Value {
    let mut properties = Map::new();
    for field in message.fields() {
        let one = value_schema(&field);
        let mut schema = match field.cardinality() {
            Cardinality::Repeated => json!({"type": "array", "items": one}),
            _ => one,
        };
        let text = comment(&field.parent_file(), field.path());
        schema["description"] = json!(text);
        properties.insert(field.json_name().to_owned(), schema);
    }
    // A newer server may say more.
    json!({
        "type": "object",
        "description": comment(&message.parent_file(), message.path()),
        "properties": properties,
    })
}

/// The schema of a message, with all that it is made of.
fn schema(message: &MessageDescriptor, file: &str) -> Value {
    let mut parts = Parts::default();
    parts.add(message);
    let mut schema = object(message);
    let mut defs = Map::new();
    for (name, part) in &parts.messages {
        if part != message {
            defs.insert(name.clone(), object(part));
        }
    }
    for (name, part) in &parts.enums {
        let names: Vec<String> = part.values().map(|value| value.name().to_owned()).collect();
        let text = comment(&part.parent_file(), part.path());
        defs.insert(
            name.clone(),
            json!({"type": "string", "enum": names, "description": text}),
        );
    }
    let mut whole = Map::new();
    whole.insert(
        "$schema".to_owned(),
        json!("https://json-schema.org/draft/2020-12/schema"),
    );
    whole.insert("$id".to_owned(), json!(format!("urn:turnwise:v1:{file}")));
    whole.insert("title".to_owned(), json!(message.full_name()));
    whole.append(schema.as_object_mut().unwrap());
    if !defs.is_empty() {
        whole.insert("$defs".to_owned(), defs.into());
    }
    whole.into()
}

fn type_of(field: &FieldDescriptor) -> String {
    let one = match field.kind() {
        Kind::Message(message) if well_known(&message).is_some() => "string".to_owned(),
        Kind::Message(message) => message.name().to_owned(),
        Kind::Enum(of) => of.name().to_owned(),
        Kind::Bool => "boolean".to_owned(),
        Kind::Int32
        | Kind::Uint32
        | Kind::Sint32
        | Kind::Fixed32
        | Kind::Sfixed32
        | Kind::Float
        | Kind::Double => "number".to_owned(),
        _ => "string".to_owned(),
    };
    match field.cardinality() {
        Cardinality::Repeated => format!("{one}[]"),
        _ => one,
    }
}

fn types() -> String {
    let mut parts = Parts::default();
    parts.add(&event());
    let mut text = String::from(
        "// Made from the protos by `UPDATE_DOCS=1 cargo test -p turnwise-proto`: the events of a thread in JSON.\n\
         // 64-bit numbers are strings, times are RFC 3339, bytes are base64. A field may be missing: then it is empty.\n",
    );
    for (name, part) in &parts.enums {
        let names: Vec<String> = part
            .values()
            .map(|value| format!("  | \"{}\"", value.name()))
            .collect();
        let about = comment(&part.parent_file(), part.path());
        write!(
            text,
            "\n/** {about} */\nexport type {name} =\n{};\n",
            names.join("\n")
        )
        .unwrap();
    }
    for (name, part) in &parts.messages {
        let about = comment(&part.parent_file(), part.path());
        write!(text, "\n/** {about} */\nexport interface {name} {{\n").unwrap();
        for field in part.fields() {
            let about = comment(&field.parent_file(), field.path());
            let of = type_of(&field);
            write!(text, "  /** {about} */\n  {}?: {of};\n", field.json_name()).unwrap();
        }
        text.push_str("}\n");
    }
    text
}

/// The files, by their names.
fn files() -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let pretty = |schema: &Value| serde_json::to_string_pretty(schema).unwrap() + "\n";
    let event = event();
    files.insert(
        "event.schema.json".to_owned(),
        pretty(&schema(&event, "event")),
    );
    for field in kinds() {
        let Kind::Message(message) = field.kind() else {
            panic!("{} is no message", field.name());
        };
        let file = field.name().replace('_', "-");
        files.insert(
            format!("{file}.schema.json"),
            pretty(&schema(&message, &file)),
        );
    }
    files.insert("events.d.ts".to_owned(), types());
    files
}

/// The kinds of events.
fn kinds() -> Vec<FieldDescriptor> {
    let event = event();
    let of = event.oneofs().find(|oneof| oneof.name() == "event");
    of.unwrap().fields().collect()
}

#[test]
fn the_contracts_are_what_the_protos_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/contracts");
    for (name, made) in files() {
        let file = folder.join(&name);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&file, &made).unwrap();
        }
        let written = fs::read_to_string(&file).unwrap_or_default();
        assert!(
            written == made,
            "docs/contracts/{name} is out of date: run with UPDATE_DOCS=1"
        );
    }
}

/// A message with something in every field.
fn full(of: &MessageDescriptor, depth: usize) -> DynamicMessage {
    let mut message = DynamicMessage::new(of.clone());
    for field in of.fields() {
        let one = match field.kind() {
            Kind::Message(part) if depth == 0 && well_known(&part).is_none() => continue,
            Kind::Message(part) => Field::Message(full(&part, depth.saturating_sub(1))),
            Kind::Enum(part) => Field::EnumNumber(part.values().last().unwrap().number()),
            Kind::Bool => Field::Bool(true),
            Kind::String => Field::String("x".to_owned()),
            Kind::Bytes => Field::Bytes(vec![1, 2].into()),
            Kind::Float => Field::F32(1.5),
            Kind::Double => Field::F64(1.5),
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Field::I64(7),
            Kind::Uint64 | Kind::Fixed64 => Field::U64(7),
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Field::I32(7),
            Kind::Uint32 | Kind::Fixed32 => Field::U32(7),
        };
        let value = match field.cardinality() {
            Cardinality::Repeated => Field::List(vec![one]),
            _ => one,
        };
        message.set_field(&field, value);
    }
    message
}

#[test]
fn every_event_in_json_is_what_its_schema_says() {
    let whole = jsonschema::validator_for(&schema(&event(), "event")).unwrap();
    for field in kinds() {
        let Kind::Message(of) = field.kind() else {
            panic!("{} is no message", field.name());
        };
        let message = full(&of, 4);
        let alone = serde_json::to_value(&message).unwrap();
        let validator = jsonschema::validator_for(&schema(&of, field.name())).unwrap();
        validator.validate(&alone).unwrap();
        let mut event = DynamicMessage::new(event());
        event.set_field_by_name("event_id", Field::I64(3));
        event.set_field(&field, Field::Message(message));
        assert_eq!(event.descriptor().full_name(), EVENT);
        let event = serde_json::to_value(&event).unwrap();
        whole.validate(&event).unwrap();
        // A schema that takes anything would take this, too.
        let wrong = json!({ field.json_name(): 5 });
        assert!(!whole.is_valid(&wrong), "{}", field.name());
    }
}
