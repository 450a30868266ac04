//! A student's whole record as one JSON document, in pieces, so that no thread waits in memory for the others.

use bytes::Bytes;
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use turnwise_proto::session::v1::{ConversationMemory, QuestionRecord, ThreadKind};
use turnwise_session_store::{Read, StudentKey};

use super::{
    END, Sessions,
    audit::{Actor, Deed},
    events::Page,
    interactions::Interactions,
    json::json,
    keys,
};
use crate::{error::SessionError, record};

/// Pieces that wait for a reader.
const BUFFER: usize = 4;
/// Messages and events that are read at a time.
const PAGE: usize = 200;
/// Context requests that are read at a time.
const REQUESTS_PAGE: usize = 50;
/// The most bytes of a piece: it travels in a message of its own.
const PIECE: usize = 1024 * 1024;

/// A piece of the document, or why there are no more.
pub type Piece = Result<Bytes, SessionError>;

impl Sessions {
    /// Streams a student's whole record. It is audited first.
    pub async fn export_student(
        &self,
        actor: Actor,
        student: StudentKey,
    ) -> Result<mpsc::Receiver<Piece>, SessionError> {
        let deed = Deed {
            kind: "student-exported",
            student: Some(&student),
            ..Deed::default()
        };
        self.audit(&actor, deed).await?;
        let (sender, receiver) = mpsc::channel(BUFFER);
        let sessions = self.clone();
        self.inner.tasks.spawn(async move {
            if let Err(error) = sessions.write_export(&student, &sender).await {
                // Nobody reads any more where this cannot be said.
                let _ = sender.send(Err(error)).await;
            }
        });
        Ok(receiver)
    }

    async fn write_export(
        &self,
        student: &StudentKey,
        sender: &mpsc::Sender<Piece>,
    ) -> Result<(), SessionError> {
        let head = serde_json::json!({"tenant": student.tenant, "student_id": student.student,
            "export_time": self.now().to_string()});
        let mut text = head.to_string();
        text.truncate(text.len() - 1);
        text.push_str(",\"courses\":");
        text.push_str(&self.exported_courses(student).await?.to_string());
        text.push_str(",\"threads\":[");
        send(sender, text).await?;
        let partition = self.partition(student).await?;
        let mut first = true;
        for kind in keys::kinds() {
            let wanted = vec![Read::Lowest {
                key: keys::threads(kind),
                from: 0,
                to: END,
                limit: usize::MAX >> 1,
            }];
            for (thread_id, _) in self.read(&partition, wanted).await?.members()? {
                let Some(thread) = self.exported_thread(student, kind, &thread_id).await? else {
                    continue;
                };
                let comma = if first { "" } else { "," };
                first = false;
                let mut text = format!("{comma}{}", thread.document);
                text.truncate(text.len() - 1);
                text.push_str(",\"context_payloads\":[");
                send(sender, text).await?;
                self.write_payloads(student, &thread_id, thread.request_ids, sender)
                    .await?;
                send(sender, "],\"artifacts\":[".to_owned()).await?;
                self.write_artifacts(student, &thread_id, sender).await?;
                send(sender, "]}".to_owned()).await?;
            }
        }
        send(sender, "]}\n".to_owned()).await
    }

    /// What was supplied for context requests, one request after another: each may have megabytes.
    async fn write_payloads(
        &self,
        student: &StudentKey,
        thread_id: &str,
        request_ids: Vec<String>,
        sender: &mpsc::Sender<Piece>,
    ) -> Result<(), SessionError> {
        let mut first = true;
        for id in request_ids {
            for (slot, content) in self.payloads_of(student, thread_id, &id).await? {
                let payload =
                    serde_json::json!({"request_id": id, "slot": slot, "content": content?});
                let comma = if first { "" } else { "," };
                first = false;
                send(sender, format!("{comma}{payload}")).await?;
            }
        }
        Ok(())
    }

    /// What is kept beside a thread, one after another.
    async fn write_artifacts(
        &self,
        student: &StudentKey,
        thread_id: &str,
        sender: &mpsc::Sender<Piece>,
    ) -> Result<(), SessionError> {
        let mut comma = "";
        for name in self.artifact_names(student, thread_id).await? {
            let (artifact, content) = self.artifact(student, thread_id, &name).await?;
            let artifact = json("turnwise.session.v1.Artifact", &artifact)?;
            let artifact = serde_json::json!({"artifact": artifact, "content": content});
            send(sender, format!("{comma}{artifact}")).await?;
            comma = ",";
        }
        Ok(())
    }

