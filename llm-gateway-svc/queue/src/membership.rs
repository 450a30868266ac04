//! Which replica has which ordinal, and so which slots are whose while Redis is away: pure.
//!
//! All replicas keep one record in Redis, which each of them reads, changes and writes back as one step. Of n members the one
//! with ordinal o owns slot i if i mod n is o. Who ends, comes or dies makes another membership, which is applied after one
//! lease (the time after which a dead replica's slot is free) without a change, in two steps:
//!
//! 1. Everybody is asked to agree. Who agrees gives up at once what it will not own, and owns nothing new.
//! 2. When all have agreed, it is applied, and each owns its new share once it hears of that.
//!
//! So at no time do two own one slot. What a member has given up it owns again only with the next application; if the
//! asking comes to nothing, as somebody came or went meanwhile, that follows after a lease.
//!
//! **What Redis may have lost.** On another server, or if nobody was here for half a lease, the record may be old, or
//! everybody may have been cut off. Nothing is applied for a lease then, in which everybody tells what it holds; the highest
//! generation that somebody holds stands, and who holds an older one gives it up.
//!
//! **An ordinal that was given back** is leased to the next process that has none: the membership is the same, and nobody owns
//! its slots. A new process on the host of one that has been silent is its successor; so a process that crashed and was
//! started again needs not wait for a lease.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::order::Micros;

/// Whoever can reach Redis is back within this time after it was away, and gives a sign of life more often.
pub const RETURN: Micros = 3_000_000;

/// A part of all slots: of so many replicas the one with this ordinal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// How many replicas share the slots; more than 0.
    pub replicas: usize,
    /// Which of them this one is. One that is not below `replicas` owns nothing.
    pub ordinal: usize,
}

/// What a replica holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Holding {
    /// Which membership it has seen applied; 0: none.
    generation: u64,
    /// Which one it has agreed to.
    agreed: u64,
    /// The share that was applied, and those that it has agreed to since: it owns what is in all of them.
    shares: Vec<Share>,
}

/// The members and their ordinals, as Redis keeps them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Membership {
    /// The server on which it was written.
    server: String,
    /// Since when nobody was cut off unseen; silence before that says nothing.
    began: Micros,
    /// When somebody was here last.
    touched: Micros,
    /// Since when the members are the same.
    changed: Micros,
    /// The highest generation that anybody has been asked to agree to.
    generation: u64,
    /// Whether everybody holds exactly what was applied.
    settled: bool,
    applied: Applied,
    /// The members by their ordinals, to which everybody is asked to agree as `generation`.
    next: Option<Vec<String>>,
    members: BTreeMap<String, Member>,
}

/// The membership that holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Applied {
    generation: u64,
    /// The members by their ordinals, as far as they are known; one that is no member any more has given its ordinal back.
    ids: Vec<Option<String>>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Member {
    seen: Micros,
    agreed: u64,
    host: String,
}

/// Who gives a sign of life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// A name that no other process has or had.
    pub id: String,
    /// The machine or container that it runs on; empty if that is not known.
    pub host: String,
}

/// When, and where the record is.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    /// The time on Redis' clock.
    pub now: Micros,
    /// The run of the Redis server.
    pub server: &'a str,
    /// After which time of silence a process is dead.
    pub lease: Micros,
}

/// What a process learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// Nothing has changed for it.
    None,
    /// It is asked to agree to this share, if it holds one.
    Asked {
        /// The membership's generation.
        generation: u64,
        /// Its own share there.
        share: Share,
    },
    /// This is what holds; without a share it owns nothing.
    Applied {
        /// The membership's generation.
        generation: u64,
        /// Its own share there.
        share: Option<Share>,
    },
}

impl Share {
    /// Whether a slot is in it.
    pub fn has(self, slot: usize) -> bool {
        slot % self.replicas.max(1) == self.ordinal
    }
}

