//! What the student may press after a reply.

use turnwise_decisions::{Action, Availability, Event, EventKind, Label, Tier};

use super::{decide::Decision, plan::Plan, record::World};

/// A button for each unit to choose from, and for each action that is permitted now, whatever the pressed one narrowed the
/// reply to: the exam; the check of the prerequisite that blocks; the next unit where the focus has nothing more to offer,
/// before the exam on a gold one and where it leads on to what was asked for; a drill; a hint. The first is primary.
pub fn buttons(world: &World<'_>, plan: &Plan, decision: &Decision) -> Vec<(Label, Event, bool)> {
    let permits = |action| decision.permitted.contains(&action);
    let mut list = Vec::new();
    let mut add = |label, kind, unit: &str| {
        let event = Event {
            kind,
            unit_id: unit.to_owned(),
            question_id: String::new(),
        };
        let primary = list.is_empty();
        list.push((label, event, primary));
    };
    for unit in &plan.choices {
        add(Label::ChooseUnit, EventKind::ChooseUnit, unit);
    }
    let first = plan.focus_tier == Tier::Gold || plan.leads_to_target;
    if let Some(next) = plan.next_unit.as_ref().filter(|_| first) {
        add(Label::NextUnit, EventKind::RequestDrill, next);
    }
    if permits(Action::ExamBlock) {
        add(Label::TakeExam, EventKind::RequestExam, &plan.focus);
    }
    if let Some(blocker) = plan.blocker.as_ref().filter(|_| plan.check_open) {
        add(Label::CheckPrerequisite, EventKind::RequestExam, blocker);
    }
    if let Some(next) = &plan.next_unit
        && !first
        && nothing_more(world, plan, decision)
        && !permits(Action::ExamBlock)
    {
        add(Label::NextUnit, EventKind::RequestDrill, next);
    }
    if permits(Action::DrillCard) {
        add(Label::TryDrill, EventKind::RequestDrill, &plan.focus);
    }
    add(Label::AskHint, EventKind::StuckHint, &plan.focus);
    list
}

/// The focus has nothing more to offer: it has no badges, or is drilled and waits for an exam, the first one only where
/// it is locked.
fn nothing_more(world: &World<'_>, plan: &Plan, decision: &Decision) -> bool {
    let locked = decision.availability == Availability::Locked;
    !world.has_badges(&plan.focus) || (plan.exam_ready && (locked || plan.focus_tier != Tier::None))
}
