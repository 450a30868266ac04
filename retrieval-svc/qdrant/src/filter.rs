//! Which points a call may touch. All filters are made here, and all of them name the course.

use qdrant_client::qdrant::{
    Condition, FieldCondition, Filter, HasIdCondition, Match, PointId, Range, RepeatedStrings,
    condition::ConditionOneOf, r#match::MatchValue,
};
use turnwise_retrieval_index::Tier;

use crate::{names::course_key, payload::field};

/// What an index may find: the rows of its parts, of one course as one tenant sees it.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    courses: Vec<String>,
    parts: Vec<String>,
}

impl Scope {
    /// The scope of these parts (by their keys) in a tenant's view of a course.
    pub(crate) fn new(tenant: &str, course: &str, parts: Vec<String>) -> Self {
        let mut courses = vec![course_key("", course)];
        if !tenant.is_empty() {
            courses.push(course_key(tenant, course));
        }
        Self { courses, parts }
    }

    /// Whether a row of this course and part is in it.
    pub(crate) fn holds(&self, course: &str, part: &str) -> bool {
        self.courses.iter().any(|held| held == course) && self.parts.iter().any(|held| held == part)
    }

    /// Its rows, but for those of other units or tiers, and for `hidden` ones.
    pub(crate) fn rows(
        &self,
        units: Option<&[Box<str>]>,
        tier: Option<Tier>,
        hidden: &[PointId],
    ) -> Filter {
        let mut must = vec![
            any_of(field::COURSE, &self.courses),
            any_of(field::PART, &self.parts),
        ];
        must.extend(units.map(|units| any_of(field::UNITS, units)));
        must.extend(tier.map(|tier| is(field::TIER, tier_name(tier))));
        Filter {
            must,
            must_not: if hidden.is_empty() {
                Vec::new()
            } else {
                vec![has_id(hidden.to_vec())]
            },
            ..Filter::default()
        }
    }
}

/// All of a course's points that belong to this tenant itself, or to all if it is empty; those with a value of `field`
/// among `except` left out.
pub(crate) fn own(tenant: &str, course: &str, field: &str, except: &[String]) -> Filter {
    Filter {
        must: vec![is(field::COURSE, &course_key(tenant, course))],
        must_not: if except.is_empty() {
            Vec::new()
        } else {
            vec![any_of(field, except)]
        },
        ..Filter::default()
    }
}

/// The points of one part.
pub(crate) fn part(tenant: &str, course: &str, part: &str) -> Filter {
    all([
        is(field::COURSE, &course_key(tenant, course)),
        is(field::PART, part),
    ])
}

/// The heads of a tenant's course; `None`: of all.
pub(crate) fn heads(course: Option<(&str, &str)>) -> Filter {
    let mut must = vec![is(field::KIND, "head")];
    must.extend(course.map(|(tenant, course)| is(field::COURSE, &course_key(tenant, course))));
    all(must)
}

/// A head in the state that we know.
pub(crate) fn head_in_state(tenant: &str, course: &str, head: PointId, state: &str) -> Filter {
    all([
        is(field::COURSE, &course_key(tenant, course)),
        has_id(vec![head]),
        is(field::STATE, state),
    ])
}

/// The chunks of some uploads.
pub(crate) fn chunks(tenant: &str, course: &str, uploads: &[String]) -> Filter {
    all([
        is(field::COURSE, &course_key(tenant, course)),
        is(field::KIND, "chunk"),
        any_of(field::UPLOAD, uploads),
    ])
}

/// Those of `filter` with a place below `end`.
pub(crate) fn below(mut filter: Filter, end: u32) -> Filter {
    filter.must.push(field_condition(FieldCondition {
        key: field::PLACE.to_owned(),
        range: Some(Range {
            lt: Some(f64::from(end)),
            ..Range::default()
        }),
        ..FieldCondition::default()
    }));
    filter
}

/// Those of `filter` with one of these ids of their own.
pub(crate) fn with_ids<T: AsRef<str>>(mut filter: Filter, ids: &[T]) -> Filter {
    filter.must.push(any_of(field::ID, ids));
    filter
}

pub(crate) fn tier_name(tier: Tier) -> &'static str {
    match tier {
        Tier::Bronze => "bronze",
        Tier::Silver => "silver",
        Tier::Gold => "gold",
    }
}

fn all(must: impl Into<Vec<Condition>>) -> Filter {
    Filter {
        must: must.into(),
        ..Filter::default()
    }
}

fn is(key: &str, value: &str) -> Condition {
    matches(key, MatchValue::Keyword(value.to_owned()))
}

fn any_of<T: AsRef<str>>(key: &str, values: &[T]) -> Condition {
    let strings = values.iter().map(|v| v.as_ref().to_owned()).collect();
    matches(key, MatchValue::Keywords(RepeatedStrings { strings }))
}

fn matches(key: &str, value: MatchValue) -> Condition {
    field_condition(FieldCondition {
        key: key.to_owned(),
        r#match: Some(Match {
            match_value: Some(value),
        }),
        ..FieldCondition::default()
    })
}

fn field_condition(condition: FieldCondition) -> Condition {
    Condition {
        condition_one_of: Some(ConditionOneOf::Field(condition)),
    }
}

fn has_id(has_id: Vec<PointId>) -> Condition {
    Condition {
        condition_one_of: Some(ConditionOneOf::HasId(HasIdCondition { has_id })),
    }
}
