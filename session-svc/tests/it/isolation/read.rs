//! Every call that could answer something of somebody, as every kind of reader.

use std::{fmt::Write, fs, sync::LazyLock, time::Duration};

use bytes::Bytes;
use prost_reflect::DescriptorPool;
use turnwise_kit::{CallContext, Caller};
use turnwise_proto::school::v1::{ExportStudentRequest, ListAuditEntriesRequest};
use turnwise_proto::session::v1::{
    AppendEventsRequest, BeginEvidenceRequest, BeginTurnRequest, ChangeContextRequestRequest,
    CommitEvidenceRequest, CommitTurnRequest, ContextRequestChange, CreateThreadRequest, Evidence,
    ExportClassRequest, GetClassRosterRequest, GetSnapshotRequest, GetThreadRequest,
    GetTurnLogRequest, ListContextRequestsRequest, ListEventsRequest, ListThreadsRequest,
    ReadContextPayloadRequest, ResetClassRequest, SupplyContextRequest, ThreadKind,
    WatchEventsRequest,
};

use super::{Names, Who};
use crate::{
    bench::{COURSE, event, message, scope},
    grpc::{Service, hash, request_as},
};

/// What a thread may be for, as the contract lists it.
static KINDS: LazyLock<Vec<ThreadKind>> = LazyLock::new(|| {
    let pool = DescriptorPool::decode(turnwise_proto::DESCRIPTORS).unwrap();
    let kinds = pool.get_enum_by_name("turnwise.session.v1.ThreadKind");
    let kinds = kinds.unwrap();
    let numbers: Vec<_> = kinds.values().map(|kind| kind.number()).collect();
    // By this the service knows all of them.
    assert!((0..).zip(&numbers).all(|(place, number)| place == *number));
    let set = numbers.into_iter().skip(1);
    set.map(|number| ThreadKind::try_from(number).unwrap())
        .collect()
});

/// Where a reader can look.
pub struct Reach<'a> {
    pub service: &'a Service,
    pub names: &'a Names,
}

/// Everything that calls answered, errors too.
#[derive(Default)]
struct Seen(String);

impl Seen {
    fn add(&mut self, answer: &impl std::fmt::Debug) {
        let text = format!("{answer:?}\n");
        // Opaque bytes are shown with escapes, and errors with their details.
        self.0.push_str(&text.replace("\\\"", "\""));
    }
}

