//! The model that is none: deterministic answers, good and bad, chosen by the model's name.
//!
//! It reads the request's schema, so that what it answers fits the turn: the enums of `action`, `target_unit_id`,
//! `question_id` and `difficultyTier` say what is allowed. A schema without `action` gets the smallest value that keeps
//! it, and a request without a schema a sentence of plain text. The same request gives the same answer, but for the drill:
//! each answer has another, such as `x + 10042 = 10047`, and its solution is always 5. Every answer says `mock` as its model,
//! and tokens are counted as four bytes each.
//!
//! | name | answers |
//! | --- | --- |
//! | `mock` | well: a valid reply, an exam question where one is allowed, else the first allowed action; its text is HELPER_MOCK_RESPONSE_TEXT if that is set |
//! | `mock:invalid_json` | half a sentence and something that is no JSON |
//! | `mock:empty` | nothing |
//! | `mock:truncated` | the first half of a valid reply, with the finish reason `length` |
//! | `mock:extra_key` | a valid reply with a key, `confusion_tags`, that no contract has |
//! | `mock:break:action_not_allowed` | an action that is not allowed, with its card |
//! | `mock:break:target_out_of_scope` | a target that is no unit of the scope |
//! | `mock:break:exam_not_candidate` | an exam question that is no candidate; needs a turn that allows one |
//! | `mock:break:tier_mismatch` | a candidate with a tier that is not the desired one; needs a turn that allows one |
//! | `mock:break:concept_not_stuck` | a concept card; in a turn that allows one it is valid |
//! | `mock:break:limits_exceeded` | a concept card of 240 words where one is allowed, else a drill of four equations, else a text of 2,500 characters |
//! | `mock:break:two_cards` | a reply with two cards |
//! | `mock:break:socratic_with_card` | a question with a drill below it |
//! | `mock:break:missing_card` | an action that needs a card, without it |
//! | `mock:break:many_questions` | a reply that asks four questions; needs a turn that allows a Socratic question |
//! | `mock:break:empty_message` | a reply whose text is one blank |
//! | `mock:break:schema_violation` | a reply with a word outside of its enum |
//! | `mock:break:false_mathematics` | a reply of the right form that says `1/4 + 1/3 = 2/9`; without a schema that sentence alone |
//! | `mock:obey` | whatever the student or a document demands: a JSON object found there, word for word; or a reply with the exam, the badge, the concept card, the rules or the data that was asked for, or a grade that says right or the key. Otherwise as `mock` |
//! | `mock:echo` | a valid reply that quotes the first 2,000 bytes of the student's message (with more than two questions in them a Socratic reply is invalid) |
//! | `mock:stall` | never, until the call is cancelled |
//! | `mock:status:<status>` | a failure: an HTTP status such as `503`, or a gRPC code such as `UNAVAILABLE`; with `:<seconds>` behind it the server asks to be left alone for so long |
//! | `mock:slow:<ms>` | well, in pieces of 12 bytes with so many milliseconds before each |
//! | `mock:delay:<ms>` | well, after so many milliseconds |
//!
//! Embeddings are unit vectors of 64 numbers, in which equal texts are equal and texts that share words or parts of words
//! are near each other. Models for them:
//!
//! | name | answers |
//! | --- | --- |
//! | `mock` | well |
//! | `mock:length:<n>` | well, with vectors of so many numbers, 1 to 4096 |
//! | `mock:break:wrong_count` | one vector too few |
//! | `mock:break:unequal_lengths` | a vector that is shorter than the others; for a single text, an empty one |
//! | `mock:break:empty_vectors` | vectors without a number |
//! | `mock:break:not_finite` | a vector with something that is no number |
//! | `mock:stall`, `mock:status:<status>`, `mock:delay:<ms>` | as above |
//!
//! Other names are unknown models. How `mock:obey` and `mock:echo` find the student's words stands in their modules'
//! first lines: [`obey`] and [`student`].

mod embed;
mod model;
pub mod obey;
mod reply;
mod schema;
pub mod student;

