//! The order beside a plain model of its rules, and beside a forecast.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use proptest::{collection::vec, prelude::*};
use turnwise_llm_queue::{
    Band, Owner,
    forecast::{ServiceTimes, estimate_waits},
    order::{Entry, EntryId, Micros, Order, SCALE},
};

const AGING: Micros = 50;

#[derive(Debug, Clone)]
enum Step {
    Enter {
        class: u8,
        student: u8,
        thread: u8,
        batch: bool,
    },
    Hold {
        which: usize,
        span: u64,
    },
    Remove {
        which: usize,
    },
    Start,
    Pass {
        span: u64,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let enter = (0_u8..3, 0_u8..4, 0_u8..3, prop::bool::weighted(0.2));
    let step = prop_oneof![
        6 => enter.prop_map(|(class, student, thread, batch)| Step::Enter { class, student, thread, batch }),
        1 => (any::<usize>(), 0_u64..60).prop_map(|(which, span)| Step::Hold { which, span }),
        1 => any::<usize>().prop_map(|which| Step::Remove { which }),
        4 => Just(Step::Start),
        2 => (0_u64..30).prop_map(|span| Step::Pass { span }),
    ];
    vec(step, 0..120)
}

fn owner(class: u8, student: u8, thread: u8) -> Owner {
    Owner {
        class: format!("class {class}"),
        // One of them is nobody in particular.
        student: if student == 0 {
            String::new()
        } else {
            student.to_string()
        },
        thread: thread.to_string(),
        purpose: "turn",
    }
}

fn entry(id: EntryId, owner: Owner, batch: bool, now: Micros) -> Entry {
    Entry {
        id,
        weight: if owner.class == "class 0" { 3 } else { 1 },
        owner: Arc::new(owner),
        band: if batch {
            Band::Batch
        } else {
            Band::Interactive
        },
        since: now,
        replica: 0,
        held_until: None,
    }
}

/// The rules, done by looking at everybody each time.
#[derive(Default)]
struct Model {
    entries: Vec<(Entry, u64)>,
    places: BTreeMap<(Band, String, String), u64>,
    /// By band and class: tag and stamp; they stay when a class has left, until the band is empty.
    tags: BTreeMap<(Band, String), (u64, u64)>,
    virtual_times: BTreeMap<Band, u64>,
    passed_over_since: Option<Micros>,
    last_tick: u64,
}

fn student(entry: &Entry) -> (Band, String, String) {
    let name = match entry.owner.student.as_str() {
        "" => format!("nobody {}", entry.id),
        name => name.to_owned(),
    };
    (entry.band, entry.owner.class.clone(), name)
}

impl Model {
    fn tick(&mut self, now: Micros) -> u64 {
        self.last_tick = now.max(self.last_tick + 1);
        self.last_tick
    }

    fn add(&mut self, entry: Entry, now: Micros) {
        let tick = self.tick(now);
        let class = (entry.band, entry.owner.class.clone());
        if !self
            .entries
            .iter()
            .any(|(other, _)| (other.band, &other.owner.class) == (class.0, &class.1))
        {
            let last = self.tags.get(&class).map_or(0, |(tag, _)| *tag);
            let virtual_time = self.virtual_times.get(&class.0).copied().unwrap_or(0);
            self.tags.insert(class, (last.max(virtual_time), tick));
        }
        self.places.entry(student(&entry)).or_insert(tick);
        self.entries.push((entry, tick));
        self.tidy(now);
    }

    fn remove(&mut self, id: EntryId, now: Micros) -> Entry {
        let index = self
            .entries
            .iter()
            .position(|(entry, _)| entry.id == id)
            .unwrap();
        let (entry, _) = self.entries.remove(index);
        self.tidy(now);
        entry
    }

    fn start(&mut self, now: Micros) -> Option<EntryId> {
        let present = |band| {
            let of_band =
                move |entry: &&(Entry, u64)| entry.0.band == band && entry.0.held_until.is_none();
            self.entries.iter().filter(of_band)
        };
        let aged = self
            .passed_over_since
            .is_some_and(|since| now - since >= AGING);
        let interactive = present(Band::Interactive).count() > 0;
        let batch = present(Band::Batch).count() > 0;
        let band = if batch && (aged || !interactive) {
            Band::Batch
        } else {
            Band::Interactive
        };
        let key = |(entry, arrival): &&(Entry, u64)| {
            let (tag, stamp) = self.tags[&(entry.band, entry.owner.class.clone())];
            (tag, stamp, self.places[&student(entry)], *arrival)
        };
        let (next, _) = present(band).min_by_key(key)?.clone();
        let tick = self.tick(now);
        let class = (band, next.owner.class.clone());
        let tag = self.tags[&class].0;
        self.virtual_times.insert(
            band,
            tag.max(self.virtual_times.get(&band).copied().unwrap_or(0)),
        );
        self.tags
            .insert(class, (tag + SCALE / u64::from(next.weight), tick));
        self.places.insert(student(&next), tick);
        if band == Band::Batch {
            self.passed_over_since = None;
        }
        self.remove(next.id, now);
        Some(next.id)
    }

