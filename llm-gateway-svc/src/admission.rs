//! Who may use the models now: limits for each student, class and address, and a class's budget for the day.
//!
//! Requests are counted when they come. What a completion costs in tokens is only known afterwards: a request passes as
//! long as nothing is owed, and is charged at its end.

use turnwise_rate_limit::{Bound, Hit, Limiter, Quota, address_key};

use crate::{error::Error, job::Requester, settings::LimitSettings};

/// The limits and budgets. Cheap to clone.
#[derive(Clone)]
pub struct Admission {
    limiter: Limiter,
    limits: Vec<Limit>,
}

/// One limit.
#[derive(Debug, Clone, Copy)]
struct Limit {
    whose: Whose,
    what: What,
    amount: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Actor,
    Class,
    Address,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Requests,
    Tokens,
    DailyTokens,
}

impl Admission {
    /// The limits of these settings, counted by this limiter.
    pub fn new(settings: &LimitSettings, limiter: Limiter) -> Self {
        use {What::*, Whose::*};
        let all = [
            (Actor, Requests, settings.llm_actor_requests_per_minute),
            (Class, Requests, settings.llm_class_requests_per_minute),
            (Address, Requests, settings.llm_address_requests_per_minute),
            (Actor, Tokens, settings.llm_actor_tokens_per_minute),
            (Class, Tokens, settings.llm_class_tokens_per_minute),
            (Address, Tokens, settings.llm_address_tokens_per_minute),
            (Class, DailyTokens, settings.llm_class_tokens_per_day),
        ];
        let limits = all
            .into_iter()
            .filter(|(_, _, amount)| *amount > 0)
            .map(|(whose, what, amount)| Limit {
                whose,
                what,
                amount,
            })
            .collect();
        Self { limiter, limits }
    }

    /// Counts a request, or refuses it.
    pub async fn admit(&self, requester: &Requester) -> Result<(), Error> {
        let asked = self.keys(requester, |_| true);
        if asked.is_empty() {
            return Ok(());
        }
        let hits: Vec<_> = asked
            .iter()
            .map(|(limit, key)| limit.hit(key, u32::from(limit.what == What::Requests)))
            .collect();
        let refused = match self.limiter.take(&hits).await {
            Ok(()) => return Ok(()),
            Err(refused) => refused,
        };
        // The limiter names one of the hits it was given.
        let Some((limit, _)) = asked.get(refused.hit) else {
            return Ok(());
        };
        Err(match limit.what {
            What::DailyTokens => Error::BudgetExhausted {
                class_id: requester.class_id.clone(),
                tokens_per_day: limit.amount,
                retry_after: refused.wait,
            },
            what => Error::RateLimited {
                who: limit.whose.as_str(),
                what: what.as_str(),
                per_minute: limit.amount,
                retry_after: refused.wait,
            },
        })
    }

    /// Charges what a request has used.
    pub async fn charge(&self, requester: &Requester, tokens: u32) {
        if tokens == 0 {
            return;
        }
        let spent = self.keys(requester, |limit| limit.what != What::Requests);
        if spent.is_empty() {
            return;
        }
        let hits: Vec<_> = spent
            .iter()
            .map(|(limit, key)| limit.hit(key, tokens))
            .collect();
        self.limiter.charge(&hits).await;
    }

    /// Whether anything is charged at all.
    pub fn charges(&self) -> bool {
        self.limits.iter().any(|l| l.what != What::Requests)
    }

    /// The limits that this request is subject to, and its keys there.
    fn keys(&self, requester: &Requester, wanted: impl Fn(&Limit) -> bool) -> Vec<(Limit, String)> {
        self.limits
            .iter()
            .filter(|limit| wanted(limit))
            .filter_map(|limit| Some((*limit, limit.key(requester)?)))
            .collect()
    }
}

impl Limit {
    /// `None`: there is nobody to count for.
    fn key(&self, requester: &Requester) -> Option<String> {
        let named = |name: &str| (!name.is_empty()).then(|| format!("{}/{name}", requester.tenant));
        let name = match self.whose {
            Whose::Actor => named(&requester.student)?,
            Whose::Class => named(&requester.class_id)?,
            Whose::Address => address_key(requester.address.parse().ok()?),
        };
        Some(format!(
            "{}:{}:{name}",
            self.whose.as_str(),
            self.what.as_str()
        ))
    }

    fn hit<'a>(&self, key: &'a str, cost: u32) -> Hit<'a> {
        Hit {
            key,
            bound: match self.what {
                What::DailyTokens => Bound::Daily(self.amount.into()),
                What::Requests | What::Tokens => Bound::Rate(Quota::per_minute(self.amount)),
            },
            cost,
        }
    }
}

impl Whose {
    fn as_str(self) -> &'static str {
        match self {
            Self::Actor => "actor",
            Self::Class => "class",
            Self::Address => "address",
        }
    }
}

impl What {
    fn as_str(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Tokens => "tokens",
            Self::DailyTokens => "daily_tokens",
        }
    }
}
