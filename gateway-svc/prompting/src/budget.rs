//! The prompt budget of a turn: which of its data is in the prompt, and what goes first when there is too much of it.

use std::borrow::Cow;

use serde::Serialize;

use crate::{
    attachments::AttachmentsPart,
    block::json,
    clarification::ClarificationPart,
    context::Context,
    earlier::EarlierTurn,
    fault::RenderError,
    prompt::Trimmed,
    tokens::estimate,
    turn::TurnPrompt,
    unit::{KnownUnits, UnitPart},
};

/// A text of which fewer tokens than this would be left is left out.
const LEAST_PART_TOKENS: usize = 35;

/// How many of the best chunks that were found for the message are used at most.
const BEST_FOUND: usize = 4;
/// For so many tokens of the budget one of them is, and one in any case: no turn shares them with another, so a small
/// machine reads few.
const TOKENS_FOR_ONE_FOUND: usize = 2_000;

/// The parts that are in the prompt, within its budget.
pub(crate) struct BudgetedParts<'a> {
    pub(crate) unit: UnitPart<'a>,
    pub(crate) context: Context<'a>,
    pub(crate) clarification: Option<ClarificationPart<'a>>,
    pub(crate) attachments: Option<AttachmentsPart<'a>>,
    earlier: Vec<EarlierTurn<'a>>,
    /// How many of the earlier messages are left out, from the oldest.
    earlier_dropped: usize,
    trimmed: Trimmed,
}

impl<'a> BudgetedParts<'a> {
    /// Everything that a prompt of so many tokens may have.
    pub(crate) fn all(
        input: &TurnPrompt<'a>,
        known: &KnownUnits,
        max_tokens: usize,
    ) -> Result<Self, RenderError> {
        let unit = UnitPart::of(input, known)?;
        // What the unit says is not said twice.
        let found = |most| {
            let best = input.chunks.iter().take(most);
            best.filter(|chunk| !unit.has(&chunk.chunk_id))
        };
        let most = (max_tokens / TOKENS_FOR_ONE_FOUND).clamp(1, BEST_FOUND);
        let trimmed = Trimmed {
            chunks_dropped: found(BEST_FOUND).count() - found(most).count(),
            ..Trimmed::default()
        };
        Ok(Self {
            context: Context::of(input, found(most)),
            unit,
            clarification: input.clarification.map(ClarificationPart::of),
            attachments: input.context.and_then(AttachmentsPart::of),
            earlier: input.recent.iter().filter_map(EarlierTurn::of).collect(),
            earlier_dropped: 0,
            trimmed,
        })
    }

    /// The earlier messages, oldest first.
    pub(crate) fn earlier(&self) -> &[EarlierTurn<'a>] {
        &self.earlier[self.earlier_dropped..]
    }

    /// What has been left out.
    pub(crate) fn trimmed(&self) -> Trimmed {
        Trimmed {
            messages_dropped: self.earlier_dropped,
            messages_cut: self.earlier().iter().filter(|turn| turn.cut).count(),
            ..self.trimmed
        }
    }

    /// Leaves out about `excess` tokens. False if nothing more can be left out.
    pub(crate) fn reduce(&mut self, excess: usize) -> Result<bool, RenderError> {
        let mut saved = 0;
        while saved < excess {
            let step = self.step(excess - saved)?;
            if step == 0 {
                break;
            }
            saved += step;
        }
        Ok(saved > 0)
    }

    /// Leaves out the next part, or as much of it as is wanted. How many tokens that is; 0: there is none.
    fn step(&mut self, wanted: usize) -> Result<usize, RenderError> {
        if let Some(last) = self.context.unit_content_chunks.last_mut() {
            if self.trimmed.chunks_cut == 0
                && let Some((text, saved)) = shorten(&last.text, wanted)?
            {
                last.text = Cow::Owned(text);
                self.trimmed.chunks_cut = 1;
                return Ok(saved);
            }
            let saved = cost(last)?;
            self.context.unit_content_chunks.pop();
            self.trimmed.chunks_dropped += 1;
            self.trimmed.chunks_cut = 0;
            return Ok(saved);
        }
        if let Some(oldest) = self.earlier().first() {
            let saved = cost(oldest)?;
            self.earlier_dropped += 1;
            return Ok(saved);
        }
        if let Some(anchor) = self.context.unit_anchors.pop() {
            self.trimmed.anchors_dropped += 1;
            return cost(&anchor);
        }
        let saved = self.unit.reduce(&mut self.trimmed)?;
        if saved > 0 {
            return Ok(saved);
        }
        let units = &mut self.context.snapshot_lite_for_llm.units_in_progress;
        if let [rest @ .., last] = *units {
            *units = rest;
            self.trimmed.texts_cut = 1;
            return cost(last);
        }
        let conversation = self.context.conversation.as_mut();
        if let Some(answer) = conversation.and_then(|said| said.last_answer.take()) {
            self.trimmed.texts_cut = 1;
            return cost(&answer);
        }
        if let Some(attachments) = &mut self.attachments {
            let saved = attachments.reduce(wanted)?;
            if saved > 0 {
                self.trimmed.texts_cut = 1;
                return Ok(saved);
            }
        }
        let Some(clarification) = &mut self.clarification else {
            return Ok(0);
        };
        self.trimmed.texts_cut = 1;
        clarification.reduce(wanted)
    }
}

/// What a part takes in the prompt, with the comma before it.
pub(crate) fn cost<T: Serialize + ?Sized>(part: &T) -> Result<usize, RenderError> {
    Ok(estimate(&json(&part)?) + 1)
}

/// The text without about `wanted` tokens at its end, and how many that are; none if too little would be left.
pub(crate) fn shorten(text: &str, wanted: usize) -> Result<Option<(String, usize)>, RenderError> {
    let before = cost(text)?;
    let room = before.saturating_sub(wanted);
    if room < LEAST_PART_TOKENS {
        return Ok(None);
    }
    // By proportion first; tokens are not spread evenly, so the rest goes by steps.
    let mut end = text.len() * room / before;
    loop {
        let part = format!("{} …", whole_words(&text[..text.floor_char_boundary(end)]));
        let after = cost(&part)?;
        if after <= room {
            return Ok(Some((part, before - after)));
        }
        end -= (end / 16).max(1).min(end);
        if end == 0 {
            return Ok(None);
        }
    }
}

/// The text without the word at its end, which may be half of one.
fn whole_words(text: &str) -> &str {
    let end = text.rfind(char::is_whitespace).unwrap_or(text.len());
    text[..end].trim_end()
}
