//! Which needs of a course apply to a message, and whether the student may be asked for what is missing.

use turnwise_course_pack::{
    ContextCourse, ContextNeed, Friction, MessageIntent, Supplier, Urgency,
};

use crate::intent;

/// The most slots of a request: what a student can look through before an answer.
pub const MOST_SLOTS: usize = 5;

/// A message, and what its thread knows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Input<'a> {
    /// Whether the hand-off is on; if not, nothing is ever asked.
    pub on: bool,
    /// Whether the message belongs to a project. If not, no phase is active, and needs of a phase do not apply.
    pub in_project: bool,
    /// The active phase of the project. Without it, the first phase that uses the focus unit is active.
    pub phase: Option<&'a str>,
    /// The unit that the message is about.
    pub unit: Option<&'a str>,
    /// The message.
    pub message: &'a str,
    /// The student's language, a BCP 47 tag.
    pub locale: &'a str,
    /// The goal of the work as far as it is known; may be empty.
    pub goal: &'a str,
    /// The next steps as far as they are known; may be empty.
    pub plan: &'a str,
    /// What is there already.
    pub present: &'a [Present],
    /// Artifact types that the thread's state marks as missing: their needs apply whatever the message wants.
    pub flagged: &'a [String],
    /// Messages of the student since the last request, without this one and without the one that led to the request; `None`
    /// before the first request.
    pub messages_since_request: Option<u32>,
    /// Requests made in this thread.
    pub requests: u32,
    /// Those of them that were skipped or expired.
    pub refusals: u32,
}

/// An artifact that is there, or parts of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Present {
    /// The artifact type's id.
    pub artifact: String,
    /// The parts that are there, spelled as the course's needs spell them; none, or an empty path among them: the whole.
    pub key_paths: Vec<String>,
}

impl Present {
    fn is_whole(&self) -> bool {
        self.key_paths.is_empty() || self.key_paths.iter().any(String::is_empty)
    }

    fn covers(&self, need: &ContextNeed) -> bool {
        self.artifact == need.artifact
            && (self.is_whole()
                || need
                    .key_path
                    .as_ref()
                    .is_some_and(|path| self.key_paths.contains(path)))
    }
}

/// What the student, or somebody else, is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What the message wants.
    pub intent: MessageIntent,
    /// What is asked for, 1 to [`MOST_SLOTS`]: what an answer must have first, else in the course's order.
    pub slots: Vec<Slot>,
    /// Whether some slot must be filled for an answer.
    pub must_have: bool,
}

/// One thing that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// The need's id.
    pub need: String,
    /// The need's phase, or else the active one.
    pub phase: Option<String>,
    /// The artifact type's id.
    pub artifact: String,
    /// The part; `None`: the whole.
    pub key_path: Option<String>,
    /// The most bytes that are taken.
    pub size_limit: u32,
    /// How urgent it is.
    pub urgency: Urgency,
    /// Whether there may be an answer without it.
    pub optional: bool,
    /// Who may supply it.
    pub suppliers: Vec<Supplier>,
    /// Why it is asked for, in the student's language.
    pub why: String,
}

/// What to ask for before this message is answered, if anything.
#[must_use]
pub fn analyze(course: &ContextCourse, input: &Input<'_>) -> Option<Request> {
    if !input.on || !may_ask(&course.friction, input) {
        return None;
    }
    let intent = intent_of(input);
    let phase = active_phase(course, input);
    let mut needs: Vec<&ContextNeed> = missing(course, input, phase, intent).collect();
    needs.sort_by_key(|need| need.urgency);
    let mut slots: Vec<Slot> = Vec::new();
    for need in needs {
        // The same part may be needed for two reasons; it is asked for once.
        let asked = |slot: &Slot| slot.artifact == need.artifact && slot.key_path == need.key_path;
        if slots.iter().any(asked) {
            continue;
        }
        // A checked course has the artifact of every need.
        let Some(artifact) = course.artifact(&need.artifact) else {
            continue;
        };
        slots.push(Slot {
            need: need.id.clone(),
            phase: need.phase.as_deref().or(phase).map(str::to_owned),
            artifact: need.artifact.clone(),
            key_path: need.key_path.clone(),
            size_limit: artifact.size_limit,
            urgency: need.urgency,
            optional: need.urgency == Urgency::NiceToHave,
            suppliers: artifact.suppliers.clone(),
            why: need.why.in_locale(input.locale).to_owned(),
        });
        if slots.len() == MOST_SLOTS {
            break;
        }
    }
    let must_have = slots.iter().any(|slot| !slot.optional);
    (!slots.is_empty()).then_some(Request {
        intent,
        slots,
        must_have,
    })
}

