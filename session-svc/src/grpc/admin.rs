//! What is kept of classes, and what staff do with them.

use std::{pin::Pin, time::Duration};

use futures_util::{Stream, StreamExt};
use prost::Message;
use sha2::{Digest, Sha256};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};
use turnwise_kit::{Caller, Fault, Kit, PageTokens, ids, page};
use turnwise_proto::{
    classes::v1::{
        AlertFilter, ClassPolicy, DrillSource, ExamUse, ModelUse, ScopeMode, Strictness,
        TopicFilter,
    },
    session::v1::{
        AcknowledgeAlertRequest, AcknowledgeAlertResponse, BeginPlacementsRequest,
        BeginPlacementsResponse, ExportClassRequest, ExportClassResponse, GetClassPolicyRequest,
        GetClassPolicyResponse, GetClassRosterRequest, GetClassRosterResponse, ListAlertsRequest,
        ListAlertsResponse, ListClassStudentsRequest, ListClassStudentsResponse,
        MarkPrerequisiteRequest, MarkPrerequisiteResponse, RecordAccessRequest,
        RecordAccessResponse, ResetClassRequest, ResetClassResponse, SetClassPolicyRequest,
        SetClassPolicyResponse, SetClassRosterRequest, SetClassRosterResponse,
        UndoPlacementRequest, UndoPlacementResponse, WatchAlertsRequest, WatchAlertsResponse,
        session_admin_service_server::SessionAdminService,
    },
};
use turnwise_redaction::Roster;
use turnwise_session_store::StudentKey;

use super::session::open;
use crate::{
    access,
    sessions::{
        Idempotency, Sessions,
        audit::Actor,
        classes::{
            activity::WEEKS,
            placements::{Begin, Undo},
            prerequisites::Mark,
        },
        cursor::Cursor,
    },
};

/// The most characters of a reason.
pub(super) const REASON_MAX_CHARS: usize = 500;
/// The longest that a call waits for the end of a reset, in milliseconds.
const RESET_WAIT_MAX_MS: i32 = 600_000;
/// Pages of students and alerts: the usual and the largest size.
const PAGE: (usize, usize) = (50, 200);

/// Serves `turnwise.session.v1.SessionAdminService`.
pub struct AdminGrpc {
    sessions: Sessions,
    pages: PageTokens,
}

impl AdminGrpc {
    /// The service over all operations.
    pub fn new(sessions: Sessions, kit: &Kit) -> Self {
        Self {
            sessions,
            pages: kit.pages.clone(),
        }
    }
}

/// A caller who acts for a class as staff.
fn staff_of(caller: &Caller, class_id: &str) -> Result<Actor, Fault> {
    ids::check("class_id", class_id)?;
    access::staff_of_class(caller, class_id)?;
    actor(caller)
}

pub(super) fn actor(caller: &Caller) -> Result<Actor, Fault> {
    Ok(Actor {
        tenant: access::tenant(caller)?,
        id: caller.subject.clone(),
    })
}

/// The student whom an actor means.
pub(super) fn student(actor: &Actor, student_id: &str) -> Result<StudentKey, Fault> {
    ids::check("student_id", student_id)?;
    Ok(StudentKey {
        tenant: actor.tenant.clone(),
        student: student_id.to_owned(),
    })
}

/// What makes a call safe to send again: its key and a hash of the rest of it.
fn idempotency(key: &mut String, message: impl FnOnce() -> Vec<u8>) -> Result<Idempotency, Fault> {
    ids::check_key("idempotency_key", key)?;
    let key = std::mem::take(key);
    Ok(Idempotency {
        key,
        body_hash: Sha256::digest(message()).to_vec().into(),
    })
}

/// The idempotency of a message that has an `idempotency_key`; takes the key out.
macro_rules! keyed {
    ($message:ident) => {{
        let mut key = std::mem::take(&mut $message.idempotency_key);
        idempotency(&mut key, || $message.encode_to_vec())?
    }};
}

fn policy(policy: Option<ClassPolicy>) -> Result<ClassPolicy, Fault> {
    let policy = policy.ok_or_else(|| Fault::invalid("policy", "is required"))?;
    let known = [
        (
            "strictness",
            Strictness::try_from(policy.strictness).is_ok(),
        ),
        ("scope_mode", ScopeMode::try_from(policy.scope_mode).is_ok()),
        (
            "topic_filter",
            TopicFilter::try_from(policy.topic_filter).is_ok(),
        ),
        ("model_use", ModelUse::try_from(policy.model_use).is_ok()),
        ("exam_use", ExamUse::try_from(policy.exam_use).is_ok()),
        (
            "drill_source",
            DrillSource::try_from(policy.drill_source).is_ok(),
        ),
    ];
    match known.iter().find(|(_, known)| !known) {
        Some((field, _)) => Err(Fault::invalid(
            &format!("policy.{field}"),
            "must be one of the values that this version knows",
        )),
        None => Ok(policy),
    }
}

