//! A call of the script: the names, steps and texts of a transaction, as `transact.lua` says.

use std::{collections::HashMap, sync::LazyLock, time::Duration};

use turnwise_redis::Cmd;

use super::{
    TRANSACT, news, packed,
    read::{Name, read_command},
};
use crate::{Check, Key, Partition, Read, Transaction, Write};

/// How many texts one step takes. Lua's stack holds some 8,000.
pub(super) const AT_ONCE: usize = 2000;
/// The longest expiry, in milliseconds: some 300 years.
const LONGEST_MS: u128 = 10_000_000_000_000;
/// How many writes are looked through for one of a kind.
const MANY_WRITES: usize = 32;
/// How many names are looked through before a map helps.
const FEW: usize = 24;
/// How many names may stand for a text, or end as a later one does.
const NAMED: usize = 31;

/// The words of `transact.lua`, with their places.
static WORDS: LazyLock<HashMap<&'static [u8], usize>> = LazyLock::new(|| {
    let (_, words) = TRANSACT.split_once("local words = {").unwrap_or_default();
    let (words, _) = words.split_once('}').unwrap_or_default();
    let words = words.split('\'').skip(1).step_by(2);
    words.map(str::as_bytes).zip(1..).collect()
});
/// No word is longer.
static LONGEST_WORD: LazyLock<usize> =
    LazyLock::new(|| WORDS.keys().map(|word| word.len()).max().unwrap_or(0));

/// The call of the script with this hash for a transaction's checks and writes, and for these reads. `declared`: all names
/// are told as keys. If the writes are to be durable it leaves something to wait for, whether they are done or refused.
pub(super) fn call(
    hash: &str,
    partition: &Partition,
    transaction: &Transaction,
    reads: &[Read],
    declared: bool,
    durable: bool,
) -> Cmd {
    let mut plan = Plan::default();
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
        for argument in &arguments {
            plan.text(argument);
        }
    }
    let count = plan.names.len();
    let names: usize = plan.names.iter().map(|name| name.len()).sum();
    let mut packed = Vec::with_capacity(64 + names + plan.steps.len() + plan.texts.len());
    let items = 4 + 2 * count + 3 * plan.step_count + plan.text_count;
    packed::list(&mut packed, items);
    packed::number(&mut packed, touch(transaction, durable));
    packed::text(
        &mut packed,
        news::channel(partition, transaction).as_bytes(),
    );
    packed::number(&mut packed, count);
    packed::number(&mut packed, plan.step_count);
    for (place, name) in plan.names.iter().enumerate() {
        let end = end(name);
        let mut before = plan.names.iter().take(place.min(NAMED));
        let same = end.and_then(|_| before.position(|before| self::end(before) == end));
        let end = end.filter(|_| same.is_some()).unwrap_or_default();
        packed::text(&mut packed, &name.as_bytes()[..name.len() - end.len()]);
        packed::number(&mut packed, same.map_or(0, |place| place + 1));
    }
    packed.append(&mut plan.steps);
    packed.append(&mut plan.texts);

    let mut name = Name::new(partition);
    let declared = if declared { &plan.names[..] } else { &[] };
    let bytes = 160 + names + (2 + declared.len()) * name.length + packed.len();
    let mut command = Cmd::with_capacity(6 + declared.len(), bytes);
    // The partition's own records; those of keys go on with a colon.
    command.arg("EVALSHA").arg(hash);
    if declared.is_empty() {
        command.arg(1).arg(name.with(".token"));
    } else {
        command.arg(2 + declared.len());
        command.arg(name.with(".token")).arg(name.with(".ids"));
    }
    for key in declared {
        command.arg(name.of(key));
    }
    command.arg(&packed[..]);
    command
}

/// What a name is from its first colon on.
fn end(name: &str) -> Option<&str> {
    name.find(':').map(|colon| &name[colon..])
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

/// The steps with what they need, packed as far as it can be before all names are known.
#[derive(Default)]
struct Plan<'a> {
    names: Vec<&'a str>,
    places: HashMap<&'a str, usize>,
    steps: Vec<u8>,
    step_count: usize,
    texts: Vec<u8>,
    text_count: usize,
}

impl<'a> Plan<'a> {
    /// Adds a step with so many texts of its own, which follow.
    fn step(&mut self, what: What, key: &'a Key, texts: usize) -> &mut Self {
        let place = self.place(key.as_str());
        for number in [what as usize, place, texts] {
            packed::number(&mut self.steps, number);
        }
        self.step_count += 1;
        self
    }

    /// The place of a name in the list, which counts from 1.
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
        1 + place
    }

    fn text(&mut self, text: &(impl AsRef<[u8]> + ?Sized)) -> &mut Self {
        let text = text.as_ref();
        let word = (text.len() <= *LONGEST_WORD).then(|| WORDS.get(text));
        match word.flatten() {
            Some(place) => packed::number(&mut self.texts, *place),
            None => packed::text(&mut self.texts, text),
        }
        self.text_count += 1;
        self
    }

    /// A text that may be one of the names.
    fn member(&mut self, member: &str) -> &mut Self {
        let mut names = self.names.iter().take(NAMED).zip(1_u8..);
        let Some((_, place)) = names.find(|(name, _)| **name == member) else {
            return self.text(member);
        };
        packed::minus(&mut self.texts, place);
        self.text_count += 1;
        self
    }

    fn number(&mut self, number: impl ToString) -> &mut Self {
        self.text(&number.to_string())
    }

    fn all(&mut self, texts: &[impl AsRef<str>]) -> &mut Self {
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
        Check::LeaseHeld { key, token } => plan.step(What::Held, key, 0).text(&format!("{token} ")),
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
        Write::Expire { key, after } | Write::Keep { key, after } => {
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
            plan.step(What::Rank, key, 2).number(score).member(member);
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
fn touch(transaction: &Transaction, durable: bool) -> usize {
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
