//! A queue as it is shown.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc, time::Duration};

use crate::{
    forecast::{ServiceTimes, WaitEstimate},
    order::Micros,
    snapshot::OrderSnapshot,
};

/// A queue at one moment. It tells of classes, and of students only what stands for them.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueView {
    /// Whose queue it is.
    pub scope: Scope,
    /// The slots that this process may use now, by index.
    pub slots: Vec<SlotView>,
    /// The first of those who wait, in the order in which they would start if nobody else came.
    pub waiting: Vec<EntryView>,
    /// All classes with somebody in the queue, by name.
    pub classes: Vec<ClassView>,
    /// How many wait, those whose place is held included.
    pub waiting_total: usize,
    /// The average of recent calls; none until one has been measured.
    pub service_time: Option<Duration>,
}

/// Whose queue it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// This process's alone, as is configured.
    Process,
    /// All replicas', through Redis.
    Shared,
    /// This process's alone for as long as Redis is out of reach.
    Detached,
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
    /// What stands for the student; empty for nobody in particular.
    pub student: String,
    /// For how long it has been in the queue.
    pub waited: Duration,
    /// The bound for the time until its start, as [`crate::Place::wait`].
    pub wait: Duration,
    /// The replica that it waits in.
    pub replica: usize,
    /// Its owner got a retry hint, and the place is held until then.
    pub held: bool,
}

/// A class's part of a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassView {
    /// The class.
    pub class: Arc<str>,
    /// How many of its requests wait, those whose place is held included.
    pub waiting: usize,
    /// How many students they belong to.
    pub students: usize,
    /// Its weight against other classes.
    pub weight: u32,
}

/// What a view is made from.
#[derive(Debug)]
pub struct ViewInput<'a> {
    /// Whose queue it is.
    pub scope: Scope,
    /// The slots.
    pub slots: Vec<SlotView>,
    /// Who is in the queue.
    pub snapshot: &'a OrderSnapshot,
    /// The estimates of their waits, in the order of starts.
    pub estimates: &'a [WaitEstimate],
    /// The service times.
    pub times: &'a ServiceTimes,
    /// How many of those who wait are shown.
    pub max: usize,
    /// The time.
    pub now: Micros,
}

/// Makes a view.
pub fn build(input: ViewInput<'_>) -> QueueView {
    let ViewInput {
        snapshot, times, ..
    } = input;
    let waiting = input
        .estimates
        .iter()
        .take(input.max)
        .filter_map(|estimate| {
            let entry = snapshot.entries.get(estimate.index)?;
            Some(EntryView {
                position: estimate.position,
                class: Arc::clone(&snapshot.classes.get(entry.class)?.name),
                purpose: entry.purpose.clone(),
                student: entry.student.hash(),
                waited: Duration::from_micros(input.now.saturating_sub(entry.since)),
                wait: estimate.bound,
                replica: entry.replica,
                held: entry.held,
            })
        });
    QueueView {
        scope: input.scope,
        slots: input.slots,
        waiting: waiting.collect(),
        classes: classes(snapshot),
        waiting_total: snapshot.entries.len(),
        service_time: (times.count > 0).then(|| times.mean()),
    }
}

/// The classes of both bands, by name. Entries of one class, band and place are one student's.
fn classes(snapshot: &OrderSnapshot) -> Vec<ClassView> {
    let mut classes: BTreeMap<&Arc<str>, ClassView> = BTreeMap::new();
    let mut last = None;
    for entry in &snapshot.entries {
        let Some(class) = snapshot.classes.get(entry.class) else {
            continue;
        };
        let view = classes.entry(&class.name).or_insert_with(|| ClassView {
            class: Arc::clone(&class.name),
            waiting: 0,
            students: 0,
            weight: class.weight,
        });
        let student = Some((entry.class, entry.place));
        view.waiting += 1;
        view.students += usize::from(last != student);
        last = student;
    }
    classes.into_values().collect()
}
