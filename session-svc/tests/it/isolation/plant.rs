//! Students at work, with their word in every place for text.

use std::collections::BTreeMap;

use bytes::Bytes;
use turnwise_proto::{
    session::v1::{
        AppendEventsRequest, BeginTurnRequest, CommitEvidenceRequest, CommitTurnRequest,
        ContextSlot, CreateThreadRequest, DeferWorkRequest, DueWork, Evidence, GetSnapshotRequest,
        PendingChange, RequestContext, SupplyContextRequest, ThreadKind, TurnStart, TurnState,
        WorkKind, begin_turn_response::Outcome, pending_change::Step,
        pending_interaction::Interaction,
    },
    tutor::v1::Role,
};

use super::{Act, Names, Who, canary};
use crate::{
    bench::{COURSE, event, message, passed, remembered, scope, turn_log},
    grpc::{Service, hash, request_as},
};

/// What everybody has made so far.
#[derive(Default)]
pub struct World {
    pub names: Names,
    threads: BTreeMap<Who, Vec<String>>,
    /// The kinds of threads.
    kinds: BTreeMap<String, ThreadKind>,
    count: usize,
}

impl World {
    /// One student does one thing.
    pub async fn act(&mut self, service: &Service, who: &Who, act: Act) {
        self.count += 1;
        let key = format!("key-{}", self.count);
        let own = |place: usize| {
            let threads = &self.threads[who];
            threads[place % threads.len()].clone()
        };
        match act {
            Act::MakeThread { helper } => self.make_thread(service, who, key, helper).await,
            Act::Turn { thread } => {
                let thread = own(thread);
                self.turn(service, who, key, &thread, None).await;
            }
            Act::Grade => self.grade(service, who, key).await,
            Act::AppendEvent { thread } => {
                let append = AppendEventsRequest {
                    student_id: who.student.to_owned(),
                    thread_id: own(thread),
                    events: vec![event("note", &canary(who))],
                    idempotency_key: key,
                    body_hash: hash(),
                    ..AppendEventsRequest::default()
                };
                let mut session = service.session();
                let appended = session
                    .append_events(request_as(&who.caller(), append))
                    .await;
                appended.unwrap();
            }
            Act::AskForContext { thread } => {
                let thread = own(thread);
                self.ask_for_context(service, who, key, &thread).await;
            }
            Act::Defer { thread } => {
                let work = DueWork {
                    work_id: key,
                    kind: WorkKind::DeferredTurn.into(),
                    student_id: who.student.to_owned(),
                    thread_id: own(thread),
                    subject_id: "key".to_owned(),
                    due_time: Some(prost_types::Timestamp::default()),
                    claims: canary(who).into(),
                    payload: canary(who).into(),
                    tenant: String::new(),
                };
                let defer = DeferWorkRequest { work: Some(work) };
                let mut session = service.session();
                let deferred = session.defer_work(request_as(&who.caller(), defer)).await;
                deferred.unwrap();
            }
        }
    }

    async fn make_thread(&mut self, service: &Service, who: &Who, key: String, helper: bool) {
        let made_with = key.clone();
        let kind = match helper {
            true => ThreadKind::Helper,
            false => ThreadKind::Tutor,
        };
        let create = CreateThreadRequest {
            student_id: who.student.to_owned(),
            course_id: COURSE.to_owned(),
            class_id: who.class.to_owned(),
            title: canary(who),
            idempotency_key: key,
            body_hash: hash(),
            procedure: None,
            kind: kind.into(),
        };
        let mut session = service.session();
        let made = session
            .create_thread(request_as(&who.caller(), create))
            .await;
        let id = made.unwrap().into_inner().thread.unwrap().thread_id;
        self.names.threads.insert(id.clone());
        self.kinds.insert(id.clone(), kind);
        self.names.keys.insert((made_with, None));
        self.threads.entry(who.clone()).or_default().push(id);
    }