/// The ids of the needs without which this message has no good answer, in the course's order, whether or not the student may
/// be asked: where [`analyze`] asks for nothing any more, the answer can say what it goes without. None if the hand-off is
/// off.
#[must_use]
pub fn missing_must_have<'c>(course: &'c ContextCourse, input: &Input<'_>) -> Vec<&'c str> {
    if !input.on {
        return Vec::new();
    }
    missing(course, input, active_phase(course, input), intent_of(input))
        .filter(|need| need.urgency == Urgency::MustHave)
        .map(|need| need.id.as_str())
        .collect()
}

/// The parts that are there of what this message needs, as its needs spell them, in the course's order, each once. None if
/// the hand-off is off.
#[must_use]
pub fn relevant(course: &ContextCourse, input: &Input<'_>) -> Vec<Present> {
    let mut found: Vec<Present> = Vec::new();
    if !input.on {
        return found;
    }
    for need in applying(course, input, active_phase(course, input), intent_of(input)) {
        let part = Present {
            artifact: need.artifact.clone(),
            key_paths: need.key_path.iter().cloned().collect(),
        };
        if input.present.iter().any(|there| there.covers(need)) && !found.contains(&part) {
            found.push(part);
        }
    }
    found
}

fn may_ask(friction: &Friction, input: &Input<'_>) -> bool {
    input.requests < friction.max_requests_per_thread
        && input.refusals < friction.max_refusals
        && input
            .messages_since_request
            .is_none_or(|messages| messages >= friction.min_messages_between)
}

/// What a message wants. One that says nothing of itself (`ok, next`) goes on with what was planned, or else with the goal.
#[must_use]
pub fn intent_of(input: &Input<'_>) -> MessageIntent {
    [input.message, input.plan, input.goal]
        .into_iter()
        .find_map(intent::of_words)
        .unwrap_or(MessageIntent::Question)
}

fn active_phase<'a>(course: &'a ContextCourse, input: &Input<'a>) -> Option<&'a str> {
    if !input.in_project {
        return None;
    }
    input.phase.or_else(|| {
        let unit = input.unit?;
        let uses = |units: &[String]| units.iter().any(|known| known == unit);
        let phase = course.phases.iter().find(|phase| uses(&phase.units))?;
        Some(phase.id.as_str())
    })
}

/// The needs that apply and whose artifact is not there, in the course's order.
fn missing<'c>(
    course: &'c ContextCourse,
    input: &Input<'_>,
    phase: Option<&str>,
    intent: MessageIntent,
) -> impl Iterator<Item = &'c ContextNeed> {
    applying(course, input, phase, intent)
        .filter(|need| !input.present.iter().any(|there| there.covers(need)))
}

/// The needs that apply, whatever is there, in the course's order.
fn applying<'c>(
    course: &'c ContextCourse,
    input: &Input<'_>,
    phase: Option<&str>,
    intent: MessageIntent,
) -> impl Iterator<Item = &'c ContextNeed> {
    course.needs.iter().filter(move |need| {
        let flagged = input.flagged.contains(&need.artifact);
        let in_phase = need.phase.is_none() || need.phase.as_deref() == phase;
        let wanted = flagged || need.intents.is_empty() || need.intents.contains(&intent);
        let about = |unit: &str| need.units.iter().any(|known| known == unit);
        let in_unit = need.units.is_empty() || input.unit.is_some_and(about);
        in_phase && wanted && in_unit
    })
}
