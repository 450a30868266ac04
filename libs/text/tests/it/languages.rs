//! Analysers by language.

use turnwise_text::{Analyser, count_terms};

fn terms(locale: &str, text: &str) -> String {
    let analysis = Analyser::new(locale).analyse(text);
    let words: Vec<String> = analysis.terms.into_iter().map(|term| term.text).collect();
    words.join(" ")
}

#[test]
fn forms_of_a_word_are_one_term_in_every_stemmed_language() {
    for (locale, one, other) in [
        ("en-GB", "the equations", "an equation"),
        ("de-CH", "die Gleichungen", "eine Gleichung"),
        ("fr", "l’équation", "les équations"),
        ("es-MX", "la ecuación", "las ecuaciones"),
        ("it", "dell’equazione", "le equazioni"),
        ("pt-BR", "o número", "os números"),
        ("nl", "de vergelijking", "de vergelijkingen"),
    ] {
        assert!(Analyser::new(locale).is_stemmed(), "{locale}");
        let stem = terms(locale, one);
        assert!(!stem.is_empty() && !stem.contains(' '), "{locale}: {stem}");
        assert_eq!(terms(locale, other), stem, "{locale}");
    }
}

#[test]
fn other_languages_are_not_stemmed() {
    for locale in ["sv", "el-GR", "ja", "", "english", "e"] {
        assert!(!Analyser::new(locale).is_stemmed(), "{locale}");
    }
    assert_eq!(terms("sv", "Ekvationerna är"), "ekvationerna är");
}

#[test]
fn function_words_go_and_words_of_mathematics_stay() {
    for (locale, chat, telling) in [
        ("en", "can you help me please", "the mean value"),
        (
            "de",
            "kannst du mir bitte helfen wie das geht",
            "durch mal plus minus",
        ),
        (
            "fr",
            "est-ce que tu peux m’aider, s’il te plaît",
            "plus moins fois",
        ),
        ("es", "puedes ayudar por favor", "más menos entre"),
        ("it", "puoi aiutarmi per favore", "più meno diviso"),
        ("pt", "você pode me ajudar por favor", "mais menos vezes"),
        ("nl", "kun je me helpen alsjeblieft", "plus min keer door"),
    ] {
        let left = terms(locale, chat);
        assert!(left.split_whitespace().count() <= 2, "{locale}: {left}");
        let kept = terms(locale, telling).split_whitespace().count();
        let words = telling.split_whitespace().filter(|word| *word != "the");
        assert_eq!(kept, words.count(), "{locale}");
    }
}

#[test]
fn a_cry_for_help_has_no_topic() {
    for (locale, text) in [
        ("en", "I need some help"),
        ("en", "She needs some help, please"),
        ("de", "Ich brauche etwas Hilfe"),
        ("de", "Brauchst du Hilfe?"),
    ] {
        assert_eq!(terms(locale, text), "", "{text}");
    }
}

#[test]
fn a_letter_is_a_word_or_a_variable_by_where_it_stands() {
    assert_eq!(terms("es", "x y z"), "x z");
    assert!(terms("es", "y = 2").starts_with("y 2"));
    assert!(terms("fr", "y=2").starts_with("y 2"));
    assert_eq!(terms("it", "e poi i numeri"), "numer");
}

#[test]
fn terms_are_counted_once_each_in_order() {
    let analysis = Analyser::new("en").analyse("slope and slopes, 3 and 3 and line");
    let counts = count_terms(&analysis);
    let spelled: Vec<(&str, u32)> = counts.iter().map(|(term, n)| (&**term, *n)).collect();
    assert_eq!(spelled, [("3", 2), ("line", 1), ("slope", 2)]);
}

#[test]
fn an_analyser_is_shared_by_threads() {
    fn shared<T: Send + Sync + Copy + 'static>(_: T) {}
    shared(Analyser::new("de"));
}
