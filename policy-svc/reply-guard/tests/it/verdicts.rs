//! What a model says of a graded answer against its recorded verdict.

use turnwise_reply_guard::Graded;

use crate::GUARD;

fn feedback(text: &str, is_right: bool) -> bool {
    let graded = Graded {
        answer: "",
        is_right,
        message: None,
    };
    GUARD.contradicts(text, &graded)
}

#[test]
fn a_wrong_answer_is_not_called_right() {
    for text in [
        "Exactly! 99 is correct.",
        "Well done, that is right!",
        "Correct.",
        "Ja, das stimmt genau.",
        "Your answer 99 was right. What comes next?",
        "Yes, exactly. What comes next?",
        "That's correct! Great job!",
        "99 is the right answer.",
        "You got it!",
        "You solved it correctly.",
        "Perfect!",
        "Richtig!",
        "Genau, 99 ist die Lösung.",
        "99 ist richtig.",
        "Super gemacht!",
        "Deine Antwort war richtig.",
        "Du hast die Aufgabe richtig gelöst.",
        "Das ist die richtige Antwort.",
        "Sehr gut! Weiter so.",
        "Great! Now the next one.",
        "Your answer is right, do you see why?",
        "You're right!",
        "Right!",
        "Yes!",
        "x = 99 stimmt.",
        "**Exactly!** 99 it is.",
        "Prima, gut gemacht!",
        "Stimmt!",
        "Du liegst richtig.",
        "Spot on.",
        "Yes, 99 is correct, because 9 · 11 = 99.",
        "That is absolutely right.",
        "That's it!",
        "Yes, that's it. What comes next?",
        "That works!",
        "Great, 99 works, because 9 · 11 = 99.",
        "You nailed it!",
        "Ja, das ist es.",
        "Das passt!",
        "Du hast es geschafft!",
        "Du hast es!",
    ] {
        assert!(feedback(text, false), "{text}");
    }
    for text in [
        "Is that right?",
        "What would be right?",
        "The right side is 12.",
        "That is not right yet.",
        "Not right yet.",
        "Good question!",
        "Right, let us look at it again.",
        "Your first step is right.",
        "You are right that we need to subtract.",
        "The sign is right, but 99 is not.",
        "You have the right idea.",
        "The size of your number is right. Look at the sign again.",
        "Nice try!",
        "Look at the number to the right.",
        "Almost! Check the sign.",
        "Gute Frage!",
        "Ist das richtig?",
        "Das ist noch nicht richtig.",
        "Das Vorzeichen stimmt.",
        "Der erste Schritt ist richtig.",
        "Was ist die richtige Antwort?",
        "Fast richtig!",
        "Stimmt das Vorzeichen?",
        "Rechne genau nach.",
        "Give the value exactly.",
        "Let us find the right answer.",
        "Which one is right?",
        "Once the answer is right, go on.",
        "Auf der rechten Seite steht 12.",
        "Genau hinsehen: Was steht links?",
        "So far so good. Now check the sum.",
        "Look at both sides. Is the left one 12?",
        "You did well to write it down.",
        "What is the correct result?",
        "That is a great idea: use brackets.",
        "Almost right.",
        "Good thinking! Where does the 9 come from?",
        "Do you see why 12 is right?",
        "Gut, dass du fragst.",
        "Prima, dass du es versuchst.",
        "Great effort!",
        "Is 99 right? Put it in.",
        "Das ist nicht ganz richtig.",
        "That's it for the brackets: which side is next?",
        "That is what the bracket means.",
        "Let us see how that works.",
        "Is that it?",
        "It works for both sides alike.",
        "So ist es auf beiden Seiten gleich.",
        "Passt das zur ersten Zeile?",
    ] {
        assert!(!feedback(text, false), "{text}");
    }
}

#[test]
fn a_right_answer_is_not_called_wrong() {
    for text in [
        "That is wrong.",
        "No, the answer is 12.",
        "Not quite.",
        "Not quite right.",
        "Your answer 10 was wrong.",
        "Falsch.",
        "Leider falsch.",
        "Das ist leider nicht richtig.",
        "Das stimmt nicht.",
        "Nein, das ist falsch.",
        "You made a small mistake.",
        "Du hast dich verrechnet.",
        "10 is not correct.",
        "That isn't right.",
        "Du hast einen Fehler gemacht.",
        "Your answer is not right yet.",
        "Nope.",
        "No.",
        "Hmm, no.",
        "Almost!",
        "So close! Look at the sign.",
        "Not exactly.",
        "That's almost it, try again.",
        "That doesn't work.",
        "Fast!",
        "Knapp daneben.",
        "Noch nicht ganz.",
        "Leider nein.",
        "Das geht nicht auf.",
        "Good guess, but not yet.",
        "Das ist es leider nicht.",
    ] {
        assert!(feedback(text, true), "{text}");
    }
    for text in [
        "Is that wrong?",
        "What was wrong before?",
        "Nothing is wrong.",
        "I was wrong just now, thank you.",
        "It is right, not wrong.",
        "If it were wrong, the sides would differ.",
        "Many students make a mistake here.",
        "Was ist daran falsch?",
        "Kein Fehler!",
        "Well done.",
        "The other option is wrong.",
        "The statement is wrong, as you said.",
        "Die Aussage ist falsch, wie du sagst.",
        "No problem. Next one?",
        "Das stimmt genau.",
        "No, it is right.",
        "Before, you made a mistake with the sign.",
        "Close the bracket first.",
        "Almost done: one line is left.",
        "No doubt about it.",
        "Not yet done? Take your time.",
        "Fast alle rechnen das so.",
        "Noch nicht müde? Dann weiter.",
        "Dividing by 0 does not work.",
    ] {
        assert!(!feedback(text, true), "{text}");
    }
}

#[test]
fn in_a_reply_praise_counts_where_it_is_of_the_answer() {
    for (message, text, is_contradicted) in [
        (
            "was 99 right",
            "Your answer 99 was right. What comes next?",
            true,
        ),
        ("was 99 right", "Yes, exactly. What comes next?", true),
        ("was that right?", "Exactly! What comes next?", true),
        ("i think 81", "Yes, exactly. What comes next?", false),
        (
            "you subtract 5 from both sides",
            "Exactly! What do you get?",
            false,
        ),
        ("hi", "Your answer 99 was right.", true),
        ("hi", "Good question!", false),
        ("stimmt das?", "Ja, genau.", true),
        ("war das richtig", "Ja, das stimmt genau.", true),
        ("ok", "Great! What comes next?", false),
        ("ach ja stimmt", "Genau! Was kommt als Nächstes?", false),
        ("9 + 90 = 99", "Correct.", false),
        ("is 81 right?", "Yes, exactly.", false),
        ("99?", "Correct!", true),
    ] {
        let graded = Graded {
            answer: "99",
            is_right: false,
            message: Some(message),
        };
        assert_eq!(
            GUARD.contradicts(text, &graded),
            is_contradicted,
            "{message}: {text}"
        );
    }
}
