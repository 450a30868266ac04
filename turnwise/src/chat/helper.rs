//! `turnwise chat --helper`: the homework helper beside a lesson.

use std::{
    fs,
    io::{IsTerminal, Write},
    process::ExitCode,
    time::Duration,
};

use anyhow::{Context, Result};
use tokio::time::Instant;
use tonic::metadata::{Ascii, MetadataValue};
use turnwise_kit::{CallContext, Fault, client::GrpcClient, run::termination};
use turnwise_proto::{
    helper::v1::{
        ChatRequest, ChatResponse, LessonScope, MintScopeTokenRequest, StreamChatRequest,
        helper_service_client::HelperServiceClient, stream_chat_response::News,
    },
    tutor::v1::{Button, ClientEvent},
};
use uuid::Uuid;

use super::{ChatArgs, lines::Lines, progress::Progress, remedy::remedy};
use crate::render::{self, Ink, ink};

/// The commands that there are.
const HELP: &str = "1, 2, 3 sends a suggestion, /skip, /correct and /cancel answer a question of the helper's, /reset begins a new conversation, /again sends the last message once more, /quit ends.";

/// A student beside a lesson.
struct Desk<'o> {
    client: HelperServiceClient<GrpcClient>,
    authorization: MetadataValue<Ascii>,
    timeout: Duration,
    scope_token: String,
    conversation_id: String,
    place_ticket: String,
    last: String,
    suggestions: Vec<String>,
    buttons: Vec<Button>,
    out: &'o mut dyn Write,
    live: bool,
    ink: Ink,
}

