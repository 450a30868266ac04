//! Events as receivers get them: CloudEvents 1.0, structured mode, JSON.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;

/// The media type of a body.
pub const CONTENT_TYPE: &str = "application/cloudevents+json";

/// An event to send.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its id, the same in every attempt.
    pub id: String,
    /// What happened, such as `class-reset`.
    pub kind: String,
    /// When.
    pub time: Timestamp,
    /// Whose it is.
    pub tenant: String,
    /// What it is about; empty: the tenant.
    pub subject: String,
    /// Whose events are in order; empty: no one's.
    pub partition_key: String,
    /// What is told, as JSON.
    pub data: Box<RawValue>,
}

#[derive(Serialize)]
struct Body<'a> {
    specversion: &'static str,
    id: &'a str,
    source: String,
    #[serde(rename = "type")]
    kind: String,
    time: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    subject: &'a str,
    #[serde(rename = "partitionkey", skip_serializing_if = "str::is_empty")]
    partition_key: &'a str,
    datacontenttype: &'static str,
    data: &'a RawValue,
}

impl Event {
    /// Its body: the same bytes for the same event.
    #[must_use]
    pub fn body(&self) -> Vec<u8> {
        let body = Body {
            specversion: "1.0",
            id: &self.id,
            source: format!("/turnwise/tenants/{}", self.tenant),
            kind: format!("turnwise.{}", self.kind),
            time: self.time.to_string(),
            subject: &self.subject,
            partition_key: &self.partition_key,
            datacontenttype: "application/json",
            data: &self.data,
        };
        // Strings and JSON always have a JSON form.
        serde_json::to_vec(&body).unwrap_or_default()
    }
}
