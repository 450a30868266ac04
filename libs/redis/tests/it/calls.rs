//! Scripts and plain commands, wherever their partition is.

use std::time::Duration;

use turnwise_redis::{Cmd, Redis, RedisOptions, Script, ToRedisArgs, Value, cmd};
use turnwise_testing::redis::{Cluster, RedisServer, SentinelSet};

/// How long a test waits for what takes milliseconds.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// Partitions in different slots.
pub const PARTITIONS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// No arguments.
pub const NONE: Option<&str> = None;

pub async fn open(address: String) -> Redis {
    Redis::open(&RedisOptions::new(address)).await.unwrap()
}

/// Adds to a number, and returns the new one.
pub fn add() -> Script {
    Script::new("return redis.call('INCRBY', KEYS[1], ARGV[1])")
}

pub fn key(partition: &str) -> String {
    format!("test:{{{partition}}}:count")
}

/// A command with its key and arguments.
pub fn command(name: &str, partition: &str, arguments: impl ToRedisArgs) -> Cmd {
    let mut command = cmd(name);
    command.arg(key(partition)).arg(arguments);
    command
}

pub fn bulk(text: impl ToString) -> Value {
    Value::BulkString(text.to_string().into_bytes())
}

/// Makes all sentinels name another server as the primary, without telling anybody.
pub fn name_another(set: &SentinelSet, other: &RedisServer) {
    let (name, port) = (set.master_name(), other.port().to_string());
    for sentinel in set.sentinel_ports() {
        let monitor = ["SENTINEL", "MONITOR", name, "127.0.0.1", &port, "2"];
        for command in [&["SENTINEL", "REMOVE", name][..], &monitor] {
            let said = turnwise_testing::redis::command(sentinel, command).unwrap();
            assert_eq!(said.text(), "OK");
        }
    }
}

/// Calls a script on all partitions while the servers forget all scripts again and again.
async fn scripts_are_loaded_again(url: String, servers: &[RedisServer]) {
    let redis = open(url).await;
    let add = add();
    for round in 1..=3 {
        for server in servers {
            server.command(&["SCRIPT", "FLUSH"]).unwrap();
        }
        for partition in PARTITIONS {
            let done = redis.run(&add, partition, &[key(partition)], 5).await;
            assert_eq!(done.unwrap(), Value::Int(5 * round), "{partition}");
        }
    }
}

#[tokio::test]
async fn a_script_that_a_server_forgot_is_loaded_again() {
    let server = RedisServer::start().unwrap();
    scripts_are_loaded_again(server.url(), std::slice::from_ref(&server)).await;
}

#[tokio::test]
async fn a_script_that_a_primary_forgot_is_loaded_again() {
    let set = SentinelSet::start().unwrap();
    scripts_are_loaded_again(set.url(), set.nodes()).await;
}

#[tokio::test]
async fn a_script_that_a_node_of_a_cluster_forgot_is_loaded_again() {
    let cluster = Cluster::start().unwrap();
    scripts_are_loaded_again(cluster.url(), cluster.nodes()).await;
}

/// How often a server was asked to do something.
fn calls(server: &RedisServer, command: &str) -> u32 {
    let stats = server.command(&["INFO", "commandstats"]).unwrap().text();
    let name = format!("cmdstat_{command}:calls=");
    stats
        .lines()
        .find_map(|line| line.strip_prefix(&name)?.split(',').next()?.parse().ok())
        .unwrap_or(0)
}

#[tokio::test]
async fn a_script_is_called_in_one_round_trip_by_all_on_one_connection() {
    let server = RedisServer::start().unwrap();
    let redis = open(server.url()).await;
    let clients = || server.command(&["CLIENT", "LIST"]).unwrap().text();
    let add = add();
    let calling: Vec<_> = (0..100)
        .map(|_| {
            let (redis, add) = (redis.clone(), add.clone());
            tokio::spawn(async move { redis.run(&add, "a", &[key("a")], 1).await })
        })
        .collect();
    for call in calling {
        call.await.unwrap().unwrap();
    }
    let done = redis.run(&add, "a", &[key("a")], 1).await.unwrap();
    assert_eq!(done, Value::Int(101));
    // One for this question.
    assert_eq!(clients().lines().count(), 2, "{}", clients());
    let before = calls(&server, "evalsha");
    redis.run(&add, "a", &[key("a")], 1).await.unwrap();
    assert_eq!(calls(&server, "evalsha"), before + 1);
    assert_eq!(calls(&server, "eval"), 0);
}

