//! Threads with as much supplied as the limits allow: whatever is done with them goes through a client that reads no more
//! than the gateway's.

use std::{collections::BTreeSet, sync::Arc};

use bytes::Bytes;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tonic::{Code, service::Routes};
use turnwise_kit::{
    Caller, Kit,
    sizes::{INTERNAL_MESSAGE, PUBLIC_MESSAGE},
};
use turnwise_proto::{
    classes::v1::ResetState,
    school::v1::{
        EraseStudentRequest, ExportStudentRequest,
        student_records_service_client::StudentRecordsServiceClient,
    },
    session::v1::{
        AnswerContextRequest, BeginTurnRequest, CommitTurnRequest, ContextRequest,
        ContextRequestState, ContextSlot, GetThreadRequest, ListContextRequestsRequest,
        ListEventsRequest, PendingChange, ReadContextPayloadRequest, RequestContext,
        ResetClassRequest, SupplyContextRequest, TurnStart, begin_turn_response,
        pending_change::Step, pending_interaction::Interaction,
        session_admin_service_client::SessionAdminServiceClient,
        session_service_client::SessionServiceClient,
    },
    tutor::v1::Role,
};
use turnwise_session_store::{Key, Write};
use turnwise_session_svc::routes_over;

use crate::{
    bench::{
        Bench, CLASS, COURSE, THREADS, begin_in, full_commit, kind_of, make_thread, message,
        started,
    },
    cases,
    grpc::{hash, request_as},
};

cases!(
    #[tokio::test]
    a_thread_with_the_most_and_largest_payloads_is_only_a_thread,
    pages_of_long_messages_are_shorter,
    a_payload_is_what_was_supplied_last,
    what_cannot_be_read_of_a_payload_is_left_out_and_counted,
);

/// The most slots of a request, and the most bytes of what is supplied for one.
const SLOTS: i32 = 20;
const LARGEST: usize = 262_144;
const REQUESTS: usize = 3;
const THREAD: &str = "t1";

/// Clients with the limits that the gateway's have.
struct Clients {
    session: SessionServiceClient<Routes>,
    admin: SessionAdminServiceClient<Routes>,
    records: StudentRecordsServiceClient<Routes>,
    tenant: String,
}

impl Clients {
    fn of(bench: &Bench) -> Self {
        let kit = Kit::new(Arc::clone(&bench.clock) as _);
        let routes = routes_over(bench.sessions().clone(), &kit).prepare();
        Self {
            session: SessionServiceClient::new(routes.clone())
                .max_decoding_message_size(INTERNAL_MESSAGE),
            admin: SessionAdminServiceClient::new(routes.clone())
                .max_decoding_message_size(INTERNAL_MESSAGE),
            // What it answers goes on to the public port.
            records: StudentRecordsServiceClient::new(routes)
                .max_decoding_message_size(PUBLIC_MESSAGE),
            tenant: bench.tenant.clone(),
        }
    }

    fn by<T>(&self, role: &str, subject: &str, message: T) -> tonic::Request<T> {
        let caller = Caller {
            tenant: self.tenant.clone(),
            subject: subject.to_owned(),
            role: role.to_owned(),
            groups: vec![CLASS.to_owned()],
        };
        request_as(&caller, message)
    }

    async fn begin(&mut self, key: &str) -> TurnStart {
        let begin = BeginTurnRequest {
            student_id: "ada".to_owned(),
            course_id: COURSE.to_owned(),
            thread_id: THREAD.to_owned(),
            idempotency_key: key.to_owned(),
            body_hash: hash(),
            history_limit: 50,
            memory_scope: Bytes::new(),
            kind: kind_of(THREAD).into(),
            in_background: false,
        };
        let begin = self.by("student", "ada", begin);
        let begun = self.session.begin_turn(begin).await.unwrap();
        match begun.into_inner().outcome.unwrap() {
            begin_turn_response::Outcome::Start(start) => start,
            begin_turn_response::Outcome::StoredAnswer(answer) => panic!("{answer:?}"),
        }
    }

