//! Whether words beside a statement say that it is not so, or that nobody says that it is.
//!
//! A denial counts where it governs the statement: in the same clause, or before a colon that announces it. Behind a comma,
//! a reason or a contrast a claim of its own begins, and a verdict on the student's answer denies nothing of what follows.
//! Who says or supposes a thing does so across commas.

use super::{cues, doubt::words};

/// Marks of what is wrong.
pub(super) const CROSSES: [char; 3] = ['✗', '✘', '❌'];

/// `as you already said`
const LONGEST_AS: usize = 4;

/// What parts two clauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// A comma, or a word that gives a reason or a conclusion.
    Loose,
    /// A colon or a dash, which may announce what follows.
    Announcing,
    /// A semicolon, or a word that sets one against the other.
    Apart,
}

/// Whether what stands before a statement in its sentence denies it.
pub(super) fn is_denied_before(part: &str) -> bool {
    let lower = part.to_lowercase();
    let mut clauses = clauses(&lower).into_iter().rev();
    let Some((mut joint, nearest)) = clauses.next() else {
        return false;
    };
    let supposes = words(nearest)
        .last()
        .is_some_and(|word| cues::SUPPOSING.has(word));
    if supposes || denies(nearest) {
        return true;
    }
    for (before, clause) in clauses {
        let governs = match joint {
            Some(Joint::Loose) => {
                attributes(clause)
                    || denies(clause) && words(clause).any(|word| cues::SUPPOSING.has(word))
            }
            Some(Joint::Announcing) => announces(clause),
            _ => false,
        };
        if governs || joint != Some(Joint::Loose) {
            return governs;
        }
        joint = before;
    }
    false
}

/// Whether what stands after a statement in its sentence denies it.
pub(super) fn is_denied_after(part: &str) -> bool {
    let lower = part.to_lowercase();
    clauses(&lower).into_iter().any(|(joint, clause)| {
        let first = words(clause).next().unwrap_or_default();
        let is_of_another = cues::REPLACING.has(first) || excludes(clause, first);
        let is_of_this = match joint {
            None => true,
            Some(_) => cues::REFUTING.has(first) || cues::REFERRING.has(first),
        };
        !is_of_another && is_of_this && denies(clause)
            || joint == Some(Joint::Loose) && attributes(clause)
    })
}

/// `5/6, not 2/5`, but not `5/6 not being right`.
fn excludes(clause: &str, first: &str) -> bool {
    let behind = clause
        .trim_start_matches([' ', '(', '*'])
        .strip_prefix(first);
    cues::EXCLUDING.has(first)
        && behind.is_some_and(|behind| !behind.trim_start().starts_with(char::is_alphabetic))
}

/// Whether a text has words that deny, or tell of others.
pub(super) fn denies(text: &str) -> bool {
    let text = &text.to_lowercase();
    if agrees(text) {
        return false;
    }
    let is_short = |word: &str| word.ends_with("n't") || word.ends_with("n’t");
    let denying = words(text).filter(|word| cues::DENYING.has(word) || is_short(word));
    // `don't worry`, `kein Problem`
    let idle = words(text).filter(|word| cues::REASSURING.has(word));
    denying.count() > idle.count()
        || has_phrase(text, cues::DENYING_PHRASES)
        || tells_of_others(text)
        || text.contains(CROSSES)
}

/// Whether a clause says that the student said so, and that it is so: `As you said, …`, `You correctly wrote that …`. Who agrees
/// with what nobody said says it.
pub(super) fn agrees(clause: &str) -> bool {
    let all: Vec<&str> = words(clause).collect();
    let says = |words: &[&str]| words.iter().any(|word| cues::SAYING.has(word));
    let is_as = |three: &[&str]| match three {
        [joint, who, said @ ..] => {
            cues::AGREEING.has(joint) && cues::ADDRESSING.has(who) && says(said)
        }
        _ => false,
    };
    let is_right =
        || is_addressed(clause) && all.iter().any(|word| cues::RIGHTLY.has(word)) && says(&all);
    let is_denied = |word: &&str| cues::DENYING.has(word) || cues::WRONGLY.has(word);
    let from = |at: usize| {
        all.get(at..all.len().min(at + LONGEST_AS))
            .unwrap_or_default()
    };
    ((0..all.len()).map(from).any(is_as) || is_right()) && !all.iter().any(is_denied)
}

