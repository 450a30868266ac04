//! Scopes signed for a lesson's page.

use turnwise_kit::{CallContext, Caller, Fault, ids, time};
use turnwise_proto::{
    common::v1::ErrorReason,
    helper::v1::{LessonScope, MintScopeTokenRequest, MintScopeTokenResponse},
    policy::v1::GetLessonRequest,
    retrieval::v1::{GetReferenceRequest, get_reference_request::Name},
};

use super::Helper;
use crate::{
    tokens::{scope::ScopeClaims, scope_bounds::check_scope},
    upstream::Step,
};

impl Helper {
    /// Signs a scope. What it leaves out of a lesson of the course is the lesson's own.
    pub(crate) async fn mint(
        &self,
        context: &CallContext,
        caller: &Caller,
        request: MintScopeTokenRequest,
    ) -> Result<MintScopeTokenResponse, Fault> {
        ids::check("course_id", &request.course_id)?;
        let ttl = self.scopes.ttl(request.ttl)?;
        let scope = request
            .scope
            .ok_or_else(|| Fault::invalid("scope", "is required; name the lesson in it"))?;
        check_scope(&scope)?;
        let scope = self.completed(context, &request.course_id, scope).await?;
        self.check_reference(context, &request.course_id, &scope)
            .await?;
        let now = self.core.kit.clock.now();
        let claims = ScopeClaims {
            tenant: caller.tenant.clone(),
            class_id: request.class_id,
            course_id: request.course_id,
            student_id: request.student_id,
            scope,
        };
        let (scope_token, expires) = self.scopes.sign(now, &claims, ttl)?;
        Ok(MintScopeTokenResponse {
            scope_token,
            expire_time: Some(time::to_proto(expires)),
            scope: Some(claims.scope),
        })
    }

    /// The scope with what a lesson's front matter says where it says nothing itself.
    async fn completed(
        &self,
        context: &CallContext,
        course_id: &str,
        mut scope: LessonScope,
    ) -> Result<LessonScope, Fault> {
        let step = Step::Policy.of(context);
        let request = GetLessonRequest {
            course_id: course_id.to_owned(),
            lesson: scope.context.clone(),
        };
        let mut policy = self.core.upstreams.policy.clone();
        let found = match policy.get_lesson(step.request(request)).await {
            Ok(found) => found.into_inner().lesson,
            Err(status) => match step.fault(&status) {
                // A platform's own course, which is not served here.
                fault if fault.reason() == ErrorReason::UnknownCourse => None,
                fault => return Err(fault),
            },
        };
        if let Some(lesson) = found {
            if scope.topics.is_empty() && scope.allowed_topics.is_empty() {
                scope.allowed_topics = lesson.allowed_topics;
            }
            if scope.reference.is_empty() {
                scope.reference = lesson.reference;
            }
        }
        Ok(scope)
    }

    /// Refuses the key of no reference of a course that is served here: its page would do without, and nobody would know.
    async fn check_reference(
        &self,
        context: &CallContext,
        course_id: &str,
        scope: &LessonScope,
    ) -> Result<(), Fault> {
        if scope.reference.is_empty() {
            return Ok(());
        }
        let step = Step::Retrieval.of(context);
        let request = GetReferenceRequest {
            course_id: course_id.to_owned(),
            pack_hash: String::new(),
            name: Some(Name::Key(scope.reference.clone())),
        };
        let mut retrieval = self.core.upstreams.retrieval.clone();
        let found = retrieval.get_reference(step.request(request)).await;
        let reason = found
            .err()
            .map(|status| Fault::from_status(&status).reason());
        match reason {
            Some(ErrorReason::UnknownReference) => Err(Fault::invalid(
                "scope.reference",
                "is the key of no reference text of this course; leave it empty or name one that there is",
            )),
            // Whether there is one is not known while retrieval is away; the page then finds out.
            _ => Ok(()),
        }
    }
}
