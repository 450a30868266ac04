//! Which address a call counts for behind proxies.

use http::{Extensions, HeaderMap};
use turnwise_gateway_svc::address::client_address;

fn behind(proxies: usize, told: &[&'static str]) -> Option<String> {
    let mut headers = HeaderMap::new();
    for value in told {
        headers.append("x-forwarded-for", value.parse().unwrap());
    }
    let address = client_address(&headers, &Extensions::new(), proxies);
    address.map(|address| address.to_string())
}

#[test]
fn only_what_our_proxies_appended_counts() {
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(
        behind(1, &["203.0.113.9, 198.51.100.7"]),
        some("198.51.100.7")
    );
    assert_eq!(
        behind(2, &["203.0.113.9, 198.51.100.7"]),
        some("203.0.113.9")
    );
    assert_eq!(
        behind(1, &["1.1.1.1", "::ffff:198.51.100.7"]),
        some("198.51.100.7")
    );
    assert_eq!(behind(3, &["203.0.113.9, 198.51.100.7"]), None);
    assert_eq!(behind(1, &["nobody"]), None);
    assert_eq!(behind(1, &[]), None);
    assert_eq!(behind(0, &["203.0.113.9"]), None);
}
