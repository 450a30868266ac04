//! The settings of the servers of a fixture.

/// How servers are set up. By default they keep nothing when they end, have no bounds and ask for no password; they
/// never evict, and allow `DEBUG`.
#[derive(Clone, Debug, Default)]
pub struct ServerOptions {
    persistent: bool,
    password: Option<String>,
    lines: String,
}

impl ServerOptions {
    /// Writes to an append-only file, synced every second, so that a server that is started again has what it
    /// acknowledged before.
    #[must_use]
    pub fn persistent(mut self) -> Self {
        self.persistent = true;
        self
    }

    /// Refuses writes (`OOM`) once this many bytes are used.
    #[must_use]
    pub fn maxmemory(self, bytes: u64) -> Self {
        self.set("maxmemory", &bytes.to_string())
    }

    /// Asks clients for this password.
    #[must_use]
    pub fn password(mut self, password: &str) -> Self {
        self.password = Some(password.to_owned());
        self
    }

    /// Refuses writes (`NOREPLICAS`) while fewer replicas than this are attached.
    #[must_use]
    pub fn min_replicas_to_write(self, replicas: u32) -> Self {
        self.set("min-replicas-to-write", &replicas.to_string())
    }

    /// Any other setting, as redis.conf has it. A later one wins over an earlier one.
    #[must_use]
    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.lines.push_str(&format!("{name} {value}\n"));
        self
    }

    /// The password, if there is one.
    pub(super) fn password_needed(&self) -> Option<&str> {
        self.password.as_deref()
    }

    /// The lines of redis.conf.
    pub(super) fn config(&self) -> String {
        let mut config = String::from(
            "save \"\"\n\
             maxmemory-policy noeviction\n\
             enable-debug-command yes\n\
             repl-diskless-sync-delay 0\n\
             repl-ping-replica-period 1\n",
        );
        if self.persistent {
            config.push_str("appendonly yes\nappendfsync everysec\n");
        }
        if let Some(password) = &self.password {
            let password = quoted(password);
            config.push_str(&format!("requirepass {password}\nmasterauth {password}\n"));
        }
        config.push_str(&self.lines);
        config
    }
}

/// A value of redis.conf that may hold spaces and quotes.
pub(super) fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}
