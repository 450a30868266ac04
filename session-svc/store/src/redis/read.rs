//! Reads as commands of Redis, and the names of what they read.

use std::borrow::Cow;

use turnwise_redis::Cmd;

use crate::{Key, Partition, Read};

/// The largest number that Redis takes where it counts.
const MANY: usize = i32::MAX as usize;

/// Names of a partition's records in Redis. What stands in braces decides on the slot.
pub(super) struct Name {
    text: String,
    /// How long the part is that all names share.
    pub(super) length: usize,
}

impl Name {
    /// Names in this partition.
    pub(super) fn new(partition: &Partition) -> Self {
        let text = format!("turnwise:{{{}}}", partition.as_str());
        Self {
            length: text.len(),
            text,
        }
    }

    /// The name of one of the partition's own records; those of keys go on with a colon.
    pub(super) fn with(&mut self, end: &str) -> &str {
        self.text.truncate(self.length);
        self.text.push_str(end);
        &self.text
    }

    /// The name of a key.
    pub(super) fn of(&mut self, key: &str) -> &str {
        self.text.truncate(self.length);
        self.text.push(':');
        self.text.push_str(key);
        &self.text
    }
}

/// The commands that read.
pub(super) fn read_commands<'a>(
    partition: &Partition,
    reads: &'a [Read],
) -> impl Iterator<Item = Cmd> + use<'a> {
    let mut name = Name::new(partition);
    reads.iter().map(move |read| {
        let (command, key, arguments) = read_command(read);
        let mut command = turnwise_redis::cmd(command);
        command.arg(name.of(key.as_str()));
        for argument in arguments {
            command.arg(&argument[..]);
        }
        command
    })
}

/// A command, its key and its other arguments.
pub(super) type ReadCommand<'a> = (&'static str, &'a Key, Vec<Cow<'a, [u8]>>);

/// The command for a read.
pub(super) fn read_command(read: &Read) -> ReadCommand<'_> {
    fn text<'a>(text: impl Into<Cow<'a, str>>) -> Cow<'a, [u8]> {
        match text.into() {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        }
    }
    let count = |limit: usize| text(limit.min(MANY).to_string());
    match read {
        Read::Fields { key, fields } if fields.is_empty() => {
            // HMGET takes at least one.
            ("HMGET", key, vec![text("")])
        }
        Read::Fields { key, fields } => {
            let fields = fields.iter().map(|field| text(field.as_ref())).collect();
            ("HMGET", key, fields)
        }
        Read::Record { key } => ("HGETALL", key, Vec::new()),
        Read::LogAfter { key, after, limit } => {
            let after = text(format!("(0-{}", (*after).max(0)));
            let arguments = vec![after, text("+"), text("COUNT"), count(*limit)];
            ("XRANGE", key, arguments)
        }
        Read::LogBefore { key, before, limit } => {
            let before = match *before {
                i64::MAX => text("+"),
                before => text(format!("(0-{}", before.max(1))),
            };
            let arguments = vec![before, text("-"), text("COUNT"), count(*limit)];
            ("XREVRANGE", key, arguments)
        }
        Read::Lowest {
            key,
            from,
            to,
            limit,
        } => ("ZRANGEBYSCORE", key, by_score(*from, *to, count(*limit))),
        Read::Highest {
            key,
            from,
            to,
            limit,
        } => ("ZREVRANGEBYSCORE", key, by_score(*to, *from, count(*limit))),
    }
}

fn by_score(one: i64, other: i64, count: Cow<'_, [u8]>) -> Vec<Cow<'_, [u8]>> {
    let mut arguments: Vec<Cow<'_, [u8]>> = vec![
        Cow::Owned(one.to_string().into_bytes()),
        Cow::Owned(other.to_string().into_bytes()),
    ];
    let rest: [&[u8]; 3] = [b"WITHSCORES", b"LIMIT", b"0"];
    arguments.extend(rest.map(Cow::Borrowed));
    arguments.push(count);
    arguments
}
