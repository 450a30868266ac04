//! Weeks, by which activity is counted.

use turnwise_session_svc::sessions::classes::activity::week;

#[test]
fn weeks_begin_on_mondays() {
    let of = |text: &str| week(text.parse().unwrap());
    assert_eq!(of("1970-01-05T00:00:00Z"), (0, 0));
    assert_eq!(of("1970-01-04T23:59:59Z"), (-1, 6));
    assert_eq!(of("2026-11-23T12:00:00Z").1, 0, "a Monday");
}
