//! Scores a text and explains the score.

use std::fmt;

use crate::{
    exp::softmax,
    features::{FEW, Feature, Kind, Sink, Unit, features},
    fold,
    lexicon::Lexicon,
};

/// The most classes of a model: a bin's weights are read as one word of the machine.
pub(crate) const MAX_CLASSES: usize = 8;
/// A bin's weights, one for each class.
pub(crate) type Row = [i8; MAX_CLASSES];

/// What a text can be.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// From which scores on it is told; none: it is harmless.
    pub alarm: Option<Alarm>,
}

/// The least scores, between 0 and 1, of what is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alarm {
    /// Of what may be.
    pub uncertain: f32,
    /// Of what is taken for certain; not below `uncertain`.
    pub certain: f32,
}

/// How sure a model is that a text is of an alarming class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// It is not.
    Harmless,
    /// It may be.
    Uncertain,
    /// It is.
    Certain,
}

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict<'a> {
    /// The likeliest of the alarming classes, whatever the level.
    pub class: &'a str,
    /// The probability that it is of any alarming class.
    pub score: f32,
    /// What the score was held against.
    pub alarm: Alarm,
    /// What that says.
    pub level: Level,
}

/// Why a text has its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation<'a> {
    /// What is explained.
    pub verdict: Verdict<'a>,
    /// What spoke for the class, the strongest first.
    pub reasons: Vec<Reason>,
}

/// A feature that spoke for the class.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// The feature as it can be read: words as they were compared, `-part-` of a word, `[concept]`.
    pub feature: String,
    /// What it added to the class's logit, less what it added to that of the likeliest harmless one.
    pub weight: f32,
}

/// A model that is ready to be asked.
#[derive(Clone)]
pub struct Classifier {
    pub(crate) name: String,
    pub(crate) data_hash: u64,
    pub(crate) classes: Vec<Class>,
    pub(crate) biases: Vec<f32>,
    /// What one step of a weight is worth.
    pub(crate) scale: f32,
    /// A power of two of bins.
    pub(crate) rows: Vec<Row>,
    pub(crate) lexicon: Lexicon,
}

impl fmt::Debug for Classifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Classifier")
            .field("version", &self.version())
            .field("classes", &self.classes)
            .finish_non_exhaustive()
    }
}

impl Classifier {
    /// The model's name and the hash of what it was made of.
    #[must_use]
    pub fn version(&self) -> String {
        format!("{}-{:016x}", self.name, self.data_hash)
    }

    /// The hash of what it was made of, as [`train::data_hash`](crate::train::data_hash) says it.
    #[must_use]
    pub fn data_hash(&self) -> u64 {
        self.data_hash
    }

    /// What a text can be.
    #[must_use]
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// What a text is.
    #[must_use]
    pub fn judge(&self, text: &str) -> Verdict<'_> {
        self.judge_folded(&fold(text))
    }

    /// As [`judge`](Self::judge), of a text in the form of [`fold`](crate::fold()).
    #[must_use]
    pub fn judge_folded(&self, folded: &str) -> Verdict<'_> {
        let mut scorer = Scorer::new(self);
        features(folded, &self.lexicon, &mut scorer);
        self.verdict(&scorer.best_or_empty().probabilities)
    }

    /// What a text is, and at most so many features that spoke for it.
    #[must_use]
    pub fn explain(&self, text: &str, most: usize) -> Explanation<'_> {
        self.explain_folded(&fold(text), most)
    }

    /// As [`explain`](Self::explain), of a text in the form of [`fold`](crate::fold()).
    #[must_use]
    pub fn explain_folded(&self, folded: &str, most: usize) -> Explanation<'_> {
        let mut scorer = Scorer::new(self);
        features(folded, &self.lexicon, &mut scorer);
        let best = scorer.best_or_empty();
        let verdict = self.verdict(&best.probabilities);
        let likeliest = |alarms: bool| {
            (0..self.classes.len())
                .filter(|class| self.classes[*class].alarm.is_some() == alarms)
                .max_by(|a, b| best.probabilities[*a].total_cmp(&best.probabilities[*b]))
        };
        let mut reasons = Vec::new();
        if let (Some(class), Some(harmless)) = (likeliest(true), likeliest(false)) {
            let mut collector = Collector {
                model: self,
                pieces: best.first_piece..=best.last_piece,
                piece: 0,
                step: self.scale / best.norm,
                class,
                harmless,
                found: Vec::new(),
            };
            features(folded, &self.lexicon, &mut collector);
            reasons = collector.strongest(most);
        }
        Explanation { verdict, reasons }
    }

    fn verdict(&self, probabilities: &[f32; MAX_CLASSES]) -> Verdict<'_> {
        let (mut score, mut likeliest, mut most) = (0.0, 0, -1.0);
        for (index, (class, probability)) in self.classes.iter().zip(probabilities).enumerate() {
            if class.alarm.is_some() {
                score += probability;
                if *probability > most {
                    (likeliest, most) = (index, *probability);
                }
            }
        }
        // A model without an alarming class never alarms.
        let never = Alarm {
            uncertain: f32::INFINITY,
            certain: f32::INFINITY,
        };
        let class = &self.classes[likeliest];
        let alarm = class.alarm.unwrap_or(never);
        let level = if score >= alarm.certain {
            Level::Certain
        } else if score >= alarm.uncertain {
            Level::Uncertain
        } else {
            Level::Harmless
        };
        Verdict {
            class: &class.name,
            score,
            alarm,
            level,
        }
    }

    pub(crate) fn bin(&self, hash: u64) -> usize {
        bin(hash, self.rows.len())
    }
}

