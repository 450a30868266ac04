//! Checks requests and turns them into jobs.

use std::{net::IpAddr, sync::Arc, time::Duration};

use tokio::time::Instant;
use turnwise_kit::{CallContext, Fault};
use turnwise_llm_backends::{Message, Prompt, Role, Schema, completion::check_model_name};
use turnwise_llm_queue::Band;
use turnwise_proto::llm::v1::{
    ChatMessage, ChatRole, CompleteRequest, EmbedRequest, Purpose, TakeOverPlaceRequest,
};

use crate::{
    error::Error,
    job::{Job, Requester, TimeLimits, Work},
};

/// The most messages of a prompt.
pub const MAX_MESSAGES: usize = 64;
/// The most texts of one call for embeddings.
pub const MAX_INPUTS: usize = 256;
/// The most characters of a prompt's messages, or of the texts, together.
pub const MAX_PROMPT_CHARS: usize = 400_000;
/// The most tokens that a caller may ask for.
pub const MAX_OUTPUT_TOKENS: u32 = 32_768;
/// The least bound on a completion's characters.
pub const MIN_RESPONSE_CHARS: usize = 200;
/// The most characters of an id.
const MAX_ID_CHARS: usize = 128;
/// The most characters of a place ticket; those that are handed out are shorter.
const MAX_TICKET_CHARS: usize = 512;
/// How long before its deadline an answer leaves at the latest.
const REPLY_RESERVE: Duration = Duration::from_millis(250);

/// How long callers wait for a slot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waits {
    /// For a caller who asks for nothing else.
    pub(crate) default: Duration,
    /// The most a caller may ask for.
    pub(crate) ceiling: Duration,
}

/// The words of a request that are about its caller rather than its work.
struct About {
    class_id: String,
    thread_id: String,
    place_ticket: String,
    client_address: String,
    max_wait: Option<prost_types::Duration>,
}

/// Checks a request for a completion.
pub(crate) fn complete(
    context: &CallContext,
    waits: Waits,
    request: CompleteRequest,
    streams: bool,
) -> Result<Job, Fault> {
    let (purpose, band) = of_completion(request.purpose)?;
    let max_output_tokens = match u32::try_from(request.max_output_tokens) {
        Ok(0) => None,
        Ok(tokens) if tokens <= MAX_OUTPUT_TOKENS => Some(tokens),
        _ => {
            return Err(Fault::invalid(
                "max_output_tokens",
                format!("must be 0 to {MAX_OUTPUT_TOKENS}"),
            ));
        }
    };
    let max_chars = match usize::try_from(request.max_response_chars) {
        Ok(0) => None,
        Ok(chars) => Some(chars.max(MIN_RESPONSE_CHARS)),
        Err(_) => {
            return Err(Fault::invalid("max_response_chars", "must not be negative"));
        }
    };
    let about = About {
        class_id: request.class_id,
        thread_id: request.thread_id,
        place_ticket: request.place_ticket,
        client_address: request.client_address,
        max_wait: request.max_wait,
    };
    let (backend, model) = named(request.backend, request.model)?;
    let (requester, time_limits) = requester(context, waits, about, purpose, band)?;
    let prompt = Arc::new(Prompt {
        messages: messages(request.messages)?,
        schema: match request.json_schema.as_str() {
            "" => None,
            text => Some(Schema::parse(text).map_err(Error::from)?),
        },
        max_output_tokens,
    });
    Ok(Job {
        work: if streams {
            Work::Stream(prompt)
        } else {
            Work::Complete(prompt)
        },
        backend,
        model,
        requester,
        time_limits,
        max_chars,
        is_recorded: context.is_recorded(),
    })
}

/// Checks a request for the place of a completion that waits.
pub(crate) fn take_over(
    context: &CallContext,
    waits: Waits,
    request: TakeOverPlaceRequest,
) -> Result<Requester, Fault> {
    let (purpose, band) = of_completion(request.purpose)?;
    let about = About {
        class_id: request.class_id,
        thread_id: request.thread_id,
        place_ticket: String::new(),
        client_address: String::new(),
        max_wait: None,
    };
    let (requester, _) = requester(context, waits, about, purpose, band)?;
    if !requester.one_at_a_time || requester.student.is_empty() {
        return Err(Fault::invalid(
            "purpose",
            "must be one of which a student waits for one at a time, and the call a student's",
        ));
    }
    Ok(requester)
}

/// What a completion is for, in a word, and whether anybody waits for it.
fn of_completion(purpose: i32) -> Result<(&'static str, Band), Fault> {
    match Purpose::try_from(purpose) {
        Ok(Purpose::Turn) => Ok(("turn", Band::Interactive)),
        Ok(Purpose::Grade) => Ok(("grade", Band::Interactive)),
        Ok(Purpose::Chat) => Ok(("chat", Band::Interactive)),
        Ok(Purpose::Help) => Ok(("help", Band::Interactive)),
        Ok(Purpose::Batch) => Ok(("batch", Band::Batch)),
        Ok(Purpose::Unspecified) => Err(Fault::invalid("purpose", "is required")),
        Ok(Purpose::Search | Purpose::Index) => {
            Err(Fault::invalid("purpose", "is one of embeddings; use Embed"))
        }
        Err(_) => Err(Fault::invalid("purpose", "is unknown")),
    }
}

