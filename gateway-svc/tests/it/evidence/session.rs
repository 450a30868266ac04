//! A store of evidence that keeps its promises, and fails where a test says.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard},
};

use bytes::Bytes;
use tokio::sync::Barrier;
use tonic::Status;
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    session::v1::{
        BeginEvidenceRequest, BeginEvidenceResponse, CommitEvidenceRequest, CommitEvidenceResponse,
        Evidence, EvidenceStart, GetClassRosterRequest, GetClassRosterResponse, GetSnapshotRequest,
        GetSnapshotResponse, GradedDrill, QuestionRecord, StudentSnapshot, ThreadFocus,
        begin_evidence_response, commit_evidence_response::Outcome,
    },
    tutor::v1::Thread,
};

use super::fake::{Fake, stall};

const SESSION: &str = "turnwise.session.v1.SessionService";
const ADMIN: &str = "turnwise.session.v1.SessionAdminService";

/// How the next commit goes.
pub enum Mishap {
    /// Nothing is written, and nobody answers.
    NotReceived,
    /// It is written, and the answer is lost.
    AnswerLost,
    /// It is written, and the answer never comes.
    Stalled,
    /// Somebody else writes first.
    Overtaken(fn(&mut Kept)),
    /// The student was erased.
    Erased,
}

/// One student's record.
#[derive(Default)]
pub struct Kept {
    pub version: i64,
    pub evidence: Evidence,
    pub records: BTreeMap<String, QuestionRecord>,
    pub answers: HashMap<String, (Bytes, Bytes)>,
    pub nonces: HashMap<String, Bytes>,
    /// The thread's latest graded drill.
    pub graded: Option<GradedDrill>,
    /// Where the thread stands.
    pub thread_focus: Option<ThreadFocus>,
    pub mishaps: VecDeque<Mishap>,
    /// How many commits came in.
    pub commits: usize,
    /// So many begin before any of them goes on.
    pub together: Option<(usize, Arc<Barrier>)>,
}

/// The store. The clones are the same.
#[derive(Clone, Default)]
pub struct Session {
    pub fake: Fake,
    kept: Arc<Mutex<Kept>>,
}

impl Session {
    pub fn start() -> Self {
        let session = Self::default();
        let this = session.clone();
        session.fake.on(
            &format!("{SESSION}/BeginEvidence"),
            move |request: BeginEvidenceRequest| {
                let this = this.clone();
                async move {
                    let begun = this.kept().begin(&request);
                    let together = this.kept().wait_for_others();
                    if let Some(barrier) = together {
                        barrier.wait().await;
                    }
                    begun
                }
            },
        );
        let this = session.clone();
        session.fake.on(
            &format!("{SESSION}/CommitEvidence"),
            move |request: CommitEvidenceRequest| {
                let this = this.clone();
                async move {
                    let committed = this.kept().commit(request);
                    match committed {
                        Some(answer) => answer,
                        None => stall().await,
                    }
                }
            },
        );
        let this = session.clone();
        session.fake.on(
            &format!("{SESSION}/GetSnapshot"),
            move |_: GetSnapshotRequest| {
                let kept = this.kept();
                let response = GetSnapshotResponse {
                    snapshot: Some(kept.snapshot()),
                    question_records: kept.records(),
                };
                async { Ok(response) }
            },
        );
        session.fake.on(
            &format!("{ADMIN}/GetClassRoster"),
            |_: GetClassRosterRequest| async {
                Ok(GetClassRosterResponse {
                    names: vec!["Grace Hopper".to_owned()],
                })
            },
        );
        session
    }

    pub fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap()
    }

    /// So many requests begin before any of them goes on.
    pub fn begin_together(&self, number: usize) {
        self.kept().together = Some((number, Arc::new(Barrier::new(number))));
    }

    pub fn next_commit(&self, mishap: Mishap) {
        self.kept().mishaps.push_back(mishap);
    }

    /// Drills graded in all units.
    pub fn attempts(&self) -> i32 {
        let kept = self.kept();
        let drills = kept.evidence.unit_progress.iter().filter_map(|u| u.drill);
        drills.map(|drill| drill.attempts).sum()
    }
}

impl Kept {
    fn wait_for_others(&mut self) -> Option<Arc<Barrier>> {
        let (left, barrier) = self.together.as_mut()?;
        let barrier = Arc::clone(barrier);
        *left -= 1;
        if *left == 0 {
            self.together = None;
        }
        Some(barrier)
    }

