//! E-mail addresses and web addresses.

use turnwise_redaction::Roster;

use crate::{check, check_unchanged};

#[test]
fn email_addresses_are_removed() {
    check(
        &Roster::default(),
        &[
            (
                "write to ada.l+x@school.example please",
                "write to [e-mail] please",
            ),
            ("Ada.Lovelace@maths.school.org.", "[e-mail]."),
            (
                "mailto:ada@school.org?subject=x",
                "mailto:[e-mail]?subject=x",
            ),
            (
                "<ada_l@school.org>, (bob@b.co.uk)",
                "<[e-mail]>, ([e-mail])",
            ),
            ("it's ada@school.org's", "it's [e-mail]'s"),
            ("12345@qq.com", "[e-mail]"),
            ("jürgen@bücher.example", "[e-mail]"),
            ("ada @ school.org", "[e-mail]"),
            (
                "solve 2x=4 and mail a@b.org x=2",
                "solve 2x=4 and mail [e-mail] x=2",
            ),
            (r"\text{ada@school.org} = 4", r"\text{[e-mail]} = 4"),
            // Tricks of Unicode.
            (
                "a＠b．org and ada@mail\u{200b}.example.org",
                "[e-mail] and [e-mail]",
            ),
            ("a\u{ad}da@sch\u{200d}ool.o\u{2060}rg", "[e-mail]"),
            ("ａｄａ＠ｓｃｈｏｏｌ．ｏｒｇ", "[e-mail]"),
            ("ada﹫school。org", "[e-mail]"),
            ("ada@school․org and ada@school｡org", "[e-mail] and [e-mail]"),
            ("\u{202e}ada@school.org\u{202c} ok", "\u{202e}[e-mail] ok"),
            ("𝐚𝐝𝐚@𝐬𝐜𝐡𝐨𝐨𝐥.𝐨𝐫𝐠", "[e-mail]"),
            ("аda@school.org", "[e-mail]"),
            // The signs as words.
            ("ada (at) school dot org", "[e-mail]"),
            ("ada [at] school [dot] org ok", "[e-mail] ok"),
            ("ada.l (at) school.org", "[e-mail]"),
            (
                "my mail is ada at gmail dot com thanks",
                "my mail is [e-mail] thanks",
            ),
        ],
    );
}

#[test]
fn at_signs_of_no_address_stay() {
    check_unchanged(
        &Roster::default(),
        &[
            "f(x)=x@y",
            "a@b",
            "5 m/s @ 20",
            r"\frac{1}{2} x^{2} @ 3",
            "3 pens @ Rs.50 each",
            "12 @ $2.00",
            r"\begin{tabular}{@{}ll@{}}",
            "look at the dot in the middle",
            "the lines meet at A dot B is the product",
            "look at point P. org chart",
            "draw a line (at) right angles",
            "@",
            "@@.@",
        ],
    );
}

#[test]
fn web_addresses_with_user_data_are_removed() {
    check(
        &Roster::default(),
        &[
            (
                "see https://ada:pw@host.example/x?y=1 now",
                "see [web address] now",
            ),
            ("https://ada@host/x", "[web address]"),
            ("ftp://ada:pw@host.example", "[web address]"),
            ("postgres://ada:pw@10.0.0.1/db", "[web address]"),
            (
                "go to https://school.org/p?email=ada%40x.org.",
                "go to [web address].",
            ),
            ("(https://school.org/p?a=1&token=abc)", "([web address])"),
            ("school.org/p?user=ada", "[web address]"),
            ("www.school.org/p?lesson=3&name=Ada+L", "[web address]"),
            ("https://school.org/#/access_token=abc&x=1", "[web address]"),
            ("https://www.instagram.com/ada.l/", "[web address]"),
            ("https://medium.com/@ada/post", "[web address]"),
            ("https://school.org/students/ada-l", "[web address]"),
            ("https://wa.me/447700900123", "[web address]"),
            ("https://chat.example/call/+447700900123", "[web address]"),
            (
                "ｈｔｔｐｓ：／／ada：pw＠host．org／ ok",
                "[web address] ok",
            ),
            (
                "https://sch\u{200b}ool.org/?to\u{200d}ken=1",
                "[web address]",
            ),
        ],
    );
}

#[test]
fn other_web_addresses_stay() {
    check_unchanged(
        &Roster::default(),
        &[
            "https://openstax.org/books/prealgebra-2e/pages/1-1-introduction-to-whole-numbers",
            "look at https://i.pics.example/29493720/r/il/4369460034/n.jpg?x=4111111111111111",
            "desmos.com/scientific and www.census.gov",
            "https://www.desmos.com/calculator?lang=en&expr=2x%2B3",
            "https://pics.example/415-555-0132.png",
            "https://x.example/?token=",
            "is 3.5/2?name=1 right",
            "a:b://",
            "://",
        ],
    );
}
