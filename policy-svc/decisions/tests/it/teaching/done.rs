//! Who asks whether an open drill is right, or says that it is done.

use turnwise_decisions::{Asks, Open, Situation};

use super::{equation, open, taught, texts, turns};
use crate::fixtures::plain_policy;

#[test]
fn who_asks_whether_it_is_right_is_told_to_have_it_checked() {
    let course = taught();
    let policy = plain_policy(&course);
    let (question, key) = equation(0);
    let open = open(&question, &key, 0);
    let asked = |open| Situation {
        asks: Asks::Check,
        open,
        ..Situation::default()
    };
    for (locale, told) in [
        (
            "en",
            "Type your answer below the exercise and press “Check answer”: then you will know.",
        ),
        (
            "de",
            "Schreib deine Antwort unter die Aufgabe und drück auf „Antwort prüfen“: Dann weißt du es.",
        ),
    ] {
        let course = course.clone().with_texts(texts(locale));
        let replies = turns(&course, &policy, &asked(Some(open)), 4);
        assert_eq!(replies[0].tutor_text, told);
        // The drill's hints, before what is asked of any drill of the unit.
        assert_eq!(replies[1].tutor_text, "Which step was done last?");
        assert!(
            replies[2]
                .tutor_text
                .starts_with("Undo the last step first. ")
        );
        assert!(replies[3].tutor_text.contains("shoes and socks"));
    }
    // The card of another unit's drill has the button, too.
    let other = Open {
        unit_id: "A",
        ..open
    };
    let replies = turns(&course, &policy, &asked(Some(other)), 2);
    assert!(replies[0].tutor_text.contains("“Check answer”"));
    assert!(replies[1].tutor_text.contains("shoes and socks"));
    // Without a drill there is nothing to check.
    let reply = &turns(&course, &policy, &asked(None), 1)[0];
    assert!(reply.tutor_text.contains("shoes and socks"));
}
