//! Webhooks: which addresses may be called, what an event looks like, how it is signed.

use std::net::IpAddr;

use base64::{Engine, engine::general_purpose::STANDARD};
use proptest::prelude::*;
use serde_json::{Value, value::to_raw_value};
use turnwise_gateway_svc::webhooks::{
    address::{Place, Receiver, WebhookUrl, place},
    event::Event,
    sign::Signer,
};

fn at(address: &str) -> Place {
    place(address.parse::<IpAddr>().unwrap())
}

#[test]
fn addresses_are_where_they_are() {
    let public = [
        "1.1.1.1",
        "93.184.216.34",
        "172.32.0.1",
        "100.128.0.1",
        "2606:4700::1111",
        "::ffff:1.1.1.1",
        "64:ff9b::101:101",
        "2002:101:101::1",
    ];
    let private = [
        "127.0.0.1",
        "127.8.8.8",
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "100.64.0.1",
        "::1",
        "fc00::1",
        "fdff::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "2002:a00:1::1",
    ];
    let nowhere = [
        "0.0.0.0",
        "0.1.2.3",
        "169.254.169.254",
        "169.254.1.1",
        "100.100.100.200",
        "192.0.0.192",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "203.0.113.1",
        "::",
        "fe80::1",
        "ff02::1",
        "fd00:ec2::254",
        "2001:db8::1",
        "2001::1",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "::7f00:1",
        "4000::1",
    ];
    for (addresses, expected) in [
        (&public[..], Place::Public),
        (&private[..], Place::Private),
        (&nowhere[..], Place::Nowhere),
    ] {
        for address in addresses {
            assert_eq!(at(address), expected, "{address}");
        }
    }
}

/// What is wrong with an address, without and with WEBHOOK_ALLOW_PRIVATE.
fn problems(url: &str) -> [Option<String>; 2] {
    let url: WebhookUrl = url.parse().unwrap();
    [false, true].map(|allow_private| {
        let receiver = Receiver::new("AUDIT_EVENT_URL", &url, allow_private);
        receiver.err().map(|error| error.to_string())
    })
}

#[test]
fn faulty_addresses_are_refused_with_a_remedy() {
    let good = ["https://hooks.example.org/a?b=c", "https://1.1.1.1/"];
    for url in good {
        assert_eq!(problems(url), [None, None], "{url}");
    }
    let in_private_networks = [
        "https://10.0.0.1/",
        "https://localhost:8443/",
        "http://127.0.0.1:8080/",
        "http://receiver:8080/",
        "http://[::1]:8080/",
        // Some ways to write an address.
        "https://0x7f.1/",
        "https://2130706433/",
    ];
    for url in in_private_networks {
        let [strict, private] = problems(url);
        let strict = strict.unwrap();
        assert!(
            strict.contains("WEBHOOK_ALLOW_PRIVATE=1"),
            "{url}: {strict}"
        );
        assert!(strict.starts_with("AUDIT_EVENT_URL "), "{strict}");
        assert_eq!(private, None, "{url}");
    }
    let never = [
        ("", "is no URL"),
        ("hooks.example.org", "is no URL"),
        ("ftp://hooks.example.org/", "must begin with `https://`"),
        ("https://user:secret@hooks.example.org/", "no user"),
        ("https://hooks.example.org/#secret", "no `#`"),
        ("https://169.254.169.254/latest", "never called"),
        ("https://[fe80::1]/", "never called"),
        ("https://[::ffff:169.254.169.254]/", "never called"),
        ("https://0.0.0.0/", "never called"),
        ("http://1.1.1.1/", "must begin with `https://`"),
    ];
    for (url, expected) in never {
        for problem in problems(url) {
            let problem = problem.unwrap_or_default();
            assert!(problem.contains(expected), "{url}: {problem}");
            assert!(!problem.contains("secret"), "{problem}");
        }
    }
}

fn event() -> Event {
    Event {
        id: "0b0f6e0c-6c55-4a4c-9a4e-6d5f0f6f2f11".to_owned(),
        kind: "class-reset".to_owned(),
        time: "2026-09-01T08:00:00Z".parse().unwrap(),
        tenant: "north".to_owned(),
        subject: "class/7b".to_owned(),
        partition_key: "class:7b".to_owned(),
        data: to_raw_value(&serde_json::json!({"actorId": "kim", "facts": {}})).unwrap(),
    }
}

#[test]
fn an_event_is_a_cloud_event() {
    let body = String::from_utf8(event().body()).unwrap();
    let expected = concat!(
        r#"{"specversion":"1.0","id":"0b0f6e0c-6c55-4a4c-9a4e-6d5f0f6f2f11","#,
        r#""source":"/turnwise/tenants/north","type":"turnwise.class-reset","#,
        r#""time":"2026-09-01T08:00:00Z","subject":"class/7b","partitionkey":"class:7b","#,
        r#""datacontenttype":"application/json","data":{"actorId":"kim","facts":{}}}"#,
    );
    assert_eq!(body, expected);
    let of_tenant = Event {
        subject: String::new(),
        partition_key: String::new(),
        ..event()
    };
    let body: Value = serde_json::from_slice(&of_tenant.body()).unwrap();
    assert!(body.get("subject").is_none() && body.get("partitionkey").is_none());
}

#[test]
fn signatures_are_those_of_the_standard() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("keys");
    let (one, two) = (STANDARD.encode([1; 32]), STANDARD.encode([2; 32]));
    turnwise_testing::write_secret(&file, format!("# keys\none whsec_{one}\n\ntwo {two}\n"))
        .unwrap();
    let signer = Signer::load(file.clone()).unwrap();
    let now = "2026-09-01T08:00:00Z".parse().unwrap();
    // Made with: printf 'msg_1.1788249600.{"a":1}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0101… -binary | base64
    let expected = "v1,1QGxzmFRlUiYrgiwL5gLYJIua1cyWeG3MdxBltfJDmc= v1,kyyaBvC4sNNiEGYJ2Kb0yxLPUXbvn+ZKL8JpeKu19xw=";
    assert_eq!(signer.signature("msg_1", now, br#"{"a":1}"#), expected);

    let secret = STANDARD.encode([9; 24]);
    for (text, problem) in [
        (String::new(), "it is empty"),
        ("# none\n".to_owned(), "holds no key"),
        (format!("one whsec_{secret}"), "24 bytes"),
        ("one whsec_!!!".to_owned(), "must be base64"),
        (format!("one {one}\none {two}"), "an id of its own"),
    ] {
        turnwise_testing::write_secret(&file, text).unwrap();
        let error = Signer::load(file.clone()).err().unwrap().to_string();
        assert!(error.starts_with("WEBHOOK_KEYS_FILE "), "{error}");
        assert!(error.contains(problem), "{error}");
        assert!(!error.contains(&secret), "{error}");
    }
}

proptest! {
    /// However an address of version 4 is wrapped, it is in the same place.
    #[test]
    fn wrapped_addresses_are_where_they_were(bytes: [u8; 4]) {
        let plain = place(IpAddr::from(bytes));
        let [a, b, c, d] = bytes;
        let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
        for segments in [
            [0, 0, 0, 0, 0, 0xffff, high, low],
            [0x64, 0xff9b, 0, 0, 0, 0, high, low],
            [0x2002, high, low, 0, 0, 0, 0, 1],
        ] {
            prop_assert_eq!(place(IpAddr::from(segments)), plain);
        }
    }
}
