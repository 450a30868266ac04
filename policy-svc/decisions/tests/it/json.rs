//! Strict reading of JSON.

use turnwise_decisions::json::{JsonFault, MOST_BYTES, MOST_DEPTH, read_object};

#[test]
fn one_object_is_read_with_its_order() {
    let object = read_object(br#" {"b": [1, -2, 0.5, true, null, "x"], "a": {"c": {}}} "#).unwrap();
    let keys: Vec<_> = object.keys().collect();
    assert_eq!(keys, ["b", "a"]);
    assert_eq!(object["b"].to_string(), r#"[1,-2,0.5,true,null,"x"]"#);
}

#[test]
fn everything_else_is_refused_with_its_fault() {
    let nested = |depth: usize| {
        let (open, close) = ("[".repeat(depth - 1), "]".repeat(depth - 1));
        format!("{{\"a\":{open}{close}}}").into_bytes()
    };
    assert!(read_object(&nested(MOST_DEPTH)).is_ok());
    for (bytes, fault) in [
        (nested(MOST_DEPTH + 1), JsonFault::TooDeep),
        (nested(10_000), JsonFault::TooDeep),
        (vec![b' '; MOST_BYTES + 1], JsonFault::TooLong),
        (b"[]".to_vec(), JsonFault::NotAnObject),
        (b"nul".to_vec(), JsonFault::NotJson),
        (br#"{"a":1,"a":1}"#.to_vec(), JsonFault::DuplicateKey),
        // The same key, written otherwise.
        (br#"{"a":1,"\u0061":1}"#.to_vec(), JsonFault::DuplicateKey),
        (
            br#"{"x":[{"a":1,"a":2}]}"#.to_vec(),
            JsonFault::DuplicateKey,
        ),
        (br#"{"a":1,}"#.to_vec(), JsonFault::NotJson),
    ] {
        assert_eq!(read_object(&bytes).unwrap_err(), fault);
    }
}
