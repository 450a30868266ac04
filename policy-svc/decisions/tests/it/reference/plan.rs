//! What a turn is about, before the exam system is asked.

use turnwise_decisions::{Event, MappedUnit, Tier};

use super::{
    mapping::Mapping,
    record::World,
    scope,
    score::Parts,
    standing::{self, Standing},
    target::Way,
};

/// What came in besides the record.
#[derive(Debug, Clone, Copy)]
pub struct Message<'a> {
    pub mapped: &'a [MappedUnit],
    pub event: Option<&'a Event>,
    pub target_locked: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub target: String,
    pub blocker: Option<String>,
    pub focus: String,
    pub focus_tier: Tier,
    pub stuck: bool,
    pub exam_ready: bool,
    pub desired_tier: Tier,
    pub candidates: Vec<(String, Parts, f64)>,
    pub scope: Vec<String>,
    pub mapped: Vec<(String, f64)>,
    pub target_locked: bool,
    pub clamped: bool,
    pub revisit: Vec<String>,
    pub focus_revisit: Vec<String>,
    pub units_in_progress: Vec<String>,
    pub next_unit: Option<String>,
    pub leads_to_target: bool,
    pub way: Way,
    pub choices: Vec<String>,
    pub check_open: bool,
    pub standing: Standing,
}

/// `Err` holds the event's unit that the course does not have.
pub fn plan(world: &World<'_>, message: &Message<'_>) -> Result<Plan, String> {
    if let Some(event) = message.event
        && !world.is_known(&event.unit_id)
    {
        return Err(event.unit_id.clone());
    }
    let mapping = Mapping::new(world, message.mapped, message.event);

    // The best mapped unit of this turn, if it is sure enough, else the unit of the latest turn.
    let sure = mapping
        .own
        .first()
        .filter(|(_, confidence)| *confidence >= world.course.rules.target_confidence);
    let target = sure.map_or_else(|| world.focus(), |(unit, _)| unit.clone());

    let asked = sure.map(|(unit, _)| unit.as_str());
    let asked_for = world.target_after(asked, message.event, &target);
    let way = world.way(&mapping.scores, &asked_for);
    let blocker = world.blocker(&mapping.scores, &target);
    let focus = blocker.clone().unwrap_or_else(|| target.clone());
    let desired_tier = desired_tier(world.tier(&focus));

    // The thread is about a unit for certain from its first turn that is sure or names a unit.
    let target_locked = message.target_locked || sure.is_some() || message.event.is_some();
    let clamped = !target_locked && world.focus() == world.course.entry_unit;

    // Only a question is allowed then: it is about one of these, of what is not met before what is.
    let mut choices: Vec<String> = Vec::new();
    for met in [false, true] {
        for (unit, confidence) in &mapping.own {
            let is_new = *unit != world.course.entry_unit && world.is_met(unit) == met;
            if clamped && is_new && *confidence > 0.0 && choices.len() < 3 {
                choices.push(unit.clone());
            }
        }
    }

    let mut focus_revisit = world.revisit_queue();
    focus_revisit.retain(|question| world.question_is_for(question, &focus, desired_tier));

    Ok(Plan {
        stuck: world.is_stuck(&focus),
        exam_ready: exam_ready(world, blocker.as_deref(), &focus),
        candidates: scope::candidates(world, &mapping)
            .into_iter()
            .map(|unit| {
                let parts = mapping.scores.parts(world, &unit);
                let total = mapping.scores.total(world, &unit);
                (unit, parts, total)
            })
            .collect(),
        scope: scope::scoped(world, &mapping, &focus, blocker.as_deref(), &target),
        revisit: world.revisit_queue(),
        units_in_progress: world.units_in_progress(),
        next_unit: world.next_unit(&mapping, &focus, &way),
        leads_to_target: world.is_met(&focus) && world.next_step(&way, &focus).is_some(),
        choices,
        check_open: blocker
            .as_ref()
            .is_some_and(|unit| world.is_drilled(unit) && !world.is_blocked(unit)),
        standing: standing::standing(world, &focus, blocker.as_deref(), &way, &|_| None),
        way,
        focus_tier: world.tier(&focus),
        mapped: mapping.joined,
        desired_tier,
        target,
        blocker,
        focus,
        target_locked,
        clamped,
        focus_revisit,
    })
}

fn desired_tier(tier: Tier) -> Tier {
    match tier {
        Tier::None => Tier::Bronze,
        Tier::Bronze => Tier::Silver,
        Tier::Silver | Tier::Gold => Tier::Gold,
    }
}

/// The focus is not blocked, its streak is long enough, and there is no blocker. Where no badge can be earned, as on the
/// entry unit, there are no exams.
fn exam_ready(world: &World<'_>, blocker: Option<&str>, focus: &str) -> bool {
    !world.is_blocked(focus)
        && world.is_drilled(focus)
        && blocker.is_none()
        && world.has_badges(focus)
}
