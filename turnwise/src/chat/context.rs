//! What a message waits for: shown, supplied from a file, and its answer, which comes later with a bell.

use anyhow::Result;
use jiff::Timestamp;
use tokio::sync::mpsc;
use turnwise_kit::Fault;
use turnwise_proto::{
    context::v1::{
        CancelContextRequest, ContextPayload, ContextRequestState, ListArtifactsRequest,
        SkipContextRequest, SupplyContextRequest, WatchThreadRequest, WatchThreadResponse,
        watch_thread_response::Event,
    },
    tutor::v1::{DialogState, RequiredContext, Role, TakeTurnResponse},
};

use super::Chat;
use crate::render::{self, Ink, ink::line};

/// What happens in a thread.
pub(super) type News = mpsc::Receiver<Event>;

/// The names of pieces.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";
/// How many characters of a piece are shown.
const SHOWN: usize = 60;
const AHEAD: usize = 64;
/// How long a watch lasts before it is taken up again.
const WATCH: std::time::Duration = std::time::Duration::from_secs(60);
/// How long to wait before a watch that failed is taken up again.
const AGAIN: std::time::Duration = std::time::Duration::from_secs(2);

/// The next news; never where nobody watches.
pub(super) async fn next(news: &mut Option<News>) -> Event {
    let next = match news {
        Some(news) => news.recv().await,
        None => None,
    };
    match next {
        Some(event) => event,
        None => std::future::pending().await,
    }
}

/// What is asked for, as a list.
fn card(required: &[RequiredContext], ink: Ink) -> String {
    let mut text = format!("tutor › {}\n", ink.strong("Before I answer, I need:"));
    for wanted in required {
        let part = match wanted.key_path.as_str() {
            "" => String::new(),
            path => format!(" ({})", line(path)),
        };
        let urgency = if wanted.optional {
            "if you can"
        } else {
            "needed"
        };
        text.push_str(&format!(
            "  {}. {}{part}, {urgency}, from: {}\n     {}\n",
            wanted.slot + 1,
            line(&wanted.title),
            wanted.suppliers.join(" or "),
            line(&wanted.why),
        ));
    }
    text.push_str(
        "  /attach 1 FILE gives it, /without goes on without it, /withdraw needs no answer.\n",
    );
    text
}

