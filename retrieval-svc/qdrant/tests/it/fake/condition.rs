//! Filters: only the conditions that the engine is meant to use.

use std::collections::HashSet;

use qdrant_client::qdrant::{
    Condition, FieldCondition, FieldType, Filter, Range, condition::ConditionOneOf,
    r#match::MatchValue, value::Kind,
};
use tonic::Status;

use super::{
    refused,
    store::{Collection, Point, id_of},
};

/// A filter that was understood.
pub struct Understood {
    must: Vec<Test>,
    must_not: Vec<Test>,
}

enum Test {
    /// The field, or an element of it, is one of these.
    AnyOf(String, HashSet<String>),
    Below(String, f64),
    Ids(HashSet<String>),
}

impl Understood {
    /// Reads a filter; refuses what it does not know, and fields without an index.
    pub fn new(filter: Option<Filter>, collection: &Collection) -> Result<Self, Status> {
        let filter = filter.ok_or_else(|| refused("no filter"))?;
        let Filter {
            should,
            must,
            must_not,
            min_should: None,
        } = filter
        else {
            return Err(refused("min_should"));
        };
        if !should.is_empty() || must.is_empty() {
            return Err(refused("a filter without must, or with should"));
        }
        let read = |conditions: Vec<Condition>| {
            let tests = conditions.into_iter().map(|c| read(c, collection));
            tests.collect::<Result<Vec<_>, _>>()
        };
        Ok(Self {
            must: read(must)?,
            must_not: read(must_not)?,
        })
    }

    /// Refuses a filter that names no course.
    pub fn with_course(self) -> Result<Self, Status> {
        match self.values("course") {
            Some(courses) if (1..=2).contains(&courses.len()) => Ok(self),
            _ => Err(refused("no course is named")),
        }
    }

    /// Refuses a filter that names neither a course nor that it is about heads.
    pub fn with_course_or_heads(self) -> Result<Self, Status> {
        match self.values("kind") {
            Some(kinds) if kinds.len() == 1 && kinds.contains("head") => Ok(self),
            _ => self.with_course(),
        }
    }

    fn values(&self, key: &str) -> Option<&HashSet<String>> {
        self.must.iter().find_map(|test| match test {
            Test::AnyOf(field, values) if field == key => Some(values),
            _ => None,
        })
    }

    pub fn selects(&self, id: &str, point: &Point) -> bool {
        self.must.iter().all(|test| test.holds(id, point))
            && !self.must_not.iter().any(|test| test.holds(id, point))
    }
}

impl Test {
    fn holds(&self, id: &str, point: &Point) -> bool {
        let kind = |field| {
            point
                .payload
                .get(field)
                .and_then(|value| value.kind.as_ref())
        };
        match self {
            Self::Ids(ids) => ids.contains(id),
            Self::Below(field, end) => {
                matches!(kind(field), Some(Kind::IntegerValue(value)) if (*value as f64) < *end)
            }
            Self::AnyOf(field, values) => match kind(field) {
                Some(Kind::StringValue(value)) => values.contains(value),
                Some(Kind::ListValue(list)) => list.values.iter().any(
                    |value| matches!(&value.kind, Some(Kind::StringValue(v)) if values.contains(v)),
                ),
                _ => false,
            },
        }
    }
}

fn read(condition: Condition, collection: &Collection) -> Result<Test, Status> {
    match condition.condition_one_of {
        Some(ConditionOneOf::HasId(ids)) => {
            let ids = ids.has_id.iter().map(|id| id_of(Some(id)));
            Ok(Test::Ids(ids.collect::<Result<_, _>>()?))
        }
        Some(ConditionOneOf::Field(field)) => read_field(field, collection),
        other => Err(refused(format!("condition {other:?}"))),
    }
}

fn read_field(condition: FieldCondition, collection: &Collection) -> Result<Test, Status> {
    let FieldCondition {
        key,
        r#match,
        range,
        geo_bounding_box: None,
        geo_radius: None,
        values_count: None,
        geo_polygon: None,
        datetime_range: None,
        is_empty: None,
        is_null: None,
    } = condition
    else {
        return Err(refused("a condition of another kind"));
    };
    let index = collection.indexes.get(&key).copied();
    let value = r#match.and_then(|m| m.match_value);
    match (value, range, index) {
        (_, _, None) => Err(refused(format!("`{key}` has no index"))),
        (Some(MatchValue::Keyword(one)), None, Some(FieldType::Keyword)) => {
            Ok(Test::AnyOf(key, [one].into()))
        }
        (Some(MatchValue::Keywords(some)), None, Some(FieldType::Keyword)) => {
            Ok(Test::AnyOf(key, some.strings.into_iter().collect()))
        }
        (
            None,
            Some(Range {
                lt: Some(end),
                gt: None,
                gte: None,
                lte: None,
            }),
            Some(FieldType::Integer),
        ) => Ok(Test::Below(key, end)),
        (value, range, index) => Err(refused(format!("{key}: {value:?} {range:?} {index:?}"))),
    }
}
