//! What people see of a student's record.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::{
    course::{Course, ExamQuestion, UnitIndex},
    graph,
    mapping::Confidences,
    record::Record,
    score::Scorer,
    snapshot::Progress,
    target::{self, Way},
    words::{QuestionState, Tier},
};

/// The part of a record that people see.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// The unit that is being worked on.
    pub focus: UnitView,
    /// The badge on it.
    pub focus_tier: Tier,
    /// Its latest drills would no longer earn the badge. It stays.
    pub needs_review: bool,
    /// What was asked for; `None` where that is the focus.
    pub target: Option<TargetView>,
    /// The prerequisite that should come first, in this turn or on the way to the target.
    pub prereq_nudge: Option<UnitView>,
    /// The exam questions to come back to.
    pub revisit: Revisit,
    /// Units by badge.
    pub progress: BadgeCounts,
    /// A placement was begun and has not ended.
    pub placement_waits: bool,
    /// The units that count as placed, in the order of the course's path, at most [`Standing::MOST_PLACED`].
    pub placed: Vec<UnitView>,
}

impl Standing {
    /// The most placed units that are named.
    pub const MOST_PLACED: usize = 50;
}

/// A unit as people see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitView {
    /// The unit.
    pub unit_id: String,
    /// Its title.
    pub title: String,
}

/// What was asked for, and the way there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetView {
    /// The target.
    pub unit: UnitView,
    /// The next units of the way, at most [`Way::MOST_NAMED`]: the focus first, if it is one of them. The way ends with the
    /// target.
    pub path: Vec<UnitView>,
    /// How many units come before the target.
    pub steps_to_go: usize,
}

/// The exam questions to come back to, in short.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Revisit {
    /// How many of them are locked.
    pub locked_count: usize,
    /// When the first lock ends; `None` where none is locked or no time is known.
    pub next_eligible_at: Option<Timestamp>,
    /// The question whose lock ends first, else the oldest that is not locked, else the oldest.
    pub next_question_id: Option<String>,
    /// The oldest of them that are not passed, at most [`Revisit::MOST_SHOWN`].
    pub entries: Vec<RevisitEntry>,
}

/// An exam question to come back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisitEntry {
    /// The question.
    pub question_id: String,
    /// A unit that it tests, whose badge is below its tier.
    pub unit: UnitView,
    /// How hard it is.
    pub tier: Tier,
    /// The exam system's word on it; `None` where it said nothing.
    pub status: Option<QuestionStatus>,
}

impl Revisit {
    /// The most entries that people see.
    pub const MOST_SHOWN: usize = 20;
}

/// Units by badge. A unit counts once, under its highest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BadgeCounts {
    /// Units at bronze.
    pub bronze: usize,
    /// Units at silver.
    pub silver: usize,
    /// Units at gold.
    pub gold: usize,
    /// Units of the course in which a badge can be earned.
    pub total: usize,
    /// Units without a badge that a placement showed to be known.
    pub placed: usize,
}

/// The exam system's word on one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuestionStatus {
    /// Whether it may be attempted.
    pub state: QuestionState,
    /// When a lock ends; `None` where the time is not known.
    pub locked_until: Option<Timestamp>,
}

/// The exam system's answer. Of two words on one question the more restrictive counts, so the order does not matter.
#[derive(Debug, Clone, Default)]
pub struct Statuses(BTreeMap<String, QuestionStatus>);

impl Statuses {
    /// The state of a question; `None` if the exam system said nothing of it.
    #[must_use]
    pub fn get(&self, question_id: &str) -> Option<QuestionStatus> {
        self.0.get(question_id).copied()
    }
}

impl FromIterator<(String, QuestionStatus)> for Statuses {
    fn from_iter<T: IntoIterator<Item = (String, QuestionStatus)>>(answers: T) -> Self {
        // An unknown end is the most restrictive one.
        let severity = |s: &QuestionStatus| (s.state, s.locked_until.is_none(), s.locked_until);
        let mut statuses: BTreeMap<String, QuestionStatus> = BTreeMap::new();
        for (id, status) in answers {
            statuses
                .entry(id)
                .and_modify(|known| {
                    if severity(&status) > severity(known) {
                        *known = status;
                    }
                })
                .or_insert(status);
        }
        Self(statuses)
    }
}

impl BadgeCounts {
    /// Counts the badges of those units in which one can be earned. None is placed yet.
    pub(crate) fn of(course: &Course, progress: &[(UnitIndex, Progress)]) -> Self {
        let mut counts = Self {
            total: course.assessable_count(),
            ..Self::default()
        };
        for (at, progress) in progress {
            if course.unit(*at).assessable {
                match progress.tier {
                    Tier::None => {}
                    Tier::Bronze => counts.bronze += 1,
                    Tier::Silver => counts.silver += 1,
                    Tier::Gold => counts.gold += 1,
                }
            }
        }
        counts
    }
}

