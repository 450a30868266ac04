//! Rate limits and daily budgets, kept by one process or shared through Redis.
