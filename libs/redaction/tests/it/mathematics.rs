//! Mathematics is never changed.

use proptest::prelude::*;
use turnwise_redaction::{Roster, redact};

use crate::check_unchanged;

#[test]
fn mathematics_stays_as_it_was_written() {
    check_unchanged(
        &Roster::default(),
        &[
            "",
            "x = 4",
            "3(6n+7)",
            "12345678 + 87654321",
            "x + 44 7700 900123",
            "x +447700900123",
            "2x +44 7700 900123 = 5",
            "1,234,567,890",
            "1 234 567 890",
            "3² + 4² = 5²",
            "２ + ３",
            "3+12345678901",
            "0.123456789012",
            "3.14159265358979",
            "415-555-0132 = x",
            "x = 415-555-0132",
            "What is 900-250-1000?",
            "calculate 415-555-4132",
            "415 - 555 - 0132",
            "415−555−0132",
            "(415) (555) (1320)",
            "200 300 4000",
            "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12",
            "1 2 3 4 5 6 7 8 9 10 11 12",
            "01 02 03 04 05",
            "12/05/2024 and 2024-05-12, 12.05.2024 at 07:30",
            "05/06/2024 07:30:15",
            "10:45, 09:30",
            "3/4 + 5/6 = 38/24",
            "4.5 km, 12 cm^2, 1200 m/s, 98.6°F, 25 %",
            "12-15, 3-2",
            "1/3 ≈ 0.333333333333",
            "6.022 × 10^23",
            "1.5e-10",
            "2^31 = 2147483648",
            "100000000000000 / 1000000",
            "01010101 10101010",
            "(12345678)(87654321)",
            "1234567890123",
            "$1,234.56 - $1,000.00",
            r"\frac{12345678}{87654321} \cdot 10^{-12}",
            r"\sum_{i=1}^{12345678} x_i",
            r"x_{12345678901}",
            r"\sqrt{4111111111111111}",
            r"\text{mean} = \frac{101 + 202 + 3034}{3}",
            "a^2+b^2=c^2",
            "AB = 12, CD = 34",
            "-415-555-0132",
            "12:34:56",
            "ratio 3:415",
            "9:00-17:30",
            "0 1 2 3 4 5 6 7 8 9",
            "the sum of +12345678 and 3",
            r"6249528279474553 \cdot 1",
            r"3 \times 6249528279474553",
            r"3 \times (6249528279474553) \div 7",
        ],
    );
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        "[1-9][0-9]{0,15}",
        "[0-9]{1,6}\\.[0-9]{1,12}",
        "[1-9][0-9]{0,2}(,[0-9]{3}){1,4}",
        "[1-9][0-9]{0,3}/[1-9][0-9]{0,3}",
        "\\\\frac\\{[0-9]{1,12}\\}\\{[1-9][0-9]{0,11}\\}",
        "[0-9]{0,4}[a-z]",
        "[a-z]\\^\\{[0-9]{1,2}\\}",
        "\\\\sqrt\\{[0-9]{1,16}\\}",
    ]
}

fn operator() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "+", "-", " + ", " - ", " − ", "*", " × ", "/", " ÷ ", " = ", "=", "⋅", " \\cdot ", "^",
        " < ", " \\leq ",
    ])
}

proptest! {
    #[test]
    fn an_expression_stays(first in number(), rest in prop::collection::vec((operator(), number(), any::<bool>()), 1..8)) {
        let mut text = first;
        for (operator, number, bracket) in rest {
            text.push_str(operator);
            text.push_str(&if bracket { format!("({number})") } else { number });
        }
        // Digits with hyphens and without anything else can be a phone number; they are told apart by what is beside.
        prop_assume!(!text.chars().all(|c| c.is_ascii_digit() || c == '-'));
        prop_assert_eq!(redact(&text), text.as_str());
    }

    #[test]
    fn a_list_of_numbers_stays(numbers in prop::collection::vec("[1-9][0-9]{0,6}(\\.[0-9]{1,4})?", 1..12)) {
        let text = numbers.join(", ");
        prop_assert_eq!(redact(&text), text.as_str());
        let text = format!("the set {{{}}}", numbers.join("; "));
        prop_assert_eq!(redact(&text), text.as_str());
    }

    #[test]
    fn dates_times_units_and_scores_stay(a in 1..29_u32, b in 1..13_u32, year in 1900..2100_u32, hour in 0..24_u32,
        minute in 0..60_u32, unit in prop::sample::select(vec!["cm", "kg", "m/s", "%", "°", " dollars", "ml"])) {
        let texts = [
            format!("{a:02}/{b:02}/{year}"), format!("{year}-{b:02}-{a:02} {hour:02}:{minute:02}"),
            format!("on {a:02}.{b:02}.{year} at {hour}:{minute:02}"), format!("{hour:02}:{minute:02}:{a:02}"),
            format!("I got {a}/{minute}, {a}-{b} and {a} : {b}"), format!("{year}{unit} and {a}.{minute}{unit}"),
        ];
        for text in texts {
            prop_assert_eq!(redact(&text), text.as_str());
        }
    }
}
