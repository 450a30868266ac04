//! Several replicas that share a breaker, in random schedules: calls that end somehow or never, news that are late or
//! lost.

use std::time::Duration;

use proptest::prelude::*;
use turnwise_breaker::{
    Rules, State,
    replica::Replica,
    state_machine::{Look, Machine, Snapshot, Ticket},
};

const REPLICAS: usize = 3;
const RULES: Rules = Rules {
    failures: 4,
    ttl: Duration::from_millis(300),
    probe_lease: Duration::from_millis(90),
};
/// The longest pause between two steps: signs of life are in time.
const LONGEST_PAUSE: u64 = 29;

#[derive(Debug, Clone)]
enum Step {
    /// A call comes to a replica.
    Call(usize),
    /// A running call ends.
    Succeeds(usize),
    Fails(usize),
    Ends(usize),
    /// A running call's process dies.
    Crashes(usize),
    /// A replica's news are lost until it listens again, which is at once.
    Gap(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let which = 0usize..64;
    prop_oneof![
        6 => which.clone().prop_map(Step::Call),
        1 => which.clone().prop_map(Step::Succeeds),
        6 => which.clone().prop_map(Step::Fails),
        1 => which.clone().prop_map(Step::Ends),
        1 => which.clone().prop_map(Step::Crashes),
        1 => which.prop_map(Step::Gap),
    ]
}

struct Call {
    replica: usize,
    ticket: Ticket,
}

struct World {
    now: Duration,
    /// Where the breaker is kept.
    home: Machine,
    replicas: Vec<Replica>,
    news: Vec<(Duration, usize, Snapshot)>,
    calls: Vec<Call>,
    /// When the failures of the present row happened, by another count than the machine's.
    row: Vec<Duration>,
    /// Until when nothing may be admitted where the breaker is kept.
    shut_until: Duration,
}

impl World {
    fn new() -> Self {
        Self {
            now: Duration::ZERO,
            home: Machine::new(RULES),
            replicas: vec![Replica::new(RULES); REPLICAS],
            news: Vec::new(),
            calls: Vec::new(),
            row: Vec::new(),
            shut_until: Duration::ZERO,
        }
    }

    fn pass(&mut self, pause: Duration) {
        self.now += pause;
        let now = self.now;
        let probe = self.calls.iter().find(|call| call.ticket.probe.is_some());
        if let Some((replica, ticket)) = probe.map(|call| (call.replica, call.ticket)) {
            self.change(replica, 1, |home| home.renew(ticket, now));
        }
        let (due, later) = self.news.drain(..).partition(|(at, ..)| *at <= now);
        self.news = later;
        let due: Vec<(Duration, usize, Snapshot)> = due;
        for (at, replica, snapshot) in due {
            // It was taken in when it came.
            self.replicas[replica].learn(&snapshot, at);
        }
    }

    /// Changes the breaker on behalf of a replica, which learns of it at once; the others do later.
    fn change<T>(
        &mut self,
        replica: usize,
        late: u64,
        change: impl FnOnce(&mut Machine) -> T,
    ) -> T {
        let version = self.home.version();
        let result = change(&mut self.home);
        let snapshot = self.home.snapshot(self.now);
        self.replicas[replica].learn(&snapshot, self.now);
        if self.home.version() != version {
            for other in 0..REPLICAS {
                let at = self.now + Duration::from_millis(late * (other as u64 + 1));
                self.news.push((at, other, snapshot));
            }
        }
        result
    }

    fn probes(&self) -> usize {
        let probes = self.calls.iter().filter(|call| call.ticket.probe.is_some());
        probes.count()
    }

    fn end(&mut self, which: usize) -> Option<Call> {
        let place = which.checked_rem(self.calls.len())?;
        Some(self.calls.swap_remove(place))
    }

    fn call(&mut self, replica: usize, late: u64) -> Result<(), TestCaseError> {
        let copy = &self.replicas[replica];
        let look = copy.look(self.now);
        let ticket = if copy.is_known() && look != Look::ProbeDue {
            match look {
                Look::Admitted(ticket) => Some(ticket),
                _ => None,
            }
        } else {
            let now = self.now;
            let asked = self.change(replica, late, |home| home.probe(now));
            if asked.is_ok() {
                prop_assert!(self.now >= self.shut_until, "admitted while it is open");
            }
            asked.ok()
        };
        self.calls
            .extend(ticket.map(|ticket| Call { replica, ticket }));
        Ok(())
    }

