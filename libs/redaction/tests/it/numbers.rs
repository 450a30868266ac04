//! Phone numbers, card numbers, and ID numbers.

use turnwise_redaction::Roster;

use crate::{check, check_unchanged};

#[test]
fn phone_numbers_with_a_cue_are_removed() {
    check(
        &Roster::default(),
        &[
            (
                "my phone: 0170 1234567, what is x?",
                "my phone: [phone], what is x?",
            ),
            ("call me 07700900123", "call me [phone]"),
            ("Text me at 555-0132!", "Text me at [phone]!"),
            ("phone number is 5550132", "phone number is [phone]"),
            (
                "what's your phone? 07700 900123",
                "what's your phone? [phone]",
            ),
            ("Tel. 030 1234567", "Tel. [phone]"),
            ("Tel.:\n030/1234567", "Tel.:\n[phone]"),
            ("mobile no. 98765 43210", "mobile no. [phone]"),
            ("whatsapp 98765.432.10 ok", "whatsapp [phone] ok"),
            ("phone=07700900123", "phone=[phone]"),
            ("my number is 07700 900123", "my number is [phone]"),
            ("07700900123 is my number", "[phone] is my number"),
            ("5550132 is my mobile", "[phone] is my mobile"),
            (
                "call me at 5550132 or 5550133, and x=2",
                "call me at [phone] or [phone], and x=2",
            ),
            ("phone 0 7 7 0 0 9 0 0 1 2 3", "phone [phone]"),
            ("phone 0170 1234567 2x + 3 = 7", "phone [phone] 2x + 3 = 7"),
            ("phone (030) 1234567", "phone [phone]"),
            ("call 07700900123 tonight", "call [phone] tonight"),
            ("call +12345678", "call [phone]"),
            // Digits of other scripts, and characters without width.
            ("call me ０７７００ ９００１２３", "call me [phone]"),
            ("call me ٠٧٧٠٠٩٠٠١٢٣", "call me [phone]"),
            ("call me 𝟎𝟕𝟕𝟎𝟎𝟗𝟎𝟎𝟏𝟐𝟑", "call me [phone]"),
            (
                "call me 0\u{200d}7\u{200b}7\u{2060}00900\u{ad}123",
                "call me [phone]",
            ),
            ("call me ⓪⑦⑦⓪⓪⑨⓪⓪①②③", "call me [phone]"),
            (
                "call me 0\u{fe0f}\u{20e3}7\u{fe0f}\u{20e3}700900123",
                "call me [phone]",
            ),
            ("ph\u{200b}one 07700\u{a0}900123", "ph\u{200b}one [phone]"),
            ("phone 415\u{2013}555\u{2013}0132", "phone [phone]"),
            ("phone 415\u{2011}5550132", "phone [phone]"),
        ],
    );
}

#[test]
fn phone_numbers_with_a_plus_are_removed() {
    check(
        &Roster::default(),
        &[
            ("call me +44 7700 900123", "call me [phone]"),
            ("+1 (415) 555-0132", "[phone]"),
            ("+447700900123", "[phone]"),
            ("I am on +49 (0)30 1234567.", "I am on [phone]."),
            ("me: +33 6 12 34 56 78", "me: [phone]"),
            ("WhatsApp (+44) 7700 900123", "WhatsApp [phone]"),
            ("Hi. +1-415-555-0132 thanks", "Hi. [phone] thanks"),
            ("is it x = 4?\n+44 7700 900123", "is it x = 4?\n[phone]"),
            ("it is 4. +44 7700 900123", "it is 4. [phone]"),
            ("x = 4, +44 7700 900123", "x = 4, [phone]"),
            ("mine ＋４４ ７７００ ９００１２３", "mine [phone]"),
            ("+1 415 555 0132 2 apples", "[phone] 2 apples"),
        ],
    );
}

#[test]
fn phone_numbers_in_national_groupings_are_removed() {
    check(
        &Roster::default(),
        &[
            ("(415) 555-0132", "[phone]"),
            ("it is 415-555-0132, ok?", "it is [phone], ok?"),
            ("415.555.0132 thanks", "[phone] thanks"),
            ("here: 415 555 0132", "here: [phone]"),
            ("1-800-555-0199", "[phone]"),
            ("here 07700 900123", "here [phone]"),
            ("here 07700 900 123 ok", "here [phone] ok"),
            ("020 7946 0958", "[phone]"),
            ("(020) 7946 0958", "[phone]"),
            ("0170/1234567", "[phone]"),
            ("06 12 34 56 78", "[phone]"),
            ("02 9374 4000", "[phone]"),
            ("0412 345 678", "[phone]"),
            ("0044 7700 900123", "[phone]"),
            ("- 415-555-0132 - me", "- [phone] - me"),
            ("４１５-５５５-０１３２", "[phone]"),
            ("415\u{2011}555\u{2011}0132", "[phone]"),
            ("415\u{2013}555\u{2013}0132", "[phone]"),
        ],
    );
}

