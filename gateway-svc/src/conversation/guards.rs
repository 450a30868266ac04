//! What stands before a student's words: the names of the class, redaction, guardrails; and what follows when words meet a
//! guardrail, the fixed answer in the course's language and the alert for staff.

use std::collections::BTreeMap;

use turnwise_guardrails::HitKind;
use turnwise_kit::{CallContext, Fault};
use turnwise_proto::{
    policy::v1::GetCourseRequest,
    session::v1::NewEvent,
    tutor::v1::{ClientEvent, Role, StudentInput, Thread, TutorMessage},
};
use turnwise_redaction::Roster;

use super::{Core, Request};
use crate::{
    input::{Unredacted, said},
    upstream::Step,
};

/// The event that tells staff of words that call for help.
const ALERT: &str = "safeguarding-alert";

/// A student's words as they may be used.
pub(crate) struct Screened {
    /// Without what identifies a person.
    pub(crate) input: StudentInput,
    pub(crate) event: Option<ClientEvent>,
    /// The guardrail that the words met.
    pub(crate) hit: Option<HitKind>,
}

impl Core {
    /// The names of the class that a thread was opened in.
    pub(crate) async fn roster(
        &self,
        request: &Request<'_>,
        thread: Option<&Thread>,
    ) -> Result<Roster, Fault> {
        self.rosters
            .of(request.context, &request.caller.tenant, class_id(thread))
            .await
    }

    /// Redacts a student's words and holds them against the guardrails. The course's language is not known yet, nor is it
    /// always the student's: the phrases of all count, and the gravest of what the words met.
    pub(crate) fn screen(&self, input: Unredacted, roster: &Roster) -> Screened {
        let (input, event) = input.redact(roster);
        let hit = [said(&input), &input.voice_transcript]
            .into_iter()
            .filter_map(|text| self.guardrails.check("", text))
            .map(|hit| hit.kind)
            .min();
        Screened { input, event, hit }
    }

    /// Earlier messages without those that met a guardrail, and without their answers: such words reach no model and no
    /// search later, either.
    pub(crate) fn screen_history(&self, messages: &[TutorMessage]) -> Vec<TutorMessage> {
        let mut met = false;
        messages
            .iter()
            .filter(|message| {
                if message.role() == Role::User {
                    met = [&message.text, &message.latex]
                        .into_iter()
                        .any(|text| self.guardrails.check("", text).is_some());
                }
                !met
            })
            .cloned()
            .collect()
    }

    /// The fixed answer to words that met a guardrail.
    pub(crate) async fn guarded_text(
        &self,
        context: &CallContext,
        course_id: &str,
        hit: HitKind,
    ) -> String {
        let request = GetCourseRequest {
            course_id: course_id.to_owned(),
        };
        // Where the policy does not say, the course's locale is the usual one.
        let locale = self
            .upstreams
            .policy
            .clone()
            .get_course(Step::Policy.of(context).request(request))
            .await
            .ok()
            .and_then(|response| response.into_inner().course)
            .map_or_else(String::new, |course| course.locale);
        self.guardrails.text(&locale, hit).to_owned()
    }
}

/// The class that a thread was opened in.
pub(crate) fn class_id(thread: Option<&Thread>) -> &str {
    thread.map_or("", |thread| thread.class_id.as_str())
}

/// How records name what words met.
pub(crate) fn name(hit: HitKind) -> &'static str {
    match hit {
        HitKind::SelfHarm => "self_harm",
        HitKind::Abuse => "abuse",
        HitKind::BlockedTerm => "blocked_term",
    }
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
