//! Redis, wherever its primary is: one server, a set that sentinels watch, or a cluster.
