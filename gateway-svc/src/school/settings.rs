//! What a class is set to: the names that are redacted, and what its teacher decided.

use std::collections::HashSet;

use turnwise_kit::{CallContext, Fault};
use turnwise_proto::{
    school::v1::{
        GetClassPolicyRequest, GetClassPolicyResponse, GetClassRosterRequest,
        GetClassRosterResponse, SetClassPolicyRequest, SetClassPolicyResponse,
        SetClassRosterRequest, SetClassRosterResponse,
    },
    session::v1 as session,
};
use turnwise_redaction::{MAX_NAME_CHARS, MAX_NAMES, cue_words};

use super::School;
use crate::upstream::Step;

impl School {
    /// Replaces a roster.
    pub(crate) async fn set_roster(
        &self,
        context: &CallContext,
        request: SetClassRosterRequest,
    ) -> Result<SetClassRosterResponse, Fault> {
        check_names(&request.names)?;
        let mut seen = HashSet::new();
        let words = request.names.iter().flat_map(|name| cue_words(name));
        let cue_names = words.filter(|word| seen.insert(word.clone())).collect();
        let step = Step::Session.of(context);
        self.upstreams
            .session_admin
            .clone()
            .set_class_roster(step.request(session::SetClassRosterRequest {
                class_id: request.class_id,
                names: request.names,
                idempotency_key: request.idempotency_key,
            }))
            .await
            .map_err(|status| step.fault(&status))?;
        Ok(SetClassRosterResponse { cue_names })
    }

    /// Reads a roster.
    pub(crate) async fn roster(
        &self,
        context: &CallContext,
        request: GetClassRosterRequest,
    ) -> Result<GetClassRosterResponse, Fault> {
        let step = Step::Session.of(context);
        let found = self
            .upstreams
            .session_admin
            .clone()
            .get_class_roster(step.request(session::GetClassRosterRequest {
                class_id: request.class_id,
            }))
            .await
            .map_err(|status| step.fault(&status))?
            .into_inner();
        Ok(GetClassRosterResponse { names: found.names })
    }

    /// Replaces a policy.
    pub(crate) async fn set_policy(
        &self,
        context: &CallContext,
        request: SetClassPolicyRequest,
    ) -> Result<SetClassPolicyResponse, Fault> {
        let step = Step::Session.of(context);
        self.upstreams
            .session_admin
            .clone()
            .set_class_policy(step.request(session::SetClassPolicyRequest {
                class_id: request.class_id,
                policy: request.policy,
                idempotency_key: request.idempotency_key,
            }))
            .await
            .map_err(|status| step.fault(&status))?;
        Ok(SetClassPolicyResponse {
            policy: request.policy,
        })
    }

    /// Reads a policy.
    pub(crate) async fn policy(
        &self,
        context: &CallContext,
        request: GetClassPolicyRequest,
    ) -> Result<GetClassPolicyResponse, Fault> {
        let step = Step::Session.of(context);
        let found = self
            .upstreams
            .session_admin
            .clone()
            .get_class_policy(step.request(session::GetClassPolicyRequest {
                class_id: request.class_id,
            }))
            .await
            .map_err(|status| step.fault(&status))?
            .into_inner();
        Ok(GetClassPolicyResponse {
            policy: found.policy,
        })
    }
}

/// Refuses names that are none. No message repeats one.
fn check_names(names: &[String]) -> Result<(), Fault> {
    if names.len() > MAX_NAMES {
        return Err(Fault::invalid(
            "names",
            format!(
                "has {} names; a roster holds at most {MAX_NAMES}",
                names.len()
            ),
        ));
    }
    for (index, name) in names.iter().enumerate() {
        let problem = if !name.chars().any(char::is_alphabetic) {
            "has no letter; leave it out".to_owned()
        } else if name.chars().count() > MAX_NAME_CHARS {
            format!("must have at most {MAX_NAME_CHARS} characters")
        } else if name.chars().any(char::is_control) {
            "must have no control characters".to_owned()
        } else {
            continue;
        };
        return Err(Fault::invalid(&format!("names[{index}]"), problem));
    }
    Ok(())
}
