//! A Lua script, which Redis keeps under a hash.

use redis::{Cmd, Script as Hashed, ToRedisArgs};

/// A Lua script. Redis is told its hash alone, and the source where it does not know it yet.
#[derive(Debug, Clone)]
pub struct Script {
    source: &'static str,
    hash: Hashed,
}

impl Script {
    /// The script with this source. Redis must find the same in each call of it: whatever changes is a key or an argument.
    pub fn new(source: &'static str) -> Self {
        Self {
            source,
            hash: Hashed::new(source),
        }
    }

    /// The hash under which Redis keeps it: the SHA-1 of the source, in hexadecimal.
    pub fn hash(&self) -> &str {
        self.hash.get_hash()
    }

    /// The command that calls it with these keys and arguments.
    pub(crate) fn call(&self, keys: &[impl AsRef<str>], arguments: impl ToRedisArgs) -> Cmd {
        let mut call = redis::cmd("EVALSHA");
        call.arg(self.hash()).arg(keys.len());
        for key in keys {
            call.arg(key.as_ref());
        }
        call.arg(arguments);
        call
    }

    /// The command that makes Redis know it.
    pub(crate) fn load(&self) -> Cmd {
        let mut load = redis::cmd("SCRIPT");
        load.arg("LOAD").arg(self.source);
        load
    }
}
