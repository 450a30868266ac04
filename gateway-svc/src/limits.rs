//! How many calls a caller may make, and how many an address whose calls prove no caller.

use std::net::IpAddr;

use turnwise_kit::{Caller, Fault, Kit};
use turnwise_proto::common::v1::ErrorReason;
use turnwise_rate_limit::{Bound, Hit, Limiter, Quota, Refused, address_key};
use turnwise_redis::Redis;

use crate::{config::Settings, error::StartError};

/// The name under which all replicas count.
const NAME: &str = "gateway";

/// What a call does, as far as limits go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It reads what is stored. A page that loads makes several such calls.
    Read,
    /// It does something: a turn, a grade, anything that is written.
    Act,
}

/// The limits of callers, per minute, for all replicas together where they have a Redis. A caller may use a minute's calls at
/// once and gets them back evenly.
pub struct CallLimit {
    limiter: Limiter,
    acts: u32,
    reads: u32,
}

impl CallLimit {
    /// The limits that the settings give.
    ///
    /// # Errors
    ///
    /// If the Redis that they name has no address that can be read, or its password cannot be read. One that does not
    /// answer is no error: until it does, each replica counts for itself.
    pub async fn open(settings: &Settings, kit: &Kit) -> Result<Self, StartError> {
        Ok(Self {
            limiter: limiter(settings, kit).await?,
            acts: settings.helper_rate_limit_per_minute,
            reads: settings.helper_read_limit_per_minute,
        })
    }

    /// Counts a call; refuses it, with the time of the next one, if the caller has none of this kind left.
    pub async fn check(&self, caller: &Caller, kind: Kind) -> Result<(), Fault> {
        let (name, per_minute, what) = match kind {
            Kind::Act => ("actor", self.acts, "too many calls in a minute"),
            Kind::Read => ("reader", self.reads, "too many reads in a minute"),
        };
        let hit = Hit {
            key: &format!("{name}:{}/{}", caller.tenant, caller.subject),
            bound: Bound::Rate(Quota::per_minute(per_minute)),
            cost: 1,
        };
        let taken = self.limiter.take(&[hit]).await;
        taken.map_err(|refused| limited(what, per_minute, refused))
    }
}

/// The limit of an address on calls that prove no caller. Calls that do are never counted, since a school stands behind
/// one address.
pub struct StrangerLimit {
    limiter: Limiter,
    per_minute: u32,
}

impl StrangerLimit {
    /// The limit that the settings give.
    ///
    /// # Errors
    ///
    /// As [`CallLimit::open`].
    pub async fn open(settings: &Settings, kit: &Kit) -> Result<Self, StartError> {
        Ok(Self {
            limiter: limiter(settings, kit).await?,
            per_minute: settings.helper_rate_limit_per_ip_per_minute,
        })
    }

    /// Refuses what is not known to be valid, if the address has used its allowance as far as this replica knows. Asks
    /// nobody and waits for nothing: it stands before a signature's check and has to be cheaper.
    pub fn check(&self, address: Option<IpAddr>) -> Result<(), Fault> {
        let Some(address) = address else {
            return Ok(());
        };
        let known = self.limiter.known(&self.hit(&key(address)));
        known.map_err(|refused| self.limited(refused))
    }

    /// Counts a call that proved nobody; the refusal, if the address had used its allowance, at this replica or at another.
    /// It never counts beyond that: a flood would else keep others out for long after its end.
    pub async fn count(&self, address: Option<IpAddr>) -> Result<(), Fault> {
        let Some(address) = address else {
            return Ok(());
        };
        let counted = self.limiter.take(&[self.hit(&key(address))]).await;
        counted.map_err(|refused| self.limited(refused))
    }

    fn hit<'a>(&self, key: &'a str) -> Hit<'a> {
        Hit {
            key,
            bound: Bound::Rate(Quota::per_minute(self.per_minute)),
            cost: 1,
        }
    }

    fn limited(&self, refused: Refused) -> Fault {
        limited(
            "too many calls without a valid token came from this address",
            self.per_minute,
            refused,
        )
    }
}

fn key(address: IpAddr) -> String {
    format!("stranger:{}", address_key(address))
}

/// Counts for all replicas where they have a Redis, else for this process.
async fn limiter(settings: &Settings, kit: &Kit) -> Result<Limiter, StartError> {
    let clock = kit.clock.clone();
    Ok(match settings.redis(kit)? {
        Some(options) => Limiter::shared(clock, Redis::open(&options).await?, NAME),
        None => Limiter::local(clock),
    })
}

fn limited(what: &str, per_minute: u32, refused: Refused) -> Fault {
    Fault::new(
        ErrorReason::RateLimited,
        format!("{what}; wait as long as RetryInfo says"),
    )
    .meta("per_minute", per_minute.to_string())
    .retry_after(refused.wait)
}
