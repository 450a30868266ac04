//! A message that is a word and no more gets a word back before what comes next.

use turnwise_kit::Kit;
use turnwise_proto::policy::v1::ResolveReplyRequest;

use super::{own::typed, taught_pack, turn};
use crate::fixture::*;

#[tokio::test]
async fn an_exercise_or_an_example_is_given_to_who_asks_for_one() {
    for (locale, exercise, example, others) in [
        (
            "en",
            [
                "give me an exercise",
                "quiz me",
                "ok, next one please!",
                "skip",
                "Can I get an easier one?",
                "give me an exercise on pans",
            ],
            ["show me an example", "an example please"],
            ["what do I skip?", "is the next line 5?"],
        ),
        (
            "de",
            [
                "gib mir eine Aufgabe",
                "Aufgabe bitte",
                "noch eine",
                "weiter",
                "kann ich eine leichtere haben?",
                "gib mir eine Aufgabe zu Waagen",
            ],
            ["zeig mir ein Beispiel", "noch ein Beispiel, bitte"],
            ["was ist die Aufgabe?", "rechne ich weiter links?"],
        ),
    ] {
        let folder = taught_pack(locale);
        let client = start(folder.path(), &Kit::for_tests()).await;
        let (sets, shows) = match locale {
            "en" => ("Here is a short exercise on", "Here is a worked example."),
            _ => ("Hier ist eine ", "Hier ist ein gelöstes Beispiel."),
        };
        for message in exercise {
            let said = turn(&client, typed(message), None).await;
            assert!(said.starts_with(sets), "{message}: {said}");
        }
        // Where the next unit leads on to the target, a drill on this one does not; who wishes for one gets it.
        let onward = |message| ResolveReplyRequest {
            next_leads_to_target: true,
            ..typed(message)
        };
        for message in ["what now?", "ok, weiter"] {
            for (request, is_set) in [(typed(message), true), (onward(message), false)] {
                let said = turn(&client, request, None).await;
                assert_eq!(said.starts_with(sets), is_set, "{message}: {said}");
            }
        }
        let said = turn(&client, onward(exercise[0]), None).await;
        assert!(said.starts_with(sets), "{said}");
        for message in example {
            let said = turn(&client, typed(message), None).await;
            assert!(said.starts_with(shows), "{message}: {said}");
        }
        for message in others {
            let said = turn(&client, typed(message), None).await;
            let is_given = said.starts_with(sets) || said.starts_with(shows);
            assert!(!is_given, "{message}: {said}");
        }
    }
}

#[tokio::test]
async fn a_word_gets_a_word_back_before_what_comes_next() {
    for (locale, words, others) in [
        (
            "en",
            [
                ("Hello!\n\n", ["Hi!", "hello there"]),
                ("Good.\n\n", ["yes i understand", "Ok!"]),
                ("Good.\n\n", ["oh okay", "I see"]),
                ("Goodbye, see you", ["bye", "I have to go now"]),
                ("Goodbye, see you", ["can i go?", "ok bye"]),
                (
                    "Any time!\n\n",
                    ["thank you so much", "thank you very, very much!"],
                ),
                ("Any time!\n\n", ["Ok, thanks!", "thx, i get it"]),
                (
                    "Goodbye, see you",
                    ["goodbye and thanks for everything", "thanks, bye"],
                ),
                ("Hello!\n\n", ["hallo", "Guten Morgen!"]),
                ("Any time!\n\n", ["danke!", "vielen Dank"]),
                ("Goodbye, see you", ["tschüss", "auf Wiedersehen"]),
                (
                    "Goodbye, see you",
                    ["i got to get offf and go", "no more exercises please"],
                ),
            ],
            [
                "ok?",
                "yes",
                "i don't understand",
                "ok 5",
                "hi, how do i solve it",
            ],
        ),
        (
            "de",
            [
                ("Hallo!\n\n", ["Hallo", "Guten Morgen!"]),
                ("Gut.\n\n", ["ja, ich verstehe", "kapiert"]),
                ("Gut.\n\n", ["ok alles klar", "verstanden"]),
                ("Tschüss, bis", ["tschüss", "ich muss jetzt los"]),
                ("Tschüss, bis", ["darf ich gehen?", "ok tschüss"]),
                ("Gern!\n\n", ["vielen Dank für alles", "danke vielmals"]),
                ("Gern!\n\n", ["ok danke", "danke dir, verstanden"]),
                (
                    "Tschüss, bis",
                    ["danke für alles und tschüss", "danke, bis bald"],
                ),
                ("Hallo!\n\n", ["hello", "good morning"]),
                ("Gern!\n\n", ["thanks", "ok, thank you!"]),
                ("Tschüss, bis", ["bye", "goodbye"]),
                ("Tschüss, bis", ["ok muss jetzt los", "keine Aufgaben mehr"]),
            ],
            [
                "ok?",
                "ja",
                "ich verstehe nicht",
                "danke, aber warum",
                "hallo, wie geht das",
            ],
        ),
    ] {
        let folder = taught_pack(locale);
        let client = start(folder.path(), &Kit::for_tests()).await;
        let begins = words.map(|(begins, _)| begins);
        for (begins, messages) in words {
            for message in messages {
                let said = turn(&client, typed(message), None).await;
                let rest = said.split_once("\n\n").map_or("", |(_, rest)| rest);
                assert!(said.starts_with(begins), "{message}: {said}");
                // Who leaves is asked nothing.
                assert_eq!(rest.is_empty(), !begins.ends_with('\n'), "{said}");
                // It is not said twice in a row.
                let again = ResolveReplyRequest {
                    said: vec![said],
                    ..typed(message)
                };
                let again = turn(&client, again, None).await;
                assert!(!again.starts_with(begins), "{message}: {again}");
            }
        }
        for message in others {
            let said = turn(&client, typed(message), None).await;
            let is_word = begins.iter().any(|begins| said.starts_with(begins));
            assert!(!is_word, "{message}: {said}");
        }
    }
}

/// One sentence before the move, once; where the message has another word it is an ordinary one.
#[tokio::test]
async fn who_is_sad_gets_a_human_sentence_first() {
    let sad = [
        "I'm sad",
        "im crying",
        "hi, im so sad",
        "my grandma died and i cant focus",
        "my dog died yesterday",
        "ich bin traurig",
        "ich muss weinen",
        "Meine Oma ist gestorben",
        "mir geht's heute nicht gut, mein Hund ist gestorben",
    ];
    let others = [
        "my laptop died",
        "i'm upset with fractions",
        "a sad face has 2 eyes",
        "my grandma and my dog",
        "ich bin",
        "die Zahl ist gestorben",
    ];
    for (locale, begins) in [
        ("en", "I am sorry that you are having a hard time"),
        ("de", "Es tut mir leid, dass es dir gerade nicht gut geht"),
    ] {
        let folder = taught_pack(locale);
        let client = start(folder.path(), &Kit::for_tests()).await;
        for message in sad {
            let said = turn(&client, typed(message), None).await;
            let (word, rest) = said.split_once("\n\n").unwrap();
            assert!(word.starts_with(begins), "{message}: {said}");
            assert!(!rest.is_empty(), "{message}");
            let again = ResolveReplyRequest {
                said: vec![said.clone()],
                ..typed(message)
            };
            let again = turn(&client, again, None).await;
            assert!(!again.starts_with(begins), "{message}: {again}");
        }
        for message in others {
            let said = turn(&client, typed(message), None).await;
            assert!(!said.starts_with(begins), "{message}: {said}");
        }
    }
}
