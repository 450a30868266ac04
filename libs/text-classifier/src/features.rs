//! What a model looks at: the words of a text, alone and together, their parts, and their concepts.
//!
//! A text is read as pieces: sentences, the shortest joined with the next and the longest cut. A feature belongs to one
//! piece, or crosses from a piece to the next.

use crate::{
    hash,
    lexicon::Lexicon,
    words::{Letters, Token, tokens},
};

/// Words that a piece has at most.
const LONGEST_PIECE: usize = 28;
/// Words before which a sentence's end is none.
const SHORTEST_PIECE: usize = 5;
/// How far apart the words of a pair may be.
const REACH: usize = 5;
/// How far apart the concepts of a skeleton may be, in concepts.
const BONES: usize = 2;
/// Lengths of parts of words, in bytes, with the marks of the word's beginning and end.
const PARTS: std::ops::RangeInclusive<usize> = 3..=5;

/// Added to the sum of squares that a text's features are divided by the root of: a few features are weak evidence.
pub(crate) const FEW: f32 = 15.0;

/// A kind of feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A word.
    Word,
    /// Two words in a row.
    Bigram,
    /// Two words near one another, or their concepts.
    Pair,
    /// Three words in a row, or their concepts.
    Trigram,
    /// Some letters of a word.
    Part,
    /// A concept.
    Concept,
    /// Two or three concepts in a row, whatever stands between.
    Skeleton,
}

impl Kind {
    /// How much a feature of this kind counts.
    pub(crate) const fn value(self) -> f32 {
        match self {
            Self::Word => 1.0,
            Self::Bigram => 0.7,
            Self::Skeleton => 0.6,
            Self::Pair | Self::Trigram | Self::Part => 0.5,
            Self::Concept => 0.4,
        }
    }
}

/// One occurrence of a feature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Feature<'a> {
    pub(crate) kind: Kind,
    /// Its hash; the highest bits say the bin.
    pub(crate) hash: u64,
    /// Whether it begins in the piece before.
    pub(crate) crosses: bool,
    /// What it is made of, to be shown.
    pub(crate) of: [Unit<'a>; 3],
}

/// A part of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit<'a> {
    None,
    Text(&'a [u8]),
    Concept(u8),
}

/// Takes the features of a text.
pub(crate) trait Sink {
    fn feature(&mut self, feature: Feature<'_>);
    /// The end of a piece.
    fn end_piece(&mut self);
}

/// Gives a sink the features of a text in the form of [`fold`](crate::fold()).
pub(crate) fn features(folded: &str, lexicon: &Lexicon, sink: &mut impl Sink) {
    let mut reader = Reader {
        lexicon,
        sink,
        recent: [Slot::default(); REACH + 1],
        count: 0,
        concepts: [(0, 0); BONES + 1],
        concept_count: 0,
        piece: 1,
        piece_words: 0,
    };
    tokens(folded, |token| reader.token(token));
    if reader.piece_words > 0 {
        reader.sink.end_piece();
    }
}

/// A word that was read.
#[derive(Clone, Copy, Default)]
struct Slot {
    letters: Letters,
    hash: u64,
    concept: Option<u8>,
    /// Its piece, counted from 1.
    piece: usize,
}

impl Slot {
    /// The concept, or else the word.
    fn key(&self) -> u64 {
        match self.concept {
            Some(concept) => concept_hash(concept),
            None => self.hash,
        }
    }

    fn text(&self) -> Unit<'_> {
        Unit::Text(self.letters.as_bytes())
    }

    fn unit(&self) -> Unit<'_> {
        match self.concept {
            Some(concept) => Unit::Concept(concept),
            None => self.text(),
        }
    }
}

fn concept_hash(concept: u8) -> u64 {
    hash::join(0x00c0_ffee, u64::from(concept))
}

struct Reader<'a, S> {
    lexicon: &'a Lexicon,
    sink: &'a mut S,
    /// A ring of the last words.
    recent: [Slot; REACH + 1],
    count: usize,
    /// A ring of the last concepts, each with its piece.
    concepts: [(u8, usize); BONES + 1],
    concept_count: usize,
    piece: usize,
    piece_words: usize,
}