    /// A turn with a step; answers what the thread waits for then.
    async fn turn(&mut self, key: &str, step: Step) -> Option<Interaction> {
        let start = self.begin(key).await;
        let id = start.thread.unwrap().message_count + 1;
        let commit = CommitTurnRequest {
            student_id: "ada".to_owned(),
            course_id: COURSE.to_owned(),
            thread_id: THREAD.to_owned(),
            fencing_token: start.fencing_token,
            idempotency_key: key.to_owned(),
            body_hash: hash(),
            messages: vec![message(THREAD, id, Role::User, key)],
            carry: start.carry,
            pending_change: Some(PendingChange { step: Some(step) }),
            ..CommitTurnRequest::default()
        };
        let commit = self.by("student", "ada", commit);
        let committed = self.session.commit_turn(commit).await.unwrap();
        committed.into_inner().pending?.interaction
    }

    /// A turn that asks for so many artifacts of the largest size; answers the request's id.
    async fn ask(&mut self, key: &str, slots: i32) -> String {
        let slot = ContextSlot {
            artifact_type: "log".to_owned(),
            size_limit: i32::try_from(LARGEST).unwrap(),
            ..ContextSlot::default()
        };
        let asks = Step::RequestContext(RequestContext {
            message_id: 1,
            slots: (0..slots).map(|_| slot.clone()).collect(),
            claims: vec![7; 16_384].into(),
            ..RequestContext::default()
        });
        match self.turn(key, asks).await {
            Some(Interaction::ContextRequest(request)) => request.request_id,
            other => panic!("{other:?}"),
        }
    }

    async fn supply(&mut self, request_id: &str, slot: i32, content: String) -> ContextRequest {
        let supply = SupplyContextRequest {
            student_id: "ada".to_owned(),
            thread_id: THREAD.to_owned(),
            request_id: request_id.to_owned(),
            slot,
            artifact_type: "log".to_owned(),
            content,
        };
        let supply = self.by("teacher", "tess", supply);
        let supplied = self.session.supply_context(supply).await.unwrap();
        supplied.into_inner().context_request.unwrap()
    }

    /// Asks for all that can be asked for, is supplied with it, and closes the request.
    async fn fill(&mut self, number: usize) -> ContextRequest {
        let id = self.ask(&format!("ask-{number}"), SLOTS).await;
        for slot in 0..SLOTS {
            let supplied = self.supply(&id, slot, payload(number, slot)).await;
            assert_eq!(supplied.sources.len(), usize::try_from(slot).unwrap() + 1);
            if slot == SLOTS - 2 {
                self.begin_and_abandon().await;
            }
        }
        let waits = self.begin_and_abandon().await.unwrap();
        assert_eq!(waits.state(), ContextRequestState::Satisfied);
        for source in &waits.sources {
            let expected = payload(number, source.slot);
            assert_eq!(usize::try_from(source.size_bytes).unwrap(), expected.len());
            assert_eq!(source.sha256[..], Sha256::digest(&expected)[..]);
            assert_eq!(self.read(&id, source.slot).await.unwrap(), expected);
        }
        let closes = Step::AnswerContextRequest(AnswerContextRequest {
            request_id: id,
            turn_id: "t1".to_owned(),
        });
        assert_eq!(self.turn(&format!("answer-{number}"), closes).await, None);
        waits
    }

    /// What a turn reads that the thread waits for.
    async fn begin_and_abandon(&mut self) -> Option<ContextRequest> {
        let start = self.begin("look").await;
        let abandon = turnwise_proto::session::v1::AbandonTurnRequest {
            student_id: "ada".to_owned(),
            thread_id: THREAD.to_owned(),
            fencing_token: start.fencing_token,
        };
        let abandon = self.by("student", "ada", abandon);
        self.session.abandon_turn(abandon).await.unwrap();
        match start.pending?.interaction? {
            Interaction::ContextRequest(request) => Some(request),
            Interaction::Clarification(other) => panic!("{other:?}"),
        }
    }

