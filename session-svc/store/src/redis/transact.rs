//! A call of the script: the plan and the texts of a transaction, as `transact.lua` says.

use std::{borrow::Cow, collections::HashMap, time::Duration};

use turnwise_redis::Cmd;

use super::{
    news,
    read::{Name, read_command},
};
use crate::{Check, Key, Partition, Read, Transaction, Write};

/// How many texts one step takes. Lua's stack holds some 8,000.
const AT_ONCE: usize = 2000;
/// The longest expiry, in milliseconds: some 300 years.
const LONGEST_MS: u128 = 10_000_000_000_000;
/// How many writes are looked through for one of a kind.
const MANY_WRITES: usize = 32;
/// How many names are looked through before a map helps.
const FEW: usize = 24;

/// How many records of its own a partition has, which stand before the names.
const OWN: usize = 2;

/// The call of the script with this hash for a transaction's checks and writes, and for these reads. If the writes are
/// to be durable it leaves something to wait for, whether they are done or refused.
pub(super) fn call<'a>(
    hash: &str,
    partition: &Partition,
    transaction: &'a Transaction,
    reads: &'a [Read],
    durable: bool,
) -> Cmd {
    let items = transaction.checks.len() + transaction.writes.len();
    let mut plan = Plan::new(touch(transaction, durable), items);
    for check in &transaction.checks {
        add_check(&mut plan, check);
    }
    for write in &transaction.writes {
        add_write(&mut plan, write, &transaction.writes);
    }
    for read in reads {
        let (command, key, arguments) = read_command(read);
        plan.step(What::Read, key, 1 + arguments.len())
            .text(command);
        for argument in arguments {
            plan.bytes += argument.len();
            plan.texts.push(argument);
        }
    }
    let mut name = Name::new(partition);
    let names: usize = plan.names.iter().map(|key| key.len()).sum();
    let bytes = 160 + names + (3 + plan.names.len()) * name.length + plan.steps.len() + plan.bytes;
    let mut command = Cmd::with_capacity(8 + plan.names.len() + plan.texts.len(), bytes);
    command
        .arg("EVALSHA")
        .arg(hash)
        .arg(OWN + plan.names.len())
        // The partition's own records; those of keys go on with a colon.
        .arg(name.with(".token"))
        .arg(name.with(".ids"));
    for key in &plan.names {
        command.arg(name.of(key));
    }
    command.arg(&plan.steps[..]);
    match news::message(partition, transaction) {
        Some(message) => command.arg(news::channel(partition.as_str())).arg(message),
        None => command.arg("").arg(""),
    };
    for text in &plan.texts {
        command.arg(text.as_ref());
    }
    command
}

/// What to do; the numbers are those of `transact.lua`.
#[derive(Clone, Copy)]
#[repr(u8)]
enum What {
    Absent = 1,
    Present = 2,
    FieldIs = 3,
    NoField = 4,
    Below = 5,
    Free = 6,
    Held = 7,
    Put = 11,
    Unset = 12,
    Remove = 13,
    Expire = 14,
    Append = 15,
    Trim = 16,
    Rank = 17,
    Unrank = 18,
    UnrankAt = 19,
    UnrankUpTo = 20,
    TakeLease = 21,
    Fence = 22,
    ExpireAny = 23,
    Release = 24,
    Add = 25,
    Read = 31,
}

/// The steps with what they need, as far as it can be without copies.
struct Plan<'a> {
    steps: Vec<u8>,
    names: Vec<&'a str>,
    places: HashMap<&'a str, usize>,
    texts: Vec<Cow<'a, [u8]>>,
    bytes: usize,
}

impl<'a> Plan<'a> {
    fn new(touch: u8, items: usize) -> Self {
        let mut steps = Vec::with_capacity(1 + 5 * items);
        steps.push(touch);
        Self {
            steps,
            names: Vec::with_capacity(items.min(FEW)),
            places: HashMap::new(),
            texts: Vec::with_capacity(3 * items),
            bytes: 0,
        }
    }

    /// Adds a step with so many texts of its own, which follow.
    fn step(&mut self, what: What, key: &'a Key, texts: usize) -> &mut Self {
        let place = self.place(key.as_str());
        let [.., place_high, place_low] = place.to_be_bytes();
        let [.., texts_high, texts_low] = texts.to_be_bytes();
        let step = [what as u8, place_high, place_low, texts_high, texts_low];
        self.steps.extend_from_slice(&step);
        self
    }

    /// The place of a name in the script's list, which counts from 1.
    fn place(&mut self, name: &'a str) -> usize {
        let few = self.names.len() < FEW;
        let known = if few {
            self.names.iter().position(|known| *known == name)
        } else {
            if self.places.is_empty() {
                self.places = self.names.iter().copied().zip(0..).collect();
            }
            self.places.get(name).copied()
        };
        let place = known.unwrap_or_else(|| {
            self.names.push(name);
            if !few {
                self.places.insert(name, self.names.len() - 1);
            }
            self.names.len() - 1
        });
        OWN + 1 + place
    }

    fn text(&mut self, text: &'a (impl AsRef<[u8]> + ?Sized)) -> &mut Self {
        self.bytes += text.as_ref().len();
        self.texts.push(Cow::Borrowed(text.as_ref()));
        self
    }

