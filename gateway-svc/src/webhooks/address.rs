//! Which addresses may be called. A receiver is named by the operator, yet what its name resolves to is decided by others:
//! every address is looked at before it is connected to.

use std::{
    convert::Infallible,
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    str::FromStr,
};

use reqwest::{
    Url,
    dns::{Addrs, Name, Resolve, Resolving},
};

use crate::StartError;

/// The value of a setting that names a receiver. Every text parses, and what is wrong with it is said at the start of the
/// service without the text: its path may be a secret.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookUrl(String);

impl FromStr for WebhookUrl {
    type Err = Infallible;

    fn from_str(value: &str) -> Result<Self, Infallible> {
        Ok(Self(value.trim().to_owned()))
    }
}

impl fmt::Debug for WebhookUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookUrl(…)")
    }
}

impl WebhookUrl {
    /// Whether it names nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Where an address is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// On the internet.
    Public,
    /// On this machine or in a private network.
    Private,
    /// Where no receiver is: link-local addresses and those of clouds' metadata, multicast, and what is reserved.
    Nowhere,
}

/// Where an address is.
#[must_use]
pub fn place(address: IpAddr) -> Place {
    match address.to_canonical() {
        IpAddr::V4(v4) => place_v4(v4),
        IpAddr::V6(v6) => place_v6(v6),
    }
}

fn place_v4(address: Ipv4Addr) -> Place {
    let [a, b, c, _] = address.octets();
    let nowhere = a == 0
        || address.is_link_local()
        || address.is_documentation()
        // 192.0.0.0/24, benchmarks, 6to4 relays, multicast and all above.
        || (a, b, c) == (192, 0, 0)
        || (a == 198 && (18..=19).contains(&b))
        || (a, b, c) == (192, 88, 99)
        || a >= 224
        // The metadata of a cloud, in the range that carriers share.
        || address == Ipv4Addr::new(100, 100, 100, 200);
    if nowhere {
        return Place::Nowhere;
    }
    let shared = a == 100 && (64..=127).contains(&b);
    match address.is_loopback() || address.is_private() || shared {
        true => Place::Private,
        false => Place::Public,
    }
}

fn place_v6(address: Ipv6Addr) -> Place {
    let [first, second, third, fourth, fifth, sixth, seventh, eighth] = address.segments();
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        place_v4(Ipv4Addr::new(a, b, c, d))
    };
    if address.is_loopback() {
        return Place::Private;
    }
    // Those that hold an address of version 4: translation, and 6to4.
    if (first, second, third, fourth, fifth, sixth) == (0x64, 0xff9b, 0, 0, 0, 0) {
        return v4(seventh, eighth);
    }
    if first == 0x2002 {
        return v4(second, third);
    }
    // The metadata of a cloud, in the range of private networks.
    if address == Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254) {
        return Place::Nowhere;
    }
    if address.is_unique_local() {
        return Place::Private;
    }
    // Of 2000::/3, the first block is special and 2001:db8 is for documentation.
    let special = (first == 0x2001 && second < 0x200) || (first, second) == (0x2001, 0xdb8);
    match (0x2000..=0x3fff).contains(&first) && !special {
        true => Place::Public,
        false => Place::Nowhere,
    }
}

/// Which places a receiver may be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rule {
    private: bool,
    public: bool,
}

impl Rule {
    fn allows(self, address: IpAddr) -> bool {
        match place(address) {
            Place::Public => self.public,
            Place::Private => self.private,
            Place::Nowhere => false,
        }
    }
}

/// A receiver whose address may be called, as far as it is known before a name is resolved.
#[derive(Clone)]
pub struct Receiver {
    pub(super) url: Url,
    pub(super) rule: Rule,
}

impl Receiver {
    /// The receiver that a setting names.
    ///
    /// # Errors
    ///
    /// If its address may not be called.
    pub fn new(
        setting: &'static str,
        url: &WebhookUrl,
        allow_private: bool,
    ) -> Result<Self, StartError> {
        let fault = |problem: &'static str| StartError::WebhookUrl { setting, problem };
        let url = Url::parse(&url.0).map_err(|_| fault("is no URL; write `https://HOST/PATH`"))?;
        let plain = match url.scheme() {
            "https" => false,
            "http" => true,
            _ => return Err(fault("must begin with `https://`")),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(fault(
                "must hold no user and no password; events are signed with WEBHOOK_KEYS_FILE",
            ));
        }
        if url.fragment().is_some() {
            return Err(fault("must hold no `#`"));
        }
        if plain && !allow_private {
            return Err(fault(
                "must begin with `https://`; `http://` is for receivers in your private network, with WEBHOOK_ALLOW_PRIVATE=1",
            ));
        }
        let rule = Rule {
            private: allow_private,
            public: !plain,
        };
        let host = url.host_str().unwrap_or_default();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let at = match bare.parse::<IpAddr>() {
            Ok(address) => Some(place(address)),
            Err(_) if bare == "localhost" || bare.ends_with(".localhost") => Some(Place::Private),
            // What its name resolves to is looked at before each connection.
            Err(_) => None,
        };
        match at {
            Some(Place::Nowhere) => Err(fault(
                "is a link-local, reserved or metadata address, which is never called; name the receiver's own",
            )),
            Some(Place::Private) if !rule.private => Err(fault(
                "is in a private network; set WEBHOOK_ALLOW_PRIVATE=1 if the receiver is there",
            )),
            Some(Place::Public) if !rule.public => Err(fault(
                "is outside your private network: it must begin with `https://`",
            )),
            _ => Ok(Self { url, rule }),
        }
    }
}

/// No address of a name may be called.
#[derive(Debug, thiserror::Error)]
#[error("no address that this name resolves to may be called")]
pub(super) struct AddressRefused;

/// Resolves names to those of their addresses that may be called.
#[derive(Debug, Clone, Copy)]
pub(super) struct Guarded(pub(super) Rule);

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let rule = self.0;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed: Vec<SocketAddr> =
                found.filter(|address| rule.allows(address.ip())).collect();
            if allowed.is_empty() {
                return Err(AddressRefused.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}