#[test]
fn phone_numbers_that_are_strings_of_json_are_removed() {
    check(
        &Roster::default(),
        &[
            (r#"{"note": "+447700900123"}"#, r#"{"note": "[phone]"}"#),
            (r#"["+44 7700 900123","x"]"#, r#"["[phone]","x"]"#),
            ("[1,\n  \"07700900123\"]", "[1,\n  \"[phone]\"]"),
            (r#"{"a":"07700900123","b":2}"#, r#"{"a":"[phone]","b":2}"#),
        ],
    );
    check_unchanged(
        &Roster::default(),
        &[
            r#"{"answer": "+12345678"}"#,
            r#"{"digits": "0123456789"}"#,
            r#"{"total": "2024123112", "sum": 7700900123}"#,
            r#"x = "07700900123""#,
            r#"{"term": "07700900123 + 4"}"#,
        ],
    );
}

#[test]
fn card_numbers_are_removed() {
    check(
        &Roster::default(),
        &[
            ("4111 1111 1111 1111", "[card number]"),
            (
                "I paid with 4111-1111-1111-1111.",
                "I paid with [card number].",
            ),
            ("5555555555554444 ok", "[card number] ok"),
            ("3782 822463 10005", "[card number]"),
            ("378282246310005", "[card number]"),
            ("30569309025904", "[card number]"),
            ("6011111111111117", "[card number]"),
            ("3530111333300000", "[card number]"),
            (
                "card number: 1234 5678 9012 3456",
                "card number: [card number]",
            ),
            ("my card is 1234567890123456", "my card is [card number]"),
            ("visa 4111 1111 1111 1111 12", "visa [card number] 12"),
            ("４１１１ １１１１ １１１１ １１１１", "[card number]"),
            ("4111\u{200b}1111\u{200b}1111\u{200b}1111", "[card number]"),
            ("4111\u{202f}1111\u{202f}1111\u{202f}1111", "[card number]"),
        ],
    );
}

#[test]
fn id_numbers_are_removed() {
    check(
        &Roster::default(),
        &[
            ("my ssn is 123-45-6789", "my ssn is [id number]"),
            ("123-45-6789", "[id number]"),
            ("SSN: 123 45 6789", "SSN: [id number]"),
            (
                "social security number 123456789",
                "social security number [id number]",
            ),
            ("QQ 12 34 56 C", "[id number]"),
            ("it is QQ123456C ok", "it is [id number] ok"),
            ("GB82 WEST 1234 5698 7654 32", "[id number]"),
            ("pay to DE89370400440532013000.", "pay to [id number]."),
            ("de89 3704 0044 0532 0130 00 please", "[id number] please"),
            ("my student id is 1234567", "my student id is [id number]"),
            ("Student number: S-1234567", "Student number: [id number]"),
            ("ID 20241234", "ID [id number]"),
            ("passport C01X00T47", "passport [id number]"),
            ("passport no. AB 123456", "passport no. [id number]"),
            (
                "account number is 12345678",
                "account number is [id number]",
            ),
            ("1234567 is my student id", "[id number] is my student id"),
            (
                "my student id is １２３４５６７",
                "my student id is [id number]",
            ),
            (
                "my student i\u{200d}d is 12\u{ad}34567",
                "my student i\u{200d}d is [id number]",
            ),
        ],
    );
}

#[test]
fn numbers_that_only_look_alike_stay() {
    check_unchanged(
        &Roster::default(),
        &[
            // Neither a check digit nor an issuer, or an operator beside it.
            "4111 1111 1111 1112",
            "9111 1111 1111 1111",
            "4111 1111 1111 1111 / 2",
            "3+4111111111111111",
            "0.4111111111111111",
            "$4111111111111111",
            "1234 4111 1111 1111 1111",
            // Not issued, or subtraction.
            "000-45-6789",
            "123-45-6789 = 5",
            "x - 123-45-6789",
            "GB82 WEST 1234 5698 7654 33",
            // Cues of something else.
            "the phone number problem: 3 phones cost 12 each, what do 5 cost?",
            "the cell phone costs 1234567 dollars",
            "my number is 1234567",
            "the phone = 5x",
            "student number 5 has 3 apples",
            "the number is 1234567",
            "roll number 3 on the die",
            "her account had $2000000",
            "I called it 12345678",
            "call it 12345678",
            "-3, +1234567890",
            "Answer: +12345678",
            "I get +12345678",
            "the difference 900-250-1000",
        ],
    );
}
