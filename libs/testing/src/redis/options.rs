//! The settings of the servers of a fixture.

/// How long a node of a set or a cluster is silent until others take it for down, in milliseconds. A busy machine answers
/// sooner.
const DOWN_AFTER_MS: u32 = 60_000;
/// The same where lost nodes are to be replaced.
const SOON_DOWN_AFTER_MS: u32 = 1_500;

/// How servers are set up. By default they keep nothing when they end, have no bounds and ask for no password; they
/// never evict, and allow `DEBUG`.
#[derive(Clone, Debug, Default)]
pub struct ServerOptions {
    persistent: bool,
    password: Option<String>,
    lines: String,
    fails_over: bool,
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

    /// Has a replica take the place of a primary that is silent for 1.5 s, for tests of that. Without it nobody does
    /// within a minute.
    #[must_use]
    pub fn failing_over(mut self) -> Self {
        self.fails_over = true;
        self
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

    /// How long a node is silent until others take it for down, in milliseconds.
    pub(super) fn down_after_ms(&self) -> u32 {
        if self.fails_over {
            SOON_DOWN_AFTER_MS
        } else {
            DOWN_AFTER_MS
        }
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
