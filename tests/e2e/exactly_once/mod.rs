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
//! | [`ledger`] | what was acknowledged, against what is there |
//! | [`load`] | grades without end, and the gaps between them |
//!
//! What is promised of an acknowledged write:
//!
//! | store | settings | survives | costs |
//! | --- | --- | --- | --- |
//! | embedded | `SESSION_EMBEDDED_FSYNC=on` | a SIGKILL, a power cut | one fsync for all commits that wait |
//! | one Redis | `appendonly yes`, `appendfsync everysec` | a SIGKILL; a power cut but for its last second | a write to the page cache |
//! | one Redis | `appendfsync always` | a power cut, too | one fsync for all commits that wait |
//! | Sentinel | `SESSION_REDIS_WAIT_REPLICAS` = all replicas of a primary, `min-replicas-to-write 1` | the loss of the primary and any planned failover | a round trip to the slowest replica |
//! | Cluster | the same: 1 where a primary has one replica | the same | the same; no writes to a slot while its primary has no replica |
//! | Sentinel, Cluster | `SESSION_REDIS_WAIT_REPLICAS=0` | nothing of the last moments before a failover | nothing |
//!
//! EXACTLY_ONCE_ROUNDS and EXACTLY_ONCE_SEED say how many kills and which; every run prints its seed.

mod calls;
mod duplicates;
mod failovers;
mod kills_embedded;
mod kills_on_redis;
mod ledger;
mod load;
mod retries;
mod rounds;
