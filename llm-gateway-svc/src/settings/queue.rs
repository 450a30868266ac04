//! Settings of the queues in front of models.

use std::{collections::BTreeMap, str::FromStr, time::Duration};

use clap::value_parser;

/// The most slots of a model.
const SLOTS_MAX: u32 = 1024;
/// The most weight of a class.
const WEIGHT_MAX: u32 = 1000;

/// How many calls run at once, and who waits how.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct QueueSettings {
    /// How many completions run at once, for each model and all replicas together (1 to 1024)
    #[arg(long, env = "HELPER_MAX_CONCURRENCY", default_value = "2", value_parser = value_parser!(u32).range(1..=i64::from(SLOTS_MAX)))]
    pub helper_max_concurrency: u32,

    /// Models with another number of slots: `MODEL=SLOTS,...`, such as `llama3.2:1b=4`
    #[arg(long, env = "LLM_MODEL_CONCURRENCY", default_value = "")]
    pub llm_model_concurrency: Numbers<SLOTS_MAX>,

    /// How many embeddings run at once, for each model and all replicas together (1 to 1024)
    #[arg(long, env = "EMBED_MAX_CONCURRENCY", default_value = "2", value_parser = value_parser!(u32).range(1..=i64::from(SLOTS_MAX)))]
    pub embed_max_concurrency: u32,

    /// Seconds (0 to 3600) that a caller who asks for nothing else waits for a slot
    #[arg(long, env = "HELPER_QUEUE_MAX_WAIT_SECONDS", default_value = "10", value_parser = seconds_from_0::<3600>)]
    pub helper_queue_max_wait_seconds: Duration,

    /// The longest wait for a slot that a caller may ask for, in seconds (0 to 3600)
    #[arg(long, env = "QUEUE_MAX_WAIT_CEILING_SECONDS", default_value = "600", value_parser = seconds_from_0::<3600>)]
    pub queue_max_wait_ceiling_seconds: Duration,

    /// Seconds (0 to 600) that a place is held after the time of its retry hint
    #[arg(long, env = "QUEUE_PLACE_GRACE_SECONDS", default_value = "5", value_parser = seconds_from_0::<600>)]
    pub queue_place_grace_seconds: Duration,

    /// How many requests a queue holds at most, those included whose place is held (1 to 100000)
    #[arg(long, env = "QUEUE_MAX_ENTRIES", default_value = "2000", value_parser = value_parser!(u32).range(1..=100_000))]
    pub queue_max_entries: u32,

    /// How many bytes of prompts may wait in this process, for each model (1024 to 4294967295)
    #[arg(long, env = "QUEUE_MAX_BYTES", default_value = "67108864", value_parser = value_parser!(u32).range(1024..))]
    pub queue_max_bytes: u32,

    /// Seconds (1 to 3600) after which a request that nobody waits for starts although others wait; at most one in each
    /// such time
    #[arg(long, env = "QUEUE_BATCH_AGING_SECONDS", default_value = "30", value_parser = seconds_from_1::<3600>)]
    pub queue_batch_aging_seconds: Duration,

    /// Weights of classes (1 to 1000) where they are not 1: `TENANT/CLASS=WEIGHT,...`
    #[arg(long, env = "QUEUE_CLASS_WEIGHTS", default_value = "", value_parser = class_weights)]
    pub queue_class_weights: Numbers<WEIGHT_MAX>,

    /// Seconds (0.01 to 600) that a call is taken to need before any was measured
    #[arg(long, env = "QUEUE_EXPECTED_CALL_SECONDS", default_value = "3", value_parser = expected)]
    pub queue_expected_call_seconds: Duration,

    /// Seconds (0.01 to 60) without news from the other replicas after which a process looks for itself. Waiters are
    /// woken; this only finds lost messages
    #[arg(long, env = "HELPER_QUEUE_POLL_SECONDS", default_value = "0.2", value_parser = poll)]
    pub helper_queue_poll_seconds: Duration,

    /// Seconds (1 to 3600) after which the slot of a process that died is free. It is renewed while a call runs
    #[arg(long, env = "HELPER_QUEUE_SLOT_TTL_SECONDS", default_value = "120", value_parser = seconds_from_1::<3600>)]
    pub helper_queue_slot_ttl_seconds: Duration,

    /// How many replicas share the slots while Redis is away (1 to 1000): each then has those of its own. Unset: with
    /// LLM_REDIS_URL the replicas find that out among themselves, and there may be more or fewer at any time
    #[arg(long, env = "QUEUE_REPLICAS", value_parser = value_parser!(u32).range(1..=1000))]
    pub queue_replicas: Option<u32>,

    /// With QUEUE_REPLICAS above 1, which of them this one is: from 0, or a host name that ends in such a number, as that of
    /// a pod of a StatefulSet; each has its own. One that is not below QUEUE_REPLICAS has no slots of its own, only what
    /// others lend it through Redis
    #[arg(long, env = "QUEUE_REPLICA_INDEX", value_parser = replica_index)]
    pub queue_replica_index: Option<u32>,
}

