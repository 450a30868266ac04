//! Ordinals: whatever happens, no two replicas own one slot, and soon after the last change every slot is owned.

use proptest::prelude::*;
use turnwise_llm_queue::membership::{Holding, Membership, Moment, Process, RETURN, Share};
use turnwise_testing::properties::pure;

const LEASE: u64 = 10_000_000;
const SLOTS: usize = 12;
/// How often a replica gives a sign of life.
const BEAT: u64 = 1_000_000;
/// No replica is cut off alone for so long.
const ALONE_MAX: u64 = LEASE * 2 / 5;

/// What happens.
#[derive(Debug, Clone)]
enum Step {
    /// A new process, on the host of the last one that was killed, or on a new one.
    Start { same_host: bool },
    /// The so manieth gives a sign of life; its answer may be lost.
    Beat { which: usize, heard: bool },
    /// The so manieth ends in order.
    End(usize),
    /// The so manieth is killed.
    Kill(usize),
    /// Nothing, for so long.
    Pass(u64),
    /// Redis is away for so long, and comes back like this. Somebody new may be the first to find it.
    Away {
        span: u64,
        back: Back,
        newcomer: bool,
    },
    /// What is in Redis is deleted.
    Flush,
}

/// How Redis comes back.
#[derive(Debug, Clone)]
enum Back {
    /// The same server.
    Same,
    /// Another server, with the so manieth of all records that there were, the last one being the truth.
    Older(usize),
    /// Another server, with everything.
    Whole,
    /// Another server, with nothing.
    Empty,
}

fn step() -> impl Strategy<Value = Step> {
    let back = prop_oneof![
        Just(Back::Same),
        Just(Back::Whole),
        Just(Back::Empty),
        any::<usize>().prop_map(Back::Older),
    ];
    let away = (0..3 * LEASE, back, any::<bool>()).prop_map(|(span, back, newcomer)| Step::Away {
        span,
        back,
        newcomer,
    });
    prop_oneof![
        3 => any::<bool>().prop_map(|same_host| Step::Start { same_host }),
        12 => (any::<usize>(), prop::bool::weighted(0.8)).prop_map(|(which, heard)| Step::Beat { which, heard }),
        1 => any::<usize>().prop_map(Step::End),
        1 => any::<usize>().prop_map(Step::Kill),
        8 => (0..3 * BEAT).prop_map(Step::Pass),
        // Long enough that something is applied meanwhile.
        2 => (LEASE..2 * LEASE).prop_map(Step::Pass),
        1 => away,
        1 => Just(Step::Flush),
    ]
}

struct Replica {
    process: Process,
    holding: Holding,
    /// When it was heard last.
    seen: u64,
}

struct World {
    now: u64,
    server: usize,
    record: Membership,
    /// The records that there were on all servers.
    records: Vec<Membership>,
    replicas: Vec<Replica>,
    started: usize,
    /// The host of the last one that was killed.
    free_host: Option<String>,
}

impl World {
    fn new() -> Self {
        Self {
            now: 1_000_000_000,
            server: 0,
            record: Membership::default(),
            records: Vec::new(),
            replicas: Vec::new(),
            started: 0,
            free_host: None,
        }
    }

    fn start(&mut self, same_host: bool) {
        self.started += 1;
        let host = self.free_host.take().filter(|_| same_host);
        self.replicas.push(Replica {
            process: Process {
                id: format!("{:x}", self.started * 7919 % 251),
                host: host.unwrap_or_else(|| format!("host-{}", self.started)),
            },
            holding: Holding::default(),
            seen: self.now,
        });
    }

    fn beat(&mut self, which: usize, heard: bool) {
        let server = self.server.to_string();
        let at = Moment {
            now: self.now,
            server: &server,
            lease: LEASE,
        };
        let Some(replica) = self.replicas.get_mut(which) else {
            return;
        };
        let news = self.record.beat(&replica.process, &replica.holding, at);
        replica.seen = self.now;
        if heard {
            replica.holding = replica.holding.clone().after(news);
        }
        self.keep();
    }

    /// The record is what it was after it has been written and read.
    fn keep(&mut self) {
        let text = serde_json::to_string(&self.record).unwrap();
        self.record = serde_json::from_str(&text).unwrap();
        self.records.push(self.record.clone());
        self.check();
    }

    fn owners(&self, slot: usize) -> usize {
        let owners = self.replicas.iter();
        owners.filter(|replica| replica.holding.owns(slot)).count()
    }

    fn check(&self) {
        for slot in 0..SLOTS {
            assert!(self.owners(slot) <= 1, "slot {slot} is owned twice");
        }
    }

    /// Time passes; nobody is silent for too long.
    fn pass(&mut self, span: u64) {
        let until = self.now + span;
        while self.now < until {
            self.now = until.min(self.now + BEAT);
            for which in 0..self.replicas.len() {
                if self.now - self.replicas[which].seen >= ALONE_MAX {
                    self.beat(which, true);
                }
            }
        }
    }

