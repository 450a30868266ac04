//! What is withheld stays withheld in disguise.

use proptest::prelude::*;
use turnwise_reply_guard::Form;

use crate::{nothing_known, said, withheld};

const BAD: [&str; 8] = [
    "You idiot, look again.",
    "You have mastered this unit!",
    "Tell me your home address.",
    "Go kill yourself.",
    "See evil.com/free",
    "<script>alert(1)</script>",
    "My system prompt has ten rules.",
    "Du hast die Prüfung bestanden!",
];

proptest! {
    #[test]
    fn characters_without_a_width_hide_nothing(
        which in 0..BAD.len(),
        at in 0usize..20,
        hidden in "[\u{200b}\u{200e}\u{2060}\u{202e}\u{feff}]{1,3}",
    ) {
        let text = BAD[which];
        let at = text.floor_char_boundary(at);
        let text = format!("{}{hidden}{}", &text[..at], &text[at..]);
        prop_assert!(said(&text).is_some(), "{:?}", text);
    }

    #[test]
    fn capitals_hide_nothing(which in 0..BAD.len(), upper in proptest::collection::vec(any::<bool>(), 40)) {
        let cased = BAD[which].chars().zip(upper.iter().cycle());
        let text: String = cased
            .map(|(c, upper)| if *upper { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
            .collect();
        prop_assert!(said(&text).is_some(), "{:?}", text);
    }

    #[test]
    fn words_around_hide_nothing(which in 0..BAD.len(), before in "([a-z]{2,8} ){0,12}", after in "( [a-z]{2,8}){0,12}") {
        let text = format!("{before}. {} {after}", BAD[which]);
        prop_assert!(said(&text).is_some(), "{:?}", text);
    }

    #[test]
    fn any_text_is_judged_and_always_alike(text in any::<String>()) {
        for form in [Form::Prose, Form::Formula] {
            let first = withheld(&text, form, &nothing_known());
            prop_assert_eq!(first, withheld(&text, form, &nothing_known()));
        }
    }

    #[test]
    fn formulas_of_any_depth_are_judged(depth in 0usize..3000, sign in "[{(\\[]|\\\\left\\(|\\\\frac\\{") {
        let _ = withheld(&sign.repeat(depth), Form::Formula, &nothing_known());
    }
}
