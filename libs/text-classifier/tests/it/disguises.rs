//! Spelling and disguises change no score.

use crate::toy::TOY;

fn same(plain: &str, disguised: &[&str]) {
    let expected = TOY.judge(plain);
    for text in disguised {
        assert_eq!(TOY.judge(text), expected, "{text:?}");
    }
}

#[test]
fn of_letters() {
    same(
        "heavy rain and hail tonight",
        &[
            "HEAVY Rain, and hail: toNIGHT",
            "heavyyyy raaain annd haill tonnight",
            "h3avy r4in and ha1l t0night",
            "he@vy ra!n and hail tonight",
            "hea\u{200b}vy ra\u{ad}in and\u{a0}hail tonight",
            "ｈｅａｖｙ 𝐫𝐚𝐢𝐧 and hail tonight",
            "héavy ràin and hail tonight",
            "hea*vy rain and hail tonight",
            "hea'vy ra’in and hail tonight",
            "heavy\train_and-hail/tonight",
        ],
    );
}

#[test]
fn of_umlauts() {
    let spelt = [
        "heute kommt ein groesserer Sturm",
        "heute kommt ein groserer sturm",
    ];
    same("heute kommt ein größerer Sturm", &spelt);
    same("schön", &["schoen", "schon", "scho\u{308}n", "SCHÖN"]);
}

#[test]
fn of_letters_apart() {
    let apart = [
        "a s t o r m  is coming",
        "a  s.t.o.r.m is coming",
        "a  s-t-o-r-m  is coming",
    ];
    same("a storm is coming", &apart[1..]);
    assert!(TOY.judge(apart[0]).score > 0.5, "{:?}", TOY.judge(apart[0]));
}

#[test]
fn numbers_are_all_alike_and_stay_numbers() {
    same("it is 5 of 12", &["it is 77 of 3", "it is 1234567890 of 5"]);
    same("3x + 5 = 7", &["9x+2=1", "4x = 3 = 2", "5x ^ 2 < 9"]);
    assert_ne!(TOY.judge("2 rain 4").score, TOY.judge("2rain4").score);
}
