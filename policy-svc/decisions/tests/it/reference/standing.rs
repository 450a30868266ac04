//! What people see of a record.

use jiff::Timestamp;
use turnwise_decisions::{QuestionState, Tier};

use super::{mapping::Mapping, record::World, target::Way};

/// The exam system's word on a question.
pub type Word = (QuestionState, Option<Timestamp>);

#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    pub focus: (String, String),
    pub focus_tier: Tier,
    pub needs_review: bool,
    /// The target, the next 20 units from the focus to it, and how many come before it.
    pub target: Option<(String, Vec<String>, usize)>,
    pub nudge: Option<(String, String)>,
    pub locked: usize,
    pub next_eligible_at: Option<Timestamp>,
    pub next_question: Option<String>,
    /// Question and unit of the entries that are shown.
    pub entries: Vec<(String, String)>,
    /// Bronze, silver, gold, all units in which a badge can be earned, and the placed ones that have none.
    pub counts: [usize; 5],
    /// The first placed ones, along the path.
    pub placed: Vec<String>,
}

/// What people see; `word` tells what the exam system said of a question.
pub fn standing(
    world: &World<'_>,
    focus: &str,
    blocker: Option<&str>,
    way: &Way,
    word: &dyn Fn(&str) -> Option<Word>,
) -> Standing {
    let view = |id: &str| {
        let title = world.unit(id).map(|unit| unit.title.clone());
        (id.to_owned(), title.unwrap_or_default())
    };
    let count = |tier: Tier| {
        world
            .course
            .units
            .iter()
            .filter(|unit| world.has_badges(&unit.id) && world.tier(&unit.id) == tier)
            .count()
    };
    let is_placed =
        |id: &String| world.tier(id) == Tier::None && world.snapshot.placed.contains(id);
    let placed = world
        .course
        .units
        .iter()
        .filter(|unit| world.has_badges(&unit.id) && is_placed(&unit.id));
    let badges = [Tier::None, Tier::Bronze, Tier::Silver, Tier::Gold].map(count);

    let mut queue = world.revisit_queue();
    let mut shown = queue.clone();
    shown.truncate(20);
    shown.retain(|id| word(id).is_none_or(|(state, _)| state != QuestionState::Passed));
    queue.retain(|id| word(id).is_none_or(|(state, _)| state != QuestionState::Passed));
    let is_locked = |id: &String| word(id).is_some_and(|(state, _)| state == QuestionState::Locked);
    let mut ends: Vec<(Timestamp, String)> = Vec::new();
    for id in queue.iter().filter(|id| is_locked(id)) {
        if let Some((_, Some(end))) = word(id) {
            ends.push((end, id.clone()));
        }
    }
    // Stable: of two locks that end together the older entry is first.
    ends.sort_by_key(|(end, _)| *end);
    let unlocked = queue.iter().find(|id| !is_locked(id)).cloned();
    Standing {
        focus: view(focus),
        focus_tier: world.tier(focus),
        needs_review: world.tier(focus) != Tier::None && !world.is_drilled(focus),
        target: (way.target != focus).then(|| {
            let mut steps = world.steps(way, focus);
            steps.truncate(20);
            (way.target.clone(), steps, way.missing.len())
        }),
        nudge: blocker.map(view).or_else(|| {
            let first = world.steps(way, focus).into_iter().next();
            first
                .filter(|_| !way.missing.is_empty())
                .map(|unit| view(&unit))
        }),
        entries: shown
            .into_iter()
            .map(|id| (id.clone(), world.unit_to_revisit(&id).unwrap()))
            .collect(),
        locked: queue.iter().filter(|id| is_locked(id)).count(),
        next_eligible_at: ends.first().map(|(end, _)| *end),
        next_question: ends
            .first()
            .map(|(_, id)| id.clone())
            .or(unlocked)
            .or_else(|| queue.first().cloned()),
        counts: [
            badges[1],
            badges[2],
            badges[3],
            badges.iter().sum::<usize>(),
            placed.count(),
        ],
        placed: world
            .path()
            .into_iter()
            .filter(is_placed)
            .take(50)
            .collect(),
    }
}

/// What people see outside a turn: the focus is the latest turn's, and the walk starts there, as with an empty message.
pub fn outside_a_turn(world: &World<'_>, word: &dyn Fn(&str) -> Option<Word>) -> Standing {
    let focus = world.focus();
    let scores = Mapping::new(world, &[], None).scores;
    let blocker = world.blocker(&scores, &focus);
    let target = world.kept_target().unwrap_or_else(|| focus.clone());
    let way = world.way(&scores, &target);
    standing(world, &focus, blocker.as_deref(), &way, word)
}
