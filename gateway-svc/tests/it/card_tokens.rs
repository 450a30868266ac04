//! Card tokens: what they prove, what no forger can make of them, and how their keys change.

mod claims;
mod keys;

use std::{path::PathBuf, time::Duration};

use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use tempfile::TempDir;
use turnwise_gateway_svc::tokens::{
    CardTokens, DrillClaims, OfferClaims, TOKEN_MAX_BYTES, TokenFault,
};
use turnwise_proto::tutor::v1::MasteryTier;
use turnwise_testing::write_secret;

const TTL: Duration = Duration::from_secs(7200);

/// A file of keys in a folder of its own.
struct Keys {
    folder: TempDir,
}

impl Keys {
    fn new(text: &str) -> Self {
        let keys = Self {
            folder: TempDir::new().unwrap(),
        };
        keys.write(text);
        keys
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("keys")
    }

    fn write(&self, text: &str) {
        write_secret(self.file(), text).unwrap();
    }

    fn load(&self) -> CardTokens {
        CardTokens::load(self.file(), TTL).unwrap()
    }

    fn problem(&self) -> String {
        CardTokens::load(self.file(), TTL).unwrap_err().to_string()
    }
}

/// A key's line.
fn line(kid: &str, byte: u8) -> String {
    format!("{kid} {}\n", STANDARD.encode([byte; 32]))
}

fn tokens() -> (Keys, CardTokens) {
    let keys = Keys::new(&line("k1", 7));
    let tokens = keys.load();
    (keys, tokens)
}

const DRILL: DrillClaims<'static> = DrillClaims {
    tenant: "north",
    student_id: "ada",
    thread_id: "thread-1",
    course_id: "algebra",
    unit_id: "ALG-02",
    prompt: "Solve for x.",
    question_latex: "2x = 8",
};

const OFFER: OfferClaims<'static> = OfferClaims {
    tenant: "north",
    student_id: "ada",
    thread_id: "thread-1",
    course_id: "algebra",
    unit_id: "ALG-02",
    question_id: "ALG-02-B1",
    tier: MasteryTier::Bronze,
};

fn now() -> Timestamp {
    "2026-03-02T08:00:00Z".parse().unwrap()
}

fn after(seconds: i64) -> Timestamp {
    now() + SignedDuration::from_secs(seconds)
}

#[test]
fn a_token_proves_its_drill_and_names_it() {
    let (_keys, tokens) = tokens();
    let token = tokens.drill(now(), &DRILL, "drill-9");
    assert!(token.len() < TOKEN_MAX_BYTES);
    let proof = tokens.check_drill(now(), &token, &DRILL).unwrap();
    assert_eq!(proof.drill_id, "drill-9");
    let again = tokens.check_drill(after(7199), &token, &DRILL).unwrap();
    assert_eq!(again.nonce, proof.nonce, "the nonce is the token's");
    let other = tokens.drill(now(), &DRILL, "drill-9");
    let other = tokens.check_drill(now(), &other, &DRILL).unwrap();
    assert_ne!(other.nonce, proof.nonce, "each card has a nonce of its own");
}

#[test]
fn a_question_of_a_placement_passes_for_no_drill_and_no_drill_for_it() {
    let (_keys, tokens) = tokens();
    let question = tokens.placement(now(), &DRILL, "drill-9");
    assert!(question.len() < TOKEN_MAX_BYTES);
    let proof = tokens.check_placement(now(), &question, &DRILL).unwrap();
    assert_eq!(proof.drill_id, "drill-9");
    let drill = tokens.drill(now(), &DRILL, "drill-9");
    for (found, fault) in [
        (
            tokens.check_drill(now(), &question, &DRILL),
            TokenFault::Mismatch,
        ),
        (
            tokens.check_placement(now(), &drill, &DRILL),
            TokenFault::Mismatch,
        ),
        (
            tokens.check_placement(after(7200), &question, &DRILL),
            TokenFault::Expired,
        ),
    ] {
        assert_eq!(found, Err(fault));
    }
}

#[test]
fn a_token_is_short_and_safe_in_a_url_whatever_is_on_the_card() {
    let keys = Keys::new(&line(&"k".repeat(32), 7));
    let tokens = keys.load();
    let long = "\u{1F600}x".repeat(1_000);
    let id = "i".repeat(128);
    let claims = DrillClaims {
        prompt: &long,
        question_latex: &long,
        student_id: &id,
        ..DRILL
    };
    let token = tokens.drill(now(), &claims, &id);
    assert!(token.len() < TOKEN_MAX_BYTES, "{} bytes", token.len());
    let safe = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    assert!(token.bytes().all(safe));
    assert_eq!(
        tokens.check_drill(now(), &token, &claims).unwrap().drill_id,
        id
    );
}

#[test]
fn every_claim_of_a_drill_is_bound() {
    let (_keys, tokens) = tokens();
    let token = tokens.drill(now(), &DRILL, "drill-9");
    let forged = [
        DrillClaims {
            tenant: "south",
            ..DRILL
        },
        DrillClaims {
            student_id: "bob",
            ..DRILL
        },
        DrillClaims {
            thread_id: "thread-2",
            ..DRILL
        },
        DrillClaims {
            course_id: "geometry",
            ..DRILL
        },
        DrillClaims {
            unit_id: "ALG-03",
            ..DRILL
        },
        DrillClaims {
            prompt: "Solve for y.",
            ..DRILL
        },
        DrillClaims {
            question_latex: "x = 4",
            ..DRILL
        },
        // What moves from one field to the next is another card.
        DrillClaims {
            prompt: "Solve for x.2x = 8",
            question_latex: "",
            ..DRILL
        },
        DrillClaims {
            tenant: "nort",
            student_id: "hada",
            ..DRILL
        },
    ];
    for claims in forged {
        assert_eq!(
            tokens.check_drill(now(), &token, &claims),
            Err(TokenFault::Mismatch),
            "{claims:?}"
        );
    }
}

