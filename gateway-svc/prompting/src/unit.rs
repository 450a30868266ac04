//! UNIT_CONTEXT: what belongs to the focus, whoever works on it and whatever is asked. The same unit of the same version of
//! a course gives the same bytes, so that a server reads them once for a whole class.

use serde::Serialize;

use crate::{
    budget::cost, context::ChunkView, fault::RenderError, prompt::Trimmed, turn::TurnPrompt,
};

/// The most tokens of a unit's leading texts, as they are estimated. The bound is the unit's own: what else is in a prompt
/// must not move it.
const MOST_TEXT_TOKENS: usize = 1_000;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UnitPart<'a> {
    /// The unit; none where nothing was found of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unit_anchors: Vec<UnitView<'a>>,
    /// Its first texts, in the course's order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unit_content_chunks: Vec<ChunkView<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct UnitView<'a> {
    unit_id: &'a str,
    title: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    summary: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    misconceptions: &'a [String],
}

impl<'a> UnitPart<'a> {
    /// All of it, as far as the unit's own bound goes.
    pub(crate) fn of(input: &TurnPrompt<'a>) -> Result<Self, RenderError> {
        let focus = input.policy.focus_unit_id.as_str();
        let anchor = input.anchors.iter().find(|a| a.unit_id == focus);
        let mut texts = Vec::new();
        let mut room = MOST_TEXT_TOKENS;
        for chunk in input.unit_chunks.iter().filter(|c| c.unit_id == focus) {
            let text = ChunkView::of_unit(chunk);
            let Some(left) = room.checked_sub(cost(&text)?) else {
                break;
            };
            room = left;
            texts.push(text);
        }
        Ok(Self {
            unit_anchors: anchor
                .into_iter()
                .map(|anchor| UnitView {
                    unit_id: &anchor.unit_id,
                    title: &anchor.title,
                    summary: &anchor.summary,
                    misconceptions: &anchor.misconceptions,
                })
                .collect(),
            unit_content_chunks: texts,
        })
    }

    /// Whether there is nothing to say.
    pub(crate) fn is_empty(&self) -> bool {
        self.unit_anchors.is_empty() && self.unit_content_chunks.is_empty()
    }

    /// Whether this chunk is among its texts.
    pub(crate) fn has(&self, chunk_id: &str) -> bool {
        let mut texts = self.unit_content_chunks.iter();
        texts.any(|text| text.chunk_id == chunk_id)
    }

    /// Leaves out the next of it: its texts, the last first, its misconceptions, its summary, then all of it. How many
    /// tokens that is; 0: nothing is left.
    pub(crate) fn reduce(&mut self, trimmed: &mut Trimmed) -> Result<usize, RenderError> {
        if let Some(last) = self.unit_content_chunks.pop() {
            trimmed.unit_texts_dropped += 1;
            return cost(&last);
        }
        let Some(unit) = self.unit_anchors.last_mut() else {
            return Ok(0);
        };
        trimmed.anchors_cut = 1;
        if !unit.misconceptions.is_empty() {
            return cost(std::mem::take(&mut unit.misconceptions));
        }
        if !unit.summary.is_empty() {
            return cost(std::mem::take(&mut unit.summary));
        }
        trimmed.anchors_cut = 0;
        trimmed.anchors_dropped += 1;
        self.unit_anchors.pop().map_or(Ok(0), |unit| cost(&unit))
    }
}
