//! Where signatures are demanded, a bundle needs a good one, wherever it comes from.

use std::fs;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::{
    rand::SystemRandom,
    signature::{Ed25519KeyPair, KeyPair},
};
use tempfile::TempDir;
use turnwise_course_bundles::{OpenError, SigningKey, pack};
use turnwise_kit::files::NamedFile;

use crate::fixture::{Shelf, title, write_course};

fn pem(label: &str, der: &[u8]) -> String {
    let der = STANDARD.encode(der);
    format!("-----BEGIN {label}-----\n{der}\n-----END {label}-----\n")
}

/// A private key in its file, as openssl writes it, and the public one.
struct Key {
    dir: TempDir,
    public: String,
}

impl Key {
    fn new() -> Self {
        let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        let pair = Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).unwrap();
        // Without the public key, as openssl writes it: version 1.
        let seed = pkcs8.as_ref()[16..48].to_vec();
        let private = [
            &b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20"[..],
            &seed,
        ];
        let public = [
            &b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00"[..],
            pair.public_key().as_ref(),
        ];
        let dir = tempfile::tempdir().unwrap();
        fs::write(
            dir.path().join("key"),
            pem("PRIVATE KEY", &private.concat()),
        )
        .unwrap();
        Self {
            dir,
            public: pem("PUBLIC KEY", &public.concat()),
        }
    }

    fn signing(&self) -> SigningKey {
        SigningKey::read(&NamedFile::public("--key", self.dir.path().join("key"))).unwrap()
    }
}

/// A course signed by this key.
fn signed(key: Option<&Key>) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    write_course(dir.path(), "One");
    let key = key.map(Key::signing);
    pack(dir.path(), true, key.as_ref()).unwrap().bytes
}

/// A shelf that demands a signature by one of these keys.
fn demanding(keys: &[&Key]) -> Shelf {
    let mut shelf = Shelf::new();
    let file = shelf.courses.path().join("keys.pem");
    let keys: String = keys.iter().map(|key| key.public.as_str()).collect();
    fs::write(&file, keys).unwrap();
    shelf.settings.course_bundle_keys_file = Some(file);
    shelf
}

#[test]
fn a_bundle_by_one_of_the_keys_is_served() {
    let (ours, other) = (Key::new(), Key::new());
    let shelf = demanding(&[&other, &ours]);
    shelf.put("tiny.tar.zst", signed(Some(&ours)));
    assert_eq!(title(&shelf.open().unwrap()), "One");
}

#[test]
fn a_bundle_by_nobody_or_by_others_is_refused() {
    let (ours, other) = (Key::new(), Key::new());
    for (by, says) in [(None, "no signature"), (Some(&other), "none of the keys")] {
        let shelf = demanding(&[&ours]);
        shelf.put("tiny.tar.zst", signed(by));
        let fault = shelf.refused();
        assert!(fault.message.contains(says), "{fault}");
    }
}

#[test]
fn a_signature_is_for_one_version_of_one_course() {
    let ours = Key::new();
    let unpacked = zstd::decode_all(signed(Some(&ours)).as_slice()).unwrap();
    let other = tempfile::tempdir().unwrap();
    write_course(other.path(), "Two");
    let other = pack(other.path(), false, None).unwrap();
    // The other course's files behind what was said and signed of the first; each is a header and one block.
    let at = |bytes: &[u8]| (2..).find(|block| bytes[block * 512..].starts_with(b"course.yaml"));
    let (said, files) = (
        at(&unpacked).unwrap() * 512,
        at(&other.bytes).unwrap() * 512,
    );
    let shelf = demanding(&[&ours]);
    shelf.put(
        "tiny.tar",
        [&unpacked[..said], &other.bytes[files..]].concat(),
    );
    let fault = shelf.refused();
    assert!(fault.message.contains("not those of tiny"), "{fault}");
}

#[test]
fn what_was_unpacked_before_is_held_against_the_keys_again() {
    let (ours, other) = (Key::new(), Key::new());
    let mut shelf = demanding(&[&ours]);
    shelf.put("tiny.tar.zst", signed(Some(&other)));
    let keys = shelf.settings.course_bundle_keys_file.take();
    drop(shelf.open().unwrap());
    shelf.settings.course_bundle_keys_file = keys;
    let said = shelf.open().map(|_| ()).unwrap_err().to_string();
    assert!(said.contains("none of the keys"), "{said}");
    // Another key needs no other setting.
    let file = shelf.settings.course_bundle_keys_file.clone().unwrap();
    fs::write(file, &other.public).unwrap();
    shelf.open().unwrap();
}

#[test]
fn keys_that_are_none_are_named() {
    let key = Key::new();
    let mut shelf = demanding(&[]);
    shelf.put("tiny.tar.zst", signed(Some(&key)));
    let file = shelf.settings.course_bundle_keys_file.clone().unwrap();
    let wrong = key.public.replace("MCowBQYDK2Vw", "MCowBQYDK2Vu");
    assert_ne!(wrong, key.public);
    let many = key.public.repeat(33);
    for (content, says) in [
        ("", "it is empty; write"),
        ("no key", "openssl"),
        (wrong.as_str(), "openssl"),
        (many.as_str(), "openssl"),
    ] {
        fs::write(&file, content).unwrap();
        let error = shelf.open().map(|_| ()).unwrap_err();
        let said = error.to_string();
        assert!(matches!(error, OpenError::File(_)), "{said}");
        // Said once.
        for part in ["COURSE_BUNDLE_KEYS_FILE", "keys.pem", says] {
            assert_eq!(said.matches(part).count(), 1, "{said}");
        }
    }
    shelf.settings.course_bundle_keys_file = Some("/no/such/keys".into());
    assert!(matches!(shelf.open().map(|_| ()), Err(OpenError::File(_))));
    let error = SigningKey::read(&NamedFile::public("--key", file))
        .err()
        .unwrap();
    assert!(error.to_string().contains("private key"), "{error}");
}
