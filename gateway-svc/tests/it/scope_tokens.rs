//! Scope tokens: whom they let ask about what, and what no forger can make of them.

mod forms;
mod keys;

use std::time::Duration;

use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use tempfile::TempDir;
use turnwise_gateway_svc::tokens::scope::{
    SCOPE_TOKEN_MAX_BYTES, ScopeClaims, ScopeTokens, VerifiedScope,
};
use turnwise_gateway_svc::tokens::scope_bounds::check_scope;
use turnwise_kit::{Caller, Fault};
use turnwise_proto::{common::v1::ErrorReason, helper::v1::LessonScope};

const MAX_AGE: Duration = Duration::from_secs(7200);
const LEEWAY: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

fn line(kid: &str, byte: u8) -> String {
    format!("{kid} {}\n", STANDARD.encode([byte; 32]))
}

fn load(lines: &str) -> ScopeTokens {
    // The file is read once: these tests do not follow it.
    let home = TempDir::new().unwrap();
    let file = home.path().join("keys");
    turnwise_testing::write_secret(&file, lines).unwrap();
    ScopeTokens::load(file, MAX_AGE, LEEWAY).unwrap()
}

fn tokens() -> ScopeTokens {
    load(&line("k1", 7))
}

fn now() -> Timestamp {
    "2026-03-02T08:00:00Z".parse().unwrap()
}

fn after(seconds: i64) -> Timestamp {
    now() + SignedDuration::from_secs(seconds)
}

fn caller(role: &str, subject: &str, classes: &[&str]) -> Caller {
    Caller {
        tenant: "north".to_owned(),
        subject: subject.to_owned(),
        role: role.to_owned(),
        groups: classes.iter().map(|&class| class.to_owned()).collect(),
    }
}

fn ada() -> Caller {
    caller("student", "ada", &["7a", "7b"])
}

fn claims() -> ScopeClaims {
    ScopeClaims {
        tenant: "north".to_owned(),
        class_id: "7b".to_owned(),
        course_id: "algebra".to_owned(),
        student_id: String::new(),
        scope: LessonScope {
            context: "Brackets, für Anfänger".to_owned(),
            topics: vec!["brackets".to_owned(), "minus signs".to_owned()],
            allowed_topics: vec!["fractions".to_owned()],
            reference: "brackets_1".to_owned(),
            language: "de-CH".to_owned(),
        },
    }
}

fn signed(tokens: &ScopeTokens, claims: &ScopeClaims) -> String {
    tokens.sign(now(), claims, HOUR).unwrap().0
}

fn cause(result: Result<VerifiedScope, Fault>) -> String {
    let fault = result.unwrap_err();
    assert_eq!(fault.reason(), ErrorReason::InvalidScopeToken);
    assert!(
        fault.message().contains("load the lesson's page again"),
        "{fault:?}"
    );
    fault.metadata("cause").unwrap().to_owned()
}

#[test]
fn a_token_lets_a_student_of_the_class_ask_about_its_lesson() {
    let tokens = tokens();
    let (token, expires) = tokens.sign(now(), &claims(), HOUR).unwrap();
    assert_eq!(expires, after(3600));
    let safe = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    assert!(token.bytes().all(safe));
    let verified = tokens.verify(now(), &token, &ada()).unwrap();
    let expected = VerifiedScope {
        tenant: "north".to_owned(),
        subject: "ada".to_owned(),
        class_id: "7b".to_owned(),
        course_id: "algebra".to_owned(),
        student_id: String::new(),
        scope: claims().scope,
    };
    assert_eq!(verified, expected);
    // It is not used up.
    assert_eq!(tokens.verify(after(60), &token, &ada()), Ok(expected));
}

#[test]
fn no_token_is_a_missing_one() {
    let fault = tokens().verify(now(), "", &ada()).unwrap_err();
    assert_eq!(fault.reason(), ErrorReason::MissingScopeToken);
    assert_eq!(fault.fields().collect::<Vec<_>>(), ["scope_token"]);
}

#[test]
fn a_token_is_good_for_its_tenant_class_and_student() {
    let tokens = tokens();
    let class = signed(&tokens, &claims());
    let student = ScopeClaims {
        student_id: "ada".to_owned(),
        ..claims()
    };
    let student = signed(&tokens, &student);
    let check = |token: &str, caller: &Caller| tokens.verify(now(), token, caller);
    assert_eq!(check(&student, &ada()).unwrap().student_id, "ada");

    let south = Caller {
        tenant: "south".to_owned(),
        ..ada()
    };
    assert_eq!(cause(check(&class, &south)), "tenant");
    for role in ["student", "teacher"] {
        let inside = caller(role, "bob", &["7b"]);
        assert!(check(&class, &inside).is_ok());
        assert_eq!(cause(check(&student, &inside)), "student");
        for classes in [&[][..], &["7a", "7"], &["7B"]] {
            let outside = caller(role, "ada", classes);
            assert_eq!(cause(check(&class, &outside)), "class", "{classes:?}");
            assert_eq!(cause(check(&student, &outside)), "class");
        }
    }
    for role in ["staff", "service"] {
        assert!(check(&class, &caller(role, "kim", &[])).is_ok());
    }
    assert_eq!(
        cause(check(&student, &caller("staff", "kim", &[]))),
        "student"
    );
}

