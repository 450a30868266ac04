//! What a platform is told by webhooks.

mod documented;
mod killed;
mod misbehaving;
mod receiver;
