//! What a turn asks of the policy and of a model, made of its record alone: once while the turn is taken, and again
//! whenever it is replayed. Nothing in here may depend on anything else.

mod drills;
mod passages;

use jiff::Timestamp;
use prost::Message;
use sha2::{Digest, Sha256};
use turnwise_kit::time;
use turnwise_prompts::{Conversation, TurnPrompt};
use turnwise_proto::{
    classes::v1::{ClassPolicy, DrillSource},
    exam::v1::QuestionState,
    explain::v1::{TurnFacts, TurnTexts, Verdict},
    policy::v1::{
        CountedExercises, DecideRequest, GradedAnswer, KnownTexts, PlanRequest, Reply,
        ResolveReplyRequest, ResolveReplyResponse, WaitingCard, resolve_reply_request::Outcome,
    },
    session::v1::{GradedDrill, StudentSnapshot, ThreadFocus, ThreadKind, TurnState},
    tutor::v1::{
        ClientEvent, ClientEventKind, DegradedReason, Role, StudentInput, TutorCard,
        tutor_card::Content,
    },
};

use crate::{
    conversation::clarification::is_of_clarification,
    input::said,
    open_card,
    standing::{knows_pass, waits},
};
pub use drills::open_drill;

/// The most bytes of what a student said that a reply may repeat; the latest count.
const SAID_MAX_BYTES: usize = 6_000;
/// The most characters of one of the tutor's texts that are looked at.
const SAID_MOST_CHARS: usize = 8_000;
/// The most texts of the tutor's that a reply without a model does not repeat.
const SAID_MOST_TEXTS: usize = 6;
/// The most of what a student wrote that a reply may quote.
const QUOTABLE_MOST_TEXTS: usize = 100;
/// The most bytes of a message that may be an answer to an exercise.
const TYPED_MAX_BYTES: usize = 400;
/// The most of what a student wrote before that may be the exercise that a message goes on with.
const BEFORE_MOST_TEXTS: usize = 6;
const DAY_SECONDS: i64 = 86_400;

/// The version of the record's form. Those before it are read, too.
pub const FORMAT: i32 = 2;

/// Whether a turn in a thread of this kind, as a record names it, has a record of this form. A kind that this build does
/// not know is not the tutor's, either.
#[must_use]
pub fn is_of_tutor(kind: i32) -> bool {
    kind == ThreadKind::Tutor as i32
}

/// What the turn answers: the student's input, or the message that questions were asked about.
#[must_use]
pub fn asked(texts: &TurnTexts) -> Option<&StudentInput> {
    texts.query.as_ref().or(texts.input.as_ref())
}

/// The words that the turn is about: its own, or with the button that chooses a unit those that could not be placed.
#[must_use]
pub fn words<'a>(facts: &TurnFacts, texts: &'a TurnTexts) -> &'a str {
    match asked(texts).map_or("", said) {
        "" => asked_before(facts, texts),
        own => own,
    }
}

/// What the student wrote last before the button that chooses a unit; empty with any other turn.
fn asked_before<'a>(facts: &TurnFacts, texts: &'a TurnTexts) -> &'a str {
    let pressed = event(facts).map(ClientEvent::kind);
    if pressed != Some(ClientEventKind::ChooseUnit) {
        return "";
    }
    let messages = texts.recent_messages.iter().rev();
    let own = messages.filter(|message| message.role() == Role::User);
    let mut texts = own.map(|message| match message.text.as_str() {
        "" => message.latex.as_str(),
        text => text,
    });
    texts.find(|text| !text.is_empty()).unwrap_or_default()
}

/// The button that the turn is about. Those below a question are about no unit.
#[must_use]
pub fn event(facts: &TurnFacts) -> Option<&ClientEvent> {
    facts
        .event
        .as_ref()
        .filter(|event| !is_of_clarification(event))
}

/// The request for the plan. A replay names the version of the course that the turn used; a turn that is being taken
/// leaves it empty.
#[must_use]
pub fn plan_request(facts: &TurnFacts, texts: &TurnTexts, pack_hash: &str) -> PlanRequest {
    PlanRequest {
        course_id: facts.course_id.clone(),
        pack_hash: pack_hash.to_owned(),
        snapshot: seen_from_thread(facts),
        mapped_units: facts.mapped_units.clone(),
        event: event(facts).cloned(),
        target_locked: facts.target_locked,
        now: facts.planned_at,
        message: own_message(facts, texts),
        before: (said_before(texts).into_iter().rev())
            .filter(|text| text.len() <= TYPED_MAX_BYTES)
            .take(BEFORE_MOST_TEXTS)
            .map(str::to_owned)
            .collect(),
        said: said_by_tutor(texts).pop().unwrap_or_default(),
        card: open_card::waiting(facts, texts).map(to_policy),
    }
}

