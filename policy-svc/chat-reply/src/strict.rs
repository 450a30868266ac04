//! What a strict answer must not hold where mathematics does not decide: a program as a whole, an answer that is handed over.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};

/// A block of code with more lines solves a task as a whole.
const MOST_LINES: usize = 4;

/// More statements than this solve it, too, however they are laid out.
const MOST_STATEMENTS: usize = 5;

/// What a statement looks like outside of a block of code.
const STATEMENTS: &[&str] = &[
    r"^(?:for|while|if|elif|else|def|class|try|except|with|switch|function)\b[^.?!]*[:{]$",
    r"^[A-Za-z_][\w.\[\]]*\s*[-+*/]?=\s*[^=\s]",
    r"^[A-Za-z_][\w.]*\(.*\)$",
    r"^(?:let|var|const|int|float|double|string|bool)\s+\w+\s*=",
    r"^(?:import\s+\w+|return\s+[\w.()+*/\[\]-]+|[{}]+)$",
];

static STATEMENT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&STATEMENTS.join("|")).ok());

/// Whether a text holds a program as a whole: a block of code, fenced or indented, of more than four lines that are not
/// blank, or more than five statements over all of it.
#[must_use]
pub fn code_given(text: &str) -> bool {
    has_block(text) || statements(text) > MOST_STATEMENTS
}

/// How many statements a text holds: the lines of its fences, and outside of them lines, or items of a list, that are
/// nothing else.
fn statements(text: &str) -> usize {
    let mut fenced = false;
    let mut count = 0;
    for line in text.lines() {
        let bare = line.trim();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        let item = bare.trim_start_matches(|c: char| c.is_ascii_digit());
        let item = item.trim_start_matches(['.', ')', '-', '*', '+', '•', ' ']);
        let item = if item.is_empty() { bare } else { item };
        let quoted = item
            .strip_prefix('`')
            .and_then(|item| item.strip_suffix('`'));
        let code = quoted.unwrap_or(item);
        let parts = code
            .split(';')
            .map(str::trim)
            .filter(|part| !part.is_empty());
        let is_statement = |part: &str| match &*STATEMENT {
            Some(pattern) => pattern.is_match(part),
            None => true,
        };
        count += parts
            .filter(|part| fenced || quoted.is_some() || is_statement(part))
            .count();
    }
    count
}

fn has_block(text: &str) -> bool {
    let mut fence: Option<&str> = None;
    let mut lines = 0;
    let mut in_list = false;
    for line in text.lines() {
        let trimmed = line.trim();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| trimmed.starts_with(mark));
        if let Some(mark) = mark.filter(|mark| fence.is_none_or(|open| open == *mark)) {
            fence = fence.is_none().then_some(mark);
            lines = 0;
        } else if fence.is_some() {
            lines += usize::from(!trimmed.is_empty());
        } else if line.starts_with("    ") || line.starts_with('\t') {
            // What is indented below an item of a list is its text.
            lines += usize::from(!trimmed.is_empty() && !in_list);
        } else if !trimmed.is_empty() {
            let number = trimmed.trim_start_matches(|c: char| c.is_ascii_digit());
            let counted = number.len() < trimmed.len() && number.starts_with(['.', ')']);
            in_list = counted || trimmed.starts_with(['-', '*', '+', '•']);
            lines = 0;
        }
        if lines > MOST_LINES {
            return true;
        }
    }
    false
}