/// Checks a request for embeddings.
pub(crate) fn embed(
    context: &CallContext,
    waits: Waits,
    request: EmbedRequest,
) -> Result<Job, Fault> {
    let (purpose, band) = match Purpose::try_from(request.purpose) {
        Ok(Purpose::Search) => ("search", Band::Interactive),
        Ok(Purpose::Index) => ("index", Band::Batch),
        Ok(Purpose::Unspecified) => return Err(Fault::invalid("purpose", "is required")),
        Ok(_) => {
            return Err(Fault::invalid(
                "purpose",
                "is one of completions; use Complete",
            ));
        }
        Err(_) => return Err(Fault::invalid("purpose", "is unknown")),
    };
    let texts = request.inputs;
    if !(1..=MAX_INPUTS).contains(&texts.len()) {
        return Err(Fault::invalid(
            "inputs",
            format!("must be 1 to {MAX_INPUTS}"),
        ));
    }
    if let Some(empty) = texts.iter().position(String::is_empty) {
        return Err(Fault::invalid(
            &format!("inputs[{empty}]"),
            "must not be empty",
        ));
    }
    within_chars("inputs", texts.iter().map(String::as_str))?;
    let about = About {
        class_id: request.class_id,
        thread_id: String::new(),
        place_ticket: String::new(),
        client_address: request.client_address,
        max_wait: request.max_wait,
    };
    let (backend, model) = named(request.backend, request.model)?;
    let (requester, time_limits) = requester(context, waits, about, purpose, band)?;
    Ok(Job {
        work: Work::Embed(texts.into()),
        backend,
        model,
        requester,
        time_limits,
        max_chars: None,
        is_recorded: context.is_recorded(),
    })
}

/// The backend and the model, where they are named.
fn named(backend: String, model: String) -> Result<(Option<String>, Option<String>), Fault> {
    if !model.is_empty() {
        check_model_name(&model).map_err(|problem| Fault::invalid("model", problem))?;
    }
    within_id("backend", &backend)?;
    let given = |name: String| (!name.is_empty()).then_some(name);
    Ok((given(backend), given(model)))
}

fn requester(
    context: &CallContext,
    waits: Waits,
    about: About,
    purpose: &'static str,
    band: Band,
) -> Result<(Requester, TimeLimits), Fault> {
    within_id("class_id", &about.class_id)?;
    within_id("thread_id", &about.thread_id)?;
    if about.place_ticket.len() > MAX_TICKET_CHARS {
        return Err(Fault::invalid("place_ticket", "is no ticket; leave it out"));
    }
    if !about.client_address.is_empty() && about.client_address.parse::<IpAddr>().is_err() {
        return Err(Fault::invalid(
            "client_address",
            "must be an IP address without a port",
        ));
    }
    let max_wait = match about.max_wait {
        None => waits.default,
        Some(wait) => Duration::try_from(wait)
            .map_err(|_| Fault::invalid("max_wait", "must not be negative"))?
            .min(waits.ceiling),
    };
    let deadline = match context.deadline() {
        None => None,
        Some(at) => Some(
            at.checked_sub(REPLY_RESERVE)
                .filter(|at| *at > Instant::now())
                .ok_or(Error::DeadlineExceeded)?,
        ),
    };
    let caller = context.caller_opt();
    let named = |name: fn(&turnwise_kit::Caller) -> &str| {
        caller.map_or_else(String::new, |caller| name(caller).to_owned())
    };
    let requester = Requester {
        tenant: named(|caller| &caller.tenant),
        class_id: about.class_id,
        student: named(|caller| &caller.subject),
        thread_id: about.thread_id,
        purpose,
        // A turn, an answer to be graded, a chat or a help request is repeated by a student who has lost patience. Several
        // embeddings, or items of a batch, are each wanted.
        one_at_a_time: matches!(purpose, "turn" | "grade" | "chat" | "help"),
        band,
        ticket: (!about.place_ticket.is_empty()).then_some(about.place_ticket),
        address: about.client_address,
    };
    Ok((requester, TimeLimits { max_wait, deadline }))
}

fn messages(messages: Vec<ChatMessage>) -> Result<Vec<Message>, Fault> {
    if !(1..=MAX_MESSAGES).contains(&messages.len()) {
        return Err(Fault::invalid(
            "messages",
            format!("must be 1 to {MAX_MESSAGES}"),
        ));
    }
    within_chars("messages", messages.iter().map(|m| m.content.as_str()))?;
    messages
        .into_iter()
        .enumerate()
        .map(|(index, message)| {
            let role = match ChatRole::try_from(message.role) {
                Ok(ChatRole::System) => Role::System,
                Ok(ChatRole::User) => Role::User,
                Ok(ChatRole::Assistant) => Role::Assistant,
                Ok(ChatRole::Unspecified) | Err(_) => {
                    return Err(Fault::invalid(
                        &format!("messages[{index}].role"),
                        "must be system, user or assistant",
                    ));
                }
            };
            if message.content.is_empty() {
                return Err(Fault::invalid(
                    &format!("messages[{index}].content"),
                    "must not be empty",
                ));
            }
            Ok(Message {
                role,
                content: message.content,
            })
        })
        .collect()
}

fn within_chars<'a>(
    field: &str,
    texts: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), Fault> {
    // Bytes bound characters from above, so the characters of an ordinary prompt are never counted.
    let bytes: usize = texts.clone().map(str::len).sum();
    if bytes > MAX_PROMPT_CHARS
        && texts.map(|text| text.chars().count()).sum::<usize>() > MAX_PROMPT_CHARS
    {
        return Err(Fault::invalid(
            field,
            format!("must hold at most {MAX_PROMPT_CHARS} characters together"),
        ));
    }
    Ok(())
}

fn within_id(field: &str, id: &str) -> Result<(), Fault> {
    if id.len() > MAX_ID_CHARS || id.chars().any(char::is_control) {
        return Err(Fault::invalid(
            field,
            format!("must hold at most {MAX_ID_CHARS} bytes and no control characters"),
        ));
    }
    Ok(())
}