fn tells_of_others(clause: &str) -> bool {
    let is_short = |word: &str| word.ends_with("'d") || word.ends_with("’d");
    let mut before = "";
    words(clause).any(|word| {
        // `The rule says`
        let is_law = cues::LAWS.has(std::mem::replace(&mut before, word));
        !is_law && cues::TELLING.has(word) || is_short(word)
    }) || has_phrase(clause, cues::TELLING_PHRASES)
}

/// Whether somebody else says what stands beside a clause, or it is supposed: `Tom says, …`, but not `You said 5, …`.
fn attributes(clause: &str) -> bool {
    let tells_last = words(clause)
        .last()
        .is_some_and(|word| cues::TELLING.has(word) && clause.trim_end().ends_with(word));
    !agrees(clause)
        && (tells_last || is_label(clause) || tells_of_others(clause) && !is_addressed(clause))
}

/// `In your line, …`, `Your idea: …`
fn is_label(clause: &str) -> bool {
    let mut labels = words(clause).skip_while(|word| *word == "in");
    let is_yours = |word: &str| word == "your" || word.starts_with("dein");
    labels.next().is_some_and(is_yours) && labels.count() == 1
}

/// Whether a clause before a colon says of what follows that it is wrong: `A common mistake: …`, but not `Wrong: …` or
/// `Your answer is off: …`.
fn announces(clause: &str) -> bool {
    let is_verdict = words(clause).all(|word| cues::ANSWERING.has(word));
    attributes(clause) || denies(clause) && !is_verdict && !is_addressed(clause)
}

/// Whether a clause speaks to the student.
pub(super) fn is_addressed(clause: &str) -> bool {
    words(clause).any(|word| cues::ADDRESSING.has(word))
}

fn has_phrase(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| text.contains(phrase))
}

/// The clauses of a text in lower case, each with what parts it from the one before.
fn clauses(text: &str) -> Vec<(Option<Joint>, &str)> {
    let mut found = Vec::new();
    let (mut start, mut before) = (0, None);
    for (at, _) in text.char_indices() {
        if at >= start
            && let Some((joint, length)) = joint(text, at)
        {
            found.push((before, text.get(start..at).unwrap_or_default()));
            (start, before) = (at + length, Some(joint));
        }
    }
    found.push((before, text.get(start..).unwrap_or_default()));
    found
}

/// What parts two clauses at a place, and how long it is.
fn joint(text: &str, at: usize) -> Option<(Joint, usize)> {
    let (before, rest) = text.split_at_checked(at)?;
    let sign = rest.chars().next()?;
    let behind = rest.get(sign.len_utf8()..)?;
    let word = first_word(behind);
    let is_spaced = before.ends_with(' ') && behind.starts_with(' ');
    let in_number = || {
        before.ends_with(|c: char| c.is_ascii_digit())
            && behind.starts_with(|c: char| c.is_ascii_digit())
    };
    let (joint, length) = match sign {
        ',' if !in_number() => (Joint::Loose, sign.len_utf8()),
        ':' if !in_number() => (Joint::Announcing, sign.len_utf8()),
        '—' => (Joint::Announcing, sign.len_utf8()),
        '–' | '-' if is_spaced => (Joint::Announcing, sign.len_utf8()),
        ';' => (Joint::Apart, sign.len_utf8()),
        ' ' => {
            let joint = if cues::REASONING.has(word) {
                Joint::Loose
            } else if cues::OPPOSING.has(word) && (word == "but" || before.ends_with(',')) {
                Joint::Apart
            } else {
                return None;
            };
            (joint, 1 + word.len())
        }
        _ => return None,
    };
    // `It is not true, that …`
    let next = first_word(rest.get(length..)?.trim_start());
    (!cues::SUBORDINATING.has(next)).then_some((joint, length))
}

/// The word that a text begins with, if it begins with one.
fn first_word(text: &str) -> &str {
    let end = text.find(|character: char| !character.is_alphabetic());
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}
