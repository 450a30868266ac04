//! What a student is told of the way, of badges and locks, in the course's language.

use jiff::{Timestamp, tz::TimeZone};
use turnwise_decisions::{
    self as decisions, Announcement, Decision, EvidenceEvent, Standing, Tier,
};
use turnwise_messages::keys;

use crate::courses::LoadedCourse;

/// What a student is told before a reply; empty where there is nothing. What comes before the target is told once.
pub(super) fn before_reply(loaded: &LoadedCourse, decision: &Decision, way_told: bool) -> String {
    let told = decision.announcement.as_ref();
    let told = told.map(|told| announcement(loaded, told));
    let sentences: Vec<_> = way(loaded, &decision.standing, way_told)
        .into_iter()
        .chain(told)
        .collect();
    sentences.join(" ")
}

/// The way to what was asked for; `None` where that is the focus, and where it was told.
fn way(loaded: &LoadedCourse, standing: &Standing, is_told: bool) -> Option<String> {
    if is_told {
        return None;
    }
    let texts = loaded.course.texts();
    let way = standing.target.as_ref()?;
    let first = way.path.first()?;
    let title = |unit_id: &str| decisions::unit_name(&loaded.course, unit_id).into();
    let target = ("target", title(&way.unit.unit_id));
    if way.steps_to_go == 0 {
        return Some(texts.text(keys::WAY_OPEN, &[target]));
    }
    let sentence = if first.unit_id == standing.focus.unit_id {
        let unit = ("unit", title(&first.unit_id));
        texts.text(keys::WAY_BEFORE, &[target, unit])
    } else {
        let next = ("next", title(&first.unit_id));
        texts.text(keys::WAY_NEXT, &[target, next])
    };
    let steps = [("steps", way.steps_to_go.into())];
    Some(format!(
        "{sentence} {}",
        texts.text(keys::WAY_STEPS, &steps)
    ))
}

/// The question of a clarifier without a model: which of these units it is about. `None` where there are none to choose
/// from, and where the tutor said so last, of whichever units, or asked about most of these. `answered`: the lesson
/// that was found stands before it.
pub(super) fn which_unit(
    loaded: &LoadedCourse,
    choices: &[String],
    said: &[String],
    answered: bool,
) -> Option<String> {
    let key = match choices {
        [] => return None,
        [_] => keys::CHOOSE_THIS_UNIT,
        _ if answered => keys::CHOOSE_UNIT_AFTER_LESSON,
        _ => keys::CHOOSE_UNIT,
    };
    let titles: Vec<_> = choices
        .iter()
        .map(|unit_id| decisions::unit_name(&loaded.course, unit_id))
        .collect();
    let units = ("units", titles.join(", ").into());
    let question = loaded.course.texts().text(key, &[units]);
    let is_repeated = said.last().is_some_and(|last| {
        let named = titles.iter().filter(|title| last.contains(*title)).count();
        decisions::teaching::shares(&question, last) || titles.len() > 1 && named * 2 > titles.len()
    });
    (!is_repeated).then_some(question)
}

/// An announcement in words.
fn announcement(loaded: &LoadedCourse, announcement: &Announcement) -> String {
    let texts = loaded.course.texts();
    let title = |unit_id: &str| decisions::unit_name(&loaded.course, unit_id).into();
    match announcement {
        Announcement::ExamLocked {
            unit_id,
            tier,
            until,
            next_unit_id,
        } => {
            let meanwhile = match next_unit_id {
                Some(next) => texts.text(keys::MEANWHILE_NEXT, &[("next", title(next))]),
                None => texts.text(keys::MEANWHILE_PRACTISE, &[]),
            };
            format!("{} {meanwhile}", locked(loaded, unit_id, *tier, *until))
        }
        Announcement::UnitGold {
            unit_id,
            next_unit_id,
        } => texts.text(
            keys::UNIT_GOLD,
            &[("unit", title(unit_id)), ("next", title(next_unit_id))],
        ),
        Announcement::CourseGold { units } => {
            texts.text(keys::COURSE_GOLD, &[("units", (*units).to_string().into())])
        }
    }
}

/// The result of an exam question in words; empty with other events.
pub(super) fn result(
    loaded: &LoadedCourse,
    event: &EvidenceEvent,
    applied: (Tier, Tier),
    until: Option<Timestamp>,
) -> String {
    let texts = loaded.course.texts();
    let (before, after) = applied;
    match event {
        EvidenceEvent::ExamResult {
            question,
            passed: true,
        } if after > before => texts.text(
            keys::EXAM_PASSED_BADGE,
            &[
                ("tier", decisions::tier_name(texts, after).into()),
                (
                    "unit",
                    decisions::unit_name(&loaded.course, &question.unit_id).into(),
                ),
            ],
        ),
        EvidenceEvent::ExamResult { passed: true, .. } => texts.text(keys::EXAM_PASSED, &[]),
        EvidenceEvent::ExamResult {
            question,
            passed: false,
        }
        | EvidenceEvent::SupportViewed {
            question,
            locked: true,
        } => {
            let meanwhile = texts.text(keys::MEANWHILE_PRACTISE, &[]);
            let locked = locked(loaded, &question.unit_id, question.tier, until);
            format!("{locked} {meanwhile}")
        }
        EvidenceEvent::SupportViewed { locked: false, .. }
        | EvidenceEvent::DrillGraded { .. }
        | EvidenceEvent::PrerequisiteMarked { .. } => String::new(),
    }
}

fn locked(loaded: &LoadedCourse, unit_id: &str, tier: Tier, until: Option<Timestamp>) -> String {
    let texts = loaded.course.texts();
    let unit = decisions::unit_name(&loaded.course, unit_id).into();
    let tier = decisions::tier_name(texts, tier).into();
    match until {
        Some(until) => {
            let until = until.to_zoned(TimeZone::UTC);
            let until = until.strftime("%Y-%m-%d %H:%M UTC").to_string();
            let known = [("tier", tier), ("unit", unit), ("until", until.into())];
            texts.text(keys::EXAM_LOCKED_UNTIL, &known)
        }
        None => texts.text(keys::EXAM_LOCKED, &[("tier", tier), ("unit", unit)]),
    }
}
