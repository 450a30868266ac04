//! A picture of the shared line, as Redis keeps it.

use std::{borrow::Cow, collections::HashMap, sync::Arc, time::Duration};

use turnwise_redis::Value;

use super::script::{Answer, text, texts};
use crate::{
    ask::Band,
    forecast::{self, Busy, Foreseen, ServiceTimes},
    lineup::{ClassLine, EntryLine, Lineup},
    order::Micros,
    view::{self, CallView, LineView, Scope, SlotView},
};

/// A line at one moment.
#[derive(Debug)]
pub(super) struct Picture {
    pub(super) now: Micros,
    pub(super) lineup: Lineup,
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

impl Picture {
    /// Reads the answer to `view`.
    pub(super) fn read(answer: &Answer) -> Option<Self> {
        let [state, classes, pupils, entries, slots, usable] = answer.returned.as_slice() else {
            return None;
        };
        let state = pairs(state)?.collect::<HashMap<_, _>>();
        let single = |name: &str| state.get(name).copied();
        let passed: Micros = single("passed_over_since")
            .and_then(|since| since.parse().ok())
            .unwrap_or(0);
        let mut picture = Self {
            now: answer.now,
            lineup: Lineup {
                passed_over_since: (passed > 0).then_some(passed),
                ..Lineup::default()
            },
            slots: Vec::new(),
            times: ServiceTimes {
                count: single("count").map_or(Some(0), |count| count.parse().ok())?,
                mean: single("mean")?.parse().ok()?,
                variance: single("variance")?.parse().ok()?,
            },
        };
        let classes = picture.read_classes(classes)?;
        picture.read_entries(&classes, &pairs(pupils)?.collect(), entries)?;
        for (slot, call) in pairs(slots)? {
            picture
                .slots
                .push((slot.parse().ok()?, Some(read_call(call)?)));
        }
        for slot in texts(usable)? {
            picture.slots.push((slot.parse().ok()?, None));
        }
        picture.slots.sort_unstable_by_key(|(slot, _)| *slot);
        Some(picture)
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
            places.insert(name, self.lineup.classes.len());
            self.lineup.classes.push(ClassLine {
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
        pupils: &HashMap<&str, &str>,
        entries: &Value,
    ) -> Option<()> {
        // Pupils are told apart by their places, and those of two orders may be equal.
        let mut taken: HashMap<(usize, u64), &str> = HashMap::new();
        let mut name = String::new();
        let mut places: HashMap<&str, u64> = HashMap::new();
        for (id, record) in pairs(entries)? {
            let mut words = record.split(' ');
            let (band, class, pupil) = (words.next()?, words.next()?, words.next()?);
            words.next()?;
            let mut number = || words.next()?.parse::<u64>().ok();
            let (arrival, since, until) = (number()?, number()?, number()?);
            let replica = words.next()?.split('.').next()?.parse().ok()?;
            let purpose = words.next()?.to_owned();
            name.clear();
            name.extend([band, class]);
            let class = *classes.get(name.as_str())?;
            name.push_str(pupil);
            let (key, record) = pupils.get_key_value(name.as_str())?;
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
            self.lineup.entries.push(EntryLine {
                id: id.parse().ok()?,
                class,
                place,
                arrival,
                since,
                purpose: purpose.into(),
                replica,
                held: until > 0,
            });
        }
        self.lineup.sort();
        Some(())
    }

    /// Foresees the starts of everybody in line.
    pub(super) fn foresee(&self, aging: Duration) -> Vec<Foreseen> {
        let slots: Vec<Busy> = self
            .slots
            .iter()
            .map(|(_, call)| call.as_ref().map(|call| call.since))
            .collect();
        forecast::foresee(&self.lineup, &slots, &self.times, aging, self.now)
    }

    /// The line as it is shown.
    pub(super) fn draw(&self, max: usize, aging: Duration) -> LineView {
        let slots = self.slots.iter().map(|(index, call)| SlotView {
            index: *index,
            call: call.as_ref().map(|call| CallView {
                class: Arc::clone(&call.class),
                purpose: call.purpose.clone(),
                running: Duration::from_micros(self.now.saturating_sub(call.since)),
                replica: call.replica,
            }),
        });
        view::draw(view::Drawn {
            scope: Scope::Shared,
            slots: slots.collect(),
            lineup: &self.lineup,
            foreseen: &self.foresee(aging),
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

/// The fields of a hash.
fn pairs(value: &Value) -> Option<impl Iterator<Item = (&str, &str)>> {
    let Value::Array(values) = value else {
        return None;
    };
    // What cannot be read is left out, and then misses where it is needed.
    Some(
        values
            .chunks_exact(2)
            .filter_map(|pair| Some((text(&pair[0])?, text(&pair[1])?))),
    )
}