impl Holding {
    /// A share that is not leased but set.
    pub fn fixed(share: Share) -> Self {
        Self {
            shares: vec![share],
            ..Self::default()
        }
    }

    /// Whether a slot is its own.
    pub fn owns(&self, slot: usize) -> bool {
        !self.shares.is_empty() && self.shares.iter().all(|share| share.has(slot))
    }

    /// The share that was applied.
    pub fn share(&self) -> Option<Share> {
        self.shares.first().copied()
    }

    /// Whether it owns all of that share, having agreed to nothing else.
    pub fn is_whole(&self) -> bool {
        self.shares.len() <= 1
    }

    /// What it is after it has heard this.
    #[must_use]
    pub fn after(mut self, news: News) -> Self {
        match news {
            News::None => {}
            News::Asked { generation, share } => {
                self.agreed = generation;
                if !self.shares.is_empty() {
                    self.shares.push(share);
                }
            }
            News::Applied { generation, share } => {
                self.generation = generation;
                self.shares = share.into_iter().collect();
            }
        }
        self
    }
}

impl Membership {
    /// A process gives a sign of life and tells what it holds; it learns what has changed for it.
    pub fn beat(&mut self, me: &Process, holding: &Holding, at: Moment<'_>) -> News {
        if holding.share().is_none() {
            self.succeed(me, at.now);
        }
        self.resume(at);
        if holding.generation.max(holding.agreed) > self.generation {
            // The record is older than that.
            self.generation = holding.generation.max(holding.agreed);
            self.doubt(at.now);
        }
        let member = Member {
            seen: at.now,
            agreed: holding.agreed,
            host: me.host.clone(),
        };
        if self.members.insert(me.id.clone(), member).is_none() {
            self.change(at.now);
        }
        self.bury(at);
        self.claim(me, holding, at.now);
        if holding.share().is_none() {
            self.take_over(me, at.now);
        }
        self.proceed(at);
        self.news(me, holding)
    }

    /// A process has ended: it owns nothing any more, and none of its calls runs.
    pub fn leave(&mut self, me: &Process, at: Moment<'_>) {
        self.resume(at);
        if self.members.remove(&me.id).is_some() {
            self.change(at.now);
        }
    }

    /// Forgets the predecessors of a new process.
    fn succeed(&mut self, me: &Process, now: Micros) {
        let is_predecessor = |id: &String, member: &Member| {
            !me.host.is_empty()
                && member.host == me.host
                && *id != me.id
                && now.saturating_sub(member.seen) > RETURN
        };
        let gone = self.members.iter();
        let gone = gone.filter(|(id, member)| is_predecessor(id, member));
        // It has changed nothing since.
        let Some(died) = gone.map(|(_, member)| member.seen).max() else {
            return;
        };
        self.members
            .retain(|id, member| !is_predecessor(id, member));
        self.change(died);
    }

    /// Doubts what is kept if it may not be all the truth. Where all have ended in order there is nobody to miss.
    fn resume(&mut self, at: Moment<'_>) {
        let alone = at.now.saturating_sub(self.touched) > at.lease / 2 && !self.members.is_empty();
        if self.server != at.server || alone {
            self.doubt(at.now);
        }
        at.server.clone_into(&mut self.server);
        self.touched = self.touched.max(at.now);
    }

    fn doubt(&mut self, now: Micros) {
        self.began = now;
        self.settled = false;
        self.change(now);
    }

    /// There are other members from now on. Who has agreed to others has given up something already.
    fn change(&mut self, now: Micros) {
        self.changed = self.changed.max(now);
        if self.next.take().is_some() {
            self.settled = false;
        }
    }

    /// Removes those who are certainly dead.
    fn bury(&mut self, at: Moment<'_>) {
        let began = self.began;
        let last_seen = |member: &Member| member.seen.max(began);
        let is_dead = |member: &Member| at.now.saturating_sub(last_seen(member)) >= at.lease;
        let dead = self.members.values().filter(|member| is_dead(member));
        // It has changed nothing since.
        let Some(died) = dead.map(last_seen).max() else {
            return;
        };
        self.members.retain(|_, member| !is_dead(member));
        self.change(died);
    }

