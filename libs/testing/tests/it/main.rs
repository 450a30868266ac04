//! The fixtures do what tests that use them take for granted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod model_server;

use std::{
    io::{ErrorKind, Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    time::Duration,
};

use turnwise_testing::redis::{
    Cluster, Connection, RedisServer, SentinelSet, ServerOptions, Value, command,
};

/// Writes a value and waits until this many replicas have it.
fn set(port: u16, key: &str, value: &str, replicas: i64) {
    let mut connection = Connection::open(port).unwrap();
    connection.command(&["SET", key, value]).unwrap();
    let wait = ["WAIT", &replicas.to_string(), "5000"];
    assert_eq!(connection.command(&wait).unwrap(), Value::Int(replicas));
}

fn get(port: u16, key: &str) -> String {
    command(port, &["GET", key]).unwrap().text()
}

#[test]
fn a_persistent_server_keeps_its_data_and_another_one_does_not() {
    for (options, kept) in [
        (ServerOptions::default().persistent(), "v"),
        (ServerOptions::default(), ""),
    ] {
        let mut server = RedisServer::start_with(&options).unwrap();
        set(server.port(), "k", "v", 0);
        server.start_again().unwrap();
        assert_eq!(get(server.port(), "k"), kept);
    }
}

#[test]
fn a_stopped_server_answers_once_it_goes_on() {
    let options = ServerOptions::default().password("a \"b\" \\c");
    let mut server = RedisServer::start_with(&options).unwrap();
    let refused = command(server.port(), &["PING"]).unwrap_err();
    assert!(refused.to_string().starts_with("NOAUTH"), "{refused}");
    server.stop().unwrap();
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port())).unwrap();
    let limit = Duration::from_secs(2);
    stream.set_read_timeout(Some(limit)).unwrap();
    stream.write_all(b"PING\r\n").unwrap();
    let silence = stream.read_exact(&mut [0]).unwrap_err();
    assert_eq!(silence.kind(), ErrorKind::WouldBlock, "{silence}");
    server.cont().unwrap();
    assert_eq!(server.command(&["PING"]).unwrap().text(), "PONG");
}

#[test]
fn a_server_refuses_writes_as_its_options_say() {
    let full = ServerOptions::default().maxmemory(1);
    let alone = ServerOptions::default().min_replicas_to_write(1);
    for (options, code) in [(full, "OOM"), (alone, "NOREPLICAS")] {
        let server = RedisServer::start_with(&options).unwrap();
        let refused = command(server.port(), &["SET", "k", "v"]).unwrap_err();
        assert!(refused.to_string().starts_with(code), "{refused}");
    }
}

#[test]
fn a_port_that_somebody_took_in_between_is_the_error() {
    let mut server = RedisServer::start().unwrap();
    server.kill();
    let _taken = TcpListener::bind((Ipv4Addr::LOCALHOST, server.port())).unwrap();
    let error = server.start_again().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AddrInUse, "{error}");
}

#[test]
fn sentinels_keep_what_was_acknowledged_through_both_kinds_of_failover() {
    let options = ServerOptions::default().failing_over();
    let mut set_of_three = SentinelSet::start_with(&options).unwrap();
    let first = set_of_three.primary().unwrap();
    assert_eq!(first, set_of_three.nodes()[0].port());
    set(first, "k", "1", 2);

    let second = set_of_three.planned_failover().unwrap();
    assert_eq!(get(second, "k"), "1");
    set_of_three.settle().unwrap();
    set(second, "k", "2", 2);

    assert_eq!(set_of_three.kill_primary().unwrap(), second);
    let third = set_of_three.wait_for_primary_other_than(second).unwrap();
    assert_eq!(get(third, "k"), "2");

    set_of_three.restart(second).unwrap();
    set_of_three.settle().unwrap();
    set(third, "k", "3", 2);
    assert_eq!(get(second, "k"), "3");
}

#[test]
fn a_cluster_keeps_what_was_acknowledged_through_both_kinds_of_failover() {
    let options = ServerOptions::default().failing_over();
    let mut cluster = Cluster::start_with(&options).unwrap();
    // The slot of this key is 12,739, by the cluster specification.
    let key = "123456789";
    let first = cluster.primary_of(key).unwrap();
    assert_eq!(first, cluster.ports()[2]);
    set(first, key, "1", 1);

    let second = cluster.planned_failover_of(key).unwrap();
    assert_eq!(get(second, key), "1");
    cluster.settle().unwrap();
    set(second, key, "2", 1);

    assert_eq!(cluster.kill_primary_of(key).unwrap(), second);
    let third = cluster.wait_for_primary_of(key, second).unwrap();
    assert_eq!(get(third, key), "2");

    cluster.restart(second).unwrap();
    cluster.settle().unwrap();
    set(third, key, "3", 1);
    command(second, &["GET", key]).unwrap_err();
}

#[test]
fn a_figure_says_whether_its_bound_is_kept() {
    use turnwise_testing::figure::{Bound, line};
    let cases = [
        (1.0, Bound::AtMost(1.0), "figure x 1.000 <=1"),
        (1.1, Bound::AtMost(1.0), "figure x 1.100 <=1 missed"),
        (1.0, Bound::Below(1.0), "figure x 1.000 <1 missed"),
        (19.9, Bound::AtLeast(20.0), "figure x 19.900 >=20 missed"),
        (20.0, Bound::AtLeast(20.0), "figure x 20.000 >=20"),
        (7.0, Bound::Report, "figure x 7.000 report"),
        (f64::NAN, Bound::AtMost(1.0), "figure x NaN <=1 missed"),
    ];
    for (value, bound, expected) in cases {
        assert_eq!(line("x", value, bound), expected);
    }
}
