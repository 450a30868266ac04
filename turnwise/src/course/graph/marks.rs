//! What a unit's box says of it, in words and by its looks. Nothing is said by colour alone.

use turnwise_decisions::{Tier, course::UnitIndex, graph::is_blocked, record::Record};

/// What is drawn of a unit, besides its title and id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// Every student starts here.
    pub(super) entry: bool,
    /// No badge can be earned.
    pub(super) not_assessable: bool,
    /// The badge, where one can be earned and a student is given.
    pub(super) tier: Option<Tier>,
    /// Its prerequisites are met and it is not.
    pub(super) open: bool,
    /// A prerequisite is missing.
    pub(super) blocked: bool,
    /// The unit of the latest turn.
    pub(super) focus: bool,
    /// There is evidence, and gold is still to come.
    pub(super) in_progress: bool,
    /// The drills say that the student does not get on.
    pub(super) stuck: bool,
    /// A teacher marked it as met.
    pub(super) marked_met: bool,
}

impl Marks {
    /// What the course alone says of a unit.
    pub(super) fn of_course(entry: UnitIndex, at: UnitIndex, assessable: bool) -> Self {
        Self {
            entry: at == entry,
            not_assessable: !assessable,
            ..Self::default()
        }
    }

    /// What a student's record says of a unit. `in_progress` is whether the record counts it so.
    pub(super) fn of_record(record: &Record<'_>, at: UnitIndex, in_progress: bool) -> Self {
        let course = record.course();
        let assessable = course.unit(at).assessable;
        let blocked = is_blocked(record, at);
        Self {
            tier: assessable.then(|| record.tier(at)),
            open: !blocked && !record.is_met(at),
            blocked,
            focus: record.focus() == at,
            in_progress,
            stuck: record.is_stuck(at),
            marked_met: record.is_marked_met(at),
            ..Self::of_course(course.entry(), at, assessable)
        }
    }

    /// The marks as lines of words.
    pub(super) fn lines(&self) -> Vec<String> {
        let rows = [
            vec![
                (self.entry, "entry unit"),
                (self.not_assessable && !self.entry, "not assessable"),
                (self.tier.is_some(), self.tier.map_or("", Tier::as_str)),
                (self.open, "open"),
                (self.blocked, "blocked"),
            ],
            vec![
                (self.focus, "focus"),
                (self.in_progress, "in progress"),
                (self.stuck, "stuck"),
            ],
            vec![(self.marked_met, "met by a teacher's mark")],
        ];
        rows.into_iter()
            .map(|row| {
                let words: Vec<_> = row
                    .into_iter()
                    .filter_map(|(holds, word)| holds.then_some(word))
                    .collect();
                words.join(" · ")
            })
            .filter(|line| !line.is_empty())
            .collect()
    }

    /// The marks as attributes of the box; those that the graph's defaults give are left out.
    pub(super) fn attributes(&self) -> Vec<(&'static str, &'static str)> {
        let mut attributes = Vec::new();
        if self.entry {
            attributes.push(("shape", "oval"));
        }
        // Corners cut off stand out only in a solid line.
        let style = match (self.marked_met, self.blocked, self.not_assessable) {
            (true, _, _) => "filled,diagonals",
            (false, true, _) => "filled,rounded,dotted",
            (false, false, true) if self.entry => "filled",
            (false, false, true) => "filled,dashed",
            (false, false, false) => "",
        };
        if !style.is_empty() {
            attributes.push(("style", style));
        }
        match self.tier {
            Some(Tier::Bronze) => attributes.push(("fillcolor", BRONZE)),
            Some(Tier::Silver) => attributes.push(("fillcolor", SILVER)),
            Some(Tier::Gold) => attributes.push(("fillcolor", GOLD)),
            Some(Tier::None) | None => {}
        }
        if self.stuck {
            attributes.push(("color", ALARM));
        } else if self.focus || self.in_progress {
            attributes.push(("color", AT_WORK));
        }
        // Faint words are read on white, not on a badge's colour.
        if self.blocked && self.tier.is_none_or(|tier| tier == Tier::None) {
            attributes.push(("fontcolor", FAINT));
        }
        if self.focus {
            attributes.push(("peripheries", "2"));
        }
        if self.entry || self.stuck || self.focus || self.in_progress {
            attributes.push(("penwidth", "2"));
        }
        attributes
    }
}

/// Lines and small print; dark enough on white to be read.
pub(super) const FAINT: &str = "#5f6368";
/// What stops a student.
pub(super) const ALARM: &str = "#b3261e";
/// What a student is at.
const AT_WORK: &str = "#1a56a8";
// The three fills differ in lightness, too, and black is readable on each.
const BRONZE: &str = "#e0a877";
const SILVER: &str = "#d3d9e0";
const GOLD: &str = "#ffdf5e";
