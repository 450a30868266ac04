//! The keys of card tokens: how they rotate, and what is wrong with a file of them.

use std::{fs, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use tempfile::TempDir;
use turnwise_gateway_svc::tokens::{CardTokens, TokenFault};
use turnwise_kit::Kit;
use turnwise_testing::write_secret;

use super::{DRILL, Keys, TTL, line, now, tokens};

/// Within this time a file has been looked at again.
const LOOKED_AT: Duration = Duration::from_millis(1100);

#[test]
fn keys_rotate_without_a_restart() {
    let old = line("old", 1);
    let new = line("new", 2);
    let keys = Keys::new(&old);
    let replica = keys.load();
    let first = replica.drill(now(), &DRILL, "");

    // The new key is added behind the old one: all replicas know it before one signs with it.
    keys.write(&format!("{old}{new}"));
    let both = keys.load();
    assert!(both.check_drill(now(), &first, &DRILL).is_ok());
    let ahead = Keys::new(&format!("{new}{old}"));
    let second = ahead.load().drill(now(), &DRILL, "");
    assert!(both.check_drill(now(), &second, &DRILL).is_ok());

    // The old key is withdrawn.
    let last = Keys::new(&new).load();
    assert_eq!(
        last.check_drill(now(), &first, &DRILL),
        Err(TokenFault::UnknownKey)
    );
    assert!(last.check_drill(now(), &second, &DRILL).is_ok());
    // A key under the old id that is another key verifies nothing.
    let impostor = Keys::new(&line("old", 3)).load();
    assert_eq!(
        impostor.check_drill(now(), &first, &DRILL),
        Err(TokenFault::Mismatch)
    );
}

#[tokio::test(start_paused = true)]
async fn a_changed_file_is_read_again_and_a_broken_one_is_not_used() {
    let keys = Keys::new(&line("old", 1));
    let tokens = keys.load();
    tokens.follow(&Kit::for_tests());
    let first = tokens.drill(now(), &DRILL, "");
    let with_new = Keys::new(&line("new", 2)).load();
    let second = with_new.drill(now(), &DRILL, "");
    assert_eq!(
        tokens.check_drill(now(), &second, &DRILL),
        Err(TokenFault::UnknownKey)
    );

    keys.write(&format!("{}{}", line("new", 2), line("old", 1)));
    tokio::time::sleep(LOOKED_AT).await;
    assert!(tokens.check_drill(now(), &second, &DRILL).is_ok());
    assert!(tokens.check_drill(now(), &first, &DRILL).is_ok());
    let third = tokens.drill(now(), &DRILL, "");
    assert!(
        with_new.check_drill(now(), &third, &DRILL).is_ok(),
        "the first key signs"
    );

    for broken in ["", "new", "new AAAA"] {
        keys.write(broken);
        tokio::time::sleep(LOOKED_AT).await;
        assert!(tokens.check_drill(now(), &first, &DRILL).is_ok());
    }
    fs::remove_file(keys.file()).unwrap();
    tokio::time::sleep(LOOKED_AT).await;
    assert!(tokens.check_drill(now(), &first, &DRILL).is_ok());

    keys.write(&line("new", 2));
    tokio::time::sleep(LOOKED_AT).await;
    assert_eq!(
        tokens.check_drill(now(), &first, &DRILL),
        Err(TokenFault::UnknownKey)
    );
}

#[test]
fn a_file_of_keys_may_hold_comments_and_padding_or_none() {
    let secret = STANDARD.encode([9; 33]);
    let unpadded = secret.trim_end_matches('=');
    let keys = Keys::new(&format!("# ours\n\n  a \t{unpadded}\r\nb {secret}\n"));
    let tokens = keys.load();
    let token = tokens.drill(now(), &DRILL, "");
    assert!(tokens.check_drill(now(), &token, &DRILL).is_ok());
}

#[test]
fn a_faulty_file_is_told_with_line_and_remedy_and_without_its_secrets() {
    let good = line("good", 1);
    let secret = STANDARD.encode([77; 16]);
    let cases = [
        (String::new(), "it is empty"),
        ("# nothing\n".to_owned(), "holds no key"),
        (
            format!("{good}only-one-word\n"),
            "line 2: must be two words",
        ),
        (format!("{good}a {secret} b\n"), "line 2: must be two words"),
        (
            format!("{good}\nshort {secret}\n"),
            "line 3: the key has 16 bytes",
        ),
        (
            format!("a/b {secret}\n"),
            "line 1: the first word must be the key's id",
        ),
        (
            format!("{} {secret}\n", "k".repeat(33)),
            "line 1: the first word",
        ),
        (
            format!("a {secret}!\n"),
            "line 1: the second word must be base64",
        ),
        (
            format!("{good}{good}"),
            "line 2: its id stands in an earlier line",
        ),
        (
            format!("long {}\n", STANDARD.encode([1; 1025])),
            "line 1: the key has 1025 bytes",
        ),
        (
            (0..33).map(|n| line(&format!("k{n}"), n)).collect(),
            "line 33: there are more than 32 keys",
        ),
        ("#".repeat(1_048_577), "it has more than"),
    ];
    for (text, expected) in cases {
        let problem = Keys::new(&text).problem();
        assert!(problem.contains(expected), "{problem}");
        assert!(problem.starts_with("DRILL_TOKEN_KEYS_FILE "), "{problem}");
        assert!(!problem.contains(&secret[..8]), "{problem}");
    }
    let folder = TempDir::new().unwrap();
    let nothing = CardTokens::load(folder.path().join("none"), TTL).unwrap_err();
    assert!(nothing.to_string().contains("there is no such file"));
    let binary = folder.path().join("binary");
    write_secret(&binary, [0xff, 0xfe, 0x00]).unwrap();
    let binary = CardTokens::load(binary, TTL).unwrap_err();
    assert!(binary.to_string().contains("is no text"));
}

#[test]
fn nothing_shows_a_key() {
    let (_keys, tokens) = tokens();
    let shown = format!("{tokens:?}");
    assert!(!shown.contains(&STANDARD.encode([7; 32])[..8]), "{shown}");
    assert!(!shown.contains("7, 7"), "{shown}");
}