    fn tidy(&mut self, now: Micros) {
        let students: Vec<_> = self
            .entries
            .iter()
            .map(|(entry, _)| student(entry))
            .collect();
        self.places.retain(|name, _| students.contains(name));
        for band in [Band::Interactive, Band::Batch] {
            if !self.entries.iter().any(|(entry, _)| entry.band == band) {
                self.tags.retain(|(other, _), _| *other != band);
                self.virtual_times.remove(&band);
            }
        }
        let present =
            |(entry, _): &(Entry, u64)| entry.band == Band::Batch && entry.held_until.is_none();
        if !self.entries.iter().any(present) {
            self.passed_over_since = None;
        } else {
            self.passed_over_since.get_or_insert(now);
        }
    }
}

/// An order and its model after some steps, which agree all the way.
fn after(steps: Vec<Step>) -> (Order, Model, Micros) {
    let (mut order, mut model, mut now) = (Order::new(AGING), Model::default(), 100);
    for (id, step) in (1..).zip(steps) {
        match step {
            Step::Enter {
                class,
                student,
                thread,
                batch,
            } => {
                let entry = entry(id, owner(class, student, thread), batch, now);
                let older = order.of(&entry.owner).map(|older| (older.id, older.band));
                match older {
                    Some((older, band)) if band == entry.band => {
                        order.take_over(older, entry.clone(), now);
                        let at = model
                            .entries
                            .iter()
                            .position(|(entry, _)| entry.id == older)
                            .unwrap();
                        model.entries[at].0 = entry;
                        model.tidy(now);
                    }
                    older => {
                        if let Some((older, _)) = older {
                            order.remove(older, now);
                            model.remove(older, now);
                        }
                        order.add(entry.clone(), now);
                        model.add(entry, now);
                    }
                }
            }
            Step::Hold { which, span } if !model.entries.is_empty() => {
                let at = which % model.entries.len();
                let entry = &mut model.entries[at].0;
                entry.held_until = Some(now + span);
                order.hold(entry.id, now + span, now);
                model.tidy(now);
            }
            Step::Remove { which } if !model.entries.is_empty() => {
                let id = model.entries[which % model.entries.len()].0.id;
                model.remove(id, now);
                assert_eq!(order.remove(id, now).map(|entry| entry.id), Some(id));
            }
            Step::Hold { .. } | Step::Remove { .. } => {}
            Step::Start => assert_eq!(order.start(now).map(|entry| entry.id), model.start(now)),
            Step::Pass { span } => {
                now += span;
                let expired =
                    |(entry, _): &(Entry, u64)| entry.held_until.is_some_and(|until| until < now);
                let expired: Vec<_> = model
                    .entries
                    .iter()
                    .filter(|entry| expired(entry))
                    .cloned()
                    .collect();
                for (entry, _) in &expired {
                    model.remove(entry.id, now);
                }
                assert_eq!(order.expire(now), !expired.is_empty());
            }
        }
        let present = model
            .entries
            .iter()
            .filter(|(entry, _)| entry.held_until.is_none());
        assert_eq!(
            (order.len(), order.present()),
            (model.entries.len(), present.count())
        );
    }
    (order, model, now)
}

proptest! {
    #[test]
    fn the_order_keeps_its_rules(steps in steps()) {
        let (mut order, mut model, now) = after(steps);
        while let Some(next) = model.start(now) {
            prop_assert_eq!(order.start(now).map(|entry| entry.id), Some(next));
        }
        prop_assert!(order.start(now).is_none());
    }

    /// With one slot and calls that take as long as estimated, everybody starts as estimated.
    #[test]
    fn a_forecast_runs_the_order_forward(steps in steps()) {
        let (mut order, model, now) = after(steps);
        for (entry, _) in model.entries.iter().filter(|(entry, _)| entry.held_until.is_some()) {
            order.remove(entry.id, now);
        }
        let mean = Duration::from_micros(7);
        let estimates = estimate_waits(&order.snapshot(), &[None], &ServiceTimes::prior(mean), Duration::from_micros(AGING), now);
        prop_assert_eq!(estimates.len(), order.len());
        for (index, estimate) in estimates.iter().enumerate() {
            let started = order.start(now + 7 * index as u64).map(|entry| entry.id);
            prop_assert_eq!(started, Some(estimate.id));
            prop_assert_eq!((estimate.position, estimate.expected), (index + 1, mean * index as u32));
            prop_assert!(estimate.bound >= estimate.expected);
        }
    }

    /// Entries that move to another order with their places keep the turns of their class.
    #[test]
    fn places_can_be_taken_along(steps in steps()) {
        let (mut order, model, now) = after(steps);
        let mut other = Order::new(AGING);
        let mut snapshot = order.snapshot();
        snapshot.entries.reverse();
        for queue in &snapshot.entries {
            let (entry, _) = model.entries.iter().find(|(entry, _)| entry.id == queue.id).unwrap();
            other.add_at(entry.clone(), queue.place, queue.arrival, now);
        }
        let by_class = |order: &mut Order| {
            let mut starts: BTreeMap<_, Vec<_>> = BTreeMap::new();
            while let Some(entry) = order.start(now) {
                starts.entry((entry.band, entry.owner.class.clone())).or_default().push(entry.id);
            }
            starts
        };
        let starts = by_class(&mut order);
        prop_assert_eq!(by_class(&mut other), starts);
    }
}
