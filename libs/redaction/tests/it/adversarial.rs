//! Any text at all: no panic, the same again, and time in proportion to its length.

use std::time::Duration;

use proptest::prelude::*;
use turnwise_redaction::{Kind, Roster, find, redact, redact_with};
use turnwise_testing::cpu_time::time_of_thread;

fn roster() -> Roster {
    Roster::new([
        "Ada Lovelace",
        "a a a a a a a b",
        "Will May",
        "Phone Card",
        "李小明",
        "Name",
        "e mail",
        "x",
    ])
    .unwrap()
}

/// Pieces that mean something to a finder, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "phone ", "call me ", "my name is ", "id ", "card number ", "is my ", "or ", "and ", "Ada", " Lovelace",
            "Will", "a@b.co", "@", ".", "-", " ", " ", " ", "\n", "+", "+44 ", "(", ")", "/", ",", ":", "=", "x",
            "415-555-0132", "4111 1111 1111 1111", "4111111111111111", "0170 1234567", "07700 900123", "123-45-6789",
            "QQ 12 34 56 C", "GB82 WEST 1234 5698 7654 32", "https://", "a.org/?email=", "user:pw@", "[phone]",
            "[name]", "[", "]", "\u{200b}", "\u{301}", "１", "０", "²", "李小明", " at ", " dot ", "com", "my number is ",
        ]).prop_map(str::to_owned),
        1 => "[0-9]{1,5}",
        1 => "\\PC{0,4}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 8))]

    /// Without names a look at the bytes comes first; it says nothing is there only where nothing is.
    #[test]
    fn a_quick_look_misses_nothing(
        text in prop_oneof![
            pieces(),
            "([a-z]{1,3}|[Aa]t|www|[Dd]ot|point|com|://|[-.@:/?()_ ]| |[0-9]){0,12}",
            "[ -~\t\n]{0,40}",
        ],
    ) {
        let nobody = Roster::new(["Qzxv Vxzq"]).unwrap();
        prop_assert_eq!(find(&text, &Roster::default()), find(&text, &nobody), "in {:?}", text);
    }

    #[test]
    fn a_second_time_changes_nothing(text in pieces()) {
        let roster = roster();
        let once = redact_with(&text, &roster);
        prop_assert_eq!(&redact_with(&once, &roster), &once, "of {:?}", text);
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_fail(text in any::<String>()) {
        let roster = roster();
        let once = redact_with(&text, &roster);
        prop_assert_eq!(&redact_with(&once, &roster), &once, "of {:?}", text);
        let mut end = 0;
        for finding in find(&text, &roster) {
            prop_assert!(finding.range.start >= end && finding.range.end > finding.range.start);
            prop_assert!(text.get(finding.range.clone()).is_some());
            end = finding.range.end;
        }
    }
}

#[test]
fn replacements_stay() {
    for kind in Kind::ALL {
        let text = format!("a {kind} b {kind}{kind}");
        assert_eq!(redact_with(&text, &roster()), text);
    }
}

/// Every decimal digit that the tables of regular expressions know is folded to one.
#[test]
fn digits_of_every_script_are_digits() {
    let digit = regex::Regex::new(r"^\p{Nd}$").unwrap();
    for c in (0..=0x10_ffff).filter_map(char::from_u32) {
        if digit.is_match(c.encode_utf8(&mut [0; 4])) {
            let text = format!("call me {}", c.to_string().repeat(9));
            assert_eq!(redact(&text), "call me [phone]", "U+{:x}", c as u32);
        }
    }
}

/// Texts that make a careless finder look at the same characters over and over.
#[test]
fn time_is_in_proportion_to_length() {
    let Some(_) = time_of_thread() else {
        println!("skipped: this system does not tell a thread's time on the processor");
        return;
    };
    let roster = roster();
    let seeds = [
        "a",
        "@",
        "a@",
        ".",
        "a.",
        "1",
        "1 ",
        "1-",
        "0170 ",
        "1a-",
        "phone ",
        "phone 1234567 or ",
        "at ",
        "x at y dot ",
        "+",
        "(",
        "+1 ",
        "my name is ",
        "a a a a a a a ",
        "Ada ",
        "4111 ",
        "4111 1111 1111 1111 ",
        "GB82 ",
        "QQ 12 34 56 ",
        "https://",
        "a.b/?x=",
        "://",
        "[",
        "[phone",
        "[phone]",
        "\u{200b}",
        "\u{301}",
        "李",
        "\u{fdfa}",
        "- ",
        "is my ",
        "id 12345 ",
        "a1b2-",
        "(415) 555-0132 ",
        "a@b.co ",
        "1.1.1.",
        " ",
    ];
    for seed in seeds {
        let time = |bytes: usize| {
            let text = seed.repeat(bytes / seed.len());
            let start = time_of_thread().unwrap();
            redact_with(&text, &roster);
            time_of_thread().unwrap() - start
        };
        let (short, long) = (time(5_000), time(100_000));
        // Twenty times the text: twenty times the work, and four hundred times where it is quadratic.
        let floor = Duration::from_millis(10);
        assert!(
            long < short.max(floor) * 100,
            "{seed:?}: {short:?}, then {long:?}"
        );
    }
}
