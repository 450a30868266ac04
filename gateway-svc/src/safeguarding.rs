//! What follows when a student's words meet a guardrail: the fixed answer in the course's language, and the alert for
//! staff.

use std::collections::BTreeMap;

use turnwise_guardrails::{Guardrails, HitKind};
use turnwise_kit::CallContext;
use turnwise_proto::{
    policy::v1::GetCourseRequest,
    session::v1::NewEvent,
    tutor::v1::{Role, StudentInput, TutorMessage},
};

use crate::{
    input::said,
    upstream::{Step, Upstreams},
};

/// The event that tells staff of words that call for help.
const ALERT: &str = "safeguarding-alert";

/// How records name what words met.
pub(crate) fn name(hit: HitKind) -> &'static str {
    match hit {
        HitKind::SelfHarm => "self_harm",
        HitKind::Abuse => "abuse",
        HitKind::BlockedTerm => "blocked_term",
    }
}

/// What a student's words met, the gravest of it. The course's language is not known yet, nor is it always the student's:
/// the phrases of all count.
pub(crate) fn hit(guardrails: &Guardrails, input: &StudentInput) -> Option<HitKind> {
    [said(input), &input.voice_transcript]
        .into_iter()
        .filter_map(|text| guardrails.check("", text))
        .map(|hit| hit.kind)
        .min()
}

/// Earlier messages without those that met a guardrail, and without their answers: such words reach no model and no
/// search later, either.
pub(crate) fn without_hits(
    guardrails: &Guardrails,
    messages: &[TutorMessage],
) -> Vec<TutorMessage> {
    let mut met = false;
    messages
        .iter()
        .filter(|message| {
            if message.role() == Role::User {
                met = [&message.text, &message.latex]
                    .into_iter()
                    .any(|text| guardrails.check("", text).is_some());
            }
            !met
        })
        .cloned()
        .collect()
}

/// The alert for staff; none for a blocked word, which is no call for help. `about` is the turn, or what else was said in.
pub(crate) fn alert(hit: &str, about: &str) -> Option<NewEvent> {
    let calls_for_help = hit == name(HitKind::SelfHarm) || hit == name(HitKind::Abuse);
    calls_for_help.then(|| NewEvent {
        kind: ALERT.to_owned(),
        related_id: about.to_owned(),
        facts: BTreeMap::from([("kind".to_owned(), hit.to_owned())]),
        ..NewEvent::default()
    })
}

/// The course's locale; empty where the policy does not say.
pub(crate) async fn locale(
    upstreams: &Upstreams,
    context: &CallContext,
    course_id: &str,
) -> String {
    let request = GetCourseRequest {
        course_id: course_id.to_owned(),
    };
    upstreams
        .policy
        .clone()
        .get_course(Step::Policy.of(context).request(request))
        .await
        .ok()
        .and_then(|response| response.into_inner().course)
        .map_or_else(String::new, |course| course.locale)
}
