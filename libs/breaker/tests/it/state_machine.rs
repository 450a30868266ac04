//! The states of one breaker.

use std::time::Duration;

use turnwise_breaker::{
    Rules, State,
    state_machine::{Look, Machine, Ticket},
};

const RULES: Rules = Rules {
    failures: 3,
    ttl: Duration::from_secs(30),
    probe_lease: Duration::from_secs(6),
};

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn admitted(machine: &Machine, now: Duration) -> Ticket {
    match machine.look(now) {
        Look::Admitted(ticket) => ticket,
        look => panic!("{look:?}"),
    }
}

/// Fails as often, one second after the other, beginning at this one.
fn fail(machine: &mut Machine, times: u64, from: u64) {
    for second in from..from + times {
        let ticket = admitted(machine, at(second));
        machine.failed(ticket, at(second));
    }
}

#[test]
fn failures_in_a_row_open_it_for_a_while() {
    let mut machine = Machine::new(RULES);
    fail(&mut machine, 2, 0);
    assert_eq!(machine.state(at(1)), State::Closed { failures: 2 });
    fail(&mut machine, 1, 2);
    let retry_after = at(30);
    assert_eq!(machine.state(at(2)), State::Open { retry_after });
    assert_eq!(machine.look(at(31)), Look::Refused(at(1)));
    assert_eq!(machine.state(at(32)), State::HalfOpen { probing: None });
}

#[test]
fn a_success_ends_the_row() {
    let mut machine = Machine::new(RULES);
    fail(&mut machine, 2, 0);
    let ticket = admitted(&machine, at(2));
    machine.succeeded(ticket, at(2));
    fail(&mut machine, 2, 3);
    assert_eq!(machine.state(at(4)), State::Closed { failures: 2 });
}

#[test]
fn failures_far_apart_do_not_add_up() {
    let mut machine = Machine::new(RULES);
    fail(&mut machine, 2, 0);
    assert_eq!(machine.state(at(30)), State::Closed { failures: 2 });
    assert_eq!(machine.state(at(31)), State::Closed { failures: 0 });
    fail(&mut machine, 2, 31);
    assert_eq!(machine.state(at(32)), State::Closed { failures: 2 });
}

#[test]
fn one_probe_decides() {
    let mut machine = Machine::new(RULES);
    fail(&mut machine, 3, 0);
    let probe = machine.probe(at(40)).unwrap();
    assert!(probe.probe.is_some());
    assert_eq!(machine.probe(at(41)), Err(at(5)));
    machine.failed(probe, at(42));
    let retry_after = at(30);
    assert_eq!(machine.state(at(42)), State::Open { retry_after });
    let probe = machine.probe(at(72)).unwrap();
    machine.succeeded(probe, at(73));
    assert_eq!(machine.state(at(73)), State::Closed { failures: 0 });
}

#[test]
fn a_probe_without_an_outcome_is_left_to_the_next_call() {
    let mut machine = Machine::new(RULES);
    fail(&mut machine, 3, 0);
    let probe = machine.probe(at(40)).unwrap();
    machine.released(probe);
    assert_eq!(machine.state(at(40)), State::HalfOpen { probing: None });
    // A caller that crashed says nothing at all.
    let crashed = machine.probe(at(41)).unwrap();
    assert!(machine.renew(crashed, at(44)));
    assert_eq!(machine.probe(at(49)), Err(at(1)));
    let next = machine.probe(at(50)).unwrap();
    // It was only slow, and comes too late.
    assert!(!machine.renew(crashed, at(50)));
    machine.succeeded(crashed, at(50));
    machine.released(crashed);
    assert_eq!(machine.probe(at(51)), Err(at(5)));
    machine.succeeded(next, at(51));
    assert_eq!(machine.state(at(51)), State::Closed { failures: 0 });
}

#[test]
fn calls_from_before_it_turned_change_nothing() {
    let mut machine = Machine::new(RULES);
    let old: Vec<_> = (0..4).map(|_| admitted(&machine, at(0))).collect();
    fail(&mut machine, 3, 0);
    let version = machine.version();
    machine.succeeded(old[0], at(3));
    machine.failed(old[1], at(4));
    assert_eq!(machine.version(), version);
    let probe = machine.probe(at(40)).unwrap();
    machine.succeeded(old[2], at(41));
    machine.succeeded(probe, at(42));
    for ticket in old {
        machine.failed(ticket, at(43));
    }
    assert_eq!(machine.state(at(43)), State::Closed { failures: 0 });
}

#[test]
fn a_copy_of_a_snapshot_behaves_alike() {
    let mut machine = Machine::new(RULES);
    let mut copy = Machine::new(RULES);
    fail(&mut machine, 2, 0);
    copy.adopt(&machine.snapshot(at(1)), at(1001));
    assert_eq!(copy.state(at(1030)), machine.state(at(30)));
    assert_eq!(copy.state(at(1031)), machine.state(at(31)));
    fail(&mut machine, 1, 2);
    copy.adopt(&machine.snapshot(at(3)), at(1003));
    assert_eq!(copy.state(at(1010)), machine.state(at(10)));
    let probe = machine.probe(at(40)).unwrap();
    copy.adopt(&machine.snapshot(at(41)), at(1041));
    assert_eq!(copy.state(at(1042)), machine.state(at(42)));
    copy.failed(probe, at(1043));
    machine.failed(probe, at(43));
    assert_eq!(copy.state(at(1050)), machine.state(at(50)));
}