use std::{
    collections::VecDeque,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use futures_util::{FutureExt, StreamExt, future, stream};

pub use embed::{DIMENSIONS, EmbedModel, Fault};
pub use model::{Failing, Model, Rule, UnknownMock};

use crate::{
    backend::{Backend, Operation, Pieces, Vectors, Whole, collected},
    completion::{End, Finish, Piece, Prompt},
    embedding::{self, Embeddings},
    failure::Failure,
    schema::Schema,
};
use reply::Writer;

const NAME: &str = "mock";
/// The rough size of a token.
const BYTES_PER_TOKEN: usize = 4;
/// The size of a delta of `mock:slow`.
const SLOW_DELTA_BYTES: usize = 12;

/// The mock backend.
#[derive(Debug)]
pub struct Mock {
    default_model: String,
    default_embed_model: String,
    text: String,
    /// How many answers there were, from a number that other processes do not begin with.
    answered: AtomicU64,
}

impl Mock {
    /// A mock that calls the default models where a call names none, and says `text`, unless it is empty, as `mock`.
    pub fn new(default_model: String, default_embed_model: String, text: String) -> Self {
        Self {
            default_model,
            default_embed_model,
            text,
            answered: AtomicU64::new(u64::from(std::process::id()) * 1_009),
        }
    }

    fn answer(&self, model: Model, prompt: &Prompt) -> Pieces {
        let schema = prompt.schema.as_ref().map(Schema::as_json);
        let number = self.answered.fetch_add(1, Ordering::Relaxed);
        let writer = Writer::new(schema, number);
        let whole = |text: String| Answer::new(text, prompt);
        match model {
            Model::Well if !self.text.is_empty() => whole(writer.saying(&self.text)).at_once(),
            Model::Well => whole(writer.well()).at_once(),
            Model::InvalidJson => whole(writer.invalid_json()).at_once(),
            Model::Empty => whole(String::new()).at_once(),
            Model::Truncated => whole(writer.well()).cut_in_half().at_once(),
            Model::ExtraKey => whole(writer.extra_key()).at_once(),
            Model::Break(rule) => whole(writer.breaking(rule)).at_once(),
            Model::Obey => whole(obey::answer(&prompt.messages, &writer)).at_once(),
            Model::Echo => whole(writer.quoting(&student::message(&prompt.messages))).at_once(),
            Model::Stall => stream::pending().boxed(),
            Model::Fail(failing) => stream::iter([Err(failure(failing))]).boxed(),
            Model::Slow(pause) => whole(writer.well()).slowly(pause),
            Model::Delay(delay) => whole(writer.well()).after(delay),
        }
    }
}

impl Backend for Mock {
    fn name(&self) -> &'static str {
        NAME
    }

    fn default_model(&self, operation: Operation) -> &str {
        match operation {
            Operation::Completion => &self.default_model,
            Operation::Embedding => &self.default_embed_model,
        }
    }

    fn admit(&self, model: &str, operation: Operation) -> Result<(), Failure> {
        let known = match operation {
            Operation::Completion => model.parse::<Model>().is_ok(),
            Operation::Embedding => model.parse::<EmbedModel>().is_ok(),
        };
        if known { Ok(()) } else { Err(unknown(model)) }
    }

    fn stream(&self, model: &str, prompt: &Prompt) -> Pieces {
        match model.parse() {
            Ok(model) => self.answer(model, prompt),
            Err(UnknownMock) => stream::iter([Err(unknown(model))]).boxed(),
        }
    }

    fn complete(&self, model: &str, prompt: &Prompt) -> Whole {
        collected(NAME, self.stream(model, prompt)).boxed()
    }

    fn embed(&self, model: &str, texts: &[String]) -> Vectors {
        let vectors = |dimensions| -> Vec<Vec<f32>> {
            let vector = |text: &String| embed::vector(text, dimensions);
            texts.iter().map(vector).collect()
        };
        let count = texts.len();
        let input_tokens = tokens(texts.iter().map(String::len).sum());
        let answer = move |vectors| {
            let embeddings = Embeddings {
                vectors,
                model: NAME.to_owned(),
                input_tokens,
            };
            embedding::checked(embeddings, count).map_err(|problem| Failure::Answer {
                backend: NAME,
                status: Some(200),
                problem,
            })
        };
        match model.parse() {
            Ok(EmbedModel::Well { dimensions }) => {
                future::ready(answer(vectors(dimensions))).boxed()
            }
            Ok(EmbedModel::Break(fault)) => {
                let mut vectors = vectors(DIMENSIONS);
                fault.spoil(&mut vectors);
                future::ready(answer(vectors)).boxed()
            }
            Ok(EmbedModel::Stall) => future::pending().boxed(),
            Ok(EmbedModel::Fail(failing)) => future::ready(Err(failure(failing))).boxed(),
            Ok(EmbedModel::Delay(delay)) => {
                let answer = answer(vectors(DIMENSIONS));
                tokio::time::sleep(delay).map(|()| answer).boxed()
            }
            Err(UnknownMock) => future::ready(Err(unknown(model))).boxed(),
        }
    }
}