    async fn read(&mut self, request_id: &str, slot: i32) -> Result<String, tonic::Status> {
        let read = ReadContextPayloadRequest {
            student_id: "ada".to_owned(),
            thread_id: THREAD.to_owned(),
            request_id: request_id.to_owned(),
            slot,
        };
        let read = self.by("student", "ada", read);
        let read = self.session.read_context_payload(read).await?.into_inner();
        assert_eq!(read.source.unwrap().slot, slot);
        Ok(read.content)
    }

    /// A page of requests, and the token of the next.
    async fn list(
        &mut self,
        page_size: i32,
        page_token: &str,
        subject: &str,
    ) -> Result<(Vec<ContextRequest>, String), tonic::Status> {
        let list = ListContextRequestsRequest {
            student_id: "ada".to_owned(),
            thread_id: THREAD.to_owned(),
            page_size,
            page_token: page_token.to_owned(),
        };
        let role = if subject == "ada" {
            "student"
        } else {
            "service"
        };
        let list = self.by(role, subject, list);
        let page = self.session.list_context_requests(list).await?.into_inner();
        Ok((page.context_requests, page.next_page_token))
    }

    /// Both lists of what was said hold this many entries.
    async fn said(&mut self, messages: usize) {
        let get = GetThreadRequest {
            student_id: "ada".to_owned(),
            thread_id: THREAD.to_owned(),
            page_size: 200,
            ..GetThreadRequest::default()
        };
        let get = self.by("student", "ada", get);
        let thread = self.session.get_thread(get).await.unwrap().into_inner();
        assert_eq!(thread.messages.len(), messages);
        let list = ListEventsRequest {
            student_id: "ada".to_owned(),
            thread_id: THREAD.to_owned(),
            page_size: 200,
            ..ListEventsRequest::default()
        };
        let list = self.by("student", "ada", list);
        let events = self.session.list_events(list).await.unwrap().into_inner();
        assert!(events.events.len() >= messages);
    }

    async fn export(&mut self) -> Value {
        let export = ExportStudentRequest {
            student_id: "ada".to_owned(),
        };
        let export = self.by("staff", "principal", export);
        let pieces = self.records.export_student(export).await.unwrap();
        let (mut pieces, mut text) = (pieces.into_inner(), Vec::new());
        while let Some(piece) = pieces.message().await.unwrap() {
            text.extend_from_slice(&piece.json);
        }
        serde_json::from_slice(&text).unwrap()
    }
}

/// A text of the largest size, another for each slot, that is hardly shorter when compressed and holds nothing to redact.
fn payload(request: usize, slot: i32) -> String {
    let mut state = u64::try_from(request).unwrap() * 1000 + u64::try_from(slot).unwrap();
    let mut text = format!("payload-{request}-{slot} ");
    while text.len() < LARGEST {
        // A linear congruential generator; its high bits are the random ones.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let letter = b'a' + u8::try_from((state >> 33) % 26).unwrap();
        text.push(if (state >> 40) % 8 == 0 {
            ' '
        } else {
            char::from(letter)
        });
    }
    text
}

/// All contents of a list of payloads in JSON.
fn contents(payloads: &Value) -> BTreeSet<String> {
    let payloads = payloads.as_array().unwrap().iter();
    payloads
        .map(|payload| payload["content"].as_str().unwrap().to_owned())
        .collect()
}

