//! Messages with a word of their own in every string, so that a test sees where each of them goes.

use std::collections::BTreeSet;

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, Value};

/// The message, once for each field of its longest oneof, whatever depth that is at. Each string of it, and of the messages
/// of `package` in it, is the word of its field's full name; maps and messages of other packages stay empty.
pub fn filled(of: &MessageDescriptor, package: &str, word: impl Fn(&str) -> String) -> Filled {
    let mut filled = Filled::default();
    let mut choices = 1;
    let mut choice = 0;
    while choice < choices {
        let mut filling = Filling {
            package,
            word: &word,
            choice,
            choices: &mut choices,
            words: &mut filled.words,
        };
        let message = filling.message(of);
        filled.messages.push(message);
        choice += 1;
    }
    filled
}

/// Filled messages.
#[derive(Debug, Default)]
pub struct Filled {
    /// The messages, each with another field of its oneofs.
    pub messages: Vec<DynamicMessage>,
    /// All words in them.
    pub words: BTreeSet<String>,
}

struct Filling<'a> {
    package: &'a str,
    word: &'a dyn Fn(&str) -> String,
    choice: usize,
    choices: &'a mut usize,
    words: &'a mut BTreeSet<String>,
}

impl Filling<'_> {
    fn message(&mut self, of: &MessageDescriptor) -> DynamicMessage {
        let mut message = DynamicMessage::new(of.clone());
        for field in of.fields() {
            if let Some(oneof) = field.containing_oneof() {
                let fields: Vec<_> = oneof.fields().collect();
                *self.choices = fields.len().max(*self.choices);
                if fields[self.choice % fields.len()] != field {
                    continue;
                }
            }
            if let Some(value) = self.value(&field) {
                let value = if field.is_list() {
                    Value::List(vec![value])
                } else {
                    value
                };
                message.set_field(&field, value);
            }
        }
        message
    }

    fn value(&mut self, field: &FieldDescriptor) -> Option<Value> {
        match field.kind() {
            Kind::String => {
                let word = (self.word)(field.full_name());
                self.words.insert(word.clone());
                Some(Value::String(word))
            }
            Kind::Message(of) if !field.is_map() && of.full_name().starts_with(self.package) => {
                Some(Value::Message(self.message(&of)))
            }
            _ => None,
        }
    }
}
