//! Evidence, both ways: what comes in as far as the decisions look at it, and what goes out without losing the rest.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use turnwise_decisions::{self as decisions, EvidenceEvent, EvidenceFault, QuestionRef, Tier};
use turnwise_kit::time;
use turnwise_proto::{
    policy::v1::{
        ApplyEvidenceRequest, ApplyEvidenceResponse, DrillGraded, ExamResult, PrerequisiteMarked,
        SupportViewed, apply_evidence_request::Event,
    },
    session::v1 as session,
    tutor::v1::MasteryTier,
};

use super::{
    announcement,
    read::{self, Read},
    words,
    write::{self, bound},
};
use crate::{courses::LoadedCourse, error::PolicyError};

/// A request, read.
struct Input {
    evidence: decisions::Evidence,
    event: EvidenceEvent,
    now: Timestamp,
    /// When the question's lock ends.
    locked_until: Option<Timestamp>,
    stored: Stored,
}

/// The evidence as it came, beside what was read of it: what the event leaves alone goes back as it came.
#[derive(Default)]
struct Stored {
    units: BTreeMap<String, (decisions::UnitProgress, session::UnitProgress)>,
    revisit: HashMap<QuestionRef, session::RevisitEntry>,
    placement: Option<session::Placement>,
    /// The field of the event's unit that holds a badge which only a newer version knows.
    unknown_badge: Option<String>,
}

/// Applies the event: the new evidence, what people see of the record with it, and what may be pressed now.
pub(super) fn apply(
    loaded: &LoadedCourse,
    request: ApplyEvidenceRequest,
) -> Read<ApplyEvidenceResponse> {
    let now = request.now;
    let sent = request.snapshot.as_ref();
    let turn = sent.and_then(|sent| sent.turn.clone());
    let class_placement = sent.is_some_and(|sent| sent.class_placement);
    let input = input(request)?;
    let applied =
        decisions::evidence::apply(&loaded.course, &input.evidence, &input.event, input.now)
            .map_err(|fault| refusal(&input.event, fault))?;
    let tiers = (applied.tier_before, applied.tier_after);
    let mut answer = input.stored.answer(applied)?;
    let after = session::StudentSnapshot {
        course_id: loaded.id.clone(),
        turn,
        evidence: answer.evidence.clone(),
        class_placement,
        ..session::StudentSnapshot::default()
    };
    let record = read::record(loaded, Some(after), now)?;
    let nothing_known = decisions::Statuses::default();
    let standing = decisions::describe_standing(&record, &nothing_known);
    let texts = loaded.course.texts();
    answer.standing = Some(write::standing(texts, standing));
    answer.buttons = write::buttons(texts, decisions::buttons::after(&input.event));
    answer.text = announcement::result(loaded, &input.event, tiers, input.locked_until);
    Ok(answer)
}

/// Reads a request. The pack is the caller's to find.
fn input(request: ApplyEvidenceRequest) -> Read<Input> {
    let snapshot = read::to_change(&request.course_id, request.snapshot)?;
    let locked_until = match &request.event {
        Some(Event::ExamResult(result)) => {
            read::optional_time("exam_result.locked_until", result.locked_until)?
        }
        Some(Event::SupportViewed(viewed)) => {
            read::optional_time("support_viewed.locked_until", viewed.locked_until)?
        }
        _ => None,
    };
    let event = event(request.event)?;
    let (evidence, stored) = evidence(snapshot.evidence.unwrap_or_default(), event.unit_id())?;
    Ok(Input {
        evidence,
        event,
        now: read::required_time("now", request.now)?,
        locked_until,
        stored,
    })
}

fn evidence(sent: session::Evidence, event_unit_id: &str) -> Read<(decisions::Evidence, Stored)> {
    let mut evidence = decisions::Evidence {
        units_in_progress: sent.units_in_progress,
        exam_touched: sent.exam_touched,
        prerequisite_overrides: sent.prerequisite_overrides.into_iter().collect(),
        placed: sent.placed.into_iter().map(placed).collect(),
        ..decisions::Evidence::default()
    };
    let mut stored = Stored {
        placement: sent.placement,
        ..Stored::default()
    };
    for (i, unit) in sent.unit_progress.into_iter().enumerate() {
        let field = format!("snapshot.evidence.unit_progress[{i}]");
        if unit.unit_id == event_unit_id && MasteryTier::try_from(unit.mastery_tier).is_err() {
            stored.unknown_badge = Some(format!("{field}.mastery_tier"));
        }
        let progress = progress(&field, &unit)?;
        let id = unit.unit_id.clone();
        evidence.progress.insert(id.clone(), progress.clone());
        if stored.units.insert(id, (progress, unit)).is_some() {
            return Err(PolicyError::invalid(
                format!("{field}.unit_id"),
                "must not come twice",
            ));
        }
    }
    for entry in sent.revisit_queue {
        let question = QuestionRef {
            question_id: entry.question_id.clone(),
            unit_id: entry.unit_id.clone(),
            tier: words::badge(entry.tier),
        };
        evidence.revisit_queue.push(question.clone());
        stored.revisit.insert(question, entry);
    }
    Ok((evidence, stored))
}