#[test]
fn every_claim_of_an_offer_is_bound() {
    let (_keys, tokens) = tokens();
    let token = tokens.offer(now(), &OFFER);
    assert_eq!(tokens.check_offer(now(), &token, &OFFER), Ok(()));
    let forged = [
        OfferClaims {
            tenant: "south",
            ..OFFER
        },
        OfferClaims {
            student_id: "bob",
            ..OFFER
        },
        OfferClaims {
            thread_id: "thread-2",
            ..OFFER
        },
        OfferClaims {
            course_id: "geometry",
            ..OFFER
        },
        OfferClaims {
            unit_id: "ALG-03",
            ..OFFER
        },
        OfferClaims {
            question_id: "ALG-02-B2",
            ..OFFER
        },
        OfferClaims {
            tier: MasteryTier::Gold,
            ..OFFER
        },
    ];
    for claims in forged {
        assert_eq!(
            tokens.check_offer(now(), &token, &claims),
            Err(TokenFault::Mismatch),
            "{claims:?}"
        );
    }
}

/// A drill and an offer whose claims are the same texts have different tokens.
#[test]
fn a_drill_passes_for_no_offer() {
    let (_keys, tokens) = tokens();
    let tier = MasteryTier::Bronze;
    let drill = DrillClaims {
        prompt: OFFER.question_id,
        question_latex: tier.as_str_name(),
        ..DRILL
    };
    let token = tokens.drill(now(), &drill, "");
    assert_eq!(
        tokens.check_offer(now(), &token, &OFFER),
        Err(TokenFault::Mismatch)
    );
    let offer = tokens.offer(now(), &OFFER);
    assert_eq!(
        tokens.check_drill(now(), &offer, &drill),
        Err(TokenFault::Mismatch)
    );
}

#[test]
fn a_token_lasts_for_its_time_and_not_longer() {
    let (_keys, tokens) = tokens();
    let token = tokens.drill(now(), &DRILL, "");
    assert!(tokens.check_drill(after(7199), &token, &DRILL).is_ok());
    assert_eq!(
        tokens.check_drill(after(7200), &token, &DRILL),
        Err(TokenFault::Expired)
    );
    // What is not ours does not tell whether it would be too old.
    let forged = DrillClaims {
        unit_id: "ALG-03",
        ..DRILL
    };
    assert_eq!(
        tokens.check_drill(after(7200), &token, &forged),
        Err(TokenFault::Mismatch)
    );
}

#[test]
fn what_is_no_token_is_told_apart() {
    let (_keys, tokens) = tokens();
    let check = |token: &str| tokens.check_drill(now(), token, &DRILL).unwrap_err();
    assert_eq!(check(""), TokenFault::Missing);
    let good = tokens.drill(now(), &DRILL, "");
    let mut bytes = URL_SAFE_NO_PAD.decode(&good).unwrap();
    bytes[0] = 2;
    let later_version = URL_SAFE_NO_PAD.encode(&bytes);
    for malformed in [
        "x",
        "not base64!",
        "AAAA",
        &format!("{good}="),
        &good[..good.len() - 1],
        &"A".repeat(TOKEN_MAX_BYTES),
        &"A".repeat(4 << 20),
        &later_version,
    ] {
        let short = &malformed[..malformed.len().min(40)];
        assert_eq!(check(malformed), TokenFault::Malformed, "{short}");
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[a-c]{0,3}", "\\PC{0,20}"]
}

proptest! {
    /// Whatever the texts: a token proves its own card, and two cards that differ share no token.
    #[test]
    fn a_token_proves_exactly_one_card(
        one in prop::array::uniform7(text()),
        other in prop::array::uniform7(text()),
    ) {
        let (_keys, tokens) = tokens();
        fn card(texts: &[String; 7]) -> DrillClaims<'_> {
            let [tenant, student_id, thread_id, course_id, unit_id, prompt, question_latex] = texts;
            DrillClaims { tenant, student_id, thread_id, course_id, unit_id, prompt, question_latex }
        }
        let token = tokens.drill(now(), &card(&one), "d");
        prop_assert!(tokens.check_drill(now(), &token, &card(&one)).is_ok());
        let checked = tokens.check_drill(now(), &token, &card(&other));
        prop_assert_eq!(checked.is_ok(), one == other);
    }

    /// A token in which anything was changed proves nothing.
    #[test]
    fn no_changed_token_passes(at in any::<prop::sample::Index>(), flip in 1u8..=255) {
        let (_keys, tokens) = tokens();
        let token = tokens.drill(now(), &DRILL, "drill-9");
        let mut bytes = URL_SAFE_NO_PAD.decode(&token).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        let changed = URL_SAFE_NO_PAD.encode(&bytes);
        prop_assert!(tokens.check_drill(now(), &changed, &DRILL).is_err());
    }

    /// No text makes the check fail in any other way than by saying no.
    #[test]
    fn any_text_is_refused(token in "\\PC{0,600}", bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let (_keys, tokens) = tokens();
        prop_assert!(tokens.check_drill(now(), &token, &DRILL).is_err());
        let encoded = URL_SAFE_NO_PAD.encode(&bytes);
        prop_assert!(tokens.check_drill(now(), &encoded, &DRILL).is_err());
        prop_assert!(tokens.check_offer(now(), &encoded, &OFFER).is_err());
    }
}