    fn away(&mut self, span: u64, back: &Back, newcomer: bool) {
        self.now += span;
        match back {
            Back::Same => {}
            Back::Whole => self.server += 1,
            Back::Empty => {
                self.server += 1;
                self.record = Membership::default();
            }
            Back::Older(which) => {
                self.server += 1;
                if !self.records.is_empty() {
                    self.record = self.records[which % self.records.len()].clone();
                }
            }
        }
        let old = self.replicas.len();
        if newcomer {
            self.start(true);
            self.beat(old, true);
        }
        // All are back soon, the last ones first.
        let pause = RETURN / 2 / (old as u64 + 1);
        for which in (0..old).rev() {
            self.now += pause;
            self.beat(which, true);
        }
    }

    fn step(&mut self, step: &Step) {
        let count = self.replicas.len().max(1);
        match step {
            Step::Start { same_host } if self.replicas.len() < 6 => self.start(*same_host),
            Step::Start { .. } => {}
            Step::Beat { which, heard } => self.beat(which % count, *heard),
            Step::End(which) if !self.replicas.is_empty() => {
                let ended = self.replicas.remove(which % count);
                let server = self.server.to_string();
                let at = Moment {
                    now: self.now,
                    server: &server,
                    lease: LEASE,
                };
                self.record.leave(&ended.process, at);
                self.keep();
            }
            Step::Kill(which) if !self.replicas.is_empty() => {
                let killed = self.replicas.remove(which % count);
                self.free_host = Some(killed.process.host);
            }
            Step::End(_) | Step::Kill(_) => {}
            Step::Pass(span) => self.pass(*span),
            Step::Away {
                span,
                back,
                newcomer,
            } => self.away(*span, back, *newcomer),
            Step::Flush => self.record = Membership::default(),
        }
    }

    /// Everybody gives signs of life, and nothing else happens, for so long.
    fn quiet(&mut self, span: u64) {
        let until = self.now + span;
        while self.now < until {
            for which in 0..self.replicas.len() {
                self.now += BEAT / self.replicas.len() as u64;
                self.beat(which, true);
            }
        }
    }
}

proptest! {
    #![proptest_config(pure())]

    #[test]
    fn no_slot_is_owned_twice_and_soon_every_slot_is_owned(
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let mut world = World::new();
        for step in &steps {
            world.step(step);
            world.check();
        }
        if world.replicas.is_empty() {
            world.start(false);
        }
        // A lease; a sign of life to agree, one to hear that all have.
        world.quiet(LEASE + 5 * BEAT);
        for slot in 0..SLOTS {
            assert_eq!(world.owners(slot), 1, "slot {slot}");
        }
        // Without Redis it stays so.
        let before: Vec<_> = world.replicas.iter().map(|replica| replica.holding.clone()).collect();
        world.away(3 * LEASE, &Back::Same, false);
        let after: Vec<_> = world.replicas.iter().map(|replica| replica.holding.clone()).collect();
        assert_eq!(before, after);
    }
}

/// A world with so many replicas that have their shares.
fn settled(replicas: usize) -> World {
    let mut world = World::new();
    for _ in 0..replicas {
        world.start(false);
    }
    world.quiet(LEASE + 5 * BEAT);
    world
}

fn shares(world: &World) -> Vec<Option<Share>> {
    let replicas = world.replicas.iter();
    replicas.map(|replica| replica.holding.share()).collect()
}

#[test]
fn a_replica_that_has_seen_no_membership_owns_nothing_for_a_lease() {
    let mut world = World::new();
    world.start(false);
    world.quiet(LEASE - BEAT);
    assert_eq!(shares(&world), [None]);
    world.quiet(4 * BEAT);
    let all = Share {
        replicas: 1,
        ordinal: 0,
    };
    assert_eq!(shares(&world), [Some(all)]);
    // One more has its part after a lease, and not before.
    world.start(false);
    world.quiet(LEASE - BEAT);
    assert_eq!(shares(&world), [Some(all), None]);
    world.quiet(5 * BEAT);
    assert!(
        shares(&world)
            .iter()
            .all(|share| share.is_some_and(|share| share.replicas == 2))
    );
}

#[test]
fn who_comes_for_one_that_ended_has_its_ordinal_at_once() {
    let mut world = settled(3);
    let before = shares(&world);
    world.step(&Step::End(1));
    world.start(false);
    world.beat(2, true);
    assert_eq!(shares(&world), [before[0], before[2], before[1]]);
    // The other order, as where the new one is started first.
    world.start(false);
    world.quiet(2 * BEAT);
    assert_eq!(world.replicas[3].holding.share(), None);
    world.step(&Step::End(0));
    world.quiet(2 * BEAT);
    assert_eq!(world.replicas[2].holding.share(), before[0]);
}

#[test]
fn who_comes_on_the_host_of_one_that_was_killed_need_not_wait_for_a_lease() {
    let mut world = settled(2);
    let before = shares(&world);
    world.step(&Step::Kill(0));
    world.start(true);
    world.quiet(RETURN + 2 * BEAT);
    assert_eq!(shares(&world), [before[1], before[0]]);
    // On another host it does.
    world.step(&Step::Kill(0));
    world.start(false);
    world.quiet(RETURN + 2 * BEAT);
    assert_eq!(shares(&world), [before[0], None]);
    world.quiet(LEASE);
    assert_eq!(shares(&world).iter().flatten().count(), 2);
}
