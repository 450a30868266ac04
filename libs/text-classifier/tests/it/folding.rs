//! One form for letters that are written in many.

use turnwise_text_classifier::fold;

#[test]
fn letters_come_to_one_form() {
    for (text, expected) in [
        ("KILL", "kill"),
        ("ｋｉｌｌ 𝐊𝐢𝐥𝐥 ⓚ", "kill kill k"),
        ("ki\u{200b}l\u{feff}\u{ad}l", "kill"),
        ("Mo\u{308}chte ÄÖÜ", "möchte äöü"),
        ("½ ﬁ\u{a0}x", "1⁄2 fi x"),
        ("ΑΣ", "ασ"),
        ("", ""),
    ] {
        assert_eq!(fold(text), expected, "{text}");
    }
}