    /// Answers what the thread waits for afterwards.
    async fn turn(
        &mut self,
        service: &Service,
        who: &Who,
        key: String,
        thread: &str,
        step: Option<Step>,
    ) -> Option<Interaction> {
        let word = canary(who);
        let mut session = service.session();
        let begin = BeginTurnRequest {
            student_id: who.student.to_owned(),
            course_id: COURSE.to_owned(),
            thread_id: thread.to_owned(),
            idempotency_key: key.clone(),
            body_hash: hash(),
            history_limit: 50,
            memory_scope: scope(1),
            kind: self.kinds[thread].into(),
            in_background: false,
        };
        let begun = session.begin_turn(request_as(&who.caller(), begin)).await;
        let Some(Outcome::Start(start)) = begun.unwrap().into_inner().outcome else {
            panic!("a key came twice");
        };
        let TurnStart {
            thread: Some(found),
            fencing_token,
            carry,
            pending,
            ..
        } = start
        else {
            panic!("a turn without a thread");
        };
        let turn_id = format!("turn-{key}");
        self.names
            .keys
            .insert((key.clone(), Some(thread.to_owned())));
        self.names.turns.insert(turn_id.clone());
        // A thread waits for one thing at a time.
        let step = step.filter(|_| pending.is_none());
        let commit = CommitTurnRequest {
            student_id: who.student.to_owned(),
            course_id: COURSE.to_owned(),
            thread_id: thread.to_owned(),
            fencing_token,
            idempotency_key: key,
            body_hash: hash(),
            turn_state: Some(TurnState {
                focus_unit_id: word.clone(),
                target_unit_id: word.clone(),
                ..TurnState::default()
            }),
            target_locked: false,
            messages: vec![message(thread, found.message_count + 1, Role::User, &word)],
            answer: Bytes::from(word.clone()),
            carry,
            memory_turns: vec![remembered(Role::User, &word)],
            pending_change: step.map(|step| PendingChange { step: Some(step) }),
            escalation: None,
            events: vec![event("turn", &word)],
            turn_log: Some(turn_log(&turn_id, &word)),
            ..CommitTurnRequest::default()
        };
        let committed = session.commit_turn(request_as(&who.caller(), commit)).await;
        committed.unwrap().into_inner().pending?.interaction
    }

    async fn grade(&mut self, service: &Service, who: &Who, key: String) {
        let word = canary(who);
        let mut session = service.session();
        let get = GetSnapshotRequest {
            student_id: who.student.to_owned(),
            course_id: COURSE.to_owned(),
        };
        let read = session.get_snapshot(request_as(&who.caller(), get)).await;
        let nonce = format!("nonce-{key}");
        self.names.nonces.insert(nonce.clone());
        self.names.keys.insert((key.clone(), None));
        let commit = CommitEvidenceRequest {
            student_id: who.student.to_owned(),
            course_id: COURSE.to_owned(),
            expected_version: read
                .unwrap()
                .into_inner()
                .snapshot
                .unwrap()
                .evidence_version,
            evidence: Some(Evidence {
                units_in_progress: vec![word.clone()],
                ..Evidence::default()
            }),
            question_records: vec![passed(&format!("Q-{}-{}", who.tenant, who.student))],
            idempotency_key: key,
            body_hash: hash(),
            drill_nonce: nonce,
            drill_verdict: word.clone().into(),
            answer: word.into(),
            ..CommitEvidenceRequest::default()
        };
        let committed = session
            .commit_evidence(request_as(&who.caller(), commit))
            .await;
        committed.unwrap();
    }

    async fn ask_for_context(&mut self, service: &Service, who: &Who, key: String, thread: &str) {
        let slot = ContextSlot {
            artifact_type: "log".to_owned(),
            key_path: canary(who),
            size_limit: 1000,
            ..ContextSlot::default()
        };
        let step = Step::RequestContext(RequestContext {
            message_id: 1,
            slots: vec![slot.clone(), slot],
            claims: canary(who).into(),
            ..RequestContext::default()
        });
        let pending = self.turn(service, who, key, thread, Some(step)).await;
        let Some(Interaction::ContextRequest(request)) = pending else {
            return;
        };
        self.names
            .requests
            .insert(request.request_id.clone(), thread.to_owned());
        let supply = SupplyContextRequest {
            student_id: who.student.to_owned(),
            thread_id: thread.to_owned(),
            request_id: request.request_id,
            slot: 0,
            artifact_type: "log".to_owned(),
            content: canary(who),
        };
        let mut session = service.session();
        let supplied = session
            .supply_context(request_as(&who.caller(), supply))
            .await;
        supplied.unwrap();
    }
}
