//! A line as it is shown.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc, time::Duration};

use crate::{
    forecast::{Foreseen, ServiceTimes},
    lineup::Lineup,
    order::Micros,
};

/// A line at one moment. It tells of classes and never of pupils.
#[derive(Debug, Clone, PartialEq)]
pub struct LineView {
    /// Whose line it is.
    pub scope: Scope,
    /// The slots that this process may use now, by index.
    pub slots: Vec<SlotView>,
    /// The first of those who wait, in the order in which they would start if nobody else came.
    pub waiting: Vec<EntryView>,
    /// All classes with somebody in line, by name.
    pub classes: Vec<ClassView>,
    /// How many wait, those whose place is held included.
    pub waiting_total: usize,
    /// The average of recent calls; none until one has been measured.
    pub service_time: Option<Duration>,
}

/// Whose line it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// This process's alone, as is configured.
    Process,
    /// All replicas', through Redis.
    Shared,
    /// This process's alone for as long as Redis is out of reach.
    CutOff,
}

/// A slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotView {
    /// Its number, from 0.
    pub index: usize,
    /// What runs in it.
    pub call: Option<CallView>,
}

/// A call that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallView {
    /// The class that it counts for.
    pub class: Arc<str>,
    /// What it is for.
    pub purpose: Cow<'static, str>,
    /// For how long it has run.
    pub running: Duration,
    /// The replica that it runs for.
    pub replica: usize,
}

/// Somebody who waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryView {
    /// 1 for who starts next.
    pub position: usize,
    /// The class that it counts for.
    pub class: Arc<str>,
    /// What it is for.
    pub purpose: Cow<'static, str>,
    /// For how long it has been in line.
    pub waited: Duration,
    /// The bound for the time until its start, as [`crate::Place::wait`].
    pub wait: Duration,
    /// The replica that it waits in.
    pub replica: usize,
    /// Its owner was told to come back, and the place is held until then.
    pub held: bool,
}

/// A class's part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassView {
    /// The class.
    pub class: Arc<str>,
    /// How many of its requests wait, those whose place is held included.
    pub waiting: usize,
    /// How many pupils they belong to.
    pub pupils: usize,
    /// Its weight against other classes.
    pub weight: u32,
}

/// What a line is drawn from.
#[derive(Debug)]
pub struct Drawn<'a> {
    /// Whose line it is.
    pub scope: Scope,
    /// The slots.
    pub slots: Vec<SlotView>,
    /// Who is in line.
    pub lineup: &'a Lineup,
    /// What is foreseen for them.
    pub foreseen: &'a [Foreseen],
    /// The service times.
    pub times: &'a ServiceTimes,
    /// How many of those who wait are shown.
    pub max: usize,
    /// The time.
    pub now: Micros,
}

/// Draws a line.
pub fn draw(drawn: Drawn<'_>) -> LineView {
    let Drawn { lineup, times, .. } = drawn;
    let waiting = drawn
        .foreseen
        .iter()
        .take(drawn.max)
        .filter_map(|foreseen| {
            let entry = lineup.entries.get(foreseen.index)?;
            Some(EntryView {
                position: foreseen.position,
                class: Arc::clone(&lineup.classes.get(entry.class)?.name),
                purpose: entry.purpose.clone(),
                waited: Duration::from_micros(drawn.now.saturating_sub(entry.since)),
                wait: foreseen.bound,
                replica: entry.replica,
                held: entry.held,
            })
        });
    LineView {
        scope: drawn.scope,
        slots: drawn.slots,
        waiting: waiting.collect(),
        classes: classes(lineup),
        waiting_total: lineup.entries.len(),
        service_time: (times.count > 0).then(|| times.mean()),
    }
}

/// The classes of both bands, by name. Entries of one class, band and place are one pupil's.
fn classes(lineup: &Lineup) -> Vec<ClassView> {
    let mut classes: BTreeMap<&Arc<str>, ClassView> = BTreeMap::new();
    let mut last = None;
    for entry in &lineup.entries {
        let Some(class) = lineup.classes.get(entry.class) else {
            continue;
        };
        let view = classes.entry(&class.name).or_insert_with(|| ClassView {
            class: Arc::clone(&class.name),
            waiting: 0,
            pupils: 0,
            weight: class.weight,
        });
        let pupil = Some((entry.class, entry.place));
        view.waiting += 1;
        view.pupils += usize::from(last != pupil);
        last = pupil;
    }
    classes.into_values().collect()
}
