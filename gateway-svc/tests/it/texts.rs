//! The guardrail profile that comes with the gateway speaks every language of the message catalogue.

use turnwise_guardrails::{Guardrails, HitKind, Reaches};
use turnwise_messages::{FALLBACK, LOCALES};

#[test]
fn a_guardrail_answers_in_every_language_of_the_catalogue() {
    let guardrails = Guardrails::built_in().unwrap();
    for kind in [
        HitKind::SelfHarm,
        HitKind::Abuse,
        HitKind::Danger,
        HitKind::Bullying,
        HitKind::BlockedTerm,
    ] {
        for reaches in [Reaches::Nobody, Reaches::Staff] {
            let english = guardrails.text(FALLBACK, kind, reaches);
            let others = LOCALES.map(|(locale, _)| locale);
            for locale in others.into_iter().filter(|locale| *locale != FALLBACK) {
                let text = guardrails.text(locale, kind, reaches);
                assert_ne!(text, english, "{locale}: {kind:?}");
            }
            // It is read in Switzerland as well.
            let german = guardrails.text("de-CH", kind, reaches);
            assert!(!german.contains(['ß', '„']), "{german}");
        }
    }
}
