//! A student's record seen through a course: what is met, missing, stuck and ready.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::{
    course::{Course, ExamQuestion, UnitIndex},
    places::Places,
    rules::StuckRule,
    snapshot::{Progress, Snapshot},
    standing::BadgeCounts,
    words::Tier,
};

/// The record of one student in one course at one time, decoded: every id is resolved once, so that a decision's work
/// grows with what it looks at and not with what the student has done. Whatever the course does not know is left out.
#[derive(Debug, Clone)]
pub struct Record<'a> {
    course: &'a Course,
    /// In the order of the index.
    progress: Vec<(UnitIndex, Progress)>,
    /// In the order of the index.
    overrides: Vec<UnitIndex>,
    /// In the order of the index.
    placed: Vec<UnitIndex>,
    /// In the order of the index.
    unplaced: Vec<UnitIndex>,
    placement_waits: bool,
    focus: UnitIndex,
    target: Option<UnitIndex>,
    units_in_progress: Vec<UnitIndex>,
    last_mapped: Vec<(UnitIndex, f64)>,
    revisit: Vec<&'a ExamQuestion>,
    badges: BadgeCounts,
    /// The places of the path that have a badge, are marked as met or are placed.
    met: Places,
    last_turn_at: Option<Timestamp>,
    now: Timestamp,
}

impl<'a> Record<'a> {
    /// The most units that count as in progress.
    pub const MOST_IN_PROGRESS: usize = 6;

    /// Looks at a snapshot through a course. A time in the future counts as now.
    #[must_use]
    pub fn new(course: &'a Course, snapshot: &Snapshot, now: Timestamp) -> Self {
        let mut progress: Vec<_> = snapshot
            .progress
            .iter()
            .filter_map(|(id, progress)| Some((course.find(id)?, *progress)))
            .collect();
        progress.sort_unstable_by_key(|(at, _)| *at);
        let found = |ids: &BTreeSet<String>| {
            let mut units: Vec<_> = ids.iter().filter_map(|id| course.find(id)).collect();
            units.sort_unstable();
            units
        };
        let overrides = found(&snapshot.prerequisite_overrides);
        let placed = found(&snapshot.placed);
        let mut record = Self {
            course,
            badges: BadgeCounts::of(course, &progress),
            met: met(course, &progress, overrides.iter().chain(&placed)),
            progress,
            overrides,
            placed,
            unplaced: found(&snapshot.unplaced),
            placement_waits: snapshot.placement_waits,
            focus: course
                .find(&snapshot.focus_unit_id)
                .unwrap_or_else(|| course.entry()),
            target: course.find(&snapshot.target_unit_id),
            units_in_progress: Vec::with_capacity(Self::MOST_IN_PROGRESS),
            last_mapped: snapshot
                .last_mapped_units
                .iter()
                .filter_map(|unit| Some((course.find(&unit.unit_id)?, unit.confidence)))
                .collect(),
            revisit: Vec::new(),
            last_turn_at: snapshot.last_turn_at,
            now,
        };
        for at in snapshot
            .units_in_progress
            .iter()
            .filter_map(|id| course.find(id))
        {
            if record.units_in_progress.len() < Self::MOST_IN_PROGRESS
                && !record.is_finished(at)
                && !record.units_in_progress.contains(&at)
            {
                record.units_in_progress.push(at);
            }
        }
        record.revisit = revisit_queue(&record, snapshot);
        record
    }