    fn number(&mut self, number: impl ToString) -> &mut Self {
        self.owned(number.to_string())
    }

    fn owned(&mut self, text: String) -> &mut Self {
        self.bytes += text.len();
        self.texts.push(Cow::Owned(text.into_bytes()));
        self
    }

    fn all(&mut self, texts: &'a [impl AsRef<str>]) -> &mut Self {
        for text in texts {
            self.text(text.as_ref());
        }
        self
    }
}

fn add_check<'a>(plan: &mut Plan<'a>, check: &'a Check) {
    match check {
        Check::Absent { key, tell } => plan.step(What::Absent, key, tell.len()).all(tell),
        Check::Present { key } => plan.step(What::Present, key, 0),
        Check::FieldIs {
            key,
            field,
            value: Some(value),
            tell,
        } => plan
            .step(What::FieldIs, key, tell.len())
            .text(*field)
            .text(value)
            .all(tell),
        Check::FieldIs {
            key,
            field,
            value: None,
            tell,
        } => plan
            .step(What::NoField, key, tell.len())
            .text(*field)
            .all(tell),
        Check::FenceBelow { key, field, token } => {
            plan.step(What::Below, key, 0).text(*field).number(token)
        }
        Check::LeaseFree { key, or_of } => plan.step(What::Free, key, 0).text(or_of),
        Check::LeaseHeld { key, token } => plan.step(What::Held, key, 0).owned(format!("{token} ")),
    };
}

fn add_write<'a>(plan: &mut Plan<'a>, write: &'a Write, all: &[Write]) {
    match write {
        Write::Put { key, fields } => {
            for some in fields.chunks(AT_ONCE / 2) {
                plan.step(What::Put, key, 2 * some.len());
                for (name, value) in some {
                    plan.text(name.as_bytes()).text(value);
                }
            }
        }
        Write::Add { key, fields } => {
            for some in fields.chunks(AT_ONCE / 2) {
                plan.step(What::Add, key, 2 * some.len());
                for (name, by) in some {
                    plan.text(name.as_bytes()).number(by);
                }
            }
        }
        Write::Unset { key, fields } => {
            for some in fields.chunks(AT_ONCE) {
                plan.step(What::Unset, key, some.len()).all(some);
            }
        }
        Write::Remove { key } => {
            plan.step(What::Remove, key, 0);
        }
        Write::ReleaseLease { key } => {
            plan.step(What::Release, key, 0);
        }
        Write::Expire { key, after } => {
            let what = if is_written_as_no_log(key, all) {
                What::Expire
            } else {
                What::ExpireAny
            };
            plan.step(what, key, 1).number(milliseconds(*after));
        }
        Write::RenewLease { key, ttl } => {
            plan.step(What::Expire, key, 1).number(milliseconds(*ttl));
        }
        Write::Append { key, entries } => {
            for some in entries.chunks(AT_ONCE) {
                plan.step(What::Append, key, some.len());
                for entry in some {
                    plan.text(entry);
                }
            }
        }
        Write::Trim { key, keep } => {
            plan.step(What::Trim, key, 1)
                .number((*keep).min(i32::MAX as usize));
        }
        Write::Rank { key, member, score } => {
            plan.step(What::Rank, key, 2).number(score).text(member);
        }
        Write::Unrank { key, members } => {
            for some in members.chunks(AT_ONCE) {
                plan.step(What::Unrank, key, some.len()).all(some);
            }
        }
        Write::UnrankAt { key, members } => {
            for some in members.chunks(AT_ONCE / 2) {
                plan.step(What::UnrankAt, key, 2 * some.len());
                for (member, score) in some {
                    plan.text(member).number(score);
                }
            }
        }
        Write::UnrankUpTo { key, score } => {
            plan.step(What::UnrankUpTo, key, 1).number(score);
        }
        Write::TakeLease { key, ttl, holder } => {
            plan.step(What::TakeLease, key, 2)
                .text(holder)
                .number(milliseconds(*ttl));
        }
        Write::Fence { key, field } => {
            plan.step(What::Fence, key, 1).text(*field);
        }
    }
}

/// Whether these writes show that the key is a record or a ranking, so that the script need not ask.
fn is_written_as_no_log(key: &Key, writes: &[Write]) -> bool {
    writes.iter().take(MANY_WRITES).any(|write| match write {
        Write::Put { key: other, .. }
        | Write::Add { key: other, .. }
        | Write::Rank { key: other, .. } => key == other,
        _ => false,
    })
}

/// When the script must write something that every replica gets. Most writes are such anyway; a write that changes
/// nothing, such as removing what is not there, is none.
fn touch(transaction: &Transaction, durable: bool) -> u8 {
    let writes_anyway = transaction.writes.iter().any(|write| {
        matches!(
            write,
            Write::Put { .. }
                | Write::Add { .. }
                | Write::Append { .. }
                | Write::TakeLease { .. }
                | Write::Fence { .. }
        )
    });
    match (durable, writes_anyway) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => 2,
    }
}

fn milliseconds(duration: Duration) -> u128 {
    duration.as_millis().clamp(1, LONGEST_MS)
}
