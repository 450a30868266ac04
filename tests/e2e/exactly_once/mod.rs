//! Exactly once under fire: session-svc alone, real, over gRPC, killed at every point of a commit, its Redis killed or
//! switched over, and every call sent many times. Each grade counts once and everything acknowledged is there, once.
//!
//! | module | is about |
//! | --- | --- |
//! | [`duplicates`] | fifty at once of the same grade, on two replicas of the service |
//! | [`kills_on_redis`] | the service is killed at a chosen byte of a commit |
//! | [`kills_embedded`] | the service is killed at a chosen moment around the commits of eight |
//! | [`failovers`] | the primary is killed, or another one takes its place as planned |
//! | [`calls`] | grades and turns as the gateway sends them |
//! | [`retries`], [`rounds`] | calls that are sent until they are acknowledged, over all lives of the service |
//! | [`acknowledged`] | what was acknowledged, against what is there |
//! | [`load`] | grades without end, and the gaps between them |
//!
//! What is promised of an acknowledged write, and what it costs. The outages are those of these fixtures, which take a
//! silent primary for dead after 1.5 s:
//!
//! | store | settings | an acknowledged write survives | costs |
//! | --- | --- | --- | --- |
//! | embedded | `SESSION_EMBEDDED_FSYNC=on` | a SIGKILL and a power cut | one sync to disk for all commits that wait |
//! | one Redis | `appendonly yes`, `appendfsync always` | a SIGKILL of Redis and a power cut | one sync to disk for all commits that wait; away until it is started again |
//! | one Redis | `appendonly yes`, `appendfsync everysec` | neither for certain: the last second, or two while the disk is slow, may be lost | away until it is started again |
//! | Sentinel | `SESSION_REDIS_WAIT_REPLICAS` = the replicas of a primary, `min-replicas-to-write 1` | the loss of the primary, and a planned failover | a round trip to the slowest replica; some 3 s when the primary dies; 1 to 10 s when another one takes its place, until the former one follows it: about 1 s where an operator sends it `REPLICAOF` |
//! | Cluster | the same, so 1 where a primary has one replica | the same | the same round trip; some 3 s when a primary dies, and no writes to its slots until it has a replica again; 0.2 s as planned |
//! | Sentinel, Cluster | `SESSION_REDIS_WAIT_REPLICAS=0` | no failover, but for luck: a planned one under Sentinel loses up to some seconds | nothing |
//!
//! Replicas acknowledge what they have in memory: a write on all of them outlives any of the servers, and a power cut of
//! all at once as far as the append-only file does.
//!
//! EXACTLY_ONCE_ROUNDS and EXACTLY_ONCE_SEED say how many kills and which; every run prints its seed.

mod acknowledged;
mod calls;
mod duplicates;
mod failovers;
mod kills_embedded;
mod kills_on_redis;
mod load;
mod retries;
mod rounds;