    fn fail(&mut self, call: &Call, late: u64) -> Result<(), TestCaseError> {
        let (now, ticket) = (self.now, call.ticket);
        let was_closed = matches!(self.home.state(now), State::Closed { .. });
        let counts = was_closed && ticket.generation == self.home.generation();
        let version = self.home.version();
        self.change(call.replica, late, |home| home.failed(ticket, now));
        let is_closed = matches!(self.home.state(now), State::Closed { .. });
        if ticket.probe.is_some() {
            prop_assert!(!is_closed);
            self.shut_until = now + RULES.ttl;
        } else if counts {
            if self.row.last().is_some_and(|last| now - *last >= RULES.ttl) {
                self.row.clear();
            }
            self.row.push(now);
            let enough = self.row.len() >= RULES.failures as usize;
            prop_assert_eq!(is_closed, !enough, "{} failures in a row", self.row.len());
            if enough {
                self.row.clear();
                self.shut_until = now + RULES.ttl;
            }
        } else {
            prop_assert_eq!(self.home.version(), version, "a call of another time");
        }
        Ok(())
    }

    fn succeed(&mut self, call: &Call, late: u64) {
        let (now, ticket) = (self.now, call.ticket);
        let copy = self.replicas[call.replica].state(now);
        // As far as the replica knows there is nothing to tell.
        if ticket.probe.is_none() && !matches!(copy, State::Closed { failures: 1.. }) {
            return;
        }
        let is_of_now = ticket.generation == self.home.generation();
        self.change(call.replica, late, |home| home.succeeded(ticket, now));
        if is_of_now || ticket.probe.is_some() {
            self.row.clear();
        }
    }

    fn take(&mut self, step: &Step, late: u64) -> Result<(), TestCaseError> {
        match *step {
            Step::Call(replica) => self.call(replica % REPLICAS, late)?,
            Step::Succeeds(which) => {
                if let Some(call) = self.end(which) {
                    self.succeed(&call, late);
                }
            }
            Step::Fails(which) => {
                if let Some(call) = self.end(which) {
                    self.fail(&call, late)?;
                }
            }
            Step::Ends(which) => {
                if let Some(call) = self.end(which) {
                    self.change(call.replica, late, |home| home.released(call.ticket));
                }
            }
            Step::Crashes(which) => {
                self.end(which);
            }
            Step::Gap(replica) => {
                let replica = replica % REPLICAS;
                self.news.retain(|(_, to, _)| *to != replica);
                self.replicas[replica].doubt();
            }
        }
        prop_assert!(self.probes() <= 1, "{} probes at once", self.probes());
        Ok(())
    }
}

proptest! {
    #![proptest_config(turnwise_testing::properties::pure())]

    #[test]
    fn replicas_act_as_one(
        steps in prop::collection::vec((step(), 0..=LONGEST_PAUSE, 0u64..20), 1..200),
    ) {
        let mut world = World::new();
        for (step, pause, late) in &steps {
            world.pass(Duration::from_millis(*pause));
            world.take(step, *late)?;
        }
        // Once all news are there, every copy is like the breaker itself.
        world.pass(Duration::from_millis(100));
        for replica in &world.replicas {
            if !replica.is_known() {
                continue;
            }
            // What it learnt late it also believes for longer, but no longer than the news took.
            let earlier = world.now - Duration::from_millis(60);
            let copy = replica.state(world.now);
            let alike = [world.now, earlier].map(|then| world.home.state(then)).iter().any(|home| {
                match (copy, home) {
                    (State::Closed { failures }, State::Closed { failures: home }) => {
                        failures == *home
                    }
                    (State::Open { retry_after }, State::Open { retry_after: home }) => {
                        retry_after.abs_diff(*home) <= Duration::from_millis(60)
                    }
                    (State::HalfOpen { .. }, State::HalfOpen { .. }) => true,
                    _ => false,
                }
            });
            prop_assert!(alike, "{:?} and {:?}", copy, world.home.state(world.now));
        }
        // Whatever happened, calls go on again in the end.
        world.calls.clear();
        world.pass(RULES.ttl + RULES.probe_lease + Duration::from_millis(100));
        for replica in 0..REPLICAS {
            world.call(replica, 0)?;
            let call = world.calls.pop();
            prop_assert!(call.is_some(), "replica {} lets nothing through", replica);
            world.succeed(&call.unwrap(), 0);
            world.pass(Duration::from_millis(1));
        }
        prop_assert_eq!(world.home.state(world.now), State::Closed { failures: 0 });
    }
}
