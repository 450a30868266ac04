//! The users of Redis that deploy/ makes, for tests that a service can do its work as its own.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, ErrorKind},
    path::Path,
};

use super::{options::ServerOptions, server::RedisServer};

/// Where their rights are, below the repository's root.
const FILE: &str = "deploy/kubernetes/components/redis/users.acl";
/// The password that all of them have here.
const PASSWORD: &str = "word";

/// A user of Redis that deploy/ makes.
#[derive(Clone, Debug)]
pub struct User {
    name: String,
    rights: String,
}

impl User {
    /// The user of this name in deploy/.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or knows no such user.
    pub fn deployed(name: &str) -> io::Result<Self> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(FILE);
        let text = fs::read_to_string(file)?;
        let start = format!("user {name} ");
        let rights = text.lines().find_map(|line| line.strip_prefix(&start));
        let missing = || io::Error::new(ErrorKind::NotFound, format!("{FILE}: no user {name}"));
        Ok(Self {
            name: name.to_owned(),
            rights: rights.ok_or_else(missing)?.to_owned(),
        })
    }

    /// The commands that it may send, as rights have them: `get`, `script|load`.
    pub fn commands(&self) -> BTreeSet<String> {
        let words = self.rights.split(' ');
        words
            .filter_map(|word| word.strip_prefix('+'))
            .map(str::to_owned)
            .collect()
    }

    /// The settings of a server that knows this user, too.
    #[must_use]
    pub fn known_to(&self, options: ServerOptions) -> ServerOptions {
        let Self { name, rights } = self;
        options.set("user", &format!("{name} on >{PASSWORD} {rights}"))
    }

    /// The address of a server, for this user.
    pub fn url(&self, server: &RedisServer) -> String {
        let login = format!("//{}:{PASSWORD}@", self.name);
        server.url().replace("//", &login)
    }
}

/// The commands that a script calls, in lower case.
pub fn commands_of(script: &str) -> BTreeSet<String> {
    let calls = script.split("call('").skip(1);
    calls
        .filter_map(|call| call.split('\'').next())
        .map(str::to_ascii_lowercase)
        .collect()
}