    /// A process tells which share it holds.
    fn claim(&mut self, me: &Process, holding: &Holding, now: Micros) {
        let Some(share) = holding.share() else {
            return;
        };
        if holding.generation > self.applied.generation {
            self.doubt(now);
            self.applied = Applied {
                generation: holding.generation,
                ids: vec![None; share.replicas],
            };
        }
        if holding.generation == self.applied.generation
            && self.is_vacant(share.ordinal)
            && let Some(id) = self.applied.ids.get_mut(share.ordinal)
        {
            *id = Some(me.id.clone());
        }
    }

    fn is_vacant(&self, ordinal: usize) -> bool {
        let id = self.applied.ids.get(ordinal).and_then(Option::as_ref);
        id.is_none_or(|id| !self.members.contains_key(id))
    }

    /// A process that has no ordinal takes over one that was given back. Not while somebody unknown may hold it: everybody
    /// holds what was applied, or nobody else is here.
    fn take_over(&mut self, me: &Process, now: Micros) {
        let is_alone = self.members.len() == 1 && now.saturating_sub(self.began) >= RETURN;
        if !(self.settled || is_alone) || self.ordinal_of(&me.id).is_some() {
            return;
        }
        let mut ordinals = 0..self.applied.ids.len();
        if let Some(vacant) = ordinals.find(|ordinal| self.is_vacant(*ordinal)) {
            self.applied.ids[vacant] = Some(me.id.clone());
        }
    }

    fn ordinal_of(&self, id: &str) -> Option<usize> {
        let mut ids = self.applied.ids.iter();
        ids.position(|other| other.as_deref() == Some(id))
    }

    /// Asks everybody to agree, or applies what all have agreed to.
    fn proceed(&mut self, at: Moment<'_>) {
        if self.next.is_none() && at.now.saturating_sub(self.changed) >= at.lease {
            let wanted = self.wanted();
            let ids = wanted.iter().map(Some);
            if !(self.settled && ids.eq(self.applied.ids.iter().map(Option::as_ref))) {
                self.generation += 1;
                self.next = Some(wanted);
            }
        }
        let all_agree = || {
            let mut members = self.members.values();
            members.all(|member| member.agreed == self.generation)
        };
        if self.next.is_some() && all_agree() {
            self.applied = Applied {
                generation: self.generation,
                ids: self.next.take().into_iter().flatten().map(Some).collect(),
            };
            self.settled = true;
        }
    }

    /// The members by their next ordinals: who has one keeps it if there are so many.
    fn wanted(&self) -> Vec<String> {
        let count = self.members.len();
        let kept = |ordinal: usize| {
            let id = self.applied.ids.get(ordinal)?.as_ref()?;
            self.members.contains_key(id).then_some(id)
        };
        let all_kept: BTreeSet<&String> = (0..count).filter_map(kept).collect();
        let mut others = self.members.keys().filter(|id| !all_kept.contains(id));
        let ids = (0..count).filter_map(|ordinal| kept(ordinal).or_else(|| others.next()));
        ids.cloned().collect()
    }

    fn news(&self, me: &Process, holding: &Holding) -> News {
        let ordinal = self.ordinal_of(&me.id);
        let share = ordinal.map(|ordinal| Share {
            replicas: self.applied.ids.len(),
            ordinal,
        });
        let generation = self.applied.generation;
        if (generation, share) != (holding.generation, holding.share()) {
            return News::Applied { generation, share };
        }
        let next = self
            .next
            .as_ref()
            .filter(|_| holding.agreed != self.generation);
        let place =
            next.and_then(|next| Some((next.len(), next.iter().position(|id| *id == me.id)?)));
        place.map_or(News::None, |(replicas, ordinal)| News::Asked {
            generation: self.generation,
            share: Share { replicas, ordinal },
        })
    }
}