/// Talks until the input ends.
pub(super) async fn run(args: &ChatArgs, lesson: &str) -> Result<ExitCode> {
    let mut client = HelperServiceClient::new(args.connect.endpoint.channel()?);
    let scope_token = match &args.scope_token_file {
        Some(file) => fs::read_to_string(file)
            .with_context(|| format!("cannot read {}", file.display()))?
            .trim()
            .to_owned(),
        None => match mint(&mut client, args, lesson).await? {
            Ok(token) => token,
            Err(fault) => {
                eprintln!("refused: {fault}\n  {}", remedy(&fault));
                return Ok(ExitCode::FAILURE);
            }
        },
    };
    let mut out = std::io::stdout();
    let mut desk = Desk {
        client,
        authorization: args.connect.authorization()?,
        timeout: Duration::from_secs(args.connect.timeout),
        scope_token,
        conversation_id: String::new(),
        place_ticket: String::new(),
        last: String::new(),
        suggestions: Vec::new(),
        buttons: Vec::new(),
        live: out.is_terminal(),
        ink: Ink::of_stdout(),
        out: &mut out,
    };
    writeln!(desk.out, "lesson {lesson}\nType a question; {HELP}")?;
    let mut lines = Lines::of_stdin();
    let stop = termination()?;
    tokio::select! {
        biased;
        () = stop => {}
        talked = desk.talk(&mut lines) => talked?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A page's token, signed with a staff token.
async fn mint(
    client: &mut HelperServiceClient<GrpcClient>,
    args: &ChatArgs,
    lesson: &str,
) -> Result<Result<String, Fault>> {
    let connect = &args.connect;
    let mut endpoint = connect.endpoint.clone();
    endpoint.token_file.clone_from(&args.staff_token_file);
    let authorization =
        endpoint.authorization("staff", "staff", std::slice::from_ref(&connect.class))?;
    let timeout = Duration::from_secs(connect.timeout);
    let mut request = CallContext::background(None, timeout).request(MintScopeTokenRequest {
        class_id: connect.class.clone(),
        course_id: connect.course.clone(),
        scope: Some(LessonScope {
            context: lesson.to_owned(),
            ..LessonScope::default()
        }),
        ..MintScopeTokenRequest::default()
    });
    request
        .metadata_mut()
        .insert("authorization", authorization);
    let minted = client.mint_scope_token(request).await;
    Ok(minted
        .map(|minted| minted.into_inner().scope_token)
        .map_err(|status| Fault::from_status(&status)))
}

/// The place of somebody who was told to come back.
fn held(fault: &Fault, key: &str) -> String {
    fault.metadata(key).unwrap_or_default().to_owned()
}

impl Desk<'_> {
    async fn talk(&mut self, lines: &mut Lines) -> Result<()> {
        loop {
            write!(self.out, "\n{} ", self.ink.strong("helper ›"))?;
            self.out.flush()?;
            let Some(line) = lines.next().await else {
                return Ok(writeln!(self.out)?);
            };
            let line = line.trim();
            if lines.echo() {
                writeln!(self.out, "{}", ink::line(line))?;
            }
            let suggested = line.parse::<usize>().ok();
            let suggested = suggested.and_then(|n| self.suggestions.get(n.checked_sub(1)?));
            match (line, suggested) {
                ("", _) => {}
                ("/quit", _) => return Ok(()),
                ("/help", _) => writeln!(self.out, "  {HELP}")?,
                ("/reset", _) => {
                    self.conversation_id.clear();
                    self.place_ticket.clear();
                    writeln!(
                        self.out,
                        "  a new conversation; the helper knows nothing of the last"
                    )?;
                }
                ("/again", _) => {
                    let last = self.last.clone();
                    self.send(last, None).await?;
                }
                ("/skip" | "/correct" | "/cancel", _) => match self.button(line) {
                    Some(event) => self.send(String::new(), Some(event)).await?,
                    None => writeln!(self.out, "  there is nothing to do that to")?,
                },
                (_, Some(suggestion)) => {
                    let message = suggestion.clone();
                    self.send(message, None).await?;
                }
                (message, None) => {
                    let message = message.to_owned();
                    self.send(message, None).await?;
                }
            }
        }
    }

    /// The event of a button below the helper's question.
    fn button(&self, command: &str) -> Option<ClientEvent> {
        let word = command.trim_start_matches('/');
        let of_word = |button: &&Button| button.label_key.starts_with(word);
        let button = self.buttons.iter().find(of_word)?;
        button.event.clone()
    }

    async fn send(&mut self, message: String, event: Option<ClientEvent>) -> Result<()> {
        self.last.clone_from(&message);
        match self.answer(message, event).await {
            Ok(answer) => self.show(&answer),
            Err(fault) => {
                let ticket = held(&fault, "place_ticket");
                if !ticket.is_empty() {
                    self.place_ticket = ticket;
                    self.conversation_id = held(&fault, "conversation_id");
                }
                writeln!(self.out, "  {}", self.ink.bad(&format!("refused: {fault}")))?;
                Ok(writeln!(self.out, "  {}", remedy(&fault))?)
            }
        }
    }

    async fn answer(
        &mut self,
        message: String,
        event: Option<ClientEvent>,
    ) -> Result<ChatResponse, Fault> {
        let began = Instant::now();
        let mut request = CallContext::background(None, self.timeout).request(StreamChatRequest {
            chat: Some(ChatRequest {
                message,
                scope_token: self.scope_token.clone(),
                conversation_id: self.conversation_id.clone(),
                idempotency_key: Uuid::new_v4().to_string(),
                place_ticket: std::mem::take(&mut self.place_ticket),
                event,
            }),
        });
        request
            .metadata_mut()
            .insert("authorization", self.authorization.clone());
        let fault = |status| Fault::from_status(&status);
        let news = self.client.stream_chat(request).await.map_err(fault)?;
        let mut news = news.into_inner();
        let mut progress = Progress::new(self.out, self.live, self.ink);
        loop {
            match news.message().await {
                Ok(Some(piece)) => match piece.news {
                    Some(News::Progress(stage)) => progress.stage(&stage, began.elapsed()),
                    Some(News::Answer(answer)) => {
                        progress.clear();
                        return Ok(answer);
                    }
                    None => {}
                },
                Ok(None) => return Err(fault(tonic::Status::unavailable("the answer broke off"))),
                Err(status) => {
                    progress.clear();
                    return Err(fault(status));
                }
            }
        }
    }

    fn show(&mut self, answer: &ChatResponse) -> Result<()> {
        self.conversation_id.clone_from(&answer.conversation_id);
        for line in answer
            .text
            .lines()
            .flat_map(|line| ink::wrap(line, ink::WIDTH - 2))
        {
            writeln!(self.out, "  {line}")?;
        }
        for cited in &answer.citations {
            let mut place = format!("[{}] {}", cited.number, cited.source);
            for part in [&cited.section, &cited.url] {
                if !part.is_empty() {
                    place.push_str(&format!(", {part}"));
                }
            }
            if cited.page > 0 {
                place.push_str(&format!(", page {}", cited.page));
            }
            writeln!(self.out, "  {}", self.ink.faint(&ink::line(&place)))?;
        }
        if let Some(progress) = &answer.clarification {
            let words = render::question_of(progress);
            writeln!(self.out, "  {}", self.ink.faint(&words))?;
        }
        self.buttons.clone_from(&answer.buttons);
        self.suggestions.clone_from(&answer.follow_up_suggestions);
        for (number, suggestion) in (1..).zip(&self.suggestions) {
            let suggestion = ink::line(suggestion);
            writeln!(
                self.out,
                "  {}",
                self.ink.faint(&format!("{number} {suggestion}"))
            )?;
        }
        let mut remarks: Vec<String> = answer
            .degraded_reasons()
            .map(|reason| reason.as_str_name().to_owned())
            .collect();
        if answer.attempts > 0 {
            remarks.push(format!("model {}", answer.model));
        }
        if answer.truncated {
            remarks.push("cut".to_owned());
        }
        if !remarks.is_empty() {
            writeln!(
                self.out,
                "  {}",
                self.ink.faint(&format!("({})", remarks.join(", ")))
            )?;
        }
        Ok(())
    }
}