/// What people see of a record when `focus` is worked on, `blocker` should come first, and `way` leads to what was asked
/// for. `revisit` says what the exam system knows of the queue.
pub(crate) fn standing(
    record: &Record<'_>,
    focus: UnitIndex,
    blocker: Option<UnitIndex>,
    way: &Way,
    revisit: Revisit,
) -> Standing {
    let course = record.course();
    let first_step = || match way.steps() {
        0 => None,
        _ => way.units(course, focus).next(),
    };
    let nudge = blocker.or_else(first_step);
    let mut placed: Vec<_> = record.placed().collect();
    placed.sort_unstable_by_key(|&at| course.place_on_path(at));
    Standing {
        focus: view(course, focus),
        focus_tier: record.tier(focus),
        needs_review: record.needs_review(focus),
        target: (way.target() != focus).then(|| TargetView {
            unit: view(course, way.target()),
            path: way
                .units(course, focus)
                .take(Way::MOST_NAMED)
                .map(|at| view(course, at))
                .collect(),
            steps_to_go: way.steps(),
        }),
        prereq_nudge: nudge.map(|at| view(course, at)),
        revisit,
        progress: record.badges(),
        placement_waits: record.placement_waits(),
        placed: placed
            .into_iter()
            .take(Standing::MOST_PLACED)
            .map(|at| view(course, at))
            .collect(),
    }
}

fn view(course: &Course, at: UnitIndex) -> UnitView {
    let unit = course.unit(at);
    UnitView {
        unit_id: unit.id.clone(),
        title: unit.title.clone(),
    }
}

/// What people see of a record outside a turn: the focus is the latest turn's.
#[must_use]
pub fn describe_standing(record: &Record<'_>, statuses: &Statuses) -> Standing {
    let confidences = Confidences::new(record, &[], None);
    let scorer = Scorer::new(record, confidences.joined());
    let focus = record.focus();
    let blocker = graph::blocker(record, &scorer, focus);
    let target = target::kept(record).unwrap_or(focus);
    let way = Way::to(record, target, graph::blocker(record, &scorer, target));
    let queue: Vec<_> = record.revisit().iter().map(|q| q.id.as_str()).collect();
    let revisit = revisit(&queue, entries(record), statuses);
    standing(record, focus, blocker, &way, revisit)
}

/// The first entries of the revisit queue, before the exam system was asked.
pub(crate) fn entries(record: &Record<'_>) -> Vec<RevisitEntry> {
    let entry = |question: &&ExamQuestion| {
        let unit = record.unit_to_revisit(question)?;
        Some(RevisitEntry {
            question_id: question.id.clone(),
            unit: view(record.course(), unit),
            tier: question.tier,
            status: None,
        })
    };
    let shown = record.revisit().iter().take(Revisit::MOST_SHOWN);
    shown.filter_map(entry).collect()
}

/// Sums up the revisit queue with what the exam system says of it. `entries` are the first of it. A question that was passed
/// is left out.
pub(crate) fn revisit<S: AsRef<str>>(
    queue: &[S],
    entries: Vec<RevisitEntry>,
    statuses: &Statuses,
) -> Revisit {
    let queue = || queue.iter().map(AsRef::as_ref);
    let state = |id: &str| statuses.get(id).map(|s| s.state);
    let locked: Vec<_> = queue()
        .filter_map(|id| Some((id, statuses.get(id)?)))
        .filter(|(_, s)| s.state == QuestionState::Locked)
        .collect();
    // Of two locks that end together the older entry comes first: min_by_key keeps the first.
    let first_to_end = locked
        .iter()
        .filter_map(|(id, s)| Some((*id, s.locked_until?)))
        .min_by_key(|(_, until)| *until);
    let next = first_to_end
        .map(|(id, _)| id)
        .or_else(|| queue().find(|id| matches!(state(id), None | Some(QuestionState::Available))))
        .or_else(|| locked.first().map(|(id, _)| *id));
    Revisit {
        locked_count: locked.len(),
        next_eligible_at: first_to_end.map(|(_, until)| until),
        next_question_id: next.map(str::to_owned),
        entries: entries
            .into_iter()
            .map(|entry| RevisitEntry {
                status: statuses.get(&entry.question_id),
                ..entry
            })
            .filter(|entry| {
                entry
                    .status
                    .is_none_or(|status| status.state != QuestionState::Passed)
            })
            .collect(),
    }
}
