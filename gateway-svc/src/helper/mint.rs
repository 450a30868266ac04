//! Scopes signed for a lesson's page.

use std::time::Duration;

use turnwise_kit::{CallContext, Caller, Fault, ids, time};
use turnwise_proto::{
    common::v1::ErrorReason,
    helper::v1::{LessonScope, MintScopeTokenRequest, MintScopeTokenResponse},
    policy::v1::GetLessonRequest,
};

use super::Helper;
use crate::{
    tokens::scope::{VerifiedScope, check_scope},
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
        ids::check("class_id", &request.class_id)?;
        ids::check("course_id", &request.course_id)?;
        if !request.student_id.is_empty() {
            ids::check("student_id", &request.student_id)?;
        }
        let ttl = self.ttl(request.ttl)?;
        let scope = request
            .scope
            .ok_or_else(|| Fault::invalid("scope", "is required; name the lesson in it"))?;
        check_scope(&scope)?;
        let scope = self.completed(context, &request.course_id, scope).await?;
        let now = self.core.kit.clock.now();
        let verified = VerifiedScope {
            class_id: request.class_id,
            course_id: request.course_id,
            student_id: request.student_id,
            scope,
        };
        let (scope_token, expires) = self.scopes.sign(now, &caller.tenant, &verified, ttl)?;
        Ok(MintScopeTokenResponse {
            scope_token,
            expire_time: Some(time::to_proto(expires)),
            scope: Some(verified.scope),
        })
    }

    fn ttl(&self, asked: Option<prost_types::Duration>) -> Result<Duration, Fault> {
        let most = self.scopes.max_age();
        let Some(asked) = asked else { return Ok(most) };
        let asked = Duration::try_from(asked).ok();
        let least = Duration::from_secs(60);
        asked
            .filter(|asked| (least..=most).contains(asked))
            .ok_or_else(|| {
                Fault::invalid(
                    "ttl",
                    format!("must be 60 to {} seconds, or absent", most.as_secs()),
                )
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
}
