//! By which part of an address limits count.

use turnwise_rate_limit::address_key;

#[test]
fn an_address_counts_as_the_line_that_it_belongs_to() {
    let key = |address: &str| address_key(address.parse().unwrap());
    assert_eq!(key("192.0.2.7"), "192.0.2.7");
    assert_eq!(key("::ffff:192.0.2.7"), "192.0.2.7");
    assert_eq!(key("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
    assert_eq!(key("2001:db8:1:2::9"), key("2001:db8:1:2:ffff::1"));
    assert_ne!(key("2001:db8:1:3::9"), key("2001:db8:1:2::9"));
}