impl Reach<'_> {
    /// All that a student can call, about a student of this name.
    pub async fn as_student(&self, who: &Who, student: &str) -> String {
        let caller = &who.caller();
        let mut seen = Seen::default();
        self.about(caller, student, &mut seen).await;
        // Whoever names somebody else is refused before anything is looked at.
        let threads = if student == who.student {
            usize::MAX
        } else {
            2
        };
        for thread in self.names.threads.iter().take(threads) {
            self.about_thread(caller, student, thread, &mut seen).await;
        }
        let mut session = self.service.session();
        for turn_id in &self.names.turns {
            let log = GetTurnLogRequest {
                student_id: student.to_owned(),
                turn_id: turn_id.clone(),
            };
            seen.add(&session.get_turn_log(request_as(caller, log)).await);
        }
        // Keys and nonces of others, with what they were used for, and before anything else of this reader's.
        if student == who.student {
            self.reuse(who, &mut seen).await;
        }
        seen.0
    }

    async fn about(&self, caller: &Caller, student: &str, seen: &mut Seen) {
        let mut session = self.service.session();
        let student_id = student.to_owned();
        for kind in KINDS.iter().copied() {
            let list = ListThreadsRequest {
                student_id: student_id.clone(),
                page_size: 100,
                page_token: String::new(),
                kind: kind.into(),
            };
            seen.add(&session.list_threads(request_as(caller, list)).await);
        }
        let get = GetSnapshotRequest {
            student_id,
            course_id: COURSE.to_owned(),
        };
        seen.add(&session.get_snapshot(request_as(caller, get)).await);
    }

    async fn about_thread(&self, caller: &Caller, student: &str, thread: &str, seen: &mut Seen) {
        let mut session = self.service.session();
        let (student_id, thread_id) = (student.to_owned(), thread.to_owned());
        for kind in KINDS.iter().copied() {
            let get = GetThreadRequest {
                student_id: student_id.clone(),
                thread_id: thread_id.clone(),
                page_size: 200,
                page_token: String::new(),
                kind: kind.into(),
            };
            seen.add(&session.get_thread(request_as(caller, get)).await);
            let key = format!("look-{student}-{thread}");
            let begin = self.begin(student, kind, thread, &key);
            seen.add(&session.begin_turn(request_as(caller, begin)).await);
        }
        let list = ListEventsRequest {
            student_id: student_id.clone(),
            thread_id: thread_id.clone(),
            page_size: 200,
            ..ListEventsRequest::default()
        };
        let listed = session.list_events(request_as(caller, list)).await;
        // A watch of an empty log waits.
        let empty = matches!(&listed, Ok(page) if page.get_ref().events.is_empty());
        seen.add(&listed);
        let watch = WatchEventsRequest {
            student_id: student_id.clone(),
            thread_id: thread_id.clone(),
            after_id: 0,
        };
        match session.watch_events(request_as(caller, watch)).await {
            Ok(stream) if !empty => seen.add(&stream.into_inner().message().await),
            Ok(_) => {}
            Err(status) => seen.add(&status),
        }
        let list = ListContextRequestsRequest {
            student_id: student_id.clone(),
            thread_id: thread_id.clone(),
            ..ListContextRequestsRequest::default()
        };
        seen.add(
            &session
                .list_context_requests(request_as(caller, list))
                .await,
        );
        let requests = self.names.requests.iter();
        let (here, elsewhere): (Vec<_>, Vec<_>) = requests.partition(|(_, of)| *of == thread);
        // Requests of other threads all get the same answer.
        for (request_id, _) in here.into_iter().chain(elsewhere.into_iter().take(2)) {
            let change = ChangeContextRequestRequest {
                student_id: student_id.clone(),
                thread_id: thread_id.clone(),
                request_id: request_id.clone(),
                change: ContextRequestChange::Skip.into(),
            };
            seen.add(
                &session
                    .change_context_request(request_as(caller, change))
                    .await,
            );
            for slot in 0..2 {
                let read = ReadContextPayloadRequest {
                    student_id: student_id.clone(),
                    thread_id: thread_id.clone(),
                    request_id: request_id.clone(),
                    slot,
                };
                seen.add(&session.read_context_payload(request_as(caller, read)).await);
            }
            let supply = SupplyContextRequest {
                student_id: student_id.clone(),
                thread_id: thread_id.clone(),
                request_id: request_id.clone(),
                slot: 9,
                ..SupplyContextRequest::default()
            };
            seen.add(&session.supply_context(request_as(caller, supply)).await);
        }
        for nonce in self.names.nonces.iter().take(3) {
            let key = format!("look-{student}-{thread}");
            let begin = begin_evidence(student, thread, &key, nonce);
            seen.add(&session.begin_evidence(request_as(caller, begin)).await);
        }
        let commit = CommitTurnRequest {
            student_id: student_id.clone(),
            course_id: COURSE.to_owned(),
            thread_id: thread_id.clone(),
            fencing_token: 1,
            idempotency_key: "forged".to_owned(),
            body_hash: hash(),
            messages: vec![message(thread, 1, Default::default(), "")],
            ..CommitTurnRequest::default()
        };
        seen.add(&session.commit_turn(request_as(caller, commit)).await);
    }

    fn begin(&self, student: &str, kind: ThreadKind, thread: &str, key: &str) -> BeginTurnRequest {
        BeginTurnRequest {
            student_id: student.to_owned(),
            course_id: COURSE.to_owned(),
            thread_id: thread.to_owned(),
            idempotency_key: key.to_owned(),
            body_hash: hash(),
            history_limit: 50,
            memory_scope: scope(1),
            kind: kind.into(),
            in_background: false,
        }
    }

    /// Sends what others sent, as oneself.
    async fn reuse(&self, who: &Who, seen: &mut Seen) {
        let caller = &who.caller();
        let mut session = self.service.session();
        let student_id = who.student.to_owned();
        for (key, used_for) in &self.names.keys {
            if let Some(thread) = used_for {
                for kind in KINDS.iter().copied() {
                    let begin = self.begin(who.student, kind, thread, key);
                    seen.add(&session.begin_turn(request_as(caller, begin)).await);
                }
                continue;
            }
            for thread in self.names.threads.iter().take(3) {
                let begin = begin_evidence(who.student, thread, key, "");
                seen.add(&session.begin_evidence(request_as(caller, begin)).await);
            }
            let create = CreateThreadRequest {
                student_id: student_id.clone(),
                course_id: COURSE.to_owned(),
                class_id: who.class.to_owned(),
                title: String::new(),
                idempotency_key: key.clone(),
                body_hash: hash(),
                procedure: None,
                kind: 0,
            };
            seen.add(&session.create_thread(request_as(caller, create)).await);
            let append = AppendEventsRequest {
                student_id: student_id.clone(),
                thread_id: self.names.threads.iter().next().unwrap().clone(),
                events: vec![event("note", "")],
                idempotency_key: key.clone(),
                body_hash: hash(),
                ..AppendEventsRequest::default()
            };
            seen.add(&session.append_events(request_as(caller, append)).await);
        }
        for (number, nonce) in self.names.nonces.iter().enumerate() {
            let commit = CommitEvidenceRequest {
                student_id: student_id.clone(),
                course_id: COURSE.to_owned(),
                expected_version: 1_000_000,
                evidence: Some(Evidence::default()),
                idempotency_key: format!("reuse-{number}"),
                body_hash: hash(),
                drill_nonce: nonce.clone(),
                drill_verdict: Bytes::new(),
                ..CommitEvidenceRequest::default()
            };
            seen.add(&session.commit_evidence(request_as(caller, commit)).await);
        }
    }

    /// What staff of the tenant learn about one student, and from the audit log.
    pub async fn as_staff(&self, who: &Who) -> String {
        let staff = &who.staff();
        let mut seen = Seen::default();
        self.about(staff, who.student, &mut seen).await;
        for thread in &self.names.threads {
            self.about_thread(staff, who.student, thread, &mut seen)
                .await;
        }
        let mut records = self.service.records();
        let export = ExportStudentRequest {
            student_id: who.student.to_owned(),
        };
        let exported = records.export_student(request_as(staff, export)).await;
        seen.0
            .push_str(&whole(exported.unwrap().into_inner()).await);
        let audit = ListAuditEntriesRequest::default();
        seen.add(&records.list_audit_entries(request_as(staff, audit)).await);
        seen.0
    }

    /// What a teacher of the student's class learns from an export of it, and from its other classes' refusals.
    pub async fn as_teacher(&self, who: &Who) -> String {
        let mut seen = Seen::default();
        let mut teacher = who.staff();
        teacher.role = "teacher".to_owned();
        let mut admin = self.service.admin();
        for class in ["7", "7b", "7b.x", "7c"] {
            let class_id = class.to_owned();
            let export = ExportClassRequest {
                class_id: class_id.clone(),
                idempotency_key: uuid::Uuid::new_v4().to_string(),
            };
            let exported = admin.export_class(request_as(&teacher, export)).await;
            assert_eq!(exported.is_ok(), class == who.class);
            if let Ok(exported) = exported {
                let name = exported.into_inner().archive_name;
                let archives = self.service.directory.path().join("helper_reset_exports");
                seen.0
                    .push_str(&fs::read_to_string(archives.join(name)).unwrap());
            }
            let roster = GetClassRosterRequest { class_id };
            seen.add(&admin.get_class_roster(request_as(&teacher, roster)).await);
        }
        self.about(&teacher, who.student, &mut seen).await;
        seen.0
    }

    /// What staff of another tenant, and a teacher of other classes, learn about a student.
    pub async fn as_stranger(&self, who: &Who) -> String {
        let mut seen = Seen::default();
        let (mut admin, mut records) = (self.service.admin(), self.service.records());
        let mut stranger = who.staff();
        stranger.tenant = "elsewhere".to_owned();
        let mut other = who.staff();
        other.role = "teacher".to_owned();
        other.groups = vec!["8a".to_owned()];
        for caller in [&stranger, &other] {
            self.about(caller, who.student, &mut seen).await;
            for thread in self.names.threads.iter().take(2) {
                self.about_thread(caller, who.student, thread, &mut seen)
                    .await;
            }
            let export = ExportStudentRequest {
                student_id: who.student.to_owned(),
            };
            match records.export_student(request_as(caller, export)).await {
                Ok(stream) => seen.0.push_str(&whole(stream.into_inner()).await),
                Err(status) => seen.add(&status),
            }
            let audit = ListAuditEntriesRequest::default();
            seen.add(&records.list_audit_entries(request_as(caller, audit)).await);
            let reset = ResetClassRequest {
                class_id: who.class.to_owned(),
                reason: String::new(),
                idempotency_key: uuid::Uuid::new_v4().to_string(),
                ..ResetClassRequest::default()
            };
            let context = CallContext::background(Some(caller.clone()), Duration::from_secs(30));
            seen.add(&admin.reset_class(context.request(reset)).await);
        }
        seen.0
    }
}

fn begin_evidence(student: &str, thread: &str, key: &str, nonce: &str) -> BeginEvidenceRequest {
    BeginEvidenceRequest {
        student_id: student.to_owned(),
        course_id: COURSE.to_owned(),
        thread_id: thread.to_owned(),
        idempotency_key: key.to_owned(),
        body_hash: hash(),
        drill_nonce: nonce.to_owned(),
        kind: 0,
    }
}

/// A whole export as text.
async fn whole(
    mut stream: tonic::Streaming<turnwise_proto::school::v1::ExportStudentResponse>,
) -> String {
    let mut text = String::new();
    while let Some(piece) = stream.message().await.unwrap() {
        write!(text, "{}", String::from_utf8_lossy(&piece.json)).unwrap();
    }
    text
}