/// What hands an answer over.
const HANDS_OVER: &[&str] = &[
    r"\b(the|your|final|correct|right|full|complete) (final |correct |right |full |complete )?(answer|solution|final result)s?( (to|of|for) [^:]{1,60})? (is|are|would be|reads)\b",
    r"\b(final |correct |full |complete )?(answer|solution|result|antwort|lösung|ergebnis)\W{0,3}:\W{0,3}\S",
    r"\bhere('s| is| are| comes| you go)[^.!?]{0,40}\b(essay|answer|answers|solution|solutions|text|code|program|function|script|summary|translation|paragraph|poem|letter|report|story|speech|homework)\b",
    r"\b(just |simply |you can |you may |go ahead and )(copy|paste|submit|hand in|turn in|write down|use) (this|it|that|the following|my)\b",
    r"\b(copy|submit|hand in|turn in|paste) (this|it|the following)\b",
    r"\bi('ve| have)? (written|done|solved|finished|completed|answered)( all of)? (it|this|that|the|your)\b[^.!?]{0,60}\bfor you\b",
    r"\bi('ve| have) (written|done|solved|finished|completed|answered) your\b",
    r"\b(die|deine|richtige|korrekte|fertige|vollständige) (richtige |korrekte |fertige |vollständige )?(antwort|lösung|lösungen)( (auf|zu|von|für) [^:]{1,60})? (lautet|lauten|ist|sind|wäre)\b",
    r"\bdas (richtige |fertige )?(ergebnis|resultat)( (von|für) [^:]{1,60})? (lautet|beträgt)\b",
    r"\bhier (ist|sind|kommt|hast du)[^.!?]{0,40}\b(aufsatz|text|lösung|lösungen|antwort|antworten|code|programm|funktion|skript|zusammenfassung|übersetzung|gedicht|brief|bericht|geschichte|rede|hausaufgabe|hausaufgaben|absatz)\b",
    r"\b(schreib|schreibe|kopier|kopiere) (das|dies|folgendes|es|den text|einfach)( so| einfach)?( ab| auf| hin| ins heft)\b",
    r"\b(du kannst|kannst du) (das|es|ihn|sie|dies|alles)( einfach| so| direkt)* (abgeben|abschreiben|einreichen|kopieren|übernehmen)\b",
    r"\bich habe? (es|das|dir|deine|deinen|die)\b[^.!?]{0,60}\b(geschrieben|gelöst|erledigt|ausgefüllt|fertig gemacht)\b",
];
/// What says that nothing is handed over.
const UNLESS: &[&str] = &[
    r"\b(answer|solution|result)s? (is|are|would be) (not|n't|never|in|on|up|yours|right|wrong|correct|incorrect|close|almost|nearly|what|where|how|hidden|near|just|only|easy|always|usually|often|still|already|within|different|up|better|about to|for you|unique|somewhere|clear|ready|there|allowed|graded|due|longer|shorter|too|worth|supposed|meant|going|something|positive|negative|bigger|smaller|larger|greater|less|more|between)\b",
    r"\b(antwort|lösung|lösungen|ergebnis|resultat) (lautet|lauten|ist|sind|wäre|beträgt) (nicht|kein|keine|nie|in|im|auf|noch|schon|richtig|falsch|korrekt|fast|beinahe|was|wo|wie|das, was|versteckt|nur|immer|oft|meist|deine|bei|nah|irgendwo|länger|kürzer|zu|anders|eindeutig|positiv|negativ|größer|kleiner|zwischen)\b",
    r"\b(don't|do not|doesn't|isn't|aren't|can't|cannot|won't|never|not|without|instead of|nicht|kein|keine|keinen|ohne|statt|anstatt|niemals)\b",
    r"\b(check|whether|if|ob|prüfe|why|warum|how|wie) (the|your|die|deine|das)\b",
    r"\bhere('s| is| are)[^.!?]{0,20}\b(hint|question|tip|clue|plan|outline|idea|step|example)\b",
    r"\bhier (ist|sind|kommt)[^.!?]{0,20}\b(hinweis|frage|tipp|plan|gliederung|idee|schritt|beispiel)\b",
    r"\b(answer|solution|antwort|lösung)s? (is|are|ist|sind) (your|deine) ",
];

static RULES: LazyLock<Option<(Regex, Regex)>> = LazyLock::new(|| {
    let any = |patterns: &[&str]| {
        RegexBuilder::new(&patterns.join("|"))
            .case_insensitive(true)
            .size_limit(32 << 20)
            .build()
    };
    // The tests rule out that a pattern is none.
    Some((any(HANDS_OVER).ok()?, any(UNLESS).ok()?))
});

/// Whether a text hands an answer over in words: `The answer is …`, `Here is your essay`. A question does not.
#[must_use]
pub fn handed_over(text: &str) -> bool {
    let Some((hands_over, unless)) = &*RULES else {
        return true;
    };
    let plain = text
        .replace(['*', '_', '`', '#', '>'], "")
        .replace(['’', '‘'], "'");
    sentences(&plain).any(|sentence| {
        !sentence.trim_end().ends_with('?')
            && hands_over.is_match(sentence)
            && !unless.is_match(sentence)
    })
}

/// The sentences of a text, each with its end; a colon ends none.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(|line| {
        let mut start = 0;
        let mut found = Vec::new();
        for (at, sign) in line.match_indices(['.', '!', '?']) {
            let end = at + sign.len();
            let goes_on = line[end..]
                .chars()
                .next()
                .is_some_and(|c| !c.is_whitespace());
            if !goes_on {
                found.push(&line[start..end]);
                start = end;
            }
        }
        found.push(&line[start..]);
        found
    })
}