#[tokio::test]
async fn arguments_are_lists_tuples_and_nothing() {
    let server = RedisServer::start().unwrap();
    let redis = open(server.url()).await;
    let echo = Script::new("return {#KEYS, #ARGV, unpack(ARGV)}");
    let keys: [&str; 0] = [];
    let two = redis
        .run(&echo, "a", &["{a}1", "{a}2"], (7, vec!["x", "y"], &[1.5]))
        .await;
    let expected = [
        Value::Int(2),
        Value::Int(4),
        bulk(7),
        bulk("x"),
        bulk("y"),
        bulk(1.5),
    ];
    assert_eq!(two.unwrap(), Value::Array(expected.to_vec()));
    let none = redis.run(&echo, "a", &keys, NONE).await.unwrap();
    assert_eq!(none, Value::Array(vec![Value::Int(0), Value::Int(0)]));
}

/// Plain commands on all partitions, alone and together.
async fn commands_are_answered(url: String) {
    let redis = open(url).await;
    for partition in PARTITIONS {
        let alone = redis
            .send(partition, vec![command("INCRBY", partition, 3)])
            .await;
        assert_eq!(alone.unwrap(), [Value::Int(3)]);
        let together = vec![
            command("INCR", partition, NONE),
            command("LPUSH", partition, "x"),
            command("GET", partition, NONE),
        ];
        let said = redis.send(partition, together).await.unwrap();
        let [Value::Int(4), Value::ServerError(refused), last] = said.as_slice() else {
            panic!("{said:?}");
        };
        assert_eq!(refused.code(), "WRONGTYPE");
        assert_eq!(*last, bulk(4));
    }
    assert_eq!(redis.send("a", Vec::new()).await.unwrap(), []);
}

#[tokio::test]
async fn commands_are_answered_by_a_server() {
    let server = RedisServer::start().unwrap();
    commands_are_answered(server.url()).await;
}

#[tokio::test]
async fn commands_are_answered_by_a_cluster() {
    let cluster = Cluster::start().unwrap();
    commands_are_answered(cluster.url()).await;
}

#[tokio::test]
async fn commands_together_are_one_step() {
    let server = RedisServer::start().unwrap();
    let redis = open(server.url()).await;
    let adding: Vec<_> = (0..50)
        .map(|_| {
            let redis = redis.clone();
            tokio::spawn(async move {
                let twice = vec![command("INCR", "a", NONE), command("INCR", "a", NONE)];
                redis.send("a", twice).await.unwrap()
            })
        })
        .collect();
    for adding in adding {
        let said = adding.await.unwrap();
        let [Value::Int(one), Value::Int(other)] = said.as_slice() else {
            panic!("{said:?}");
        };
        assert_eq!((one % 2, *other), (1, one + 1));
    }
    assert_eq!(calls(&server, "exec"), 50);
}

/// Moves a slot to another node step by step, as a reshard does, and uses it meanwhile.
#[tokio::test]
async fn a_slot_that_moves_is_followed() {
    let cluster = Cluster::start().unwrap();
    let redis = open(cluster.url()).await;
    let add = add();
    let (name, partition) = (key("a"), "a");
    let node = |port| {
        cluster
            .nodes()
            .iter()
            .find(|node| node.port() == port)
            .unwrap()
    };
    let from = node(cluster.primary_of(&name).unwrap());
    let to = PARTITIONS
        .iter()
        .map(|other| node(cluster.primary_of(&key(other)).unwrap()))
        .find(|node| node.port() != from.port())
        .unwrap();
    let id = |node: &RedisServer| node.command(&["CLUSTER", "MYID"]).unwrap().text();
    let slot = from
        .command(&["CLUSTER", "KEYSLOT", &name])
        .unwrap()
        .int()
        .unwrap()
        .to_string();
    let set_slot = |node: &RedisServer, state: &[&str]| {
        let command = [&["CLUSTER", "SETSLOT", &slot], state].concat();
        assert_eq!(node.command(&command).unwrap().text(), "OK");
    };
    let mut count = 0;
    let mut use_it = async || {
        for _ in 0..3 {
            let done = redis.run(&add, partition, &[&name], 1).await.unwrap();
            assert_eq!(done, Value::Int(count + 1));
            let alone = redis
                .send(partition, vec![command("INCR", partition, NONE)])
                .await;
            assert_eq!(alone.unwrap(), [Value::Int(count + 2)]);
            let read = vec![
                command("INCR", partition, NONE),
                command("GET", partition, NONE),
            ];
            let together = redis.send(partition, read).await.unwrap();
            assert_eq!(together, [Value::Int(count + 3), bulk(count + 3)]);
            count += 3;
        }
    };
    use_it().await;
    set_slot(to, &["IMPORTING", &id(from)]);
    set_slot(from, &["MIGRATING", &id(to)]);
    // The key still is with the old owner.
    use_it().await;
    let port = to.port().to_string();
    let moved = from
        .command(&["MIGRATE", "127.0.0.1", &port, &name, "0", "5000"])
        .unwrap();
    assert_eq!(moved.text(), "OK");
    // The old owner sends those who ask for it on.
    use_it().await;
    set_slot(to, &["NODE", &id(to)]);
    set_slot(from, &["NODE", &id(to)]);
    use_it().await;
}
