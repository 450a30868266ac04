//! What a tutor's own words must not hold.

use turnwise_guardrails::Guardrails;

#[test]
fn addresses_markup_and_blocked_terms_are_unsafe() {
    let guardrails = Guardrails::built_in().unwrap();
    for text in [
        "Look at https://example.org/algebra",
        "Look at HTTP : no, at HtTp://x",
        "www.example.museum has more",
        "see khanacademy.org.",
        "see Example.COM",
        "ask me at tutor@school.example",
        "youtu.be/dQw4",
        "t.me/answers",
        "\u{ff48}ttps://x",
        "exa\u{200b}mple.com",
        "[here](ftp://x)",
        "mailto:me",
        "<script>alert(1)</script>",
        "<img src=x>",
        "<a href=x>",
        "</style>",
        "\\href{x}{y}",
        "<svg/onload=x>",
        "you asshole",
        "you should kill myself",
    ] {
        assert!(guardrails.unsafe_reply("en", text), "{text}");
    }
}

#[test]
fn mathematics_and_plain_sentences_are_safe() {
    let guardrails = Guardrails::built_in().unwrap();
    for text in [
        "What undoes adding 3?",
        "Solve 2.5x = 10.then check.",
        "e.g. i.e. z.B. d.h. usw. 3.de",
        "If a < b and b < img(f), then a <b.",
        "f: x \\mapsto x^2, \\frac{1}{2}, $x<3$",
        "The ratio is 3:4; 12:30; a://b is no good",
        "Section 1.1.2 and version 4.0",
        "x.y is a product in some books. It.is so. Go to.Then",
        "Is it 5@3? That sign means nothing here.",
        "Write and/or, either/or, 3.in/2",
    ] {
        let unsafe_reply = guardrails.unsafe_reply("en", text);
        // A scheme is never written by accident.
        assert_eq!(unsafe_reply, text.contains("://"), "{text}");
    }
}
