//! Tasks in German, in the wordings that are usual: put into English, phrase by phrase. A prompt with any other word in it is
//! not understood.

/// Phrases, and what they are in English. Words of a phrase are parted by one space.
const PHRASES: &[(&str, &str)] = &[
    ("berechne", "calculate"),
    ("berechne den term", "calculate"),
    ("berechne den wert", "calculate the value"),
    (
        "berechne den wert des terms",
        "calculate the value of the expression",
    ),
    ("berechne die summe", "find the sum"),
    ("berechne die differenz", "find the difference"),
    ("rechne aus", "calculate"),
    ("bestimme", "find"),
    ("bestimme den wert", "find the value"),
    (
        "bestimme den wert des terms",
        "find the value of the expression",
    ),
    ("bestimme die fehlende zahl", "find the missing number"),
    ("bestimme die lösung", "find the solutions"),
    ("bestimme die lösungen", "find the solutions"),
    ("bestimme die lösungsmenge", "find the solutions"),
    ("finde die fehlende zahl", "find the missing number"),
    ("löse", "solve"),
    ("löse die gleichung", "solve the equation"),
    ("löse die ungleichung", "solve the inequality"),
    ("löse das gleichungssystem", "solve the system"),
    ("löse die klammer auf", "expand the bracket"),
    ("löse die klammern auf", "expand the brackets"),
    ("multipliziere aus", "expand"),
    ("multipliziere die klammer aus", "expand the bracket"),
    ("multipliziere die klammern aus", "expand the brackets"),
    ("vereinfache", "simplify"),
    ("vereinfache den term", "simplify the expression"),
    ("fasse zusammen", "combine like terms"),
    ("fasse gleichartige terme zusammen", "combine like terms"),
    ("fasse so weit wie möglich zusammen", "combine like terms"),
    ("klammere aus", "take out the greatest common factor"),
    (
        "klammere den gemeinsamen faktor aus",
        "take out the greatest common factor",
    ),
    (
        "klammere den größten gemeinsamen faktor aus",
        "take out the greatest common factor",
    ),
    ("faktorisiere", "factor"),
    ("faktorisiere den term", "factor the expression"),
    ("zerlege in faktoren", "factor"),
    ("kürze", "simplify"),
    ("kürze den bruch", "write the fraction in lowest terms"),
    ("kürze vollständig", "write the fraction in lowest terms"),
    (
        "kürze so weit wie möglich",
        "write the fraction in lowest terms",
    ),
    (
        "kürze den bruch vollständig",
        "write the fraction in lowest terms",
    ),
    (
        "kürze den bruch so weit wie möglich",
        "write the fraction in lowest terms",
    ),
    ("schreibe als gemischte zahl", "write as a mixed number"),
    ("schreibe als dezimalzahl", "write as a decimal"),
    ("schreibe als bruch", "write as a fraction"),
    ("schreibe in prozent", "write as a percent"),
    ("vergleiche", "compare"),
    ("nach", "for"),
    ("auf", ""),
    ("für", "for"),
    ("und", "and"),
];

/// A prompt in English, where it is made of these phrases, variables and formulas.
pub(crate) fn in_english(prompt: &str) -> Option<String> {
    let tokens: Vec<&str> = prompt.split_whitespace().collect();
    let words: Vec<String> = tokens
        .iter()
        .map(|token| core(token).to_lowercase())
        .collect();
    let mut english = String::new();
    let mut at = 0;
    let mut is_german = false;
    while let (Some(token), Some(word)) = (tokens.get(at), words.get(at)) {
        let begins = |phrase: &str| {
            phrase
                .split(' ')
                .eq(words.iter().skip(at).take(length(phrase)))
        };
        let found = PHRASES.iter().filter(|(phrase, _)| begins(phrase));
        let (said, taken) = match found.max_by_key(|(phrase, _)| length(phrase)) {
            Some((phrase, said)) => (*said, length(phrase)),
            None if word.chars().count() > 1 && word.chars().all(char::is_alphabetic) => {
                return None;
            }
            None => (*token, 1),
        };
        let last = tokens.get(at + taken - 1).copied().unwrap_or_default();
        is_german |= said != *token;
        english.push(' ');
        english.push_str(said);
        if said != *token && last.ends_with(['.', ':', '!', ',']) {
            english.push_str(last.get(last.len() - 1..).unwrap_or_default());
        }
        at += taken;
    }
    is_german.then_some(english)
}

/// A token without the marks of its sentence.
fn core(token: &str) -> &str {
    token.trim_end_matches(['.', ':', '!', ',', '?'])
}

fn length(phrase: &str) -> usize {
    phrase.split(' ').count()
}
