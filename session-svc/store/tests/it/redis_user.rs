//! The Redis user that deploy/ makes for this service: the suite passes as this user, who may do nothing else.

use turnwise_redis::{FailureKind, Redis, RedisOptions, cmd};
use turnwise_testing::redis::{RedisServer, ServerOptions, User, commands_of};

/// What connections, transactions and channels take, besides what the script calls.
const BESIDES: [&str; 13] = [
    "evalsha",
    "exec",
    "hello",
    "info",
    "multi",
    "ping",
    "role",
    "script|load",
    "select",
    "subscribe",
    "unsubscribe",
    "wait",
    // The script calls XINFO STREAM.
    "xinfo|stream",
];
/// What reads are, in the script or between MULTI and EXEC.
const READS: [&str; 6] = [
    "hgetall",
    "hmget",
    "xrange",
    "xrevrange",
    "zrangebyscore",
    "zrevrangebyscore",
];

#[test]
fn the_user_may_do_what_is_needed_and_no_more() {
    let mut needed = commands_of(include_str!("../../src/redis/transact.lua"));
    assert!(needed.remove("xinfo"));
    needed.extend(BESIDES.into_iter().chain(READS).map(str::to_owned));
    assert_eq!(User::deployed("session").unwrap().commands(), needed);
}

#[tokio::test]
async fn the_user_sees_nothing_else() {
    let user = User::deployed("session").unwrap();
    let server = RedisServer::start_with(&user.known_to(ServerOptions::default())).unwrap();
    let redis = Redis::open(&RedisOptions::new(user.url(&server))).await;
    let redis = redis.unwrap();
    // Opening asked whether Redis may evict records.
    let denied = server.command(&["ACL", "LOG"]).unwrap();
    assert_eq!(denied.items().len(), 0, "{denied:?}");
    for words in [
        &["GET", "another:{school/ada}:snapshot"][..],
        &["PUBLISH", "turnwise:breaker:llm", "x"],
        &["CONFIG", "GET", "requirepass"],
        &["CONFIG", "SET", "maxmemory-policy", "allkeys-lru"],
        &["KEYS", "*"],
        &["FLUSHALL"],
        &["ACL", "WHOAMI"],
        &["REPLICAOF", "NO", "ONE"],
    ] {
        let mut command = cmd(words[0]);
        command.arg(&words[1..]);
        let failure = redis.send("", vec![command]).await.unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Denied, "{words:?}");
    }
}
