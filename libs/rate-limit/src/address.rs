//! Whose address it is, as far as limits go.

use std::net::{IpAddr, Ipv6Addr};

/// The part of an address that a limit counts by: all of an IPv4 address, and the first 64 bits of an IPv6 one, since a
/// single line usually has all addresses below those.
///
/// An IPv4 address that is written as an IPv6 one counts as itself.
pub fn address_key(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let network = u128::from(address) >> 64 << 64;
            format!("{}/64", Ipv6Addr::from(network))
        }
    }
}