async fn a_thread_with_the_most_and_largest_payloads_is_only_a_thread(bench: &mut Bench) {
    make_thread(bench.sessions(), &bench.student("ada"), THREAD).await;
    let mut clients = Clients::of(bench);
    let mut ids = Vec::new();
    for number in 0..REQUESTS {
        ids.push(clients.fill(number).await.request_id);
    }
    let all: BTreeSet<_> = (0..REQUESTS)
        .flat_map(|number| (0..SLOTS).map(move |slot| payload(number, slot)))
        .collect();

    // Listed, whole and in pages, which are the caller's own.
    let (whole, end) = clients.list(0, "", "ada").await.unwrap();
    let listed: Vec<_> = whole.iter().map(|request| &request.request_id).collect();
    assert_eq!(listed, ids.iter().collect::<Vec<_>>());
    assert_eq!(end, "");
    let (first, token) = clients.list(2, "", "ada").await.unwrap();
    let (rest, end) = clients.list(2, &token, "ada").await.unwrap();
    assert_eq!(([first, rest].concat(), end), (whole, String::new()));
    let foreign = clients.list(2, &token, "gateway").await.unwrap_err();
    assert_eq!(foreign.code(), Code::InvalidArgument);

    // Read.
    clients.said(2 * REQUESTS).await;
    let closed = clients.read(&ids[0], SLOTS - 1).await.unwrap();
    assert_eq!(closed, payload(0, SLOTS - 1));
    let none = clients.read(&ids[0], SLOTS).await.unwrap_err();
    assert_eq!(none.code(), Code::InvalidArgument);
    let none = clients.read("another", 0).await.unwrap_err();
    assert_eq!(none.code(), Code::FailedPrecondition);

    // Exported.
    let exported = clients.export().await["threads"][0].take();
    assert_eq!(
        exported["context_requests"].as_array().unwrap().len(),
        REQUESTS
    );
    assert!(contents(&exported["context_payloads"]) == all);

    // Archived by a reset, and then gone.
    let reset = ResetClassRequest {
        class_id: CLASS.to_owned(),
        reason: "new term".to_owned(),
        idempotency_key: "reset".to_owned(),
        wait_ms: 600_000,
    };
    let reset = clients.by("staff", "principal", reset);
    let reset = clients.admin.reset_class(reset).await.unwrap().into_inner();
    assert_eq!(reset.state(), ResetState::Done);
    let archived = bench.archived();
    let lines: Vec<_> = archived
        .iter()
        .filter(|body| body.get("payloads").is_some())
        .collect();
    assert_eq!(lines.len(), REQUESTS);
    let texts = lines.iter().flat_map(|line| contents(&line["payloads"]));
    assert!(texts.collect::<BTreeSet<_>>() == all);
    assert_eq!(bench.dump().holding("payload-"), [""; 0]);
    assert_eq!(clients.list(0, "", "ada").await.unwrap().0, []);

    // Filled again, and erased.
    clients.fill(REQUESTS).await;
    assert!(!bench.dump().holding("payload-").is_empty());
    let erase = EraseStudentRequest {
        student_id: "ada".to_owned(),
        reason: String::new(),
    };
    let erase = clients.by("staff", "principal", erase);
    let erased = clients.records.erase_student(erase).await.unwrap();
    let lines = i64::try_from(1 + REQUESTS).unwrap();
    assert_eq!(erased.into_inner().archive_records, lines);
    assert_eq!(bench.dump().holding("payload-"), [""; 0]);
}