fn to_policy(card: &TutorCard) -> WaitingCard {
    match &card.content {
        Some(Content::Drill(drill)) => WaitingCard {
            prompt: drill.prompt.clone(),
            question_latex: drill.question_latex.clone(),
        },
        _ => WaitingCard::default(),
    }
}

/// What the student typed, where no question of a document waited for it.
fn own_message(facts: &TurnFacts, texts: &TurnTexts) -> String {
    let is_own = texts.query.is_none() && facts.event.is_none();
    let typed = texts.input.as_ref().filter(|_| is_own).map_or("", said);
    match typed.len() <= TYPED_MAX_BYTES {
        true => typed.to_owned(),
        false => String::new(),
    }
}

/// The record as the turn's thread sees it: with the thread's own focus and target, and without what a later turn of
/// another thread was about. A thread that has no turn yet goes on from the record.
#[must_use]
pub fn seen_from_thread(facts: &TurnFacts) -> Option<StudentSnapshot> {
    let snapshot = facts.snapshot.clone()?;
    Some(from_thread(snapshot, facts.thread_focus.as_ref()))
}

/// A record as a thread sees it.
pub(crate) fn from_thread(
    mut snapshot: StudentSnapshot,
    thread: Option<&ThreadFocus>,
) -> StudentSnapshot {
    if let Some(thread) = thread {
        let latest = snapshot.turn.take().unwrap_or_default();
        let of_thread = TurnState {
            focus_unit_id: thread.focus_unit_id.clone(),
            target_unit_id: thread.target_unit_id.clone(),
            ..TurnState::default()
        };
        let is_latest = latest.focus_unit_id == of_thread.focus_unit_id
            && latest.target_unit_id == of_thread.target_unit_id;
        snapshot.turn = Some(if is_latest { latest } else { of_thread });
    }
    snapshot
}

/// The request for the decision; `None` without a plan. Which drill is open is left to the turn that is being taken: it
/// decides about buttons, which are not recorded.
#[must_use]
pub fn decide_request(facts: &TurnFacts) -> Option<DecideRequest> {
    Some(DecideRequest {
        plan: Some(facts.plan.clone()?),
        turn_id: facts.turn_id.clone(),
        candidate_question_ids: facts.candidate_question_ids.clone(),
        statuses: facts.statuses.clone(),
        exam_system_unavailable: facts.exam_system_unavailable,
        way_told: is_way_told(facts),
        open_drill_unit_id: String::new(),
        matched_unit_id: facts.matched_unit_id.clone(),
        name_schema: false,
    })
}

/// Whether the thread stood on the same focus with the same target before the turn: then it was told what comes first.
fn is_way_told(facts: &TurnFacts) -> bool {
    let stood = facts.thread_focus.as_ref().zip(facts.plan.as_ref());
    stood.is_some_and(|(stood, plan)| {
        stood.focus_unit_id == plan.focus_unit_id && stood.target_unit_id == plan.target_unit_id
    })
}

/// The id of a text that the record names and does not hold: nothing is made of it before the course pack has put it in
/// words.
#[must_use]
pub fn without_words<'a>(facts: &'a TurnFacts, texts: &'a TurnTexts) -> Option<&'a str> {
    let anchors = texts.anchors.iter();
    let anchors = anchors.filter(|anchor| anchor.title.is_empty());
    let is_held = |id: &str| texts.chunks.iter().any(|chunk| chunk.chunk_id == id);
    let chunks = facts.chunks.iter().map(|found| &found.chunk_id);
    let unit_chunks = texts.unit_chunks.iter();
    let unit_chunks = unit_chunks.filter(|chunk| chunk.text.is_empty());
    let candidates = texts.exam_candidates.iter();
    let candidates = candidates.filter(|candidate| candidate.unit_ids.is_empty());
    anchors
        .map(|anchor| &anchor.unit_id)
        .chain(chunks.filter(|id| !is_held(id)))
        .chain(unit_chunks.map(|chunk| &chunk.chunk_id))
        .chain(candidates.map(|candidate| &candidate.question_id))
        .next()
        .map(String::as_str)
}

/// What the prompt is made from; `None` without a policy.
#[must_use]
pub fn turn_prompt<'a>(
    facts: &'a TurnFacts,
    texts: &'a TurnTexts,
    no_input: &'a StudentInput,
) -> Option<TurnPrompt<'a>> {
    Some(TurnPrompt {
        policy: facts.policy.as_ref()?,
        summary: facts.summary.as_ref()?,
        anchors: &texts.anchors,
        unit_chunks: &texts.unit_chunks,
        chunks: &texts.chunks,
        recent: &texts.recent_messages,
        input: asked(texts).unwrap_or(no_input),
        clarification: texts.clarification.as_ref(),
        context: texts.context.as_ref(),
        event: event(facts),
        candidates: &texts.exam_candidates,
        conversation: conversation(facts, texts),
    })
}

