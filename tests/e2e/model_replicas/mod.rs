//! Three replicas of llm-gateway-svc in front of one model with two slots, sharing a queue through one Redis. Whatever ends
//! and comes back, the model server never counts more than two calls at once.
//!
//! | module | is about |
//! | --- | --- |
//! | `replica_killed` | a replica that is killed while it has every slot |
//! | `redis_killed` | Redis that is killed, and comes back |
//! | `rolling_restart` | all replicas, told to end one after another |
//! | `fairness` | classes whose students come through one replica or through all |
//! | `three_replicas`, `students` | the replicas, their model and their Redis; those who press *help* |

mod fairness;
mod redis_killed;
mod replica_killed;
mod rolling_restart;
mod students;
mod three_replicas;