impl Chat<'_> {
    /// Shows what the message waits for, and begins to watch for its answer.
    pub(super) fn wait_for(&mut self, answer: &TakeTurnResponse) -> String {
        let text = match (&answer.context_required, answer.dialog_state()) {
            (Some(required), _) => card(&required.required, self.ink),
            (None, DialogState::Queued) => {
                "tutor › Your message was accepted. The answer comes when there is time.\n"
                    .to_owned()
            }
            (None, _) => return String::new(),
        };
        self.waiting.clone_from(&answer.context_required);
        if self.news.is_none() {
            self.news = Some(self.watch());
        }
        text
    }

    /// Follows the thread until this program ends, and takes it up again where it breaks off.
    fn watch(&self) -> News {
        let (sender, news) = mpsc::channel(AHEAD);
        let mut client = self.student.context.clone();
        let thread_id = self.desk.thread_id().to_owned();
        let authorization = self.student.request((), WATCH);
        tokio::spawn(async move {
            let mut after_event_id = 0;
            while !sender.is_closed() {
                let mut request = turnwise_kit::CallContext::background(None, WATCH).request(
                    WatchThreadRequest {
                        thread_id: thread_id.clone(),
                        after_event_id,
                    },
                );
                if let Some(token) = authorization.metadata().get("authorization") {
                    request
                        .metadata_mut()
                        .insert("authorization", token.clone());
                }
                let Ok(events) = client.watch_thread(request).await else {
                    tokio::time::sleep(AGAIN).await;
                    continue;
                };
                let mut events = events.into_inner();
                while let Ok(Some(next)) = events.message().await {
                    let WatchThreadResponse {
                        event_id, event, ..
                    } = next;
                    after_event_id = event_id;
                    if let Some(event) = event
                        && sender.send(event).await.is_err()
                    {
                        return;
                    }
                }
            }
        });
        news
    }

    /// Tells what happened in the thread, if anything is new; a bell rings for what calls for the student.
    pub(super) fn tell(&mut self, event: &Event) -> Result<bool> {
        let text = match event {
            Event::Message(message)
                if message.role() == Role::Assistant && message.id > self.seen =>
            {
                self.seen = message.id;
                self.waiting = None;
                self.desk.show(message);
                let choices = self.desk.choices();
                let text = render::message(message, choices, Timestamp::now(), self.ink);
                format!("\u{7}\n{text}")
            }
            Event::Reminder(reminder) if self.is_waiting_for(&reminder.request_id) => {
                "\u{7}\n  Your message still waits for what it needs: /attach, /without or /withdraw.".to_owned()
            }
            Event::Update(update) if self.is_waiting_for(&update.request_id) => format!(
                "\n  {} was supplied by a {}.",
                update.slot + 1,
                line(&update.supplier_role)
            ),
            _ => return Ok(false),
        };
        self.say(&text)?;
        Ok(true)
    }

    fn is_waiting_for(&self, request_id: &str) -> bool {
        let waiting = self.waiting.as_ref();
        waiting.is_some_and(|waiting| waiting.request_id == request_id)
    }

    /// Supplies a file.
    pub(super) async fn attach(&mut self, number: usize, file: &str) -> Result<()> {
        let Some(waiting) = self.waiting.clone() else {
            return self.say("  No message waits for anything.");
        };
        let slot = number
            .checked_sub(1)
            .and_then(|slot| i32::try_from(slot).ok());
        let Some(slot) = slot else {
            return self.say("  The list begins with 1.");
        };
        let listed = LETTERS.find(file).filter(|_| file.len() == 1);
        let piece = listed.and_then(|place| self.pieces.get(place)).cloned();
        let content = match piece.map_or_else(|| std::fs::read_to_string(file), Ok) {
            Ok(content) => content,
            Err(error) => return self.say(&format!("  {} cannot be read: {error}", line(file))),
        };
        let request = SupplyContextRequest {
            thread_id: self.desk.thread_id().to_owned(),
            request_id: waiting.request_id,
            payloads: vec![ContextPayload { slot, content }],
            ..SupplyContextRequest::default()
        };
        let request = self.student.request(request, self.student.timeout());
        match self.student.context.supply_context(request).await {
            Ok(supplied) => {
                let now = supplied.into_inner().context_request.unwrap_or_default();
                self.say(match now.state() {
                    ContextRequestState::Open => "  Thanks; something is missing still.",
                    _ => "  Thanks, that is all. The answer comes in a moment.",
                })
            }
            Err(status) => self.refused(&Fault::from_status(&status)),
        }
    }

    /// Lists the pieces of what is kept that fit what the message waits for.
    pub(super) async fn list_pieces(&mut self) -> Result<String, Fault> {
        let Some(waiting) = &self.waiting else {
            return Ok("  No message waits for anything.\n".to_owned());
        };
        let project = self.desk.project.clone().unwrap_or_default();
        let request = ListArtifactsRequest {
            thread_id: self.desk.thread_id().to_owned(),
            batch_id: project.batch_id,
            request_id: waiting.request_id.clone(),
            ..ListArtifactsRequest::default()
        };
        let request = self.student.request(request, self.student.timeout());
        let listed = self.student.context.list_artifacts(request).await;
        let listed = listed.map_err(|status| Fault::from_status(&status))?;
        let mut text = String::new();
        self.pieces.clear();
        for artifact in listed.into_inner().artifacts {
            for piece in artifact.suggestions {
                let Some(letter) = LETTERS.chars().nth(self.pieces.len()) else {
                    break;
                };
                let (of, path) = (line(&artifact.artifact_type), line(&piece.key_path));
                let shown: String = line(&piece.text).chars().take(SHOWN).collect();
                text.push_str(&format!("  {letter}. {of} {path}: {shown}\n"));
                self.pieces.push(piece.text);
            }
        }
        if text.is_empty() {
            text.push_str("  Nothing is kept that fits.\n");
        }
        Ok(text)
    }

    /// Goes on without what is missing, or without an answer.
    pub(super) async fn end_waiting(&mut self, answered: bool) -> Result<String, Fault> {
        let Some(waiting) = self.waiting.clone() else {
            return Ok("  No message waits for anything.\n".to_owned());
        };
        let (thread_id, request_id) = (self.desk.thread_id().to_owned(), waiting.request_id);
        let timeout = self.student.timeout();
        if answered {
            let request = SkipContextRequest {
                thread_id,
                request_id,
            };
            let request = self.student.request(request, timeout);
            let skipped = self.student.context.skip_context(request).await;
            skipped.map_err(|status| Fault::from_status(&status))?;
            return Ok("  The answer comes in a moment.\n".to_owned());
        }
        let request = CancelContextRequest {
            thread_id,
            request_id,
        };
        let request = self.student.request(request, timeout);
        let cancelled = self.student.context.cancel_context(request).await;
        cancelled.map_err(|status| Fault::from_status(&status))?;
        self.waiting = None;
        Ok("  The message needs no answer any more.\n".to_owned())
    }
}