/// The course's locale; empty before there is a plan.
#[must_use]
pub fn locale(facts: &TurnFacts) -> &str {
    facts.plan.as_ref().map_or("", |plan| plan.locale.as_str())
}

/// The request for the verdict on what the model wrote, or did not; `None` without a policy, and where a model was to be
/// called and none was. `known` is what the reply must not repeat; of it a replay has what the reply met.
#[must_use]
pub fn resolve_request(
    facts: &TurnFacts,
    texts: &TurnTexts,
    known: KnownTexts,
) -> Option<ResolveReplyRequest> {
    let outcome = match &facts.model_call {
        None if facts.no_model => Outcome::Failure(DegradedReason::LlmOff.into()),
        None => return None,
        Some(call) if call.failure == 0 => Outcome::Completion(texts.completion.clone()),
        Some(call) => Outcome::Failure(call.failure),
    };
    let mut passages = passages::of_focus(facts, texts).into_iter();
    let mut elsewhere = passages::elsewhere(facts, texts).into_iter();
    Some(ResolveReplyRequest {
        policy: Some(facts.policy.clone()?),
        outcome: Some(outcome),
        known: Some(known),
        typed: typed(facts, texts),
        open_drill: open_drill(facts, texts),
        placement_question: drills::placement_question(facts, texts),
        course_drills: class_policy(facts).drill_source() == DrillSource::Course,
        counted: counted_exercises(facts),
        no_model: facts.no_model,
        hints_given: i32::try_from(open_card::hints(facts, texts)).unwrap_or(i32::MAX),
        pressed: event(facts).map_or(0, |event| event.kind),
        said: said_by_tutor(texts),
        question: asked_before(facts, texts)
            .chars()
            .take(SAID_MOST_CHARS)
            .collect(),
        passage: passages.next(),
        more_passages: passages.collect(),
        passage_elsewhere: elsewhere.next(),
        more_passages_elsewhere: elsewhere.collect(),
        prompt_runs_name: 0,
        own_exercises: open_card::waiting_exam(facts, texts).is_none(),
        exam_question: drills::exam_question(facts, texts),
        other_drills: drills::others(facts, texts),
        next_leads_to_target: (facts.plan.as_ref()).is_some_and(|plan| plan.next_leads_to_target),
        graded: last_answer(facts, texts).map(|graded| GradedAnswer {
            answer: graded.answer.clone(),
            result: graded.result,
        }),
        quotable: texts
            .graded
            .iter()
            .map(|graded| graded.answer.as_str())
            .chain(said_before(texts).into_iter().rev())
            .filter(|text| !text.is_empty() && text.len() <= SAID_MAX_BYTES)
            .take(QUOTABLE_MOST_TEXTS)
            .map(str::to_owned)
            .collect(),
    })
}

/// The tutor's texts in the messages that the turn uses, the latest last.
fn said_by_tutor(texts: &TurnTexts) -> Vec<String> {
    let messages = texts.recent_messages.iter();
    let said = messages.filter(|message| {
        message.role() != Role::User
            && !message.text.is_empty()
            && message.text.chars().count() <= SAID_MOST_CHARS
    });
    let mut said: Vec<String> = said.map(|message| message.text.clone()).collect();
    said.drain(..said.len().saturating_sub(SAID_MOST_TEXTS));
    said
}

/// The exercises that counted, of the units that the turn may be about.
fn counted_exercises(facts: &TurnFacts) -> Vec<CountedExercises> {
    let scope = facts
        .policy
        .iter()
        .flat_map(|policy| &policy.scoped_unit_ids);
    let evidence = facts.snapshot.as_ref().and_then(|s| s.evidence.as_ref());
    let progress = |unit_id: &String| {
        let mut units = evidence?.unit_progress.iter();
        units.find(|unit| unit.unit_id == *unit_id)
    };
    scope
        .filter_map(progress)
        .filter(|unit| !unit.counted_exercises.is_empty())
        .map(|unit| CountedExercises {
            unit_id: unit.unit_id.clone(),
            exercises: unit.counted_exercises.clone(),
        })
        .collect()
}

/// What the class's teacher had decided when the turn began.
#[must_use]
pub fn class_policy(facts: &TurnFacts) -> ClassPolicy {
    facts.class_policy.unwrap_or_default()
}

