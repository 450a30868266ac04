//! Three replicas of llm-gateway-svc in front of one model with two slots, sharing a line through one Redis: a replica is
//! killed, Redis is killed, all are restarted one after another. The model server counts, and never counts more than two.

mod fairness;
mod pupils;
mod redis_killed;
mod replica_killed;
mod rolling_restart;
mod trio;
