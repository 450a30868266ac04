//! Requests for a text language in a course with blocks.
//!
//! Some names of languages are ordinary words: `go to x 10`, `a rusty swift python`. They count only where the words beside
//! them say that a language is meant.

use turnwise_text::normalise_signs;

/// What a course with blocks calls itself.
const BLOCK_LANGUAGES: [&str; 22] = [
    "scratch",
    "scratchjr",
    "snap!",
    "blockly",
    "makecode",
    "app inventor",
    "block language",
    "blocks language",
    "block based",
    "block coding",
    "code blocks",
    "block code",
    "block programming",
    "open roberta",
    "blockbasiert",
    "blockbasierte",
    "blocksprache",
    "blockprogrammierung",
    "bausteine",
    "bausteinen",
    "bausteinsprache",
    "pocket code",
];

/// Keywords that are ordinary words, too.
const ORDINARY: [&str; 18] = [
    "go", "swift", "rust", "java", "ruby", "python", "pascal", "c", "r", "basic", "dart", "julia",
    "scala", "perl", "lua", "crystal", "elm", "nim",
];

/// Words before a language's name.
const BEFORE: [&str; 26] = [
    "in", "into", "with", "using", "use", "to", "learn", "write", "code", "program", "switch",
    "know", "try", "like", "mit", "auf", "nutze", "nutzen", "benutze", "lerne", "lernen",
    "schreibe", "nach", "zu", "kann", "können",
];

/// Words behind it.
const BEHIND: [&str; 25] = [
    "code",
    "program",
    "programs",
    "script",
    "scripts",
    "syntax",
    "version",
    "language",
    "instead",
    "function",
    "functions",
    "file",
    "library",
    "programming",
    "please",
    "programm",
    "programme",
    "skript",
    "sprache",
    "stattdessen",
    "statt",
    "funktion",
    "befehl",
    "befehle",
    "bitte",
];

/// Words behind a name that is no language then: `go to`, `go left`.
const MOVES: [&str; 14] = [
    "to", "left", "right", "up", "down", "back", "forward", "forwards", "away", "on", "there",
    "off", "faster", "slower",
];

/// Whether some of these texts say that a course works with blocks.
pub(crate) fn has_blocks<'a>(texts: impl IntoIterator<Item = &'a str>) -> bool {
    texts.into_iter().any(|text| {
        let tokens = tokens(text);
        BLOCK_LANGUAGES.iter().any(|name| {
            let name: Vec<&str> = name.split(' ').collect();
            places(&tokens, &name)
                .any(|at| name != ["scratch"] || at == 0 || tokens[at - 1] != "from")
        })
    })
}

/// Whether the message asks for one of these languages. `own` are the texts that say what the course is about: a language
/// that they name is part of it.
pub(crate) fn asks_for(message: &str, keywords: &[String], own: &[&str]) -> bool {
    let message = tokens(message);
    let own: Vec<Vec<String>> = own.iter().map(|text| tokens(text)).collect();
    keywords.iter().any(|keyword| {
        let keyword = tokens(keyword);
        let keyword: Vec<&str> = keyword.iter().map(String::as_str).collect();
        if keyword.is_empty()
            || own
                .iter()
                .any(|text| places(text, &keyword).next().is_some())
        {
            return false;
        }
        places(&message, &keyword).any(|at| is_language(&message, at, &keyword))
    })
}

fn is_language(message: &[String], at: usize, keyword: &[&str]) -> bool {
    let [name] = keyword else {
        return true;
    };
    if !ORDINARY.contains(name) {
        return true;
    }
    let before = at.checked_sub(1).and_then(|at| message.get(at));
    let behind = message.get(at + 1);
    let is =
        |word: Option<&String>, of: &[&str]| word.is_some_and(|word| of.contains(&word.as_str()));
    // "want to go", "use go to": the verb.
    if *name == "go" && (is(behind, &MOVES) || is(before, &["to", "zu", "can", "kann", "like"])) {
        return false;
    }
    is(before, &BEFORE) || is(behind, &BEHIND) || (message.len() <= 2 && *name != "go")
}

/// Where in the tokens this run of words begins.
fn places<'t>(tokens: &'t [String], run: &'t [&str]) -> impl Iterator<Item = usize> + 't {
    (0..tokens.len()).filter(move |at| {
        run.iter()
            .enumerate()
            .all(|(n, word)| tokens.get(at + n).is_some_and(|token| token == word))
    })
}

/// Words in lower case, with the signs that belong to names of languages: `c++`, `c#`, `snap!`.
fn tokens(text: &str) -> Vec<String> {
    let text = normalise_signs(text).to_lowercase();
    let mut tokens: Vec<String> = Vec::new();
    let mut token = String::new();
    for c in text.chars().chain([' ']) {
        let sign = "+#".contains(c) && !token.is_empty();
        if c.is_alphanumeric() || sign {
            token.push(c);
            continue;
        }
        if c == '!' && token == "snap" {
            token.push(c);
        }
        if !token.is_empty() {
            tokens.push(std::mem::take(&mut token));
        }
    }
    tokens
}
