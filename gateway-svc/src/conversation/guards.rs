//! What stands before a student's words: the names of the class, redaction, guardrails; and what follows when words meet a
//! guardrail, the fixed answer in the course's language and the alert for staff.

use std::collections::BTreeMap;

use turnwise_guardrails::{Hit, HitKind, Reaches};
use turnwise_kit::{CallContext, Fault};
use turnwise_proto::{
    classes::v1::AlertKind,
    explain::v1::{GuardrailFinding, TurnFacts, TurnTexts},
    policy::v1::GetCourseRequest,
    session::v1::{AppendEventsRequest, NewAlert, NewEvent},
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
/// The event that tells staff of words that may call for help, and did not stop the student.
const UNCERTAIN: &str = "safeguarding-uncertain";
/// An alert stands in the class's list until somebody takes it on.
const REACHES: Reaches = Reaches::Staff;

/// A student's words as they may be used.
pub(crate) struct Screened {
    /// Without what identifies a person.
    pub(crate) input: StudentInput,
    pub(crate) event: Option<ClientEvent>,
    /// The guardrail that the words met.
    pub(crate) hit: Option<Hit>,
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
    /// always the student's: the phrases of all count, and the gravest of what the words met. `also` are words beside the
    /// input, redacted.
    pub(crate) fn screen(&self, input: Unredacted, roster: &Roster, also: &[&str]) -> Screened {
        let (input, event) = input.redact(roster);
        let words = [said(&input), &input.voice_transcript];
        let hit = self.met(words.into_iter().chain(also.iter().copied()));
        Screened { input, event, hit }
    }

    /// What some texts of a student's meet: what stops before what may, then the gravest.
    pub(crate) fn met<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> Option<Hit> {
        let hits = texts
            .into_iter()
            .filter_map(|text| self.guardrails.check("", text));
        hits.min_by_key(|hit| (!hit.stops, hit.kind))
    }

    /// Tells staff of words outside a turn; nothing where they call for no help. It fails where staff could not be told:
    /// the same call tells them when it is sent again.
    pub(crate) async fn tell(
        &self,
        request: &Request<'_>,
        hit: &Hit,
        key: String,
    ) -> Result<(), Fault> {
        let finding = finding(hit);
        log(&finding, &key);
        let Some(event) = event(&finding, &key) else {
            return Ok(());
        };
        let step = Step::Session.of(request.context);
        self.upstreams
            .session
            .clone()
            .append_events(step.request(AppendEventsRequest {
                student_id: request.caller.subject.clone(),
                thread_id: request.thread_id.to_owned(),
                events: vec![event],
                idempotency_key: key,
                body_hash: request.body_hash.clone(),
                alert: alert(&finding, ""),
            }))
            .await
            .map(|_| ())
            .map_err(|status| step.fault(&status))
    }

    /// Earlier messages without those that met a guardrail, and without their answers: such words reach no model and no
    /// search later, either.
    pub(crate) fn screen_history<'a>(
        &self,
        messages: impl Iterator<Item = &'a TutorMessage>,
    ) -> Vec<TutorMessage> {
        let mut met = false;
        messages
            .filter(|message| {
                if message.role() == Role::User {
                    met = [&message.text, &message.latex]
                        .into_iter()
                        .any(|text| self.guardrails.stops(text));
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
        kind: HitKind,
    ) -> String {
        let request = GetCourseRequest {
            course_id: course_id.to_owned(),
        };
        let course = self
            .upstreams
            .policy
            .clone()
            .get_course(Step::Policy.of(context).request(request))
            .await
            .ok()
            .and_then(|response| response.into_inner().course);
        if let Some(course) = course {
            self.course_locales.learn(course_id, &course.locale);
        }
        // Where the policy does not say, nor ever did, the course's locale is the usual one.
        self.guarded_text_in(&self.course_locales.of(course_id), kind)
    }

    /// The same in a language that is known; for a language that there is none for, the usual one's.
    pub(crate) fn guarded_text_in(&self, locale: &str, kind: HitKind) -> String {
        self.guardrails.text(locale, kind, REACHES).to_owned()
    }
}

/// The class that a thread was opened in.
pub(crate) fn class_id(thread: Option<&Thread>) -> &str {
    thread.map_or("", |thread| thread.class_id.as_str())
}

/// Writes what words met to the turn's record and the process's log. Gives the kind of a hit that stops the words.
pub(crate) fn note(
    hit: Option<Hit>,
    facts: &mut TurnFacts,
    texts: &mut TurnTexts,
) -> Option<HitKind> {
    let hit = hit?;
    let finding = finding(&hit);
    log(&finding, &facts.turn_id);
    facts.guardrail_finding = Some(finding);
    if let Some(judgement) = hit.judgement {
        texts.guardrail_features = judgement.features;
    }
    hit.stops.then_some(hit.kind)
}

/// What words met, as it is recorded.
pub(crate) fn finding(hit: &Hit) -> GuardrailFinding {
    let mut finding = GuardrailFinding {
        kind: hit.kind.name().to_owned(),
        stopped: hit.stops,
        ..GuardrailFinding::default()
    };
    if let Some(judgement) = &hit.judgement {
        finding.model.clone_from(&judgement.model);
        finding.score = judgement.score;
        finding.threshold = judgement.threshold;
    }
    finding
}

/// Says in the process's log that words met a guardrail, without them. `about` is the turn, or what else was said in.
pub(crate) fn log(finding: &GuardrailFinding, about: &str) {
    let GuardrailFinding { kind, score, .. } = finding;
    if !calls_for_help(finding) {
        tracing::info!(kind, about, "words of a student are blocked");
    } else if finding.stopped {
        tracing::warn!(kind, about, score, "words of a student call for help");
    } else {
        tracing::info!(kind, about, score, "words of a student may call for help");
    }
}

fn calls_for_help(finding: &GuardrailFinding) -> bool {
    finding.kind != HitKind::BlockedTerm.name()
}

/// The alert for whoever looks after the class; none for a blocked word, which is no call for help. `turn_id` is empty
/// outside a turn.
pub(crate) fn alert(finding: &GuardrailFinding, turn_id: &str) -> Option<NewAlert> {
    let kind = match finding.kind.as_str() {
        kind if kind == HitKind::SelfHarm.name() => AlertKind::SelfHarm,
        kind if kind == HitKind::Abuse.name() => AlertKind::Abuse,
        kind if kind == HitKind::Danger.name() => AlertKind::Danger,
        kind if kind == HitKind::Bullying.name() => AlertKind::Bullying,
        _ => return None,
    };
    Some(NewAlert {
        kind: kind.into(),
        uncertain: !finding.stopped,
        turn_id: turn_id.to_owned(),
    })
}

/// The event for staff; none for a blocked word, which is no call for help. `about` is the turn, or what else was said in.
pub(crate) fn event(finding: &GuardrailFinding, about: &str) -> Option<NewEvent> {
    let mut facts = BTreeMap::from([("kind".to_owned(), finding.kind.clone())]);
    if !finding.model.is_empty() {
        facts.insert("model".to_owned(), finding.model.clone());
        facts.insert("score".to_owned(), format!("{:.3}", finding.score));
        facts.insert("threshold".to_owned(), format!("{:.3}", finding.threshold));
    }
    let kind = if finding.stopped { ALERT } else { UNCERTAIN };
    calls_for_help(finding).then(|| NewEvent {
        kind: kind.to_owned(),
        related_id: about.to_owned(),
        facts,
        ..NewEvent::default()
    })
}
