//! Grades and turns as the gateway sends them: each has one idempotency key however often it is sent.

use sha2::{Digest, Sha256};
use tonic::Status;
use turnwise_kit::{Fault, client::GrpcClient};
use turnwise_proto::{
    common::v1::ErrorReason,
    session::v1::{
        BeginTurnRequest, CommitEvidenceRequest, CommitTurnRequest, ConfusionTag,
        CreateThreadRequest, DrillCounters, Evidence, GetSnapshotRequest, StudentSnapshot,
        TurnStart, UnitProgress, begin_turn_response, commit_evidence_response::Outcome,
        session_service_client::SessionServiceClient,
    },
    tutor::v1::{MasteryTier, Role, TutorMessage},
};
use turnwise_tests::evidence::as_service;

/// The course of all students.
pub const COURSE: &str = "algebra-foundations";
/// The unit of all grades.
const UNIT: &str = "integers";
const CLASS: &str = "7b";

/// A thread of a student.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thread {
    /// Whose.
    pub student: String,
    /// Its id.
    pub id: String,
}

/// A graded drill, which counts once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grade {
    /// Whose drill.
    pub student: String,
    /// Its name, which nothing else has.
    pub name: String,
    /// The idempotency key. Another one stands for a button that was pressed twice: the drill's nonce alone says then
    /// that it is the same grade.
    pub key: String,
}

/// A turn, which is in its thread once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Where.
    pub thread: Thread,
    /// Its name, which nothing else has.
    pub name: String,
}

/// Opens a thread; tried again with the same student it is the same thread.
pub async fn open_thread(client: &GrpcClient, student: &str) -> Result<Thread, Status> {
    let request = as_service(CreateThreadRequest {
        student_id: student.to_owned(),
        course_id: COURSE.to_owned(),
        class_id: CLASS.to_owned(),
        idempotency_key: format!("thread-of-{student}"),
        body_hash: hash(student),
        ..CreateThreadRequest::default()
    });
    let response = SessionServiceClient::new(client.clone())
        .create_thread(request)
        .await?;
    Ok(Thread {
        student: student.to_owned(),
        id: response.into_inner().thread.unwrap().thread_id,
    })
}

/// A student's record.
pub async fn snapshot(client: &GrpcClient, student: &str) -> Result<StudentSnapshot, Status> {
    let request = as_service(GetSnapshotRequest {
        student_id: student.to_owned(),
        course_id: COURSE.to_owned(),
    });
    let response = SessionServiceClient::new(client.clone())
        .get_snapshot(request)
        .await?;
    Ok(response.into_inner().snapshot.unwrap())
}

/// The unit of all grades in a record; one without grades if there is none.
pub fn graded_unit(snapshot: &StudentSnapshot) -> UnitProgress {
    let evidence = snapshot.evidence.iter();
    let mut units = evidence.flat_map(|evidence| &evidence.unit_progress);
    units.next().cloned().unwrap_or_else(|| UnitProgress {
        unit_id: UNIT.to_owned(),
        mastery_tier: MasteryTier::None.into(),
        drill: Some(DrillCounters::default()),
        ..UnitProgress::default()
    })
}

impl Grade {
    /// What only the command holds that writes it.
    pub fn marker(&self) -> String {
        format!("verdict of {};", self.name)
    }

    /// A grade that is sent under its own key.
    pub fn new(student: &str, name: &str) -> Self {
        Self {
            student: student.to_owned(),
            name: name.to_owned(),
            key: format!("key-{name}"),
        }
    }

    /// Reads the record, counts the grade in it and writes it back, until nobody else has written in between.
    pub async fn send(&self, client: &GrpcClient) -> Result<(), Status> {
        let mut read = snapshot(client, &self.student).await?;
        loop {
            let request = as_service(CommitEvidenceRequest {
                student_id: self.student.clone(),
                course_id: COURSE.to_owned(),
                expected_version: read.evidence_version,
                evidence: Some(self.counted(&read)),
                question_records: Vec::new(),
                idempotency_key: self.key.clone(),
                body_hash: hash(&self.name),
                drill_nonce: format!("nonce-{}", self.name),
                drill_verdict: self.marker().into(),
                ..CommitEvidenceRequest::default()
            });
            let response = SessionServiceClient::new(client.clone())
                .commit_evidence(request)
                .await?;
            match response.into_inner().outcome.unwrap() {
                Outcome::CommittedVersion(version) => {
                    assert!(version > 0);
                    return Ok(());
                }
                Outcome::StoredAnswer(_) => return Ok(()),
                Outcome::AlreadyGraded(verdict) => {
                    assert_eq!(verdict, self.marker());
                    return Ok(());
                }
                Outcome::Conflict(current) => {
                    assert_ne!(current.evidence_version, read.evidence_version);
                    read = current;
                }
            }
        }
    }