/// The bin of a hash among so many, a power of two.
pub(crate) fn bin(hash: u64, bins: usize) -> usize {
    (hash >> 40) as usize & (bins - 1)
}

/// Sums of the features of a part of a text.
#[derive(Clone, Copy, Default)]
struct Sums {
    /// Of each kind's weights times its value, for each class.
    weights: [f32; MAX_CLASSES],
    squares: f32,
}

impl Sums {
    fn add(&mut self, row: &Row, kind: Kind) {
        let value = kind.value();
        // Over whole arrays: the compiler makes a few instructions of it.
        for (sum, weight) in self.weights.iter_mut().zip(row) {
            *sum += f32::from(*weight) * value;
        }
        self.squares += value * value;
    }

    fn with(mut self, other: &Self) -> Self {
        for (sum, more) in self.weights.iter_mut().zip(&other.weights) {
            *sum += more;
        }
        self.squares += other.squares;
        self
    }
}

/// The part of a text that alarms most.
#[derive(Clone, Copy)]
struct Window {
    probabilities: [f32; MAX_CLASSES],
    alarm: f32,
    first_piece: usize,
    last_piece: usize,
    norm: f32,
}

struct Scorer<'a> {
    model: &'a Classifier,
    before: Option<Sums>,
    crossing: Sums,
    piece: Sums,
    pieces: usize,
    best: Option<Window>,
}

impl<'a> Scorer<'a> {
    fn new(model: &'a Classifier) -> Self {
        Self {
            model,
            before: None,
            crossing: Sums::default(),
            piece: Sums::default(),
            pieces: 0,
            best: None,
        }
    }

    fn best_or_empty(&mut self) -> Window {
        if self.best.is_none() {
            self.consider(Sums::default(), 0);
        }
        self.best
            .unwrap_or_else(|| self.window(&Sums::default(), 0))
    }

    fn consider(&mut self, sums: Sums, first_piece: usize) {
        let window = self.window(&sums, first_piece);
        if self.best.is_none_or(|best| best.alarm < window.alarm) {
            self.best = Some(window);
        }
    }

    fn window(&self, sums: &Sums, first_piece: usize) -> Window {
        let model = self.model;
        let norm = (sums.squares + FEW).sqrt();
        let step = model.scale / norm;
        let mut probabilities = [0.0; MAX_CLASSES];
        for (class, bias) in model.biases.iter().enumerate() {
            probabilities[class] = bias + sums.weights[class] * step;
        }
        softmax(&mut probabilities[..model.classes.len()]);
        let alarming = model.classes.iter().zip(&probabilities);
        let alarm = alarming.filter(|(class, _)| class.alarm.is_some());
        Window {
            alarm: alarm.map(|(_, probability)| probability).sum(),
            probabilities,
            first_piece,
            last_piece: self.pieces,
            norm,
        }
    }
}

impl Sink for Scorer<'_> {
    fn feature(&mut self, feature: Feature<'_>) {
        let row = &self.model.rows[self.model.bin(feature.hash)];
        let sums = if feature.crosses {
            &mut self.crossing
        } else {
            &mut self.piece
        };
        sums.add(row, feature.kind);
    }

    fn end_piece(&mut self) {
        let piece = std::mem::take(&mut self.piece);
        let crossing = std::mem::take(&mut self.crossing);
        self.consider(piece, self.pieces);
        if let Some(before) = self.before {
            self.consider(before.with(&crossing).with(&piece), self.pieces - 1);
        }
        self.before = Some(piece);
        self.pieces += 1;
    }
}

/// Collects what the features of some pieces spoke for.
struct Collector<'a> {
    model: &'a Classifier,
    pieces: std::ops::RangeInclusive<usize>,
    piece: usize,
    step: f32,
    class: usize,
    harmless: usize,
    found: Vec<Reason>,
}

impl Collector<'_> {
    fn strongest(mut self, most: usize) -> Vec<Reason> {
        self.found.sort_by(|a, b| {
            b.weight
                .total_cmp(&a.weight)
                .then(a.feature.cmp(&b.feature))
        });
        self.found.dedup_by(|a, b| a.feature == b.feature);
        self.found.truncate(most);
        self.found
    }

    fn shown(&self, feature: &Feature<'_>) -> String {
        let unit = |unit: &Unit<'_>| match unit {
            Unit::None => None,
            Unit::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
            Unit::Concept(concept) => {
                let name = self.model.lexicon.concepts().get(usize::from(*concept));
                name.map(|name| format!("[{name}]"))
            }
        };
        let units: Vec<String> = feature.of.iter().filter_map(unit).collect();
        match feature.kind {
            Kind::Part => format!("-{}-", units.concat()),
            Kind::Pair | Kind::Skeleton => units.join(" … "),
            _ => units.join(" "),
        }
    }
}

impl Sink for Collector<'_> {
    fn feature(&mut self, feature: Feature<'_>) {
        let first = self.piece - usize::from(feature.crosses);
        if !self.pieces.contains(&first) || !self.pieces.contains(&self.piece) {
            return;
        }
        let row = &self.model.rows[self.model.bin(feature.hash)];
        let steps = f32::from(row[self.class]) - f32::from(row[self.harmless]);
        let weight = steps * self.step * feature.kind.value();
        if weight > 0.0 {
            let feature = self.shown(&feature);
            self.found.push(Reason { feature, weight });
        }
    }

    fn end_piece(&mut self) {
        self.piece += 1;
    }
}
