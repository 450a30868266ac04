//! The keys of scope tokens: how they rotate, and which tokens they leave good.

use std::time::Duration;

use tempfile::TempDir;
use turnwise_gateway_svc::tokens::scope::ScopeTokens;
use turnwise_kit::Kit;
use turnwise_testing::write_secret;

use super::{LEEWAY, MAX_AGE, ada, cause, claims, line, load, now, signed};

/// Within this time a file has been looked at again.
const LOOKED_AT: Duration = Duration::from_millis(1100);

#[test]
fn all_keys_verify_and_the_first_signs() {
    let (old, new) = (line("old", 1), line("new", 2));
    let first = signed(&load(&old), &claims());
    let second = signed(&load(&format!("{new}{old}")), &claims());
    let check = |lines: &str, token: &str| load(lines).verify(now(), token, &ada());
    let both = format!("{old}{new}");
    assert!(check(&both, &first).is_ok());
    assert!(check(&both, &second).is_ok());
    assert_eq!(cause(check(&old, &second)), "unknown_key");
    assert_eq!(cause(check(&new, &first)), "unknown_key");
    // Another key under the same id.
    assert_eq!(cause(check(&line("old", 3), &first)), "mismatch");
}

#[tokio::test(start_paused = true)]
async fn a_changed_file_is_read_again_and_a_broken_one_is_not_used() {
    let home = TempDir::new().unwrap();
    let file = home.path().join("keys");
    write_secret(&file, line("old", 1)).unwrap();
    let tokens = ScopeTokens::load(&file, MAX_AGE, LEEWAY).unwrap();
    tokens.follow(&Kit::for_tests());
    let first = signed(&tokens, &claims());
    let check = |token: &str| tokens.verify(now(), token, &ada());

    write_secret(&file, format!("{}{}", line("new", 2), line("old", 1))).unwrap();
    tokio::time::sleep(LOOKED_AT).await;
    let second = signed(&tokens, &claims());
    assert!(load(&line("new", 2)).verify(now(), &second, &ada()).is_ok());
    assert!(check(&first).is_ok());

    write_secret(&file, "new AAAA").unwrap();
    tokio::time::sleep(LOOKED_AT).await;
    assert!(check(&first).is_ok());

    write_secret(&file, line("new", 2)).unwrap();
    tokio::time::sleep(LOOKED_AT).await;
    assert_eq!(cause(check(&first)), "unknown_key");
    assert!(check(&second).is_ok());
}

#[test]
fn a_file_that_cannot_be_used_is_named_by_its_setting() {
    let problem = ScopeTokens::load("/nowhere/keys", MAX_AGE, LEEWAY);
    let problem = problem.unwrap_err().to_string();
    assert!(problem.starts_with("SCOPE_TOKEN_KEYS_FILE (`/nowhere/keys`)"));
}

#[test]
fn a_gateway_without_its_file_says_what_to_set() {
    let mut settings = crate::limits::settings(&[]);
    assert!(settings.scope_tokens().is_ok());
    settings.scope_token_keys_file = None;
    let problem = settings.scope_tokens().unwrap_err().to_string();
    assert!(problem.starts_with("SCOPE_TOKEN_KEYS_FILE is not set; "));
}