    /// The record's evidence with one drill more. The grade's name is its tag, so that it can be found again.
    fn counted(&self, read: &StudentSnapshot) -> Evidence {
        let mut unit = graded_unit(read);
        let drill = unit.drill.get_or_insert_default();
        drill.attempts += 1;
        drill.streak_wrong += 1;
        match unit
            .confusion_tags
            .iter_mut()
            .find(|tag| tag.tag == self.name)
        {
            Some(tag) => tag.count += 1,
            None => unit.confusion_tags.push(ConfusionTag {
                tag: self.name.clone(),
                count: 1,
            }),
        }
        Evidence {
            unit_progress: vec![unit],
            ..Evidence::default()
        }
    }
}

/// A turn that is being taken. Whoever takes it outlives session-svc, as the gateway does.
pub struct TakenTurn {
    pub(super) turn: Turn,
    held: Option<Box<TurnStart>>,
}

impl TakenTurn {
    /// One that has not begun.
    pub fn new(turn: Turn) -> Self {
        Self { turn, held: None }
    }

    /// Takes its thread, unless it holds it already. False if the turn is there already.
    pub async fn begin(&mut self, client: &GrpcClient) -> Result<bool, Status> {
        if self.held.is_some() {
            return Ok(true);
        }
        let request = as_service(BeginTurnRequest {
            student_id: self.turn.thread.student.clone(),
            course_id: COURSE.to_owned(),
            thread_id: self.turn.thread.id.clone(),
            idempotency_key: self.turn.key(),
            body_hash: hash(&self.turn.name),
            ..BeginTurnRequest::default()
        });
        let response = SessionServiceClient::new(client.clone())
            .begin_turn(request)
            .await?;
        match response.into_inner().outcome.unwrap() {
            begin_turn_response::Outcome::StoredAnswer(answer) => {
                assert_eq!(answer, self.turn.marker());
                Ok(false)
            }
            begin_turn_response::Outcome::Start(start) => {
                self.held = Some(Box::new(start));
                Ok(true)
            }
        }
    }

    /// Begins and commits it; goes on from where an earlier try failed.
    pub async fn send(&mut self, client: &GrpcClient) -> Result<(), Status> {
        loop {
            if !self.begin(client).await? {
                return Ok(());
            }
            let start = self.held.as_ref().unwrap();
            let request = as_service(self.turn.commit(start));
            match SessionServiceClient::new(client.clone())
                .commit_turn(request)
                .await
            {
                Ok(_) => return Ok(()),
                Err(status) if reason(&status) == ErrorReason::VersionConflict => self.held = None,
                Err(status) => return Err(status),
            }
        }
    }
}

impl Turn {
    /// What only the command holds that writes it.
    pub fn marker(&self) -> String {
        format!("answer to {};", self.name)
    }

    /// What its two messages say.
    pub fn texts(&self) -> [String; 2] {
        [
            format!("question {}", self.name),
            format!("answer {}", self.name),
        ]
    }

    fn key(&self) -> String {
        format!("key-{}", self.name)
    }

    fn commit(&self, start: &TurnStart) -> CommitTurnRequest {
        let count = start.thread.as_ref().unwrap().message_count;
        let messages = (count + 1..)
            .zip([Role::User, Role::Assistant])
            .zip(self.texts());
        CommitTurnRequest {
            student_id: self.thread.student.clone(),
            course_id: COURSE.to_owned(),
            thread_id: self.thread.id.clone(),
            fencing_token: start.fencing_token,
            idempotency_key: self.key(),
            body_hash: hash(&self.name),
            messages: messages
                .map(|((id, role), text)| TutorMessage {
                    id,
                    thread_id: self.thread.id.clone(),
                    role: role.into(),
                    text,
                    ..TutorMessage::default()
                })
                .collect(),
            answer: self.marker().into(),
            carry: start.carry.clone(),
            ..CommitTurnRequest::default()
        }
    }
}

/// A call that counts once however often it is sent.
pub enum Call {
    /// A grade.
    Grade(Grade),
    /// A turn.
    Turn(TakenTurn),
}

impl Call {
    /// What only the command holds that writes it.
    pub fn marker(&self) -> String {
        match self {
            Self::Grade(grade) => grade.marker(),
            Self::Turn(taken) => taken.turn.marker(),
        }
    }

    /// The same call from somebody who knows nothing of this one.
    pub fn copy(&self) -> Self {
        match self {
            Self::Grade(grade) => Self::Grade(grade.clone()),
            Self::Turn(taken) => Self::Turn(TakenTurn::new(taken.turn.clone())),
        }
    }

    /// Does what comes before the commit.
    pub async fn prepare(&mut self, client: &GrpcClient) -> Result<(), Status> {
        if let Self::Turn(taken) = self {
            assert!(taken.begin(client).await?, "the turn is there already");
        }
        Ok(())
    }

    /// Sends it.
    pub async fn send(&mut self, client: &GrpcClient) -> Result<(), Status> {
        match self {
            Self::Grade(grade) => grade.send(client).await,
            Self::Turn(taken) => taken.send(client).await,
        }
    }
}

/// Why a call was refused.
pub fn reason(status: &Status) -> ErrorReason {
    Fault::from_status(status).reason()
}

fn hash(text: &str) -> prost::bytes::Bytes {
    Sha256::digest(text).to_vec().into()
}
