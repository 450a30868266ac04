//! UNIT_CONTEXT: what belongs to the focus, whoever works on it and whatever is asked. The same unit of the same version of
//! a course gives the same bytes, so that a server reads them once for a whole class.

use std::sync::Arc;

use minijinja::Value;
use moka::sync::Cache;
use serde::Serialize;
use turnwise_proto::retrieval::v1::{Anchor, Chunk};

use crate::{
    block::block, budget::cost, context::ChunkView, fault::RenderError, prompt::Trimmed,
    tokens::estimate, turn::TurnPrompt,
};

/// The most tokens of a unit's leading texts, as they are estimated. The bound is the unit's own: what else is in a prompt
/// must not move it.
const MOST_TEXT_TOKENS: usize = 1_000;
/// How many bytes of units are remembered, roughly.
const REMEMBERED_BYTES: u64 = 4 * 1024 * 1024;

/// Units that were in a prompt, by id and title. One is used where all that it is made of is the same, so this changes no
/// prompt.
#[derive(Debug)]
pub(crate) struct KnownUnits(Cache<(String, String), Arc<KnownUnit>>);

impl Default for KnownUnits {
    fn default() -> Self {
        let cache =
            Cache::builder()
                .max_capacity(REMEMBERED_BYTES)
                .weigher(|_, unit: &Arc<KnownUnit>| {
                    let texts: usize = unit.chunks.iter().map(|chunk| chunk.text.len()).sum();
                    let block = unit.block.as_str().map_or(0, str::len);
                    u32::try_from(texts + block).unwrap_or(u32::MAX)
                });
        Self(cache.build())
    }
}

/// A unit as a block, and what it is made of.
#[derive(Debug)]
struct KnownUnit {
    anchor: Option<Anchor>,
    chunks: Vec<Chunk>,
    /// How many of the chunks are in it.
    texts: usize,
    block: Value,
    tokens: usize,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UnitPart<'a> {
    /// The unit; none where nothing was found of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unit_anchors: Vec<UnitView<'a>>,
    /// Its first texts, in the course's order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unit_content_chunks: Vec<ChunkView<'a>>,
    /// The whole of it; none where something was left out.
    #[serde(skip)]
    whole: Option<Arc<KnownUnit>>,
}

#[derive(Debug, PartialEq, Serialize)]
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
    pub(crate) fn of(input: &TurnPrompt<'a>, known: &KnownUnits) -> Result<Self, RenderError> {
        let focus = input.policy.focus_unit_id.as_str();
        let anchor = input.anchors.iter().find(|a| a.unit_id == focus);
        let chunks = input.unit_chunks.iter().filter(|c| c.unit_id == focus);
        let mut part = Self::made_of(anchor, chunks.clone());
        let title = anchor.map_or("", |anchor| anchor.title.as_str());
        let key = (focus.to_owned(), title.to_owned());
        let whole = match known.0.get(&key).filter(|unit| unit.makes(&part)) {
            Some(unit) => unit,
            None => {
                let texts = part.texts_within()?;
                part.unit_content_chunks.truncate(texts);
                let block = block("UNIT_CONTEXT", &part)?;
                let unit = Arc::new(KnownUnit {
                    anchor: anchor.cloned(),
                    chunks: chunks.cloned().collect(),
                    texts,
                    tokens: estimate(&block),
                    block: block.into(),
                });
                known.0.insert(key, Arc::clone(&unit));
                unit
            }
        };
        part.unit_content_chunks.truncate(whole.texts);
        part.whole = Some(whole);
        Ok(part)
    }

    fn made_of(anchor: Option<&'a Anchor>, chunks: impl Iterator<Item = &'a Chunk>) -> Self {
        let anchor = anchor.map(|anchor| UnitView {
            unit_id: &anchor.unit_id,
            title: &anchor.title,
            summary: &anchor.summary,
            misconceptions: &anchor.misconceptions,
        });
        Self {
            unit_anchors: anchor.into_iter().collect(),
            unit_content_chunks: chunks.map(ChunkView::of_unit).collect(),
            whole: None,
        }
    }

    /// How many of its texts are within the bound.
    fn texts_within(&self) -> Result<usize, RenderError> {
        let mut room = MOST_TEXT_TOKENS;
        for (at, text) in self.unit_content_chunks.iter().enumerate() {
            let Some(left) = room.checked_sub(cost(text)?) else {
                return Ok(at);
            };
            room = left;
        }
        Ok(self.unit_content_chunks.len())
    }

    /// UNIT_CONTEXT; empty where there is nothing to say.
    pub(crate) fn block(&self) -> Result<Value, RenderError> {
        Ok(match &self.whole {
            _ if self.is_empty() => Value::from(""),
            Some(whole) => whole.block.clone(),
            None => block("UNIT_CONTEXT", self)?.into(),
        })
    }

    /// The block and its tokens, where they are known.
    pub(crate) fn known(&self) -> Option<(&str, usize)> {
        let whole = self.whole.as_ref()?;
        Some((whole.block.as_str()?, whole.tokens))
    }

    fn is_empty(&self) -> bool {
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
        self.whole = None;
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

impl KnownUnit {
    /// Whether it is made of the same as this part, of which nothing is left out yet.
    fn makes(&self, part: &UnitPart<'_>) -> bool {
        let own = UnitPart::made_of(self.anchor.as_ref(), self.chunks.iter());
        own.unit_anchors == part.unit_anchors && own.unit_content_chunks == part.unit_content_chunks
    }
}