#[test]
fn a_token_lasts_for_its_time_and_not_longer() {
    let tokens = tokens();
    let token = signed(&tokens, &claims());
    let at = |seconds: i64| tokens.verify(after(seconds), &token, &ada());
    // Within the leeway it may come from the future.
    assert_eq!(cause(at(-61)), "not_yet");
    assert!(at(-60).is_ok());
    assert!(at(3599).is_ok());
    assert_eq!(cause(at(3600)), "expired");
    assert_eq!(cause(at(1_000_000)), "expired");

    // Who shortens the time of all tokens shortens that of those that are there.
    let long = tokens.sign(now(), &claims(), MAX_AGE).unwrap().0;
    assert!(tokens.verify(after(7199), &long, &ada()).is_ok());
    let longer = MAX_AGE + Duration::from_secs(1);
    let longer = tokens.sign(now(), &claims(), longer).unwrap().0;
    assert_eq!(cause(tokens.verify(now(), &longer, &ada())), "too_old");
    assert_eq!(
        cause(tokens.verify(after(7201), &longer, &ada())),
        "expired"
    );
}

#[test]
fn a_wish_for_a_time_is_kept_within_bounds() {
    let tokens = tokens();
    let ttl = |seconds, nanos| tokens.ttl(Some(prost_types::Duration { seconds, nanos }));
    assert_eq!(tokens.ttl(None), Ok(MAX_AGE));
    assert_eq!(ttl(60, 0), Ok(Duration::from_secs(60)));
    assert_eq!(ttl(60, 999_999_999), Ok(Duration::from_secs(60)));
    assert_eq!(ttl(7200, 0), Ok(MAX_AGE));
    for seconds in [i64::MIN, -60, 0, 59, 7201, i64::MAX] {
        let fault = ttl(seconds, 0).unwrap_err();
        assert_eq!(fault.metadata("field"), Some("ttl"), "{seconds}");
    }
    // A time that ends at none that there is is refused, and does not wrap around.
    let endless = tokens.sign(now(), &claims(), Duration::MAX).unwrap_err();
    assert_eq!(endless.metadata("field"), Some("ttl"));
}

#[test]
fn memory_goes_by_the_claims_and_the_caller() {
    let tokens = tokens();
    let memory = |claims: &ScopeClaims, caller: &Caller, now: Timestamp| {
        let token = tokens.sign(now, claims, HOUR).unwrap().0;
        tokens.verify(now, &token, caller).unwrap().memory_scope()
    };
    let first = memory(&claims(), &ada(), now());
    // Signed again, with a later time and another key, or bound to the student now.
    assert_eq!(memory(&claims(), &ada(), after(86_400)), first);
    let rotated = load(&line("k2", 8));
    let again = signed(&rotated, &claims());
    let again = rotated.verify(now(), &again, &ada()).unwrap();
    assert_eq!(again.memory_scope(), first);
    let bound = ScopeClaims {
        student_id: "ada".to_owned(),
        ..claims()
    };
    assert_eq!(memory(&bound, &ada(), now()), first);

    let mut seen = vec![first];
    let mut differs = |claims: ScopeClaims, caller: Caller| {
        let other = memory(&claims, &caller, now());
        assert!(!seen.contains(&other), "{claims:?} {caller:?}");
        seen.push(other);
    };
    differs(claims(), caller("student", "bob", &["7b"]));
    let south = Caller {
        tenant: "south".to_owned(),
        ..ada()
    };
    let mut changed = claims();
    changed.tenant = "south".to_owned();
    differs(changed, south);
    let changes: [fn(&mut ScopeClaims); 10] = [
        |c| c.class_id = "7a".to_owned(),
        |c| c.course_id = "geometry".to_owned(),
        |c| c.scope.context.push('!'),
        |c| c.scope.topics.reverse(),
        |c| c.scope.topics.clear(),
        |c| c.scope.allowed_topics.clear(),
        // A topic that moves from one list to the other.
        |c| {
            let moved = c.scope.topics.pop().unwrap();
            c.scope.allowed_topics.insert(0, moved);
        },
        |c| c.scope.topics = vec!["bracketsminus signs".to_owned()],
        |c| c.scope.reference.clear(),
        |c| c.scope.language = "de".to_owned(),
    ];
    for change in changes {
        let mut changed = claims();
        change(&mut changed);
        differs(changed, ada());
    }
}

