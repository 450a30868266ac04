//! What comes of a model's reply: set by the rules, judged by the guard, with the policy's own words where they belong.

use tonic::Status;
use turnwise_decisions as decisions;
use turnwise_proto::policy::v1::{
    ResolveReplyRequest, ResolveReplyResponse, resolve_reply_request,
};

use super::{
    Policies, announcement,
    guard::{self, Known},
    read, reply,
};
use crate::error::PolicyError;

impl Policies {
    /// The reply that the policy allows, whatever came of the model.
    pub(super) fn resolved(
        &self,
        request: ResolveReplyRequest,
    ) -> Result<ResolveReplyResponse, Status> {
        let ResolveReplyRequest {
            policy,
            outcome,
            known,
            open_drill,
            course_drills,
            counted,
            typed,
            said,
        } = request;
        let known = Known::read(known)?;
        guard::check_drill("open_drill", open_drill.as_ref())?;
        guard::check_said("said", &said)?;
        let mut policy = policy.ok_or_else(|| PolicyError::missing("policy"))?;
        let fields = ("policy.course_id", "policy.pack_hash");
        let loaded = self.version(fields, &policy.course_id, &policy.pack_hash)?;
        let announcement = std::mem::take(&mut policy.announcement);
        let policy = read::policy(policy)?;
        let course_drills = course_drills || known.exams_unknown();
        let (asked_drills, exam_expressions) = known.asked_drills(&loaded);
        let terms = read::drill_terms(&loaded, course_drills, counted, asked_drills)?;
        let check_typed = guard::check_typed(&loaded, open_drill.as_ref(), typed)?;
        let outcome = match &outcome {
            Some(resolve_reply_request::Outcome::Completion(bytes)) => {
                decisions::Outcome::Completion(bytes)
            }
            Some(resolve_reply_request::Outcome::Failure(reason)) => {
                decisions::Outcome::Failure(read::failure(*reason)?)
            }
            None => return Err(PolicyError::missing("outcome").into()),
        };
        let resolve = |outcome| {
            decisions::resolve(&loaded.course, &policy, outcome)
                .map(|set| decisions::with_drill_on_terms(&loaded.course, &policy, &terms, set))
                .map_err(|fault| PolicyError::impossible("policy", &fault))
        };
        let mut resolved = resolve(outcome)?;
        let mut response = reply::resolution(resolved.clone());
        response.met = known.met_always(exam_expressions.clone());
        if let Some(reply) = response.reply.as_ref().filter(|_| resolved.is_models_own()) {
            let open = open_drill.as_ref();
            let said: Vec<&str> = said.iter().map(String::as_str).collect();
            let verdict =
                known.judge_reply(&self.guard, &loaded, &policy.turn_id, reply, open, &said);
            self.replies.looked_at(verdict.statements);
            if let Some(reason) = verdict.withheld {
                self.replies.withheld(reason);
                resolved = resolve(decisions::Outcome::Failure(guard::fallback_reason(reason)))?;
                resolved.violation = Some(reason.to_string());
                response = reply::resolution(resolved.clone());
            }
            let mut met = verdict.met;
            met.exam_expressions.extend(exam_expressions);
            met.exam_expressions.sort_unstable();
            met.exam_expressions.dedup();
            response.met = Some(known.met(met));
        }
        self.replies.count(&resolved);
        if let Some(violation) = &resolved.violation {
            tracing::info!(
                turn_id = %policy.turn_id,
                reason = resolved.fallback_reason.map(decisions::FallbackReason::as_str),
                violation,
                "model's reply refused"
            );
        }
        if let Some(reply) = response.reply.as_mut()
            && !resolved.is_models_own()
            && let Some(question) = announcement::which_unit(&loaded, &policy.choice_unit_ids)
        {
            reply.text = question;
        }
        if let Some(reply) = response.reply.as_mut().filter(|_| !announcement.is_empty()) {
            reply.text = format!("{announcement}\n\n{}", reply.text);
        }
        response.check_typed = check_typed;
        Ok(response)
    }
}