/// A unit's progress. Counts below zero are read as zero, and a mistake that is listed twice was made as often as both
/// say.
fn progress(field: &str, unit: &session::UnitProgress) -> Read<decisions::UnitProgress> {
    let drill = unit.drill.unwrap_or_default();
    let passed = unit.passed_by_tier.unwrap_or_default();
    let mut confusion_tags: BTreeMap<String, u32> = BTreeMap::new();
    for tag in &unit.confusion_tags {
        let count = confusion_tags.entry(tag.tag.clone()).or_default();
        *count = count.saturating_add(read::counter(tag.count));
    }
    let touched = format!("{field}.last_touched_at");
    Ok(decisions::UnitProgress {
        tier: words::badge(unit.mastery_tier),
        last_touched_at: read::optional_time(&touched, unit.last_touched_at)?,
        attempts: read::counter(drill.attempts),
        correct: read::counter(drill.correct),
        streak_correct: read::counter(drill.streak_correct),
        streak_wrong: read::counter(drill.streak_wrong),
        passed: decisions::PassedByTier {
            bronze: read::counter(passed.bronze),
            silver: read::counter(passed.silver),
            gold: read::counter(passed.gold),
        },
        confusion_tags,
        counted_exercises: unit.counted_exercises.clone(),
    })
}

fn event(event: Option<Event>) -> Read<EvidenceEvent> {
    Ok(match event.ok_or_else(|| PolicyError::missing("event"))? {
        Event::DrillGraded(DrillGraded {
            unit_id,
            correct,
            mistake_tag,
            exercise,
        }) => EvidenceEvent::DrillGraded {
            unit_id: read::id("drill_graded.unit_id", unit_id)?,
            correct,
            mistake_tag: read::present(mistake_tag),
            exercise: Some(exercise).filter(|exercise| *exercise != 0),
        },
        Event::ExamResult(ExamResult {
            question_id,
            unit_id,
            tier,
            passed,
            locked_until: _,
        }) => EvidenceEvent::ExamResult {
            question: question("exam_result", question_id, unit_id, tier)?,
            passed,
        },
        Event::SupportViewed(SupportViewed {
            question_id,
            unit_id,
            tier,
            locked,
            locked_until: _,
        }) => EvidenceEvent::SupportViewed {
            question: question("support_viewed", question_id, unit_id, tier)?,
            locked,
        },
        Event::PrerequisiteMarked(PrerequisiteMarked { unit_id, met }) => {
            EvidenceEvent::PrerequisiteMarked {
                unit_id: read::id("prerequisite_marked.unit_id", unit_id)?,
                met,
            }
        }
    })
}

fn question(event: &str, question_id: String, unit_id: String, tier: i32) -> Read<QuestionRef> {
    let question_id = read::id(&format!("{event}.question_id"), question_id)?;
    let unit_id = read::id(&format!("{event}.unit_id"), unit_id)?;
    let tier = words::badge(tier);
    if tier == Tier::None {
        return Err(PolicyError::invalid(
            format!("{event}.tier"),
            "must be bronze, silver or gold",
        ));
    }
    Ok(QuestionRef {
        question_id,
        unit_id,
        tier,
    })
}