#[test]
fn a_scope_out_of_bounds_is_refused_by_its_field() {
    assert_eq!(check_scope(&claims().scope), Ok(()));
    let most = LessonScope {
        context: "ß".repeat(500),
        topics: vec!["ü".repeat(100); 50],
        allowed_topics: vec!["t".to_owned(); 50],
        reference: "a".repeat(128),
        language: String::new(),
    };
    assert_eq!(check_scope(&most), Ok(()));
    type Change = fn(&mut LessonScope);
    let refused: [(&str, Change); 19] = [
        ("scope.context", |s| s.context.clear()),
        ("scope.context", |s| s.context = " \u{200b}".to_owned()),
        ("scope.context", |s| s.context = "ß".repeat(501)),
        ("scope.context", |s| s.context.push('\n')),
        ("scope.context", |s| s.context.push('\u{85}')),
        ("scope.topics", |s| s.topics = vec!["t".to_owned(); 51]),
        ("scope.topics", |s| s.topics = vec!["t".to_owned(); 1_000]),
        ("scope.topics", |s| s.topics[1].clear()),
        ("scope.topics", |s| s.topics[1] = "ü".repeat(101)),
        ("scope.topics", |s| s.topics[0].push('\0')),
        ("scope.allowed_topics", |s| {
            s.allowed_topics = vec!["t".to_owned(); 51];
        }),
        ("scope.allowed_topics", |s| s.allowed_topics[0].push('\t')),
        ("scope.reference", |s| s.reference = "a".repeat(129)),
        ("scope.reference", |s| {
            s.reference = "../brackets".to_owned()
        }),
        ("scope.reference", |s| s.reference = "Brackets".to_owned()),
        ("scope.language", |s| s.language = "d".to_owned()),
        ("scope.language", |s| s.language = "de-".to_owned()),
        ("scope.language", |s| {
            s.language = "de, and in rhymes".to_owned()
        }),
        ("scope.language", |s| s.language = "de-abcdefgh".repeat(4)),
    ];
    let tokens = tokens();
    for (field, change) in refused {
        let mut changed = claims();
        change(&mut changed.scope);
        let fault = check_scope(&changed.scope).unwrap_err();
        assert_eq!(fault.metadata("field"), Some(field), "{changed:?}");
        assert!(tokens.sign(now(), &changed, HOUR).is_err());
    }
}

/// Within the bounds of each field a scope may still be too long for a token.
#[test]
fn no_token_is_longer_than_any_may_be() {
    let mut long = claims();
    long.scope.topics = vec!["ü".repeat(100); 50];
    let fault = tokens().sign(now(), &long, HOUR).unwrap_err();
    assert_eq!(fault.metadata("field"), Some("scope"));
    long.scope.topics.truncate(20);
    let token = signed(&tokens(), &long);
    assert!(token.len() <= SCOPE_TOKEN_MAX_BYTES, "{}", token.len());
    assert!(tokens().verify(now(), &token, &ada()).is_ok());
}

fn words() -> impl Strategy<Value = String> {
    "[a-zA-Zäöü\u{1F600}\"\\\\ ]{0,20}x"
}

fn scope() -> impl Strategy<Value = LessonScope> {
    let topics = || prop::collection::vec(words(), 0..6);
    let keys = ("[a-z0-9_-]{0,12}", prop_oneof!["", "[a-z]{2}(-[A-Z]{2})?"]);
    (words(), topics(), topics(), keys).prop_map(
        |(context, topics, allowed_topics, (reference, language))| LessonScope {
            context,
            topics,
            allowed_topics,
            reference,
            language,
        },
    )
}

proptest! {
    /// Whatever the lesson: it comes back as it was signed, and two lessons share no memory.
    #[test]
    fn a_scope_comes_back_as_it_was_signed(one in scope(), other in scope()) {
        let tokens = tokens();
        let verified = |scope: &LessonScope| {
            let claims = ScopeClaims { scope: scope.clone(), ..claims() };
            tokens.verify(now(), &signed(&tokens, &claims), &ada()).unwrap()
        };
        let (first, second) = (verified(&one), verified(&other));
        prop_assert_eq!(first.memory_scope() == second.memory_scope(), one == other);
        prop_assert_eq!(first.scope, one);
    }

    /// A token in which any byte was changed is refused.
    #[test]
    fn no_changed_token_passes(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let tokens = tokens();
        let token = signed(&tokens, &claims());
        let mut bytes = token.clone().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let changed = String::from_utf8_lossy(&bytes);
        prop_assume!(changed != token);
        prop_assert!(tokens.verify(now(), &changed, &ada()).is_err());
    }

    /// So is one in which any byte was changed under the base64.
    #[test]
    fn no_changed_content_passes(part in 0_usize..3, at in any::<prop::sample::Index>(), flip in 1_u8..) {
        let tokens = tokens();
        let token = signed(&tokens, &claims());
        let mut parts: Vec<String> = token.split('.').map(str::to_owned).collect();
        let mut bytes = URL_SAFE_NO_PAD.decode(&parts[part]).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        parts[part] = URL_SAFE_NO_PAD.encode(&bytes);
        prop_assert!(tokens.verify(now(), &parts.join("."), &ada()).is_err());
    }

    /// No text makes the check fail in any other way than by saying no.
    #[test]
    fn any_text_is_refused(token in "\\PC{0,300}", parts in prop::collection::vec("\\PC{0,60}", 1..5)) {
        let tokens = tokens();
        prop_assert!(tokens.verify(now(), &token, &ada()).is_err());
        let encoded: Vec<_> = parts.iter().map(|part| URL_SAFE_NO_PAD.encode(part)).collect();
        prop_assert!(tokens.verify(now(), &encoded.join("."), &ada()).is_err());
    }
}