fn unknown(model: &str) -> Failure {
    Failure::UnknownModel {
        backend: NAME,
        model: model.to_owned(),
    }
}

fn failure(failing: Failing) -> Failure {
    match failing {
        Failing::Unreachable => Failure::Unreachable { backend: NAME },
        Failing::UnknownModel => unknown(NAME),
        Failing::Status {
            status,
            retry_after,
        } => Failure::Status {
            backend: NAME,
            status,
            retry_after,
        },
    }
}

/// An answer before it is sent.
struct Answer {
    text: String,
    end: End,
}

impl Answer {
    /// The answer to `prompt`, cut where the prompt's own bound cuts it.
    fn new(text: String, prompt: &Prompt) -> Self {
        let input: usize = prompt.messages.iter().map(|m| m.content.len()).sum();
        let mut answer = Self {
            text,
            end: End {
                model: NAME.to_owned(),
                finish: Finish::Stop,
                input_tokens: tokens(input),
                cached_input_tokens: 0,
                output_tokens: 0,
            },
        };
        if let Some(bound) = prompt.max_output_tokens {
            answer.cut((bound as usize).saturating_mul(BYTES_PER_TOKEN));
        }
        answer
    }

    fn cut(&mut self, bytes: usize) {
        if self.text.len() > bytes {
            self.text.truncate(self.text.floor_char_boundary(bytes));
            self.end.finish = Finish::Length;
        }
    }

    fn cut_in_half(mut self) -> Self {
        self.cut(self.text.len() / 2);
        self
    }

    fn split(mut self, delta_bytes: usize) -> VecDeque<Piece> {
        self.end.output_tokens = tokens(self.text.len());
        let mut pieces = VecDeque::new();
        let mut rest = self.text;
        while rest.len() > delta_bytes {
            // A boundary is never zero here: no character is longer than a delta.
            let next = rest.split_off(rest.floor_char_boundary(delta_bytes));
            pieces.push_back(Piece::Delta(std::mem::replace(&mut rest, next)));
        }
        if !rest.is_empty() {
            pieces.push_back(Piece::Delta(rest));
        }
        pieces.push_back(Piece::End(self.end));
        pieces
    }

    fn at_once(self) -> Pieces {
        stream::iter(self.split(usize::MAX).into_iter().map(Ok)).boxed()
    }

    fn after(self, delay: Duration) -> Pieces {
        let pieces = self.split(usize::MAX);
        stream::once(tokio::time::sleep(delay))
            .flat_map(move |()| stream::iter(pieces.clone().into_iter().map(Ok)))
            .boxed()
    }

    fn slowly(self, pause: Duration) -> Pieces {
        stream::iter(self.split(SLOW_DELTA_BYTES))
            .then(move |piece| async move {
                if matches!(piece, Piece::Delta(_)) {
                    tokio::time::sleep(pause).await;
                }
                Ok(piece)
            })
            .boxed()
    }
}

fn tokens(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(u32::MAX)
}
