//! Pages of lists: their size, and the tokens that ask for the next one.
//!
//! A token holds where the next page begins, behind an HMAC that binds it to the list: the call, the caller and whatever
//! else selects the entries. So a token that was cut, changed, made up or taken from another list is refused. All replicas
//! of a service make the same tokens, and still do after a restart, since they share the secret.

use std::{
    fmt::{self, Display},
    str::FromStr,
    sync::Arc,
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use ring::{digest::SHA256_OUTPUT_LEN, hmac};
use turnwise_proto::common::v1::ErrorReason;
use uuid::Uuid;

use crate::{Caller, Fault};

/// The most characters of a token; ours are shorter.
const MAX_TOKEN_CHARS: usize = 512;

/// The page size to use: the default for 0, refused if negative or above the most.
pub fn size(requested: i32, default: usize, most: usize) -> Result<usize, Fault> {
    match usize::try_from(requested) {
        Ok(0) => Ok(default),
        Ok(n) if n <= most => Ok(n),
        _ => Err(Fault::invalid(
            "page_size",
            format!("must be 0 (for {default}) to {most}"),
        )),
    }
}

/// Makes and checks the page tokens of a process.
#[derive(Clone)]
pub struct PageTokens(Keys);

/// The first key makes, and each checks: there are several while a secret is changed.
type Keys = Arc<dyn Fn() -> Vec<hmac::Key> + Send + Sync>;

impl PageTokens {
    /// Tokens under a key derived from this secret, which the replicas share.
    pub fn new(secret: &[u8]) -> Self {
        let key = derived(secret);
        Self(Arc::new(move || vec![key.clone()]))
    }

    /// Tokens under keys derived from secrets that may change; the first one makes.
    pub(crate) fn of<S: AsRef<[u8]>>(secrets: impl Fn() -> Vec<S> + Send + Sync + 'static) -> Self {
        Self(Arc::new(move || {
            let secrets = secrets();
            secrets
                .iter()
                .map(|secret| derived(secret.as_ref()))
                .collect()
        }))
    }

    /// Tokens that only this process makes and takes.
    pub fn of_this_process() -> Self {
        Self::new(&[*Uuid::new_v4().as_bytes(), *Uuid::new_v4().as_bytes()].concat())
    }

    /// The pages of one list: what `call` gives `caller` for a request with this `filter`, which is every field but size
    /// and token.
    pub fn list(&self, call: &str, caller: Option<&Caller>, filter: &[&str]) -> List {
        let mut bound = Vec::new();
        let (tenant, subject) = caller.map_or(("", ""), |c| (&c.tenant, &c.subject));
        for part in [call, tenant, subject].iter().chain(filter) {
            // Each after its length, so that no two lists of parts make the same message.
            bound.extend_from_slice(&(part.len() as u64).to_be_bytes());
            bound.extend_from_slice(part.as_bytes());
        }
        List {
            keys: (self.0)(),
            bound,
        }
    }
}

fn derived(secret: &[u8]) -> hmac::Key {
    let secret = hmac::Key::new(hmac::HMAC_SHA256, secret);
    let derived = hmac::sign(&secret, b"turnwise page tokens 1");
    hmac::Key::new(hmac::HMAC_SHA256, derived.as_ref())
}

/// Shows no key.
impl fmt::Debug for PageTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PageTokens(…)")
    }
}

/// One list of one caller.
pub struct List {
    keys: Vec<hmac::Key>,
    bound: Vec<u8>,
}

impl List {
    /// Where the page begins that `token` asks for; `None` is the first page.
    ///
    /// # Errors
    ///
    /// INVALID_PAGE_TOKEN if the token was not made for this list.
    pub fn start<P: FromStr>(&self, token: &str) -> Result<Option<P>, Fault> {
        if token.is_empty() {
            return Ok(None);
        }
        match self.read(token) {
            Some(position) => Ok(Some(position)),
            None => Err(Fault::new(
                ErrorReason::InvalidPageToken,
                "`page_token` is not the next_page_token of this list; ask for its first page again",
            )
            .field(
                "page_token",
                "must be the next_page_token of the page before, with the same other fields",
            )),
        }
    }

    /// The token for the page that begins at `position`; empty if there is none.
    pub fn next(&self, position: Option<impl Display>) -> String {
        let Some(position) = position else {
            return String::new();
        };
        let position = position.to_string();
        // There always is one.
        let tag = hmac::sign(&self.keys[0], &self.message(position.as_bytes()));
        BASE64.encode([tag.as_ref(), position.as_bytes()].concat())
    }

    fn read<P: FromStr>(&self, token: &str) -> Option<P> {
        if token.len() > MAX_TOKEN_CHARS {
            return None;
        }
        let bytes = BASE64.decode(token).ok()?;
        let (tag, position) = bytes.split_at_checked(SHA256_OUTPUT_LEN)?;
        // Compares in the same time whatever differs.
        let message = self.message(position);
        let mut keys = self.keys.iter();
        keys.find(|key| hmac::verify(key, &message, tag).is_ok())?;
        std::str::from_utf8(position).ok()?.parse().ok()
    }

    fn message(&self, position: &[u8]) -> Vec<u8> {
        [&self.bound, position].concat()
    }
}