/// What the student wrote in the messages that the turn uses, and in its own, oldest first.
fn said_before(texts: &TurnTexts) -> Vec<&str> {
    let messages = texts.recent_messages.iter();
    let mut said: Vec<&str> = messages
        .filter(|message| message.role() == Role::User)
        .flat_map(|message| [message.text.as_str(), message.latex.as_str()])
        .collect();
    if let Some(input) = &texts.input {
        said.extend([input.text.as_str(), input.latex.as_str()]);
    }
    said.retain(|text| !text.is_empty());
    said
}

/// The latest of it, as one text.
fn said_lately(texts: &TurnTexts) -> String {
    let said = said_before(texts).join("\n");
    let last = said.len().saturating_sub(SAID_MAX_BYTES);
    said[said.ceil_char_boundary(last)..].to_owned()
}

/// What the student typed, where it may be an answer to an exercise: a short message, and none to a question of the tutor's.
fn typed(facts: &TurnFacts, texts: &TurnTexts) -> Option<StudentInput> {
    if facts.clarification.is_some() || texts.query.is_some() {
        return None;
    }
    let input = texts.input.as_ref()?;
    let text = said(input);
    (!text.is_empty() && text.len() <= TYPED_MAX_BYTES).then(|| StudentInput {
        voice_transcript: String::new(),
        ..input.clone()
    })
}

/// The answer that was graded last in the thread, where the turn may be about its unit.
fn last_answer<'a>(facts: &TurnFacts, texts: &'a TurnTexts) -> Option<&'a GradedDrill> {
    let graded = texts.graded.as_deref()?;
    let policy = facts.policy.as_ref()?;
    let is_in_scope = policy.scoped_unit_ids.contains(&graded.unit_id);
    is_in_scope.then_some(graded)
}

/// What the record says of the conversation. What a client says of it is no part.
fn conversation<'a>(facts: &'a TurnFacts, texts: &'a TurnTexts) -> Conversation<'a> {
    let last = texts.recent_messages.last();
    let days = last
        .and_then(|message| message.create_time)
        .zip(facts.planned_at)
        .map_or(0, |(last, now)| {
            now.seconds.saturating_sub(last.seconds) / DAY_SECONDS
        });
    Conversation {
        open_card: open_card::open(facts, texts),
        hints_given: open_card::hints(facts, texts),
        last_answer: last_answer(facts, texts),
        exam_state: event(facts)
            .map_or(QuestionState::Unspecified, |event| exam_state(facts, event)),
        days_away: u64::try_from(days).unwrap_or(0),
    }
}

/// The state of the exam question that the student comes from: as the exam system says, else as the student's own result is in
/// the record.
fn exam_state(facts: &TurnFacts, event: &ClientEvent) -> QuestionState {
    if event.kind() != ClientEventKind::ExamContinue {
        return QuestionState::Unspecified;
    }
    let question_id = event.question_id.as_str();
    let mut statuses = facts.statuses.iter();
    if let Some(status) = statuses.find(|status| status.question_id == question_id) {
        return status.state();
    }
    match &facts.snapshot {
        Some(snapshot) if knows_pass(snapshot, question_id) => QuestionState::Passed,
        // Before that button only: later the lock may have ended.
        Some(snapshot) if waits(snapshot, question_id) => QuestionState::Locked,
        _ => QuestionState::Unspecified,
    }
}

/// What became of the model's reply, without its text.
#[must_use]
pub fn verdict(resolved: &ResolveReplyResponse) -> Verdict {
    let empty = Reply::default();
    let reply = resolved.reply.as_ref().unwrap_or(&empty);
    let question_id = match reply.card.as_ref().and_then(|card| card.content.as_ref()) {
        Some(Content::Exam(exam)) => exam.question_id.clone(),
        _ => String::new(),
    };
    Verdict {
        action: reply.action,
        target_unit_id: reply.target_unit_id.clone(),
        fallback_reason: resolved.fallback_reason,
        violation: resolved.violation.clone(),
        observations: resolved.observations.clone(),
        drill_id: reply.drill_id.clone(),
        question_id,
        reply_hash: hex::encode(Sha256::digest(reply.encode_to_vec())),
    }
}

/// What the turn writes to the record; `None` without a plan.
#[must_use]
pub fn turn_state(
    facts: &TurnFacts,
    resolved: &ResolveReplyResponse,
    at: Timestamp,
) -> Option<TurnState> {
    let plan = facts.plan.as_ref()?;
    Some(TurnState {
        focus_unit_id: plan.focus_unit_id.clone(),
        target_unit_id: plan.target_unit_id.clone(),
        last_turn_analysis: resolved.analysis.clone().map(|mut analysis| {
            // A model is not asked what the search has found already.
            if analysis.mapped_units.is_empty() {
                analysis.mapped_units.clone_from(&facts.mapped_units);
            }
            analysis
        }),
        last_turn_at: Some(time::to_proto(at)),
    })
}
