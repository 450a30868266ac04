//! Circuit breakers, kept by one process or shared through Redis.
