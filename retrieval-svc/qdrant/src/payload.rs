//! Values as the database keeps them with a point.

use std::collections::HashMap;

use qdrant_client::qdrant::{
    ListValue, PayloadIncludeSelector, Struct, Value, WithPayloadSelector, value::Kind,
    with_payload_selector::SelectorOptions,
};

/// Fields that we filter by.
pub(crate) mod field {
    /// Tenant and course.
    pub(crate) const COURSE: &str = "course";
    /// The part that a row belongs to.
    pub(crate) const PART: &str = "part";
    /// Units of a row.
    pub(crate) const UNITS: &str = "unit_ids";
    /// How hard a row is.
    pub(crate) const TIER: &str = "tier";
    /// A row's or a chunk's own id.
    pub(crate) const ID: &str = "id";
    /// What a point of the uploads is: `head` or `chunk`.
    pub(crate) const KIND: &str = "kind";
    /// The upload that a chunk belongs to.
    pub(crate) const UPLOAD: &str = "upload";
    /// A chunk's place in its upload.
    pub(crate) const PLACE: &str = "place";
    /// The state of a head: a new one with each change.
    pub(crate) const STATE: &str = "state";
}

/// Fields and their values.
pub(crate) type Payload = HashMap<String, Value>;

pub(crate) fn text(value: &str) -> Value {
    Value {
        kind: Some(Kind::StringValue(value.to_owned())),
    }
}

pub(crate) fn number(value: i64) -> Value {
    Value {
        kind: Some(Kind::IntegerValue(value)),
    }
}

/// Any 64 bits: large ones are kept as negative numbers.
pub(crate) fn wide(value: u64) -> Value {
    number(value.cast_signed())
}

pub(crate) fn texts<'a>(values: impl IntoIterator<Item = &'a str>) -> Value {
    let values = values.into_iter().map(text).collect();
    Value {
        kind: Some(Kind::ListValue(ListValue { values })),
    }
}

pub(crate) fn group(fields: Payload) -> Value {
    Value {
        kind: Some(Kind::StructValue(Struct { fields })),
    }
}

/// Fields from pairs.
pub(crate) fn fields<const N: usize>(pairs: [(&str, Value); N]) -> Payload {
    pairs.map(|(name, value)| (name.to_owned(), value)).into()
}

/// A field that is not what it must be.
#[derive(Debug)]
pub(crate) struct Unreadable(pub(crate) String);

/// Reads fields of one payload.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a>(pub(crate) &'a Payload);

impl<'a> Reader<'a> {
    fn kind(self, name: &str) -> Option<&'a Kind> {
        match self.0.get(name).and_then(|v| v.kind.as_ref()) {
            Some(Kind::NullValue(_)) | None => None,
            kind => kind,
        }
    }

    fn required(self, name: &str) -> Result<&'a Kind, Unreadable> {
        self.kind(name)
            .ok_or_else(|| Unreadable(format!("`{name}` is missing")))
    }

    pub(crate) fn text(self, name: &str) -> Result<&'a str, Unreadable> {
        match self.required(name)? {
            Kind::StringValue(value) => Ok(value),
            _ => Err(Unreadable(format!("`{name}` is no text"))),
        }
    }

    pub(crate) fn wide(self, name: &str) -> Result<u64, Unreadable> {
        match self.required(name)? {
            Kind::IntegerValue(value) => Ok(value.cast_unsigned()),
            _ => Err(Unreadable(format!("`{name}` is no number"))),
        }
    }

    pub(crate) fn number(self, name: &str) -> Result<u32, Unreadable> {
        u32::try_from(self.wide(name)?).map_err(|_| Unreadable(format!("`{name}` is too large")))
    }

    pub(crate) fn wide_opt(self, name: &str) -> Result<Option<u64>, Unreadable> {
        self.kind(name).map(|_| self.wide(name)).transpose()
    }

    pub(crate) fn texts(self, name: &str) -> Result<Vec<&'a str>, Unreadable> {
        let Kind::ListValue(list) = self.required(name)? else {
            return Err(Unreadable(format!("`{name}` is no list")));
        };
        list.values
            .iter()
            .map(|value| match &value.kind {
                Some(Kind::StringValue(value)) => Ok(value.as_str()),
                _ => Err(Unreadable(format!("`{name}` holds more than text"))),
            })
            .collect()
    }

    pub(crate) fn group_opt(self, name: &str) -> Result<Option<Reader<'a>>, Unreadable> {
        match self.kind(name) {
            None => Ok(None),
            Some(Kind::StructValue(group)) => Ok(Some(Reader(&group.fields))),
            Some(_) => Err(Unreadable(format!("`{name}` is no group"))),
        }
    }
}

/// All fields.
pub(crate) fn everything() -> WithPayloadSelector {
    WithPayloadSelector {
        selector_options: Some(SelectorOptions::Enable(true)),
    }
}

/// No field.
pub(crate) fn nothing() -> WithPayloadSelector {
    WithPayloadSelector {
        selector_options: Some(SelectorOptions::Enable(false)),
    }
}

/// Only these fields.
pub(crate) fn only(names: &[&str]) -> WithPayloadSelector {
    WithPayloadSelector {
        selector_options: Some(SelectorOptions::Include(PayloadIncludeSelector {
            fields: names.iter().map(|&n| n.to_owned()).collect(),
        })),
    }
}
