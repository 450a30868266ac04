//! EXTERNAL_CONTEXT: what was supplied for a message, and what was not.

use std::borrow::Cow;

use serde::Serialize;
use turnwise_proto::explain::v1::{ContextAttachment, ContextBundle};

use crate::{
    budget::{cost, shorten},
    fault::RenderError,
};

/// The most bytes of an attachment that a prompt takes, before anything is left out of it.
const MOST_BODY_BYTES: usize = 8_192;

/// What of the supplied is in the prompt.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AttachmentsPart<'a> {
    attachments: Vec<AttachmentView<'a>>,
    /// The titles of what was not supplied.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    not_supplied: &'a [String],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct AttachmentView<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    phase: &'a str,
    artifact_type: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    key_path: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    /// The message that it was supplied for.
    message_id: i64,
    body: Cow<'a, str>,
    /// Whether there is more of it than the body has.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

impl<'a> AttachmentsPart<'a> {
    /// All of it; `None` if there is nothing to say.
    pub(crate) fn of(bundle: &'a ContextBundle) -> Option<Self> {
        let part = Self {
            attachments: bundle.attachments.iter().map(AttachmentView::of).collect(),
            not_supplied: &bundle.missing,
        };
        (!part.attachments.is_empty() || part.lacks_something()).then_some(part)
    }

    /// Whether something was not supplied.
    pub(crate) fn lacks_something(&self) -> bool {
        !self.not_supplied.is_empty()
    }

    /// Leaves out about so many tokens, from the end of the last body that is left. How many that is; 0: none is left.
    pub(crate) fn reduce(&mut self, wanted: usize) -> Result<usize, RenderError> {
        let mut left = self.attachments.iter_mut().rev();
        let Some(last) = left.find(|attachment| !attachment.body.is_empty()) else {
            return Ok(0);
        };
        last.truncated = true;
        if let Cow::Borrowed(whole) = last.body
            && let Some((kept, saved)) = shorten(whole, wanted)?
        {
            last.body = Cow::Owned(kept);
            return Ok(saved);
        }
        cost(&std::mem::take(&mut last.body))
    }
}

impl<'a> AttachmentView<'a> {
    fn of(attachment: &'a ContextAttachment) -> Self {
        let body = attachment.body.as_str();
        let kept = &body[..body.floor_char_boundary(MOST_BODY_BYTES)];
        Self {
            phase: &attachment.phase,
            artifact_type: &attachment.artifact_type,
            key_path: &attachment.key_path,
            description: &attachment.description,
            message_id: attachment.message_id,
            truncated: attachment.truncated || kept.len() < body.len(),
            body: Cow::Borrowed(kept),
        }
    }
}
