//! What a message wants, by its words, in English and in German.
//!
//! The rules are tried from the top; the first with a pattern that fits a sentence decides. Students mix languages, so both
//! are tried on every message. Most messages of a tutoring chat are answers, which ask for nothing, whatever words
//! are in them ([`TELLS`]).

use std::sync::LazyLock;

use turnwise_course_pack::MessageIntent::{self, Action, Debug, Plan, Question, Review};
use turnwise_text::normalise;

/// So many characters of a text are looked at: a message says at once what it wants.
const MOST_CHARS: usize = 2_000;
/// The most words that `~` stands for.
const GAP: usize = 5;
/// The most words of [`POLITE`] before the one that says what is wanted.
const MOST_POLITE: usize = 6;

/// Patterns are runs of words, between commas. `^` is the start of a sentence, behind words of [`POLITE`]; `|` stands
/// between words of which one is there, `*` for any end of a word, `~` for some words. Umlauts are written `ae`, `oe`, `ue`.
const RULES: [(MessageIntent, &str); 8] = [
    // That something does not work is no matter of taste.
    (
        Debug,
        "doesn't|don't|didn't|won't|not work, isn't|aren't|not working, doesn't|don't|didn't|not add up, \
         doesn't|don't|didn't|not match|fit, error message, crash*, am|are|i'm|we're|get|got stuck, no sense, \
         doesn't make sense, why do|did|am|are i|we ~ get|getting, why ~ come|comes|came out, keep getting, \
         don't know why, can't|cannot be, can't|cannot find, shouldn't ~ be, but ~ should|shouldn't, off by, \
         is off, weird, strange, fehlermeldung, funktioniert|klappt|geht ~ nicht, stuerzt ~ ab, \
         komm* ~ nicht weiter, haeng* ~ fest, steck* ~ fest, kein* sinn, warum|wieso|weshalb krieg*|bekomm*|kommt, \
         krieg*|bekomm*|kommt ~ immer|anderes|falsches, weiss nicht warum|wieso, kann ~ nicht sein|stimmen, \
         komisch*, seltsam*, verrechnet, muesste|sollte aber",
    ),
    (
        Review,
        "^check|review|proofread|rate, ^correct my|our|this|the|it, look ~ over|through, look at my|our|this, \
         have|take a look, feedback, can|could you ~ check, go over|through my|our|this|the, tell ~ if, see if, \
         anything missing, forget|forgot|miss|missed anything|something, \
         ^pruef*|kontrollier*|korrigier*|ueberpruef*|bewerte, pruefen|ueberpruefen|kontrollieren|korrigieren, \
         durchlesen|durchsehen|durchgehen|gegenlesen|nachrechnen, anschauen|ansehen|angucken|drueber*|rueckmeldung, \
         korrektur ~ lesen, ^schau ~ an, ^guck*, ^lies, fehlt ~ was|etwas, hab* ~ vergessen",
    ),
    (
        Debug,
        "error*|mistake*|bug|bugs, broken|wrong|fail|fails|failed, why is ~ negative, fehler*|falsch*|kaputt, \
         stimm*|passt|passen ~ nicht",
    ),
    (
        Review,
        "^is|was ~ right|correct|ok|okay, ^are the|these|those|my|our|they|all ~ right|correct|ok|okay, \
         am|are i|we right, good enough, does|do|doesn't ~ look|sound ~ good|right|ok|okay, \
         did|have i|we ~ right|correctly, what do you think, be improved, how can|could i|we improve, \
         ^ist|sind ~ richtig|korrekt|ok|okay|gut, stimmt das|die|es|mein*|unser*, stimmen, \
         passt das|es|mein*|unser*, sieht ~ gut aus, findest du ~ gut, was haeltst|haelst du, gut genug, \
         verbesser*, hab*|lieg* ~ richtig",
    ),
    (
        Plan,
        "^plan, to plan, planning, make ~ plan, plan for, schedule|timetable|outline, ^next|first step|steps, \
         what|what's|which ~ step|steps|order, break ~ down, split|share|divide ~ work|tasks|jobs, who does what, \
         go about, get started, where|how|what do|should|can|could i|we ~ start|begin, \
         how do|should|can i|we ~ organi*, ^organi*, do first|next, comes first|next, left|still to do, \
         i|we have|need to do, what should|must i|we do, what's next, what now, \
         planen|planung|zeitplan|gliederung|vorgehen|reihenfolge, zuerst|aufteilen|einteilen, einen plan, ablauf*, \
         was|welche* ~ schritt*, fang* ~ an, soll*|koenn* ~ anfangen, als erstes|naechstes, gehe|gehen ~ vor, \
         wer macht was, noch zu tun, was muss*|soll* ~ machen|tun|erledigen",
    ),
    (
        Question,
        "explain, ^tell me, ^show me|us how|why, erklaer*, ^zeig* ~ wie|warum, kannst du ~ sagen",
    ),
    (
        Action,
        "^make|write|calculate|compute|draw|sketch|solve|create|show|convert|fill, \
         ^give|change|put|add|insert|enter|update, \
         ^replace|set|find|turn|build|list|sort|multiply|divide|subtract|scale|split|share|round|plot, \
         ^simplify|factor|expand|remove|delete|finish|continue|translate|use, ^work out, \
         ^do it|the|my|our|this|that, ^let's, ^let us, want|need you to, i|we need|want a|an|the, \
         ^mach|mache|schreib*|berechne*|rechne*|zeichne*|erstell*|loes*, ^fuell*|ergaenz*|aender*|gib|zeig*, \
         ^trag*|setz*|ersetz*|fueg*|stell*|wandle*|teil*|verteil*|suche|nimm|bau*|sortier*|rund*, \
         ^kuerz*|verdopple*|aktualisier*|streich*|loesch*|uebersetz*, ^lass uns, ^kannst|koenntest du, \
         ^koennen wir, brauch* ein*|den|die|das",
    ),
    (
        Question,
        "^what*|why|how|when|where|who|which|is|are|does|do|did, \
         ^was|wie*|warum|wieso|weshalb|wann|wo|wer|welche*|ist|sind|hat|habe*|muss*|darf*",
    ),
];