/// Why an event is refused, in the request's words.
fn refusal(event: &EvidenceEvent, fault: EvidenceFault) -> PolicyError {
    let name = match event {
        EvidenceEvent::DrillGraded { .. } => "drill_graded",
        EvidenceEvent::ExamResult { .. } => "exam_result",
        EvidenceEvent::SupportViewed { .. } => "support_viewed",
        EvidenceEvent::PrerequisiteMarked { .. } => "prerequisite_marked",
    };
    let field = |field: &str| format!("{name}.{field}");
    match fault {
        EvidenceFault::UnknownUnit(unit_id) => PolicyError::UnknownUnit {
            field: field("unit_id"),
            unit_id,
        },
        EvidenceFault::UnknownQuestion(question_id) => PolicyError::UnknownQuestion {
            field: field("question_id"),
            question_id,
        },
        EvidenceFault::EntryUnit(_) => PolicyError::invalid(
            field("unit_id"),
            "must not be the course's entry unit, which carries no evidence",
        ),
        EvidenceFault::ForeignUnit { .. } => {
            PolicyError::invalid(field("unit_id"), "must be a unit that the question tests")
        }
        EvidenceFault::ForeignTier { tier, .. } => PolicyError::invalid(
            field("tier"),
            format!("must be the question's own: {}", tier.as_str()),
        ),
    }
}

impl Stored {
    /// The answer, without standing and buttons. A badge that is not known is read as none, so it goes back as it came with the units that the event
    /// leaves alone; on the event's own unit a lower one would take its place, so the event is refused.
    fn answer(mut self, applied: decisions::Applied) -> Read<ApplyEvidenceResponse> {
        if let Some(field) = self.unknown_badge.take() {
            return Err(PolicyError::invalid(
                field,
                "must be a tier of the contract",
            ));
        }
        Ok(ApplyEvidenceResponse {
            unit_id: applied.unit_id,
            tier_before: words::tier_to_proto(applied.tier_before),
            tier_after: words::tier_to_proto(applied.tier_after),
            status_before: words::unit_status_to_proto(applied.status_before),
            status_after: words::unit_status_to_proto(applied.status_after),
            needs_review: applied.needs_review,
            exercise_repeated: applied.exercise_repeated,
            observations: applied
                .observations
                .iter()
                .map(|observation| observation.as_str().to_owned())
                .collect(),
            evidence: Some(self.with(applied.evidence)),
            ..ApplyEvidenceResponse::default()
        })
    }

    fn with(mut self, evidence: decisions::Evidence) -> session::Evidence {
        session::Evidence {
            unit_progress: evidence
                .progress
                .into_iter()
                .map(|(id, progress)| match self.units.remove(&id) {
                    Some((read, sent)) if read == progress => sent,
                    _ => unit_progress(id, progress),
                })
                .collect(),
            units_in_progress: evidence.units_in_progress,
            revisit_queue: evidence
                .revisit_queue
                .into_iter()
                .map(|entry| match self.revisit.get(&entry) {
                    Some(sent) => sent.clone(),
                    None => session::RevisitEntry {
                        question_id: entry.question_id,
                        unit_id: entry.unit_id,
                        tier: words::tier_to_proto(entry.tier),
                    },
                })
                .collect(),
            exam_touched: evidence.exam_touched,
            prerequisite_overrides: evidence.prerequisite_overrides.into_iter().collect(),
            placed: evidence.placed.into_iter().map(placed_unit).collect(),
            placement: self.placement,
        }
    }
}

/// A placed unit, as it is stored. Of two with the same id the later counts.
fn placed(unit: session::PlacedUnit) -> (String, decisions::Placed) {
    let placed = decisions::Placed {
        wrong_drills: read::counter(unit.wrong_drills),
        undone: unit.undone,
    };
    (unit.unit_id, placed)
}

fn placed_unit((unit_id, placed): (String, decisions::Placed)) -> session::PlacedUnit {
    session::PlacedUnit {
        unit_id,
        wrong_drills: bound(placed.wrong_drills),
        undone: placed.undone,
    }
}

fn unit_progress(unit_id: String, progress: decisions::UnitProgress) -> session::UnitProgress {
    session::UnitProgress {
        unit_id,
        mastery_tier: words::tier_to_proto(progress.tier),
        last_touched_at: progress.last_touched_at.map(time::to_proto),
        drill: Some(session::DrillCounters {
            attempts: bound(progress.attempts),
            correct: bound(progress.correct),
            streak_correct: bound(progress.streak_correct),
            streak_wrong: bound(progress.streak_wrong),
        }),
        passed_by_tier: Some(session::PassedByTier {
            bronze: bound(progress.passed.bronze),
            silver: bound(progress.passed.silver),
            gold: bound(progress.passed.gold),
        }),
        confusion_tags: progress
            .confusion_tags
            .into_iter()
            .map(|(tag, count)| session::ConfusionTag {
                tag,
                count: bound(count),
            })
            .collect(),
        counted_exercises: progress.counted_exercises,
    }
}
