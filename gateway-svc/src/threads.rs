//! The tutor's threads of a student: opened, listed, read. Those of other kinds are not among them.

use turnwise_kit::{CallContext, Caller, Fault, ids, page};
use turnwise_proto::{
    policy::v1::GetCourseRequest,
    session::v1::{self as session, ThreadKind},
    tutor::v1::{
        CreateThreadRequest, CreateThreadResponse, GetThreadRequest, GetThreadResponse,
        ListThreadsRequest, ListThreadsResponse,
    },
};

use crate::{
    access::foreign_class,
    conversation::{Core, Request, request_hash},
    upstream::Step,
};

/// The most characters of a thread's title.
const TITLE_MAX_CHARS: usize = 200;

/// Opens a thread in a class of the caller's.
pub(crate) async fn create(
    core: &Core,
    context: &CallContext,
    caller: &Caller,
    request: CreateThreadRequest,
) -> Result<CreateThreadResponse, Fault> {
    ids::check("course_id", &request.course_id)?;
    ids::check("class_id", &request.class_id)?;
    ids::check_key("idempotency_key", &request.idempotency_key)?;
    if !caller.groups.contains(&request.class_id) {
        return Err(foreign_class());
    }
    if request.title.chars().count() > TITLE_MAX_CHARS
        || request.title.chars().any(char::is_control)
    {
        return Err(Fault::invalid(
            "title",
            format!("must have at most {TITLE_MAX_CHARS} characters and no control characters"),
        ));
    }
    // The store does not know courses; the policy does.
    let step = Step::Policy.of(context);
    core.upstreams
        .policy
        .clone()
        .get_course(step.request(GetCourseRequest {
            course_id: request.course_id.clone(),
        }))
        .await
        .map_err(|status| step.fault(&status))?;
    let body_hash = request_hash("CreateThread", request.clone(), |r| &mut r.idempotency_key);
    let hit = core.met([request.title.as_str()]);
    let stopped = hit.as_ref().filter(|hit| hit.stops);
    let new = session::CreateThreadRequest {
        student_id: caller.subject.clone(),
        course_id: request.course_id.clone(),
        class_id: request.class_id,
        title: match stopped {
            None => request.title,
            Some(_) => String::new(),
        },
        idempotency_key: request.idempotency_key.clone(),
        body_hash: body_hash.clone(),
        kind: ThreadKind::Tutor.into(),
        procedure: None,
    };
    let step = Step::Session.of(context);
    let thread = core
        .upstreams
        .session
        .clone()
        .create_thread(step.request(new))
        .await
        .map_err(|status| step.fault(&status))?
        .into_inner()
        .thread;
    let mut guardrail_text = String::new();
    if let (Some(hit), Some(thread)) = (&hit, &thread) {
        let about = Request {
            context,
            caller,
            address: None,
            kind: ThreadKind::Tutor,
            thread_id: &thread.thread_id,
            course_id: &request.course_id,
            idempotency_key: &request.idempotency_key,
            body_hash,
        };
        // A thread has one title.
        core.tell(&about, hit, format!("title-{}", thread.thread_id))
            .await?;
        if hit.stops {
            guardrail_text = core
                .guarded_text(context, &request.course_id, hit.kind)
                .await;
        }
    }
    Ok(CreateThreadResponse {
        thread,
        guardrail_text,
    })
}

/// A page of the caller's threads.
pub(crate) async fn list(
    core: &Core,
    context: &CallContext,
    caller: &Caller,
    request: ListThreadsRequest,
) -> Result<ListThreadsResponse, Fault> {
    let wanted = session::ListThreadsRequest {
        student_id: caller.subject.clone(),
        page_size: page::size(request.page_size, 20, 100)? as i32,
        page_token: request.page_token,
        kind: ThreadKind::Tutor.into(),
    };
    let step = Step::Session.of(context);
    let listed = core
        .upstreams
        .session
        .clone()
        .list_threads(step.request(wanted))
        .await
        .map_err(|status| step.fault(&status))?
        .into_inner();
    Ok(ListThreadsResponse {
        threads: listed.threads,
        next_page_token: listed.next_page_token,
    })
}

/// A thread of the caller's, and a page of its messages.
pub(crate) async fn read(
    core: &Core,
    context: &CallContext,
    caller: &Caller,
    request: GetThreadRequest,
) -> Result<GetThreadResponse, Fault> {
    ids::check("thread_id", &request.thread_id)?;
    let wanted = session::GetThreadRequest {
        student_id: caller.subject.clone(),
        thread_id: request.thread_id,
        page_size: page::size(request.page_size, 50, 200)? as i32,
        page_token: request.page_token,
        kind: ThreadKind::Tutor.into(),
    };
    let step = Step::Session.of(context);
    let read = core
        .upstreams
        .session
        .clone()
        .get_thread(step.request(wanted))
        .await
        .map_err(|status| step.fault(&status))?
        .into_inner();
    Ok(GetThreadResponse {
        thread: read.thread,
        messages: read.messages,
        next_page_token: read.next_page_token,
    })
}