/// A sentence with one of these tells something, answers or gives thanks, unless it is a question. The first rule holds of it,
/// and the others where it begins like a request.
const TELLS: &str = "^oh|ah|yes|yeah|yep|no|nope|sure|sorry|because|ja|nein|klar|ach|achso|weil|genau, i see, i understand, \
     i realize*, i get it now, apologi*, i|i've made, i forgot, my mistake|error was, should have, i'll|i will, \
     you're right, you are right, that's right, ^thank*|danke*, ich verstehe, ich sehe, ich habe ~ gemacht, \
     habe mich verrechnet, tut mir leid, du hast recht, haette ~ sollen|muessen";

/// Words before the one that says what is wanted.
const POLITE: &str = "yes yeah no sure oh sorry thanks ja nein ach danke please can could would will you hey hi hello ok okay now \
     then so also and just but help me us bitte jetzt dann und also nun hallo mal aber hilf mir uns";

/// What is expected next.
enum Part {
    Start,
    Gap,
    /// One of these words, between `|`.
    Word(&'static str),
}

static PATTERNS: LazyLock<Vec<(MessageIntent, Vec<Vec<Part>>)>> =
    LazyLock::new(|| RULES.map(|(intent, text)| (intent, patterns(text))).into());
static TELLING: LazyLock<Vec<Vec<Part>>> = LazyLock::new(|| patterns(TELLS));

fn patterns(text: &'static str) -> Vec<Vec<Part>> {
    text.split(',').map(pattern).collect()
}

fn pattern(text: &'static str) -> Vec<Part> {
    let text = text.trim();
    let start = text.strip_prefix('^');
    let words = start.unwrap_or(text).split_whitespace();
    let words = words.map(|word| match word {
        "~" => Part::Gap,
        word => Part::Word(word),
    });
    start
        .map(|_| Part::Start)
        .into_iter()
        .chain(words)
        .collect()
}

/// What the words of a text want; `None` if they do not say. A question mark makes a question of what says nothing else.
#[must_use]
pub fn of_words(text: &str) -> Option<MessageIntent> {
    let cut = |text: &str| text.chars().take(MOST_CHARS).collect::<String>();
    // Again afterwards: a single character may be a whole sentence to normalisation.
    let text = cut(&normalise(&cut(text)))
        .replace('ä', "ae")
        .replace('ö', "oe")
        .replace('ü', "ue")
        .replace('ß', "ss");
    let sentences: Vec<Sentence<'_>> = text
        .split_inclusive(['.', '!', '?', ';', ':', '\n'])
        .map(Sentence::of)
        .collect();
    PATTERNS
        .iter()
        .enumerate()
        .find(|(place, (_, patterns))| {
            let anywhere = |sentence: &Sentence<'_>| *place == 0 || !sentence.tells;
            sentences
                .iter()
                .any(|sentence| sentence.fits(patterns, anywhere(sentence)))
        })
        .map(|(_, (intent, _))| *intent)
        .or_else(|| text.contains('?').then_some(Question))
}

struct Sentence<'t> {
    /// Whether it is of those that [`TELLS`] describes.
    tells: bool,
    words: Vec<&'t str>,
    /// How many words of [`POLITE`] it begins with.
    polite: usize,
}

impl<'t> Sentence<'t> {
    fn of(text: &'t str) -> Self {
        let words = text.split(|c: char| !c.is_alphabetic() && c != '\'');
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let first = words.iter().take(MOST_POLITE);
        let polite = first.take_while(|word| POLITE.split(' ').any(|known| known == **word));
        let mut sentence = Self {
            tells: false,
            polite: polite.count(),
            words,
        };
        sentence.tells = !text.ends_with('?') && sentence.fits(&TELLING, true);
        sentence
    }

    /// Whether one of the patterns stands at its start, or anywhere in it.
    fn fits(&self, patterns: &[Vec<Part>], anywhere: bool) -> bool {
        patterns.iter().any(|pattern| match pattern.as_slice() {
            // Such a word may itself be the one that counts, as in `let us`.
            [Part::Start, rest @ ..] => {
                (0..=self.polite).any(|from| begins(rest, &self.words[from..]))
            }
            pattern => {
                anywhere && (0..self.words.len()).any(|from| begins(pattern, &self.words[from..]))
            }
        })
    }
}

/// Whether the words begin with what is expected.
fn begins(pattern: &[Part], words: &[&str]) -> bool {
    match pattern {
        [] => true,
        [Part::Start, ..] => false,
        [Part::Gap, after @ ..] => {
            (0..=GAP.min(words.len())).any(|skipped| begins(after, &words[skipped..]))
        }
        [Part::Word(known), after @ ..] => {
            let is_it = |word: &&str| {
                known.split('|').any(|known| match known.strip_suffix('*') {
                    Some(beginning) => word.starts_with(beginning),
                    None => *word == known,
                })
            };
            words.first().is_some_and(is_it) && begins(after, &words[1..])
        }
    }
}