    async fn exported_courses(&self, student: &StudentKey) -> Result<Value, SessionError> {
        let partition = self.partition(student).await?;
        let wanted = vec![Read::Record {
            key: keys::courses(),
        }];
        let courses = self.read(&partition, wanted).await?.record()?;
        let mut out = Vec::with_capacity(courses.len());
        for (course_id, _) in courses {
            let snapshot = self.get_snapshot(student, &course_id).await?;
            let wanted = vec![Read::Record {
                key: keys::questions(&course_id),
            }];
            let questions = self
                .read(&partition, wanted)
                .await?
                .record()?
                .iter()
                .map(|(_, bytes)| record::look::<QuestionRecord>("question", bytes))
                .map(|question| json("turnwise.session.v1.QuestionRecord", &question?))
                .collect::<Result<Vec<_>, SessionError>>()?;
            out.push(serde_json::json!({
                "snapshot": json("turnwise.session.v1.StudentSnapshot", &snapshot)?,
                "questions": questions,
            }));
        }
        Ok(out.into())
    }

    async fn exported_thread(
        &self,
        student: &StudentKey,
        kind: ThreadKind,
        thread_id: &str,
    ) -> Result<Option<ExportedThread>, SessionError> {
        let partition = self.partition(student).await?;
        let mut out = Map::new();
        let mut messages = Vec::new();
        let mut after = 0;
        loop {
            let page = match self.get_thread(student, kind, thread_id, after, PAGE).await {
                Ok(page) => page,
                Err(SessionError::UnknownThread { .. }) => return Ok(None),
                Err(error) => return Err(error),
            };
            for message in &page.messages {
                messages.push(json("turnwise.tutor.v1.TutorMessage", message)?);
            }
            if let Some(next) = page.after {
                after = next;
                continue;
            }
            out.insert(
                "thread".to_owned(),
                json("turnwise.tutor.v1.Thread", &page.thread)?,
            );
            break;
        }
        if kind == ThreadKind::Procedure {
            let (_, state) = self.help_session(student, thread_id).await?;
            let state = json("turnwise.session.v1.HelpState", &state)?;
            out.insert("help".to_owned(), state);
        }
        match self.thread(student, thread_id).await {
            Ok(stored) => {
                if let Some(graded) = &stored.graded {
                    let graded = json("turnwise.session.v1.GradedDrill", graded)?;
                    out.insert("graded".to_owned(), graded);
                }
            }
            Err(SessionError::UnknownThread { .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
        out.insert("messages".to_owned(), messages.into());

        let mut events = Vec::new();
        let mut after = 0;
        loop {
            let page = self
                .list_events(student, thread_id, Page::After(after), PAGE)
                .await?;
            for mut event in page.events {
                after = event.id;
                // It stands among the messages.
                event.message = None;
                events.push(json("turnwise.session.v1.Event", &event)?);
            }
            if !page.more {
                break;
            }
        }
        out.insert("events".to_owned(), events.into());

        let wanted = vec![
            Read::Record {
                key: keys::memory(thread_id),
            },
            Read::Lowest {
                key: keys::turns(thread_id),
                from: 0,
                to: END,
                limit: usize::MAX >> 1,
            },
            Interactions::read(thread_id),
        ];
        let mut reads = self.read(&partition, wanted).await?;
        let memories = reads
            .record()?
            .iter()
            .map(|(_, bytes)| record::look::<ConversationMemory>("memory", bytes))
            .map(|memory| json("turnwise.session.v1.ConversationMemory", &memory?))
            .collect::<Result<Vec<_>, SessionError>>()?;
        out.insert("memories".to_owned(), memories.into());
        let mut logs = Vec::new();
        for (turn_id, _) in reads.members()? {
            match self.turn_log(student, &turn_id).await {
                Ok(log) => logs.push(json("turnwise.session.v1.TurnLog", &log)?),
                Err(SessionError::UnknownTurn { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        out.insert("turn_logs".to_owned(), logs.into());
        if let Some(pending) = Interactions::decode(reads.fields()?)?.pending {
            let pending = json("turnwise.session.v1.PendingInteraction", &pending)?;
            out.insert("pending".to_owned(), pending);
        }
        let mut request_ids = Vec::new();
        let mut requests = Vec::new();
        let mut from = Some(0);
        while let Some(position) = from {
            let page = self
                .context_requests(student, thread_id, position, REQUESTS_PAGE)
                .await?;
            from = page.next;
            for request in page.requests {
                requests.push(json("turnwise.session.v1.ContextRequest", &request)?);
                request_ids.push(request.request_id);
            }
        }
        out.insert("context_requests".to_owned(), requests.into());
        Ok(Some(ExportedThread {
            document: out.into(),
            request_ids,
        }))
    }
}

/// A thread without what was supplied for its context requests.
struct ExportedThread {
    document: Value,
    request_ids: Vec<String>,
}

async fn send(sender: &mpsc::Sender<Piece>, text: String) -> Result<(), SessionError> {
    let mut rest = Bytes::from(text);
    while !rest.is_empty() {
        let piece = rest.split_to(rest.len().min(PIECE));
        let sent = sender.send(Ok(piece)).await;
        sent.map_err(|_| SessionError::Unavailable)?;
    }
    Ok(())
}