    pub fn snapshot(&self) -> StudentSnapshot {
        StudentSnapshot {
            student_id: "ada".to_owned(),
            course_id: "algebra".to_owned(),
            turn: None,
            evidence: (self.version > 0).then(|| self.evidence.clone()),
            evidence_version: self.version,
            class_placement: false,
            evidence_size: 0,
        }
    }

    fn records(&self) -> Vec<QuestionRecord> {
        self.records.values().cloned().collect()
    }

    fn stored(&self, key: &str, body_hash: &Bytes) -> Result<Option<Bytes>, Status> {
        match self.answers.get(key) {
            Some((hash, answer)) if hash == body_hash => Ok(Some(answer.clone())),
            Some(_) => Err(Fault::new(ErrorReason::IdempotencyConflict, "another body").into()),
            None => Ok(None),
        }
    }

    fn begin(&self, request: &BeginEvidenceRequest) -> Result<BeginEvidenceResponse, Status> {
        assert_eq!(request.body_hash.len(), 32);
        assert_eq!(request.student_id, "ada");
        if request.thread_id != "thread-1" {
            return Err(Fault::new(ErrorReason::UnknownThread, "no such thread").into());
        }
        let outcome = match self.stored(&request.idempotency_key, &request.body_hash)? {
            Some(answer) => begin_evidence_response::Outcome::StoredAnswer(answer),
            None => begin_evidence_response::Outcome::Start(EvidenceStart {
                thread: Some(Thread {
                    thread_id: "thread-1".to_owned(),
                    course_id: "algebra".to_owned(),
                    class_id: "7b".to_owned(),
                    ..Thread::default()
                }),
                snapshot: Some(self.snapshot()),
                question_records: self.records(),
                already_graded: self.nonces.get(&request.drill_nonce).cloned(),
                graded: self.graded.clone().map(Box::new),
                thread_focus: self.thread_focus.clone(),
                ..EvidenceStart::default()
            }),
        };
        Ok(BeginEvidenceResponse {
            outcome: Some(outcome),
        })
    }

    /// `None`: the answer never comes.
    fn commit(
        &mut self,
        request: CommitEvidenceRequest,
    ) -> Option<Result<CommitEvidenceResponse, Status>> {
        self.commits += 1;
        let lost = || Some(Err(Status::unavailable("lost")));
        match self.mishaps.pop_front() {
            None => Some(self.write(request)),
            Some(Mishap::NotReceived) => lost(),
            Some(Mishap::AnswerLost) => {
                self.write(request).unwrap();
                lost()
            }
            Some(Mishap::Stalled) => {
                self.write(request).unwrap();
                None
            }
            Some(Mishap::Overtaken(by)) => {
                by(self);
                self.version += 1;
                Some(self.write(request))
            }
            Some(Mishap::Erased) => Some(Err(Fault::new(
                ErrorReason::TurnErased,
                "the student was erased",
            )
            .into())),
        }
    }

    fn write(&mut self, request: CommitEvidenceRequest) -> Result<CommitEvidenceResponse, Status> {
        assert!(request.answer.len() <= 65_536);
        assert!(request.drill_verdict.len() <= 16_384);
        let key = request.idempotency_key.clone();
        let outcome = if let Some(answer) = self.stored(&key, &request.body_hash)? {
            Outcome::StoredAnswer(answer)
        } else if let Some(verdict) = self.nonces.get(&request.drill_nonce) {
            Outcome::AlreadyGraded(verdict.clone())
        } else if request.expected_version != self.version {
            Outcome::Conflict(self.snapshot())
        } else {
            self.version += 1;
            self.evidence = request.evidence.unwrap();
            for record in request.question_records {
                self.records.insert(record.question_id.clone(), record);
            }
            self.graded = request.graded.or(self.graded.take());
            if !request.drill_nonce.is_empty() {
                self.nonces
                    .insert(request.drill_nonce, request.drill_verdict);
            }
            self.answers
                .insert(key, (request.body_hash, request.answer));
            Outcome::CommittedVersion(self.version)
        };
        let question_records = match outcome {
            Outcome::Conflict(_) => self.records(),
            _ => Vec::new(),
        };
        Ok(CommitEvidenceResponse {
            outcome: Some(outcome),
            question_records,
        })
    }
}
