//! The whole shared queue at one moment, as Redis keeps it.

use std::{borrow::Cow, collections::HashMap, sync::Arc, time::Duration};

use turnwise_redis::Value;

use super::script::{Reply, text, texts};
use crate::{
    forecast::{self, Busy, ServiceTimes, WaitEstimate},
    order::Micros,
    request::Band,
    snapshot::{ClassSnapshot, EntrySnapshot, OrderSnapshot, StudentRef},
    view::{self, CallView, QueueView, Scope, SlotView},
};

/// A queue at one moment.
#[derive(Debug)]
pub(super) struct QueueSnapshot {
    pub(super) now: Micros,
    pub(super) order: OrderSnapshot,
    slots: Vec<(usize, Option<Running>)>,
    pub(super) times: ServiceTimes,
}

/// A call that runs.
#[derive(Debug)]
struct Running {
    since: Micros,
    class: Arc<str>,
    purpose: Cow<'static, str>,
    replica: usize,
}

impl QueueSnapshot {
    /// Reads the reply to `snapshot`.
    pub(super) fn read(reply: &Reply) -> Option<Self> {
        let [state, classes, students, entries, slots, usable] = reply.returned.as_slice() else {
            return None;
        };
        let state = pairs(state)?.collect::<HashMap<_, _>>();
        let single = |name: &str| state.get(name).copied();
        let passed: Micros = single("passed_over_since")
            .and_then(|since| since.parse().ok())
            .unwrap_or(0);
        let mut read = Self {
            now: reply.now,
            order: OrderSnapshot {
                passed_over_since: (passed > 0).then_some(passed),
                ..OrderSnapshot::default()
            },
            slots: Vec::new(),
            times: ServiceTimes {
                count: single("count").map_or(Some(0), |count| count.parse().ok())?,
                mean: single("mean")?.parse().ok()?,
                variance: single("variance")?.parse().ok()?,
            },
        };
        let classes = read.read_classes(classes)?;
        read.read_entries(&classes, &pairs(students)?.collect(), entries)?;
        for (slot, call) in pairs(slots)? {
            read.slots
                .push((slot.parse().ok()?, Some(read_call(call)?)));
        }
        for slot in texts(usable)? {
            read.slots.push((slot.parse().ok()?, None));
        }
        read.slots.sort_unstable_by_key(|(slot, _)| *slot);
        Some(read)
    }

    /// Reads the classes, and returns where each is by its name in Redis.
    fn read_classes<'a>(&mut self, classes: &'a Value) -> Option<HashMap<&'a str, usize>> {
        let mut places = HashMap::new();
        for (name, record) in pairs(classes)? {
            let mut words = record.splitn(6, ' ');
            let mut number = || words.next()?.parse::<u64>().ok();
            let (tag, stamp, weight) = (number()?, number()?, number()?);
            number()?;
            number()?;
            places.insert(name, self.order.classes.len());
            self.order.classes.push(ClassSnapshot {
                name: words.next()?.into(),
                band: band(name)?,
                weight: u32::try_from(weight).ok()?,
                tag,
                stamp,
            });
        }
        Some(places)
    }

    fn read_entries(
        &mut self,
        classes: &HashMap<&str, usize>,
        students: &HashMap<&str, &str>,
        entries: &Value,
    ) -> Option<()> {
        // Students are told apart by their places, and those of two orders may be equal.
        let mut taken: HashMap<(usize, u64), &str> = HashMap::new();
        let mut name = String::new();
        let mut places: HashMap<&str, u64> = HashMap::new();
        for (id, record) in pairs(entries)? {
            let mut words = record.split(' ');
            let (band, class, student) = (words.next()?, words.next()?, words.next()?);
            words.next()?;
            let mut number = || words.next()?.parse::<u64>().ok();
            let (arrival, since, until) = (number()?, number()?, number()?);
            let replica = words.next()?.split('.').next()?.parse().ok()?;
            let purpose = words.next()?.to_owned();
            name.clear();
            name.extend([band, class]);
            let class = *classes.get(name.as_str())?;
            name.push_str(student);
            let (key, record) = students.get_key_value(name.as_str())?;
            let place = match places.get(key) {
                Some(place) => *place,
                None => {
                    let mut place = record.split(' ').next()?.parse().ok()?;
                    while taken.contains_key(&(class, place)) {
                        place += 1;
                    }
                    taken.insert((class, place), key);
                    places.insert(key, place);
                    place
                }
            };
            self.order.entries.push(EntrySnapshot {
                id: id.parse().ok()?,
                class,
                student: StudentRef::Hash(student.into()),
                place,
                arrival,
                since,
                purpose: purpose.into(),
                replica,
                held: until > 0,
            });
        }
        self.order.sort();
        Some(())
    }

    /// Estimates the waits of everybody in the queue.
    pub(super) fn estimate_waits(&self, aging: Duration) -> Vec<WaitEstimate> {
        let slots: Vec<Busy> = self
            .slots
            .iter()
            .map(|(_, call)| call.as_ref().map(|call| call.since))
            .collect();
        forecast::estimate_waits(&self.order, &slots, &self.times, aging, self.now)
    }

    /// The queue as it is shown.
    pub(super) fn view(&self, max: usize, aging: Duration) -> QueueView {
        let slots = self.slots.iter().map(|(index, call)| SlotView {
            index: *index,
            call: call.as_ref().map(|call| CallView {
                class: Arc::clone(&call.class),
                purpose: call.purpose.clone(),
                running: Duration::from_micros(self.now.saturating_sub(call.since)),
                replica: call.replica,
            }),
        });
        view::build(view::ViewInput {
            scope: Scope::Shared,
            slots: slots.collect(),
            snapshot: &self.order,
            estimates: &self.estimate_waits(aging),
            times: &self.times,
            max,
            now: self.now,
        })
    }
}

fn read_call(record: &str) -> Option<Running> {
    let mut words = record.splitn(6, ' ');
    let replica = words.next()?.split('.').next()?.parse().ok()?;
    words.next()?;
    words.next()?;
    Some(Running {
        since: words.next()?.parse().ok()?,
        purpose: words.next()?.to_owned().into(),
        class: words.next()?.into(),
        replica,
    })
}

fn band(name: &str) -> Option<Band> {
    match name.as_bytes().first()? {
        b'i' => Some(Band::Interactive),
        b'b' => Some(Band::Batch),
        _ => None,
    }
}

/// The fields of a hash, without the one that keeps it in existence.
fn pairs(value: &Value) -> Option<impl Iterator<Item = (&str, &str)>> {
    let Value::Array(values) = value else {
        return None;
    };
    // What cannot be read is left out, and then misses where it is needed.
    Some(
        values
            .chunks_exact(2)
            .filter_map(|pair| Some((text(&pair[0])?, text(&pair[1])?)))
            .filter(|(name, _)| !name.is_empty()),
    )
}