    /// The course.
    #[must_use]
    pub fn course(&self) -> &'a Course {
        self.course
    }

    /// The time of the decision.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The unit of the latest turn, or the entry unit.
    #[must_use]
    pub fn focus(&self) -> UnitIndex {
        self.focus
    }

    /// What was asked for; `None` where nothing was, or the course has it no more.
    #[must_use]
    pub fn target(&self) -> Option<UnitIndex> {
        self.target
    }

    /// Units with evidence that have more to show, most recent first.
    #[must_use]
    pub fn units_in_progress(&self) -> &[UnitIndex] {
        &self.units_in_progress
    }

    /// The units that a model saw in the latest turn, and how sure it was.
    #[must_use]
    pub fn last_mapped(&self) -> &[(UnitIndex, f64)] {
        &self.last_mapped
    }

    /// The exam questions to come back to, oldest first: each once, and only those of the catalogue whose tier is above the
    /// badge.
    #[must_use]
    pub fn revisit(&self) -> &[&'a ExamQuestion] {
        &self.revisit
    }

    /// The unit for which an exam question is worth coming back to: the first that it tests and whose badge is below its
    /// tier.
    #[must_use]
    pub fn unit_to_revisit(&self, question: &ExamQuestion) -> Option<UnitIndex> {
        let mut tested = question.units.iter().filter_map(|id| self.course.find(id));
        tested.find(|at| self.tier(*at) < question.tier)
    }

    /// Units by badge.
    #[must_use]
    pub fn badges(&self) -> BadgeCounts {
        BadgeCounts {
            placed: self.placed().count(),
            ..self.badges
        }
    }

    /// The first unit of the course's path that is not met. On a course without cycles it is not blocked, as the path
    /// has every unit after its prerequisites.
    #[must_use]
    pub fn first_unmet(&self) -> Option<UnitIndex> {
        self.course.path().get(self.first_unmet_place()).copied()
    }

    /// The first place of the path whose unit is not met; it may lie behind the path.
    pub(crate) fn first_unmet_place(&self) -> usize {
        self.met.first_free()
    }

    /// The places of the path whose units are met, from one place on.
    pub(crate) fn met_places_from(&self, first: usize) -> impl Iterator<Item = usize> + '_ {
        self.met.iter_from(first)
    }

    /// Whether the unit at a place of the path is met.
    pub(crate) fn is_met_place(&self, place: usize) -> bool {
        self.met.contains(place)
    }

    /// The units with evidence, where any unit counts as met no more: see [`Record::stays_open`].
    pub(crate) fn kept_open(&self) -> impl Iterator<Item = UnitIndex> + '_ {
        let touched = self.progress.iter().filter(|_| !self.unplaced.is_empty());
        touched.map(|(at, _)| *at)
    }

    /// What the student has shown in a unit; all zero where that is nothing.
    #[must_use]
    pub fn progress(&self, at: UnitIndex) -> Progress {
        self.progress
            .binary_search_by_key(&at, |(unit, _)| *unit)
            .ok()
            .and_then(|i| self.progress.get(i))
            .map_or_else(Progress::default, |(_, progress)| *progress)
    }

    /// The badge on a unit.
    #[must_use]
    pub fn tier(&self, at: UnitIndex) -> Tier {
        self.progress(at).tier
    }

    /// Right drills in a row.
    #[must_use]
    pub fn streak(&self, at: UnitIndex) -> u32 {
        self.progress(at).streak_correct
    }

    /// Whether a unit counts as met where it is a prerequisite: it has a badge, can have none, a placement showed it to be
    /// known, or a teacher says so.
    #[must_use]
    pub fn is_met(&self, at: UnitIndex) -> bool {
        self.course
            .place_on_path(at)
            .is_none_or(|place| self.met.contains(place))
    }

    /// Whether a teacher marked a unit as met.
    #[must_use]
    pub fn is_marked_met(&self, at: UnitIndex) -> bool {
        self.overrides.binary_search(&at).is_ok()
    }

    /// Whether a placement showed a unit to be known. It has no badge.
    #[must_use]
    pub fn is_placed(&self, at: UnitIndex) -> bool {
        self.placed.binary_search(&at).is_ok() && self.tier(at) == Tier::None
    }

    /// The units without a badge, although one can be earned, that a placement showed to be known.
    pub fn placed(&self) -> impl Iterator<Item = UnitIndex> {
        let placed = self.placed.iter().copied();
        placed.filter(move |&at| self.course.unit(at).assessable && self.is_placed(at))
    }

    /// The units without a badge, although one can be earned, that are met all the same: placed, or marked by a teacher.
    pub(crate) fn met_without_badge(&self) -> impl Iterator<Item = UnitIndex> {
        let known = self.placed.iter().chain(&self.overrides).copied();
        known.filter(|&at| self.course.unit(at).assessable && self.tier(at) == Tier::None)
    }

    /// Whether a placement was begun and has not ended.
    #[must_use]
    pub fn placement_waits(&self) -> bool {
        self.placement_waits
    }

    /// Whether a unit that needs another stays open although the other counts as met no more: a placement had shown that to
    /// be known, and there is evidence here by now.
    #[must_use]
    pub fn stays_open(&self, at: UnitIndex, need: UnitIndex) -> bool {
        self.unplaced.binary_search(&need).is_ok() && self.progress(at) != Progress::default()
    }

    /// Whether the student is stuck on a unit, by the evidence of drills alone.
    #[must_use]
    pub fn is_stuck(&self, at: UnitIndex) -> bool {
        let rules = self.course.rules();
        let progress = self.progress(at);
        match rules.stuck_rule {
            StuckRule::AttemptsWithoutStreak => {
                progress.attempts >= rules.stuck_attempts && progress.streak_correct == 0
            }
            StuckRule::ConsecutiveWrong => progress.streak_wrong >= rules.stuck_attempts,
        }
    }

    /// Whether the drills on a unit are good enough for an exam question.
    #[must_use]
    pub fn is_drilled(&self, at: UnitIndex) -> bool {
        self.streak(at) >= self.course.rules().ready_streak
    }

    /// Whether a unit has nothing more to show: gold, or, where no badge can be earned, drills that are good enough.
    fn is_finished(&self, at: UnitIndex) -> bool {
        self.tier(at) == Tier::Gold || !self.course.unit(at).assessable && self.is_drilled(at)
    }

    /// Whether a unit has a badge that its latest drills would no longer earn. The badge stays.
    #[must_use]
    pub fn needs_review(&self, at: UnitIndex) -> bool {
        self.tier(at) >= Tier::Bronze && !self.is_drilled(at)
    }

    /// Hours since a unit with this progress was last worked on; `None` if it never was. A time in the future counts as
    /// now. The latest turn touches its focus.
    #[must_use]
    pub fn hours_since_touched(&self, at: UnitIndex, progress: &Progress) -> Option<f64> {
        let evidence = progress.last_touched_at;
        let turn = self.last_turn_at.filter(|_| at == self.focus);
        let touched = evidence.max(turn)?.min(self.now);
        Some(self.now.duration_since(touched).as_secs_f64() / 3600.0)
    }
}

/// The places of the path that have a badge, or count as met without.
fn met<'a>(
    course: &Course,
    progress: &'a [(UnitIndex, Progress)],
    without: impl Iterator<Item = &'a UnitIndex>,
) -> Places {
    let mut met = Places::none_of(course);
    progress
        .iter()
        .filter(|(_, p)| p.tier >= Tier::Bronze)
        .map(|(at, _)| at)
        .chain(without)
        .filter_map(|&at| course.place_on_path(at))
        .for_each(|place| {
            met.insert(place);
        });
    met
}

/// The revisit queue, oldest first: every question once, and only those that the catalogue has and that a badge does not
/// make needless.
fn revisit_queue<'a>(record: &Record<'a>, snapshot: &Snapshot) -> Vec<&'a ExamQuestion> {
    let mut seen = BTreeSet::new();
    snapshot
        .revisit_question_ids
        .iter()
        .filter(|id| seen.insert(id.as_str()))
        .filter_map(|id| record.course.question(id))
        .filter(|question| record.unit_to_revisit(question).is_some())
        .collect()
}