pub(super) fn reason(reason: &str) -> Result<(), Fault> {
    if reason.chars().count() > REASON_MAX_CHARS {
        return Err(Fault::invalid("reason", "must have at most 500 characters"));
    }
    Ok(())
}

#[tonic::async_trait]
impl SessionAdminService for AdminGrpc {
    async fn set_class_roster(
        &self,
        request: Request<SetClassRosterRequest>,
    ) -> Result<Response<SetClassRosterResponse>, Status> {
        let (caller, mut message) = open(request)?;
        let actor = staff_of(&caller, &message.class_id)?;
        let idempotency = keyed!(message);
        if let Err(error) = Roster::new(&message.names) {
            return Err(Fault::invalid("names", error.to_string()).into());
        }
        self.sessions
            .set_roster(&actor, &message.class_id, message.names, &idempotency)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(SetClassRosterResponse {}))
    }

    async fn get_class_roster(
        &self,
        request: Request<GetClassRosterRequest>,
    ) -> Result<Response<GetClassRosterResponse>, Status> {
        let (caller, message) = open(request)?;
        let actor = staff_of(&caller, &message.class_id)?;
        let names = self
            .sessions
            .get_roster(&actor.tenant, &message.class_id)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(GetClassRosterResponse { names }))
    }

    async fn set_class_policy(
        &self,
        request: Request<SetClassPolicyRequest>,
    ) -> Result<Response<SetClassPolicyResponse>, Status> {
        let (caller, mut message) = open(request)?;
        let actor = staff_of(&caller, &message.class_id)?;
        let idempotency = keyed!(message);
        let policy = policy(message.policy)?;
        self.sessions
            .set_class_policy(&actor, &message.class_id, policy, &idempotency)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(SetClassPolicyResponse {}))
    }

    async fn get_class_policy(
        &self,
        request: Request<GetClassPolicyRequest>,
    ) -> Result<Response<GetClassPolicyResponse>, Status> {
        let (caller, message) = open(request)?;
        let actor = staff_of(&caller, &message.class_id)?;
        let policy = self
            .sessions
            .get_class_policy(&actor.tenant, &message.class_id)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(GetClassPolicyResponse {
            policy: Some(policy),
        }))
    }

    async fn list_class_students(
        &self,
        request: Request<ListClassStudentsRequest>,
    ) -> Result<Response<ListClassStudentsResponse>, Status> {
        let (caller, message) = open(request)?;
        let actor = staff_of(&caller, &message.class_id)?;
        let weeks = i64::from(message.weeks);
        if message.course_id.is_empty() && weeks != 0 {
            return Err(Fault::invalid("weeks", "must be 0 without a course").into());
        }
        if !message.course_id.is_empty() {
            ids::check("course_id", &message.course_id)?;
            if !(1..=WEEKS).contains(&weeks) {
                return Err(Fault::invalid("weeks", "must be 1 to 26").into());
            }
        }
        let limit = page::size(message.page_size, PAGE.0, PAGE.1)?;
        let filter = [message.class_id.as_str(), &message.course_id];
        let pages = self.pages.list("ListClassStudents", Some(&caller), &filter);
        let after: Option<String> = pages.start(&message.page_token)?;
        let (tenant, class, course) = (&actor.tenant, &message.class_id, &message.course_id);
        let page = self
            .sessions
            .class_students(tenant, class, course, weeks, after, limit)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(ListClassStudentsResponse {
            students: page.students,
            next_page_token: pages.next(page.after),
        }))
    }

    async fn list_alerts(
        &self,
        request: Request<ListAlertsRequest>,
    ) -> Result<Response<ListAlertsResponse>, Status> {
        let (caller, message) = open(request)?;
        let actor = staff_of(&caller, &message.class_id)?;
        let filter = AlertFilter::try_from(message.filter)
            .map_err(|_| Fault::invalid("filter", "must be OPEN or ALL"))?;
        let limit = page::size(message.page_size, PAGE.0, PAGE.1)?;
        let about = [message.class_id.as_str(), filter.as_str_name()];
        let list = match message.handoffs {
            false => "ListAlerts",
            true => "ListEscalations",
        };
        let pages = self.pages.list(list, Some(&caller), &about);
        let before: Option<Cursor> = pages.start(&message.page_token)?;
        let page = self
            .sessions
            .list_alerts(
                &actor.tenant,
                &message.class_id,
                (message.handoffs, filter),
                before,
                limit,
            )
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(ListAlertsResponse {
            alerts: page.alerts,
            next_page_token: pages.next(page.before),
        }))
    }

    async fn acknowledge_alert(
        &self,
        request: Request<AcknowledgeAlertRequest>,
    ) -> Result<Response<AcknowledgeAlertResponse>, Status> {
        let (caller, mut message) = open(request)?;
        let actor = staff_of(&caller, &message.class_id)?;
        let idempotency = keyed!(message);
        ids::check("alert_id", &message.alert_id)?;
        let alert = self
            .sessions
            .acknowledge_alert(
                &actor,
                &message.class_id,
                (message.handoff, &message.alert_id),
                &idempotency,
            )
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(AcknowledgeAlertResponse {
            alert: Some(alert),
        }))
    }

    type WatchAlertsStream =
        Pin<Box<dyn Stream<Item = Result<WatchAlertsResponse, Status>> + Send>>;

    async fn watch_alerts(
        &self,
        request: Request<WatchAlertsRequest>,
    ) -> Result<Response<Self::WatchAlertsStream>, Status> {
        let (caller, message) = open(request)?;
        let actor = staff_of(&caller, &message.class_id)?;
        if message.after_id < 0 {
            return Err(Fault::invalid("after_id", "must be 0 or more").into());
        }
        let receiver = self
            .sessions
            .watch_alerts(&actor.tenant, &message.class_id, message.after_id)
            .map_err(Fault::from)?;
        let changes = ReceiverStream::new(receiver)
            .map(|next| next.map_err(|error| Status::from(Fault::from(error))));
        Ok(Response::new(Box::pin(changes)))
    }

    async fn reset_class(
        &self,
        request: Request<ResetClassRequest>,
    ) -> Result<Response<ResetClassResponse>, Status> {
        let (caller, mut message) = open(request)?;
        let actor = staff_of(&caller, &message.class_id)?;
        if !(0..=RESET_WAIT_MAX_MS).contains(&message.wait_ms) {
            return Err(Fault::invalid("wait_ms", "must be 0 to 600000").into());
        }
        reason(&message.reason)?;
        let wait = std::mem::take(&mut message.wait_ms);
        let idempotency = keyed!(message);
        let wait = Duration::from_millis(u64::try_from(wait).unwrap_or(0));
        let answer = self
            .sessions
            .reset_class(
                &actor,
                &message.class_id,
                &message.reason,
                &idempotency,
                wait,
            )
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(answer))
    }

    async fn export_class(
        &self,
        request: Request<ExportClassRequest>,
    ) -> Result<Response<ExportClassResponse>, Status> {
        let (caller, mut message) = open(request)?;
        let actor = staff_of(&caller, &message.class_id)?;
        let idempotency = keyed!(message);
        let answer = self
            .sessions
            .export_class(&actor, &message.class_id, &idempotency)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(answer))
    }

    async fn mark_prerequisite(
        &self,
        request: Request<MarkPrerequisiteRequest>,
    ) -> Result<Response<MarkPrerequisiteResponse>, Status> {
        let (caller, mut message) = open(request)?;
        let actor = staff_of(&caller, &message.class_id)?;
        let idempotency = keyed!(message);
        ids::check("course_id", &message.course_id)?;
        ids::check("unit_id", &message.unit_id)?;
        let mark = Mark {
            student: student(&actor, &message.student_id)?,
            class_id: message.class_id,
            course_id: message.course_id,
            unit_id: message.unit_id,
            met: message.met,
            idempotency,
        };
        let unit_ids = self
            .sessions
            .mark_prerequisite(&actor, mark)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(MarkPrerequisiteResponse { unit_ids }))
    }

    async fn begin_placements(
        &self,
        request: Request<BeginPlacementsRequest>,
    ) -> Result<Response<BeginPlacementsResponse>, Status> {
        let (caller, mut message) = open(request)?;
        let actor = staff_of(&caller, &message.class_id)?;
        let idempotency = keyed!(message);
        ids::check("course_id", &message.course_id)?;
        let begin = Begin {
            class_id: message.class_id,
            course_id: message.course_id,
            idempotency,
        };
        self.sessions
            .begin_placements(&actor, begin)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(BeginPlacementsResponse {}))
    }

    async fn undo_placement(
        &self,
        request: Request<UndoPlacementRequest>,
    ) -> Result<Response<UndoPlacementResponse>, Status> {
        let (caller, mut message) = open(request)?;
        let actor = staff_of(&caller, &message.class_id)?;
        let idempotency = keyed!(message);
        ids::check("course_id", &message.course_id)?;
        let unit_id = Some(message.unit_id).filter(|unit| !unit.is_empty());
        if let Some(unit_id) = &unit_id {
            ids::check("unit_id", unit_id)?;
        }
        let undo = Undo {
            student: student(&actor, &message.student_id)?,
            class_id: message.class_id,
            course_id: message.course_id,
            unit_id,
            idempotency,
        };
        let unit_ids = self
            .sessions
            .undo_placement(&actor, undo)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(UndoPlacementResponse { unit_ids }))
    }

    async fn record_access(
        &self,
        request: Request<RecordAccessRequest>,
    ) -> Result<Response<RecordAccessResponse>, Status> {
        let (caller, message) = open(request)?;
        let actor = staff_of(&caller, &message.class_id)?;
        let student = student(&actor, &message.student_id)?;
        ids::check("turn_id", &message.turn_id)?;
        self.sessions
            .note_access(&actor, &message.class_id, &student, &message.turn_id)
            .await
            .map_err(Fault::from)?;
        Ok(Response::new(RecordAccessResponse {}))
    }
}