impl<S: Sink> Reader<'_, S> {
    fn token(&mut self, token: Token<'_>) {
        match token {
            Token::Word(word) => {
                if self.piece_words == LONGEST_PIECE {
                    self.end_piece();
                }
                self.word(word);
            }
            Token::End if self.piece_words >= SHORTEST_PIECE => self.end_piece(),
            Token::End => {}
        }
    }

    fn end_piece(&mut self) {
        self.sink.end_piece();
        self.piece += 1;
        self.piece_words = 0;
    }

    fn word(&mut self, word: &[u8]) {
        let (hash, concept) = self.lexicon.look_up(word);
        let now = self.count % self.recent.len();
        self.recent[now] = Slot {
            letters: Letters::of(word),
            hash,
            concept,
            piece: self.piece,
        };
        self.emit(
            Kind::Word,
            hash,
            self.piece,
            [Unit::Text(word), Unit::None, Unit::None],
        );
        self.parts(word);
        self.together();
        if let Some(concept) = concept {
            self.concept(concept);
        }
        self.count += 1;
        self.piece_words += 1;
    }

    /// Parts of a word with marks where it begins and ends.
    fn parts(&mut self, word: &[u8]) {
        let mut marked = [b'_'; 2 + Letters::MOST];
        marked[1..=word.len()].copy_from_slice(word);
        let marked = &marked[..word.len() + 2];
        let mut window: u64 = 0;
        for (at, byte) in marked.iter().enumerate() {
            window = (window << 8) | u64::from(*byte);
            for length in PARTS {
                // The whole word is a feature already.
                if at + 1 < length || length == word.len() + 2 {
                    continue;
                }
                let letters = window & ((1 << (8 * length)) - 1);
                let unit = Unit::Text(&marked[at + 1 - length..=at]);
                self.emit(
                    Kind::Part,
                    letters,
                    self.piece,
                    [unit, Unit::None, Unit::None],
                );
            }
        }
    }

    /// The last word together with those before it.
    fn together(&mut self) {
        let (recent, count, piece) = (self.recent, self.count, self.piece);
        let at = |back: usize| -> Option<&Slot> {
            let slot = &recent[count.checked_sub(back)? % recent.len()];
            (slot.piece + 1 >= piece).then_some(slot)
        };
        let (Some(now), Some(before)) = (at(0), at(1)) else {
            return;
        };
        let bigram = [before.text(), now.text(), Unit::None];
        let joined = hash::join(before.hash, now.hash);
        self.emit(Kind::Bigram, joined, before.piece, bigram);
        for back in 1..=REACH {
            let Some(earlier) = at(back) else { break };
            let pair = [earlier.unit(), now.unit(), Unit::None];
            let joined = hash::join(earlier.key(), now.key());
            self.emit(Kind::Pair, joined, earlier.piece, pair);
        }
        if let Some(first) = at(2) {
            let trigram = [first.unit(), before.unit(), now.unit()];
            let joined = hash::join(hash::join(first.key(), before.key()), now.key());
            self.emit(Kind::Trigram, joined, first.piece, trigram);
        }
    }

    /// The last concept, alone and together with those before it.
    fn concept(&mut self, concept: u8) {
        let (ring, count, piece) = (self.concepts, self.concept_count, self.piece);
        let at = |back: usize| -> Option<(u8, usize)> {
            let found = ring[count.checked_sub(back)? % ring.len()];
            (found.1 + 1 >= piece).then_some(found)
        };
        let unit = Unit::Concept;
        let own = concept_hash(concept);
        let alone = [unit(concept), Unit::None, Unit::None];
        self.emit(Kind::Concept, own, piece, alone);
        if let Some((before, began)) = at(1) {
            let two = hash::join(concept_hash(before), own);
            let bones = [unit(before), unit(concept), Unit::None];
            self.emit(Kind::Skeleton, two, began, bones);
            if let Some((first, began)) = at(2) {
                let three = hash::join(concept_hash(first), two);
                let bones = [unit(first), unit(before), unit(concept)];
                self.emit(Kind::Skeleton, three, began, bones);
            }
        }
        self.concepts[count % ring.len()] = (concept, piece);
        self.concept_count += 1;
    }

    fn emit(&mut self, kind: Kind, hash: u64, piece: usize, of: [Unit<'_>; 3]) {
        self.sink.feature(Feature {
            kind,
            hash: hash::spread(hash::join(kind as u64 + 1, hash)),
            crosses: piece < self.piece,
            of,
        });
    }
}
