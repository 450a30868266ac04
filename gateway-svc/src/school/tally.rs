//! What was counted of students in some weeks, added up.

use std::{cmp::Reverse, collections::BTreeMap, ops::RangeInclusive};

use jiff::{Timestamp, civil::Date};
use turnwise_proto::{
    school::v1::{Activity, DayCount, FallbackCount, MistakeCount},
    session::v1::WeekActivity,
};

const DAY_SECONDS: i64 = 86_400;
/// Days from 1970-01-01 to the Monday after, with which week 0 begins.
const FIRST_MONDAY: i64 = 4;

/// The weeks of a report, and its halves. Of an odd number of weeks the middle one is in neither half.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    first: i64,
    last: i64,
    half: i64,
}

impl Window {
    /// So many weeks, the one of this time included.
    pub(super) fn of(now: Timestamp, weeks: i32) -> Self {
        let day = now.as_second().div_euclid(DAY_SECONDS) - FIRST_MONDAY;
        let (last, weeks) = (day.div_euclid(7), i64::from(weeks));
        Self {
            first: last - weeks + 1,
            last,
            half: weeks / 2,
        }
    }

    /// A clock that is ahead may have begun the next week.
    fn weeks(self) -> RangeInclusive<i64> {
        self.first..=self.last + 1
    }

    fn is_earlier(self, week: i64) -> bool {
        week < self.first + self.half
    }

    fn is_recent(self, week: i64) -> bool {
        week > self.last - self.half
    }
}

/// One kind of mistake.
#[derive(Debug, Clone, Copy, Default)]
struct Mistake {
    count: i64,
    recent: i64,
    earlier: i64,
}

/// What was counted.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    /// Turns and drills by day: days since the first Monday.
    days: BTreeMap<i64, (i64, i64)>,
    wrong_drills: i64,
    stuck_presses: BTreeMap<String, i64>,
    hints: BTreeMap<String, i64>,
    /// By the reason's number.
    fallbacks: BTreeMap<i32, i64>,
    /// By unit and tag.
    mistakes: BTreeMap<(String, String), Mistake>,
}

impl Tally {
    /// What one student's weeks hold of those in the window.
    pub(super) fn of(weeks: &[WeekActivity], window: Window) -> Self {
        let mut tally = Self::default();
        for week in weeks {
            if window.weeks().contains(&week.week) {
                tally.enter(week, window);
            }
        }
        tally
    }

    fn enter(&mut self, week: &WeekActivity, window: Window) {
        let days = week.turns.iter().zip(&week.drills).zip(0..);
        for ((&turns, &drills), day) in days {
            if turns > 0 || drills > 0 {
                let entry = self.days.entry(week.week * 7 + day).or_default();
                entry.0 += turns;
                entry.1 += drills;
            }
        }
        self.wrong_drills += week.wrong_drills;
        for (name, &count) in &week.counts {
            let Some((what, about)) = name.split_once(':') else {
                continue;
            };
            match what {
                "stuck" => *self.stuck_presses.entry(about.to_owned()).or_default() += count,
                "hint" => *self.hints.entry(about.to_owned()).or_default() += count,
                "fallback" => {
                    let reason = about.parse().unwrap_or(0);
                    *self.fallbacks.entry(reason).or_default() += count;
                }
                "mistake" => {
                    let (unit, tag) = about.split_once(':').unwrap_or((about, ""));
                    let key = (unit.to_owned(), tag.to_owned());
                    let mistake = self.mistakes.entry(key).or_default();
                    mistake.count += count;
                    if window.is_recent(week.week) {
                        mistake.recent += count;
                    }
                    if window.is_earlier(week.week) {
                        mistake.earlier += count;
                    }
                }
                // Counted by a newer version.
                _ => {}
            }
        }
    }

    /// Adds another's.
    pub(super) fn add(&mut self, other: &Self) {
        for (day, (turns, drills)) in &other.days {
            let entry = self.days.entry(*day).or_default();
            entry.0 += turns;
            entry.1 += drills;
        }
        self.wrong_drills += other.wrong_drills;
        for (into, from) in [
            (&mut self.stuck_presses, &other.stuck_presses),
            (&mut self.hints, &other.hints),
        ] {
            for (unit, count) in from {
                *into.entry(unit.clone()).or_default() += count;
            }
        }
        for (reason, count) in &other.fallbacks {
            *self.fallbacks.entry(*reason).or_default() += count;
        }
        for (key, more) in &other.mistakes {
            self.mistakes.entry(key.clone()).or_default().add(*more);
        }
    }

    pub(super) fn turns(&self) -> i64 {
        self.days.values().map(|(turns, _)| turns).sum()
    }

    pub(super) fn drills(&self) -> i64 {
        self.days.values().map(|(_, drills)| drills).sum()
    }

    pub(super) fn wrong_drills(&self) -> i64 {
        self.wrong_drills
    }

    /// "I'm stuck" on a unit.
    pub(super) fn stuck_presses(&self, unit: &str) -> i64 {
        self.stuck_presses.get(unit).copied().unwrap_or(0)
    }

    pub(super) fn all_stuck_presses(&self) -> i64 {
        self.stuck_presses.values().sum()
    }

    /// Socratic questions on a unit.
    pub(super) fn hints(&self, unit: &str) -> i64 {
        self.hints.get(unit).copied().unwrap_or(0)
    }

    pub(super) fn all_hints(&self) -> i64 {
        self.hints.values().sum()
    }

    pub(super) fn all_fallbacks(&self) -> i64 {
        self.fallbacks.values().sum()
    }

    /// What went wrong in a unit, or in all units by tag; the most frequent first.
    pub(super) fn mistakes(&self, unit: Option<&str>) -> Vec<MistakeCount> {
        let mut by_tag: BTreeMap<&str, Mistake> = BTreeMap::new();
        for ((of, tag), mistake) in &self.mistakes {
            if unit.is_none_or(|unit| unit == of) {
                by_tag.entry(tag).or_default().add(*mistake);
            }
        }
        let mut found: Vec<MistakeCount> = by_tag
            .into_iter()
            .map(|(tag, mistake)| MistakeCount {
                tag: tag.to_owned(),
                count: mistake.count,
                recent: mistake.recent,
                earlier: mistake.earlier,
            })
            .collect();
        // Stable: of equals the first by tag.
        found.sort_by_key(|mistake| Reverse(mistake.count));
        found
    }

    /// What a report tells of all.
    pub(super) fn activity(&self) -> Activity {
        Activity {
            days: self
                .days
                .iter()
                .map(|(day, (turns, drills))| DayCount {
                    date: date(*day),
                    turns: *turns,
                    drills: *drills,
                })
                .collect(),
            stuck_presses: self.all_stuck_presses(),
            hints: self.all_hints(),
            fallbacks: self
                .fallbacks
                .iter()
                .map(|(reason, count)| FallbackCount {
                    reason: *reason,
                    count: *count,
                })
                .collect(),
        }
    }
}

impl Mistake {
    fn add(&mut self, more: Self) {
        self.count += more.count;
        self.recent += more.recent;
        self.earlier += more.earlier;
    }
}

/// A day as `2026-11-23`.
fn date(day: i64) -> String {
    let seconds = (day + FIRST_MONDAY).saturating_mul(DAY_SECONDS);
    let time = Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH);
    let date: Date = time.to_zoned(jiff::tz::TimeZone::UTC).date();
    date.to_string()
}