async fn pages_of_long_messages_are_shorter(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, THREAD).await;
    // A hundred answers as long as a model gives them, in characters of three bytes.
    let long = "語".repeat(32_000);
    for number in 0..5 {
        let key = format!("k{number}");
        let start = started(sessions, &ada, begin_in(THREAD, &key, 1)).await;
        let mut turn = full_commit(&start, &key, &key);
        let first = turn.messages[0].id;
        turn.messages = (first..first + 20)
            .map(|id| message(THREAD, id, Role::Assistant, &long))
            .collect();
        turn.turn_log = None;
        sessions.commit_turn(&ada, turn).await.unwrap();
    }
    let mut clients = Clients::of(bench);
    let mut public = clients
        .session
        .clone()
        .max_decoding_message_size(PUBLIC_MESSAGE);
    let (mut token, mut ids) = (String::new(), Vec::new());
    loop {
        let get = GetThreadRequest {
            student_id: "ada".to_owned(),
            thread_id: THREAD.to_owned(),
            page_size: 200,
            page_token: token,
            ..GetThreadRequest::default()
        };
        let get = clients.by("student", "ada", get);
        let page = public.get_thread(get).await.unwrap().into_inner();
        ids.extend(page.messages.iter().map(|message| message.id));
        token = page.next_page_token;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(ids, (1..=100).collect::<Vec<_>>());
    let (mut after_id, mut heard) = (0, Vec::new());
    loop {
        let list = ListEventsRequest {
            student_id: "ada".to_owned(),
            thread_id: THREAD.to_owned(),
            page_size: 200,
            after_id,
            ..ListEventsRequest::default()
        };
        let list = clients.by("student", "ada", list);
        let page = public.list_events(list).await.unwrap().into_inner();
        after_id = page.events.last().unwrap().id;
        let messages = page.events.into_iter().filter_map(|event| event.message);
        heard.extend(messages.map(|message| message.id));
        if !page.more {
            break;
        }
    }
    assert_eq!(heard, ids);
    // The longest past that a turn may ask for.
    let start = clients.begin("begun").await;
    assert_eq!(start.recent_messages.len(), 50);
}

async fn a_payload_is_what_was_supplied_last(bench: &mut Bench) {
    make_thread(bench.sessions(), &bench.student("ada"), THREAD).await;
    let mut clients = Clients::of(bench);
    let id = clients.ask("ask", 2).await;
    let nothing = clients.read(&id, 0).await.unwrap_err();
    assert_eq!(nothing.code(), Code::InvalidArgument);
    let first = clients.supply(&id, 0, "the former text".to_owned()).await;
    let second = clients.supply(&id, 0, "second one".to_owned()).await;
    assert_eq!(second.sources.len(), 1);
    assert_eq!(
        (first.sources[0].size_bytes, second.sources[0].size_bytes),
        (15, 10)
    );
    assert_ne!(first.sources[0].sha256, second.sources[0].sha256);
    assert_eq!(clients.read(&id, 0).await.unwrap(), "second one");
    assert_eq!(bench.dump().holding("the former text"), [""; 0]);
    // They are kept as long as what the thread waits for.
    for name in ["interactions:*", "requests:*", "payloads:*"] {
        bench.runs_out(name, THREADS);
    }
}

async fn what_cannot_be_read_of_a_payload_is_left_out_and_counted(bench: &mut Bench) {
    let ada = bench.student("ada");
    make_thread(bench.sessions(), &ada, THREAD).await;
    let mut clients = Clients::of(bench);
    let id = clients.ask("ask", 3).await;
    clients.supply(&id, 0, "is damaged".to_owned()).await;
    clients.supply(&id, 1, "is readable".to_owned()).await;
    let damage = Write::Put {
        key: Key::new(format!("payloads:{THREAD}")),
        fields: vec![(format!("{id}:0").into(), Bytes::from_static(b"damage"))],
    };
    bench.write(&bench.partition(&ada).await, damage).await;
    let damaged = clients.read(&id, 0).await.unwrap_err();
    assert_eq!(damaged.code(), Code::DataLoss);
    // The thread goes on.
    let waits = clients.begin_and_abandon().await.unwrap();
    assert_eq!(waits.sources.len(), 2);
    bench.reset().await;
    assert_eq!(bench.audited().await[0].facts["unreadable_records"], "1");
    let archived = bench.archived();
    let line = archived.iter().find(|body| body.get("payloads").is_some());
    let line = line.unwrap();
    assert_eq!(line["unreadable"], 1);
    assert_eq!(line["context_request"]["requestId"], *id);
    assert_eq!(
        line["payloads"],
        json!([{"slot": 1, "content": "is readable"}])
    );
}
