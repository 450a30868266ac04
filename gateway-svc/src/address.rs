//! The address that a call came from.

use std::net::IpAddr;

use http::{Extensions, HeaderMap};
use tonic::transport::server::TcpConnectInfo;

/// The header to which each proxy appends the address that it was called from.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The address that a call came from, as [`client_address`] says.
pub(crate) fn address_of<T>(request: &tonic::Request<T>, proxies: usize) -> Option<IpAddr> {
    let headers = request.metadata().as_ref();
    client_address(headers, request.extensions(), proxies)
}

/// The address of the client behind so many proxies of ours, each of which appends to `x-forwarded-for`. What stands before
/// their entries was written by the client itself and is not believed. None in one process, or if the proxies did not say.
pub fn client_address(
    headers: &HeaderMap,
    extensions: &Extensions,
    proxies: usize,
) -> Option<IpAddr> {
    if proxies == 0 {
        return peer_address(extensions);
    }
    let told: Vec<&str> = headers
        .get_all(FORWARDED_FOR)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .collect();
    let place = told.len().checked_sub(proxies)?;
    told.get(place)?
        .parse::<IpAddr>()
        .ok()
        .map(|a| a.to_canonical())
}

/// The address of whoever holds the connection. None in one process.
pub fn peer_address(extensions: &Extensions) -> Option<IpAddr> {
    let peer = extensions.get::<TcpConnectInfo>()?.remote_addr()?;
    Some(peer.ip().to_canonical())
}