impl QueueSettings {
    /// Which of how many replicas this one is, if that is set; else it is alone, or leases its number.
    pub(crate) fn set_replica(&self) -> Option<(u32, u32)> {
        let replicas = self.queue_replicas?;
        Some((self.queue_replica_index.unwrap_or(0), replicas))
    }

    /// How many of so many slots are this replica's own without Redis: slot i is replica i mod QUEUE_REPLICAS' own.
    pub(crate) fn own_slots(&self, slots: u32) -> u32 {
        let (index, replicas) = self.set_replica().unwrap_or((0, 1));
        if index >= replicas {
            return 0;
        }
        slots.saturating_sub(index).div_ceil(replicas)
    }

    /// Every number of slots, with its setting.
    pub(crate) fn slot_settings(&self) -> impl Iterator<Item = (&'static str, u32)> {
        let models = self.llm_model_concurrency.0.values();
        [
            ("HELPER_MAX_CONCURRENCY", self.helper_max_concurrency),
            ("EMBED_MAX_CONCURRENCY", self.embed_max_concurrency),
        ]
        .into_iter()
        .chain(models.map(|slots| ("LLM_MODEL_CONCURRENCY", *slots)))
    }
}

/// Numbers by name: `NAME=NUMBER,...`, each from 1 to `MAX`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Numbers<const MAX: u32>(pub BTreeMap<String, u32>);

impl<const MAX: u32> FromStr for Numbers<MAX> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut numbers = BTreeMap::new();
        for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let (name, number) = part
                .rsplit_once('=')
                .filter(|(name, _)| !name.is_empty())
                .ok_or_else(|| format!("`{part}` must be NAME=NUMBER"))?;
            let number: u32 = number
                .parse()
                .ok()
                .filter(|number| (1..=MAX).contains(number))
                .ok_or_else(|| format!("the number of `{name}` must be 1 to {MAX}"))?;
            if numbers.insert(name.to_owned(), number).is_some() {
                return Err(format!("`{name}` stands twice"));
            }
        }
        Ok(Self(numbers))
    }
}

fn class_weights(text: &str) -> Result<Numbers<WEIGHT_MAX>, String> {
    let weights: Numbers<WEIGHT_MAX> = text.parse()?;
    match weights.0.keys().find(|class| !class.contains('/')) {
        Some(class) => Err(format!("`{class}` must be TENANT/CLASS")),
        None => Ok(weights),
    }
}

fn seconds_from_0<const MAX: u32>(text: &str) -> Result<Duration, String> {
    super::seconds(text, 0.0, f64::from(MAX))
}

fn seconds_from_1<const MAX: u32>(text: &str) -> Result<Duration, String> {
    super::seconds(text, 1.0, f64::from(MAX))
}

fn expected(text: &str) -> Result<Duration, String> {
    super::seconds(text, 0.01, 600.0)
}

fn poll(text: &str) -> Result<Duration, String> {
    super::seconds(text, 0.01, 60.0)
}

fn replica_index(text: &str) -> Result<u32, String> {
    let name = text.trim_end_matches(|c: char| c.is_ascii_digit());
    if name.is_empty() || name.len() > 1 && name.ends_with('-') {
        let number = text[name.len()..].parse();
        return number.map_err(|_| "must end in a number".to_owned());
    }
    Err("must be a number, or a name such as `llm-gateway-svc-2`".to_owned())
}
